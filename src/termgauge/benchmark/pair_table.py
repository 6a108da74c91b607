"""Reading pairs from a table of one's own: a file or a DataFrame, with columns that it calls whatever it likes.

Published sets have a layout to the byte, which :func:`~termgauge.benchmark.pairset.read_tsv` reads. Of a table of one's
own, :mod:`termgauge.io.tables` finds the two terms and their rating or label; what they mean is said here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termgauge.benchmark.pairset import PairSet, parse_score, shown
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.frames import is_frame
from termgauge.io.tables import column_names, open_table

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import polars as pl

    from termgauge.io.tables import Columns, Rows, Table

_LABELS = {
    **dict.fromkeys(("1", "1.0", "true", "yes", "t", "y"), 1),
    **dict.fromkeys(("0", "0.0", "false", "no", "f", "n"), 0),
}
_TERMS, _CONCEPTS, _KINDS = ("term_1", "term_2"), ("concept_1", "concept_2"), ("score", "label")
_SUFFIXES = re.compile(r"(?<=.)(?:\.(?:gz|zip|csv|tsv|txt|tab))+\Z", re.IGNORECASE)


def read_pairs(
    path: str | os.PathLike[str] | Any,  # noqa: ANN401
    columns: Columns = (),
    *,
    id: str | None = None,  # noqa: A002
) -> PairSet:
    """Read pairs with ratings or labels from a table; its id is the file's name unless given.

    The separator (comma, tab, semicolon or bar) is found out, fields may be quoted, and the file may be compressed.

    Parameters
    ----------
    path
        The file, or a DataFrame of pandas or Polars.
    columns
        The columns of the two terms and of the rating or label, by name or number (from 1), in one text with commas
        between or one by one; then, where they are known, those of the two concepts. Or as ``{"term_1": NAME,
        "term_2": NAME, "score": NAME}``, with ``label`` instead of ``score``, and ``concept_1`` and ``concept_2``. If
        none is named, they are found by what they are usually called, as ``term_1``, ``Term 1``, ``word1``, ``text1``,
        or ``sentence1``, and ``score``, ``label``, ``rating`` or ``similarity``. A file of three columns without a
        header needs no names.

        Whether the third column has ratings or labels is told by what it holds: labels if it is 0 and 1, true and
        false, or yes and no. A column that is called ``label`` must hold labels; ``score=NAME`` and ``label=NAME`` say
        which it is.
    id
        What results call the set.

    Raises
    ------
    TermgaugeError
        If a column is not there, or a row has no term, rating or label; the message names the line and the column.
    """
    name = id or ("pairs" if is_frame(path) else _SUFFIXES.sub("", Path(path).name))
    return PairSet(name, pairs_of(path, columns, f"The pairs of '{name}'"))


def pairs_of(
    source: str | os.PathLike[str] | Any,  # noqa: ANN401
    columns: Columns = (),
    label: str = "The table",
) -> pl.DataFrame:
    """Return the pairs of a file, or of a DataFrame that messages call `label`, in the columns that a set has."""
    import polars as pl

    wanted, kind = _wanted(columns)
    table = open_table(source, wanted, label)
    places, header = _places(table, wanted)
    rows = table.rows(header=header)
    if not rows.lines:
        what = "has no rows" if table.framed else "has a header and no pair"
        raise TermgaugeError(f"{table.label}: {what}; a table of pairs has one {rows.unit} for each pair.")
    title = rows.titles[places[2]]
    terms = {name: _filled(rows, at, rows.texts(at)) for name, at in zip(_TERMS, places, strict=False)}
    values = _filled(rows, places[2], rows.column(places[2]))
    concepts = {
        name: [text or None for text in rows.texts(at, numbers=True)]
        for name, at in zip(_CONCEPTS, places[3:], strict=False)
    }
    binary = kind == "label" or (
        not kind and (title.lower() == "label" or all(value.lower() in _LABELS for value in values))
    )
    read = _LABELS.get if binary else parse_score
    made = [read(value.lower()) for value in values]
    if None in made:
        row = made.index(None)
        must = "0 or 1, true or false, yes or no" if binary else "a finite number with a decimal point"
        raise TermgaugeError(
            f"{rows.where(row)}: the {_KINDS[binary]} in column '{title}' is {shown(values[row])}, and must be {must}."
        )
    return pl.DataFrame({**terms, _KINDS[binary]: made, **concepts})


def split_columns(name: str) -> tuple[str, str]:
    """Return a file and the columns that ``FILE?columns=A,B,C`` names; no columns if it names none.

    Examples
    --------
    >>> split_columns("pairs.csv?columns=term1,term2,score")
    ('pairs.csv', 'term1,term2,score')
    """
    file, _, columns = name.partition("?columns=")
    return file, columns


def is_table(path: str | os.PathLike[str]) -> bool:
    """Say whether a file is, by its name, a table as spreadsheets write it rather than in the published layout."""
    return str(path).lower().removesuffix(".gz").endswith(".csv")


def _filled(rows: Rows, at: int, cells: Sequence[str]) -> list[str]:
    """Return cells with single spaces between words, none of which may be empty."""
    filled = [" ".join(cell.split()) for cell in cells]
    if "" in filled:
        raise TermgaugeError(
            f"{rows.where(filled.index(''))}: the column '{rows.titles[at]}' is empty; fill it in, or leave the row "
            "out."
        )
    return filled


def _wanted(columns: Columns) -> tuple[list[str], str]:
    """Return the columns that are named, and whether the third is said to hold scores or labels."""
    if isinstance(columns, Mapping):
        roles = [*_TERMS, "label" if "label" in columns else "score", *_CONCEPTS]
        if (other := next((title for title in columns if title not in roles), None)) is not None:
            raise TermgaugeError(
                f"Pairs have no column '{other}', only {', '.join(roles)}.{did_you_mean(other, roles)}"
            )
        titles = {role: str(columns[role]) for role in roles if role in columns}
        named = [f"{role}={column}" if role in _KINDS else column for role, column in titles.items()]
    else:
        named = column_names(columns)
    if len(named) not in (0, 3, 5):
        raise TermgaugeError(
            f"{len(named)} columns are named; name three, the two terms and the score or label, as in "
            "term1,term2,score, or five with the two concepts."
        )
    kind, _, column = named[2].partition("=") if named else ("", "", "")
    if kind in _KINDS and column:
        named[2] = column
        return named, kind
    return named, ""


def _places(table: Table, wanted: Sequence[str]) -> tuple[list[int], bool]:
    """Return where the columns stand, and whether the first row is a header."""
    first = table.first
    if wanted:
        numbered = all(column.isdecimal() for column in wanted)
        places = [table.position(column, numbered=numbered) for column in wanted]
        return places, not (numbered and _is_value(first[places[2]]))
    positions = [table.find(name) for name in (*_TERMS, _KINDS[0])]
    if None in positions:
        if len(first) == 3 and _is_value(first[2]) and not table.framed:  # a file without a header
            return [0, 1, 2], False
        where, option = (table.label, "columns=") if table.framed else (f"{table.label}, line 1", "--columns ")
        raise TermgaugeError(
            f"{where}: does not say which columns hold the terms and the score or label (it has {table.has()}); name "
            f"them with {option}TERM1,TERM2,SCORE."
        )
    concepts = [table.find(name) for name in _CONCEPTS]
    return [
        position for position in (*positions, *(concepts if None not in concepts else ())) if position is not None
    ], True


def _is_value(cell: str) -> bool:
    return cell.lower() in _LABELS or parse_score(cell) is not None
