"""What was found over bands, in plain words: which models find which end of a property harder, and if that holds."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from termgauge.plurals import numbered, plural
from termgauge.reporting.set_names import SHORT_STATISTICS, titled
from termgauge.reporting.words import bold, capitalised, counted, decimal, listed, named, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.tasks.subsets.result import SetSubsets, SubsetsResult

_ENDS = {
    "frequency": ("rare words", "frequent words"),
    "breadth": ("words of few subjects", "words of many subjects"),
    "senses": ("terms with few senses", "terms with many senses"),
    "spread": ("pairs that raters agree on", "pairs that raters disagree on"),
    "score": ("pairs of low scores", "pairs of high scores"),
    "edit-distance": ("pairs that are spelled alike", "pairs that are spelled differently"),
    "words": ("short terms", "long terms"),
    "depth": ("general concepts", "specific concepts"),
}
_MOST_LINES = 6


def ends_of(subsets: SetSubsets) -> tuple[str, str]:
    """Return what the low and the high end of a property are called."""
    of = "words" if subsets.of == "words" else "pairs"
    return _ENDS.get(subsets.property, (f"{of} with a low {subsets.property}", f"{of} with a high {subsets.property}"))


def trend_sentences(subsets: SetSubsets) -> list[str]:
    """Say for each model how its value goes over the bands of a set, and whether that is more than chance."""
    if len(subsets.bands) < 2:
        return ["There is only one band, so that nothing can be compared."]
    return [_sentence(subsets, model) for model in subsets.trends]


def _sentence(subsets: SetSubsets, model: str) -> str:
    what, trend = SHORT_STATISTICS.get(subsets.statistic, subsets.statistic), subsets.trends[model]
    found = [(band.title, each.value) for band in subsets.bands if (each := band.models.get(model)) is not None]
    values = [(title, value) for title, value in found if value is not None]
    if len(values) < 2 or trend.p_value is None:
        return f"{bold(model)}: too few pairs in the bands to say how {what} goes over them."
    proven = trend.significant
    if not subsets.ordered:
        (low, least), (high, most) = min(values, key=lambda each: each[1]), max(values, key=lambda each: each[1])
        verdict = "real" if proven else "not shown to be more than chance"
        return (
            f"{bold(model)}: {what} is lowest for '{low}' ({decimal(least, 2)}) and highest for '{high}' "
            f"({decimal(most, 2)}); the difference between kinds is {verdict}{_p(trend.adjusted_p)}."
        )
    course = f"{what} {_course([value for _title, value in values])} over the bands"
    if not proven:
        return f"{bold(model)}: {course}; a trend is not shown{_p(trend.adjusted_p)}."
    harder = ends_of(subsets)[0 if (trend.change or 0.0) > 0 else 1]
    return f"{bold(model)} finds {harder} harder: {course}; the trend is real{_p(trend.adjusted_p)}."


def _course(values: Sequence[float]) -> str:
    """Say how values go: from one to another if they never turn, else each of them."""
    ends = f"from {decimal(values[0], 2)} to {decimal(values[-1], 2)}"
    if all(one <= other for one, other in pairwise(values)):
        return f"rises {ends}" if values[0] < values[-1] else f"stays at {decimal(values[0], 2)}"
    if all(one >= other for one, other in pairwise(values)):
        return f"falls {ends}"
    return f"goes {', '.join(decimal(value, 2) for value in values)}"


def _p(value: float | None) -> str:
    if value is None:
        return ""
    return " (p < 0.001)" if value < 0.001 else f" (p = {decimal(value, 3)})"


def outside_sentence(subsets: SetSubsets) -> str:
    """Say how many pairs are in no band, and why."""
    inside = subsets.pairs - subsets.outside
    if not subsets.outside:
        return (
            f"All {number(subsets.pairs)} pairs are in a band." if subsets.pairs != 1 else "The one pair is in a band."
        )
    apart = subsets.outside - subsets.unknown
    why = []
    if subsets.unknown:
        have = plural(subsets.unknown, "has", "have")
        why.append(f"{number(subsets.unknown)} {have} {'a word without a' if subsets.of == 'words' else 'no'} value")
    if apart:
        words = f"{plural(apart, 'has', 'have')} words of different bands, or outside all"
        beyond = words if subsets.of == "words" else f"{plural(apart, 'lies', 'lie')} outside all bands"
        why.append(f"{number(apart)} {beyond}")
    others = f"Of the {number(subsets.outside)} others, {listed(why)}"
    if len(why) == 1:
        others = (
            f"The {plural(subsets.outside, 'other', f'{number(subsets.outside)} others')} {why[0].partition(' ')[2]}"
        )
    are = plural(inside, "is", "are")
    return f"{number(inside)} of the {numbered(subsets.pairs, 'pair')} {are} in a band. {others}."


def summary(result: SubsetsResult) -> tuple[str, ...]:
    """Say which models find which end of the property harder, over all sets."""
    ordered = [each for each in result.sets.values() if each.ordered]
    if not ordered:
        return ()
    first = ordered[0]
    falls: dict[str, list[str]] = {}
    rises: dict[str, list[str]] = {}
    for subsets in ordered:
        for model, trend in subsets.trends.items():
            if trend.significant and trend.change is not None:
                (rises if trend.change > 0 else falls).setdefault(model, []).append(subsets.set)
    low, high = ends_of(first)
    lines = []
    for harder, found in ((low, rises), (high, falls)):
        if found:
            where = counted(len({name for names in found.values() for name in names}), "set")
            lines.append(f"{capitalised(harder)} are harder than others for {named(list(found))} (on {where}).")
    if not lines:
        where = (
            titled(first.set, graded=first.statistic == "spearman").title
            if len(ordered) == 1
            else (f"{len(ordered)} sets")
        )
        lines.append(f"No trend over bands of {first.property} is shown for any model on {where}.")
    return tuple(lines[:_MOST_LINES])
