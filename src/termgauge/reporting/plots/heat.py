"""Heat maps: rows in blocks, columns as many as fit side by side, the value printed in each cell."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from termgauge.reporting.plots.canvas import (
    INK,
    MUTED,
    NARROW,
    ON_HIGH,
    ON_LOW,
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

_LEAST, _MOST, _ROW = 28, 84, 24
_LONGEST_HEAD = 120
_MOST_TIPS = 200


@dataclass(frozen=True)
class HeatBlock:
    """Rows of a heat map that belong together."""

    title: str
    rows: Sequence[tuple[str, str]]
    """The id of each row and its label."""


@dataclass(frozen=True)
class Heat:
    """A heat map: blocks of rows, columns, and a value for some of the cells."""

    blocks: Sequence[HeatBlock]
    columns: Sequence[str]
    values: Mapping[tuple[str, str], float]
    """By row and column."""
    domain: tuple[float, float]
    percent: bool = False
    """Whether shares are shown in per cent."""
    marks: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """What follows the value of some cells, such as a star."""

    def draw(self, width: int) -> Canvas:
        """Draw it; columns that do not fit side by side stand below."""
        canvas = Canvas(width)
        longest = max(text_width(label) for block in self.blocks for _, label in block.rows)
        room = math.ceil(min(longest + 12, canvas.room * (0.4 if width < NARROW else 0.36)))
        widest = max(map(text_width, self.columns))
        free = float(canvas.room - room)
        flat = widest + 4 < min(_MOST, free / len(self.columns))
        if not flat and width >= NARROW:  # the last of the slanted names reaches out
            free -= min(widest, _LONGEST_HEAD) * 0.7
        parts = math.ceil(len(self.columns) / max(1, free // _LEAST))
        size = math.ceil(len(self.columns) / parts)
        step = min(_MOST, free / size)
        for low in range(0, len(self.columns), size):
            columns = self.columns[low : low + size]
            self._heads(canvas, columns, room, step, flat=flat)
            for block in self.blocks:
                self._block(canvas, block, columns, room, step)
            canvas.height += 24
        canvas.height -= 24
        return canvas

    def _heads(self, canvas: Canvas, columns: Sequence[str], room: int, step: float, *, flat: bool) -> None:
        names = [shortened(name, _LONGEST_HEAD) for name in columns]
        longest = max(map(text_width, names))
        angle = 0 if flat else -90 if canvas.width < NARROW else -45
        tall = 14 if flat else longest * (1 if angle == -90 else 0.72) + 10
        y = canvas.height + tall
        for index, name in enumerate(names):
            align = "center" if flat else "left"
            canvas.text(room + step * (index + 0.5), y - 6, name, align=align, angle=angle)
        canvas.height = y + 2

    def _block(self, canvas: Canvas, block: HeatBlock, columns: Sequence[str], room: int, step: float) -> None:
        top = canvas.height + 2
        few = len(self.values) <= _MOST_TIPS  # of large ones they would be most of the page
        if block.title:
            canvas.text(0, top + 10, block.title, colour=MUTED)
            top += 22
        for index, (row, label) in enumerate(block.rows):
            y = top + _ROW * index
            canvas.text(room - 10, y + _ROW / 2, shortened(label, room - 10), align="right", colour=INK)
            for at, column in enumerate(columns):
                value = self.values.get((row, column))
                x = room + step * at
                if value is None:
                    canvas.text(x + step / 2, y + _ROW / 2, "–", align="center", colour=MUTED, size=SMALL)
                    continue
                height = self._height(value)
                printed = self._printed(value) + self.marks.get((row, column), "")
                canvas.rect(x, y, step, _ROW, _shade(height), tip=f"{column}, {label}: {printed}" if few else "")
                ink = ON_HIGH if height >= TURN else ON_LOW
                canvas.text(x + step / 2, y + _ROW / 2, printed, align="center", colour=ink, size=SMALL)
        canvas.height = max(canvas.height, top + _ROW * len(block.rows) + 2)

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
