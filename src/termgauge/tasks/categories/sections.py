"""How far models keep a distant category of terms apart from two close ones: the category pictures and table."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from termgauge.document.blocks import Cell, Column, Figure, Interval, Prose, Section, Table, block_id
from termgauge.document.numbers import decimal, number
from termgauge.document.plots.canvas import KeyEntry
from termgauge.document.plots.dots import Dot, DotPanel, DotPlot
from termgauge.document.plots.look import ACCENT, MUTED, NEGATIVE, POSITIVE
from termgauge.document.words import bold, headed, plain
from termgauge.tasks.categories.overlap import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from termgauge.document.blocks import Block
    from termgauge.tasks.categories.result import CategoryResult, Separation

_PAIRS = {"AB": "A, B: close", "AC": "A, C: distant", "AA": "within A", "BB": "within B", "CC": "within C"}
_STYLES = {"AB": (POSITIVE, "circle"), "AC": (NEGATIVE, "square"), "AA": (MUTED, "triangle-up"),
           "BB": (MUTED, "diamond"), "CC": (MUTED, "cross")}  # fmt: skip


class _Row(NamedTuple):
    """A model by one measure."""

    label: str
    model: str
    measure: str
    values: Separation

    def flat(self, *, everything: bool = True) -> dict[str, object]:
        """Return all digits: of everything, or only of the overlap."""
        values = self.values
        overlap = {"overlap": values.overlap, "low": values.low, "high": values.high}
        rest = {pair: values.means.get(pair) for pair in _PAIRS} | dict(zip("abc", values.sizes, strict=True))
        return {"model": self.model, "measure": self.measure, **overlap, **(rest if everything else {})}


def category_section(name: str, result: CategoryResult, baselines: Mapping[str, str] | None = None) -> Section:
    """Return what was found about one choice of categories; `baselines` are models that know no medicine."""
    rows = [
        _Row(model if len(by_measure) == 1 else f"{model}, {measure}", model, measure, values)
        for model, by_measure in result.models.items()
        for measure, values in by_measure.items()
    ]
    valued = sorted((row for row in rows if row.values.overlap is not None), key=lambda row: row.values.overlap or 0.0)
    rows = [*valued, *(row for row in rows if row.values.overlap is None)]
    meant = [row for row in rows if any(row.values.means.get(pair) is not None for pair in _PAIRS)]
    blocks: tuple[Block, ...] = (
        Prose(_about(result, valued)),
        *([_overlap_figure(name, valued, baselines or {})] if valued else []),
        *([_means_figure(name, meant)] if meant else []),
        _table(name, rows),
    )
    return Section(block_id("categories", name), headed("Categories kept apart", name), blocks)


def _about(result: CategoryResult, valued: Sequence[_Row]) -> tuple[str, ...]:
    categories = [result.categories[letter] for letter in CATEGORIES]
    a, b, c = (f"{plain(each.name)} ({number(each.terms)} terms)" for each in categories)
    text = (
        f"A, {a}, and B, {b}, are close; C, {c}, is distant from both. The overlap is the share of triples in which a "
        "term of A is no nearer to one of B than to one of C: 0 is perfect, 0.5 is chance."
    )
    shared = result.shared_terms
    text += f" {number(shared)} terms are in more than one category." if shared else ""
    if not valued:
        return (text, "No model has a value.")
    best, *others = valued
    claim = f"{bold(best.model)} has the lowest overlap, {best.values.overlap:.3f}"
    reached = best.values.high or 0
    near = [row.model for row in others if row.values.low is not None and row.values.low <= reached]
    names = list(dict.fromkeys(model for model in near if model != best.model))
    claim += f"; the intervals of {', '.join(map(plain, names[:4]))} reach as low" if names else ""
    return (text, f"{claim}.")


def _table(name: str, rows: Sequence[_Row]) -> Table:
    cells = []
    for row in rows:
        values = row.values
        interval = Interval.known(values.low, values.high, 3)
        overlap = Cell.number(values.overlap, interval=interval, best=values.overlap == rows[0].values.overlap)
        means = (Cell.number(values.means.get(pair), 2) for pair in _PAIRS)
        cells.append((Cell(row.model), Cell(row.measure), overlap, *means, *map(Cell.count, values.sizes)))
    return Table(
        id=block_id("category-values", name),
        caption="Overlap with its interval, mean similarities between and within categories, and terms encoded.",
        columns=(
            Column("Model"),
            Column("Measure"),
            Column("Overlap", numeric=True, note="0 is perfect, 0.5 is chance"),
            *(Column(pair, numeric=True, group="Mean similarity", note=what) for pair, what in _PAIRS.items()),
            *(Column(letter, numeric=True, group="Terms encoded") for letter in CATEGORIES),
        ),
        rows=tuple(cells),
        notes=("Intervals are over the terms of A.",),
        data=pl.DataFrame([row.flat() for row in rows], infer_schema_length=None) if rows else None,
    )


def _overlap_figure(name: str, valued: Sequence[_Row], baselines: Mapping[str, str]) -> Figure:
    dots = {}
    for label, model, _measure, values in valued:
        assert values.overlap is not None
        shape = "diamond" if model in baselines else "circle"
        dots[label] = [Dot(values.overlap, values.low, values.high, ACCENT, shape, f"{label}: {values.overlap:.3f}")]
    weak = any(row.model in baselines for row in valued)
    entries = (KeyEntry("model", ACCENT), KeyEntry("baseline", ACCENT, "diamond")) if weak else ()
    plot = DotPlot(
        [DotPanel((), dots)], list(dots), "overlap (lower is better)", reference=0.5, entries=entries, least=0.0
    )
    return Figure(
        id=block_id("category-overlap", name),
        caption="Relative overlap of the categories with its interval; the dashed line is chance.",
        description="; ".join(f"{label}: {dot.value:.2f}" for label, (dot,) in dots.items()) + ".",
        draw=plot.draw,
        data=pl.DataFrame([row.flat(everything=False) for row in valued]),
    )


def _means_figure(name: str, rows: Sequence[_Row]) -> Figure:
    dots = {
        row.label: [
            Dot(mean, None, None, *_STYLES[pair], tip=f"{row.label}, {what}: {mean:.3f}")
            for pair, what in reversed(_PAIRS.items())
            if (mean := row.values.means.get(pair)) is not None
        ]
        for row in rows
    }
    entries = tuple(KeyEntry(what, *_STYLES[pair]) for pair, what in _PAIRS.items())
    plot = DotPlot([DotPanel((), dots)], list(dots), "mean similarity", entries=entries)
    described = []
    for row in rows:
        close, distant = (decimal(row.values.means.get(pair), 2) for pair in ("AB", "AC"))
        described.append(f"{row.label}: {close} between A and B, {distant} between A and C")
    data = [(row.model, row.measure, pair, row.values.means.get(pair)) for row in rows for pair in _PAIRS]
    return Figure(
        id=block_id("category-means", name),
        caption="Mean similarities between and within categories: those of A and B should be above those of A and C.",
        description=f"{'; '.join(described)}.",
        draw=plot.draw,
        data=pl.DataFrame(
            data, ["model", "measure", "pair", "mean_similarity"], orient="row", infer_schema_length=None
        ),
    )
