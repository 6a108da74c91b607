"""A document as Markdown for GitHub and model cards: one text file, and its pictures in a folder beside it.

Whatever stands in a cell is shown as it is: what would be Markdown or HTML in it is escaped.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from termgauge.exceptions import one_line
from termgauge.io.atomic import inside, write_text
from termgauge.reporting.blocks import Prose, Table
from termgauge.reporting.words import spans, with_minus

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from termgauge.reporting.blocks import Block, Cell, Column, Document

MINUS = "\N{MINUS SIGN}"
_SPECIAL = re.compile(r"([\\`*\[\]<>|~&$])")
_LOOSE_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
_LEADING = re.compile(r"^(\d{0,9})([.)](?=\s|$)|[+-](?=\s|$)|--|=|#)")
"""What the start of a line would be taken for: a list, a rule, a heading."""


def write_markdown(document: Document, path: Path, *, pictures: Sequence[str] = ("svg",)) -> list[Path]:
    """Write a document as Markdown, and its pictures to a folder named after it, such as ``report-figures``.

    The text shows the first kind of pictures. All files are returned.
    """
    from termgauge.reporting.writers.write import write_pictures

    folder = inside(path.parent, f"{path.stem}-figures")
    drawn = write_pictures(document, folder, pictures)
    links = {name: f"{quote(folder.name)}/{files[0].name}" for name, files in drawn.items()}
    write_text(path, markdown(document, links))
    return [path, *(file for files in drawn.values() for file in files)]


def markdown(document: Document, pictures: Mapping[str, str] | None = None) -> str:
    """Return a document as Markdown; a figure whose picture is not given, by its id, is left to its caption."""
    parts = [f"# {escaped(document.headline or document.title)}"]
    parts += [" · ".join(marked(str(fact)) for fact in document.facts)] if document.facts else []
    parts += map(marked, document.summary)
    for section in document.sections:
        parts += [f"{'#' * section.level} {escaped(section.title)}"] if section.title else []
        parts += [part for block in section.blocks for part in _block(block, pictures or {})]
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    r"""Return plain text so that Markdown shows it as it is, in one line.

    >>> print(escaped("a|b <i> avg_cos _x_"))
    a\|b \<i\> avg_cos \_x\_
    """
    line = one_line(" ".join(text.split()))
    safe = _LOOSE_UNDERSCORE.sub(r"\\_", _SPECIAL.sub(r"\\\1", line))
    return _LEADING.sub(r"\1\\\2", safe)


def marked(text: str) -> str:
    """Return a marked text as Markdown, everything but its marks escaped."""
    parts = []
    for style, piece in spans(" ".join(text.split())):
        if style == "code":
            parts.append(f"`{one_line(piece)}`")
        elif style == "bold":
            parts.append("**" + escaped(piece.strip()) + "**")
        else:
            inner = escaped(piece)
            before, after = (" " if piece.startswith(" ") else "", " " if piece.endswith(" ") else "")
            parts.append(before + inner + after if inner else " ")
    return "".join(parts).strip()


def _block(block: Block, pictures: Mapping[str, str]) -> list[str]:
    if isinstance(block, Prose):
        return [marked(paragraph) for paragraph in block.paragraphs]
    if isinstance(block, Table):
        return _table(block)
    where = pictures.get(block.id)
    picture = [f"![{escaped(block.description)}]({where})"] if where else []
    return [*picture, f"*Figure.* {marked(block.caption)}"]


def _table(table: Table) -> list[str]:
    headings = [escaped(f"{column.group} {column.heading}".strip()) for column in table.columns]
    rule = ["---:" if column.numeric else ":---" for column in table.columns]
    rows = [[_cell(*pair) for pair in zip(row, table.columns, strict=True)] for row in table.rows]
    lines = [_row(headings), _row(rule), *map(_row, rows)]
    return [f"*Table.* {marked(table.caption)}", "\n".join(lines), *map(marked, table.notes)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell, column: Column) -> str:
    text = escaped(with_minus(cell.text) if column.numeric else cell.text)
    if cell.best and text:
        text = f"**{text}**"
    if cell.against:
        text += f"<sup>{str(cell.against).replace('-', MINUS)}</sup>"
    if cell.interval:
        low, high = (escaped(with_minus(end)) for end in cell.interval.ends)
        text += f" \\[{low}, {high}\\]"
    return text
