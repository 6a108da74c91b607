"""Raters before agreement and scores: groups, who is left out, whose ratings are moved, and signs of carelessness.

Signs of carelessness are reported and decide nothing by themselves.
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import fmean, median
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import polars as pl

from termgauge.exceptions import warn_skipped
from termgauge.statistics.agreement import Rated, agreement_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.studies.ratings import Ratings

Rule = Literal["others", "simlex", "none"]
Groups = Literal["one", "sets"]
ONE = "1"
"""What the only group is called."""
LEAST_CONSISTENCY = 3
"""A correlation over fewer pairs is undefined: so few are no consistency set."""
LEAST_PANEL = 6
"""Among fewer raters the default rule leaves nobody out: it would leave out good ones too often."""
_ROUNDING = 1e-12


def groups_of(ratings: Ratings, how: Groups | None = None) -> dict[str, str]:
    """Return the group of each rater.

    A group that the table names counts. Otherwise raters with the same set of rated pairs are one group, and where
    that would leave any rater alone, all raters are one. ``one`` makes them one in any case, ``sets`` goes by the sets
    of rated pairs in any case.
    """
    raters = ratings.raters
    if how == "one":
        return dict.fromkeys(raters, ONE)
    if how is None and ratings.answers["group"].null_count() < ratings.answers.height:
        named = ratings.answers.group_by("rater", maintain_order=True).agg(ratings.answers["group"].name)
        return {rater: groups[0] or "–" for rater, groups in named.select("rater", "group").iter_rows()}
    rated = dict.fromkeys(raters, frozenset[str]())
    answers = ratings.first_showings().drop_nulls("rating").group_by("rater").agg("pair")
    rated |= {rater: frozenset(pairs) for rater, pairs in answers.iter_rows()}
    numbers = {each: str(number) for number, each in enumerate(dict.fromkeys(rated.values()), start=1)}
    found = {rater: numbers[rated[rater]] for rater in raters}
    sizes = list(found.values())
    if how is None and any(sizes.count(group) == 1 for group in numbers.values()):
        return dict.fromkeys(raters, ONE)
    return found


def rated_of(ratings: Ratings, groups: Mapping[str, str]) -> Rated:
    """Return first ratings as arrays: raters in order, items as the pairs stand, groups in order of appearance."""
    answers = ratings.first_showings().drop_nulls("rating")
    raters = pl.DataFrame({"rater": list(groups)}, schema={"rater": pl.String}).with_row_index("who")
    pairs = ratings.pairs.select("pair").with_row_index("item")
    placed = answers.join(raters, on="rater", maintain_order="left").join(pairs, on="pair", maintain_order="left")
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups.values()))}
    return Rated.from_ratings(
        placed["who"].to_numpy(),
        placed["item"].to_numpy(),
        placed["rating"].to_numpy(),
        [numbers[group] for group in groups.values()],
        ratings.pairs.height,
    )


def consistency_pairs(ratings: Ratings, rated: Rated, *, common: bool = False) -> NDArray[np.bool_] | None:
    """Return which pairs are the consistency set; None if there is none of three pairs or more.

    They are those whose kind says so, or with `common` those that raters of all groups rated.
    """
    if common:
        groups = len(np.unique(rated.groups))
        seen = np.unique(np.column_stack([rated.items, rated.groups[rated.raters]]), axis=0)[:, 0]
        chosen = np.bincount(seen, minlength=rated.n_items) == groups
    else:
        answers = ratings.answers
        marked = answers.filter(answers["kind"] == "consistency")["pair"].unique()
        chosen = ratings.pairs["pair"].is_in(marked.implode()).to_numpy()
    return chosen if chosen.sum() >= LEAST_CONSISTENCY else None


def small_panels(rated: Rated, consistency: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """Return which raters are judged among fewer than six: on a consistency set all are, else those of a group."""
    panels = rated.groups if consistency is None else np.zeros_like(rated.groups)
    return np.asarray(np.bincount(panels)[panels] < LEAST_PANEL)


def left_out(rated: Rated, rule: Rule | None, consistency: NDArray[np.bool_] | None) -> dict[int, str]:
    """Return who is left out, and why, in a few words.

    IAA-1 is taken on the consistency set, where all raters are one group, or on the group if there is none. ``others``:
    out if it is more than two population standard deviations of the other raters' below their mean. ``simlex``: out if
    it is more than one such deviation of all raters' below the mean of all. With either, out if it is undefined.
    Without a rule it is ``others``, but nobody is out of a panel of fewer than six raters.
    """
    if rule == "none":
        return {}
    judged = rated if consistency is None else rated.on(consistency)
    where = "the group" if consistency is None else "the consistency set"
    values = agreement_of(judged).rater_iaa1
    spared = small_panels(rated, consistency) if rule is None else np.zeros(len(values), np.bool_)
    found = {}
    for rater, value in enumerate(values):
        if spared[rater]:
            continue
        if math.isnan(value):
            found[rater] = f"IAA-1 on {where} is undefined"
            continue
        peers = (judged.groups == judged.groups[rater]) & ~np.isnan(values)
        if rule != "simlex":
            peers[rater] = False
        if not peers.any():
            continue
        limit = float(values[peers].mean() - (1 if rule == "simlex" else 2) * values[peers].std())
        if value < limit - _ROUNDING:
            found[rater] = f"IAA-1 on {where} is {value:.3f}, below {limit:.3f}"
    return found


def calibrated(
    ratings: Ratings, accepted: Sequence[str], consistency: NDArray[np.bool_] | None
) -> tuple[Ratings, dict[str, int]]:
    """Return ratings in which raters who rate high or low throughout are moved by 1, and who was moved by how much.

    It concerns accepted raters whose mean on the consistency set lies more than 1 from the mean of all such means;
    without such a set, on the pairs that all of them rated. Ratings at the end of the scale stay there.
    """
    first = ratings.first_showings().drop_nulls("rating").filter(pl.col("rater").is_in(list(accepted)))
    if consistency is None:
        shared = first.group_by("pair").len().filter(pl.col("len") == len(accepted))["pair"]
    else:
        shared = ratings.pairs["pair"].filter(pl.Series(consistency))
    means = dict(
        first.filter(pl.col("pair").is_in(shared.implode())).group_by("rater").agg(pl.col("rating").mean()).iter_rows()
    )
    if not means:
        warn_skipped("calibration", "Calibration is left out: no pair was rated by all raters.")
        return ratings, {}
    centre = sum(means.values()) / len(means)
    moves = {
        rater: -1 if means[rater] > centre else 1 for rater in accepted if abs(means.get(rater, centre) - centre) > 1
    }
    low, high = ratings.scale
    move = pl.col("rater").replace_strict(moves, default=0, return_dtype=pl.Float64)
    at_end = ((move > 0) & (pl.col("rating") >= high)) | ((move < 0) & (pl.col("rating") <= low))
    moved = pl.when(at_end).then("rating").otherwise((pl.col("rating") + move).clip(low, high))
    return replace(ratings, answers=ratings.answers.with_columns(rating=moved)), moves


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
