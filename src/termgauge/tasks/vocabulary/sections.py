"""What models know: sizes of vocabularies, how much of the benchmarks they cover, and what they share.

These are Tables A.1 and A.2 of Schulz & Juric (2020). A page shows the overlap as a heat map, a terminal as a table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.document.blocks import Cell, Column, Figure, Prose, Section, Table
from termgauge.document.numbers import number, share
from termgauge.document.plots.heat import Block, Heat
from termgauge.document.words import bold, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from termgauge.document.blocks import Block as AnyBlock
    from termgauge.tasks.vocabulary.measure import VocabularyReport

_MOST_UNKNOWN = 8


def vocabulary_section(report: VocabularyReport) -> Section:
    """Return what ``termgauge vocabulary`` shows: sizes, coverage of each set, overlaps, words that are missing."""
    return Section("vocabularies", "Vocabularies", tuple(_command_blocks(report)))


def _command_blocks(report: VocabularyReport) -> Iterator[AnyBlock]:
    names = [model.name for model in report.models]
    yield _sources_table(report)
    sets = list(dict.fromkeys(each for model in report.models for each in model.coverage))
    if sets:
        columns = (Column("Set"), *(Column(name, numeric=True) for name in names))
        rows = tuple((Cell(each), *(Cell.share(model.coverage.get(each)) for model in report.models)) for each in sets)
        yield Table("vocabulary-coverage", "Share of the pairs of a set without an unknown word.", columns, rows)
    if sum(model.size is not None for model in report.models) > 1:
        columns = (Column("Model"), *(Column(name, numeric=True) for name in (*names, "Average")))
        lines = zip(names, report.overlap.tolist(), report.average_overlap.tolist(), strict=True)
        rows = tuple((Cell(name), *map(Cell.share, line), Cell.share(average)) for name, line, average in lines)
        yield Table("vocabulary-overlaps", "Share of the column's words that the row has too.", columns, rows)
    for model in report.models:
        if model.unknown:
            words = ", ".join(f"{plain(word)} ({number(terms)})" for word, terms in model.unknown)
            yield Prose((f"Words that {bold(model.name)} lacks, with the number of terms that have them: {words}.",))


def _sources_table(report: VocabularyReport) -> Table:
    groups = {"human": "Rated", "built": "Built"}
    there = {key: title for key, title in groups.items() if any(key in model.ranges for model in report.models)}
    rows = []
    for model in report.models:
        shares = [
            Cell(f"{share(ends[0])} – {share(ends[1])}", ends[0]) if (ends := model.ranges.get(key)) else Cell("")
            for key in there
        ]
        size = Cell(_size(model.size, any_word=model.any_word), model.size)
        rows.append((Cell(model.name), Cell(model.kind), size, Cell.number(model.dimension, 0), *shares,
                     Cell(model.source)))  # fmt: skip
    columns = (
        Column("Model"),
        Column("Kind"),
        Column("Words", numeric=True),
        Column("Dimension", numeric=True),
        *(Column(title, numeric=True, group="Pairs covered") for title in there.values()),
        Column("Source"),
    )
    note = "Pairs covered: the least and the greatest share of pairs without an unknown word, over the sets."
    return Table("vocabulary-sizes", "", columns, tuple(rows), (note,) if there else ())


def _size(size: int | None, *, any_word: bool) -> str:
    if size is None:
        return "any word" if any_word else "–"
    return number(size) + (" and any other" if any_word else "")


def vocabulary_blocks(document: Mapping[str, Any]) -> list[AnyBlock]:
    """Return what models know: sizes of vocabularies, how much of one is in another, the words most missed."""
    models = [model for model in document.get("models", []) if isinstance(model, dict)]
    blocks: list[AnyBlock] = []
    sized = [model for model in models if model.get("size") or model.get("any_word")]
    if sized:
        blocks.append(_size_table(sized))
    overlap = document.get("overlap") or []
    names = [str(model.get("name")) for model in models]
    values = {
        (row, column): float(value)
        for row, line in zip(names, overlap, strict=False)
        for column, value in zip(names, line, strict=False)
        if value is not None
    }
    if values:
        shown = [name for name in names if any(name in key for key in values)]
        heat = Heat([Block("", [(name, name) for name in shown])], shown, values, (0.0, 1.0), percent=True)
        blocks.append(
            Figure(
                id="vocabulary-overlap",
                caption=(
                    "Overlap of vocabularies: the share of the column's words that the row has too, in per cent "
                    "(table A.2 of Schulz & Juric 2020)."
                ),
                description="; ".join(
                    f"{row} has {value:.0%} of the words of {column}" for (row, column), value in values.items()
                )
                + ".",
                draw=heat.draw,
                data=pl.DataFrame(
                    [{"has": row, "of": column, "share": value} for (row, column), value in values.items()]
                ),
            )
        )
    return blocks


def _size_table(models: list[dict[str, Any]]) -> Table:
    rows = []
    for model in models:
        unknown = [str(entry.get("word")) for entry in model.get("unknown", [])[:_MOST_UNKNOWN]]
        size = model.get("size")
        rows.append(
            (
                Cell(str(model.get("name"))),
                Cell(_size(size, any_word=bool(model.get("any_word"))), size or 0),
                Cell.number(model.get("dimension"), 0),
                Cell(", ".join(unknown)),
            )
        )
    return Table(
        id="vocabularies",
        caption="Vocabularies of the models.",
        columns=(
            Column("Model"),
            Column("Words", numeric=True),
            Column("Dimension", numeric=True),
            Column("Lacks most often", note="Words of the sets that it does not know, the most frequent first"),
        ),
        rows=tuple(rows),
    )
