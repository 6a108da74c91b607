"""How the scores of positive and of negative pairs lie: the picture that shows why a set is easy or hard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from termgauge.plurals import numbered
from termgauge.reporting.blocks import Figure, block_id
from termgauge.reporting.plots.canvas import (
    Canvas,
    KeyEntry,
    Panel,
    heading,
    label_room,
    shortened,
    side_by_side,
)
from termgauge.reporting.plots.look import INK, NEGATIVE, POSITIVE
from termgauge.reporting.words import lowered
from termgauge.statistics.separation import best_accuracy
from termgauge.tasks.pairs.sections.scores import left_out

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.reporting.set_names import SetGroup, TitledSet
    from termgauge.tasks.pairs.sections.scores import SetScores
    from termgauge.tasks.pairs.sections.standings import Standings

BINS = 32
_TALL, _BELOW, _GAP = 42, 26, 30
_READING = " The less the two overlap, the easier the set; the dashed line is the threshold with the best accuracy."


@dataclass(frozen=True)
class Binned:
    """How many positives and negatives score within each bin, and where the best threshold is."""

    edges: NDArray[np.float64]
    positives: NDArray[np.int64]
    negatives: NDArray[np.int64]
    threshold: float


def binned(several: Sequence[SetScores], model: str, bins: int = BINS) -> dict[str, Binned]:
    """Return the scores of a model on some sets in the same bins, from its lowest score to its highest.

    Examples
    --------
    >>> from termgauge.reporting.set_names import titled
    >>> from termgauge.tasks.pairs.sections.scores import SetScores
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
    frame = pl.DataFrame(
        [
            {
                "set": name,
                "model": model,
                "low": float(one.edges[place]),
                "high": float(one.edges[place + 1]),
                "positives": int(one.positives[place]),
                "negatives": int(one.negatives[place]),
                "best_threshold": one.threshold,
            }
            for (name, model), one in parts.items()
            for place in range(len(one.positives))
        ]
    )
    return Figure(
        id=block_id("distributions", group.id),
        caption=(
            f"Scores of positive and negative pairs: {lowered(group.title)}."
            + ("" if folded else _READING)
            + left_out(standings, sets, shown)
        ),
        description=f"Histograms of scores for {numbered(len(shown), 'model')} on {numbered(len(sets), 'set')}, "
        "positives against negatives. " + "; ".join(_overlapping(parts, each, shown) for each in sets) + ".",
        draw=lambda width: _drawn(parts, sets, shown, width),
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


def _drawn(
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
    columns = side_by_side(len(sets), canvas.room - room, 84)
    wide = (canvas.room - room - _GAP * (columns - 1) - 6) / columns
    top = canvas.height
    for low in range(0, len(sets), columns):
        row = sets[low : low + columns]
        for place, each in enumerate(row):
            left = room + place * (wide + _GAP)
            lines = (each.over, each.brief.lower()) if each.over else (each.brief,)
            heading(canvas, left, top + 6, wide + _GAP - 6, *lines)
        y = top + (36 if row[0].over else 20)
        for model in models:
            canvas.text(room - 10, y + _TALL / 2, shortened(model, room - 10), align="right")
            for place, each in enumerate(row):
                one = parts.get((each.id, model))
                if one is not None:
                    _histogram(canvas, one, room + place * (wide + _GAP), wide, y)
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
