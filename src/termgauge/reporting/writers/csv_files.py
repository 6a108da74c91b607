"""A document's numbers as CSV: a file for each table and figure, with all digits, and an index of them.

These files are opened with spreadsheets, which take a text that begins as a formula does for one. Such a text gets an
apostrophe before it.
"""

from __future__ import annotations

from itertools import chain, count
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.formulas import harmless_table
from termgauge.io.atomic import whole_file
from termgauge.reporting.blocks import Prose, Table
from termgauge.reporting.numbers import missing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from termgauge.reporting.blocks import Cell, Document, Figure

INDEX = "index.csv"


def write_csv(document: Document, folder: Path) -> list[Path]:
    """Write the data of every table and figure to a file named after its id, and ``index.csv``, which comes first."""
    rows: list[dict[str, Any]] = []
    files = [folder / INDEX]
    titled = ((section.title, block) for section in document.sections for block in section.blocks)
    for section, block in titled:
        if isinstance(block, Prose):
            continue
        frame = _plain(block)
        file = folder / f"{block.id}.csv"
        write_table(frame, file)
        files.append(file)
        kind = "table" if isinstance(block, Table) else "figure"
        about = {"file": file.name, "kind": kind, "section": section, "caption": block.caption}
        rows.append({**about, "rows": frame.height, "columns": ", ".join(frame.columns)})
    strings = dict.fromkeys(("file", "kind", "section", "caption"), pl.String)
    index = pl.DataFrame(rows, schema={**strings, "rows": pl.Int64, "columns": pl.String})
    write_table(index, files[0])
    return files


def write_table(frame: pl.DataFrame, file: Path) -> None:
    """Write one table."""
    with whole_file(file) as temporary:
        harmless_table(frame).write_csv(temporary)


def csv_text(block: Table | Figure) -> str:
    """Return the data of a table or figure as CSV."""
    return harmless_table(_plain(block)).write_csv()


def tidy(table: Table) -> pl.DataFrame:
    """Return the data of a table; where it has none of its own, what its cells hold.

    A column of numbers is then followed by the ends of its intervals and by how many others each value significantly
    beats and loses to, as far as cells say so.
    """
    if table.data is not None:
        return table.data
    columns: dict[str, pl.Series] = {}
    for at, column in enumerate(table.columns):
        name = f"{column.group} {column.heading}".strip()
        cells = [row[at] for row in table.rows]
        for suffix, values in _values(cells, numeric=column.numeric):
            free = _free(f"{name} {suffix}".strip(), columns)
            columns[free] = pl.Series(free, values, strict=False)
    return pl.DataFrame(list(columns.values()))


def _values(cells: list[Cell], *, numeric: bool) -> Iterator[tuple[str, list[Any]]]:
    if not numeric:
        yield "", [cell.text for cell in cells]
        return
    yield "", [None if missing(cell.value) else cell.value for cell in cells]
    if any(cell.interval for cell in cells):
        yield "low", [cell.interval.low if cell.interval else None for cell in cells]
        yield "high", [cell.interval.high if cell.interval else None for cell in cells]
    if any(cell.against for cell in cells):
        yield "better than", [cell.against.wins for cell in cells]
        yield "worse than", [cell.against.losses for cell in cells]
    if any(cell.against.open for cell in cells):
        yield "open", [cell.against.open for cell in cells]


def _free(name: str, taken: dict[str, pl.Series]) -> str:
    """Return a name that no column has yet."""
    others = (f"{name} {number}" for number in count(2))
    return next(free for free in chain([name], others) if free not in taken)


def _plain(block: Table | Figure) -> pl.DataFrame:
    """Return the data of a block without lists and structs, which CSV has no place for; they become JSON."""
    frame = tidy(block) if isinstance(block, Table) else block.data
    nested = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
    return frame.with_columns(
        pl.struct(value=pl.col(name)).struct.json_encode().str.slice(9).str.head(-1).alias(name) for name in nested
    )
