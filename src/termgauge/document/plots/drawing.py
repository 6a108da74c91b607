"""Figures as SVG, PDF and PNG: drawn by vl-convert, without a network or a browser, the same on every machine.

A drawing is static, so that it needs no script, prints, and shows at once. Vega writes much that a static picture has
no use for; that is taken out, and what a mark's ``description`` channel says becomes its ``<title>``, which browsers
show to those who point at it. :func:`themed` makes a drawing take the colours of the page that it stands in.
"""

from __future__ import annotations

import math
import re
from itertools import chain
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from termgauge.atomic import whole_file, write_text
from termgauge.document.plots import look

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from termgauge.document.blocks import Figure

WIDE, NARROW = 720, 320
"""Widths in pixels: for pages and paper, and for phones."""

VARIABLES = {
    look.INK: "ink",
    look.MUTED: "muted",
    look.LINE: "line",
    look.PAPER: "paper",
    look.QUIET: "quiet",
    **{colour: f"series-{number}" for number, colour in enumerate(look.SERIES, 1)},
}
"""The name of the CSS variable that a page gives each colour of plots; ramps stay as they are."""

_SVG = "http://www.w3.org/2000/svg"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_RARE = re.compile("[\U00010000-\U0010ffff]")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
_RGB = re.compile(r"rgb\((\d+), (\d+), (\d+)\)")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_GEOMETRY = frozenset({"d", "transform", "x", "y", "x1", "x2", "y1", "y2", "width", "height", "offset"})
_DEFAULTS = {
    "opacity": "1",
    "fill-opacity": "1",
    "stroke-opacity": "1",
    "stroke-width": "1",
    "x": "0",
    "y": "0",
    "x2": "0",
    "y2": "0",
    "text-anchor": "start",
    "font-weight": "normal",
    "font-size": "12px",
    "font-family": look.FONT,
    "transform": "translate(0,0)",
}
"""What an attribute says that may be left out; fonts are said once, at the root."""


def svg(figure: Figure, width: int = WIDE) -> str:
    """Draw a figure as SVG that stands alone, no wider than asked unless the figure insists."""
    root = _drawn(figure, width)
    _trim(root)
    name = f"{figure.id}-{width}"
    _name(root, name)
    texts = (("title", figure.caption), ("desc", figure.description))
    for place, (tag, text) in enumerate(texts):
        element = ET.Element(tag, {"id": f"{name}-{tag}"})
        element.text = _NOT_XML.sub("\ufffd", text)
        root.insert(place, element)
    root.attrib |= {"role": "img", "aria-labelledby": f"{name}-title {name}-desc"}
    return _written(root)


def themed(drawing: str, prefix: str) -> str:
    """Return a drawing for a page: its colours are the page's variables, and its ids start with `prefix`.

    A variable that the page does not set falls back to the colour as drawn.
    """
    root = _parsed(drawing)
    for element in root.iter():
        for key, value in element.attrib.items():
            if key == "id":
                element.set(key, f"{prefix}-{value}")
            elif key == "aria-labelledby":
                element.set(key, " ".join(f"{prefix}-{name}" for name in value.split()))
            elif key in {"fill", "stroke", "stop-color"} and value in VARIABLES:
                element.set(key, f"var(--{VARIABLES[value]}, {value})")
            else:
                element.set(key, _REFERENCE.sub(rf"url(#{prefix}-\1)", value))
    return _written(root)


def write_svg(figure: Figure, path: Path, width: int = WIDE) -> None:
    """Write a figure as SVG, in plain colours on no background."""
    write_text(path, svg(figure, width))


def write_pdf(figure: Figure, path: Path, width: int = WIDE) -> None:
    """Write a figure as PDF, in plain colours on no background, with text that can be searched."""
    import vl_convert

    with whole_file(path) as temporary:
        temporary.write_bytes(vl_convert.svg_to_pdf(svg(figure, width)))


def write_png(figure: Figure, path: Path, width: int = WIDE, *, scale: float = 2.0) -> None:
    """Write a figure as PNG on white, by default with two pixels per pixel of its width."""
    import vl_convert

    drawing = svg(figure, width).replace(">", f'><rect width="100%" height="100%" fill="{look.PAPER}"/>', 1)
    with whole_file(path) as temporary:
        temporary.write_bytes(vl_convert.svg_to_png(drawing, scale=scale))


def _drawn(figure: Figure, width: int) -> ET.Element:
    """Draw a figure, again with other widths as long as axes and legends make it wider than asked, or then narrower."""
    asked, best = width, None
    for _ in range(4):
        root = _converted(figure.draw(asked))
        excess = math.ceil(_width(root) - width)
        if excess <= 0 and (best is None or _width(root) > _width(best)):
            best = root
        fits = -width / 20 < excess <= 0 or (excess < 0 and asked == width)  # some figures want to be narrow
        if fits or not width / 4 < asked - excess < width:
            break
        asked -= excess
    return root if best is None else best


def _width(root: ET.Element) -> float:
    return float(root.get("width", "0"))


def _converted(chart: Any) -> ET.Element:  # noqa: ANN401 - any of altair's kinds of chart
    import altair as alt
    import vl_convert

    with alt.data_transformers.enable("default", max_rows=None):  # how many points to draw is the figure's choice
        specification = _clean(chart.to_dict(validate=False))  # against the schema: as long as drawing itself
    specification["config"] = _merged(look.LOOK, specification.get("config", {}))
    for unit in _units(specification):
        if "description" not in unit.get("encoding", {}):  # Vega would make up a description of all digits
            mark = unit["mark"]
            unit["mark"] = {"aria": False} | (mark if isinstance(mark, dict) else {"type": mark})
    try:
        drawing = vl_convert.vegalite_to_svg(specification, allowed_base_urls=[])
    except ValueError:  # Vega cuts long labels, and may cut a character beyond the first 65,536 in two
        drawing = vl_convert.vegalite_to_svg(_clean(specification, _RARE), allowed_base_urls=[])
    return _parsed(drawing)


def _merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return the first configuration, changed as the second says."""
    merged = dict(first)
    for key, value in second.items():
        former = merged.get(key)
        merged[key] = _merged(former, value) if isinstance(former, dict) and isinstance(value, dict) else value
    return merged


def _units(specification: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield all parts of a specification that have marks."""
    if "mark" in specification:
        yield specification
    inner = [specification["spec"]] if isinstance(specification.get("spec"), dict) else []
    for part in chain(inner, *(specification.get(key, []) for key in ("layer", "concat", "hconcat", "vconcat"))):
        yield from _units(part)


def _trim(root: ET.Element) -> None:
    """Take out what a static picture does not need."""
    for element in list(root.iter()):
        tip = element.get("aria-label") if element.get("role") == "graphics-symbol" and element.tag != "g" else None
        for key in list(element.attrib):
            value = _short(key, element.attrib.pop(key))
            if not _idle(key, value):
                element.set(key, value)
        if tip:
            ET.SubElement(element, "title").text = tip
    _prune(root)
    root.attrib |= {"font-family": look.FONT, "font-size": "12px"}


def _name(root: ET.Element, name: str) -> None:
    """Give ids that depend on the figure alone; Vega counts them over all drawings of a process."""
    ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    names = {former: f"{name}-{number}" for number, former in enumerate(ids, 1)}
    for element in root.iter():
        for key, value in element.attrib.items():
            element.set(key, names[value] if key == "id" else _REFERENCE.sub(lambda it: f"url(#{names[it[1]]})", value))


def _idle(key: str, value: str) -> bool:
    if key.startswith("aria-") or key in {"class", "role", "version", "pointer-events", "stroke-miterlimit"}:
        return True
    return _DEFAULTS.get(key) == value


def _prune(parent: ET.Element) -> None:
    """Remove what cannot be seen, and put what stands in a group without attributes into its parent."""
    kept: list[ET.Element] = []
    for child in parent:
        _prune(child)
        if child.tag == "g" and not child.attrib:
            kept += child
        elif len(child) or not _unseen(child):
            kept.append(child)
    parent[:] = kept


def _unseen(element: ET.Element) -> bool:
    """Say whether an element without children shows nothing; what is not painted inherits the root's ``none``."""
    if element.get("opacity") == "0" or element.get("display") == "none" or element.tag == "g":
        return True
    return element.tag == "path" and not (element.get("d") and element.attrib.keys() & {"fill", "stroke"})


def _short(key: str, value: str) -> str:
    """Round what is geometry to hundredths of a pixel, and write colours as hexadecimal."""
    if key in _GEOMETRY:
        return _NUMBER.sub(lambda found: f"{round(float(found[0]), 2) or 0:g}", value)
    return _RGB.sub(lambda found: "#" + "".join(f"{int(part):02x}" for part in found.groups()), value)


def _clean(value: Any, unwanted: re.Pattern[str] = _NOT_XML) -> Any:  # noqa: ANN401 - anything that JSON has
    """Replace characters, such as those XML has no place for: vl-convert would end the process at a control one."""
    if isinstance(value, str):
        return unwanted.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_clean(key, unwanted): _clean(inner, unwanted) for key, inner in value.items()}
    return [_clean(inner, unwanted) for inner in value] if isinstance(value, list) else value


def _parsed(drawing: str) -> ET.Element:
    """Parse a drawing of our own; everything in it is SVG, so names do without a namespace."""
    root = ET.fromstring(drawing)  # noqa: S314 - written by Vega from plain data, or by us
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
    return root


def _written(root: ET.Element) -> str:
    root.set("xmlns", _SVG)
    return ET.tostring(root, encoding="unicode")
