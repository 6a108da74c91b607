"""Agreement as sections of a document: summary, figures and tables."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import polars as pl

from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import (
    Cell,
    Column,
    Document,
    Fact,
    Figure,
    Interval,
    NumberColumn,
    Prose,
    Section,
    Table,
)
from termgauge.reporting.plots import bars
from termgauge.reporting.plots.canvas import ACCENT, MUTED, KeyEntry
from termgauge.reporting.plots.dots import Dot, DotPanel, DotPlot
from termgauge.reporting.words import bold, capitalised, count, counted, decimal, listed, number, plain, some_of
from termgauge.studies.agreement.compute import NO_ENDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.studies.agreement.compute import AgreementResult, GroupAgreement, RaterAgreement
    from termgauge.tasks.results import Ends

_MANY_ROWS, _RANGES = 15, 10
RULES = {
    "others": "more than two standard deviations below the mean of the other raters",
    "simlex": "more than one standard deviation below the mean of all raters",
    "default": "further below the mean of the other raters than chance explains",
}
_LEVELS = {"nominal": "equal or not", "ordinal": "ranks", "interval": "distances"}
MOST_RATERS = 40
"""Of more raters, only the extreme ones are drawn."""


def agreement_document(result: AgreementResult, title: str = "Agreement of raters") -> Document:
    """Return agreement as a whole document."""
    low, high = result.scale
    facts = (
        Fact("Raters", number(result.raters)),
        Fact("Pairs", number(result.pairs)),
        Fact("Ratings", f"{number(result.ratings)}, from {low:g} to {high:g}"),
        Fact("Groups", number(result.groups)),
    )
    return Document(title, tuple(_summary(result)), facts, tuple(agreement_sections(result)))


def agreement_sections(result: AgreementResult) -> list[Section]:
    """Return agreement as sections of a document."""
    blocks: list[Block] = [Prose(tuple(_lead(result))), _values(result)]
    if result.groups > 1:
        blocks.append(_groups(result))
    people: list[Block] = [_raters(result)]
    if any(rater.iaa1 is not None for rater in result.per_rater):
        people.insert(0, rater_figure(result))
    if result.reasons:
        people.insert(0, _out(result))
    return [
        Section("agreement", "Agreement", tuple(blocks)),
        Section("raters", "Raters", tuple(people)),
        Section("ratings", "Ratings", (distribution_figure(result),)),
        Section("reliability", "What the ratings are good for", (_reliability(result), _plan(result))),
    ]


def _summary(result: AgreementResult) -> Iterator[str]:
    if result.iaa1 is None:
        yield "Agreement is undefined: no two raters have three pairs in common on which both vary."
    else:
        yield (
            f"Raters agree with each other by **{decimal(result.iaa1, 2)}** (IAA-1) and with the mean of the others by "
            f"**{decimal(result.iaa2, 2)}** (IAA-2)."
        )
    if result.reliability.ceiling is not None:
        yield (
            f"A model can be expected to reach a correlation of at most **{decimal(result.reliability.ceiling, 2)}** "
            "with the mean ratings."
        )


def _lead(result: AgreementResult) -> Iterator[str]:
    where = (
        f"on the {counted(result.consistency, 'pair')} of the consistency set"
        if result.consistency
        else "on the pairs of the group"
    )
    yield (
        "IAA-1 is the mean of Spearman's rho over all pairs of raters of a group, IAA-2 the mean rho of each rater "
        "with the mean rating of the others. Intervals (95 %) are over pairs: they say what other pairs of the same "
        "kind would have shown for these raters."
    )
    rule = RULES.get("default" if result.least_panel else result.rule, "")
    if result.rule == "none":
        yield "Nobody is left out, as asked for."
    elif result.left_out:
        yield (
            f"{capitalised(some_of(len(result.left_out), result.raters, 'rater'))} "
            f"{plural(len(result.left_out), 'is', 'are')} left out: IAA-1 {where} is {rule}, or undefined."
        )
    else:
        panel = f"in a panel of at least {count(result.least_panel)} " if result.least_panel else ""
        yield f"Nobody is left out: no rater {panel}has an IAA-1 {where} that is {rule}, or undefined."
    if result.undefined:
        undefined = counted(result.undefined, "pair")
        yield f"The correlation of {undefined} of raters is undefined and left out of the means."
    if result.moved:
        yield f"Calibration moved the ratings of {listed(bold(rater) for rater in result.moved)} by one step."
    if result.alpha_undefined:
        yield f"Krippendorff's alpha is undefined: {result.alpha_undefined}."
    yield from map(plain, result.notes)


def _values(result: AgreementResult) -> Table:
    ends = result.intervals
    rows = [
        (name, getattr(result, key), getattr(ends, key), getattr(result.before, key), ends.before.get(key, NO_ENDS))
        for name, key in (("IAA-1", "iaa1"), ("IAA-2", "iaa2"))
    ]
    for level, meaning in _LEVELS.items():
        after, every = (getattr(values, level) for values in (result.alpha_after, result.alpha))
        after_ends, every_ends = (intervals.get(level, NO_ENDS) for intervals in (ends.alpha_after, ends.alpha))
        rows.append((f"Krippendorff's alpha, {level} ({meaning})", after, after_ends, every, every_ends))
    names = ["statistic", "accepted", "low", "high", "all", "all_low", "all_high"]
    flat = [(name, after, *after_ends, every, *every_ends) for name, after, after_ends, every, every_ends in rows]
    return Table.from_rows(
        "agreement-values",
        "Agreement of the raters, without those who are left out and of all.",
        ("Statistic", NumberColumn("Accepted raters"), NumberColumn("All raters")),
        ((row[0], _cell(*row[1:3]), _cell(*row[3:])) for row in rows),
        sortable=False,
        data=pl.DataFrame(flat, schema=names, orient="row"),
    )


def _cell(value: float | None, ends: Ends) -> Cell:
    return Cell.number(value, interval=Interval.known(*ends))


def _both(agreed: RaterAgreement | GroupAgreement) -> tuple[Cell, Cell]:
    return _cell(agreed.iaa1, agreed.iaa1_interval), _cell(agreed.iaa2, agreed.iaa2_interval)


def _groups(result: AgreementResult) -> Table:
    return Table.from_rows(
        "agreement-groups",
        "Agreement within groups, without those who are left out.",
        ("Group", Column.count("Raters"), Column.count("Pairs"), NumberColumn("IAA-1"), NumberColumn("IAA-2")),
        ((group.group, group.raters, group.pairs, *_both(group)) for group in result.per_group),
        folded=result.groups > _MANY_ROWS,
    )


def _out(result: AgreementResult) -> Table:
    groups = {rater.rater: rater.group for rater in result.per_rater}
    rows = ((rater, groups[rater], why) for rater, why in result.reasons.items())
    caption, folded = "Who is left out, and why.", len(result.reasons) > _MANY_ROWS
    return Table.from_rows("left-out", caption, ("Rater", "Group", "Why"), rows, folded=folded)


def _raters(result: AgreementResult) -> Table:
    again = any(rater.self_consistency is not None for rater in result.per_rater)
    timed = any(rater.seconds is not None for rater in result.per_rater)
    columns = [
        "Rater",
        "Group",
        NumberColumn("IAA-1", note="With each of the other raters, on average"),
        NumberColumn("IAA-2", note="With the mean of the others"),
        Column.count("Ratings"),
        Column.count("Missing"),
        Column.count("Values used", note="How many different ratings"),
        Column.count("Longest run", note="Equal ratings in a row"),
        *[Column.share("Same again", note="Share of pairs seen twice with equal ratings")] * again,
        *[NumberColumn("Seconds", note="Median time of an answer")] * timed,
        "Conspicuous",
    ]
    rows = [
        (
            f"{rater.rater} (left out)" if rater.rater in result.left_out else rater.rater, rater.group, *_both(rater),
            rater.ratings, rater.missing, rater.used, rater.longest_run, *[rater.self_consistency] * again,
            *[Cell.number(rater.seconds, 1, top=None)] * timed, "; ".join(rater.flags),
        )
        for rater in result.per_rater
    ]  # fmt: skip
    return Table.from_rows(
        "raters",
        "What is known of each rater, before anybody is left out.",
        columns,
        rows,
        notes=("Runs are counted in the order of pages, or of the file if it has no pages.",),
        data=result.to_frame(),
        folded=result.raters > MOST_RATERS,
    )


def _reliability(result: AgreementResult) -> Table:
    reliability = result.reliability
    ceiling = Interval.known(*result.intervals.ceiling)
    rows = [
        ("Ratings of a pair", reliability.ratings_per_pair, "the harmonic mean"),
        ("What a single person reaches", result.iaa2, "IAA-2: a rater against the mean of the others"),
        ("Reliability of one rating", reliability.single, "the share of its variance that is not noise"),
        ("Reliability of the mean rating", reliability.mean, "split halves of raters, stepped up (Spearman-Brown)"),
        ("Ceiling of a model's correlation", reliability.ceiling, "with the mean ratings, by Spearman"),
        ("Variance between pairs", reliability.pair_variance, "on the scale of the ratings"),
        ("Variance within pairs", reliability.within_variance, "between raters of the same pair"),
        (
            "Of that, between raters",
            reliability.rater_variance,
            "some rate higher; known if a group rated the same pairs",
        ),
    ]

    def cell(name: str, value: float | None) -> Cell:
        top = 1.0 if value is not None and value < 1 else None
        return Cell.number(value, top=top, interval=ceiling if name.startswith("Ceiling") else None)

    return Table.from_rows(
        "reliability",
        "Reliability of the ratings of the accepted raters.",
        ("What", NumberColumn("Value"), "Meaning"),
        ((name, cell(name, value), meaning) for name, value, meaning in rows),
        notes=(
            "The ceiling is what a model reaches that knows what raters agree on and nothing of their noise.",
            "It supposes true scores that are spread as the ratings say; its interval holds what that leaves open.",
        ),
        sortable=False,
    )


def _plan(result: AgreementResult) -> Table:
    plan, per_pair, ends = result.plan, result.reliability.ratings_per_pair, result.intervals
    raters = "–" if plan.raters_per_pair is None else f"{numbered(plan.raters_per_pair, 'rater')} of each pair"
    have = "–" if per_pair is None else f"{per_pair:.3g}"
    rows = [("the score of a typical pair (0 to 10)", 2, plan.score_width, plan.width, raters, have)]
    for name, width, pairs in (
        ("IAA-1", _width(ends.iaa1), plan.iaa1_pairs),
        ("IAA-2", _width(ends.iaa2), plan.iaa2_pairs),
        (f"a model's correlation of {plan.model_rho:g}", plan.model_width, plan.model_pairs),
    ):
        takes = "–" if pairs is None else numbered(pairs, "pair")
        rows.append((name, 3, width, plan.rho_width, takes, number(result.pairs)))
    return Table.from_rows(
        "plan",
        "What intervals are, and what it would take to bring them to the wanted width.",
        ("Interval (95 %) of", NumberColumn("Width now"), NumberColumn("Wanted"), "It takes", "There are"),
        (
            (name, *(Cell.number(width, digits, top=None) for width in (now, wanted)), takes, there)
            for name, digits, now, wanted, takes, there in rows
        ),
        notes=(
            "The interval of a score narrows with the square root of the raters.",
            "The other intervals narrow with the square root of the pairs.",
        ),
        sortable=False,
    )


def _width(ends: Ends) -> float | None:
    low, high = ends
    return None if low is None or high is None else high - low


def rater_figure(result: AgreementResult) -> Figure:
    """Return a plot of the agreement of each rater, the highest first."""
    raters = sorted(
        (rater for rater in result.per_rater if rater.iaa1 is not None), key=lambda rater: -(rater.iaa1 or 0)
    )
    half, some = MOST_RATERS // 2, ""
    shown = raters
    if len(raters) > MOST_RATERS:
        shown = [*raters[:half], *raters[-half:]]
        some = f" Of {number(len(raters))} raters, the {half} highest and the {half} lowest."

    def dots(name: str) -> dict[str, list[Dot]]:
        drawn = {}
        for rater in shown:
            value, (low, high) = getattr(rater, name), getattr(rater, f"{name}_interval")
            out = rater.rater in result.left_out
            if value is not None:
                tip = f"{rater.rater}: {decimal(value, 3)}{', left out' if out else ''}"
                colour, shape = (MUTED, "diamond") if out else (ACCENT, "circle")
                drawn[rater.rater] = [Dot(value, low, high, colour, shape, tip)]
        return drawn

    panels = [
        DotPanel(("IAA-1", "with each other rater"), dots("iaa1"), result.before.iaa1),
        DotPanel(("IAA-2", "with the mean of the others"), dots("iaa2"), result.before.iaa2),
    ]
    key = [KeyEntry("accepted", ACCENT), KeyEntry("left out", MUTED, "diamond")] if result.left_out else []
    plot = DotPlot(panels, [rater.rater for rater in shown], "Spearman's rho", tuple(key), most=1.0)
    lowest, highest = raters[-1], raters[0]
    rows = [
        (rater.rater, rater.group, rater.iaa1, *rater.iaa1_interval, rater.iaa2, *rater.iaa2_interval)
        for rater in shown
    ]
    return Figure(
        "rater-agreement",
        f"Agreement of each rater, with 95 % intervals over pairs; the dashed line is the mean.{some}",
        f"Dots for {numbered(len(shown), 'rater')}: IAA-1 is highest for {highest.rater} "
        f"({decimal(highest.iaa1, 2)}) and lowest for {lowest.rater} ({decimal(lowest.iaa1, 2)}).",
        plot.draw,
        pl.DataFrame(rows, ["rater", "group", "iaa1", "low", "high", "iaa2", "low2", "high2"], orient="row"),
    )


def distribution_figure(result: AgreementResult) -> Figure:
    """Return a plot of how often each rating was given."""
    most, times = max(result.counts, key=lambda item: item[1])
    plot = bars.Columns([("", "rating", rating_columns(result.counts))])
    return Figure(
        id="rating-distribution",
        caption=f"How often each rating was given, by {some_of(result.raters, result.raters, 'rater')}.",
        description=f"Columns for {numbered(len(result.counts), 'rating')}; {most:g} was given most often, "
        f"{numbered(times, 'time')}.",
        draw=plot.draw,
        data=pl.DataFrame(result.counts, schema={"rating": pl.Float64, "count": pl.Int64}, orient="row"),
    )


def rating_columns(counts: Sequence[tuple[float, int]], most: int = 21) -> list[bars.Column]:
    """Return a column for each rating; of many different ratings, for ranges of equal width."""
    low, high, total = counts[0][0], counts[-1][0], sum(times for _value, times in counts)
    if len(counts) <= most:
        half = min((two[0] - one[0] for one, two in pairwise(counts)), default=1.0) / 2
        return [
            bars.Column(value - half, value + half, times, f"rating {value:g}: {times:,} of {total:,}")
            for value, times in counts
        ]
    edges = [low + (high - low) * at / _RANGES for at in range(_RANGES + 1)]
    talls = [0] * _RANGES
    for value, times in counts:
        talls[min(_RANGES - 1, int((value - low) / (high - low) * _RANGES))] += times
    return [
        bars.Column(start, end, tall, f"{start:.3g} to {end:.3g}: {tall:,} of {total:,}")
        for (start, end), tall in zip(pairwise(edges), talls, strict=True)
    ]
