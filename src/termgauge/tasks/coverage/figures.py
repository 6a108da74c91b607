"""Plots of the coverage of a domain: bars of what models know, lines over the number of neighbours, and maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from termgauge.embeddings.store.vocabulary import MISSING
from termgauge.embeddings.units import unit_vectors
from termgauge.plurals import numbered
from termgauge.reporting.blocks import Figure, block_id
from termgauge.reporting.plots.canvas import (
    GAP,
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
from termgauge.reporting.plots.look import ACCENT, INK, LINE, QUIET, SERIES
from termgauge.reporting.words import counted, decimal, number, share
from termgauge.tasks.results import Record
from termgauge.tasks.shown import style_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.domain.domain import Domain
    from termgauge.domain.neighbourhood import Neighbourhood
    from termgauge.tasks.coverage.result import CoverageResult


MOST_POINTS = 400


class Point(Record):
    """A word or concept on the map."""

    x: float
    y: float
    term: str
    seed: bool
    """Whether it stands for a seed; else it is a neighbour of one."""
    concepts: list[str]
    """The seeds that it stands for."""


class DomainMap(Record):
    """The seeds of a domain that a model knows, and their neighbours, in a plane."""

    points: list[Point]
    explained: tuple[float, float]
    """Which share of the variance each axis shows."""
    seeds_left_out: int
    """Seeds that are known but for which there was no room."""


def map_of(among: Neighbourhood, rows: NDArray[np.int64], domain: Domain, most: int = MOST_POINTS) -> DomainMap:
    """Draw the map; `rows` are the neighbours of each seed, the nearest first, -1 where there is none.

    Half of the points are for seeds, the first ones; the rest for their nearest neighbours, then for the second
    nearest, and so on. What one half does not need the other may use.
    """
    seeds = among.seeds
    own = list(dict.fromkeys(seeds.first[seeds.known].tolist()))
    around = _by_rank(rows, exclude=own)
    room = max(most // 2, most - len(around))
    chosen = own[:room]
    near = _by_rank(rows[np.isin(seeds.first, chosen)], exclude=own) if room < len(own) else around
    chosen += near[: most - len(chosen)]
    vectors = among.gather(np.array(chosen, np.int64)) if chosen else np.empty((0, 1), np.float32)
    units = unit_vectors(vectors, np.float32)
    usable = ~np.isnan(units[:, 0])
    chosen = [row for row, good in zip(chosen, usable.tolist(), strict=True) if good]
    places, explained = projected(units[usable])
    stands: dict[int, list[str]] = {}
    for place in np.flatnonzero(seeds.known).tolist():
        for row in seeds.rows_of(place).tolist():
            stands.setdefault(row, []).append(domain.seeds[place])
    points = [
        Point(x=round(x, 4), y=round(y, 4), term=text, seed=row in stands, concepts=stands.get(row, []))
        for (x, y), row, text in zip(places.tolist(), chosen, among.texts(chosen), strict=True)
    ]
    shares = (round(explained[0], 4), round(explained[1], 4))
    return DomainMap(points=points, explained=shares, seeds_left_out=max(0, len(own) - room))


def _by_rank(rows: NDArray[np.int64], exclude: list[int]) -> list[int]:
    """Return the neighbours of all seeds, the nearest of each first, each once."""
    left_out = {MISSING, *exclude}
    return [row for row in dict.fromkeys(rows.T.ravel().tolist()) if row not in left_out]


def projected(vectors: NDArray[np.floating]) -> tuple[NDArray[np.float64], tuple[float, float]]:
    """Return vectors in the plane of their first two principal components, and which share of variance each shows.

    Of the two signs that an axis may have, the one is taken in which its greatest entry is positive.

    Examples
    --------
    >>> places, explained = projected(np.array([[0.0, 0, 1], [4, 0, 1], [2, 1, 1], [2, -1, 1]]))
    >>> places.round(6).tolist(), [round(share, 2) for share in explained]
    ([[-2.0, 0.0], [2.0, 0.0], [0.0, 1.0], [0.0, -1.0]], [0.8, 0.2])
    """
    places = np.zeros((len(vectors), 2))
    if len(vectors) < 2:
        return places, (0.0, 0.0)
    centred = np.asarray(vectors, np.float64) - np.mean(vectors, axis=0, dtype=np.float64)
    _left, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    axes = axes[:2]
    signs = np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])
    places[:, : len(axes)] = centred @ (axes * signs[:, None]).T
    total = float(sizes @ sizes)
    shares = [float(size * size) / total if total > 0 else 0.0 for size in sizes[:2]]
    return places, (shares[0], shares[1] if len(shares) > 1 else 0.0)


_ROW, _LEAST = 22, 130
_MOST_LINES = len(SERIES)
_LABELS = 14
"""Seeds that are named on a map."""


class _Bars(NamedTuple):
    """A panel of bars with a scale of its own."""

    title: str
    values: list[tuple[float, float | None, float | None]]
    """Value and interval of each model."""
    digits: int

    @property
    def high(self) -> float:
        """Where the scale ends."""
        most = max(max(value, high or 0) for value, _low, high in self.values)
        return most * 1.04 if most > 0 else 1.0


def bars_figure(name: str, result: CoverageResult, order: Sequence[str], k: int) -> Figure:
    """Return figure 1 of the paper: the share in vocabulary beside %CG and posDCG, models by posDCG."""
    shares = {model: result.models[model].share for model in order}
    at = {model: result.models[model].at(k) for model in order}
    panels = [
        _Bars("%IV", [(100 * shares[each], *in_percent(result.models[each].share_interval)) for each in order], 1),
        _Bars(f"%CG, k = {k}", [(100 * each.cg, *in_percent(each.cg_interval)) for each in at.values()], 1),
        _Bars(f"posDCG, k = {k}", [(each.posdcg, *each.posdcg_interval) for each in at.values()], 3),
    ]
    described = (f"{each}: {share(shares[each])} in vocabulary, posDCG {decimal(at[each].posdcg, 3)}" for each in order)
    rows = [(model, shares[model], k, at[model].cg, at[model].posdcg) for model in order]
    return Figure(
        id=block_id("coverage-bars", name),
        caption=f"Share of the seeds in the vocabulary, %CG and posDCG for k = {k}, with intervals over seeds; each "
        f"has a scale of its own{_where(result, order)}.",
        description=f"{'; '.join(described)}.",
        draw=lambda width: _draw_bars(width, order, panels),
        data=pl.DataFrame(rows, ["model", "share", "k", "cg", "posdcg"], orient="row"),
    )


def _where(result: CoverageResult, order: Sequence[str]) -> str:
    """Say that neighbours were sought among names of concepts, where that is so."""
    names = result.models[order[0]].neighbourhood == "terminology"
    return "; neighbours among the names of the terminology's concepts" if names else ""


def in_percent(interval: Sequence[float | None]) -> tuple[float | None, float | None]:
    """Return the ends of an interval of shares in per cent; none where there is none."""
    low, high = interval
    return (None, None) if low is None or high is None else (100 * low, 100 * high)


def _draw_bars(width: int, names: Sequence[str], panels: Sequence[_Bars]) -> Canvas:
    canvas = Canvas(width)
    room = label_room(names, canvas.room)
    columns = side_by_side(len(panels), canvas.room - room, _LEAST)
    wide = (canvas.room - room - GAP * (columns - 1) - 6) / columns
    top = 0.0
    for low in range(0, len(panels), columns):
        start = top + 18
        end = start + _ROW * len(names)
        for place, each in enumerate(names):
            canvas.text(room - 10, start + _ROW * (place + 0.5), shortened(each, room - 10), align="right")
        for place, bars in enumerate(panels[low : low + columns]):
            left = room + place * (wide + GAP)
            heading(canvas, left, top + 6, wide, bars.title)
            _draw_panel(Panel(canvas, left, wide, 0, bars.high), names, bars, start, end)
        top = end + 30
    return canvas


def _draw_panel(panel: Panel, names: Sequence[str], bars: _Bars, top: float, bottom: float) -> None:
    panel.grid(top, bottom, every=64)
    for place, (each, (value, low, high)) in enumerate(zip(names, bars.values, strict=True)):
        y = top + _ROW * (place + 0.5)
        tip = f"{each}: {decimal(value, bars.digits, top=100 if bars.digits == 1 else 1)}"
        panel.canvas.rect(panel.left, y - 6, max(0.5, panel.x(value) - panel.left), 12, ACCENT, tip=tip)
        if low is not None and high is not None:
            panel.canvas.rule((panel.x(low), y), (panel.x(high), y), INK, stroke=1.5, front=True)


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
