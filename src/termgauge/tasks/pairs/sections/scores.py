"""Scores of pairs as they come to the sections that picture them: a set at a time, on the pairs that all can score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from termgauge.reporting.plots.look import SERIES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from termgauge.reporting.set_names import TitledSet
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
    ranked = [
        model for model in standings.ranked(sets) if any(standings.value(each, model) is not None for each in sets)
    ]
    chosen = ranked[:most]
    baseline = next((model for model in ranked if model in standings.baselines), None)
    if baseline is not None and baseline not in chosen:
        chosen[-1] = baseline
    return chosen


def left_out(standings: Standings, sets: Sequence[TitledSet], chosen: Sequence[str]) -> str:
    """Return a sentence about the models that are not pictured; nothing if all are."""
    others = [
        model
        for model in standings.models
        if model not in chosen and any(standings.value(each, model) is not None for each in sets)
    ]
    if not others:
        return ""
    return f" Not shown, to keep it readable: {len(others)} more with lower values."


def colours_of(standings: Standings, chosen: Sequence[str]) -> dict[str, str]:
    """Return a colour for each model that is pictured, the same in all pictures where they are the same."""
    ordered = [model for model in standings.models if model in chosen]
    return {model: SERIES[place % len(SERIES)] for place, model in enumerate(ordered)}
