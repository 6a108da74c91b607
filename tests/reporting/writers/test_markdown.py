from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from markdown_it import MarkdownIt

from termgauge.exceptions import one_line
from termgauge.reporting.blocks import Cell, Column, Prose, Table
from termgauge.reporting.writers.markdown import escaped, markdown, marked, write_markdown
from tests.reporting.small_documents import TEXTS, document, figure, hostile_document, paper_table, tables

RENDER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render


class Seen(HTMLParser):
    """What a reader sees: the text of each table's cells, and all text."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text, self.tables, self.cell = [], [], [], None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, _attributes):
        self.tags.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.cell = []

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.tables[-1][-1].append("".join(self.cell).strip())
            self.cell = None

    def handle_data(self, data):
        self.text.append(data)
        if self.cell is not None:
            self.cell.append(data)


def plain(text):
    """Return a text as a page can show it: in one line, without what no page has."""
    return one_line(" ".join(text.split()))


def seen(text):
    return Seen(RENDER(text))


@given(TEXTS)
def test_text_is_shown_as_it_is(text):
    for before, after in (("", ""), ("A ", ""), ("", " z")):
        shown = seen(before + escaped(text) + after)
        assert plain("".join(shown.text)) == plain(before + plain(text) + after)
        assert set(shown.tags) <= {"p"}


@given(TEXTS)
def test_only_its_marks_are_marks(text):
    shown = seen("x " + marked(text))
    assert set(shown.tags) <= {"p", "strong", "code"}
    assert "script" not in shown.tags


def test_marks():
    assert marked("**GloVe & co** by `avg_cos` wins") == "**GloVe \\& co** by `avg_cos` wins"
    assert seen(marked("`<b>|&amp;*x*`")).tags == ["p", "code"]
    assert "".join(seen(marked("`<b>|&amp;*x*`")).text).strip() == "<b>|&amp;*x*"
    shown = seen(marked("**A** beats **B**, `c|d` and 2 ** 3"))
    assert shown.tags == ["p", "strong", "strong", "code"]
    assert "".join(shown.text).strip() == "A beats B, c|d and 2 ** 3"


@given(tables())
def test_tables_have_every_cell(table):
    (found,) = seen(markdown(document(table))).tables
    assert len(found) == len(table.rows) + 1
    assert {len(row) for row in found} == {len(table.columns)}
    for row, shown in zip(table.rows, found[1:], strict=True):
        for cell, text in zip(row, shown, strict=True):
            assert plain(text).startswith(plain(cell.text))


def test_values_superscripts_and_intervals():
    text = markdown(document(paper_table()))
    assert "| BioNLP PM | **0.900**<sup>+2</sup> \\[0.850, 0.950\\] |" in text
    assert "<sup>+1−1</sup>" in text
    assert "| Model | fsn-syn easy |" in text
    assert "| :--- | ---: |" in text
    assert "**GloVe** wins on 2 of 3 sets." in text
    assert "## Values" in text
    assert "### More" in text


def test_pictures_are_beside_it(tmp_path):
    path = tmp_path / "my report.md"
    files = write_markdown(document(), path)
    assert [file.name for file in files] == ["my report.md", "dots.svg"]
    assert "![Two dots, the second farther right.](my%20report-figures/dots.svg)" in path.read_text(encoding="utf-8")
    assert "<svg" in files[1].read_text(encoding="utf-8")
    both = write_markdown(document(figure()), tmp_path / "b.md", pictures=("png", "pdf"))
    assert [file.suffix for file in both] == [".md", ".png", ".pdf"]
    assert "b-figures/dots.png" in both[0].read_text(encoding="utf-8")
    (alone,) = write_markdown(document(), tmp_path / "c.md", pictures=())
    assert "![" not in alone.read_text(encoding="utf-8")


def test_a_hostile_document(tmp_path):
    path, *_ = write_markdown(hostile_document(), tmp_path / "r.md", pictures=())
    shown = seen(path.read_text(encoding="utf-8"))
    assert "script" not in shown.tags
    assert len(shown.tables) == 3


def test_an_empty_table_and_empty_prose():
    empty = Table("e", "Nothing.", (Column("a"), Column("b", numeric=True)), ())
    assert seen(markdown(document(empty))).tables == [[["a", "b"]]]
    assert seen(markdown(document(Prose(("",)), Table("x", "", (Column("a"),), ((Cell(""),),))))).tables == [
        [["a"], [""]]
    ]
