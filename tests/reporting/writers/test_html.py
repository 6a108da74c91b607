"""The page: safe, well formed, whole; how it behaves is tested in a browser."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.reporting.blocks import Cell, Column, Document, Fact, Prose, Section, Table
from termgauge.reporting.writers.html import DARK, LIGHT, LONGEST, fragment, html, marked, write_html
from tests.reporting.sample_document import document, long_table, main_table

VOID = {"meta", "br", "hr", "img", "link", "input", "col"}


class Reader(HTMLParser):
    """Reads a page strictly: every element that opens closes; collects elements and text."""

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.stack == []
    return reader


@pytest.fixture(scope="module")
def page() -> str:
    return html(document(), made="Made <now>.")


def data_of(page: str) -> dict[str, str]:
    parts = json.loads(re.search(r'id="page-data">(.*?)</script>', page, re.DOTALL)[1])
    return {
        name: part if isinstance(part, str) else gzip.decompress(base64.b64decode(part["gzip"])).decode()
        for name, part in parts.items()
    }


def test_well_formed_and_safe(page):
    reader = read(page)
    assert page.startswith("<!doctype html>")
    assert [element.get("id") for element in reader.all("script")] == [None, "page-data", None]
    assert not any(name.startswith("on") for _, attributes in reader.elements for name in attributes)
    assert "Made <now>." in "".join(reader.texts)
    policy = next(it["content"] for it in reader.all("meta") if it.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'")


def test_asks_for_nothing(page):
    reader = read(page)
    assert not reader.all("link")
    assert not reader.all("img")
    assert all(link["href"].startswith("#") for link in reader.all("a"))
    without = page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
    assert "http" not in without
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)


def test_ids_are_unique_and_tables_have_headers(page):
    reader = read(page)
    ids = [attributes["id"] for _, attributes in reader.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert len(reader.all("caption")) == len(reader.all("table")) == len(document().tables())
    assert all(head.get("scope") in {"col", "row", "colgroup"} for head in reader.all("th"))
    assert len(reader.all("svg")) == 2 * len(document().figures())


def test_the_same_document_gives_the_same_page(page):
    assert html(document(), made="Made <now>.") == page


def test_data_are_those_of_the_document(page):
    data = data_of(page)
    tables, figures = document().tables(), document().figures()
    assert set(data) == {f"table-{it.id}" for it in tables} | {f"figure-{it.id}" for it in figures}
    for figure in figures:
        assert data[f"figure-{figure.id}"] == figure.data.write_csv()
    rows = list(csv.reader(io.StringIO(data["table-concepts"])))
    assert len(rows) == 1 + len(long_table().rows)


def test_long_tables_are_cut_with_a_note():
    def page_of(rows: int) -> str:
        return html(Document("t", (), (), (Section("s", "s", (long_table(rows),)),)))

    assert page_of(LONGEST).count("<tr>") == 1 + LONGEST
    assert "The first" not in page_of(LONGEST)
    assert page_of(LONGEST + 1).count("<tr>") == 1 + LONGEST
    assert f"The first {LONGEST} of {LONGEST + 1} rows" in page_of(LONGEST + 1)


@pytest.mark.parametrize(
    ("cell", "numeric", "by"),
    [
        (Cell("0.5", 0.512), True, "0.512"),
        (Cell.count(1234), True, "1234.0"),
        (Cell.number(-0.25, 2), True, "-0.25"),
        (Cell.share(0.12), True, "0.12"),
        (Cell.number(None), True, ""),
        (Cell.number(float("nan")), True, ""),
        (Cell("none", float("nan")), True, ""),
        (Cell("b"), False, "b"),
        (Cell("–"), False, ""),
    ],
)
def test_what_cells_are_sorted_by(cell, numeric, by):
    table = Table("t", "c", (Column("x", numeric=numeric),), ((cell,),))
    reader = read(html(Document("t", (), (), (Section("s", "s", (table,)),))))
    assert [head["data-by"] for head in reader.all("th") if "data-by" in head] == [by]


def test_groups_span_their_columns(page):
    groups = [head for head in read(page).all("th") if head.get("scope") == "colgroup"]
    assert [group["colspan"] for group in groups] == ["2", "2"]
    columns = [Column("a", group="x"), Column("b"), Column("c", group="x"), Column("d", group="x")]
    table = Table("t", "c", tuple(columns), ((Cell("1"), Cell("2"), Cell("3"), Cell("4")),))
    heads = read(html(Document("t", (), (), (Section("s", "s", (table,)),)))).all("th")
    assert [head["colspan"] for head in heads if "colspan" in head] == ["1", "2"]
    assert [head["data-column"] for head in heads if "data-column" in head] == ["1", "0", "2", "3"]


def test_best_intervals_and_superscripts(page):
    best = sum(cell.best for row in main_table().rows for cell in row)
    table = re.search(r'<table id="table-auc".*?</table>', page, re.DOTALL)[0]
    assert len(re.findall(r"<strong>0\.", table)) == best == 4
    assert "+7\N{MINUS SIGN}1" in table
    shown = main_table().rows[0][1].interval.ends
    assert f"{shown[0]}<span> to </span>{shown[1]}" in table


def test_empty_documents_and_tables():
    empty = Table("t", "", (), ())
    headed = Table("h", "none", (Column("a", numeric=True),), ())
    read(html(Document("", (), (), ())))
    read(html(Document("t", (), (), (Section("s", "s", (empty, headed, Prose(()))),))))


def test_marks():
    assert marked("**a<b** `c&d` *e*") == "<strong>a&lt;b</strong> <code>c&amp;d</code> *e*"


def test_names_are_not_broken():
    assert marked("**char-ngrams**") == '<strong class="name">char-ngrams</strong>'
    assert marked("**edit-distance negatives**") == "<strong>edit-distance negatives</strong>"
    assert marked(f"**{'long-' * 9}**") == f"<strong>{'long-' * 9}</strong>"


@given(st.text(max_size=60), st.text(max_size=60))
def test_whatever_users_write_is_text(one, other):
    table = Table("t", one, (Column(other, note=one, group=other),), ((Cell(one, note=other),),), (one,))
    prose = Prose((one, other))
    plain = Document(one, (other,), (Fact(one, other),), (Section("s", f"s{other}", (prose, table)),))
    calm = Document("x", ("x",), (Fact("x", "x"),), (Section("s", "x", (Prose(("x", "x")), table)),))
    calm = replace(calm, sections=(Section("s", "x", (Prose(("x", "x")), replace(table, caption="x", notes=("x",)))),))
    page = html(plain, made=one)
    inline = {"strong", "code", "pre", "p", "sup"}  # what marks, and a superscript, may add
    elements = [name for name, _ in read(page).elements if name not in inline]
    assert elements == [name for name, _ in read(html(calm, made="x" if one else "")).elements if name not in inline]
    assert data_of(page).keys() == {"table-t"}


def contrast(first: str, second: str) -> float:
    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((light(first), light(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_stand_out(theme):
    for behind in ("paper", "tint"):
        assert all(contrast(theme[name], theme[behind]) >= 4.5 for name in ("ink", "muted", "accent"))
    assert all(contrast(theme[name], theme["paper"]) >= 2.9 for name in theme if name.startswith("series"))


def test_themes_name_the_same_colours():
    assert LIGHT.keys() == DARK.keys()


def test_written_whole(tmp_path):
    write_html(Document("é", (), (), ()), tmp_path / "new" / "report.html")
    assert "<h1>é</h1>" in (tmp_path / "new" / "report.html").read_text("utf-8")
    (tmp_path / "file").write_text("")
    with pytest.raises(TermgaugeError, match="cannot be written"):
        write_html(Document("", (), (), ()), tmp_path / "file" / "report.html")


def test_a_fragment_is_the_sections_and_a_style_that_stays_inside():
    reader = Reader()
    reader.feed(fragment(document()))
    assert reader.stack == []
    assert reader.all("script") == reader.all("html") == reader.all("link") == []
    assert [each["id"] for each in reader.all("section")] == [section.id for section in document().sections]
    assert len(reader.all("table")) == len(document().tables())
    (style,) = (text for text in reader.texts if "--paper:" in text)
    depth = [1 if mark == "{" else -1 for mark in re.findall(r"[{}]", style)]
    assert sum(depth) == 0
    assert style.startswith(".termgauge-sections{")
    assert all(sum(depth[:place]) > 0 for place in range(1, len(depth)))  # all rules stand inside of the first
