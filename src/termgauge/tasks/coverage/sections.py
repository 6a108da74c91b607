"""How well models cover a domain: Tables 3 and 4 of Giancani et al. (2023), their figures 1 and 2, and a map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.plurals import numbered
from termgauge.reporting.blocks import Cell, Column, Figure, Prose, Section, Table, block_id
from termgauge.reporting.plots.canvas import (
    ACCENT,
    LINE,
    QUIET,
    SERIES,
    SMALL,
    Canvas,
    KeyEntry,
    shortened,
    text_width,
)
from termgauge.reporting.plots.dots import Dot, DotPanel, DotPlot
from termgauge.reporting.plots.lines import curves
from termgauge.reporting.words import counted, decimal, number, plain, share
from termgauge.tasks.coverage.result import DISCOUNTED, GAIN, IN_VOCABULARY, NAMES, main_k
from termgauge.tasks.results import at_k
from termgauge.tasks.shown import (
    ShownValues,
    by_neighbourhood,
    encoders_note,
    frame_of_rows,
    left_out_note,
    opening,
    style_of,
    testing_notes,
    zeros_note,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.tasks.contract import About
    from termgauge.tasks.coverage.result import CoverageResult, Point

_MOST_SEEDS = 300
_SHARED = "seeds that are neighbours of each other, and for words that stand in many lists"
_NOTES = {
    GAIN: "share of the k nearest neighbours of the seeds that are seeds",
    DISCOUNTED: "the same, a neighbour at rank j counting 1/log2(j + 1)",
}


def coverage_sections(result: CoverageResult, about: About) -> Iterator[Section]:
    """Yield what was found about the coverage of one domain."""
    name = about.name
    k = main_k(result.k)
    best_first = sorted(result.models.items(), key=lambda item: (-item[1].at(k).posdcg, -item[1].share))
    groups = by_neighbourhood(dict(best_first))
    order = [model for group in groups.values() for model in group]
    values = ShownValues(result.values(), result.differences, groups.values())
    figures = (values_figure(_apart(name, kind), result, group, k) for kind, group in groups.items())
    tables = [_main_table(name, result, values, order, k)] if order else []
    yield opening("coverage", "Coverage of a domain", name, result, _about(result, groups), *figures, *tables)
    if not order:
        return
    if len(result.k) > 1:
        lines = (lines_figure(_apart(name, kind), result, group) for kind, group in groups.items())
        more: tuple[Block, ...] = (*lines, _table_of_ks(name, result, values, order))
        yield Section(block_id("coverage-k", name), "More or fewer neighbours", more, level=3)
    if missing := _missing_table(name, result, order):
        yield Section(block_id("coverage-missing", name), "Seeds that models lack", (missing,), level=3)
    drawn = [model for model in order if (drawing := result.models[model].map) and drawing.points]
    if drawn:
        maps = (map_figure(name, result, model, folded=model != drawn[0]) for model in drawn)
        text = (
            "Seeds and what is nearest to them, in the plane of the first two principal components of their unit "
            "vectors: what lies close together here is close in two of many directions, no more."
        )
        yield Section(block_id("coverage-maps", name), "Maps of the domain", (Prose((text,)), *maps), level=3)


def _apart(name: str, neighbourhood: str) -> str:
    return name if neighbourhood == "vocabulary" else f"{name} encoders"


def _about(result: CoverageResult, groups: Mapping[str, Sequence[str]]) -> Iterator[str]:
    domain = result.domain
    terminology = " ".join(filter(None, (domain.terminology.get(key) for key in ("edition", "version"))))
    of = f" of {plain(terminology)}" if terminology else ""
    yield (
        f"The domain has {counted(len(domain), 'concept')}{of}, its seeds: {plain(domain.title)}. Seeds without a "
        "vector count as misses."
    )
    yield from encoders_note(groups)
    if nothing := [name for name, model in result.models.items() if not model.in_vocabulary]:
        yield f"None of the seeds is in the vocabulary of {zeros_note(nothing)}"
    yield from left_out_note(result.left_out)


def _main_table(name: str, result: CoverageResult, values: ShownValues, order: Sequence[str], k: int) -> Table:
    rows = []
    for model in order:
        figures = result.models[model]
        among = "names" if figures.neighbourhood == "terminology" else figures.kind
        rows.append(
            (
                model,
                Cell(f"{number(figures.neighbourhood_size)} {among}", figures.neighbourhood_size),
                figures.out_of_vocabulary,
                Cell(f"{100 * (1 - figures.share):.1f}", 1 - figures.share),
                figures.in_vocabulary,
                values.cell(model, "", IN_VOCABULARY, 1, percent=True),
                *_cells_at(values, model, [k]),
                1 - figures.at(k).posdcg,
            )
        )
    return Table.from_rows(
        block_id("coverage-values", name),
        f"Seeds in the vocabulary, and how many of their nearest neighbours (k = {k}) are seeds.",
        (
            "Model",
            Column.number("Neighbours among"),
            Column.count("|OOV|", "seeds out of vocabulary"),
            Column.number("%OOV", note="share of the seeds that are out of vocabulary"),
            Column.count("|IV|", "seeds in the vocabulary"),
            Column.number("%IV", note="share of the seeds that are in the vocabulary"),
            *(Column.number(f"{title} {k}", note=_NOTES[which]) for which, title in NAMES.items()),
            Column.number(f"negDCG {k}", note="1 − posDCG: neighbours that are no seeds, and seeds without any"),
        ),
        rows,
        testing_notes(result, _SHARED),
    )


def _table_of_ks(name: str, result: CoverageResult, values: ShownValues, order: Sequence[str]) -> Table:
    columns = (Column.number(at_k(k), 3, _NOTES[which], title) for which, title in NAMES.items() for k in result.k)
    return Table.from_rows(
        block_id("coverage-ks", name),
        "%CG and posDCG for each number of neighbours k.",
        ("Model", *columns),
        ((model, *_cells_at(values, model, result.k)) for model in order),
        testing_notes(result, _SHARED),
        folded=True,
    )


def _cells_at(values: ShownValues, model: str, ks: Sequence[int]) -> Iterator[Cell]:
    yield from (values.cell(model, at_k(k), GAIN, 1, percent=True) for k in ks)
    yield from (values.cell(model, at_k(k), DISCOUNTED) for k in ks)


def _missing_table(name: str, result: CoverageResult, order: Sequence[str]) -> Table | None:
    """Return which models have the seeds that not all have, those first on which models differ."""
    lacks = {model: set(result.models[model].missing) for model in order}
    from_some, from_all = set.union(*lacks.values()), set.intersection(*lacks.values())
    lacking = sorted((seed for seed in result.domain.seeds if seed in from_some), key=from_all.__contains__)
    if not lacking:
        return None
    names = result.domain.names
    rows = [(seed, names.get(seed), *(seed not in lacks[model] for model in order)) for seed in lacking]
    note = f"Seeds: {number(len(result.domain))}; missing from some model: {number(len(lacking))}; from all: "
    note += f"{number(len(from_all))}. The table has at most {_MOST_SEEDS}, the data all."
    return Table.from_rows(
        block_id("coverage-seeds", name),
        "Seeds that are not in all vocabularies: a tick where a model has the seed.",
        ("Concept", "Name", *order),
        ((seed, title or "–", *("✓" if tick else "" for tick in ticks)) for seed, title, *ticks in rows[:_MOST_SEEDS]),
        (note,),
        data=frame_of_rows(rows, ["concept", "name", *(f"in {model}" for model in order)]),
        folded=True,
    )


_MOST_LINES = len(SERIES)
_LABELS = 14
"""Seeds that are named on a map."""


def values_figure(name: str, result: CoverageResult, order: Sequence[str], k: int) -> Figure:
    """Return figure 1 of the paper: the share in vocabulary beside %CG and posDCG, models by posDCG."""
    figures = {model: result.models[model] for model in order}
    titles = {IN_VOCABULARY: "%IV"} | {statistic: f"{title}, k = {k}" for statistic, title in NAMES.items()}
    panels = []
    for statistic, title in titles.items():
        measured = {model: figure.measured(statistic, k) for model, figure in figures.items()}
        dots = {
            model: [Dot(value, *ends, ACCENT, tip=f"{model}: {decimal(value, 3)}")]
            for model, (value, ends) in measured.items()
        }
        panels.append(DotPanel((title,), dots))
    rows = [(model, figure.share, k, figure.at(k).cg, figure.at(k).posdcg) for model, figure in figures.items()]
    described = (
        f"{model}: {share(covered)} in vocabulary, posDCG {decimal(gain, 3)}" for model, covered, *_, gain in rows
    )
    return Figure(
        id=block_id("coverage-dots", name),
        caption=f"Share of the seeds in the vocabulary, %CG and posDCG for k = {k}, with intervals"
        f"{_where(result, order)}.",
        description=f"{'; '.join(described)}.",
        draw=DotPlot(panels, order, "between 0 and 1", most=1.0, least=0.0).draw,
        data=pl.DataFrame(rows, ["model", "share", "k", "cg", "posdcg"], orient="row"),
    )


def _where(result: CoverageResult, order: Sequence[str]) -> str:
    """Say that neighbours were sought among names of concepts, where that is so."""
    names = result.models[order[0]].neighbourhood == "terminology"
    return "; neighbours among the names of the terminology's concepts" if names else ""


def lines_figure(name: str, result: CoverageResult, order: Sequence[str]) -> Figure:
    """Return figure 2 of the paper: posDCG over the number of neighbours."""
    ks = result.k
    values = {model: [result.models[model].at(k).posdcg for k in ks] for model in order}
    shown = list(order[:_MOST_LINES])
    more = f"; the best {len(shown)} models" if len(shown) < len(order) else ""
    described = (
        f"{model}: {values[model][0]:.3f} at k = {ks[0]}, {values[model][-1]:.3f} at k = {ks[-1]}" for model in shown
    )
    rows = [(model, k, value) for model in order for k, value in zip(ks, values[model], strict=True)]
    return Figure(
        id=block_id("coverage-lines", name),
        caption=f"posDCG over the number of neighbours k{more}{_where(result, order)}.",
        description=f"{'; '.join(described)}.",
        draw=curves(
            ks, {model: values[model] for model in shown}, list(map(style_of, range(len(shown)))), "neighbours k"
        ).draw,
        data=pl.DataFrame(rows, ["model", "k", "posdcg"], orient="row"),
    )


def map_figure(name: str, result: CoverageResult, model: str, *, folded: bool) -> Figure:
    """Return the map of a domain under a model."""
    drawn = result.models[model].map
    assert drawn is not None
    points = drawn.points
    names = result.domain.names
    seeds = sum(point.seed for point in points)
    rows = [(point.term, point.seed, ", ".join(point.concepts), point.x, point.y) for point in points]
    caption = (
        f"The domain under {model}: {counted(seeds, 'seed')} and {number(len(points) - seeds)} of "
        "their neighbours that are not seeds. The "
        f"axes show {100 * drawn.explained[0]:.0f} % and {100 * drawn.explained[1]:.0f} % of the variance."
    )
    if drawn.seeds_left_out:
        caption += f" {numbered(drawn.seeds_left_out, 'more seed is', 'more seeds are')} not shown."
    return Figure(
        id=block_id("coverage-map", name, model),
        caption=caption,
        description=f"A scatter plot of {counted(seeds, 'seed')} and {counted(len(points) - seeds, 'neighbour')} under "
        f"{model}.",
        draw=lambda width: _draw_map(width, points, names),
        data=pl.DataFrame(rows, ["term", "seed", "concepts", "x", "y"], orient="row"),
        folded=folded,
    )


def _draw_map(width: int, points: Sequence[Point], names: Mapping[str, str | None]) -> Canvas:
    canvas = Canvas(width)
    wide, tall = canvas.room, min(480.0, 0.75 * canvas.room)
    xs, ys = [point.x for point in points], [point.y for point in points]
    # One scale for both axes, so that distances can be compared.
    scale = min((wide - 40) / ((max(xs) - min(xs)) or 1), (tall - 40) / ((max(ys) - min(ys)) or 1))
    middle = (max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2
    placed = [(wide / 2 + scale * (point.x - middle[0]), tall / 2 - scale * (point.y - middle[1])) for point in points]
    for start, end in (((0, 0), (wide, 0)), ((0, tall), (wide, tall)), ((0, 0), (0, tall)), ((wide, 0), (wide, tall))):
        canvas.rule(start, end, LINE)
    for seed in (False, True):  # seeds in front
        for point, (x, y) in zip(points, placed, strict=True):
            if point.seed == seed:
                canvas.point(x, y, ACCENT if seed else QUIET, radius=3.2 if seed else 2.3, tip=_tip(point, names))
    _name_some(canvas, points, placed, wide, tall)
    canvas.height = tall + 4
    canvas.key([KeyEntry("seed", ACCENT), KeyEntry("neighbour that is no seed", QUIET)])
    return canvas


def _tip(point: Point, names: Mapping[str, str | None]) -> str:
    concepts = ", ".join(f"{names.get(concept) or '–'} ({concept})" for concept in point.concepts)
    return f"{point.term}: {concepts}" if concepts else f"{point.term}: no seed"


def _name_some(
    canvas: Canvas,
    points: Sequence[Point],
    placed: Sequence[tuple[float, float]],
    wide: float,
    tall: float,
) -> None:
    """Name a few seeds where the names do not meet."""
    taken: list[tuple[float, float, float]] = []
    for point, (x, y) in zip(points, placed, strict=True):
        if len(taken) == _LABELS:
            return
        label = shortened(point.term, 150, SMALL)
        half = text_width(label, SMALL) / 2
        at = min(max(x, half + 4), wide - half - 4)
        above = y - 11 if y > 20 else min(y + 12, tall - 8)
        meets = any(
            abs(above - other_y) < 15 and abs(at - other_x) < half + other + 6 for other_x, other_y, other in taken
        )
        if point.seed and not meets:
            canvas.text(at, above, label, align="center", size=SMALL)
            taken.append((at, above, half))
