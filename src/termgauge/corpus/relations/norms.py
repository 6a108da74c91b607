"""Norms of free association (USF): which word people say first when they are given another.

The files of the University of South Florida are Latin-1 text inside of HTML, with a header ``CUE, TARGET, NORMED?, #G,
#P, FSG, BSG, …`` and commas between the fields; a table with the columns cue, target, g, p, fsg and bsg also does. A
row that is no row, as there are some, is passed over and counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from termgauge.corpus.pools import GENERAL
from termgauge.corpus.relations.resource import ASSOCIATED, Kind, Relations
from termgauge.exceptions import TermgaugeError, warn
from termgauge.io.decoding import decoded
from termgauge.plurals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from termgauge.corpus.options import PairOptions
    from termgauge.corpus.pools import Codes, Pool
    from termgauge.corpus.relations.resource import Speller
    from termgauge.io.source import SourceFile

COLUMNS = ("cue", "target", "g", "p", "fsg", "bsg")
ASKED = 10
"""More than so many people were given the cue."""
_NUMBER = re.compile(r"\d*\.?\d+|\d+\.")
_BEGINNING = 1 << 14


@dataclass(frozen=True, eq=False)
class Norms(Relations):
    """Cues and their answers."""

    rows: pl.DataFrame
    """``first`` (the cue), ``second`` (the answer), ``associated``: whether the row makes a pair."""

    @property
    def words(self) -> pl.Series:
        """All cues and answers."""
        return pl.concat([self.rows["first"], self.rows["second"].alias("first")])

    def related(self, pool: Pool, variants: pl.DataFrame) -> Mapping[str, Codes]:  # noqa: ARG002
        """Return the pairs with strength in both directions, from enough people."""
        return {ASSOCIATED: pool.pairs_of(self.rows.filter("associated"))}

    def listed(self, pool: Pool) -> Codes:
        """Return every pair that stands in the norms, whatever its numbers."""
        return pool.pairs_of(self.rows)


def _read(files: Sequence[SourceFile], spelled: Speller, options: PairOptions) -> Norms:
    rows = [row for file in files for row in _rows(file)]
    schema = dict.fromkeys(COLUMNS[:2], pl.String) | dict.fromkeys(COLUMNS[2:], pl.Float64)
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    enough = pl.col("g") > ASKED if options.min_producers is None else pl.col("p") >= options.min_producers
    associated = (enough & (pl.col("fsg") > 0) & (pl.col("bsg") > 0)).fill_null(value=False)
    cue, target = (spelled(frame[name].str.to_lowercase()) for name in COLUMNS[:2])
    return Norms(frame.select(first=cue, second=target, associated=associated))


def _rows(file: SourceFile) -> Iterator[tuple[str | float | None, ...]]:
    """Yield cue, target, #G, #P, FSG and BSG of each row after the header."""
    lines = enumerate(decoded(file.read(), file.label, otherwise="latin-1").splitlines(), 1)
    places, separator = None, ","
    for _at, line in lines:
        separator = "\t" if "\t" in line else ","
        if (places := _places(line, separator)) is not None:
            break
    if places is None:
        raise TermgaugeError(
            f"{file.label}: has no header that names the columns CUE, TARGET, #G, #P, FSG and BSG; put one above the "
            "rows, separated by commas or tabs."
        )
    odd: list[int] = []
    count = 0
    for number, line in lines:
        fields = [field.strip().strip('"') for field in line.split(separator)]
        if len(fields) > max(places) and fields[places[0]] and fields[places[1]]:
            cue, target, *numbers = (fields[place] for place in places)
            count += 1
            yield (cue, target, *(_number(each) for each in numbers))
        elif line.strip() and not line.lstrip().startswith("<"):
            odd.append(number)
    if not count:
        raise TermgaugeError(f"{file.label}: holds no row after its header; get the file again.")
    if odd:
        warn(
            f"{file.base}: {numbered(len(odd), 'line that is no row was', 'lines that are no rows were')} passed over "
            f"(the first is line {odd[0]})."
        )


def _places(line: str, separator: str) -> tuple[int, ...] | None:
    """Return where the columns are, if a line is the header."""
    names = [re.sub(r"[^a-z]", "", field.lower()) for field in line.split(separator)]
    return tuple(map(names.index, COLUMNS)) if set(COLUMNS) <= set(names) else None


def _number(text: str) -> float | None:
    """Return a number such as ``.197``; None for a yen sign or whatever else stands where there is none."""
    return float(text) if _NUMBER.fullmatch(text) else None


def _recognised(file: SourceFile) -> bool:
    lines = file.head(_BEGINNING).decode("latin-1").splitlines()
    return any(_places(line, "\t" if "\t" in line else ",") is not None for line in lines[:50])


KIND = Kind(
    name="norms",
    signs="norms of association with the columns CUE, TARGET, #G, #P, FSG and BSG",
    recognised=_recognised,
    read=_read,
    domains=(GENERAL,),
)
