"""ROC curves of models on labelled sets, on the pairs that all models can score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Figure, Prose, Section, block_id
from termgauge.reporting.plots.canvas import MUTED, KeyEntry
from termgauge.reporting.plots.lines import LinePanel, LinePlot, LinePoint
from termgauge.reporting.words import lowered, number
from termgauge.tasks.pairs.results import truth_of
from termgauge.tasks.shown import style_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet
    from termgauge.reporting.set_names import SetGroup, TitledSet
    from termgauge.tasks.pairs.sections.standings import Standings

MOST_MODELS, MOST_GROUPS = 8, 8
"""A page with more curves, or more groups of sets, would be too large."""
FALSE_POSITIVES = (0.0, 0.01, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
"""The shares of negatives at which curves are shown."""


def roc_section(
    standings: Standings,
    read: Callable[[TitledSet, Sequence[str]], tuple[PairSet, Mapping[str, NDArray[np.float64]]] | None],
    *,
    most: int = MOST_GROUPS,
) -> Section | None:
    """Return the curves of the largest groups of labelled sets; None if there are none.

    `read` gives a set with the scores of some models, NaN but on the pairs that all can score; None if they cannot be
    had. It is asked for one set after another, so that only the scores of one are in memory at once.
    """
    groups = [group for group in standings.groups if not group.graded]
    largest = sorted(groups, key=lambda group: -sum(map(standings.shared, group.sets)))[:most]
    figures: list[Figure] = []
    for group in (group for group in groups if group in largest):
        models = chosen_models(standings, group.sets)
        curves: dict[tuple[TitledSet, str], list[float]] = {}
        for entry in group.sets if models else ():
            if (shared := read(entry, models)) is None:
                continue
            scores = {model: values[~np.isnan(values)] for model, values in shared[1].items()}
            labels = (truth_of(shared[0]) == 1)[~np.isnan(next(iter(shared[1].values())))]
            if 0 < labels.sum() < len(labels):
                curves |= {(entry, model): share_found(scores[model], labels) for model in models if model in scores}
        if curves:
            figures.append(_figure(group, curves, folded=bool(figures)))
    if not figures:
        return None
    about = (
        "Across: the share of negatives that are taken for synonyms at a threshold; up: the share of positives found."
    )
    if (more := len(groups) - most) > 0:
        smallest = plural(more, "smallest group of sets is", f"{number(more)} smallest groups of sets are")
        about += f" The {smallest} not pictured."
    return Section("scores", "ROC curves", (Prose((about,)), *figures))


def chosen_models(standings: Standings, sets: Sequence[TitledSet], most: int = MOST_MODELS) -> list[str]:
    """Return the models that are pictured: the best ones, and at least one baseline to compare them with."""
    ranked = standings.ranked_with_values(sets)
    chosen = ranked[:most]
    baseline = next((model for model in ranked if model in standings.baselines), None)
    if baseline is not None and baseline not in chosen:
        chosen[-1] = baseline
    return chosen


def _figure(group: SetGroup, curves: Mapping[tuple[TitledSet, str], list[float]], *, folded: bool) -> Figure:
    models = list(dict.fromkeys(model for _, model in curves))
    guessing = [LinePoint(share) for share in FALSE_POSITIVES]
    places = [f"{share:g}" for share in FALSE_POSITIVES]
    panels = []
    for entry in dict.fromkeys(entry for entry, _ in curves):
        lines = {
            model: [LinePoint(share, tip=f"{model}: {share:.3f}") for share in line]
            for (other, model), line in curves.items()
            if other == entry
        }
        panels.append(LinePanel(entry.title, places, {**lines, "guessing": guessing}, FALSE_POSITIVES))
    entries = [KeyEntry(model, *style_of(at)) for at, model in enumerate(models)]
    entries.append(KeyEntry("guessing", MUTED, "circle"))
    axis = "share of positives that score higher than all but this share of negatives"
    rows = [
        (entry.id, model, *point)
        for (entry, model), line in curves.items()
        for point in zip(FALSE_POSITIVES, line, strict=True)
    ]
    return Figure(
        id=block_id("roc", group.id),
        caption=f"ROC curves: {lowered(group.title)}.",
        description=f"The share of positives found by {numbered(len(models), 'model')} for a share of negatives.",
        draw=LinePlot(panels, entries, axis, least=0.0).draw,
        data=pl.DataFrame(rows, ["set", "model", "false_positives", "true_positives"], orient="row"),
        folded=folded,
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
