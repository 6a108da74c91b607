"""Where the scores of positive and of negative pairs lie, a set at a time, on the pairs that all models can score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Figure, Prose, Section, block_id
from termgauge.reporting.plots.canvas import (
    INK,
    NEGATIVE,
    POSITIVE,
    Canvas,
    KeyEntry,
    Panel,
    heading,
    label_room,
    panel_rows,
    shortened,
)
from termgauge.reporting.words import lowered, number
from termgauge.statistics.separation import best_accuracy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.reporting.set_names import SetGroup, TitledSet
    from termgauge.tasks.pairs.sections.standings import Standings

MOST_MODELS, MOST_FOLDED = 8, 6
"""Models in the first picture, and in those that are folded, to keep a large page small."""
MOST_GROUPS = 8
"""A page with the pictures of more groups would be too large."""
BINS = 32
_TALL, _BELOW, _GAP = 42, 26, 30


@dataclass(frozen=True)
class SetScores:
    """The scores of some models on a labelled set, each by the measure that stands for it."""

    set: TitledSet
    labels: NDArray[np.bool_]
    """Whether each pair means the same."""
    scores: Mapping[str, NDArray[np.float64]]
    """By model, without NaN."""


@dataclass(frozen=True)
class Binned:
    """How many positives and negatives score within each bin, and where the best threshold is."""

    edges: NDArray[np.float64]
    positives: NDArray[np.int64]
    negatives: NDArray[np.int64]
    threshold: float


def score_section(
    standings: Standings, read: Callable[[TitledSet, Sequence[str]], SetScores | None], *, most: int = MOST_GROUPS
) -> Section | None:
    """Return the pictures of the largest groups of labelled sets; None if there are none.

    `read` gives the scores of some models on a set; None if they cannot be had. It is asked for one group after
    another, so that only the scores of a few sets are in memory at once.
    """
    groups = [group for group in standings.groups if not group.graded]
    largest = sorted(groups, key=lambda group: -sum(map(standings.shared, group.sets)))[:most]
    figures: list[Figure] = []
    for group in (group for group in groups if group in largest):
        models = chosen_models(standings, group.sets, MOST_FOLDED if figures else MOST_MODELS)
        several = [one for each in group.sets if models and (one := read(each, models)) is not None]
        several = [one for one in several if 0 < one.labels.sum() < len(one.labels)]
        if several:
            figures.append(distribution_figure(standings, group, several, models, folded=bool(figures)))
    if not figures:
        return None
    about = "The less the scores of positive and negative pairs overlap, the easier the set is for the model. The "
    about += "dashed line is the threshold with the best accuracy."
    if (more := len(groups) - most) > 0:
        smallest = plural(more, "smallest group of sets is", f"{number(more)} smallest groups of sets are")
        about += f" The {smallest} not pictured."
    return Section("scores", "Scores of positive and negative pairs", (Prose((about,)), *figures))


def chosen_models(standings: Standings, sets: Sequence[TitledSet], most: int = MOST_MODELS) -> list[str]:
    """Return the models that are pictured: the best ones, and at least one baseline to compare them with."""
    ranked = standings.ranked_with_values(sets)
    chosen = ranked[:most]
    baseline = next((model for model in ranked if model in standings.baselines), None)
    if baseline is not None and baseline not in chosen:
        chosen[-1] = baseline
    return chosen


def distribution_figure(
    standings: Standings, group: SetGroup, several: Sequence[SetScores], models: Sequence[str], *, folded: bool = False
) -> Figure:
    """Return the picture of a group of labelled sets."""
    parts = {(name, model): one for model in models for name, one in binned(several, model).items()}
    shown = [model for model in models if any(owner == model for _, owner in parts)]
    sets = [each.set for each in several if any(name == each.set.id for name, _ in parts)]
    others = len(set(standings.ranked_with_values(sets)).difference(shown))
    more = f" Not shown, to keep it readable: {others} more with lower values." if others else ""
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
        caption=f"Scores of positive and negative pairs: {lowered(group.title)}.{more}",
        description=f"Histograms of scores for {numbered(len(shown), 'model')} on {numbered(len(sets), 'set')}, "
        "positives against negatives. " + "; ".join(_overlapping(parts, each, shown) for each in sets) + ".",
        draw=lambda width: _draw(parts, sets, shown, width),
        data=frame,
        folded=folded,
    )


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


def _draw(
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
