"""What a similarity study found beside agreement: disputed pairs, unknown words, times, changes by leaving out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.tasks.results import Finite, Record

if TYPE_CHECKING:
    import polars as pl

    from termgauge.studies.ratings import Ratings

MOST_DISPUTED = 25
MOVED = 0.5
"""A score that changes by so much of its 10 points has moved noticeably."""


class RatingCount(Record):
    """How often a rating was given."""

    rating: float
    count: int


class DisputedPair(Record):
    """A pair on which raters differ."""

    pair: str
    word1: str | None
    word2: str | None
    n: int
    mean: float
    sd: float
    """Sample standard deviation, on the scale of the ratings."""
    ratings: list[float]
    """In ascending order."""


class UnknownPair(Record):
    """A pair of which some raters do not know a word."""

    pair: str
    word1: str | None
    word2: str | None
    unknown: int
    asked: int


class RaterTime(Record):
    """How long a rater took for a pair, in seconds."""

    rater: str
    pairs: int
    median: float
    low: float
    """A quarter of the pairs took less."""
    high: float
    """A quarter of the pairs took more."""


class MovedPair(Record):
    """A pair whose score changes when raters are left out."""

    pair: str
    word1: str | None
    word2: str | None
    before: float
    after: float


class ScoreChange(Record):
    """What leaving raters out changes in the scores, on their scale from 0 to 10."""

    raters: list[str]
    """Who was left out."""
    pairs: int
    """With a score before and after."""
    lost: int
    """Pairs that had ratings of these raters only."""
    moved: int
    """Pairs whose score, with two decimals, is another one."""
    moved_noticeably: int
    """Pairs whose score moves by at least half a point."""
    mean: Finite
    """Of the absolute changes."""
    largest: Finite
    spearman: Finite
    """Of the scores before and after."""
    most: list[MovedPair]
    """Those that move most."""


class Findings(Record):
    """What a similarity study found beside agreement, by the raters who are accepted."""

    ratings: list[RatingCount]
    mean_sd: Finite
    """Mean over pairs of the sample standard deviation of their ratings."""
    disputed: list[DisputedPair]
    unknown: list[UnknownPair]
    times: list[RaterTime]
    change: ScoreChange


def findings_of(everybody: Ratings, counting: Ratings, before: pl.DataFrame, after: pl.DataFrame) -> Findings:
    """Return what was found.

    Parameters
    ----------
    everybody
        What all raters said.
    counting
        The ratings that count.
    before, after
        The scores by all raters and by those who count: ``pair``, ``word1``, ``word2``, ``score``, ``n``, ``mean``,
        ``sd``.
    """
    kept = counting.first_showings()
    counts = kept.drop_nulls("rating").group_by("rating").len().sort("rating")
    gone = [rater for rater in everybody.raters if rater not in set(counting.raters)]
    return Findings(
        ratings=[RatingCount(rating=rating, count=count) for rating, count in counts.rows()],
        mean_sd=_number(after["sd"].drop_nulls().mean()),
        disputed=_disputed(kept, after),
        unknown=_unknown(everybody.first_showings(), everybody.pairs),
        times=_times(everybody.answers),
        change=_change(gone, before, after),
    )


def _disputed(kept: pl.DataFrame, scores: pl.DataFrame) -> list[DisputedPair]:
    import polars as pl

    said = kept.drop_nulls("rating").group_by("pair").agg(ratings=pl.col("rating").sort())
    most = scores.filter(pl.col("sd") > 0).sort("sd", "n", descending=True, maintain_order=True).head(MOST_DISPUTED)
    return [DisputedPair(**row) for row in most.join(said, on="pair", how="left", maintain_order="left").to_dicts()]


def _unknown(first: pl.DataFrame, pairs: pl.DataFrame) -> list[UnknownPair]:
    import polars as pl

    counts = first.group_by("pair").agg(unknown=pl.col("rating").null_count(), asked=pl.len())
    found = pairs.join(counts.filter(pl.col("unknown") > 0), on="pair", how="inner", maintain_order="left")
    found = found.sort("unknown", descending=True, maintain_order=True)
    return [UnknownPair(**row) for row in found.select("pair", "word1", "word2", "unknown", "asked").to_dicts()]


def _times(answers: pl.DataFrame) -> list[RaterTime]:
    import polars as pl

    seconds = pl.col("seconds")
    found = (
        answers.drop_nulls("seconds")
        .group_by("rater", maintain_order=True)
        .agg(pairs=pl.len(), median=seconds.median(), low=seconds.quantile(0.25), high=seconds.quantile(0.75))
    )
    return [RaterTime(**row) for row in found.to_dicts()]


def _change(left_out: list[str], before: pl.DataFrame, after: pl.DataFrame) -> ScoreChange:
    import polars as pl

    from termgauge.statistics.correlation import spearman

    both = before.drop_nulls("score").join(
        after.drop_nulls("score").select("pair", after="score"), on="pair", how="inner", maintain_order="left"
    )
    both = both.with_columns(by=(pl.col("after") - pl.col("score")).abs())
    printed = pl.col("after").round(2) != pl.col("score").round(2)
    most = both.filter(pl.col("by") > 0).sort("by", descending=True, maintain_order=True).head(MOST_DISPUTED)
    return ScoreChange(
        raters=left_out,
        pairs=both.height,
        lost=before["score"].count() - both.height,
        moved=both.filter(printed).height,
        moved_noticeably=both.filter(pl.col("by") >= MOVED).height,
        mean=_number(both["by"].mean()),
        largest=_number(both["by"].max()),
        spearman=spearman(both["after"].to_numpy(), both["score"].to_numpy()) if both.height > 2 else None,
        most=[MovedPair(**row) for row in most.select("pair", "word1", "word2", "after", before="score").to_dicts()],
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
