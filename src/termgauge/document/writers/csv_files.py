"""A document's numbers as CSV: a file for each table and figure, with all digits, and an index of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.atomic import whole_file
from termgauge.document.blocks import Figure, Table
from termgauge.document.marks import whole_characters
from termgauge.document.numbers import missing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from termgauge.document.blocks import Cell, Document

INDEX = "index.csv"


def write_csv(document: Document, folder: Path) -> list[Path]:
    """Write the data of every table and figure, and ``index.csv``, which says what is in which file.

    Parameters
    ----------
    document
        What to write.
    folder
        Where the files go, each named after its table's or figure's id.

    Returns
    -------
    list
        All files written, the index first.
    """
    rows: list[dict[str, Any]] = []
    files = [folder / INDEX]
    for section, block in _with_data(document):
        frame = _plain(tidy(block) if isinstance(block, Table) else block.data)
        file = folder / f"{block.id}.csv"
        with whole_file(file) as temporary:
            frame.write_csv(temporary)
        files.append(file)
        kind = "table" if isinstance(block, Table) else "figure"
        about = {"file": file.name, "kind": kind, "section": section, "caption": whole_characters(block.caption)}
        rows.append({**about, "rows": frame.height, "columns": ", ".join(frame.columns)})
    strings = dict.fromkeys(("file", "kind", "section", "caption"), pl.String)
    index = pl.DataFrame(rows, schema={**strings, "rows": pl.Int64, "columns": pl.String})
    with whole_file(files[0]) as temporary:
        index.write_csv(temporary)
    return files


def csv_text(block: Table | Figure) -> str:
    """Return the data of a table or figure as CSV."""
    return _plain(tidy(block) if isinstance(block, Table) else block.data).write_csv()


def tidy(table: Table) -> pl.DataFrame:
    """Return the data of a table; where it has none of its own, what its cells hold.

    A column of numbers is then followed by the ends of its intervals and by how many others each value significantly
    beats and loses to, as far as cells say so.

    Examples
    --------
    >>> from termgauge.document.blocks import Cell, Column, WinsLosses
    >>> cell = Cell.number(0.7512, 2, against=WinsLosses(2, 1))
    >>> shown = Table("t", "", (Column("auc", numeric=True),), ((cell,),))
    >>> tidy(shown).to_dicts()
    [{'auc': 0.7512, 'auc better than': 2, 'auc worse than': 1}]
    """
    if table.data is not None:
        return table.data
    columns: dict[str, pl.Series] = {}
    for at, column in enumerate(table.columns):
        name = whole_characters(f"{column.group} {column.heading}".strip())
        cells = [row[at] for row in table.rows]
        for suffix, values in _values(cells, numeric=column.numeric):
            free = _free(f"{name} {suffix}".strip(), columns)
            columns[free] = pl.Series(free, values, strict=False)
    return pl.DataFrame(list(columns.values()))


def _with_data(document: Document) -> Iterator[tuple[str, Table | Figure]]:
    for section in document.sections:
        for block in section.blocks:
            if isinstance(block, Table | Figure):
                yield section.title, block


def _values(cells: list[Cell], *, numeric: bool) -> Iterator[tuple[str, list[Any]]]:
    if not numeric:
        yield "", [whole_characters(cell.text) for cell in cells]
        return
    yield "", [_number(cell) for cell in cells]
    if any(cell.interval for cell in cells):
        yield "low", [cell.interval.low if cell.interval else None for cell in cells]
        yield "high", [cell.interval.high if cell.interval else None for cell in cells]
    if any(cell.against for cell in cells):
        yield "better than", [cell.against.wins for cell in cells]
        yield "worse than", [cell.against.losses for cell in cells]


def _number(cell: Cell) -> float | None:
    return None if missing(cell.value) else cell.value


def _free(name: str, taken: dict[str, pl.Series]) -> str:
    """Return a name that no column has yet."""
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{name} {number}"
    return found


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame without lists and structs, which CSV has no place for; they become JSON."""
    nested = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
    return frame.with_columns(
        pl.struct(value=pl.col(name)).struct.json_encode().str.slice(9).str.head(-1).alias(name) for name in nested
    )
