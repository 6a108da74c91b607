"""All models on all sets at a glance: a heat map with the value in each cell."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

from termgauge.report.document import Figure, Prose, Section
from termgauge.report.look import INK, PAPER, RAMP, configured
from termgauge.report.pieces import number
from termgauge.report.sections.names import STATISTICS, with_terminology
from termgauge.report.sections.plots import EDGE, NARROW, data_of, name_axis, outward, text_width

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    import altair as alt

    from termgauge.report.sections.standings import Standings

_DARK_FROM = 0.52
"""Where the ramp gets so dark that white text is easier to read than dark text."""


def heatmap_section(found: Standings) -> Section | None:
    """Return the heat maps: of labelled sets and of rated ones, for their values are not on one scale."""
    figures = [figure for graded in (False, True) if (figure := heatmap(found, graded=graded))]
    if not figures:
        return None
    about = "Each cell is a model on a set, on the pairs that all models can score; the darker, the better."
    return Section("heatmap", "All models on all sets", (Prose((about,)), *figures))


def heatmap(found: Standings, *, graded: bool) -> Figure | None:
    """Return the heat map of the labelled or of the rated sets; None if there are none with values."""
    sets = [each for group in found.groups for each in group.sets if each.graded == graded]
    sets = [each for each in sets if any(found.value(each, model) is not None for model in found.models)]
    if not sets:
        return None
    models = [model for model in found.ranked(sets) if any(found.value(each, model) is not None for each in sets)]
    names = {each.id: with_terminology(each, found.sets) for each in sets}
    rows = [
        {"set": each.id, "title": names[each.id], "model": model, "value": value}
        for each in sets
        for model in models
        if (value := found.value(each, model)) is not None
    ]
    statistic = sets[0].statistic
    domain = _domain([float(row["value"]) for row in rows], graded=graded)

    def draw(width: int) -> alt.TopLevelMixin:
        return cells(rows, [names[each.id] for each in sets], models, domain, width, what=STATISTICS[statistic])

    low, high = min(rows, key=lambda row: row["value"]), max(rows, key=lambda row: row["value"])
    return Figure(
        id=f"heatmap-{statistic}",
        caption=f"{STATISTICS[statistic].capitalize()} of {number(len(models))} models on {number(len(sets))} sets.",
        description=(
            f"Heat map of {STATISTICS[statistic]}. The highest value is {high['value']:.2f} ({high['model']} on "
            f"{high['title']}), the lowest {low['value']:.2f} ({low['model']} on {low['title']})."
        ),
        draw=draw,
        data=pl.DataFrame(rows),
    )


def _domain(values: Sequence[float], *, graded: bool) -> tuple[float, float]:
    low, high = outward(min(values), max(values), 0.1)
    return (min(low, 0.0), high) if graded else (min(low, 0.5), high)


def cells(
    rows: Sequence[Mapping[str, Any]],
    titles: Sequence[str],
    models: Sequence[str],
    domain: tuple[float, float],
    width: int,
    *,
    what: str,
    percent: bool = False,
    row: str = "title",
    column: str = "model",
) -> alt.TopLevelMixin:
    """Return a heat map with rows down the left and columns across, in as many parts as the width asks for."""
    import altair as alt

    longest = max(text_width(title) for title in titles)
    room = int(min(longest + 12, width * (0.42 if width < NARROW else 0.4)))
    least = 26
    most = max(1, (width - room - EDGE) // least)
    parts = math.ceil(len(models) / most)
    size = math.ceil(len(models) / parts)
    step = min(64, (width - room - EDGE) // size)
    charts = [
        _part(rows, titles, models[low : low + size], domain, room, step, what, row, column, percent=percent)
        for low in range(0, len(models), size)
    ]
    return configured(alt.vconcat(*charts, spacing=18))


def _part(
    rows: Sequence[Mapping[str, Any]],
    titles: Sequence[str],
    models: Sequence[str],
    domain: tuple[float, float],
    room: int,
    step: int,
    what: str,
    row: str,
    column: str,
    *,
    percent: bool,
) -> alt.LayerChart:
    import altair as alt

    chosen = set(models)
    span = (domain[1] - domain[0]) or 1.0
    own = [
        {
            "down": one[row],
            "across": one[column],
            "value": one["value"],
            "text": _printed(one["value"], percent=percent),
            "ink": PAPER if (one["value"] - domain[0]) / span > _DARK_FROM else INK,
        }
        for one in rows
        if one[column] in chosen
    ]
    flat = max(text_width(model) for model in models) < step
    across = alt.Axis(
        title=None, orient="top", domain=False, ticks=False, labelAngle=0 if flat else -50, labelPadding=6,
        labelLimit=110, labelAlign="center" if flat else "left", labelOverlap=False,
    )  # fmt: skip
    y = alt.Y("down:N", sort=list(titles), scale=alt.Scale(domain=list(titles)), axis=name_axis(room))
    x = alt.X("across:N", sort=list(models), scale=alt.Scale(domain=list(models)), axis=across)
    base = alt.Chart(data_of(own))
    ramp = alt.Color(
        "value:Q",
        scale=alt.Scale(domain=list(domain), range=list(RAMP), clamp=True),
        legend=None,
        title=what,
    )
    tiles = base.mark_rect(stroke=PAPER, strokeWidth=1).encode(x=x, y=y, color=ramp)
    inks = alt.Color("ink:N", scale=None, legend=None)
    texts = base.mark_text(fontSize=10 if step >= 30 else 9, baseline="middle").encode(
        x=x, y=y, text="text:N", color=inks
    )
    return (
        alt.layer(tiles, texts).properties(width=alt.Step(step), height=alt.Step(22)).resolve_scale(color="independent")
    )


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
    if text == "1.00":
        return "1.0"
    return text.replace("0.", ".", 1)
