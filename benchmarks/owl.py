"""Reading OWL: a file of 500 MB beside py-horned-owl, and a part of it beside rdflib and pronto, which take too long.

The file is made once: copies of a part of the Gene Ontology (the tests have it), each under ids of its own.
"""

from __future__ import annotations

import gzip
import re
from pathlib import Path

from benchmarks.measure import Measurement, Row, below, faster, measured, noted, print_table, quick
from benchmarks.real_terms import NAMESPACE
from benchmarks.terminology import in_memory
from termgauge.io.store import cached

MEGABYTES, QUICK_MEGABYTES = 500, 5
PART = 20
"""The megabytes that rdflib and pronto are given."""
REAL = Path(__file__).parents[1] / "tests" / "data" / "go-nucleus" / "nucleus.owl.gz"
HERE = "benchmarks.owl"
_VERSION = 1
_FIRST_CLASS = re.compile(r"<owl:Class rdf:about=")
_CLASS = re.compile(r'<owl:Class rdf:about="([^"]+)"')


def main() -> None:
    """Print what reading costs."""
    print_table("Reading OWL (RDF/XML)", owl_rows(QUICK_MEGABYTES if quick() else MEGABYTES), theirs="another reader")


def owl_rows(megabytes: int) -> list[Row]:
    """Measure a file of so many megabytes, and a part of that size for readers that are slow."""
    whole, part = owl_file(megabytes), owl_file(min(PART, megabytes))
    for path in (whole, part):
        in_memory(path)
    ours, ours_of_part = _ours(whole), _ours(part)
    horned = measured(f"{HERE}:read_with_horned_owl", str(whole), imports=["pyhornedowl"])
    rdflib = measured(f"{HERE}:read_with_rdflib", str(part), imports=["rdflib"])
    pronto = measured(f"{HERE}:read_with_pronto", str(part), imports=["pronto"])
    if horned.result < ours.result["concepts"] or rdflib.result < ours_of_part.result["concepts"]:
        raise RuntimeError(f"The readers found {ours.result}, {horned.result}, {rdflib.result} classes.")
    size = f"{part.stat().st_size / 1e6:,.0f} MB"
    return [
        faster(f"{size}, beside rdflib (statements only)", ours_of_part, rdflib, at_least=5),
        noted(f"{size}, beside pronto (OBO's part of OWL)", str(ours_of_part), str(pronto)),
        noted(f"{whole.stat().st_size / 1e6:,.0f} MB, beside py-horned-owl (Rust)", str(ours), str(horned)),
        noted("what is read", f"{ours.result['concepts']:,} classes, {ours.result['terms']:,} terms"),
        below("peak memory", ours.peak_mb, 2000, "MB"),
    ]


def _ours(path: Path) -> Measurement:
    imports = ["termgauge.terminology", "polars", "termgauge.terminology.formats.owl"]
    return measured("benchmarks.terminology:read_ours", str(path), False, imports=imports)


def read_with_rdflib(path: str) -> int:
    """Read the statements with rdflib, without making anything of them, and return how many classes there are."""
    import rdflib

    graph = rdflib.Graph().parse(path, format="xml")
    return len(set(graph.subjects(rdflib.RDF.type, rdflib.OWL.Class)))


def read_with_horned_owl(path: str) -> int:
    """Read an ontology with py-horned-owl and return how many classes it has."""
    import pyhornedowl

    return len(pyhornedowl.open_ontology(path, "rdf").get_classes())


def read_with_pronto(path: str) -> int:
    """Read an ontology with pronto and return how many terms it has."""
    import warnings

    import pronto

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells of slips in the ontology
        return len(pronto.Ontology(path).terms())


def owl_file(megabytes: int) -> Path:
    """Return an OWL file of at least so many megabytes, made now if it is not in the cache."""
    key = f"owl-v{_VERSION}-{megabytes}"
    return cached(NAMESPACE, key, lambda folder: write_owl(folder / "made.owl", megabytes * 1_000_000)) / "made.owl"


def write_owl(path: Path, size: int) -> int:
    """Write an ontology of at least so many bytes; return how many copies of the real one it holds."""
    text = gzip.decompress(REAL.read_bytes()).decode()
    first = _FIRST_CLASS.search(text)
    assert first is not None
    head, classes = text[: first.start()], text[first.start() :].rpartition("</rdf:RDF>")[0]
    ids = {iri.rpartition("/")[2] for iri in _CLASS.findall(classes)}
    own = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, ids | {each.replace('_', ':') for each in ids})))})\b")
    pieces = own.split(classes)
    names = own.findall(classes)
    written, copies = 0, 0
    with path.open("w", encoding="utf-8") as file:
        written += file.write(head)
        while written < size:
            renamed = [f"{name}{copies:05}" for name in names]
            written += file.write("".join(part for pair in zip(pieces, [*renamed, ""], strict=True) for part in pair))
            copies += 1
        file.write("</rdf:RDF>\n")
    return copies


if __name__ == "__main__":
    main()
