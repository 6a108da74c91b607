"""The pages of the documentation: their examples, the files that those need, and the commands that they name."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from tests.conftest import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PAGES = {
    path.relative_to(REPOSITORY).as_posix(): path for path in [REPOSITORY / "README.md", *REPOSITORY.glob("docs/*.md")]
}
OF_PACKAGES = {
    "docs/adding-a-format.md": "tests/terminology/formats/test_registry.py",
    "docs/adding-a-measure.md": "tests/similarity/test_adding_a_measure.py",
    "docs/adding-a-scheme.md": "tests/embeddings/test_schemes.py",
    "docs/adding-a-task.md": "tests/tasks/test_other_package.py",
}
"""Pages whose examples are modules, and the tests that put them where they belong and use them."""
ON_TORCH = {
    "docs/encoders-torch.md": (),
    "docs/mteb.md": ("mteb",),
    "docs/sentence-transformers.md": ("accelerate", "datasets"),
}
"""Pages whose examples need torch, and so an environment of their own, each with what else they need."""
_TERMS = 60


def text_of(page: str) -> str:
    return PAGES[page].read_text(encoding="utf-8")


def examples(page: str) -> str:
    """Return the Python blocks of a page, in their order, as one program: a page is read from top to bottom."""
    return "\n".join(re.findall(r"^```python\n(.*?)^```", text_of(page), re.DOTALL | re.MULTILINE))


def run_examples(page: str) -> None:
    """Run the Python blocks of a page in the current folder."""
    exec(compile(examples(page), page, "exec"), {"__name__": "__main__"})


def small_ontology(hpo: Path, folder: Path) -> None:
    """Write the first terms of the real ontology."""
    head, *terms = hpo.read_text(encoding="utf-8").split("\n\n[Term]")
    (folder / "hp.obo").write_text("\n\n[Term]".join([head, *terms[:_TERMS]]) + "\n", encoding="utf-8")


def small_diseases(hpo: Path, folder: Path) -> None:
    """Write diseases that refer to the same CUIs as the first terms of that ontology."""
    terms = hpo.read_text(encoding="utf-8").split("\n\n[Term]")[1 : _TERMS + 1]
    cuis = [found[1] for term in terms if (found := re.search(r"^xref: UMLS:(C\d+)", term, re.MULTILINE))]
    stanzas = [
        f"[Term]\nid: DOID:{at}\nname: disease number {at}\nxref: UMLS_CUI:{cui}\n" for at, cui in enumerate(cuis)
    ]
    (folder / "doid.obo").write_text("\n".join(["format-version: 1.2\n", *stanzas]), encoding="utf-8")


def rated_pairs(_hpo: Path, folder: Path) -> None:
    """Write two pairs in the layout of MayoSRS."""
    (folder / "my-sets").mkdir()
    rows = ("Mean,TERM1,TERM2,CUI1,CUI2,MESH1,MESH2", "9.5,flu,influenza,C1,C2,D1,D2", "2,cough,toe,C3,C4,D3,D4")
    (folder / "my-sets" / "MayoSRS_mesh.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def pairs_to_rate(_hpo: Path, folder: Path) -> None:
    """Write twenty pairs of terms."""
    rows = "".join(f"fever {at}\tcough {at}\n" for at in range(20))
    (folder / "pairs.tsv").write_text(f"word1\tword2\n{rows}", encoding="utf-8")


NEEDED: dict[str, tuple[Callable[[Path, Path], None], ...]] = {
    "docs/across.md": (small_ontology, small_diseases),
    "docs/benchmarks.md": (small_ontology,),
    "docs/clusters.md": (small_ontology,),
    "docs/experiments.md": (small_ontology,),
    "docs/languages.md": (small_ontology,),
    "docs/export.md": (small_ontology,),
    "docs/human-rated-sets.md": (rated_pairs,),
    "docs/sentence-transformers.md": (small_ontology,),
    "docs/studies.md": (pairs_to_rate,),
    "docs/terminologies.md": (small_ontology,),
}
"""What writes the files that a page takes for granted: those that its readers have."""


def commands(page: str) -> Iterator[list[str]]:
    """Yield the words of each ``termgauge …`` line in the blocks of a page, and within its sentences."""
    text = text_of(page).replace("\\\n", " ")
    fenced = "\n".join(re.findall(r"^```(?:sh|bash|console)\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    lines = re.findall(r"^ {4}(termgauge .*)$", text, re.MULTILINE)
    lines += re.findall(r"^(?:\$ )?(termgauge .*)$", fenced, re.MULTILINE)
    within = [line.replace("\n", " ") for line in re.findall(r"`(termgauge [^`]+)`", text)]
    for line in (*lines, *within):
        yield shlex.split(line, comments=True)


def flags(page: str) -> set[str]:
    """Return the flags that a page names by themselves, such as ``--since``."""
    return set(re.findall(r"`(--?[a-z][a-z-]*)", text_of(page)))
