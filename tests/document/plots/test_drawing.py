"""Drawings: valid, small, alike on every machine, and in the page's colours."""

from __future__ import annotations

import re
from functools import cache
from xml.etree import ElementTree as ET

import altair as alt
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from termgauge.document.blocks import Figure
from termgauge.document.plots import drawing, look
from tests.document.sample_document import HOSTILE, density_plot, dot_plot, heat_map, roc_plot

SVG = "{http://www.w3.org/2000/svg}"
FIGURES = [dot_plot(), heat_map(), density_plot(), roc_plot()]
each_figure = pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.id)


@cache
def drawn(at: int, width: int = drawing.WIDE) -> str:
    """Return one of the figures, drawn once for all tests that only look at it."""
    return drawing.svg(FIGURES[at], width)


def titles(root: ET.Element) -> list[str]:
    """Return what marks say to those who point at them."""
    return [child.text for element in root.iter() if element is not root for child in element.findall(f"{SVG}title")]


def figure_of(name: str, *, wide: int = 0) -> Figure:
    data = pl.DataFrame({"name": [name], "value": [1.5], "tip": [f"{name}: 1.5"]})

    def draw(width: int) -> alt.Chart:
        return (
            alt.Chart(data)
            .mark_bar(color=look.ACCENT)
            .encode(y=alt.Y("name:N", axis=alt.Axis(labelLimit=200)), x="value:Q", description="tip:N")
            .properties(width=wide or width, height=40)
        )

    return Figure("one", name, name, draw, data)


@each_figure
@pytest.mark.parametrize("width", [drawing.WIDE, drawing.NARROW])
def test_drawings_are_as_wide_as_asked_and_described(figure, width):
    root = ET.fromstring(drawn(FIGURES.index(figure), width))
    assert root.tag == f"{SVG}svg"
    assert width * 0.5 < float(root.get("width")) <= width
    assert root.get("role") == "img"
    named = {element.get("id"): element.text for element in root if element.get("id")}
    assert [named[name] for name in root.get("aria-labelledby").split()] == [figure.caption, figure.description]


@each_figure
def test_drawings_are_alike_and_small(figure):
    first, second = drawn(FIGURES.index(figure)), drawing.svg(figure)
    assert first == second
    assert len(first) < 40_000
    assert not re.search(r"\d\.\d{3}", re.sub(r"<(title|text|desc)[^>]*>[^<]*<", "<", first))
    assert "aria-roledescription" not in first
    assert 'class="' not in first
    assert "http" not in first.replace("http://www.w3.org/2000/svg", "")


def test_marks_say_what_their_description_says_and_no_more():
    root = ET.fromstring(drawn(0))
    assert set(titles(root)) == set(dot_plot().data["tip"])
    assert len(titles(root)) == dot_plot().data.height  # the rules have no description


@each_figure
def test_themed_colours_are_variables(figure):
    plain = drawn(FIGURES.index(figure))
    page = drawing.themed(plain, "p")
    colours = set(re.findall(r'(?:fill|stroke|stop-color)="([^"]*)"', page))
    left = {colour for colour in colours if colour.startswith("#")}
    if figure.id != "heat":
        assert left == set()
    else:
        assert left.isdisjoint(drawing.VARIABLES)
        assert {look.ON_LOW, look.ON_HIGH} <= left
    for colour in colours - left - {"none", "transparent"}:
        assert re.fullmatch(r"var\(--[a-z0-9-]+, #[0-9a-f]{6}\)|url\(#p-[\w-]+\)", colour)
    undone = re.sub(r"var\(--[a-z0-9-]+, (#[0-9a-f]{6})\)", r"\1", page).replace("p-", "")
    assert undone == plain.replace("p-", "")


def test_ids_differ_between_drawings_and_references_hold():
    pages = [drawing.themed(drawn(at, width), "x") for at in range(len(FIGURES)) for width in (720, 320)]
    ids = [found for page in pages for found in re.findall(r' id="([^"]+)"', page)]
    assert len(ids) == len(set(ids)) > 2 * len(pages)
    assert any("url(#" in page for page in pages)
    for page in pages:
        here = set(re.findall(r' id="([^"]+)"', page))
        assert set(re.findall(r"url\(#([^)]+)\)", page)) <= here


@given(st.text(st.characters(exclude_characters="\r"), max_size=40))  # which XML reads as the end of a line
@settings(max_examples=25)
def test_any_name_can_be_drawn(name):
    root = ET.fromstring(drawing.themed(drawing.svg(figure_of(name)), "p"))
    kept = re.sub("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", name)
    # Where a long name was cut within a rare character, such characters are replaced too.
    plain = re.sub("[\U00010000-\U0010ffff]", "\ufffd", kept)
    assert titles(root) in ([f"{kept}: 1.5"], [f"{plain}: 1.5"])
    assert {element.tag for element in root.iter()} <= {
        f"{SVG}{tag}"
        for tag in ("svg", "g", "path", "line", "text", "tspan", "title", "desc", "defs", "clipPath", "rect")
    }


@pytest.mark.parametrize("before", range(20, 28))
def test_rare_characters_may_be_cut(before):
    ET.fromstring(drawing.svg(figure_of("0" * before + "\U00010000" * 12 + "0" * 30), 320))


def test_markup_in_names_is_text():
    text = drawing.svg(figure_of(HOSTILE))
    assert "<script" not in text
    assert any(element.text == HOSTILE for element in ET.fromstring(text).iter(f"{SVG}text"))


def test_figures_that_insist_are_drawn_as_they_are():
    assert float(ET.fromstring(drawing.svg(figure_of("a", wide=900), 320)).get("width")) > 900


def test_a_chart_may_change_the_look():
    data = pl.DataFrame({"a": [1.0], "b": [2.0]})
    chart = alt.Chart(data).mark_point().encode(x="a:Q", y="b:Q").configure_axis(labelColor=look.INK)
    root = ET.fromstring(drawing.svg(Figure("own", "c", "d", lambda _: chart, data)))
    labels = [text.get("fill") for text in root.iter(f"{SVG}text")]
    assert look.INK in labels
    assert look.MUTED in labels  # titles, which the chart did not touch


def test_many_points_are_no_error():
    data = pl.DataFrame({"a": list(range(6000)), "b": list(range(6000))})

    def draw(width: int) -> alt.Chart:
        return alt.Chart(data).mark_line().encode(x="a:Q", y="b:Q").properties(width=width)

    assert "<path" in drawing.svg(Figure("many", "c", "d", draw, data))


def test_files(tmp_path):
    figure = dot_plot()
    drawing.write_svg(figure, tmp_path / "a.svg")
    drawing.write_pdf(figure, tmp_path / "a.pdf")
    drawing.write_png(figure, tmp_path / "a.png", scale=1)
    assert (tmp_path / "a.svg").read_text("utf-8") == drawing.svg(figure)
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    png = (tmp_path / "a.png").read_bytes()
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20]) == round(float(ET.fromstring(drawing.svg(figure)).get("width")))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.pdf", "a.png", "a.svg"]
