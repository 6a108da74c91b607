"""How far models keep a distant category of terms apart from two close ones: the category pictures and table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.document.blocks import Cell, Column, Figure, Interval, Prose, Section, Table, block_id
from termgauge.document.numbers import decimal, number
from termgauge.document.plots.canvas import KeyEntry
from termgauge.document.plots.dots import Dot, DotPanel, DotPlot
from termgauge.document.plots.look import ACCENT, MUTED, NEGATIVE, POSITIVE
from termgauge.document.words import bold, headed, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from termgauge.document.blocks import Block
    from termgauge.tasks.categories.result import CategoryResult

_PAIRS = {"AB": "A, B: close", "AC": "A, C: distant", "AA": "within A", "BB": "within B", "CC": "within C"}
_STYLES = {"AB": (POSITIVE, "circle"), "AC": (NEGATIVE, "square"), "AA": (MUTED, "triangle-up"),
           "BB": (MUTED, "diamond"), "CC": (MUTED, "cross")}  # fmt: skip


def category_section(name: str, result: CategoryResult, baselines: Mapping[str, str] | None = None) -> Section:
    """Return what was found about one choice of categories; `baselines` are models that know no medicine."""
    rows = _rows(result)
    rows.sort(key=lambda row: (row["overlap"] is None, row["overlap"] or 0.0))
    weak = baselines or {}
    figures = [figure for figure in (_overlap_figure(name, rows, weak), _means_figure(name, rows)) if figure]
    blocks: tuple[Block, ...] = (Prose(_about(result, rows)), *figures, _table(name, rows))
    return Section(block_id("categories", name), headed("Categories kept apart", name), blocks)


def _rows(result: CategoryResult) -> list[dict[str, Any]]:
    rows = []
    for model, by_measure in result.models.items():
        for measure, found in by_measure.items():
            label = model if len(by_measure) == 1 else f"{model}, {measure}"
            means = {pair: found.means.get(pair) for pair in _PAIRS}
            rows.append(
                {"label": label, "model": model, "measure": measure, "overlap": found.overlap, "low": found.low,
                 "high": found.high, **means, **dict(zip("abc", found.sizes, strict=True))}
            )  # fmt: skip
    return rows


def _about(result: CategoryResult, rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    one, two, three = (result.categories[letter] for letter in "ABC")
    a, b, c = (f"{plain(str(each.name))} ({number(each.terms)} terms)" for each in (one, two, three))
    text = (
        f"A, {a}, and B, {b}, are close; C, {c}, is distant from both. The overlap is the share of triples in which a "
        "term of A is no nearer to one of B than to one of C: 0 is perfect, 0.5 is chance."
    )
    shared = result.shared_terms
    text += f" {number(shared)} terms are in more than one category." if shared else ""
    valued = [row for row in rows if row["overlap"] is not None]
    if not valued:
        return (text, "No model has a value.")
    best = valued[0]
    claim = f"{bold(best['model'])} has the lowest overlap, {best['overlap']:.3f}"
    if len(valued) > 1:
        close_ones = [
            row["model"] for row in valued[1:] if row["low"] is not None and row["low"] <= (best["high"] or 0)
        ]
        others = list(dict.fromkeys(model for model in close_ones if model != best["model"]))
        claim += f"; the intervals of {', '.join(map(plain, others[:4]))} reach as low" if others else ""
    return (text, f"{claim}.")


def _table(name: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    lowest = min((row["overlap"] for row in rows if row["overlap"] is not None), default=None)
    cells = []
    for row in rows:
        interval = Interval.known(row["low"], row["high"], 3)
        overlap = Cell.number(row["overlap"], interval=interval, best=row["overlap"] == lowest)
        means = (Cell.number(row[pair], 2) for pair in _PAIRS)
        sizes = (Cell.count(row[letter]) for letter in "abc")
        cells.append((Cell(row["model"]), Cell(row["measure"]), overlap, *means, *sizes))
    return Table(
        id=block_id("category-values", name),
        caption="Overlap with its interval, mean similarities between and within categories, and terms encoded.",
        columns=(
            Column("Model"),
            Column("Measure"),
            Column("Overlap", numeric=True, note="0 is perfect, 0.5 is chance"),
            *(Column(pair, numeric=True, group="Mean similarity", note=what) for pair, what in _PAIRS.items()),
            *(Column(letter, numeric=True, group="Terms encoded") for letter in "ABC"),
        ),
        rows=tuple(cells),
        notes=("Intervals are over the terms of A.",),
        data=pl.DataFrame(list(rows), infer_schema_length=None).drop("label") if rows else None,
    )


def _overlap_figure(name: str, rows: Sequence[Mapping[str, Any]], baselines: Mapping[str, str]) -> Figure | None:
    valued = [row for row in rows if row["overlap"] is not None]
    if not valued:
        return None
    dots = {
        row["label"]: [
            Dot(
                row["overlap"],
                row["low"],
                row["high"],
                ACCENT,
                "diamond" if row["model"] in baselines else "circle",
                f"{row['label']}: {row['overlap']:.3f}",
            )
        ]
        for row in valued
    }
    weak = any(row["model"] in baselines for row in valued)
    entries = (KeyEntry("model", ACCENT), KeyEntry("baseline", ACCENT, "diamond")) if weak else ()
    plot = DotPlot(
        [DotPanel((), dots)], list(dots), "overlap (lower is better)", reference=0.5, entries=entries, least=0.0
    )
    return Figure(
        id=block_id("category-overlap", name),
        caption="Relative overlap of the categories with its interval; the dashed line is chance.",
        description="; ".join(f"{label}: {dot[0].value:.2f}" for label, dot in dots.items()) + ".",
        draw=plot.draw,
        data=pl.DataFrame(
            [{key: row[key] for key in ("model", "measure", "overlap", "low", "high")} for row in valued]
        ),
    )


def _means_figure(name: str, rows: Sequence[Mapping[str, Any]]) -> Figure | None:
    valued = [row for row in rows if any(row[pair] is not None for pair in _PAIRS)]
    if not valued:
        return None
    dots = {
        row["label"]: [
            Dot(row[pair], None, None, *_STYLES[pair], tip=f"{row['label']}, {what}: {row[pair]:.3f}")
            for pair, what in reversed(_PAIRS.items())
            if row[pair] is not None
        ]
        for row in valued
    }
    entries = tuple(KeyEntry(what, *_STYLES[pair]) for pair, what in _PAIRS.items())
    plot = DotPlot([DotPanel((), dots)], list(dots), "mean similarity", entries=entries)
    return Figure(
        id=block_id("category-means", name),
        caption="Mean similarities between and within categories: those of A and B should be above those of A and C.",
        description="; ".join(
            f"{row['label']}: {decimal(row['AB'], 2)} between A and B, {decimal(row['AC'], 2)} between A and C"
            for row in valued
        )
        + ".",
        draw=plot.draw,
        data=pl.DataFrame(
            [
                {"model": row["model"], "measure": row["measure"], "pair": pair, "mean_similarity": row[pair]}
                for row in valued
                for pair in _PAIRS
            ],
            infer_schema_length=None,
        ),
    )
