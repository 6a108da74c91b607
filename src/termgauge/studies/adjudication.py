"""Pairs on which raters disagree, and what the administrator decided about them.

A decision stands beside the ratings and is never one of them: agreement and scores do not know it.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from termgauge.studies.folder import Study
    from termgauge.studies.raters import Adjudication
    from termgauge.studies.study_file import StudyFile

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
    import polars as pl

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
    import polars as pl

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
