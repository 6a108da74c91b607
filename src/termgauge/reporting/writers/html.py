"""A document as one HTML file that needs nothing else: no network, no fonts, no script to be read.

Drawings, style, script and data all stand in the page. The script adds what paper cannot do (sorting, saving data);
without it everything can still be read. Whatever comes from users goes through jinja's escaping.
"""

from __future__ import annotations

import base64
import gzip
import json
import math
import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from termgauge.io.atomic import write_text
from termgauge.reporting.blocks import Document, Figure, Prose, Table, column_groups
from termgauge.reporting.plots import canvas, drawing
from termgauge.reporting.words import spans, with_minus
from termgauge.reporting.writers.write import csv_text

if TYPE_CHECKING:
    from pathlib import Path

    import jinja2
    from markupsafe import Markup

    from termgauge.reporting.blocks import Cell, Column

LONGEST = 250
"""Rows of a table that a page shows; the others are in the data, and a note says so."""
BRIEF = 20
"""Characters up to which names, and columns of text, are not broken into lines."""
PACKED = 4096
"""Characters of data above which they are compressed."""

LIGHT = {
    **{name: colour for colour, name in drawing.VARIABLES.items()},
    "accent": canvas.ACCENT,
    "tint": "#f5f7f9",
    "edge": "#8b949e",
}
"""The page's colours: those of plots, a tint for what is set apart, and the edges of what can be pressed."""
DARK = {
    "ink": "#e4e8ec",
    "muted": "#9aa5b1",
    "line": "#2f363e",
    "paper": "#14181c",
    "quiet": "#5b6671",
    "series-1": "#5ab4d8",
    "series-2": "#e8955a",
    "series-3": "#76c08a",
    "series-4": "#c792d0",
    "series-5": "#d3b544",
    "series-6": "#9ba8b4",
    "series-7": "#e6819d",
    "series-8": "#8ea6f2",
    "accent": "#5ab4d8",
    "tint": "#1b2026",
    "edge": "#6b7681",
}

_NOTEBOOK_PIXELS = 14
"""How large text is in a notebook, whose own page may set any size for what is measured in sizes of its text."""
_DARK_NOTEBOOKS = "[data-jp-theme-light=false],.vscode-dark,.vscode-high-contrast,[theme=dark]"
_PACKAGE = "termgauge.reporting"
_MISSING = frozenset({"", "-", "–", "—", "n/a"})  # as hyphen and dashes


def write_html(document: Document, path: Path, *, made: str = "") -> None:
    """Write a document as one HTML file, whole or not at all; `made` is a sentence at the page's end."""
    write_text(path, html(document, made=made))


def html(document: Document, *, made: str = "") -> str:
    """Return a document as one HTML page.

    >>> from termgauge.reporting.blocks import Document
    >>> page = html(Document("GloVe <50d>", ("Nothing **new**.",), (), ()))
    >>> "<h1>GloVe &lt;50d&gt;</h1>" in page, "<p>Nothing <strong>new</strong>.</p>" in page
    (True, True)
    """
    from markupsafe import Markup

    return (
        _environment()
        .get_template("page.html")
        .render(
            document=document,
            made=made,
            page=True,
            numbers=_numbers(document),
            data=Markup(_data(document)),  # noqa: S704 - JSON without any angle bracket
            light=LIGHT,
            dark=DARK,
            style=page_resource(_PACKAGE, "sections.css") + page_resource(_PACKAGE, "page.css"),
            script=page_resource(_PACKAGE, "page.js"),
        )
    )


def fragment(document: Document) -> str:
    """Return a document for a notebook: a piece of HTML without script, whose style touches nothing outside of it.

    It is dark where the notebook is: JupyterLab, Visual Studio Code and Colab each say so in their own way.

    >>> from termgauge.reporting.blocks import Document, Prose, Section
    >>> piece = fragment(Document("", (), (), (Section("a", "Terms <new>", (Prose(("None.",)),)),)))
    >>> "Terms &lt;new&gt;" in piece, "<html" in piece, "<script" in piece
    (True, False, False)
    """
    content = _environment().get_template("fragment.html").render(document=document, page=False)
    return f'<div class="termgauge-sections"><style>{_fragment_style()}</style>{content}</div>'


@cache
def _fragment_style() -> str:
    """Return the style of a fragment; a rule inside of a rule holds inside of its element alone."""
    light, dark = ("".join(f"--{name}:{colour};" for name, colour in colours.items()) for colours in (LIGHT, DARK))
    in_the_dark = f":is({_DARK_NOTEBOOKS}) &{{{dark}color-scheme:dark}}"
    rules = f"{page_resource(_PACKAGE, 'sections.css')}{page_resource(_PACKAGE, 'fragment.css')}{in_the_dark}"
    style = f".termgauge-sections{{{light}color-scheme:light;{rules}}}"
    absolute = re.sub(r"([\d.]+)rem\b", lambda match: f"{_NOTEBOOK_PIXELS * float(match[1]):g}px", style)
    uncommented = re.sub(r"/\*.*?\*/", "", absolute, flags=re.DOTALL)
    return re.sub(r"\s*([{};,])\s*|\s+", lambda match: match[1] or " ", uncommented)


def page_environment(package: str) -> jinja2.Environment:
    """Return what fills the templates in the folder ``page`` of a package."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.PackageLoader(package, "page"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


@cache
def page_resource(package: str, name: str) -> Markup:
    """Return a file of the folder ``page`` of a package, such as a style, which goes into a page as it is."""
    from markupsafe import Markup

    text = (resources.files(package) / "page" / name).read_text(encoding="utf-8")
    return Markup(text)  # noqa: S704 - a file of the package


@cache
def _environment() -> jinja2.Environment:
    environment = page_environment(_PACKAGE)
    environment.tests |= {
        "prose": lambda block: isinstance(block, Prose),
        "table": lambda block: isinstance(block, Table),
        "figure": lambda block: isinstance(block, Figure),
    }
    environment.filters |= {
        "marked": marked,
        "drawn": _drawn,
        "shown": lambda table: table.rows[:LONGEST],
        "notes": _notes,
        "heads": lambda table: column_groups(table.columns, range(len(table.columns))),
        "sorted_by": _sorted_by,
        "raised": lambda table, at: any(row[at].against for row in table.rows),
        "brief": _brief,
        "with_minus": with_minus,
    }
    return environment


def marked(text: str) -> Markup:
    """Return marked text as HTML, all else in it escaped."""
    from markupsafe import Markup, escape

    tags = {"plain": "{}", "bold": "<strong>{}</strong>", "code": "<code>{}</code>"}
    name = '<strong class="name">{}</strong>'  # of a model, mostly: not to be broken at its hyphens
    return Markup("").join(
        Markup(name if span.style == "bold" and _is_name(span.text) else tags[span.style]).format(escape(span.text))  # noqa: S704
        for span in spans(text)
    )


def _is_name(text: str) -> bool:
    return "-" in text and " " not in text and len(text) <= BRIEF


def _drawn(block: Figure | Table, width: str) -> Markup:
    from markupsafe import Markup

    pixels = {"wide": drawing.WIDE, "narrow": drawing.NARROW}[width]
    return Markup(drawing.themed(drawing.svg(block, pixels)))  # noqa: S704 - escaped by the canvas


def _numbers(document: Document) -> dict[str, str]:
    """Number tables and figures, each on their own."""
    tables = {table.id: f"Table {number}" for number, table in enumerate(document.tables(), 1)}
    return tables | {figure.id: f"Figure {number}" for number, figure in enumerate(document.figures(), 1)}


def _notes(table: Table) -> tuple[str, ...]:
    if len(table.rows) <= LONGEST:
        return table.notes
    return (*table.notes, f"The first {LONGEST} of {len(table.rows):,} rows; all of them are in the data.")


def _sorted_by(cell: Cell, column: Column) -> str:
    """Return what a cell is sorted by: a number or text, or nothing where the value is missing."""
    if column.numeric:
        return "" if cell.value is None or math.isnan(cell.value) else repr(float(cell.value))
    return "" if cell.text.strip() in _MISSING else cell.text


def _brief(table: Table) -> list[bool]:
    """Say of each column whether it is of texts so short that they stay on one line."""
    return [
        not column.numeric and all(len(row[index].text) <= BRIEF for row in table.rows)
        for index, column in enumerate(table.columns)
    ]


def _data(document: Document) -> str:
    """Return the data of all tables and figures as JSON that may stand in a script element."""
    parts = {f"table-{table.id}": packed(csv_text(table)) for table in document.tables()}
    parts |= {f"figure-{figure.id}": packed(csv_text(figure)) for figure in document.figures()}
    return script_json(parts)


def script_json(value: Any) -> str:  # noqa: ANN401 - JSON
    """Return JSON that may stand in a script element."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_IN_SCRIPT)


_UNSEEN = (*range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A))
"""Line breaks, control characters and marks of direction that JSON would leave as they are."""
_IN_SCRIPT = {ord(character): f"\\u{ord(character):04x}" for character in map(chr, (*b"<>&", *_UNSEEN))}


def packed(text: str) -> Any:  # noqa: ANN401 - JSON
    """Return data as they are if they are short, else compressed, as the scripts of pages unpack them."""
    if len(text) <= PACKED:
        return text
    return {"gzip": base64.b64encode(gzip.compress(text.encode("utf-8"), mtime=0)).decode("ascii")}
