"""What models know: sizes of vocabularies, how much of each set they cover, and how much of one is in another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.reporting.blocks import Cell, Column, Figure, Section, Table
from termgauge.reporting.plots.heat import Heat
from termgauge.reporting.words import number, share
from termgauge.tasks.records import ModelDescription

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.tasks.contract import About
    from termgauge.tasks.vocabulary.measure import ModelVocabulary, VocabularyResult

_SAID = {
    "date": "when it was released",
    "corpus": "what it was trained on",
    "tokens": "how many tokens that has",
    "method": "how it was trained",
}
"""What an experiment file may say about a model."""
_COVERED = "least and greatest share of pairs without an unknown word"
_LACKS = "words of the sets that it does not know, each with how many terms have it"


def vocabulary_sections(result: VocabularyResult, about: About) -> Iterator[Section]:
    """Yield Tables A.1 and A.2 of Schulz & Juric (2020) for some models, with what is said about them."""
    descriptions = {model.name: about.described.get(model.name, ModelDescription()) for model in result.models}
    medical = [name for name, description in descriptions.items() if description.medical]
    blocks: list[Block] = [_sizes(result, descriptions)]
    if any(model.coverage for model in result.models):
        blocks.append(_coverage(result, medical))
    values = {
        (row.name, column.name): value
        for row, line in zip(result.models, result.overlap, strict=True)
        for column, value in zip(result.models, line, strict=True)
        if value is not None
    }
    if values:
        blocks += [_overlap_figure(values), _overlap_table(result, values, medical)]
    yield Section("vocabulary", "Vocabularies", tuple(blocks))


def _sizes(result: VocabularyResult, descriptions: Mapping[str, ModelDescription]) -> Table:
    rows = []
    fields = [name for name in _SAID if any(getattr(each, name) for each in descriptions.values())]
    for model in result.models:
        ranges = (model.ranges.get(group) for group in ("human", "built"))
        shown = [f"{share(bounds[0])} – {share(bounds[1])}" if bounds else "" for bounds in ranges]
        lacks = ", ".join(f"{each.word} ({each.terms})" for each in model.unknown)
        described_as = [getattr(descriptions[model.name], name) for name in fields]
        size = Cell(_size(model), model.size)
        dimension = Cell("–" if model.dimension is None else number(model.dimension), model.dimension)
        rows.append((Cell(model.name, note=model.source), model.kind, *described_as, size, dimension, *shown, lacks))
    return Table.from_rows(
        "vocabularies",
        "Vocabularies of the models.",
        (
            "Model",
            "Kind",
            *(Column(name.capitalize(), note=_SAID[name]) for name in fields),
            Column.number("Words"),
            Column.number("Dimension"),
            *(Column(heading, group="Pairs covered", note=_COVERED) for heading in ("Human-rated", "Built")),
            Column("Lacks most often", note=_LACKS),
        ),
        rows,
    )


def _size(model: ModelVocabulary) -> str:
    if model.size is None:
        return "any word" if model.any_word else "–"
    return number(model.size) + (" and any other" if model.any_word else "")


def _coverage(result: VocabularyResult, medical: Sequence[str]) -> Table:
    models = [model for model in result.models if model.coverage]
    sets = dict.fromkeys(name for model in models for name in model.coverage)
    rows = []
    for name in sets:
        shares = {model.name: model.coverage.get(name) for model in models}
        rows.append((name, *shares.values(), *_averages(shares, medical)))
    columns = ("Set", *(Column.share(model.name) for model in models), *_average_columns(medical))
    caption = "Share of the pairs of each set without an unknown word."
    return Table.from_rows("vocabulary-coverage", caption, columns, rows, folded=True)


def _averages(shares: Mapping[str, float | None], medical: Sequence[str]) -> list[float | None]:
    """Return the average over all models, and over the medical ones if there are any."""
    groups = [list(shares), *([[name for name in shares if name in medical]] if medical else [])]
    known = [[value for name in group if (value := shares[name]) is not None] for group in groups]
    return [sum(values) / len(values) if values else None for values in known]


def _average_columns(medical: Sequence[str]) -> list[Column]:
    over = Column.share("Medical", f"over the medical models: {', '.join(medical)}", "Average")
    return [Column.share("All", group="Average"), *([over] if medical else [])]


def _overlap_figure(values: dict[tuple[str, str], float]) -> Figure:
    shown = list(dict.fromkeys(name for key in values for name in key))
    heat = Heat([(name, name) for name in shown], shown, values, (0.0, 1.0), percent=True)
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


def _overlap_table(result: VocabularyResult, values: dict[tuple[str, str], float], medical: Sequence[str]) -> Table:
    names = [model.name for model in result.models if any(model.name in key for key in values)]
    rows = []
    for name in names:
        shares = {other: values.get((name, other)) for other in names}
        rows.append((name, *shares.values(), *_averages(shares, medical)))
    columns = ("Share of the column's words that it has", *map(Column.share, names), *_average_columns(medical))
    caption = "Overlap of vocabularies, and the average of each row"
    caption += " over all models and over the medical ones." if medical else "."
    return Table.from_rows("vocabulary-overlaps", caption, columns, rows, folded=len(names) > 8)
