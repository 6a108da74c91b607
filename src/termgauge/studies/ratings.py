"""Ratings of pairs, read from the tables in which they travel.

Three forms are told apart by their columns: the answers of a study, a long table with one row for each rating, and a
matrix with one column for each rater. All become the same two frames, in the order in which each rater met the pairs.
Whatever a cell may be wrong in is looked at once for each different text, so that a million rows cost little.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from termgauge.benchmark.pairset import parse_score
from termgauge.benchmark.rating_matrix import minus_one_is_missing, read_matrix
from termgauge.display import Showing
from termgauge.exceptions import TermgaugeError
from termgauge.io.source import only_file
from termgauge.io.tables import parse_table, table_text
from termgauge.plurals import numbered
from termgauge.studies.options import checked_scale

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from termgauge.benchmark.rating_matrix import RatingMatrix
    from termgauge.io.tables import Rows
    from termgauge.reporting.blocks import Section

_TYPES = {"group": pl.String, "page": pl.Int64, "position": pl.Int64, "seconds": pl.Float64}
KINDS = ("unique", "consistency", "duplicate")
"""What a showing is for: a pair of one group, a pair that all groups rate, a pair that a rater sees again."""


@dataclass(frozen=True, eq=False, repr=False)
class Ratings(Showing):
    """What raters said to pairs.

    Parameters
    ----------
    pairs
        ``pair`` (text, each once), ``word1`` and ``word2`` (null where they are not known), in order.
    answers
        One row for each showing that was answered: ``rater``, ``group`` (text or null), ``page``, ``position`` (whole
        numbers or null), ``pair``, ``rating`` (null if the rater gave none: "I do not know"), ``kind`` (``unique``,
        ``consistency`` or ``duplicate``) and ``seconds`` (null where not known), in the order in which each rater met
        them.
    scale
        The lowest and the highest rating.
    notes
        What was decided in reading, in sentences.
    """

    pairs: pl.DataFrame
    answers: pl.DataFrame
    scale: tuple[float, float]
    notes: tuple[str, ...] = ()

    def _shown(self) -> Section:
        from termgauge.studies.status import ratings_section

        return ratings_section(self)

    def _brief(self) -> str:
        low, high = self.scale
        raters = self.answers["rater"].n_unique()
        of = f"{numbered(self.pairs.height, 'pair')} by {numbered(raters, 'rater')}"
        return f"ratings: {self.count:,} of {of}, scale {low:g} to {high:g}"

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each showing that was answered, with the words of its pair."""
        return self.answers.join(self.pairs, on="pair", how="left", maintain_order="left")

    @property
    def count(self) -> int:
        """How many ratings there are; second showings and missing ratings do not count."""
        return self.first_showings()["rating"].count()

    @property
    def raters(self) -> list[str]:
        """The raters, in the order in which they first appear."""
        return self.answers["rater"].unique(maintain_order=True).to_list()

    def first_showings(self) -> pl.DataFrame:
        """Return the answers without second showings: each rater and pair at most once."""
        return self.answers.filter(self.answers["kind"] != "duplicate")

    def of_raters(self, raters: Sequence[str]) -> Ratings:
        """Return what some of the raters said; the pairs stay."""
        return replace(self, answers=self.answers.filter(self.answers["rater"].is_in(list(raters))))


def read_ratings(
    path: str | os.PathLike[str],
    *,
    scale: tuple[float, float] | None = None,
    raters: Sequence[str] | None = None,
) -> Ratings:
    """Read ratings in any of three forms, which are told apart by their columns.

    - the answers of a study: ``rater group page position pair word1 word2 rating kind seconds``;
    - a long table: ``pair rater rating``;
    - a matrix: ``word1 word2`` and one column for each rater, with or without a header; each row is a pair.

    Columns are separated by tabs, commas or semicolons. A missing rating is an empty field, ``NA`` or, where the scale
    does not have it, ``-1``. A rater who saw a pair twice is taken by the first rating.

    Parameters
    ----------
    path
        The file, which may be compressed.
    scale
        The lowest and the highest rating; without it, those that occur.
    raters
        In a matrix, the columns that hold ratings; without it, they are found.

    Raises
    ------
    TermgaugeError
        If the file is no such table, or a rating lies outside the scale.
    """
    file = only_file(path, "table of ratings")
    return parse_ratings(table_text(file.read(), file.label), file.label, scale=checked_scale(scale), raters=raters)


_NAMES = {
    "pair": ("pair", "pair_id", "item", "unit"),
    "rater": ("rater", "rater_id", "annotator", "coder"),
    "rating": ("rating", "score", "value"),
    **{name: (name,) for name in ("word1", "word2", "group", "page", "position", "kind", "seconds")},
}


def parse_ratings(
    text: str, name: str, *, scale: tuple[float, float] | None = None, raters: Sequence[str] | None = None
) -> Ratings:
    """Make ratings of the text of a table that messages call `name`."""
    table = parse_table(text, name)
    columns = {column: at for column, names in _NAMES.items() if (at := table.find(*names)) is not None}
    if {"rater", "rating"} <= columns.keys() and ("pair" in columns or {"word1", "word2"} <= columns.keys()):
        return _long(table.rows(header=True), columns, scale)
    return _matrix(read_matrix(table, raters), name, scale)


def _matrix(table: RatingMatrix, name: str, scale: tuple[float, float] | None) -> Ratings:
    rows = table.pairs.select("pair").with_columns(pl.Series("line", table.lines, pl.Int64))
    wide = rows.hstack(table.ratings.rename(lambda rater: f"rater {rater}"))
    answers = wide.unpivot(index=["pair", "line"], variable_name="rater", value_name="rating")
    answers = answers.with_columns(pl.col("rater").str.strip_prefix("rater "))
    return _made(table.pairs.unique("pair", keep="first", maintain_order=True), answers, name, scale, table.notes)


def _long(rows: Rows, columns: dict[str, int], scale: tuple[float, float] | None) -> Ratings:
    name = rows.label
    if not rows.lines:
        raise TermgaugeError(f"{name}: has a header and no row; a table of ratings has one row for each rating.")
    frame = pl.DataFrame({field: rows.column(index) for field, index in columns.items()})
    if "pair" not in columns:
        frame = frame.with_columns(pair=pl.concat_str("word1", "word2", separator=" / "))
    frame = frame.with_columns(line=pl.Series(rows.lines, dtype=pl.Int64))
    for column in ("rater", "pair"):
        _refuse(frame, pl.col(column) == "", name, f"the {column} is missing; write it into the column '{column}'")
    wrong = {
        "rating": (parse_score, "rating is no number"),
        "page": (_whole, "page is no whole number"),
        "position": (_whole, "position is no whole number"),
        "seconds": (parse_score, "seconds are no number"),
    }
    answers = frame.with_columns(
        _parsed(frame[field], parse, frame["line"], name, sentence).cast(_TYPES.get(field, pl.Float64)).alias(field)
        for field, (parse, sentence) in wrong.items()
        if field in columns
    )
    if "kind" in columns:
        _refuse(answers, ~pl.col("kind").is_in(KINDS), name, f"the kind must be {', '.join(KINDS[:-1])} or {KINDS[-1]}")
    words = [
        pl.col(field) if field in columns else pl.lit(None, pl.String).alias(field) for field in ("word1", "word2")
    ]
    pairs = frame.unique("pair", keep="first", maintain_order=True).select("pair", *words)
    return _made(pairs, answers, name, scale)


def _parsed(
    cells: pl.Series, parse: Callable[[str], float | None], lines: pl.Series, name: str, wrong: str
) -> pl.Series:
    """Return cells as numbers, null where they are empty or NA; each different text is parsed once."""
    texts = cells.unique(maintain_order=True)
    numbers = {text: None if text in ("", "NA") else parse(text) for text in texts}
    bad = [text for text, number in numbers.items() if number is None and text not in ("", "NA")]
    if bad:
        row = int(cells.is_in(bad).arg_true()[0])
        raise TermgaugeError(
            f"{name}, line {lines[row]:,}: the {wrong} ({cells[row][:40]!r}); "
            "leave the field empty where there is none."
        )
    values = pl.DataFrame({"text": texts, "number": pl.Series(list(numbers.values()), dtype=pl.Float64)})
    return cells.to_frame("text").join(values, on="text", how="left", maintain_order="left")["number"]


def _whole(text: str) -> float | None:
    value = parse_score(text)
    return value if value is not None and value == int(value) and abs(value) < 1 << 53 else None


def _made(
    pairs: pl.DataFrame,
    answers: pl.DataFrame,
    name: str,
    scale: tuple[float, float] | None,
    notes: tuple[str, ...] = (),
) -> Ratings:
    """Tell ratings from missing ones, check them against the scale, and bring them into the order of each rater."""
    if minus_one_is_missing(answers["rating"].drop_nulls().to_numpy(), scale):
        answers = answers.with_columns(pl.when(pl.col("rating") != -1).then("rating"))
    values = answers["rating"].drop_nulls()
    if not len(values):
        raise TermgaugeError(f"{name}: holds no rating at all; check that this is the file you meant.")
    if scale is None:
        scale = (float(values.min()), float(values.max()))  # type: ignore[arg-type]
        notes = (*notes, f"The scale is taken to be {scale[0]:g} to {scale[1]:g}, the lowest and highest rating found.")
    outside = (pl.col("rating") < scale[0]) | (pl.col("rating") > scale[1])
    _refuse(answers, outside, name, f"the rating lies outside the scale {scale[0]:g} to {scale[1]:g}")
    return Ratings(pairs, ordered(answers, name), scale, notes)


def ordered(answers: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return answers with all columns, rater by rater in the order of pages; a pair seen again is a duplicate."""
    absent = [pl.lit(None, kind).alias(column) for column, kind in _TYPES.items() if column not in answers.columns]
    kind = pl.col("kind") if "kind" in answers.columns else pl.lit("unique").alias("kind")
    answers = answers.with_columns(*absent, kind).with_columns(pl.when(pl.col("group") != "").then("group"))
    several = answers.filter(pl.col("group").n_unique().over("rater") > 1)
    if several.height:
        first = several.filter(pl.col("rater") == several["rater"][0])
        other = first.filter(first["group"].ne_missing(first["group"][0]))["line"][0]
        raise TermgaugeError(
            f"{name}, line {other:,}: puts the rater '{first['rater'][0][:40]}' into another group than line "
            f"{first['line'][0]:,}; a rater belongs to one group."
        )
    answers = answers.with_row_index("at").with_columns(pl.col("at").min().over("rater").alias("met"))
    answers = answers.sort("met", "page", "position", "at", nulls_last=True)
    again = pl.int_range(pl.len()).over("rater", "pair") > 0
    return answers.with_columns(pl.when(again).then(pl.lit("duplicate")).otherwise("kind").alias("kind")).select(
        "rater", "group", "page", "position", "pair", "rating", "kind", "seconds"
    )


def _refuse(frame: pl.DataFrame, bad: pl.Expr, name: str, why: str) -> None:
    if len(rows := frame.select(bad.fill_null(value=False).arg_true()).to_series()):
        more = f" (and {len(rows) - 1:,} more such rows)" if len(rows) > 1 else ""
        raise TermgaugeError(f"{name}, line {frame['line'][rows[0]]:,}: {why}{more}.")
