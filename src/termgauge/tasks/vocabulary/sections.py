"""What models know: sizes of vocabularies, how much of each set they cover, and how much of one is in another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.document.blocks import Cell, Column, Figure, Section, Table
from termgauge.document.numbers import number, share
from termgauge.document.plots.heat import Block, Heat

if TYPE_CHECKING:
    from termgauge.document.blocks import Block as AnyBlock
    from termgauge.tasks.vocabulary.result import ModelVocabulary, VocabularyResult

_COVERED = "least and greatest share of pairs without an unknown word"
_LACKS = "words of the sets that it does not know, each with how many terms have it"


def vocabulary_section(result: VocabularyResult) -> Section:
    """Return Tables A.1 and A.2 of Schulz & Juric (2020) for some models."""
    blocks: list[AnyBlock] = [_sizes(result)]
    if any(model.coverage for model in result.models):
        blocks.append(_coverage(result))
    values = {
        (row.name, column.name): value
        for row, line in zip(result.models, result.overlap, strict=True)
        for column, value in zip(result.models, line, strict=True)
        if value is not None
    }
    if values:
        blocks += [_overlap_figure(values), _overlap_table(result, values)]
    return Section("vocabulary", "Vocabularies", tuple(blocks))


def _sizes(result: VocabularyResult) -> Table:
    rows = []
    for model in result.models:
        ranges = (model.ranges.get(group) for group in ("human", "built"))
        shown = [f"{share(bounds[0])} – {share(bounds[1])}" if bounds else "" for bounds in ranges]
        lacks = ", ".join(f"{each.word} ({each.terms})" for each in model.unknown)
        rows.append(
            (
                Cell(model.name, note=model.source),
                Cell(model.kind),
                Cell(_size(model), model.size),
                Cell("–" if model.dimension is None else number(model.dimension), model.dimension),
                *map(Cell, shown),
                Cell(lacks),
            )
        )
    return Table(
        id="vocabularies",
        caption="Vocabularies of the models.",
        columns=(
            Column("Model"),
            Column("Kind"),
            Column("Words", numeric=True),
            Column("Dimension", numeric=True),
            *(Column(heading, group="Pairs covered", note=_COVERED) for heading in ("Human-rated", "Built")),
            Column("Lacks most often", note=_LACKS),
        ),
        rows=tuple(rows),
    )


def _size(model: ModelVocabulary) -> str:
    if model.size is None:
        return "any word" if model.any_word else "–"
    return number(model.size) + (" and any other" if model.any_word else "")


def _coverage(result: VocabularyResult) -> Table:
    models = [model for model in result.models if model.coverage]
    sets = dict.fromkeys(name for model in models for name in model.coverage)
    return Table(
        id="vocabulary-coverage",
        caption="Share of the pairs of each set without an unknown word.",
        columns=(Column("Set"), *(Column(model.name, numeric=True) for model in models)),
        rows=tuple((Cell(name), *(Cell.share(model.coverage.get(name)) for model in models)) for name in sets),
        folded=True,
    )


def _overlap_figure(values: dict[tuple[str, str], float]) -> Figure:
    shown = list(dict.fromkeys(name for key in values for name in key))
    heat = Heat([Block("", [(name, name) for name in shown])], shown, values, (0.0, 1.0), percent=True)
    described = "; ".join(f"{row} has {value:.0%} of the words of {column}" for (row, column), value in values.items())
    return Figure(
        id="vocabulary-overlap",
        caption=(
            "Overlap of vocabularies: the share of the column's words that the row has too, in per cent "
            "(table A.2 of Schulz & Juric 2020). Of tokenizers, only tokens that begin a word are words."
        ),
        description=f"{described}.",
        draw=heat.draw,
        data=pl.DataFrame([{"has": row, "of": column, "share": value} for (row, column), value in values.items()]),
    )


def _overlap_table(result: VocabularyResult, values: dict[tuple[str, str], float]) -> Table:
    names = list(dict.fromkeys(name for key in values for name in key))
    averages = dict(zip((model.name for model in result.models), result.average_overlap, strict=True))
    rows = tuple(
        (Cell(name), *(Cell.share(values.get((name, other))) for other in names), Cell.share(averages[name]))
        for name in names
    )
    columns = (
        Column("Share of the column's words that it has"),
        *(Column(name, numeric=True) for name in (*names, "Average")),
    )
    caption = "Overlap of vocabularies, and the average of each row."
    return Table("vocabulary-overlaps", caption, columns, rows, folded=len(names) > 8)
