"""What models look like: what kinds there are, what one is, and what is near what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.reporting.blocks import Cell, Column, Section, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.embeddings.model import ShowingModel
    from termgauge.embeddings.neighbours import Neighbour
    from termgauge.embeddings.schemes import Catalogue, ExtraDescription


def scheme_section(catalogue: Catalogue) -> Section:
    """Return which models can be opened: schemes, their options, and what must be installed."""
    schemes, options = [], []
    for each in catalogue.schemes:
        name = Cell(each.name if ":" in each.name else f"{each.name}:")
        needs = each.extra if each.installed or not each.extra else f"{each.extra} (missing)"
        alone = f" (alone: {each.default_location})" if each.default_location else ""
        schemes.append((name, Cell(each.kinds), Cell(needs), Cell(each.about + alone)))
        values = "  ".join(f"{option}={value.replace(' | ', '|')}" for option, value in each.options.items())
        options.append((name, Cell(values)))
    heads = Column("Scheme"), Column("Gives"), Column("Needs"), Column("Reads")
    note = "The default of an option stands first; in brackets: none, or as the model's files say."
    tables = [
        Table("schemes", "", heads, tuple(schemes)),
        Table("scheme-options", "", (Column("Scheme"), Column("Options")), tuple(options), (note,)),
    ]
    return Section("schemes", "Models that can be opened", (*tables, *_extras(catalogue.extras)))


def model_section(model: ShowingModel) -> Section:
    """Return what a model is, before it makes any vector."""
    columns = Column("What"), Column("Value")
    rows = tuple((Cell(name.capitalize()), Cell(str(value))) for name, value in model.about().items())
    return Section("model", "", (Table("model", "", columns, rows),))


def neighbour_section(neighbours: Sequence[Neighbour]) -> Section:
    """Return the nearest of each query."""
    rows = []
    for each in neighbours:
        query = Cell(each.query if each.rank == 1 else "")
        rows.append((query, Cell.count(each.rank), Cell.number(each.similarity), Cell(each.text)))
    columns = Column("Query"), Column("Rank", numeric=True), Column("Cosine", numeric=True), Column("Neighbour")
    return Section("neighbours", "", (Table("neighbours", "", columns, tuple(rows)),))


def _extras(extras: Sequence[ExtraDescription]) -> list[Table]:
    rows = []
    for each in extras:
        packages = ", ".join(f"{name} {version or '(missing)'}" for name, version in each.packages.items())
        install = "" if each.installed else f"pip install 'termgauge[{each.name}]'"
        rows.append((Cell(each.name), Cell(f"{each.megabytes:,} MB", each.megabytes), Cell(packages), Cell(install)))
    columns = Column("Extra"), Column("On disk", numeric=True), Column("Packages"), Column("To install")
    return [Table("extras", "", columns, tuple(rows))] if rows else []
