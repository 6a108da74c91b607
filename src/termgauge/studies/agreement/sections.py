"""Agreement as a document: what raters agree on, what is known of each, and what their ratings are good for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
from termgauge.reporting.plots.canvas import ACCENT, MUTED, KeyEntry
from termgauge.reporting.plots.dots import Dot, DotPanel, DotPlot
from termgauge.reporting.words import bold, capitalised, count, counted, decimal, listed, number, plain, some_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.studies.agreement.compute import AgreementResult, GroupAgreement, RaterAgreement
    from termgauge.tasks.results import Ends

MANY_ROWS, MOST_RATERS = 15, 40
"""Longer tables are folded, and of more raters only the extreme ones are drawn."""
RULES = {
    "others": "more than two standard deviations below the mean of the other raters",
    "simlex": "more than one standard deviation below the mean of all raters",
    "default": "further below the mean of the other raters than chance explains (Grubbs' test of Fisher's z)",
}
_LEVELS = {"nominal": "equal or not", "ordinal": "ranks", "interval": "distances"}


def agreement_document(result: AgreementResult, title: str = "Agreement of raters") -> Document:
    """Return agreement as a whole document."""
    low, high = result.scale
    facts = (
        Fact("Raters", number(result.raters)),
        Fact("Pairs", number(result.pairs)),
        Fact("Ratings", f"{number(result.ratings)}, from {low:g} to {high:g}"),
        Fact("Groups", number(result.groups)),
    )
    return Document(title, tuple(agreement_summary(result)), facts, tuple(agreement_sections(result)))


def agreement_sections(result: AgreementResult) -> list[Section]:
    """Return agreement as sections of a document."""
    blocks: list[Block] = [Prose(tuple(_lead(result))), _values(result)]
    if result.groups > 1:
        blocks.append(_groups(result))
    drawn = [rater_figure(result)] if any(rater.iaa1 is not None for rater in result.per_rater) else []
    return [
        Section("agreement", "Agreement", tuple(blocks)),
        Section("raters", "Raters", (*drawn, _raters(result), ratings_table(result.counts))),
        Section("reliability", "What the ratings are good for", (_reliability(result), _plan(result))),
    ]


def agreement_summary(result: AgreementResult) -> Iterator[str]:
    """Yield how far raters agree, and what a model can reach."""
    ends, ceiling = result.intervals, result.reliability.ceiling
    if result.iaa1 is None:
        yield "Agreement is undefined: no two raters have three pairs in common on which both vary."
    else:
        yield (
            f"Raters agree with each other by {in_bold(result.iaa1, ends.iaa1)} (IAA-1) and with the mean of the "
            f"others by {in_bold(result.iaa2, ends.iaa2)} (IAA-2)."
        )
    if ceiling is not None:
        yield (
            f"A model can be expected to reach a correlation of at most {in_bold(ceiling, ends.ceiling)} with the mean "
            "ratings."
        )


def in_bold(value: float | None, ends: Ends) -> str:
    """Return a value in bold, with its interval if it has one."""
    interval = Interval.known(*ends)
    low, high = interval._replace(digits=2).ends if interval else ("", "")
    return bold(decimal(value, 2)) + (f" ({low} to {high})" if interval else "")


def rule_sentence(result: AgreementResult) -> str:
    """Say who is left out, and by which rule."""
    if result.rule == "none":
        return "Nobody is left out, as asked for."
    where = "the consistency set" if result.consistency else "the pairs of the group"
    panel = f"in a panel of at least {count(result.least_panel)} " if result.least_panel else ""
    rule = f"an IAA-1 on {where} that is {RULES['default' if result.least_panel else result.rule]}, or undefined"
    if not (out := len(result.left_out)):
        return f"Nobody is left out: no rater {panel}has {rule}."
    who = f"{capitalised(some_of(out, result.raters, 'rater'))} {plural(out, 'is', 'are')} left out"
    return f"{who}: a rater {panel}with {rule}."


def _lead(result: AgreementResult) -> Iterator[str]:
    yield (
        "IAA-1 is the mean of Spearman's rho over all pairs of raters of a group, IAA-2 the mean rho of each rater "
        "with the mean rating of the others. Intervals (95 %) are over pairs: they say what other pairs of the same "
        "kind would have shown for these raters."
    )
    yield rule_sentence(result)
    if result.undefined:
        yield f"The correlation of {counted(result.undefined, 'pair')} of raters is undefined and is in no mean."
    if result.moved:
        yield f"Calibration moved the ratings of {listed(bold(rater) for rater in result.moved)} by one step."
    if result.alpha_undefined:
        yield f"Krippendorff's alpha is undefined: {result.alpha_undefined}."
    yield from map(plain, result.notes)


def _values(result: AgreementResult) -> Table:
    ends, none = result.intervals, (None, None)
    rows: list[tuple[Any, ...]] = [
        (name, getattr(result, key), *getattr(ends, key), getattr(result.before, key), *ends.before.get(key, none))
        for name, key in (("IAA-1", "iaa1"), ("IAA-2", "iaa2"))
    ]
    for level, meaning in _LEVELS.items():
        after, every = (getattr(values, level) for values in (result.alpha_after, result.alpha))
        after_ends, every_ends = (intervals.get(level, none) for intervals in (ends.alpha_after, ends.alpha))
        rows.append((f"Krippendorff's alpha, {level} ({meaning})", after, *after_ends, every, *every_ends))
    names = ("statistic", "accepted", "low", "high", "all", "all_low", "all_high")
    return Table.from_rows(
        "agreement-values",
        "Agreement of the raters, without those who are left out and of all.",
        ("Statistic", NumberColumn("Accepted raters"), NumberColumn("All raters")),
        ((row[0], _cell(row[1], row[2:4]), _cell(row[4], row[5:])) for row in rows),
        sortable=False,
        data=pl.DataFrame(rows, names, orient="row"),
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
        folded=result.groups > MANY_ROWS,
    )


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
        Column.count("Longest run", note="Equal ratings in a row, in the order of pages, or of the file"),
        *[Column.share("Same again", note="Share of pairs seen twice with equal ratings")] * again,
        *[NumberColumn("Seconds", note="Median time of an answer")] * timed,
        "Conspicuous",
        *["Left out"] * bool(result.reasons),
    ]
    rows = [
        (
            rater.rater, rater.group, *_both(rater),
            rater.ratings, rater.missing, rater.used, rater.longest_run, *[rater.self_consistency] * again,
            *[Cell.number(rater.seconds, 1, top=None)] * timed, "; ".join(rater.flags),
            *[result.reasons.get(rater.rater, "")] * bool(result.reasons),
        )
        for rater in result.per_rater
    ]  # fmt: skip
    caption, folded = "What is known of each rater, before anybody is left out.", result.raters > MOST_RATERS
    return Table.from_rows("raters", caption, columns, rows, data=result.to_frame(), folded=folded)


def ratings_table(counts: Sequence[tuple[float, int]]) -> Table:
    """Return how often each rating was given."""
    total, columns = sum(times for _rating, times in counts), (Column.count("Times"), Column.share("Share"))
    rows = ((f"{rating:g}", times, times / total) for rating, times in counts)
    caption, folded = "How often each rating was given.", len(counts) > MANY_ROWS
    return Table.from_rows("rating-distribution", caption, ("Rating", *columns), rows, folded=folded)


def _reliability(result: AgreementResult) -> Table:
    values, ceiling = result.reliability, Interval.known(*result.intervals.ceiling)
    rows = [
        ("Ratings of a pair", values.ratings_per_pair, "the harmonic mean"),
        ("Reliability of one rating", values.single, "the share of its variance that is not noise"),
        ("Reliability of the mean rating", values.mean, "split halves of raters, stepped up (Spearman-Brown)"),
        ("Ceiling of a model's correlation", values.ceiling, "of a model that knows what raters agree on, no noise"),
        ("Variance between pairs", values.pair_variance, "on the scale of the ratings"),
        ("Variance within pairs", values.within_variance, "between raters of the same pair"),
        ("Of that, between raters", values.rater_variance, "some rate higher; known if a group rated the same pairs"),
    ]

    def cell(name: str, value: float | None) -> Cell:
        top = 1.0 if value is not None and value < 1 else None
        return Cell.number(value, top=top, interval=ceiling if name.startswith("Ceiling") else None)

    return Table.from_rows(
        "reliability",
        "Reliability of the ratings of the accepted raters.",
        ("What", NumberColumn("Value"), "Meaning"),
        ((name, cell(name, value), meaning) for name, value, meaning in rows),
        sortable=False,
    )


def _plan(result: AgreementResult) -> Table:
    plan, ends = result.plan, result.intervals
    per_pair, raters, pairs = result.reliability.ratings_per_pair, plan.raters_per_pair, number(result.pairs)
    widths = [high - low if low is not None and high is not None else None for low, high in (ends.iaa1, ends.iaa2)]
    rows = [
        ("the score of a typical pair (0 to 10)", plan.score_width, plan.width,
         raters and f"{numbered(raters, 'rater')} of each pair", per_pair and f"{per_pair:.3g}"),
        ("IAA-1", widths[0], plan.rho_width, plan.iaa1_pairs and numbered(plan.iaa1_pairs, "pair"), pairs),
        ("IAA-2", widths[1], plan.rho_width, plan.iaa2_pairs and numbered(plan.iaa2_pairs, "pair"), pairs),
        (f"a model's correlation of {plan.model_rho:g}", plan.model_width, plan.rho_width,
         numbered(plan.model_pairs, "pair"), pairs),
    ]  # fmt: skip
    return Table.from_rows(
        "plan",
        "What intervals are, and what it would take to bring them to the wanted width.",
        ("Interval (95 %) of", NumberColumn("Width now"), NumberColumn("Wanted"), "It takes", "There are"),
        (
            (name, *(Cell.number(width, top=None) for width in widths), takes or "–", there or "–")
            for name, *widths, takes, there in rows
        ),
        sortable=False,
    )


def rater_figure(result: AgreementResult) -> Figure:
    """Return a plot of the agreement of each rater, the highest first."""
    raters = [rater for rater in result.per_rater if rater.iaa1 is not None]
    raters.sort(key=lambda rater: -(rater.iaa1 or 0))
    half, some = MOST_RATERS // 2, ""
    if len(raters) > MOST_RATERS:
        some = f" Of {number(len(raters))} raters, the {half} highest and the {half} lowest."
        raters = [*raters[:half], *raters[-half:]]
    rows = [
        (rater.rater, rater.group, rater.iaa1, *rater.iaa1_interval, rater.iaa2, *rater.iaa2_interval)
        for rater in raters
    ]
    return dot_figure(
        "rater-agreement",
        f"Agreement of each rater, with 95 % intervals over pairs; the dashed line is the mean.{some}",
        "Spearman's rho",
        {
            ("IAA-1", "with each other rater"): (result.before.iaa1, {row[0]: row[2:5] for row in rows}),
            ("IAA-2", "with the mean of the others"): (result.before.iaa2, {row[0]: row[5:] for row in rows}),
        },
        pl.DataFrame(rows, ["rater", "group", "iaa1", "low", "high", "iaa2", "low2", "high2"], orient="row"),
        result.left_out,
    )


Estimates = tuple[float | None, "Mapping[str, Sequence[Any]]"]
"""A value to compare with, and by name a value and the ends of its interval."""


def dot_figure(
    id: str,  # noqa: A002
    caption: str,
    axis: str,
    panels: Mapping[tuple[str, ...], Estimates],
    data: pl.DataFrame,
    left_out: Sequence[str] = (),
) -> Figure:
    """Return a plot of values with intervals: a panel for each heading, a row for each name."""
    drawn, described = [], []
    for lines, (reference, values) in panels.items():
        dots = {}
        for name, (value, low, high) in values.items():
            if value is not None:
                colour, shape, tip = (MUTED, "diamond", ", left out") if name in left_out else (ACCENT, "circle", "")
                dots[name] = [Dot(value, low, high, colour, shape, f"{name}: {decimal(value, 3)}{tip}")]
        if dots:
            drawn.append(DotPanel(lines, dots, reference))
            ends = (
                f"{name} ({decimal(dots[name][0].value, 2)})" for name in (_extreme(max, dots), _extreme(min, dots))
            )
            described.append(f"{lines[0]} is highest for {next(ends)}, lowest for {next(ends)}.")
    names = list(dict.fromkeys(name for _reference, values in panels.values() for name in values))
    key = (KeyEntry("accepted", ACCENT), KeyEntry("left out", MUTED, "diamond")) if left_out else ()
    return Figure(id, caption, " ".join(described), DotPlot(drawn, names, axis, key, most=1.0).draw, data)


def _extreme(end: Callable[..., str], dots: Mapping[str, Sequence[Dot]]) -> str:
    return end(dots, key=lambda name: dots[name][0].value)
