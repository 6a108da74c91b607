"""Heat maps: columns as many as fit side by side, the value printed in each cell."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import accumulate, groupby, pairwise
from typing import TYPE_CHECKING

from termgauge.reporting.plots.canvas import (
    INK,
    MUTED,
    NARROW,
    ON_HIGH,
    ON_LOW,
    PAPER,
    RAMP,
    SMALL,
    TURN,
    Canvas,
    shortened,
    text_width,
)
from termgauge.reporting.words import decimal, share

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LEAST, _MOST, _ROW, _APART = 25, 84, 20, 6
_LONGEST_HEAD = 120
_MOST_TIPS = 200


@dataclass(frozen=True)
class Heat:
    """A heat map: rows, columns, and a value for some of the cells."""

    rows: Sequence[str]
    columns: Sequence[str]
    """Their names, or ids of which `labels` says the names."""
    values: Mapping[tuple[str, str], float]
    """By row and column."""
    domain: tuple[float, float]
    percent: bool = False
    """Whether shares are shown in per cent."""
    shades: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """What gives some cells their colour, where it is not the value itself; without one at the low end."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """The names of columns."""
    groups: Mapping[str, str] = field(default_factory=dict)
    """What stands above some columns that are neighbours and belong together."""

    def draw(self, width: int) -> Canvas:
        """Draw it; columns that do not fit side by side stand below."""
        canvas = Canvas(width)
        longest = max(map(text_width, self.rows))
        room = math.ceil(min(longest + 12, canvas.room * (0.4 if width < NARROW else 0.36)))
        widest = max(text_width(self._label(column)) for column in self.columns)
        free = float(canvas.room - room - _APART * len(set(self.groups.values())))
        flat = widest + 4 < min(_MOST, free / len(self.columns))
        if not flat and width >= NARROW:  # the last of the slanted names reaches out
            free -= min(widest, _LONGEST_HEAD) * 0.7
        parts = math.ceil(len(self.columns) / max(1, free // _LEAST))
        size = math.ceil(len(self.columns) / parts)
        step = min(_MOST, free / size)
        for low in range(0, len(self.columns), size):
            places = self._places(self.columns[low : low + size], room, step)
            self._heads(canvas, places, step, flat=flat)
            self._rows(canvas, places, room, step)
            canvas.height += 24
        canvas.height -= 24
        return canvas

    def _label(self, column: str) -> str:
        return self.labels.get(column, column)

    def _places(self, columns: Sequence[str], room: float, step: float) -> dict[str, float]:
        """Return where columns begin; groups stand apart."""
        apart = accumulate(one != two for one, two in pairwise(map(self.groups.get, (columns[0], *columns))))
        both = zip(columns, apart, strict=True)
        return {column: room + step * at + _APART * before for at, (column, before) in enumerate(both)}

    def _heads(self, canvas: Canvas, places: Mapping[str, float], step: float, *, flat: bool) -> None:
        y = canvas.height + 8
        for title, run in groupby(places, self.groups.get):
            columns = list(run)
            canvas.text(places[columns[0]], y, shortened(title or "", step * len(columns) + 2), colour=MUTED)
        names = {column: shortened(self._label(column), _LONGEST_HEAD) for column in places}
        longest = max(map(text_width, names.values()))
        angle = 0 if flat else -90 if canvas.width < NARROW else -45
        tall = 14 if flat else longest * (1 if angle == -90 else 0.72) + 10
        y = canvas.height + tall
        for column, name in names.items():
            align = "center" if flat else "left"
            canvas.text(places[column] + step / 2, y - 6, name, align=align, angle=angle)
        canvas.height = y + 2

    def _rows(self, canvas: Canvas, places: Mapping[str, float], room: int, step: float) -> None:
        top = canvas.height + 2
        few = len(self.values) <= _MOST_TIPS  # of large ones they would be most of the page
        for index, row in enumerate(self.rows):
            y = top + _ROW * index
            canvas.text(room - 10, y + _ROW / 2, shortened(row, room - 10), align="right", colour=INK)
            for column, x in places.items():
                value = self.values.get((row, column))
                if value is None:
                    canvas.text(x + step / 2, y + _ROW / 2, "–", align="center", colour=MUTED, size=SMALL)
                    continue
                height = self._height(self.shades.get((row, column), value))
                plain = (row, column) in self.shades and not height  # not bright where the page is dark
                printed = self._printed(value)
                tip = f"{self._tip(column)}, {row}: {printed}" if few else ""
                canvas.rect(x, y, step, _ROW, PAPER if plain else _shade(height), tip=tip)
                ink = MUTED if plain else ON_HIGH if height >= TURN else ON_LOW
                canvas.text(x + step / 2, y + _ROW / 2, printed, align="center", colour=ink, size=SMALL)
        canvas.height = max(canvas.height, top + _ROW * len(self.rows) + 2)

    def _tip(self, column: str) -> str:
        return " ".join(filter(None, (self.groups.get(column), self._label(column))))

    def _height(self, value: float) -> float:
        low, high = self.domain
        return min(1.0, max(0.0, (value - low) / ((high - low) or 1.0)))

    def _printed(self, value: float) -> str:
        if self.percent:
            return share(value).removesuffix(" %")
        text = decimal(value, 3)
        return "1" if text == "1.000" else text.replace("0.", ".", 1).replace("-", "−")


def _shade(share: float) -> str:
    """Return the colour of the ramp at a share of it, between its stops as it falls."""
    position = share * (len(RAMP) - 1)
    low = min(int(position), len(RAMP) - 2)
    parts = zip(_channels(RAMP[low]), _channels(RAMP[low + 1]), strict=True)
    return "#" + "".join(f"{round(one + (two - one) * (position - low)):02x}" for one, two in parts)


def _channels(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return red, green, blue
