"""Figures as SVG, PDF and PNG, without a network or a browser.

A drawing is static, so that it needs no script, prints, and shows at once; :func:`themed` makes it take the colours of
the page that it stands in. PDF and PNG are made from it by typst, which is an extra, for pages do without.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from termgauge.exceptions import TermgaugeError
from termgauge.io.atomic import whole_file, write_text
from termgauge.reporting.plots.canvas import INK, LINE, MUTED, PAPER, QUIET, SERIES, printable

if TYPE_CHECKING:
    from pathlib import Path

    import typst

    from termgauge.reporting.blocks import Figure, Table

WIDE, NARROW = 720, 320
"""Widths in pixels: for pages and paper, and for phones."""

VARIABLES = {
    INK: "ink",
    MUTED: "muted",
    LINE: "line",
    PAPER: "paper",
    QUIET: "quiet",
    **{colour: f"series-{number}" for number, colour in enumerate(SERIES, 1)},
}
"""The name of the CSS variable that a page gives each colour of plots; ramps stay as they are."""

_COLOUR = re.compile(f' (fill|stroke)="({"|".join(VARIABLES)})"')
_SHEET = b"""
#set document(title: sys.inputs.title, date: none)
#set page(width: auto, height: auto, margin: 0pt, fill: if sys.inputs.form == "png" { white } else { none })
#image(bytes(sys.inputs.drawing), format: "svg", alt: sys.inputs.description)
"""


def svg(shown: Figure | Table, width: int = WIDE) -> str:
    """Draw a figure, or a table that has a picture, as SVG that stands alone, as wide as asked."""
    assert shown.draw is not None
    description = getattr(shown, "description", "The table behind it says the same.")
    return shown.draw(width).svg(f"plot-{shown.id}-{width}", shown.caption, description)


def themed(drawing: str) -> str:
    """Return a drawing for a page: its colours are the page's variables; where it sets none, they are as drawn."""
    return _COLOUR.sub(lambda part: f' {part[1]}="var(--{VARIABLES[part[2]]}, {part[2]})"', drawing)


def can_convert() -> bool:
    """Say whether drawings can be made into PDF and PNG here."""
    return find_spec("typst") is not None


def check_converter() -> None:
    """Find out that a drawing cannot be made into PDF or PNG before work is done for it."""
    if not can_convert():
        raise TermgaugeError(
            "Pictures as PDF or PNG need typst; install it with: pip install 'termgauge[pictures]', or choose svg."
        )


def write_picture(figure: Figure, path: Path) -> None:
    """Write a figure in plain colours as SVG, PDF (its text can be searched) or PNG, as the path ends.

    SVG and PDF have no background; PNG is on white, with two pixels per pixel of its width.
    """
    if path.suffix == ".svg":
        write_text(path, svg(figure))
        return
    check_converter()
    import typst

    form: Literal["pdf", "png"] = "png" if path.suffix == ".png" else "pdf"
    about = {"title": printable(figure.caption), "description": printable(figure.description)}
    inputs = {**about, "drawing": svg(figure), "form": form}
    with whole_file(path) as temporary:
        typst.Compiler(_SHEET, font_paths=_fonts(), sys_inputs=inputs).compile(output=temporary, format=form, ppi=192)


@cache
def _fonts() -> typst.Fonts:
    """Return the fonts of this machine, looked for once, and those that typst brings."""
    import typst

    return typst.Fonts()
