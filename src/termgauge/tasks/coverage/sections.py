"""How well models cover a domain: Tables 3 and 4 of Giancani et al. (2023), their figures 1 and 2, and a map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Cell, Column, Figure, Interval, Prose, Section, Table, WinsLosses, block_id
from termgauge.reporting.plots.canvas import (
    ACCENT,
    GAP,
    INK,
    LINE,
    QUIET,
    SERIES,
    SMALL,
    Canvas,
    KeyEntry,
    Panel,
    heading,
    label_room,
    shortened,
    side_by_side,
    text_width,
)
from termgauge.reporting.plots.lines import Curves
from termgauge.reporting.words import bold, count, counted, decimal, headed, listed, number, plain, share
from termgauge.tasks.coverage.measure import IN_VOCABULARY
from termgauge.tasks.shown import (
    best_models,
    by_neighbourhood,
    left_out_note,
    percent_cell,
    style_of,
    superscript_note,
    zeros_note,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.tasks.contract import About
    from termgauge.tasks.coverage.measure import Point
    from termgauge.tasks.coverage.result import CoverageFigures, CoverageResult

USUAL_K = 10
"""What the paper shows its results for."""
_MOST_SEEDS = 300
_NAMES = {"cg": "%CG", "posdcg": "posDCG"}
_SHARES = (IN_VOCABULARY, "cg")
"""What is shown in per cent."""
_NOTES = {
    "cg": "share of the k nearest neighbours of the seeds that are seeds",
    "posdcg": "the same, a neighbour at rank j counting 1/log2(j + 1)",
}


def coverage_sections(result: CoverageResult, about: About) -> Iterator[Section]:
    """Yield what was found about the coverage of one domain."""
    name = about.name
    k = USUAL_K if USUAL_K in result.k else result.k[0]
    groups = _groups(result, k)
    order = [model for group in groups.values() for model in group]
    title = headed("Coverage of a domain", name)
    if not order:
        yield Section(block_id("coverage", name), title, (Prose((_domain(result), "No model has a value.")),))
        return
    blocks: tuple[Block, ...] = (
        Prose(tuple(_about(result, groups, k))),
        *(bars_figure(_apart(name, place), result, group, k) for place, group in groups.items()),
        _main_table(name, result, order, k),
    )
    yield Section(block_id("coverage", name), title, blocks)
    if len(result.k) > 1:
        lines = (lines_figure(_apart(name, place), result, group) for place, group in groups.items())
        more: tuple[Block, ...] = (*lines, _table_of_ks(name, result, order))
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


def _groups(result: CoverageResult, k: int) -> dict[str, list[str]]:
    """Return the models by where their neighbours were sought, which is not to be compared, the best first."""
    models = result.models.items()
    best_first = sorted(models, key=lambda item: (-item[1].at(k).posdcg, -item[1].share))
    groups = by_neighbourhood(dict(best_first))
    return {place: groups[place] for place in ("vocabulary", "terminology") if place in groups}


def _apart(name: str, neighbourhood: str) -> str:
    return name if neighbourhood == "vocabulary" else f"{name} encoders"


def _domain(result: CoverageResult) -> str:
    domain = result.domain
    terminology = " ".join(filter(None, (domain.terminology.get(key) for key in ("edition", "version"))))
    of = f" of {plain(terminology)}" if terminology else ""
    return f"The domain has {counted(len(domain), 'concept')}{of}, its seeds: {plain(domain.title)}."


def _about(result: CoverageResult, groups: Mapping[str, Sequence[str]], k: int) -> Iterator[str]:
    yield _domain(result)
    if words := groups.get("vocabulary"):
        yield _best_of(result, words, k)
    if encoders := groups.get("terminology"):
        yield (
            f"{listed(map(bold, encoders))} {plural(len(encoders), 'has', 'have')} no vocabulary of words: "
            "neighbours are sought among the names of the terminology's concepts. This is a different question: do not "
            f"compare these values with those of a vocabulary. {_best_of(result, encoders, k)}"
        )
    if nothing := [name for name, model in result.models.items() if not model.in_vocabulary]:
        yield f"None of the seeds is in the vocabulary of {zeros_note(nothing)}"
    yield from left_out_note(result.left_out)


def _best_of(result: CoverageResult, group: Sequence[str], k: int) -> str:
    models = result.models
    widest = max(group, key=lambda model: models[model].share)
    seeds, gain = models[widest], models[group[0]].at(k)
    if len(group) > 1:
        known = f"knows the most of the seeds, {number(seeds.in_vocabulary)}"
        highest = f", which has the highest posDCG, {decimal(gain.posdcg, 3)}"
    else:
        known = f"knows {number(seeds.in_vocabulary)} of the seeds"
        highest = f" (posDCG {decimal(gain.posdcg, 3)})"
    return (
        f"{bold(widest)} {known} ({share(seeds.share)}). Of the {k} nearest neighbours of each seed "
        f"{100 * gain.cg:.1f} % are seeds under {bold(group[0])}{highest}; seeds without a vector count as misses."
    )


def _main_table(name: str, result: CoverageResult, order: Sequence[str], k: int) -> Table:
    best = {statistic: _best(result, statistic, k) for statistic in (IN_VOCABULARY, *_NAMES)}
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
                *(_measure_cell(figures, statistic, k, best=model in best[statistic]) for statistic in best),
                1 - figures.at(k).posdcg,
            )
        )
    encoders = any(model.neighbourhood == "terminology" for model in result.models.values())
    nearest = plural(k, "nearest neighbours are", f"{k} nearest neighbours are")
    names = "Names: neighbours are sought among the names of the terminology's concepts, which is a different question."
    return Table.from_rows(
        block_id("coverage-values", name),
        f"Seeds in the vocabulary, and how many of their {nearest} seeds.",
        (
            "Model",
            Column.number("Neighbours among"),
            Column.count("|OOV|", "seeds out of vocabulary"),
            Column.number("%OOV", note="share of the seeds that are out of vocabulary"),
            Column.count("|IV|", "seeds in the vocabulary"),
            Column.number("%IV", note="share of the seeds that are in the vocabulary"),
            *(Column.number(f"{title} {k}", note=_NOTES[which]) for which, title in _NAMES.items()),
            Column.number(f"negDCG {k}", note="1 − posDCG: neighbours that are no seeds, and seeds without any"),
        ),
        rows,
        notes=(*([names] if encoders else []), *_table_notes(result)),
        data=pl.DataFrame([_flat(model, result.models[model], k) for model in order]),
    )


def _table_of_ks(name: str, result: CoverageResult, order: Sequence[str]) -> Table:
    ks = result.k
    best = {(statistic, k): _best(result, statistic, k) for statistic in _NAMES for k in ks}
    rows = (
        (model, *(_measure_cell(result.models[model], *at, best=model in best[at]) for at in best)) for model in order
    )
    columns = (Column.number(f"k = {k}", 3, _NOTES[statistic], _NAMES[statistic]) for statistic, k in best)
    return Table.from_rows(
        block_id("coverage-ks", name),
        "%CG and posDCG for each number of neighbours k.",
        ("Model", *columns),
        rows,
        _table_notes(result),
        data=pl.DataFrame([_flat(model, result.models[model], k) for model in order for k in ks]),
        folded=True,
    )


def _missing_table(name: str, result: CoverageResult, order: Sequence[str]) -> Table | None:
    """Return which models have the seeds that not all have, those first on which models differ."""
    lacks = {model: set(result.models[model].missing) for model in order}
    seeds, names = result.domain.seeds, result.domain.names
    by_none = set.intersection(*lacks.values())
    lacking = sorted(
        (seed for seed in seeds if any(seed in missing for missing in lacks.values())), key=by_none.__contains__
    )
    if not lacking:
        return None
    shown = lacking[:_MOST_SEEDS]
    from_all = count(len(by_none)) if by_none else "none"
    are = plural(len(lacking), "is", "are")
    missing = f"{number(len(lacking))} of {numbered(len(seeds), 'seed')} {are} missing"
    notes = [f"{missing} from some model, {from_all} from all."]
    if len(shown) < len(lacking):
        notes.append(f"The table has {number(len(shown))} of them, the data all.")
    data = [
        {"concept": seed, "name": names.get(seed)} | {f"in {model}": seed not in lacks[model] for model in order}
        for seed in lacking
    ]
    return Table.from_rows(
        block_id("coverage-seeds", name),
        "Seeds that are not in all vocabularies: a tick where a model has the seed.",
        ("Concept", "Name", *order),
        ((seed, names.get(seed) or "–", *("" if seed in lacks[model] else "✓" for model in order)) for seed in shown),
        notes,
        data=pl.DataFrame(data, infer_schema_length=None),
        folded=True,
    )


def _best(result: CoverageResult, statistic: str, k: int) -> set[str]:
    groups = by_neighbourhood(result.models).values()
    values = ({model: result.models[model].measured(statistic, k)[0] for model in group} for group in groups)
    tested = (each for each in result.differences if each.statistic == statistic and each.k in (None, k))
    return best_models(values, tested)


def _measure_cell(figures: CoverageFigures, statistic: str, k: int, *, best: bool) -> Cell:
    value, ends, wins, losses = figures.measured(statistic, k)
    against = WinsLosses(wins, losses)
    if statistic in _SHARES:
        return percent_cell(value, 1, ends, against=against, best=best)
    return Cell.number(value, against=against, interval=Interval.known(*ends), best=best)


def _table_notes(result: CoverageResult) -> tuple[str, ...]:
    level = (
        f"Intervals at level {1 - result.alpha:g} are over seeds: Wilson's for %IV; for %CG and posDCG Student's, with "
        "a variance that counts what seeds share as neighbours of each other. There is none where nothing varies."
    )
    return level, *superscript_note(result.models, result.correction)


def _flat(model: str, figures: CoverageFigures, k: int) -> dict[str, str | float | None]:
    """Return all digits of a model at some k."""
    row: dict[str, str | float | None] = {"model": model, "k": k}
    row |= {name: getattr(figures, name) for name in ("seeds", "in_vocabulary", "out_of_vocabulary")}
    for name, statistic in {"share": IN_VOCABULARY, "cg": "cg", "posdcg": "posdcg"}.items():
        value, (low, high), _wins, _losses = figures.measured(statistic, k)
        row |= {name: value, f"{name}_low": low, f"{name}_high": high}
    return row


_ROW, _LEAST = 22, 130
_MOST_LINES = len(SERIES)
_LABELS = 14
"""Seeds that are named on a map."""


def bars_figure(name: str, result: CoverageResult, order: Sequence[str], k: int) -> Figure:
    """Return figure 1 of the paper: the share in vocabulary beside %CG and posDCG, models by posDCG."""
    shares = {model: result.models[model].share for model in order}
    at = {model: result.models[model].at(k) for model in order}
    titles = {IN_VOCABULARY: "%IV", "cg": f"%CG, k = {k}", "posdcg": f"posDCG, k = {k}"}
    described = (f"{each}: {share(shares[each])} in vocabulary, posDCG {decimal(at[each].posdcg, 3)}" for each in order)
    rows = [(model, shares[model], k, at[model].cg, at[model].posdcg) for model in order]
    return Figure(
        id=block_id("coverage-bars", name),
        caption=f"Share of the seeds in the vocabulary, %CG and posDCG for k = {k}, with intervals over seeds; each "
        f"has a scale of its own{_where(result, order)}.",
        description=f"{'; '.join(described)}.",
        draw=lambda width: _draw_bars(width, result, order, k, titles),
        data=pl.DataFrame(rows, ["model", "share", "k", "cg", "posdcg"], orient="row"),
    )


def _where(result: CoverageResult, order: Sequence[str]) -> str:
    """Say that neighbours were sought among names of concepts, where that is so."""
    names = result.models[order[0]].neighbourhood == "terminology"
    return "; neighbours among the names of the terminology's concepts" if names else ""


def _draw_bars(width: int, result: CoverageResult, names: Sequence[str], k: int, titles: Mapping[str, str]) -> Canvas:
    canvas = Canvas(width)
    room = label_room(names, canvas.room)
    columns = side_by_side(len(titles), canvas.room - room, _LEAST)
    wide = (canvas.room - room - GAP * (columns - 1) - 6) / columns
    top, panels = 0.0, list(titles.items())
    for low in range(0, len(panels), columns):
        start = top + 18
        end = start + _ROW * len(names)
        for place, name in enumerate(names):
            canvas.text(room - 10, start + _ROW * (place + 0.5), shortened(name, room - 10), align="right")
        for place, (statistic, title) in enumerate(panels[low : low + columns]):
            left = room + place * (wide + GAP)
            heading(canvas, left, top + 6, wide, title)
            most, digits = (100, 1) if statistic in _SHARES else (1, 3)
            bars = [
                [end and most * end for end in (value, *ends)]
                for value, ends, *_ in (result.models[name].measured(statistic, k) for name in names)
            ]
            greatest = max(max(value or 0, high or 0) for value, _low, high in bars)
            panel = Panel(canvas, left, wide, 0, greatest * 1.04 if greatest > 0 else 1.0)
            panel.grid(start, end, every=64)
            for row, (name, (value, lower, upper)) in enumerate(zip(names, bars, strict=True)):
                y, x = start + _ROW * (row + 0.5), panel.x(value or 0)
                tip = f"{name}: {decimal(value, digits, top=most)}"
                canvas.rect(left, y - 6, max(0.5, x - left), 12, ACCENT, tip=tip)
                if lower is not None and upper is not None:
                    canvas.rule((panel.x(lower), y), (panel.x(upper), y), INK, stroke=1.5, front=True)
        top = end + 30
    return canvas


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
        draw=Curves(
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
