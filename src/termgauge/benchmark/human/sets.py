"""The human-rated sets by id: found in a folder of the user's, found in the cache, or downloaded.

A set is looked for in the folder that the caller names, in the folder named by ``TERMGAUGE_DATA_DIR``, then in the
cache; only then is it fetched from its public address. ``TERMGAUGE_MIRROR`` names another place to fetch from: a base
address (``https:``, ``http:`` or ``file:``) under which the files lie side by side under their public names.

One reader serves all layouts. The score of a pair is the mean of its ratings, computed in decimal so that equal means
are equal numbers: ties matter to rank correlation, and 1.55 computed in two ways must not become two numbers.
"""

from __future__ import annotations

import os
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING
from urllib.parse import quote

from termgauge.benchmark.human.catalogue import CATALOGUE, NAMESPACE, HumanSet
from termgauge.benchmark.pairset import PairSet, parse_score
from termgauge.benchmark.sets import Origin
from termgauge.display import Showing
from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.io.download import fetch
from termgauge.io.identity import sha256_of_bytes
from termgauge.io.store import sweep
from termgauge.io.tables import parse_table, table_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from termgauge.benchmark.human.catalogue import Layout

MIRROR_VARIABLE = "TERMGAUGE_MIRROR"


class HumanSets(Showing, list[HumanSet]):
    """Human-rated sets, in a list."""

    def _brief(self) -> str:
        return f"{len(self)} sets that people rated: {', '.join(entry.id.removeprefix('human/') for entry in self)}"

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each set: what it is, and whether it is at hand."""
        import polars as pl

        return pl.DataFrame([entry.row() for entry in self])


def human_sets() -> HumanSets:
    """Return all human-rated sets, at hand or not.

    Examples
    --------
    >>> [entry.id for entry in human_sets()][:2]
    ['human/hliaoutakis', 'human/minimayo-physicians']
    """
    return HumanSets(CATALOGUE)


def find_human(id: str) -> HumanSet:  # noqa: A002
    """Return the entry of one set, such as ``human/umnsrs-sim``; the part before the slash may be left out."""
    by_id = {entry.id: entry for entry in CATALOGUE}
    wanted = id if "/" in id else f"human/{id}"
    if wanted not in by_id:
        raise TermgaugeError(f"There is no human-rated set '{id}'; `termgauge sets` lists them.{_closest(wanted)}")
    return by_id[wanted]


def load_human(
    id: str,  # noqa: A002
    *,
    data_dir: str | os.PathLike[str] | None = None,
    download: bool = True,
    concepts: str | None = None,
) -> PairSet:
    """Load a human-rated set, downloading its file if it is not at hand.

    Parameters
    ----------
    id
        Such as ``human/umnsrs-sim``.
    data_dir
        A folder that may hold the file under its public name.
    download
        Whether the file may be downloaded.
    concepts
        Which concept ids to take where the file has several: ``umls``, ``mesh`` or ``snomed``; by default the
        system that leaves out the fewest.

    Raises
    ------
    TermgaugeError
        If there is no such set, or its file cannot be had or read.

    Warns
    -----
    TermgaugeWarning
        If the file in the user's folder is not the edition that termgauge knows; it is used all the same.
    """
    entry = find_human(id)
    path = entry.locate(data_dir)
    if path is None:
        if not download:
            raise TermgaugeError(f"The set '{entry.id}' is not at hand; {entry.by_hand}.")
        sweep(NAMESPACE)
        mirror = os.environ.get(MIRROR_VARIABLE)
        address = f"{mirror.rstrip('/')}/{quote(entry.file_name)}" if mirror else entry.address
        path = fetch(address, entry.cached, sha256=entry.sha256, size=entry.size, by_hand=entry.by_hand)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TermgaugeError(f"{path}: cannot be read ({error.strerror or error}).") from error
    pairs = read_rated_table(content, entry.layout, name=str(path), id=entry.id, system=concepts)
    sha256 = sha256_of_bytes(content)
    if sha256 != entry.sha256:
        warn(
            f"{path}: is another edition of '{entry.id}' than the one termgauge knows ({len(pairs):,} pairs instead of "
            f"{entry.pairs:,}, SHA-256 {sha256} instead of {entry.sha256}); it is used as it is."
        )
    return pairs


def _closest(wanted: str) -> str:
    """Compare without the part that all ids share, which would make any two look alike."""
    names = {entry.id.removeprefix("human/"): entry.id for entry in CATALOGUE}
    sentence = did_you_mean(wanted.rsplit("/", 1)[-1], names)
    return sentence.replace("mean '", "mean 'human/")


_ABSENT = frozenset({"", "None"})
"""How the files write that there is no concept id or no rating."""


def read_rated_table(content: bytes, layout: Layout, *, name: str, id: str, system: str | None = None) -> PairSet:  # noqa: A002
    """Read a table of rated pairs from the bytes of a file that messages call `name`.

    Concept ids are taken from `system`, or from the first that the layout declares.
    """
    import polars as pl

    concepts = _concept_columns(layout, system, id)
    wanted = [*layout.terms, *layout.ratings, *concepts]
    table = parse_table(table_text(content, name), name, wanted)
    table = replace(table, first=list(layout.columns) or table.first)
    for column in wanted:
        if table.find(column) is None:
            raise TermgaugeError(
                f"{name}, line 1: has no column '{column}' (it has {table.has()}); this is another file than its name "
                "says, so get it again."
            )
    rows = table.rows(header=not layout.columns)
    if not rows.lines:
        raise TermgaugeError(f"{name}: holds no pairs; get the file again.")
    cells = {
        column: [" ".join(cell.split()) for cell in rows.column(at)] for column, at in table.positions(wanted).items()
    }
    terms = {f"term_{number}": cells[column] for number, column in enumerate(layout.terms, 1)}
    for row, pair in enumerate(zip(*terms.values(), strict=True)):
        if not all(pair):
            raise TermgaugeError(f"{rows.where(row)}: a term is missing; get the file again.")
    ratings = zip(*(cells[column] for column in layout.ratings), strict=True)
    scores = [_mean(rated, rows.where(row)) for row, rated in enumerate(ratings)]
    ids = {
        f"concept_{number}": [None if cell in _ABSENT else cell for cell in cells[column]]
        for number, column in enumerate(concepts, 1)
    }
    frame = pl.DataFrame({**terms, "score": scores, **ids}).cast(dict.fromkeys(ids, pl.String))
    if len(layout.ratings) == 1:
        return PairSet(id, frame, Origin(human=True))
    by_rater = {rater: [None if cell in _ABSENT else float(cell) for cell in cells[rater]] for rater in layout.ratings}
    return PairSet(id, frame, Origin(human=True), pl.DataFrame(by_rater).cast(pl.Float64))


def _concept_columns(layout: Layout, system: str | None, id: str) -> Sequence[str]:  # noqa: A002
    if system is None:
        return next(iter(layout.concepts.values()), ())
    if system not in layout.concepts:
        has = f"only {', '.join(layout.concepts)}" if layout.concepts else "none"
        raise TermgaugeError(f"'{id}' has no '{system}' concept ids, {has}.{did_you_mean(system, layout.concepts)}")
    return layout.concepts[system]


def _mean(cells: Sequence[str], where: str) -> float:
    values = [cell for cell in cells if cell not in _ABSENT]
    for cell in values:
        if parse_score(cell) is None:
            raise TermgaugeError(f"{where}: the rating '{cell[:40]}' is no finite number; get the file again.")
    if not values:
        raise TermgaugeError(f"{where}: has no rating; get the file again.")
    # As written, so that a single rating is read like any other number.
    return float(sum(map(Decimal, values)) / len(values)) if len(values) > 1 else float(values[0])
