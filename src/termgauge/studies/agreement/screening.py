"""Raters before agreement and scores: groups, who is left out, whose ratings are moved, and signs of carelessness.

Signs of carelessness are reported and decide nothing by themselves.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import groupby
from statistics import fmean, median
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import polars as pl

from termgauge.exceptions import warn_skipped
from termgauge.statistics import student
from termgauge.statistics.agreement import Rated, agreement_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.studies.ratings import Ratings

Rule = Literal["others", "simlex", "none"]
Groups = Literal["one", "sets"]
ONE = "1"
LEAST_CONSISTENCY = 3
"""A correlation over fewer pairs is undefined: so few are no consistency set."""
LEAST_PANEL = 6
"""Among fewer raters the default rule leaves nobody out: it would leave out good ones too often."""
ERROR = 0.01
"""The level of the default rule. Values of raters are not quite normal, and it errs up to five times as often."""
_ROUNDING = 1e-12


def groups_of(ratings: Ratings, how: Groups | None = None) -> dict[str, str]:
    """Return the group of each rater: of the table, else by the set of rated pairs, else (a rater alone) all are one.

    ``one`` makes them one in any case, ``sets`` goes by the sets of rated pairs in any case.
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
    numbers = {pair_ids: str(number) for number, pair_ids in enumerate(dict.fromkeys(rated.values()), start=1)}
    by_rater = {rater: numbers[rated[rater]] for rater in raters}
    sizes = list(by_rater.values())
    if how is None and any(sizes.count(group) == 1 for group in numbers.values()):
        return dict.fromkeys(raters, ONE)
    return by_rater


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
    Without a rule it is ``others`` with a limit for the whole study, so that of equally good raters one is out in fewer
    than 5 % of studies (Grubbs' test of Fisher's z); and nobody is out of a panel of fewer than six raters.
    """
    if rule == "none":
        return {}
    judged = rated if consistency is None else rated.on(consistency)
    where = "the group" if consistency is None else "the consistency set"
    values = agreement_of(judged).rater_iaa1
    spared = small_panels(rated, consistency) if rule is None else np.zeros(len(values), np.bool_)
    scaled = np.arctanh(np.clip(values, -0.999, 0.999)) if rule is None else values
    reasons = {}
    for rater, value in enumerate(values):
        if spared[rater]:
            continue
        if math.isnan(value):
            reasons[rater] = f"IAA-1 on {where} is undefined"
            continue
        peers = (judged.groups == judged.groups[rater]) & ~np.isnan(values)
        if rule != "simlex":
            peers[rater] = False
        if not peers.any():
            continue
        limit = float(
            scaled[peers].mean() - _deviations(rule, int(peers.sum()), int((~spared).sum())) * scaled[peers].std()
        )
        if scaled[rater] < limit - _ROUNDING:
            limit = math.tanh(limit) if rule is None else limit
            reasons[rater] = f"IAA-1 on {where} is {value:.3f}, below {limit:.3f}"
    return reasons


def _deviations(rule: Rule | None, peers: int, judged: int) -> float:
    """Return how many standard deviations of their peers raters may be below them; so many raters are judged."""
    if rule is not None:
        return 1 if rule == "simlex" else 2
    if peers < 2:
        return math.inf
    return student.quantile(1 - ERROR / judged, peers - 1) * math.sqrt((peers + 1) / (peers - 1))


def calibration(ratings: Ratings, accepted: Sequence[str], consistency: NDArray[np.bool_] | None) -> dict[str, int]:
    """Return by how much the ratings of raters who rate high or low throughout are to be moved.

    It concerns accepted raters whose mean on the consistency set lies more than 1 from the mean of all such means;
    without such a set, on the pairs that all of them rated.
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
        return {}
    centre = sum(means.values()) / len(means)
    return {
        rater: -1 if means[rater] > centre else 1 for rater in accepted if abs(means.get(rater, centre) - centre) > 1
    }


def moved(ratings: Ratings, moves: Mapping[str, int]) -> Ratings:
    """Return ratings moved by so much for some raters; a rating at the end of the scale stays there."""
    if not moves:
        return ratings
    low, high = ratings.scale
    move = pl.col("rater").replace_strict(dict(moves), default=0, return_dtype=pl.Float64)
    return replace(ratings, answers=ratings.answers.with_columns(rating=(pl.col("rating") + move).clip(low, high)))


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
    answers: int = 0
    """Showings that were answered, second ones and missing ratings among them."""
    unknown: int = 0
    """Those with a missing rating."""
    missing: int = 0
    """First showings with a missing rating, of pairs that somebody of the group rated."""
    used: int = 0
    longest_run: int = 0
    alternation: int = 0
    """The longest run of strict alternation between two ratings."""
    duplicates: int = 0
    """Pairs that were rated twice, the share of them with equal ratings, and their mean absolute difference."""
    self_consistency: float | None = None
    self_difference: float | None = None
    seconds: float | None = None
    flags: tuple[str, ...] = ()


def longest_run(ratings: Iterable[float]) -> int:
    """Return how many equal ratings in a row there are at most.

    >>> longest_run([0, 3, 3, 3, 0])
    3
    """
    return max((len(list(run)) for _rating, run in groupby(ratings)), default=0)


def longest_alternation(ratings: Sequence[float]) -> int:
    """Return how many answers alternate strictly between two ratings at most.

    >>> longest_alternation([5, 1, 2, 1, 2, 2]), longest_alternation([4, 4, 4]), longest_alternation([1, 2])
    (4, 0, 2)
    """
    longest = run = 0
    for at in range(1, len(ratings)):
        goes_on = run >= 2 and ratings[at] == ratings[at - 2]
        run = 0 if ratings[at] == ratings[at - 1] else run + 1 if goes_on else 2
        longest = max(longest, run)
    return longest


def carelessness_of(ratings: Ratings, groups: Mapping[str, str] | None = None) -> list[Carelessness]:
    """Return the signs of carelessness of each rater; `groups` says who rated together, else the table does."""
    by_rater = ratings.answers.group_by("rater", maintain_order=True)
    medians = by_rater.agg(pl.col("seconds").median()).drop_nulls()
    times = dict(medians.iter_rows())
    typical = median(times.values()) if len(times) > 2 else None
    missing = _missing(ratings, groups)
    records = []
    for rater, pairs, answers, kinds in by_rater.agg("pair", "rating", "kind").iter_rows():
        rated = [rating for rating in answers if rating is not None]
        rows = list(zip(pairs, answers, kinds, strict=True))
        first = {pair: rating for pair, rating, kind in rows if kind != "duplicate" and rating is not None}
        again = [(pair, rating) for pair, rating, kind in rows if kind == "duplicate" and rating is not None]
        apart = [abs(first[pair] - rating) for pair, rating in again if pair in first]
        run, alternation, seconds = longest_run(rated), longest_alternation(rated), times.get(rater)
        equal, difference = (fmean(by == 0 for by in apart), fmean(apart)) if apart else (None, None)
        flags = flags_of(run, alternation, difference, seconds, typical)
        signs = Carelessness(
            rater, len(answers), len(answers) - len(rated), missing.get(rater, 0), len(set(rated)), run, alternation,
            len(apart), equal, difference, seconds, tuple(flags),
        )  # fmt: skip
        records.append(signs)
    return records


def _missing(ratings: Ratings, groups: Mapping[str, str] | None) -> dict[str, int]:
    """Return how many ratings each rater left out, of pairs that somebody of the group rated."""
    first = ratings.first_showings()
    if groups is not None:
        first = first.with_columns(group=pl.col("rater").replace_strict(dict(groups), default=None))
    asked = first.filter(pl.col("rating").is_not_null()).select("group", "pair").unique()
    without = first.filter(pl.col("rating").is_null()).join(asked, on=["group", "pair"], how="semi", nulls_equal=True)
    return dict(without.group_by("rater").agg(pl.len().cast(pl.Int64)).iter_rows())


def flags_of(
    run: int, alternation: int, difference: float | None, seconds: float | None, typical: float | None
) -> list[str]:
    """Return what is conspicuous, each in a few words.

    >>> flags_of(12, 0, 1.5, None, None)
    ['12 equal ratings in a row', 'second ratings differ by 1.5 on average']
    """
    slow = max(FASTEST, FAST_SHARE * (typical or 0.0))
    why = "too fast to read a pair" if typical is None else f"where others take {typical:.1f} s"
    signs = {
        f"{run} equal ratings in a row": run >= RUN,
        f"{alternation} answers alternate between two ratings": alternation >= ALTERNATION,
        f"second ratings differ by {difference or 0:.1f} on average": (difference or 0) > DIFFERENCE,
        f"{seconds or 0:.1f} s for an answer, {why}": seconds is not None and seconds < slow,
    }
    return [sign for sign, holds in signs.items() if holds]
