"""Drawing figures as a page does, and looking at what came out."""

from __future__ import annotations

import warnings
from xml.etree import ElementTree as ET

from termgauge.reporting.plots.drawing import svg
from tests.reporting.plots.marks import outside

WIDTHS = (340, 760)


def check_drawing(figure):
    """Draw a figure narrow and wide: nothing warns, it is valid, and it is as wide as asked."""
    assert figure.caption
    assert figure.description
    for width in WIDTHS:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            root = ET.fromstring(svg(figure, width))
        assert float(root.get("width")) == width
        assert 20 < float(root.get("height")) < 6000
        assert outside(root) == []


def cells_of(table):
    """Return a table's rows as dictionaries by heading, with the group over it where there is one."""
    names = [f"{column.group} {column.heading}".strip() for column in table.columns]
    assert all(len(row) == len(names) for row in table.rows)
    return [dict(zip(names, row, strict=True)) for row in table.rows]
