"""Bars: parts of a whole lying side by side for each name, and columns over an axis of values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from termgauge.reporting.plots.canvas import (
    ACCENT,
    INK,
    LINE,
    MUTED,
    SMALL,
    Canvas,
    Panel,
    heading,
    named_panels,
    panel_rows,
    text_width,
    ticks,
)
from termgauge.reporting.words import number, share

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from termgauge.reporting.plots.canvas import KeyEntry

_ROW, _LEAST, _TALL = 20, 150, 130


@dataclass(frozen=True)
class StackedBars:
    """Panels with a bar for each name, divided as counts say."""

    panels: Sequence[tuple[str, Mapping[str, Sequence[int]]]]
    """What each panel shows, and the counts of each name, one for each part."""
    names: Sequence[str]
    """In order."""
    parts: Sequence[KeyEntry]
    axis: str

    def draw(self, width: int) -> Canvas:
        """Draw it; panels that do not fit side by side stand below."""
        canvas = Canvas(width)
        canvas.key(self.parts)

        def draw(counts: Mapping[str, Sequence[int]], left: float, wide: float, top: float) -> None:
            self._panel(Panel(canvas, left, wide, 0, 100), counts, top, top + _ROW * len(self.names))

        panels = [(counts, (title,)) for title, counts in self.panels]
        named_panels(canvas, self.names, panels, draw, self.axis, least=_LEAST, row=_ROW)
        return canvas

    def _panel(self, at: Panel, counts: Mapping[str, Sequence[int]], top: float, bottom: float) -> None:
        at.grid(top, bottom, every=64)
        for index, name in enumerate(self.names):
            y, done = top + _ROW * index + 4, 0
            total = sum(counts.get(name, ()))
            for part, count in zip(self.parts, counts.get(name, ()), strict=False):
                if count:
                    start, end = at.x(100 * done / total), at.x(100 * (done + count) / total)
                    tip = f"{name}, {part.label}: {number(count)} of {number(total)} ({share(count / total)})"
                    at.canvas.rect(start, y, end - start, _ROW - 8, part.colour, tip=tip)
                done += count


class Column(NamedTuple):
    """One column: where it stands, how high it is, and what a reader sees who points at it."""

    low: float
    high: float
    tall: float
    tip: str = ""


@dataclass(frozen=True)
class Columns:
    """Panels of columns over an axis of values: how often each value, or range of values, occurs."""

    panels: Sequence[tuple[str, str, Sequence[Column]]]
    """What each panel shows, what its axis is, and its columns from left to right."""
    marks: Sequence[float | None] = ()
    """For each panel a value to compare with, as a dashed line."""

    def draw(self, width: int) -> Canvas:
        """Draw it; panels that do not fit side by side stand below."""
        canvas = Canvas(width)
        marks = self.marks or [None] * len(self.panels)
        wide, rows = panel_rows(list(zip(self.panels, marks, strict=True)), canvas.room, 240)
        top = 0.0
        for row in rows:
            for left, ((title, axis, bars), mark) in row:
                heading(canvas, left, top + 6, wide, title)
                self._panel(canvas, left, wide, top, axis, bars, mark)
            top = canvas.height + 16
        return canvas

    def _panel(
        self,
        canvas: Canvas,
        left: float,
        wide: float,
        top: float,
        axis: str,
        bars: Sequence[Column],
        mark: float | None,
    ) -> None:
        most = max((bar.tall for bar in bars), default=0) * 1.05 or 1
        counts = [tick for tick in ticks(0, most, 5) if tick == int(tick)]
        room = max(text_width(number(int(tick)), SMALL) for tick in counts) + 8
        start, end = top + 22, top + 22 + _TALL
        panel = Panel(canvas, left + room, wide - room - 4, bars[0].low, bars[-1].high)
        for tick in counts:
            y = end - _TALL * tick / most
            canvas.rule((panel.left, y), (panel.left + panel.width, y), LINE)
            canvas.text(panel.left - 6, y, number(int(tick)), align="right", colour=MUTED, size=SMALL)
        for bar in bars:
            x, tall = panel.x(bar.low), _TALL * bar.tall / most
            if bar.tall:
                canvas.rect(x + 0.5, end - tall, panel.x(bar.high) - x - 1, tall, ACCENT, tip=bar.tip)
        _labels(panel, bars, end)
        if mark is not None:
            canvas.rule((panel.x(mark), start), (panel.x(mark), end), INK, dash=(3, 3), front=True)
        canvas.text(panel.left, end + 28, axis, colour=MUTED, size=SMALL)


def _labels(panel: Panel, bars: Sequence[Column], bottom: float) -> None:
    """Write values below the axis: in the middle of columns that stand for one value, else at round numbers."""
    single = all(abs(bar.low + bar.high - 2 * round((bar.low + bar.high) / 2)) < 1e-9 for bar in bars)
    width = bars[0].high - bars[0].low
    if single and abs(width - 1) < 1e-9 and panel.width / len(bars) >= 16:
        places = [((bar.low + bar.high) / 2, f"{(bar.low + bar.high) / 2:g}") for bar in bars]
    else:
        places = [(tick, f"{tick:g}") for tick in ticks(panel.low, panel.high, max(2, int(panel.width // 44)))]
    for value, text in places:
        panel.canvas.text(panel.x(value), bottom + 11, text.replace("-", "−"), align="center", colour=MUTED, size=SMALL)
