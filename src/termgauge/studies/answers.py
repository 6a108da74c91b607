"""The answers of a study as a table, the pairs on which raters disagree, and what was decided about them.

Raters stand in tables by their ids, never by their names. A decision stands beside the ratings and is never one of
them: agreement and scores do not know it.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from termgauge.studies.folder import Study
    from termgauge.studies.raters import Adjudication
    from termgauge.studies.study_file import StudyFile

COLUMNS = ("rater", "group", "page", "position", "pair", "word1", "word2", "rating", "kind", "seconds")
HISTORY_COLUMNS = (*COLUMNS, "revision", "given", "source")


def answer_table(study: Study, *, history: bool = False, include_left_out: bool = False) -> pl.DataFrame:
    """Return the answers so far, by rater, page and position; a rating that is null means "I do not know".

    With `history` also answers that were changed later, in the order in which they were given, with ``revision``, when
    ``given`` (UTC) and ``source`` (``page``, or the file it was imported from); with `include_left_out` also raters
    whom the administrator left out.
    """
    types = {
        "rater": pl.String, "group": pl.Int64, "page": pl.Int64, "position": pl.Int64, "rating": pl.Float64,
        "seconds": pl.Float64, "revision": pl.Int64, "given": pl.String, "source": pl.String,
    }  # fmt: skip
    with closing(study.store()) as store:
        raters = [each for each in store.raters() if include_left_out or each.state != "left_out"]
        groups = {rater.id: rater.group for rater in raters}
        # Rater by rater, and below column by column: a server that does this in a thread goes on answering.
        given = store.all_answers() if history else [each for rater in raters for each in store.answers(rater.id)]
    known = [each for each in given if each.rater in groups]
    columns = {
        name: [groups[each.rater] for each in known] if name == "group" else [getattr(each, name) for each in known]
        for name in types
    }
    frame = pl.DataFrame(columns, schema=types)
    shown = frame.join(study.layout, on=["group", "page", "position"], how="inner", maintain_order="left")
    worded = shown.join(study.pairs, on="pair", how="left", maintain_order="left")
    return worded.select(HISTORY_COLUMNS if history else COLUMNS)


def answer_text(table: pl.DataFrame) -> str:
    """Return a table of answers as tab-separated text with a header; whole numbers have no point."""
    columns = [
        [_number(value) for value in table[name]] if table.schema[name].is_float() else map(str, table[name])
        for name in table.columns
    ]
    lines = ("\t".join(row) for row in zip(*columns, strict=True))
    return "".join(f"{line}\n" for line in ("\t".join(table.columns), *lines))


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return str(int(value)) if value.is_integer() else repr(value)


FAR_APART = 0.5
"""Raters disagree on a pair if their ratings are so much of the scale apart, or more."""


@dataclass(frozen=True)
class Disagreement:
    """A pair on which raters disagree."""

    pair: int
    word1: str
    word2: str
    ratings: tuple[float, ...]
    """In ascending order."""
    decision: Adjudication | None
    """The last one."""


def disagreements(study: Study) -> list[Disagreement]:
    """Return the pairs on which raters who are not left out disagree, by the standard deviation of their ratings.

    Those that are not decided yet come first.
    """
    low, high = study.file.scale
    rating = pl.col("rating")
    given = study.ratings().first_showings().drop_nulls("rating").with_columns(pl.col("pair").cast(pl.Int64))
    found = (
        given.group_by("pair")
        .agg(ratings=rating.sort(), sd=rating.std(), apart=rating.max() - rating.min())
        .filter(pl.col("apart") >= FAR_APART * (high - low))
        .join(study.pairs, on="pair")
        .sort("sd", "pair", descending=[True, False])
    )
    with closing(study.store()) as store:
        decided = {each.pair: each for each in store.adjudications()}
    pairs = [
        Disagreement(pair, word1, word2, tuple(ratings), decided.get(pair))
        for pair, word1, word2, ratings in found.select("pair", "word1", "word2", "ratings").iter_rows()
    ]
    return sorted(pairs, key=lambda each: each.decision is not None)


def adjudication_table(study: Study, *, history: bool = False) -> pl.DataFrame:
    """Return what was decided about pairs, in their order; with `history` also decisions that were changed later.

    The columns are ``pair``, ``word1``, ``word2``, ``rating`` (null: not known), the ``answer`` in words, ``reason``
    and ``decided`` (when, UTC).
    """
    names = answer_names(study.file)
    types = {"pair": pl.Int64, "rating": pl.Float64, "answer": pl.String, "reason": pl.String, "decided": pl.String}
    with closing(study.store()) as store:
        rows = [(each.pair, each.rating, names.get(each.rating, ""), each.reason, each.decided)
                for each in store.adjudications()]  # fmt: skip
    frame = pl.DataFrame(rows, schema=types, orient="row")
    if not history:
        frame = frame.unique("pair", keep="last", maintain_order=True).sort("pair")
    worded = frame.join(study.pairs, on="pair", how="left", maintain_order="left")
    return worded.select("pair", "word1", "word2", "rating", "answer", "reason", "decided")


def answer_names(file: StudyFile) -> dict[float | None, str]:
    """Return what each answer is called, in the order in which they are shown, and at last "I do not know" (None)."""
    slider = file.widget == "slider"
    names: dict[float | None, str] = {
        each.value: f"{each.value:g} {each.label}" if slider else each.label for each in file.answers
    }
    return {**names, None: file.unknown}
