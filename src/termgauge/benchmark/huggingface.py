"""Pieces of dataset cards: the front matter that Hugging Face reads, and Markdown for people."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termgauge.benchmark.manifest import MANIFEST
from termgauge.exceptions import TermgaugeError
from termgauge.io.atomic import whole_folder, write_text
from termgauge.io.identity import sha256_of_bytes, sha256_of_value, version

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    from termgauge.benchmark.manifest import Manifest
    from termgauge.benchmark.pairset import PairSet

_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B")
_LICENCES = frozenset(
    {"apache-2.0", "mit", "cc0-1.0", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "cc-by-nc-4.0"}
    | {"cc-by-nc-sa-4.0", "cc-by-nd-4.0", "cc-by-nc-nd-4.0", "pddl", "odc-by", "odbl", "other", "unknown"}
)
"""The licence names that dataset cards know, of those that terminologies come under."""


def front_matter(
    title: str,
    licence: str,
    languages: Sequence[str],
    rows: int,
    configurations: Mapping[str, Mapping[str, str]],
    folder: Path,
) -> str:
    """Return the front matter of a card; each configuration has a file in the folder for each of its splits.

    The `datasets` library recognises what it loaded before by the names and versions of configurations, and never looks
    at the files. So the version of a configuration is made of their content.
    """
    lines = ["---", *_licence(licence), "language:", *(f"- {quoted(code)}" for code in languages)]
    lines += [f"pretty_name: {quoted(title)}", "size_categories:", f"- {quoted(size_category(rows))}"]
    lines += ["task_categories:", "- sentence-similarity", "tags:", "- medical", "- biology"]
    lines.append("configs:")
    for name, files in configurations.items():
        hashes = [sha256_of_bytes((folder / file).read_bytes()) for file in files.values()]
        content = f"0.0.{int(sha256_of_value(hashes)[:12], 16)}"  # a version is three numbers
        lines += [f"- config_name: {quoted(name)}", f'  version: "{content}"', "  data_files:"]
        for split, path in files.items():
            lines += [f"  - split: {split}", f"    path: {quoted(path)}"]
    return "\n".join([*lines, "---", "", ""])


def _licence(licence: str) -> list[str]:
    name = licence.strip().lower()
    return [f"license: {name}"] if name in _LICENCES else ["license: other", f"license_name: {quoted(licence)}"]


def size_category(total: int) -> str:
    """Return the size of a dataset as cards say it."""
    return _SIZES[sum(total >= 10**power for power in range(3, 9))]


def table(rows: Iterable[list[str]]) -> str:
    """Return rows as a table of Markdown, the first as its head."""
    lines = ["| " + " | ".join(inline(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * (lines[0].count(" | ") + 1), *lines[1:]])


def listing(values: Mapping[str, object]) -> str:
    """Return values as a list of Markdown, those aside that are not known."""
    return "\n".join(f"- {inline(key)}: {inline(str(value))}" for key, value in values.items() if value is not None)


def inline(text: str) -> str:
    """Return text for one line of Markdown."""
    return " ".join(text.split())


def quoted(text: str) -> str:
    """Return text as a double-quoted YAML scalar."""
    return f'"{"".join(map(_escaped, text))}"'


def yaml_block(value: Any, indent: int = 0) -> str:  # noqa: ANN401
    r"""Return mappings, lists, text and numbers as YAML that reads back the same, numbers with six decimals.

    >>> print(yaml_block({"name": 'a: "b"', "values": [{"n": 1, "share": 0.5}]}), end="")
    name: "a: \"b\""
    values:
    - n: 1
      share: 0.500000
    """
    margin = " " * indent
    if isinstance(value, dict):
        lines = []
        for key, entry in value.items():
            nested = isinstance(entry, dict | list)
            below = indent + (2 if isinstance(entry, dict) else 0)
            lines.append(
                f"{margin}{key}:\n{yaml_block(entry, below)}" if nested else f"{margin}{key}: {_scalar(entry)}\n"
            )
        return "".join(lines)
    return "".join(f"{margin}- {yaml_block(item, indent + 2).lstrip(' ')}" for item in value)


def _scalar(value: str | float) -> str:
    if isinstance(value, str):
        return quoted(value)
    return str(value) if isinstance(value, int) else f"{value:.6f}"


def _escaped(letter: str) -> str:
    if letter in '"\\':
        return f"\\{letter}"
    if letter.isprintable():
        return letter
    return f"\\U{ord(letter):08x}" if not "\ud800" <= letter <= "\udfff" else "\ufffd"


SPLIT = "test"
CARD_NAME = "README.md"
DATA = "data"
"""The folder of the Parquet files, in the folder of the dataset."""
HELD_OUT = "test-benchmark"
"""The folder of an export for training with the sets of the benchmark on concepts of the test alone."""
TASKS = "tasks.py"
"""The module of tasks that an export for mteb has beside the data."""

_CONFIGURATION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
_HEADINGS = {
    "pairs": "pairs",
    "positives": "positives",
    "mean_distance_positives": "mean distance, positives",
    "mean_distance_negatives": "mean distance, negatives",
    "multi_word": "multi-word terms",
}
_OURS = re.compile(
    rf"({HELD_OUT}/)?(README\.md|{DATA}|{DATA}/[^/]+\.parquet|{re.escape(MANIFEST)})|{HELD_OUT}|tasks\.py|"
    r"concepts\.parquet|[a-z]+-pairs\.parquet|__pycache__(/[^/]+\.pyc)?"
)
"""What an export may hold."""
_READING = """\
Pairs of medical terms. In binary sets `label` is 1 if the two terms of a pair mean the same and 0 if not; in graded
sets `score` is higher the more similar they are. Each configuration is one set, with the split `{split}`."""
_HASHED = "SHA-256 of each set as `term TAB term TAB label LF` lines."
_EXAMPLE = """\
```python
from datasets import load_dataset

pairs = load_dataset("path/of/this/folder", "{name}", split="{split}")
```"""


@dataclass(frozen=True, kw_only=True)
class DatasetCard:
    """What the card of an exported benchmark says besides its data."""

    title: str
    licence: str
    """The licence of the terminology's texts: a name such as ``cc-by-4.0``, or words for any other licence."""
    language: tuple[str, ...] = ("en",)
    source: Mapping[str, str | int | None] = field(default_factory=dict)
    """The identity of the release: format, edition, version, content hash."""
    options: Mapping[str, object] = field(default_factory=dict)
    """How the benchmark was built: seed, split distance and so on."""
    statistics: Mapping[str, Mapping[str, float | int | None]] = field(default_factory=dict)
    """For each set ``pairs``, ``positives``, ``mean_distance_positives``, ``mean_distance_negatives``, ``multi_word``
    (a share between 0 and 1); other keys are shown under their own names."""

    @classmethod
    def from_manifest(cls, manifest: Manifest, licence: str) -> DatasetCard:
        """Return the card of a benchmark that was built."""
        return cls(
            title=f"Medical term similarity from {next(iter(manifest.files.values())).subject}",
            licence=licence,
            language=tuple(manifest.languages),
            source=manifest.terminology,
            options={"seed": manifest.seed, **manifest.options},
            statistics={
                file.rsplit(".", 1)[0]: record.statistics.model_dump()
                for file, record in manifest.files.items()
                if record.pairs
            },
        )


def write_huggingface(
    sets: Mapping[str, PairSet],
    folder: str | os.PathLike[str],
    *,
    card: DatasetCard,
    beside: Mapping[str, str] | None = None,
    force: bool = False,
) -> Path:
    """Write sets of pairs as a folder for the Hugging Face `datasets` library, whole or not at all.

    ``datasets.load_dataset(folder, name, split="test")`` then gives one set. Whether the folder may be shared is for
    the terminology's licence to say. A slash in the name of a set becomes a dot, since a configuration's name is also a
    file's. `beside` are texts of more files, by name. `force` replaces an earlier export in the folder; anything else
    there is never touched.
    """
    target = Path(folder)
    named = _configurations(sets)
    check_free(target, force=force)
    statistics = {configuration(name): values for name, values in card.statistics.items()}
    with whole_folder(target) as temporary:
        (temporary / DATA).mkdir()
        for name, pairs in named.items():
            pairs.write_parquet(temporary / DATA / f"{name}.parquet")
        total, files = sum(map(len, named.values())), {name: {SPLIT: f"{DATA}/{name}.parquet"} for name in named}
        head = front_matter(card.title, card.licence, card.language, total, files, temporary)
        write_text(temporary / CARD_NAME, head + _body(named, card, statistics))
        for name, text in (beside or {}).items():
            write_text(temporary / name, text)
    return target


def configuration(name: str) -> str:
    """Return what the configuration of a set is called."""
    return name.replace("/", ".")


def _configurations(sets: Mapping[str, PairSet]) -> dict[str, PairSet]:
    named: dict[str, PairSet] = {}
    for key, pairs in sets.items():
        name = configuration(key)
        if _CONFIGURATION.fullmatch(name) is None:
            raise TermgaugeError(
                f"A set cannot be exported under the name '{key}'; use letters, digits and '-', '_', '.', '/'."
            )
        if name in named:
            raise TermgaugeError(f"Two sets would both be exported under the name '{name}'; rename one of them.")
        if len(pairs):
            named[name] = pairs
    if not named:
        raise TermgaugeError("There are no pairs to export; none of the sets has any.")
    return named


def check_free(folder: Path, *, force: bool) -> None:
    """See that a folder is free for an export, or holds one that may be replaced."""
    try:
        if not folder.exists():
            return
        if not folder.is_dir():
            raise TermgaugeError(f"{folder}: is a file; name a folder to export to.")
        content = {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
    except OSError as error:
        raise TermgaugeError(f"{folder}: cannot be read ({error.strerror or error}).") from error
    foreign = sorted(name for name in content if _OURS.fullmatch(name) is None)
    if foreign:
        raise TermgaugeError(
            f"{folder}: holds other things, such as '{foreign[0]}'; name a new or empty folder to export to."
        )
    if content and not force:
        raise TermgaugeError(f"{folder}: holds an export already; name another folder, or replace it with --force.")


def _body(
    sets: Mapping[str, PairSet], card: DatasetCard, statistics: Mapping[str, Mapping[str, float | int | None]]
) -> str:
    parts = [f"# {inline(card.title)}", _READING.format(split=SPLIT)]
    parts += [_EXAMPLE.format(name=next(iter(sets)), split=SPLIT)]
    parts += ["## Source", listing(card.source)] if card.source else []
    parts += ["## How it was built", listing({"termgauge": version(), **card.options})]
    hashes = [["set", "id", "SHA-256"], *([name, pairs.id, f"`{pairs.sha256}`"] for name, pairs in sets.items())]
    parts += ["## Sets", _statistics_table(sets, statistics), "## Hashes", _HASHED, table(hashes)]
    parts += ["## Licence", inline(card.licence)]
    return "\n\n".join(parts) + "\n"


def _statistics_table(sets: Mapping[str, PairSet], statistics: Mapping[str, Mapping[str, float | int | None]]) -> str:
    rows = {
        name: {"pairs": len(pairs), "positives": pairs.positives, **statistics.get(name, {})}
        for name, pairs in sets.items()
    }
    keys = list(dict.fromkeys(key for row in rows.values() for key in (*_HEADINGS, *row) if key in row))
    head = ["set", *(_HEADINGS.get(key, key.replace("_", " ")) for key in keys)]
    body = [[name, *(_figure(key, row.get(key)) for key in keys)] for name, row in rows.items()]
    return table([head, *body])


def _figure(key: str, value: float | None) -> str:
    if value is None:
        return ""
    return format(value, ".1%" if key == "multi_word" else "," if isinstance(value, int) else ",.2f")
