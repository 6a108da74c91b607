"""From ratings to the score of each pair: the mean of the accepted raters, brought to a scale from 0 to 10."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from termgauge.studies.ratings import Ratings

TOP = 10
"""The highest score; the lowest is 0."""


def scores_of(ratings: Ratings, accepted: Sequence[str] | None = None) -> pl.DataFrame:
    """Return the score of each pair, from the first ratings of the accepted raters (all of them, if none are named).

    The columns are ``pair``, ``word1``, ``word2``, ``score`` (0 to 10), ``n`` (ratings), ``mean`` and ``sd`` (the
    sample standard deviation, null for one rating), both on the scale of the ratings. A pair that nobody rated has no
    score.

    Raises
    ------
    TermgaugeError
        If all ratings are equal and nothing says what the scale is.
    """
    import polars as pl

    low, high = ratings.scale
    if not low < high:
        raise TermgaugeError(f"All ratings are {low:g}, so the scale is not known; name it, such as scale=(0, 6).")
    answers = ratings.first_showings().drop_nulls("rating")
    if accepted is not None:
        answers = answers.filter(pl.col("rater").is_in(list(accepted)))
    value = pl.col("rating")
    by_pair = answers.group_by("pair").agg(n=pl.len().cast(pl.Int64), mean=value.mean(), sd=value.std())
    scored = ratings.pairs.join(by_pair, on="pair", how="left", maintain_order="left")
    score = (pl.col("mean") - low) * TOP / (high - low)
    return scored.with_columns(pl.col("n").fill_null(0), score=score).select(
        "pair", "word1", "word2", "score", "n", "mean", "sd"
    )
