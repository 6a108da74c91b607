"""Scores of positive and negative pairs on the pairs that all models can score: where they lie, and ROC curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Figure, Prose, Section, block_id
from termgauge.reporting.plots.canvas import INK, MUTED, NEGATIVE, POSITIVE, Canvas, KeyEntry, Panel, named_panels
from termgauge.reporting.plots.lines import LinePanel, LinePlot, LinePoint
from termgauge.reporting.words import lowered, number
from termgauge.statistics.separation import best_accuracy
from termgauge.tasks.shown import style_of

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
FALSE_POSITIVES = (0.0, 0.01, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
"""The shares of negatives at which ROC curves are shown."""
_ABOVE, _TALL, _ROW = 4, 42, 68


@dataclass(frozen=True)
class SetScores:
    """The scores of some models on a labelled set, each by the measure that stands for it."""

    set: TitledSet
    labels: NDArray[np.bool_]
    """Whether each pair means the same."""
    scores: Mapping[str, NDArray[np.float64]]
    """By model, without NaN."""


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
            figures.append(roc_figure(group, several, models))
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
    frame = histograms(several, models)
    shown, names = (set(frame[name]) for name in ("model", "set"))
    order, sets = [model for model in models if model in shown], [each.set for each in several if each.set.id in names]
    others = len(set(standings.ranked_with_values(sets)).difference(shown))
    more = f" Not shown, to keep it readable: {others} more with lower values." if others else ""
    return Figure(
        id=block_id("distributions", group.id),
        caption=f"Scores of positive and negative pairs: {lowered(group.title)}.{more}",
        description=f"Histograms of scores for {numbered(len(order), 'model')} on {numbered(len(sets), 'set')}, "
        "positives against negatives.",
        draw=lambda width: _draw(frame, sets, order, width),
        data=frame,
        folded=folded,
    )


def roc_figure(group: SetGroup, several: Sequence[SetScores], models: Sequence[str]) -> Figure:
    """Return the ROC curves of a group of labelled sets."""
    curves = {
        (each.set, model): share_found(each.scores[model], each.labels)
        for each in several
        for model in models
        if model in each.scores
    }
    shown = [model for model in models if any(name == model for _, name in curves)]
    panels = []
    for each in dict.fromkeys(each for each, _ in curves):
        lines = {model: curves[each, model] for model in shown if (each, model) in curves}
        points = {
            name: [LinePoint(share, tip=f"{name}: {share:.3f}") for share in line] for name, line in lines.items()
        }
        points["guessing"] = [LinePoint(share) for share in FALSE_POSITIVES]
        panels.append(LinePanel(each.title, [f"{share:g}" for share in FALSE_POSITIVES], points, FALSE_POSITIVES))
    entries = [
        *(KeyEntry(model, *style_of(at)) for at, model in enumerate(shown)),
        KeyEntry("guessing", MUTED, "circle"),
    ]
    axis = "share of positives that score higher than all but this share of negatives"
    return Figure(
        id=block_id("roc", group.id),
        caption=f"ROC curves: {lowered(group.title)}.",
        description=f"The share of positives found by {numbered(len(shown), 'model')} for a share of negatives.",
        draw=LinePlot(panels, entries, axis, least=0.0).draw,
        data=pl.DataFrame(
            [
                (each.id, model, *point)
                for (each, model), line in curves.items()
                for point in zip(FALSE_POSITIVES, line, strict=True)
            ],
            ["set", "model", "false_positives", "true_positives"],
            orient="row",
        ),
        folded=True,
    )


def share_found(scores: NDArray[np.float64], labels: NDArray[np.bool_]) -> list[float]:
    """Return the share of positives that are called similar where each share of negatives is.

    >>> found = share_found(np.array([0.9, 0.8, 0.8, 0.1]), np.array([True, True, False, False]))
    >>> found[0], found[FALSE_POSITIVES.index(0.5)]
    (0.5, 1.0)
    """
    order = np.argsort(-scores, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    true, false = np.cumsum(labels[order])[ends], np.cumsum(~labels[order])[ends]
    shares: list[float] = np.interp(FALSE_POSITIVES, [0, *(false / false[-1])], [0, *(true / true[-1])]).tolist()
    return shares


def histograms(several: Sequence[SetScores], models: Sequence[str], bins: int = BINS) -> pl.DataFrame:
    """Return how often scores lie in each bin: of a model in the same bins on all sets, from its lowest to its highest.

    >>> from termgauge.reporting.set_names import titled
    >>> some = SetScores(titled("s", graded=False), np.array([True, False]), {"m": np.array([0.9, 0.1])})
    >>> histograms([some], ["m"], bins=2).select("positives", "negatives", "best_threshold").rows()
    [(0, 1, 0.9), (1, 0, 0.9)]
    """
    parts = []
    for model in models:
        own = {each.set.id: (each.scores[model], each.labels) for each in several if model in each.scores}
        every = np.concatenate([np.zeros(0), *(scores for scores, _ in own.values())])
        edges = np.histogram_bin_edges(every, bins)
        for name, (scores, labels) in own.items():
            counts = (np.histogram(scores[labels == kind], edges)[0] for kind in (True, False))
            table = pl.DataFrame(dict(zip(("low", "high", "positives", "negatives"),
                                          (edges[:-1], edges[1:], *counts), strict=True)))  # fmt: skip
            threshold = pl.lit(best_accuracy(scores, labels).thresholds[0]).alias("best_threshold")
            parts.append(table.select(pl.lit(name).alias("set"), pl.lit(model).alias("model"), pl.all(), threshold))
    return pl.concat(parts)


def _draw(frame: pl.DataFrame, sets: Sequence[TitledSet], models: Sequence[str], width: int) -> Canvas:
    canvas = Canvas(width)
    canvas.key(
        [
            KeyEntry("positive pairs", POSITIVE, "square"),
            KeyEntry("negative pairs", NEGATIVE, "square"),
            KeyEntry("best threshold", INK, "line", (3, 3)),
        ]
    )
    parts = frame.partition_by("set", "model", as_dict=True)

    def draw(each: TitledSet, left: float, wide: float, top: float) -> None:
        for at, model in enumerate(models):
            if (part := parts.get((each.id, model))) is not None:
                _histogram(canvas, part, left, wide, top + at * _ROW + _ABOVE)

    panels = [(each, each.lines) for each in sets]
    named_panels(canvas, models, panels, draw, least=84, share=0.22, row=_ROW, gap=30)
    return canvas


def _histogram(canvas: Canvas, part: pl.DataFrame, left: float, wide: float, top: float) -> None:
    low, high = part["low"].to_list(), part["high"].to_list()
    panel, base = Panel(canvas, left, wide, low[0], high[-1]), top + _TALL
    densities = [part[name] / max(1, part[name].sum()) for name in ("negatives", "positives")]
    highest = max(density.to_numpy().max() for density in densities) or 1.0
    panel.grid(base, base, every=44)
    canvas.rule((left, base), (left + wide, base))
    for density, colour in zip(densities, (NEGATIVE, POSITIVE), strict=True):
        points: list[tuple[float, float]] = []
        for start, end, share in zip(low, high, density.to_list(), strict=True):
            y = round(base - (_TALL - 2) * share / highest, 1)
            if points and points[-1][1] == y:  # a step of no height needs no corner
                points.pop()
            else:
                points.append((panel.x(start), y))
            points.append((panel.x(end), y))
        canvas.area(points, base, colour)
    threshold = part["best_threshold"][0]
    x = panel.x(threshold)
    canvas.rule((x, top), (x, base), INK, dash=(3, 3), front=True, tip=f"best threshold {threshold:.3f}")
