"""Pictures of scores, a set at a time on the pairs that all models can score: distributions and ROC curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Figure, Prose, Section, block_id
from termgauge.reporting.plots.canvas import (
    GAP,
    INK,
    MUTED,
    NEGATIVE,
    POSITIVE,
    SERIES,
    SMALL,
    Canvas,
    KeyEntry,
    Panel,
    heading,
    label_room,
    panel_rows,
    shortened,
    text_width,
)
from termgauge.reporting.words import decimal, lowered, number
from termgauge.statistics.separation import best_accuracy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.reporting.set_names import SetGroup, TitledSet
    from termgauge.tasks.pairs.sections.standings import Standings

MOST_MODELS = 8
"""More lines or rows than that cannot be told apart."""


@dataclass(frozen=True)
class SetScores:
    """The scores of some models on a labelled set, each by the measure that stands for it."""

    set: TitledSet
    labels: NDArray[np.bool_]
    """Whether each pair means the same."""
    scores: Mapping[str, NDArray[np.float64]]
    """By model, without NaN."""


def chosen_models(standings: Standings, sets: Sequence[TitledSet], most: int = MOST_MODELS) -> list[str]:
    """Return the models that are pictured: the best ones, and at least one baseline to compare them with."""
    ranked = standings.ranked_with_values(sets)
    chosen = ranked[:most]
    baseline = next((model for model in ranked if model in standings.baselines), None)
    if baseline is not None and baseline not in chosen:
        chosen[-1] = baseline
    return chosen


def left_out(standings: Standings, sets: Sequence[TitledSet], chosen: Sequence[str]) -> str:
    """Return a sentence about the models that are not pictured; nothing if all are."""
    others = set(standings.ranked_with_values(sets)).difference(chosen)
    return f" Not shown, to keep it readable: {len(others)} more with lower values." if others else ""


def colours_of(standings: Standings, chosen: Sequence[str]) -> dict[str, str]:
    """Return a colour for each model that is pictured, the same in all pictures where they are the same."""
    ordered = [model for model in standings.models if model in chosen]
    return {model: SERIES[place % len(SERIES)] for place, model in enumerate(ordered)}


MOST_POINTS = 120
TOLERANCE = 0.002
"""How far a thinned curve may be from the whole one: less than half a pixel."""
_COARSE = 4000
_READING_CURVES = (
    " Across, the share of negatives called similar; up, the share of positives. Below each, the areas under the "
    "curves; 0.5, the dashed line, is chance."
)
_AXIS = 28
_SIDES, _LONGEST_NAME = 62, 110
_DASHES: tuple[tuple[int, ...], ...] = ((), (6, 3), (2, 2), (8, 3, 2, 3), (4, 2), (1, 2), (10, 4), (6, 2, 2, 2))


def roc_curve(
    scores: NDArray[np.float64], labels: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the shares of negatives and of positives that score at least each threshold, from the highest down.

    >>> false, true = roc_curve(np.array([0.9, 0.8, 0.8, 0.1]), np.array([True, True, False, False]))
    >>> false.tolist(), true.tolist()
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0])
    """
    order = np.argsort(-scores, kind="stable")
    values, similar = scores[order], labels[order]
    ends = np.append(np.flatnonzero(np.diff(values)), len(values) - 1)
    true, false = np.cumsum(similar)[ends], np.cumsum(~similar)[ends]
    return (
        np.concatenate([[0.0], false / max(1, int(false[-1]))]),
        np.concatenate([[0.0], true / max(1, int(true[-1]))]),
    )


def thinned(
    x: NDArray[np.float64], y: NDArray[np.float64], most: int = MOST_POINTS, tolerance: float = TOLERANCE
) -> NDArray[np.int64]:
    """Return which points of a curve to keep: those farthest from the line through the ones kept so far.

    A curve of many thousands of points is first sampled evenly along its length.
    """
    places = np.arange(len(x))
    if len(places) > _COARSE:
        length = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(x)) + np.abs(np.diff(y)))])
        places = np.unique(np.searchsorted(length, np.linspace(0, length[-1], _COARSE)))
        places = np.unique(np.concatenate([[0], np.minimum(places, len(x) - 1), [len(x) - 1]]))
    x, y = x[places], y[places]
    kept = [0, len(x) - 1]
    open_parts = [_farthest(x, y, 0, len(x) - 1)] if len(x) > 1 else []
    while open_parts and len(kept) < most:
        open_parts.sort()
        distance, low, at, high = open_parts.pop()
        if distance < tolerance:
            break
        kept.append(at)
        open_parts += [_farthest(x, y, low, at), _farthest(x, y, at, high)]
    return places[np.unique(kept)]


def _farthest(x: NDArray[np.float64], y: NDArray[np.float64], low: int, high: int) -> tuple[float, int, int, int]:
    """Return the point between two that is farthest from the line through them, and its distance."""
    if high - low < 2:
        return 0.0, low, low, high
    dx, dy = x[high] - x[low], y[high] - y[low]
    inner = slice(low + 1, high)
    length = float(np.hypot(dx, dy))
    if length == 0:
        distances = np.hypot(x[inner] - x[low], y[inner] - y[low])
    else:
        distances = np.abs(dx * (y[inner] - y[low]) - dy * (x[inner] - x[low])) / length
    at = int(np.argmax(distances))
    return float(distances[at]), low, low + 1 + at, high


def roc_figure(
    standings: Standings, group: SetGroup, several: Sequence[SetScores], models: Sequence[str], *, folded: bool = False
) -> Figure | None:
    """Return the ROC curves of a group of labelled sets; None if there are no scores."""
    curves: dict[tuple[str, str], tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
    for each in several:
        for model in models:
            if model in each.scores:
                false, true = roc_curve(each.scores[model], each.labels)
                kept = thinned(false, true)
                curves[each.set.id, model] = false[kept], true[kept]
    if not curves:
        return None
    sets = [each.set for each in several if any(name == each.set.id for name, _ in curves)]
    areas = _areas(standings, sets)
    frame = pl.DataFrame(
        [
            (*key, one, two, areas.get(key))
            for key, curve in curves.items()
            for one, two in zip(*(ends.tolist() for ends in curve), strict=True)
        ],
        {"set": pl.String, "model": pl.String, "false_positives": pl.Float64, "true_positives": pl.Float64,
         "auc": pl.Float64},
        orient="row",
    )  # fmt: skip
    colours = colours_of(standings, models)

    return Figure(
        id=block_id("roc", group.id),
        caption=(
            f"ROC curves: {lowered(group.title)}."
            + ("" if folded else _READING_CURVES)
            + left_out(standings, sets, models)
        ),
        description="; ".join(_areas_in_words(each, areas) for each in sets) + ".",
        draw=lambda width: _draw_curves(curves, sets, areas, colours, width),
        data=frame,
        folded=folded,
    )


def _areas(standings: Standings, sets: Sequence[TitledSet]) -> dict[tuple[str, str], float]:
    rows = standings.frame(sets, ["auc"]).iter_rows(named=True)
    return {(row["set"], row["model"]): row["value"] for row in rows if row["value"] is not None}


def _areas_in_words(each: TitledSet, areas: Mapping[tuple[str, str], float]) -> str:
    own = {model: area for (name, model), area in areas.items() if name == each.id}
    if not own:
        return each.title
    best = max(own, key=lambda model: own[model])
    return (
        f"{each.title}: the greatest area is that of {best}, {decimal(own[best], 3)}, the smallest "
        f"{decimal(min(own.values()), 3)}"
    )


def _draw_curves(
    curves: Mapping[tuple[str, str], tuple[NDArray[np.float64], NDArray[np.float64]]],
    sets: Sequence[TitledSet],
    areas: Mapping[tuple[str, str], float],
    colours: Mapping[str, str],
    width: int,
) -> Canvas:
    canvas = Canvas(width)
    longest = max(text_width(model) for model in colours)
    wide, rows = panel_rows(sets, canvas.room, max(130, int(min(longest, _LONGEST_NAME)) + _AXIS + _SIDES))
    side = min(wide - _AXIS, 220)
    top = 0.0
    for row in rows:
        bottom = top
        for edge, each in row:
            left = edge + _AXIS
            heading(canvas, left, top + 6, wide - _AXIS + GAP - 6, *each.lines)
            start = top + 16 * len(each.lines) + 8
            _axes(canvas, left, start, side)
            own = {model: curve for (name, model), curve in curves.items() if name == each.id}
            ranked = sorted(own, key=lambda model: -areas.get((each.id, model), -1.0))
            y = start + side + 36
            for model in ranked:
                dash = _DASHES[list(colours).index(model) % len(_DASHES)]
                area = areas.get((each.id, model))
                shown = decimal(area, 3)
                points = [
                    (left + side * one, start + side * (1 - two))
                    for one, two in zip(own[model][0].tolist(), own[model][1].tolist(), strict=True)
                ]
                canvas.line(points, colours[model], dash=dash, tip=f"{model}: {shown}")
                canvas.rule((left, y), (left + 16, y), colours[model], stroke=2, dash=dash, front=True)
                canvas.text(left + 22, y, shortened(model, side - _SIDES))
                canvas.text(left + side, y, shown, align="right")
                y += 17
            bottom = max(bottom, y)
        top = bottom + 14
    return canvas


def _axes(canvas: Canvas, left: float, top: float, side: float) -> None:
    for share in (0.0, 0.5, 1.0):
        x, y = left + side * share, top + side * (1 - share)
        canvas.rule((x, top), (x, top + side))
        canvas.rule((left, y), (left + side, y))
        label = f"{share:g}"
        canvas.text(min(x, canvas.room - 4), top + side + 11, label, align="center", colour=MUTED, size=SMALL)
        canvas.text(left - 6, y, label, align="right", colour=MUTED, size=SMALL)
    canvas.rule((left, top + side), (left + side, top), MUTED, dash=(3, 3))


BINS = 32
_TALL, _BELOW, _GAP = 42, 26, 30
_READING_SCORES = (
    " The less the two overlap, the easier the set; the dashed line is the threshold with the best accuracy."
)


@dataclass(frozen=True)
class Binned:
    """How many positives and negatives score within each bin, and where the best threshold is."""

    edges: NDArray[np.float64]
    positives: NDArray[np.int64]
    negatives: NDArray[np.int64]
    threshold: float


def binned(several: Sequence[SetScores], model: str, bins: int = BINS) -> dict[str, Binned]:
    """Return the scores of a model on some sets in the same bins, from its lowest score to its highest.

    >>> from termgauge.reporting.set_names import titled
    >>> some = SetScores(titled("s", graded=False), np.array([True, False]), {"m": np.array([0.9, 0.1])})
    >>> histograms = binned([some], "m", bins=2)["s"]
    >>> histograms.positives.tolist(), histograms.negatives.tolist(), histograms.threshold
    ([0, 1], [1, 0], 0.9)
    """
    own = {each.set.id: each for each in several if model in each.scores and len(each.labels)}
    if not own:
        return {}
    low = min(float(each.scores[model].min()) for each in own.values())
    high = max(float(each.scores[model].max()) for each in own.values())
    edges = np.linspace(low, high, bins + 1) if high > low else np.linspace(low - 0.5, low + 0.5, bins + 1)
    histograms = {}
    for name, each in own.items():
        scores = each.scores[model]
        positives, negatives = (np.histogram(scores[each.labels == kind], edges)[0] for kind in (True, False))
        histograms[name] = Binned(edges, positives, negatives, best_accuracy(scores, each.labels).thresholds[0])
    return histograms


def distribution_figure(
    standings: Standings, group: SetGroup, several: Sequence[SetScores], models: Sequence[str], *, folded: bool = False
) -> Figure | None:
    """Return the picture of a group of labelled sets; None if there are no scores."""
    parts = {(name, model): one for model in models for name, one in binned(several, model).items()}
    shown = [model for model in models if any(owner == model for _, owner in parts)]
    sets = [each.set for each in several if any(name == each.set.id for name, _ in parts)]
    if not parts:
        return None
    frame = pl.concat(
        pl.DataFrame(
            {"low": one.edges[:-1], "high": one.edges[1:], "positives": one.positives, "negatives": one.negatives}
        ).select(
            pl.lit(name).alias("set"), pl.lit(model).alias("model"), pl.all(), best_threshold=pl.lit(one.threshold)
        )
        for (name, model), one in parts.items()
    )
    return Figure(
        id=block_id("distributions", group.id),
        caption=(
            f"Scores of positive and negative pairs: {lowered(group.title)}."
            + ("" if folded else _READING_SCORES)
            + left_out(standings, sets, shown)
        ),
        description=f"Histograms of scores for {numbered(len(shown), 'model')} on {numbered(len(sets), 'set')}, "
        "positives against negatives. " + "; ".join(_overlapping(parts, each, shown) for each in sets) + ".",
        draw=lambda width: _draw_distributions(parts, sets, shown, width),
        data=frame,
        folded=folded,
    )


def _overlapping(parts: Mapping[tuple[str, str], Binned], each: TitledSet, models: Sequence[str]) -> str:
    """Say how much the two histograms of a set overlap, the mean over the models."""
    shares = [
        float(np.minimum(_density(one.positives), _density(one.negatives)).sum())
        for model in models
        if (one := parts.get((each.id, model)))
    ]
    return f"{each.title}: they overlap by {np.mean(shares):.0%}"


def _density(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    total = int(counts.sum())
    density: NDArray[np.float64] = counts / total if total else counts.astype(np.float64)
    return density


def _draw_distributions(
    parts: Mapping[tuple[str, str], Binned], sets: Sequence[TitledSet], models: Sequence[str], width: int
) -> Canvas:
    canvas = Canvas(width)
    canvas.key(
        [
            KeyEntry("positive pairs", POSITIVE, "square"),
            KeyEntry("negative pairs", NEGATIVE, "square"),
            KeyEntry("best threshold", INK, "line", (3, 3)),
        ]
    )
    room = label_room(models, canvas.room, 0.22)
    wide, rows = panel_rows(sets, canvas.room - room, 84, left=room, gap=_GAP, margin=6)
    top = canvas.height
    for row in rows:
        for left, each in row:
            heading(canvas, left, top + 6, wide + _GAP - 6, *each.lines)
        y = top + 4 + 16 * len(row[0][1].lines)
        for model in models:
            canvas.text(room - 10, y + _TALL / 2, shortened(model, room - 10), align="right")
            for left, each in row:
                if one := parts.get((each.id, model)):
                    _histogram(canvas, one, left, wide, y)
            y += _TALL + _BELOW
        top = y + 10
    return canvas


def _histogram(canvas: Canvas, one: Binned, left: float, wide: float, top: float) -> None:
    low, high = float(one.edges[0]), float(one.edges[-1])
    panel = Panel(canvas, left, wide, low, high)
    base = top + _TALL
    densities = [_density(counts) for counts in (one.negatives, one.positives)]
    highest = max(float(density.max()) for density in densities) or 1.0
    panel.grid(base, base, every=44)
    canvas.rule((left, base), (left + wide, base))
    for density, colour in zip(densities, (NEGATIVE, POSITIVE), strict=True):
        points: list[tuple[float, float]] = []
        for place, share in enumerate(density.tolist()):
            y = round(base - (_TALL - 2) * share / highest, 1)
            if points and points[-1][1] == y:  # a step of no height needs no corner
                points.pop()
            else:
                points.append((panel.x(float(one.edges[place])), y))
            points.append((panel.x(float(one.edges[place + 1])), y))
        canvas.area(points, base, colour)
    x = panel.x(one.threshold)
    canvas.rule((x, top), (x, base), INK, dash=(3, 3), front=True, tip=f"best threshold {one.threshold:.3f}")


MOST_FOLDED = 6
"""Models in the pictures that are folded, to keep a large page small."""
MOST_GROUPS = 8
"""A page with the pictures of more groups would be too large."""


def score_sections(
    standings: Standings, read: Callable[[TitledSet, Sequence[str]], SetScores | None], *, most: int = MOST_GROUPS
) -> list[Section]:
    """Return the pictures of scores, and of ROC curves, of the largest groups of labelled sets.

    `read` gives the scores of some models on a set; None if they cannot be had. It is asked for one group after
    another, so that only the scores of a few sets are in memory at once.
    """
    groups = [group for group in standings.groups if not group.graded]
    largest = sorted(groups, key=lambda group: -_pairs(standings, group))[:most]
    distributions: list[Figure] = []
    curves: list[Figure] = []
    for group in (group for group in groups if group in largest):
        models = chosen_models(standings, group.sets, MOST_FOLDED if distributions else MOST_MODELS)
        several = [one for each in group.sets if models and (one := read(each, models)) is not None]
        several = [one for one in several if 0 < one.labels.sum() < len(one.labels)]
        for figures, made in ((distributions, distribution_figure), (curves, roc_figure)):
            figure = made(standings, group, several, models, folded=bool(figures))
            if figure is not None:
                figures.append(figure)
    more = len(groups) - most
    smallest = plural(more, "smallest group of sets is", f"{number(more)} smallest groups of sets are")
    unseen = f" The {smallest} not pictured." if more > 0 else ""
    folded = " The first group of sets is shown, the others are folded." if len(distributions) > 1 else ""
    sections = []
    if distributions:
        about = (
            "Positive pairs that are lexically close, and negatives drawn at random, are easy to tell apart; where "
            "synonyms share few letters and negatives share many, a model must know what terms mean."
            if any(each.built for group in groups for each in group.sets)
            else "The farther apart the scores of positive and negative pairs are, the better a model knows the terms."
        )
        sections.append(
            Section(
                "scores", "Scores of positive and negative pairs", (Prose((about + folded + unseen,)), *distributions)
            )
        )
    if curves:
        about = "A curve shows all thresholds at once; the farther it is above the dashed line, the better."
        sections.append(Section("roc", "ROC curves", (Prose((about + folded + unseen,)), *curves)))
    return sections


def _pairs(standings: Standings, group: SetGroup) -> int:
    return sum(standings.shared(each) for each in group.sets)
