"""A benchmark as a folder that the Hugging Face `datasets` library loads as it is.

Each set becomes a configuration with one split, ``test``, in one Parquet file; the dataset card names the files in its
front matter, so that no loading code is needed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.benchmark.card import front_matter, inline, listing, table
from termgauge.benchmark.manifest import MANIFEST
from termgauge.exceptions import TermgaugeError
from termgauge.io.atomic import whole_folder, write_text
from termgauge.io.identity import version

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from termgauge.benchmark.manifest import Manifest
    from termgauge.benchmark.pairset import PairSet

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
_SHARES = frozenset({"multi_word"})
_OURS = re.compile(
    rf"({HELD_OUT}/)?(README\.md|{DATA}|{DATA}/[^/]+\.parquet|{re.escape(MANIFEST)})|{HELD_OUT}|tasks\.py|"
    r"concepts\.parquet|[a-z]+-pairs\.parquet|__pycache__(/[^/]+\.pyc)?"
)
"""What an export may hold."""
_READING = """\
Pairs of medical terms. In binary sets `label` is 1 if the two terms of a pair mean the same and 0 if not; in graded
sets `score` is higher the more similar they are. Each configuration is one set, with the split `{split}`."""
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
    def of(cls, manifest: Manifest, licence: str) -> DatasetCard:
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
    place = Path(folder)
    named = _configurations(sets)
    check_free(place, force=force)
    statistics = {configuration(name): values for name, values in card.statistics.items()}
    with whole_folder(place) as temporary:
        (temporary / DATA).mkdir()
        for name, pairs in named.items():
            pairs.write_parquet(temporary / _data_file(name))
        write_text(temporary / CARD_NAME, _head(named, card, temporary) + _body(named, card, statistics))
        for name, text in (beside or {}).items():
            write_text(temporary / name, text)
    return place


def configuration(name: str) -> str:
    """Return what the configuration of a set is called."""
    return name.replace("/", ".")


def _configurations(sets: Mapping[str, PairSet]) -> dict[str, PairSet]:
    named: dict[str, PairSet] = {}
    for given, pairs in sets.items():
        name = configuration(given)
        if _CONFIGURATION.fullmatch(name) is None:
            raise TermgaugeError(
                f"A set cannot be exported under the name '{given}'; use letters, digits and '-', '_', '.', '/'."
            )
        if name in named:
            raise TermgaugeError(f"Two sets would both be exported under the name '{name}'; rename one of them.")
        if len(pairs):
            named[name] = pairs
    if not named:
        raise TermgaugeError("There are no pairs to export; none of the sets has any.")
    return named


def check_free(place: Path, *, force: bool) -> None:
    """See that a folder is free for an export, or holds one that may be replaced."""
    try:
        if not place.exists():
            return
        if not place.is_dir():
            raise TermgaugeError(f"{place}: is a file; name a folder to export to.")
        content = {path.relative_to(place).as_posix() for path in place.rglob("*")}
    except OSError as error:
        raise TermgaugeError(f"{place}: cannot be read ({error.strerror or error}).") from error
    foreign = sorted(name for name in content if _OURS.fullmatch(name) is None)
    if foreign:
        raise TermgaugeError(
            f"{place}: holds other things, such as '{foreign[0]}'; name a new or empty folder to export to."
        )
    if content and not force:
        raise TermgaugeError(f"{place}: holds an export already; name another folder, or replace it with --force.")


def _data_file(name: str) -> str:
    return f"{DATA}/{name}.parquet"


def _head(sets: Mapping[str, PairSet], card: DatasetCard, folder: Path) -> str:
    total = sum(len(pairs) for pairs in sets.values())
    files = {name: {SPLIT: _data_file(name)} for name in sets}
    return front_matter(card.title, card.licence, card.language, total, files, folder)


def _body(
    sets: Mapping[str, PairSet], card: DatasetCard, statistics: Mapping[str, Mapping[str, float | int | None]]
) -> str:
    parts = [f"# {inline(card.title)}", _READING.format(split=SPLIT)]
    parts += [_EXAMPLE.format(name=next(iter(sets)), split=SPLIT)]
    parts += ["## Source", listing(card.source)] if card.source else []
    parts += ["## How it was built", listing({"termgauge": version(), **card.options})]
    parts += ["## Sets", _statistics_table(sets, statistics), "## Hashes", _hashes(sets)]
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


def _hashes(sets: Mapping[str, PairSet]) -> str:
    rows = [[name, pairs.id, f"`{pairs.sha256}`"] for name, pairs in sets.items()]
    return "SHA-256 of each set as `term TAB term TAB label LF` lines.\n\n" + table([["set", "id", "SHA-256"], *rows])


def _figure(key: str, value: float | None) -> str:
    if value is None:
        return ""
    if key in _SHARES:
        return f"{value:.1%}"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
