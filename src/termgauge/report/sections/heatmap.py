"""All models on all sets at a glance: a heat map with the value in each cell, a block for each group of sets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.report.document import Figure, Prose, Section
from termgauge.report.look import INK, PAPER, RAMP, configured
from termgauge.report.pieces import number
from termgauge.report.sections.names import STATISTICS
from termgauge.report.sections.plots import (
    EDGE,
    NARROW,
    data_of,
    name_axis,
    outward,
    panel_title,
    shortened,
    text_width,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import altair as alt

    from termgauge.report.sections.names import TitledSet
    from termgauge.report.sections.standings import Standings

_DARK_FROM = 0.52
"""Where the ramp gets so dark that white text is easier to read than dark text."""
_LEAST_STEP, _MOST_STEP, _ROW = 27, 84, 22
_LONGEST_HEAD = 110


def heatmap_section(found: Standings) -> Section | None:
    """Return the heat maps: of labelled sets and of rated ones, for their values are not on one scale."""
    figures = [figure for graded in (False, True) if (figure := heatmap(found, graded=graded))]
    if not figures:
        return None
    about = "Each cell is a model on a set, on the pairs that all models can score; the darker, the better."
    return Section("heatmap", "All models on all sets", (Prose((about,)), *figures))


def heatmap(found: Standings, *, graded: bool) -> Figure | None:
    """Return the heat map of the labelled or of the rated sets; None if there are none with values."""
    blocks = [
        (
            group.title,
            [each for each in group.sets if any(found.value(each, model) is not None for model in found.models)],
        )
        for group in found.groups
        if group.graded == graded
    ]
    sets = [each for _, some in blocks for each in some]
    if not sets:
        return None
    models = [model for model in found.ranked(sets) if any(found.value(each, model) is not None for each in sets)]
    rows = [
        {"set": each.id, "title": each.title, "model": model, "value": value}
        for each in sets
        for model in models
        if (value := found.value(each, model)) is not None
    ]
    values = {(str(row["set"]), str(row["model"])): float(str(row["value"])) for row in rows}
    statistic = sets[0].statistic
    shown = [Block(title, [(each.id, _label(each)) for each in some]) for title, some in blocks if some]
    heat = Heat(shown, models, values, _domain(list(values.values()), graded=graded))
    low, high = min(rows, key=lambda row: row["value"]), max(rows, key=lambda row: row["value"])
    return Figure(
        id=f"heatmap-{statistic}",
        caption=f"{STATISTICS[statistic].capitalize()} of {number(len(models))} models on {number(len(sets))} sets.",
        description=(
            f"Heat map of {STATISTICS[statistic]}. The highest value is {high['value']:.2f} ({high['model']} on "
            f"{high['title']}), the lowest {low['value']:.2f} ({low['model']} on {low['title']})."
        ),
        draw=heat.draw,
        data=pl.DataFrame(rows),
    )


def _label(each: TitledSet) -> str:
    if not each.built:
        return each.brief
    return f"{each.strategy.replace('levenshtein', 'edit distance')}, {each.difficulty}"


def _domain(values: Sequence[float], *, graded: bool) -> tuple[float, float]:
    low, high = outward(min(values), max(values), 0.1)
    return (min(low, 0.0), high) if graded else (min(low, 0.5), high)


@dataclass(frozen=True)
class Block:
    """Rows of a heat map that belong together."""

    title: str
    rows: Sequence[tuple[str, str]]
    """The id of each row and its label."""


@dataclass(frozen=True)
class Heat:
    """A heat map: blocks of rows, columns, and a value for some of the cells."""

    blocks: Sequence[Block]
    columns: Sequence[str]
    values: Mapping[tuple[str, str], float]
    """By row and column."""
    domain: tuple[float, float]
    percent: bool = False
    """Whether shares are shown in per cent."""

    def draw(self, width: int) -> alt.TopLevelMixin:
        """Draw it; where the columns do not fit side by side, the rest of them below."""
        import altair as alt

        longest = max(text_width(label) for block in self.blocks for _, label in block.rows)
        room = int(min(longest + 14, width * (0.38 if width < NARROW else 0.4)))
        free = width - room - EDGE
        widest = max(map(text_width, self.columns))
        upright = width < NARROW
        if not upright and widest >= min(
            _MOST_STEP, free // len(self.columns)
        ):  # the last of slanted names reaches out
            free -= int(min(widest, _LONGEST_HEAD) * 0.64 - _LEAST_STEP / 2)
        parts = math.ceil(len(self.columns) / max(1, free // _LEAST_STEP))
        size = math.ceil(len(self.columns) / parts)
        step = int(min(_MOST_STEP, free // size))
        charts = [
            self._block(block, self.columns[low : low + size], room, step, heads=at == 0, upright=upright)
            for low in range(0, len(self.columns), size)
            for at, block in enumerate(self.blocks)
        ]
        return configured(alt.vconcat(*charts, spacing=14))

    def _block(
        self, block: Block, columns: Sequence[str], room: int, step: int, *, heads: bool, upright: bool
    ) -> alt.LayerChart:
        import altair as alt

        labels = _apart([shortened(label, room - 14) for _, label in block.rows])
        cells = [
            {"down": label, "across": column, "value": value, **self._shown(value)}
            for (row, _), label in zip(block.rows, labels, strict=True)
            for column in columns
            if (value := self.values.get((row, column))) is not None
        ]
        flat = max(text_width(column) for column in columns) < step
        slant: dict[str, Any] = {"labelAngle": -90 if upright else -50, "labelAlign": "left", "labelBaseline": "middle"}
        across = alt.Axis(
            title=None,
            orient="top",
            domain=False,
            ticks=False,
            labels=heads,
            labelPadding=6,
            labelLimit=_LONGEST_HEAD,
            labelOverlap=False,
            **({"labelAngle": 0} if flat else slant),
        )
        y = alt.Y("down:N", sort=labels, scale=alt.Scale(domain=labels), axis=name_axis(room))
        x = alt.X("across:N", sort=list(columns), scale=alt.Scale(domain=list(columns)), axis=across)
        base = alt.Chart(data_of(cells))
        scale = alt.Scale(domain=list(self.domain), range=list(RAMP), clamp=True)
        tiles = base.mark_rect(stroke=PAPER, strokeWidth=1).encode(
            x=x, y=y, color=alt.Color("value:Q", scale=scale, legend=None)
        )
        texts = base.mark_text(fontSize=10 if step >= 30 else 9, baseline="middle").encode(
            x=x, y=y, text="text:N", color=alt.Color("ink:N", scale=None, legend=None)
        )
        layers = alt.layer(tiles, texts).resolve_scale(color="independent")
        title = panel_title(block.title) if block.title else alt.Undefined
        return layers.properties(width=alt.Step(step), height=alt.Step(_ROW), title=title)

    def _shown(self, value: float) -> dict[str, str]:
        low, high = self.domain
        dark = (value - low) / ((high - low) or 1.0) > _DARK_FROM
        return {"text": _printed(value, percent=self.percent), "ink": PAPER if dark else INK}


def _apart(labels: Sequence[str]) -> list[str]:
    """Return labels that differ: equal ones would be one row."""
    seen: dict[str, int] = {}
    found = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        found.append(label + "\u200b" * (seen[label] - 1))
    return found


def _printed(value: float, *, percent: bool) -> str:
    """Return a value in as few signs as it takes.

    Examples
    --------
    >>> _printed(0.533, percent=False), _printed(1.0, percent=False), _printed(-0.04, percent=False)
    ('.53', '1.0', '-.04')
    """
    if percent:
        return f"{100 * value:.0f}"
    text = f"{value:.2f}"
    return "1.0" if text == "1.00" else text.replace("0.", ".", 1)
