"""Plots of how networks learnt: F on the part devel, and the loss, over the epochs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.reporting.blocks import Figure, block_id
from termgauge.reporting.plots.curves import Curves
from termgauge.reporting.plots.look import SERIES
from termgauge.tasks.shown import style_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.tasks.ner.result import NerCorpus, NerResult, NerScores

_MOST_LINES = len(SERIES)
_CAPTIONS = {
    "devel_f": "F on the part devel, times 100, after each epoch, by the profile's own decoding; mean of the trials",
    "loss": "Loss in training, the mean over tokens, in each epoch; mean of the trials",
}


def curve_figures(
    name: str, corpus: str, result: NerResult, found: NerCorpus, order: Sequence[str]
) -> Iterator[Figure]:
    """Yield how F on devel, where there is that part, and the loss came about."""
    if result.epochs == 1:
        return
    shown = list(order[:_MOST_LINES])
    more = f" The best {len(shown)} models." if len(shown) < len(order) else ""
    data = pl.DataFrame(
        [
            (model, trial + 1, epoch + 1, each.loss, each.devel_f, each.seconds)
            for model in order
            for trial, curve in enumerate(found.models[model].curves)
            for epoch, each in enumerate(curve)
        ],
        ["model", "trial", "epoch", "loss", "devel_f", "seconds"],
        orient="row",
        infer_schema_length=None,
    )
    for statistic, caption in _CAPTIONS.items():
        lines = {model: _mean_curve(found.models[model], statistic) for model in shown}
        if any(value is None for line in lines.values() for value in line):
            continue
        known = {model: [value for value in line if value is not None] for model, line in lines.items()}
        described = (f"{model}: {line[0]:.3g} after one, {line[-1]:.3g} in the end" for model, line in known.items())
        yield Figure(
            id=block_id("ner", statistic, name, corpus),
            caption=f"{caption}. {corpus}, profile {result.profile}.{more}",
            description=f"{'; '.join(described)}.",
            draw=Curves(
                range(1, result.epochs + 1), known, list(map(style_of, range(len(known)))), "epoch", digits=3
            ).draw,
            data=data,
            folded=statistic == "loss" and found.parts.get("devel") is not None,
        )


def _mean_curve(scores: NerScores, statistic: str) -> list[float | None]:
    """Return the mean over trials in each epoch, F times 100; None where there is none."""
    factor = 100 if statistic == "devel_f" else 1
    means: list[float | None] = []
    for epoch in zip(*scores.curves, strict=True):
        values = [value for each in epoch if (value := getattr(each, statistic)) is not None]
        means.append(factor * sum(values) / len(values) if len(values) == len(epoch) else None)
    return means
