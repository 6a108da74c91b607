"""Drawings: valid, small, alike on every machine, and in the page's colours."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from xml.etree import ElementTree as ET

import polars as pl
import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.reporting.blocks import Figure
from termgauge.reporting.plots import canvas as look
from termgauge.reporting.plots import drawing
from termgauge.reporting.plots.dots import Dot, DotPanel, DotPlot
from tests.reporting.plots.marks import SVG, outside, overlapping, texts, titles
from tests.reporting.sample_document import HOSTILE, density_plot, dot_plot, heat_map, roc_plot
from tests.reporting.small_documents import HOSTILE as SMALL_HOSTILE

FIGURES = [dot_plot(), heat_map(), density_plot(), roc_plot()]
each_figure = pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.id)


@cache
def drawn(at: int, width: int = drawing.WIDE) -> str:
    """Return one of the figures, drawn once for all tests that only look at it."""
    return drawing.svg(FIGURES[at], width)


def figure_of(name: str) -> Figure:
    data = pl.DataFrame({"value": [1.5]})
    plot = DotPlot([DotPanel((), {name: [Dot(1.5, 1.0, 2.0, look.ACCENT, tip=f"{name}: 1.5")]})], [name], "value")
    return Figure("one", name, name, plot.draw, data)


@each_figure
@pytest.mark.parametrize("width", [drawing.WIDE, drawing.NARROW])
def test_drawings_are_as_wide_as_asked_and_described(figure, width):
    root = ET.fromstring(drawn(FIGURES.index(figure), width))
    assert root.tag == f"{SVG}svg"
    assert float(root.get("width")) == width
    assert root.get("role") == "img"
    named = {element.get("id"): element.text for element in root if element.get("id")}
    assert [named[name] for name in root.get("aria-labelledby").split()] == [figure.caption, figure.description]


@each_figure
def test_drawings_are_alike_and_small(figure):
    first, second = drawn(FIGURES.index(figure)), drawing.svg(figure)
    assert first == second
    assert len(first) < 12_000
    assert not re.search(r"\d\.\d{3}", re.sub(r"<(title|text|desc)[^>]*>[^<]*<", "<", first))
    assert "http" not in first.replace("http://www.w3.org/2000/svg", "")


@each_figure
@pytest.mark.parametrize("width", [drawing.WIDE, drawing.NARROW])
def test_nothing_is_cut_off_or_hidden(figure, width):
    root = ET.fromstring(drawn(FIGURES.index(figure), width))
    assert outside(root) == []
    assert overlapping(root) == []


def test_marks_say_their_tips_and_no_more():
    root = ET.fromstring(drawn(0))
    assert sorted(titles(root)) == sorted(dot_plot().data["tip"])  # and nothing of the rules


@each_figure
def test_themed_colours_are_variables(figure):
    plain = drawn(FIGURES.index(figure))
    page = drawing.themed(plain)
    colours = set(re.findall(r'(?:fill|stroke)="([^"]*)"', page))
    left = {colour for colour in colours if colour.startswith("#")}
    if figure.id != "heat":
        assert left == set()
    else:
        assert left.isdisjoint(drawing.VARIABLES)
        assert {look.ON_LOW, look.ON_HIGH} <= left
    for colour in colours - left - {"none"}:
        assert re.fullmatch(r"var\(--[a-z0-9-]+, #[0-9a-f]{6}\)", colour)
    assert re.sub(r"var\(--[a-z0-9-]+, (#[0-9a-f]{6})\)", r"\1", page) == plain


def test_names_that_look_like_colours_are_left_alone():
    name = f' fill="{look.INK}" '
    root = ET.fromstring(drawing.themed(drawing.svg(figure_of(name))))
    assert name in texts(root)
    assert titles(root) == [f"{name}: 1.5"]


def test_ids_differ_between_drawings():
    ids = [
        each
        for at in range(len(FIGURES))
        for width in (720, 320)
        for each in re.findall(r' id="([^"]+)"', drawn(at, width))
    ]
    assert len(ids) == len(set(ids)) == 2 * 2 * len(FIGURES)


def test_markup_in_names_is_text():
    text = drawing.svg(figure_of(HOSTILE))
    assert "<script" not in text
    assert any(element.text == HOSTILE for element in ET.fromstring(text).iter(f"{SVG}text"))


def test_files(tmp_path):
    figure = dot_plot()
    for _ in range(2):
        drawing.write_picture(figure, tmp_path / "a.svg")
        drawing.write_picture(figure, tmp_path / "a.pdf")
        drawing.write_picture(figure, tmp_path / "a.png")
    assert (tmp_path / "a.svg").read_text("utf-8") == drawing.svg(figure)
    pdf = (tmp_path / "a.pdf").read_bytes()
    assert pdf.startswith(b"%PDF")
    assert b"/ToUnicode" in pdf  # its text can be searched
    assert figure.description.encode() in pdf
    png = (tmp_path / "a.png").read_bytes()
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20]) == 2 * drawing.WIDE
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.pdf", "a.png", "a.svg"]


@pytest.mark.parametrize("name", [*SMALL_HOSTILE, HOSTILE])
def test_any_name_can_be_converted(tmp_path, name):
    drawing.write_picture(figure_of(name), tmp_path / "a.pdf")
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")


def test_pictures_of_other_kinds_need_an_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(TermgaugeError, match=r"need typst.*pip install 'termgauge\[pictures\]'"):
        drawing.write_picture(dot_plot(), tmp_path / "a.pdf")
    assert list(tmp_path.iterdir()) == []
    drawing.write_picture(dot_plot(), tmp_path / "a.svg")


@pytest.mark.skipif(sys.platform != "linux", reason="address spaces are limited in this way on Linux")
def test_little_address_space_is_enough(tmp_path):
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (12_000_000 << 10,) * 2)\n"
        "from pathlib import Path; from termgauge.reporting.plots import drawing\n"
        "from tests.reporting.sample_document import dot_plot\n"
        "drawing.write_picture(dot_plot(), Path(sys.argv[1], 'a.pdf'))\n"
        "drawing.write_picture(dot_plot(), Path(sys.argv[1], 'a.png'))\n"
    )
    path = os.pathsep.join(each for each in sys.path if each)
    subprocess.run([sys.executable, "-c", code, tmp_path], check=True, env={**os.environ, "PYTHONPATH": path})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.pdf", "a.png"]
