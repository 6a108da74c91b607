r"""A document for papers: every table as a file to ``\input``, every plot as PDF and SVG, and a report that compiles.

tables/ID.tex    one table, with caption and label
tables.tex       all of them
figures/ID.pdf (with the extra ``pictures``), figures/ID.svg
report.tex       the whole document; needs no package but booktabs, longtable and graphicx

Tables are laid out as in Schulz & Juric (2020): a value and its superscript stand in two columns without a gap
(``r@{}l``), so that digits stay below each other. Counts such as 9/-13 behind a value say how many others it is
significantly better and worse than.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from termgauge.io.atomic import inside, write_text
from termgauge.reporting.blocks import Figure, Prose, Table, column_groups
from termgauge.reporting.words import spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from termgauge.reporting.blocks import Block, Cell, Document

FALLBACK = r'\providecommand{\termgaugechar}[1]{\ifdefined\Umathchar\symbol{"#1}\else\texttt{U+#1}\fi}'
"""The command's definition, which stands at the head of every file, so that each can be used alone."""

_PLAIN = {
    "\\": r"\textbackslash{}",
    **{sign: rf"\{sign}" for sign in "{}$&#%_"},
    **{sign: f"{{{sign}}}" for sign in "[]*"},
    **{sign: f"${sign}$" for sign in "<>|"},
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    '"': r"\textquotedblright{}",
    "`": r"\textasciigrave{}",
    "\N{ZERO WIDTH SPACE}": r"\allowbreak{}",
    "\N{WORD JOINER}": "{}",
    "\N{NO-BREAK SPACE}": "~",
    "\N{NARROW NO-BREAK SPACE}": r"\,",
    "\N{THIN SPACE}": r"\,",
    "\N{HYPHEN}": "-",
    "\N{NON-BREAKING HYPHEN}": "-",
    "\N{EN DASH}": "--",
    "\N{EM DASH}": "---",
    "\N{MINUS SIGN}": "$-$",
    "\N{LEFT SINGLE QUOTATION MARK}": "`",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{LEFT DOUBLE QUOTATION MARK}": "``",
    "\N{RIGHT DOUBLE QUOTATION MARK}": "''",
    "\N{HORIZONTAL ELLIPSIS}": r"\ldots{}",
    "\N{BULLET}": r"\textbullet{}",
    "\N{DEGREE SIGN}": r"$^{\circ}$",
    "\N{SECTION SIGN}": r"\S{}",
    "\N{COPYRIGHT SIGN}": r"\copyright{}",
    "\N{REGISTERED SIGN}": r"\textregistered{}",
    "\N{TRADE MARK SIGN}": r"\texttrademark{}",
}
_SIGN_NAMES = "cdot times pm approx leq geq neq infty rightarrow leftarrow mu surd"
_SIGNS = zip("·×±≈≤≥≠∞→←\N{MICRO SIGN}✓", _SIGN_NAMES.split(), strict=True)
_LETTERS = zip("ßæÆœŒøØłŁı", ("ss", "ae", "AE", "oe", "OE", "o", "O", "l", "L", "i"), strict=True)
_PLAIN |= {sign: rf"$\{name}$" for sign, name in _SIGNS} | {letter: rf"\{name}{{}}" for letter, name in _LETTERS}
_MARKS = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0323\u0327\u0331"
"""Combining marks, of which each accent below is the command."""
_ACCENTS = dict(zip(_MARKS, "`'^~=u.\"rHvdcb", strict=True))
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", "0123456789+-=()ni", strict=True))
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", "0123456789+-=()", strict=True))
_PLAIN |= dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧο", "ABEZHIKMNOPTXo", strict=True)) | {"ς": r"$\varsigma$"}
_GREEK = re.compile(
    "GREEK (?:SMALL LETTER (ALPHA|BETA|GAMMA|DELTA|EPSILON|ZETA|ETA|THETA|IOTA|KAPPA|LAMDA|MU|NU|XI|PI|RHO|SIGMA|TAU|"
    "UPSILON|PHI|CHI|PSI|OMEGA)|CAPITAL LETTER (GAMMA|DELTA|THETA|LAMDA|XI|PI|SIGMA|UPSILON|PHI|PSI|OMEGA))"
)
_PIECES = re.compile(f"[{''.join(_RAISED)}]+|[{''.join(_LOWERED)}]+|.", re.DOTALL)
_LONG_RUN = re.compile(r"\S{20,}")
_BETWEEN_BREAKS = re.compile(r"[^/_.:=?&-]{12}(?=[^/_.:=?&-]{8})|[^/_.:=?&-]*[/_.:=?&-]+|\S+")
_LIGATURE = re.compile(r"([-'`,?!<>])(?=[-'`,<>])")


def escaped(text: str) -> str:
    r"""Return plain text so that LaTeX shows it as it is, in one line.

    >>> print(escaped("50% of β-cells & Sjögren_x"))
    50\% of $\beta$-cells \& Sj\"{o}gren\_x
    >>> print(escaped("x⁺³⁻¹ [a]"))
    x$^{+3-1}$ {[}a{]}
    """
    separated = _LIGATURE.sub("\\1\N{WORD JOINER}", " ".join(text.split()))  # so that two dashes stay two dashes
    return "".join(map(_piece, _PIECES.findall(unicodedata.normalize("NFC", separated))))


def breakable(text: str) -> str:
    """Return a text in which long runs without a space may be broken: paths where they have signs, hashes anywhere."""
    return _LONG_RUN.sub(lambda run: "\N{ZERO WIDTH SPACE}".join(_BETWEEN_BREAKS.findall(run[0])), text)


def marked(text: str) -> str:
    """Return a marked text, its bold and code parts as LaTeX commands."""
    commands = {"bold": r"\textbf", "code": r"\texttt", "plain": ""}
    parts = []
    for style, piece in spans(" ".join(text.split())):
        before, after = (" " if piece[:1] == " " else "", " " if piece[-1:] == " " and piece.strip() else "")
        inner = escaped(piece)
        parts.append(f"{before}{commands[style]}{{{inner}}}{after}" if style != "plain" else before + inner + after)
    return "".join(parts).strip()


def _piece(piece: str) -> str:
    """Return one character, or a run of raised or lowered ones."""
    if piece[0] in _RAISED:
        return f"$^{{{''.join(_RAISED[character] for character in piece)}}}$"
    if piece[0] in _LOWERED:
        return f"$_{{{''.join(_LOWERED[character] for character in piece)}}}$"
    return _character(piece)


@cache
def _character(letter: str) -> str:
    if letter in _PLAIN:
        return _PLAIN[letter]
    if " " <= letter <= "~":
        return letter
    category = unicodedata.category(letter)
    if category in ("Cc", "Cf", "Cs"):  # control characters, direction marks, halves of characters: nothing to see
        return ""
    if category == "Zs":
        return " "
    return _accented(letter) or _greek(letter) or rf"\termgaugechar{{{ord(letter):04X}}}"


def _accented(letter: str) -> str:
    """Return a Latin letter with one accent as a command; nothing for others."""
    parts = unicodedata.normalize("NFD", letter)
    if len(parts) != 2 or not parts[0].isascii() or not parts[0].isalpha() or parts[1] not in _ACCENTS:
        return ""
    base = rf"\{parts[0]}" if parts[0] in "ij" and parts[1] not in "\u0323\u0327\u0331" else parts[0]
    return rf"\{_ACCENTS[parts[1]]}{{{base}}}"


def _greek(letter: str) -> str:
    if (named := _GREEK.fullmatch(unicodedata.name(letter, ""))) is None:
        return ""
    small, capital = ((name or "").replace("LAMDA", "LAMBDA") for name in named.groups())
    return rf"$\{small.lower() or capital.capitalize()}$"


_SUPERSCRIPTS = "Positive/negative superscripts: significantly better/worse than so many others."
MOST_ROWS = 40
"""A table with more of them runs over pages."""
_LINE, _HALF_LINE = 84, 44
"""Characters that fit on a page's width, and in one of two columns."""
_LONG, _LEAST, _GAP = 28, 14, 3
_SIZES = ((_LINE, ""), (93, r"\small"), (104, r"\footnotesize"))


def latex_table(table: Table) -> str:
    """Return a table as a file of its own: ``table``, ``table*`` where it is wide, ``longtable`` where it is long."""
    layout = _laid_out(table)
    long = len(table.rows) > MOST_ROWS
    lines = list(_long(table, layout) if long else _floating(table, layout))
    packages = ["booktabs", *(["longtable"] if long else []), *(["graphicx"] if layout.scaled and not long else [])]
    return "\n".join([f"% Needs the packages {', '.join(packages)}.", FALLBACK, *lines, ""])


@dataclass(frozen=True)
class _Layout:
    """How the columns of a table are set."""

    table: Table
    split: tuple[bool, ...]
    """Which columns have something behind their numbers."""
    intervals: bool
    wrapped: dict[int, int]
    """Columns of long text, and how many characters wide they are set."""
    width: float

    @property
    def scaled(self) -> bool:
        return self.width > _SIZES[-1][0]

    @property
    def size(self) -> str:
        return next((command for most, command in _SIZES if self.width <= most), r"\footnotesize")

    @property
    def specification(self) -> str:
        columns = zip(self.table.columns, self.split, strict=True)
        kinds = ["r@{}l" if split else "r" if column.numeric else "l" for column, split in columns]
        for at, width in self.wrapped.items():
            kinds[at] = rf"p{{{width / _LINE:.2f}\textwidth}}"
        return "".join(kinds)

    @property
    def end(self) -> str:
        """How a row ends: a wrapped cell that is not justified takes the meaning of a double backslash."""
        return r" \tabularnewline" if self.wrapped else r" \\"

    def spans(self) -> list[int]:
        """Return how many columns of the tabular each column of the table takes."""
        return [2 if split else 1 for split in self.split]


def _laid_out(table: Table) -> _Layout:
    columns = range(len(table.columns))
    widths = [_widths(table, at, intervals=True) for at in columns]
    raised = any(cell.against for row in table.rows for cell in row)
    # The paper's tables do without intervals; every one of them is in the CSV files.
    intervals = sum(widths) <= (_LINE if raised else _SIZES[-1][0])
    if not intervals:
        widths = [_widths(table, at, intervals=False) for at in columns]
    wrapped = _wrapped(table, widths)
    split = tuple(
        any(row[at].against or (intervals and row[at].interval) for row in table.rows) and at not in wrapped
        for at in columns
    )
    total = sum(wrapped[at] + _GAP if at in wrapped else widths[at] for at in columns)
    return _Layout(table, split, intervals, wrapped, total)


def _widths(table: Table, at: int, *, intervals: bool) -> float:
    """Return about how many characters wide a column is."""
    cells = (_length(row[at], intervals=intervals) for row in table.rows)
    return max(len(table.columns[at].heading), *cells, 0) + _GAP


def _length(cell: Cell, *, intervals: bool) -> float:
    raised = 0.7 * len(str(cell.against))
    behind = 0.7 * sum(map(len, ("[, ]", *cell.interval.ends))) if intervals and cell.interval else 0.0
    return len(cell.text) + raised + behind


def _wrapped(table: Table, widths: Sequence[float]) -> dict[int, int]:
    """Return the columns of text that are too long for one line, sharing the room that the others leave."""
    long = {at: width for at, width in enumerate(widths) if width > _LONG and not table.columns[at].numeric}
    if not long or sum(widths) <= _LINE:
        return {}
    room = _LINE - sum(width for at, width in enumerate(widths) if at not in long) - _GAP * len(long)
    total = sum(long.values())
    return {at: max(_LEAST, int(min(width, room * width / total))) for at, width in long.items()}


def _floating(table: Table, layout: _Layout) -> Iterator[str]:
    kind = "table" if layout.width <= _HALF_LINE else "table*"
    yield rf"\begin{{{kind}}}[htbp]"
    yield r"  \centering"
    if layout.size:
        yield f"  {layout.size}"
    if layout.scaled:
        yield r"  \resizebox{\textwidth}{!}{%"
    yield rf"  \begin{{tabular}}{{{layout.specification}}}"
    yield from _headings(table, layout)
    yield from _rows(table, layout)
    yield r"    \bottomrule"
    yield rf"  \end{{tabular}}{'}' if layout.scaled else ''}"
    yield rf"  \caption{{{_caption(table)}}}"
    yield rf"  \label{{tab:{table.id}}}"
    yield rf"\end{{{kind}}}"


def _long(table: Table, layout: _Layout) -> Iterator[str]:
    columns = sum(layout.spans())
    yield rf"{{{layout.size}"
    yield rf"\begin{{longtable}}{{{layout.specification}}}"
    yield rf"    \caption{{{_caption(table)}}}\label{{tab:{table.id}}} \\"
    yield from _headings(table, layout)
    yield r"    \endfirsthead"
    yield from _headings(table, layout)
    yield r"    \endhead"
    yield rf"    \midrule \multicolumn{{{columns}}}{{r}}{{\emph{{continued}}}} \\"
    yield r"    \endfoot"
    yield r"    \bottomrule"
    yield r"    \endlastfoot"
    yield from _rows(table, layout)
    yield r"\end{longtable}}"


def _caption(table: Table) -> str:
    """Return the caption with the notes, and what superscripts mean where no note says so."""
    texts = [table.caption, *table.notes]
    if any(cell.against for row in table.rows for cell in row) and "superscript" not in " ".join(texts):
        texts.append(_SUPERSCRIPTS)
    return " ".join(map(marked, texts))


def _headings(table: Table, layout: _Layout) -> Iterator[str]:
    """Yield, between two rules, the line of groups, if there are any, with rules below, and the line of headings."""
    spans = layout.spans()
    yield r"    \toprule"
    if any(column.group for column in table.columns):
        cells, rules, start = [], [], 1
        for group, members in column_groups(table.columns, range(len(table.columns))):
            span = sum(spans[at] for at in members)
            cells.append(rf"\multicolumn{{{span}}}{{c}}{{{escaped(group)}}}" if group else " & " * (span - 1))
            if group:
                rules.append(rf"\cmidrule(lr){{{start}-{start + span - 1}}}")
            start += span
        yield f"    {' & '.join(cells)}{layout.end}"
        yield f"    {' '.join(rules)}"
    headings = [
        rf"\multicolumn{{2}}{{c}}{{{escaped(column.heading)}}}" if span == 2 else escaped(column.heading)
        for column, span in zip(table.columns, spans, strict=True)
    ]
    yield f"    {' & '.join(headings)}{layout.end}"
    yield r"    \midrule"


def _rows(table: Table, layout: _Layout) -> Iterator[str]:
    for row in table.rows:
        cells = [_cell(cell, layout, at) for at, cell in enumerate(row)]
        yield f"    {' & '.join(cells)}{layout.end}"


def _cell(cell: Cell, layout: _Layout, at: int) -> str:
    wrapped = at in layout.wrapped
    plain = escaped(breakable(cell.text)) if wrapped else escaped(cell.text)
    text = _number(cell.text) if layout.table.columns[at].numeric else plain
    shown = rf"\textbf{{{text}}}" if cell.best and text else text
    if wrapped:
        return rf"\raggedright {shown}"
    return f"{shown} & {_behind(cell, intervals=layout.intervals)}" if layout.split[at] else shown


def _number(text: str) -> str:
    """Return a number with a proper minus sign."""
    return f"$-${escaped(text[1:])}" if text.startswith("-") else escaped(text)


def _behind(cell: Cell, *, intervals: bool) -> str:
    """Return what stands behind a number: its superscript as in the paper, and its interval."""
    parts = []
    if cell.against:
        wins, losses = cell.against
        counts = "/".join(filter(None, (str(wins or ""), f"-{losses}" if losses else "")))
        parts.append(f"$^{{{counts}}}$")
    if intervals and cell.interval:
        low, high = map(_number, cell.interval.ends)
        parts.append(rf"~{{\scriptsize [{low}, {high}]}}")
    return "".join(parts)


_FLOATS_AT_ONCE = 12
"""LaTeX gives up when too many floats wait for a place."""
_LEVELS = {2: "section", 3: "subsection"}
_PREAMBLE = (
    r"\documentclass[a4paper]{article}",
    r"\usepackage{booktabs}",
    r"\usepackage{graphicx}",
    r"\usepackage{longtable}",
    r"\setlength{\textwidth}{16cm}",
    r"\setlength{\oddsidemargin}{0cm}",
    r"\setlength{\parindent}{0pt}",
    r"\setlength{\parskip}{1ex}",
    r"\sloppy",
)


def write_latex(document: Document, folder: Path, *, pictures: Sequence[str] = ("pdf", "svg")) -> list[Path]:
    """Write a document as LaTeX; return all files, the report first. It shows the first PDF or PNG of each figure."""
    from termgauge.reporting.writers.write import write_pictures

    drawn = write_pictures(document, inside(folder, "figures"), pictures)
    included = {
        name: f"figures/{file.name}"
        for name, files in drawn.items()
        for file in reversed(files)
        if file.suffix in (".pdf", ".png")
    }
    texts = {"report": latex(document, included), "tables": _all_tables(document)}
    texts |= {f"tables/{table.id}": latex_table(table) for table in document.tables()}
    for name, text in reversed(texts.items()):  # the report last, when what it takes in is there
        write_text(inside(folder, f"{name}.tex"), text)
    return [*(folder / f"{name}.tex" for name in texts), *(file for files in drawn.values() for file in files)]


def latex(document: Document, pictures: Mapping[str, str] | None = None) -> str:
    """Return the report, which takes its tables from the folder ``tables``; a figure without a picture is left out."""
    lines = [*_PREAMBLE, FALLBACK, rf"\title{{{escaped(document.headline or document.title)}}}"]
    lines += [r"\author{}", r"\date{}", r"\begin{document}", r"\maketitle"]
    lines += _paragraphs([*(["; ".join(map(str, document.facts))] if document.facts else []), *document.summary])
    floats = 0
    for section in document.sections:
        heading = rf"\{_LEVELS.get(section.level, 'paragraph')}{{{escaped(section.title)}}}"
        lines += [heading, ""] if section.title else []
        for block in section.blocks:
            lines += [*_block(block, pictures or {}), ""]
            floats += not isinstance(block, Prose)
            if floats == _FLOATS_AT_ONCE:
                lines += [r"\clearpage", ""]
                floats = 0
    return "\n".join([*lines, r"\end{document}", ""])


def _all_tables(document: Document) -> str:
    lines = ["% All tables of the report; needs the packages booktabs, longtable and graphicx."]
    for table_number, table in enumerate(document.tables(), 1):
        lines.append(rf"\input{{tables/{table.id}}}")
        if table_number % _FLOATS_AT_ONCE == 0:
            lines.append(r"\clearpage")
    return "\n".join([*lines, ""])


def _paragraphs(texts: Sequence[str]) -> Iterator[str]:
    for text in texts:
        yield marked(breakable(text))
        yield ""


def _block(block: Block, pictures: Mapping[str, str]) -> Iterator[str]:
    if isinstance(block, Prose):
        yield from _paragraphs(block.paragraphs)
    elif isinstance(block, Table):
        yield rf"\input{{tables/{block.id}}}"
    elif block.id in pictures:
        yield from _figure(block, pictures[block.id])


def _figure(figure: Figure, where: str) -> Iterator[str]:
    yield r"\begin{figure}[htbp]"
    yield r"  \centering"
    yield rf"  \includegraphics[width=\linewidth,height=0.8\textheight,keepaspectratio]{{{where}}}"
    yield rf"  \caption{{{marked(figure.caption)}}}"
    yield rf"  \label{{fig:{figure.id}}}"
    yield r"\end{figure}"
