"""Plots of a quality study: how right the labels of each set are, and what people say about positives and negatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.reporting.blocks import Figure
from termgauge.reporting.numbers import decimal
from termgauge.reporting.plots.bars import StackedBars
from termgauge.reporting.plots.canvas import KeyEntry
from termgauge.reporting.plots.dots import Dot, DotPanel, DotPlot
from termgauge.reporting.plots.look import ACCENT, NEGATIVE, POSITIVE, QUIET

if TYPE_CHECKING:
    from termgauge.studies.quality import QualityResult

MEASURES = {"alpha": "alpha", "accuracy": "accuracy", "recall": "recall", "precision": "precision"}
_PARTS = (
    KeyEntry("same", POSITIVE, "square"),
    KeyEntry("no majority", QUIET, "square"),
    KeyEntry("not same", NEGATIVE, "square"),
)


def measures_figure(result: QualityResult, names: dict[str, str], *, coded: bool = False) -> Figure:
    """Return alpha, accuracy, recall and precision of each set, with their intervals."""
    panels = []
    for name, title in MEASURES.items():
        dots: dict[str, list[Dot]] = {}
        for each in result.sets:
            value, (low, high) = each.measured(name)
            if value is not None:
                tip = f"{names[each.set]}, {title}: {decimal(value, 2)}"
                dots[names[each.set]] = [Dot(value, low, high, ACCENT, tip=tip)]
        if dots:
            panels.append(DotPanel((title.capitalize(),), dots, reference=result.overall.measured(name)[0]))
    order = [names[each.set] for each in result.sets]
    plot = DotPlot(panels, order, "with 95 % intervals; dashed: all sets", most=1.0)
    described = (f"{names[each.set]}: accuracy {decimal(each.accuracy, 2)}" for each in result.sets)
    rows = [
        (each.set, name, value, low, high)
        for each in result.sets
        for name in MEASURES
        for value, (low, high) in [each.measured(name)]
    ]
    return Figure(
        "quality-measures",
        f"Agreement of the raters, and accuracy, recall and precision of the labels, by set{_codes(coded)}.",
        f"Dots with intervals. {'; '.join(described)}.",
        plot.draw,
        pl.DataFrame(rows, ["set", "measure", "value", "low", "high"], orient="row", infer_schema_length=None),
    )


def truths_figure(result: QualityResult, names: dict[str, str], *, coded: bool = False) -> Figure:
    """Return how many positives, and how many negatives, people call the same."""
    order = [names[each.set] for each in result.sets]
    positives, negatives = {}, {}
    for each in result.sets:
        positives[names[each.set]] = (each.tp, each.positives - each.tp - each.fp, each.fp)
        negatives[names[each.set]] = (each.fn, each.negatives - each.fn - each.tn, each.tn)
    panels = (("Positives (label 1)", positives), ("Negatives (label 0)", negatives))
    plot = StackedBars(panels, order, _PARTS, "per cent of the pairs asked")
    rows = [
        (each.set, label, *counts[names[each.set]])
        for each in result.sets
        for label, counts in ((1, positives), (0, negatives))
    ]
    found = result.overall
    return Figure(
        "quality-truths",
        f"What the majority says about positives and about negatives of each set{_codes(coded)}.",
        f"Bars. Of all positives {found.tp} are called the same and {found.fp} not the same; of all negatives "
        f"{found.fn} are called the same and {found.tn} not the same.",
        plot.draw,
        pl.DataFrame(rows, ["set", "label", "same", "no_majority", "not_same"], orient="row"),
    )


def _codes(coded: bool) -> str:
    return " (e, h: easy, hard; R, L: random, edit-distance negatives)" if coded else ""
