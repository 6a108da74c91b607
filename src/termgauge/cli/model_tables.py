"""Tables about models, for a terminal: what kinds there are, what they know, and what is near what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from termgauge.document.numbers import decimal, number, share
from termgauge.document.pieces import table_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from termgauge.embeddings.catalogue import Catalogue, ExtraDescription
    from termgauge.embeddings.neighbours import Neighbour
    from termgauge.tasks.vocabulary.measure import ModelVocabulary, VocabularyReport


def scheme_tables(catalogue: Catalogue) -> RenderableType:
    """Return which models can be opened: schemes, their options, and what must be installed."""
    schemes = table_of("Scheme", "gives", "needs", "reads", right=0)
    options = table_of("Scheme", "options: default first; in brackets: none, or as the model's files say", right=0)
    for each in catalogue.schemes:
        name = each.name if ":" in each.name else f"{each.name}:"
        needs = "" if not each.extra else f"{each.extra}" if each.installed else f"{each.extra} (missing)"
        style = "" if each.installed else "dim"
        here = f" (alone: {each.default_location})" if each.default_location else ""
        schemes.add_row(Text(name, style=style), each.kinds, needs, Text(each.about + here, style=style))
        values = "  ".join(f"{option}={value.replace(' | ', '|')}" for option, value in each.options.items())
        options.add_row(Text(name), Text(values))
    parts: list[RenderableType] = [schemes, "", options]
    if catalogue.extras:
        parts += ["", _extras(catalogue.extras)]
    return Group(*parts)


def _extras(extras: Sequence[ExtraDescription]) -> RenderableType:
    table = table_of("Extra", "on disk", "packages", "", right=0)
    for each in extras:
        packages = ", ".join(f"{name} {version or '(missing)'}" for name, version in each.packages.items())
        advice = "" if each.installed else f"pip install 'termgauge[{each.name}]'"
        table.add_row(each.name, f"{number(each.megabytes)} MB", Text(packages), Text(advice))
    return table


def vocabulary_tables(report: VocabularyReport) -> RenderableType:
    """Return what models know, as in Tables A.1 and A.2 of Schulz & Juric (2020)."""
    parts: list[RenderableType] = [_sizes(report.models)]
    if any(model.coverage for model in report.models):
        parts += ["", _coverage(report.models)]
    if sum(model.size is not None for model in report.models) > 1:
        parts += ["", _overlaps(report)]
    for model in report.models:
        if model.unknown:
            words = ", ".join(f"{word} ({count})" for word, count in model.unknown)
            parts += ["", Text.assemble((f"Words that {model.name} lacks: ", "bold"), words)]
    return Group(*parts)


def neighbour_table(found: Sequence[Neighbour]) -> RenderableType:
    """Return the nearest of each query."""
    table = table_of("Query", "rank", "cosine", "Neighbour", right=0)
    for column in (1, 2):
        table.columns[column].justify = "right"
    for each in found:
        first = each.query if each.rank == 1 else ""
        table.add_row(Text(first), str(each.rank), decimal(each.similarity, 3), Text(each.text))
    return table


def _sizes(models: Sequence[ModelVocabulary]) -> RenderableType:
    table = table_of("Model", "kind", "words", "dimension", "human-rated", "built", "source", right=2)
    table.columns[6].justify = "left"
    for model in models:
        size = "any" if model.size is None and model.any_word else "–" if model.size is None else number(model.size)
        plus = "+" if model.any_word and model.size is not None else ""
        ranges = (model.ranges.get(group) for group in ("human", "built"))
        shown = [f"{share(bounds[0])} – {share(bounds[1])}" if bounds else "" for bounds in ranges]
        dimension = "–" if model.dimension is None else number(model.dimension)
        table.add_row(Text(model.name), model.kind, size + plus, dimension, *shown, Text(model.source))
    legend = "human-rated, built: least and greatest share of pairs without an unknown word; +: makes other words up"
    return Group(table, Text(legend, style="dim"))


def _coverage(models: Sequence[ModelVocabulary]) -> RenderableType:
    table = table_of("Coverage of", *(model.name for model in models))
    for name in dict.fromkeys(name for model in models for name in model.coverage):
        table.add_row(Text(name), *(share(model.coverage.get(name)) for model in models))
    return table


def _overlaps(report: VocabularyReport) -> RenderableType:
    table = table_of("Share of the column's words", *(model.name for model in report.models), "average")
    rows = zip(report.models, report.overlap.tolist(), report.average_overlap.tolist(), strict=True)
    for model, row, average in rows:
        table.add_row(Text(f"that {model.name} has"), *(share(value) for value in row), share(average))
    return table
