"""Signs of careless rating, which are reported and decide nothing by themselves: runs, alternation, haste.

Every function takes what a rater said in the order in which the pairs were shown; None is a missing rating.
"""

from __future__ import annotations

from statistics import fmean, median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from termgauge.studies.ratings import Ratings

RUN = 10
"""So many equal ratings in a row are flagged."""
ALTERNATION = 10
"""So many answers that alternate strictly between two ratings are flagged."""
DIFFERENCE = 1.0
"""A mean difference between first and second ratings above this is flagged."""
FAST_SHARE = 1 / 3
"""Whose median time is below this share of the median rater's is flagged."""
FASTEST = 1.0
"""A median time below so many seconds is flagged, whatever others take: nobody reads two terms and answers so fast."""


class Carelessness(NamedTuple):
    """What is to be seen in the answers of one rater."""

    rater: str
    answers: int
    """Showings that were answered, second ones and missing ratings among them."""
    missing: int
    """Missing ratings."""
    used: int
    """How many different ratings were given."""
    longest_run: int
    alternation: int
    """The longest run of strict alternation between two ratings."""
    duplicates: int
    """Pairs that were rated twice."""
    self_consistency: float | None
    """The share of them with equal ratings."""
    self_difference: float | None
    """The mean absolute difference of their ratings."""
    seconds: float | None
    """The median time of an answer."""
    flags: tuple[str, ...]
    """What is conspicuous, each in a few words."""


def longest_run(ratings: Sequence[float | None]) -> int:
    """Return how many equal ratings in a row there are at most; missing ratings are passed over.

    >>> longest_run([0, 3, 3, None, 3, 0])
    3
    """
    longest = run = 0
    last: float | None = None
    for rating in (each for each in ratings if each is not None):
        run = run + 1 if rating == last else 1
        last, longest = rating, max(longest, run)
    return longest


def longest_alternation(ratings: Sequence[float | None]) -> int:
    """Return how many answers alternate strictly between two ratings at most; missing ratings are passed over.

    >>> longest_alternation([5, 1, 2, 1, 2, 2]), longest_alternation([4, 4, 4]), longest_alternation([1, 2])
    (4, 0, 2)
    """
    given = [each for each in ratings if each is not None]
    longest = run = 0
    for at in range(1, len(given)):
        goes_on = run >= 2 and given[at] == given[at - 2]
        run = 0 if given[at] == given[at - 1] else run + 1 if goes_on else 2
        longest = max(longest, run)
    return longest


def second_thoughts(twice: Sequence[tuple[float | None, float | None]]) -> tuple[int, float | None, float | None]:
    """Return how many pairs were rated twice, the share with equal ratings, and the mean absolute difference.

    >>> second_thoughts([(3, 3), (0, 2), (1, None)])
    (2, 0.5, 1.0)
    """
    both = [(one, other) for one, other in twice if one is not None and other is not None]
    if not both:
        return 0, None, None
    return len(both), fmean(one == other for one, other in both), fmean(abs(one - other) for one, other in both)


def carelessness_of(ratings: Ratings, groups: Mapping[str, str] | None = None) -> list[Carelessness]:
    """Return the signs of carelessness of each rater; `groups` says who rated together, else the table does."""
    by_rater = ratings.answers.group_by("rater", maintain_order=True).agg("pair", "rating", "kind", "seconds")
    times = {
        rater: median(known)
        for rater, seconds in by_rater.select("rater", "seconds").iter_rows()
        if (known := [each for each in seconds if each is not None])
    }
    typical = median(times.values()) if len(times) > 2 else None
    missing = _missing(ratings, groups)
    return [
        _signs(rater, pairs, given, kinds, missing.get(rater, 0), times.get(rater), typical)
        for rater, pairs, given, kinds, _seconds in by_rater.iter_rows()
    ]


def _missing(ratings: Ratings, groups: Mapping[str, str] | None) -> dict[str, int]:
    """Return how many ratings each rater left out, of pairs that somebody of the group rated."""
    import polars as pl

    first = ratings.first_showings()
    if groups is not None:
        first = first.with_columns(group=pl.col("rater").replace_strict(dict(groups), default=None))
    asked = first.filter(pl.col("rating").is_not_null()).select("group", "pair").unique()
    without = first.filter(pl.col("rating").is_null()).join(asked, on=["group", "pair"], how="semi", nulls_equal=True)
    return dict(without.group_by("rater").agg(pl.len().cast(pl.Int64)).iter_rows())


def _signs(
    rater: str,
    pairs: Sequence[str],
    given: Sequence[float | None],
    kinds: Sequence[str],
    missing: int,
    seconds: float | None,
    typical: float | None,
) -> Carelessness:
    first = {pair: rating for pair, rating, kind in zip(pairs, given, kinds, strict=True) if kind != "duplicate"}
    twice = [
        (first[pair], rating)
        for pair, rating, kind in zip(pairs, given, kinds, strict=True)
        if kind == "duplicate" and pair in first
    ]
    run, alternation = longest_run(given), longest_alternation(given)
    count, equal, difference = second_thoughts(twice)
    used = len({each for each in given if each is not None})
    flags = flags_of(run=run, alternation=alternation, difference=difference, seconds=seconds, typical=typical)
    return Carelessness(
        rater, len(given), missing, used, run, alternation, count, equal, difference, seconds, tuple(flags)
    )


def flags_of(
    *,
    run: int,
    alternation: int,
    difference: float | None = None,
    seconds: float | None = None,
    typical: float | None = None,
) -> list[str]:
    """Return what is conspicuous, each in a few words.

    >>> flags_of(run=12, alternation=0, difference=1.5)
    ['12 equal ratings in a row', 'second ratings differ by 1.5 on average']
    """
    flags = []
    if run >= RUN:
        flags.append(f"{run} equal ratings in a row")
    if alternation >= ALTERNATION:
        flags.append(f"{alternation} answers alternate between two ratings")
    if difference is not None and difference > DIFFERENCE:
        flags.append(f"second ratings differ by {difference:.1f} on average")
    if seconds is not None and seconds < max(FASTEST, FAST_SHARE * (typical or 0.0)):
        why = "too fast to read a pair" if typical is None else f"where others take {typical:.1f} s"
        flags.append(f"{seconds:.1f} s for an answer, {why}")
    return flags
