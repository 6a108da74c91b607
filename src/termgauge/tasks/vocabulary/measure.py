"""What a model knows: its size, how much of each set it covers, and how much of another model's vocabulary it has.

These are Tables A.1 and A.2 of Schulz & Juric (2020): coverage is the share of pairs without an unknown word, and the
overlap of a row model with a column model is the share of the column's vocabulary that the row has too. Tokenizers mark
which tokens begin a word, or which do not; the marks are taken off before vocabularies are compared, and tokens that
only stand inside of words are no words. Like the words of terms, words are looked up as written, then in lower case.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from termgauge.embeddings.model import ConceptModel, WordModel
from termgauge.embeddings.store.vocabulary import MISSING, Vocabulary
from termgauge.progress import track
from termgauge.reporting.blocks import Cell, Column, Figure, Section, Table
from termgauge.reporting.plots.heat import Heat
from termgauge.reporting.words import number, share
from termgauge.tasks.records import ModelDescription
from termgauge.tasks.results import Finite, Record, Result, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet
    from termgauge.embeddings.model import Model
    from termgauge.reporting.blocks import Block
    from termgauge.tasks.contract import About
    from termgauge.tasks.vocabulary.task import VocabularyInputs, VocabularyOptions


class UnknownWord(Record):
    """A word of the sets that a model does not know."""

    word: str
    terms: int
    """In how many terms it stands."""


class ModelVocabulary(Record):
    """What one model knows."""

    name: str
    kind: str
    source: str
    size: int | None
    """Words in the vocabulary; None for a model that has no list of them."""
    dimension: int | None
    any_word: bool
    """Whether words outside the vocabulary have vectors too."""
    coverage: dict[str, Finite]
    """For each set the share of its pairs without an unknown word; empty for models that are not of words."""
    ranges: dict[str, tuple[float, float]]
    """The least and the greatest coverage over the sets rated by people (``human``) and all others (``built``)."""
    unknown: list[UnknownWord]
    """Unknown words of the sets, the most frequent first."""


class VocabularyResult(Result):
    """The vocabularies of some models side by side. Shares are between 0 and 1."""

    models: list[ModelVocabulary]
    overlap: list[list[Finite]]
    """Row i, column j: the share of model j's vocabulary that model i has too; None on the diagonal."""
    average_overlap: list[Finite]
    """For each row model the mean over the columns (the column Av of Table A.2)."""

    def values(self) -> Iterator[Value]:
        """Yield sizes, and the coverage of each set."""
        for model in self.models:
            if model.size is not None:
                yield Value(model.name, "size", float(model.size), better="")
            for name, covered in model.coverage.items():
                yield Value(model.name, "coverage", covered, item=name)


def combined(
    measured: Mapping[str, ModelVocabulary],
    inputs: VocabularyInputs,
    options: VocabularyOptions,  # noqa: ARG001
) -> VocabularyResult:
    """Compare the vocabularies with each other."""
    opened = [inputs.models[name]() if model.size else None for name, model in measured.items()]
    overlap = overlaps(opened).tolist()
    rows = [[value for value in row if not np.isnan(value)] for row in overlap]
    averages = [sum(row) / len(row) if row else None for row in rows]
    return VocabularyResult(models=list(measured.values()), overlap=overlap, average_overlap=averages)


_BEGINS, _INSIDE = ("▁", "Ġ"), "##"
_LOOKED_AT, _ONE_IN = 20_000, 20


def overlaps(models: Sequence[Model | None]) -> NDArray[np.float64]:
    """Return for each row model which share of each column model's vocabulary it has too; None for one without any."""
    matrix = np.full((len(models), len(models)), np.nan)
    vocabularies = [
        whole_words(model.vocabulary) if isinstance(model, WordModel | ConceptModel) else None for model in models
    ]
    with track("Comparing vocabularies", total=len(models) ** 2, unit="pairs") as advance:
        for at, row in enumerate(vocabularies):
            for to, column in enumerate(vocabularies):
                advance(1)
                if at != to and row and column:
                    matrix[at, to] = _overlap(row, column)
    return matrix


def whole_words(vocabulary: Vocabulary) -> Vocabulary:
    """Return a vocabulary of words as they are written, if it is one of tokens; else the vocabulary itself.

    SentencePiece marks tokens that begin a word with ``▁`` and byte-pair encoding with ``Ġ``; WordPiece marks those
    that do not with ``##``. It is taken for one of tokens if a twentieth of its words have such a mark.

    >>> list(whole_words(Vocabulary.from_words(["▁heart", "▁attack", "s", "ed"])))
    ['heart', 'attack']
    >>> list(whole_words(Vocabulary.from_words(["heart", "attack", "##s"])))
    ['heart', 'attack']
    """
    words = vocabulary.words
    some = vocabulary.text(range(0, len(words), max(1, len(words) // _LOOKED_AT)))
    for mark in _BEGINS:
        if sum(word.startswith(mark) for word in some) * _ONE_IN >= len(some) > 0:
            return Vocabulary.from_words([word.removeprefix(mark) for word in vocabulary if word.startswith(mark)])
    if sum(word.startswith(_INSIDE) for word in some) * _ONE_IN >= len(some) > 0:
        return Vocabulary.from_words([word for word in vocabulary if not word.startswith(_INSIDE)])
    return vocabulary


def vocabulary_of(model: Model, sets: Sequence[PairSet], unknown: int = 0) -> ModelVocabulary:
    """Describe what a model knows, and list so many of the most frequent words of the sets that it does not know."""
    shares: dict[str, float] = {}
    lost: Counter[str] = Counter()
    # Not by isinstance alone, which would ask an encoder for its dimension.
    if model.kind == "words" and isinstance(model, WordModel):
        for pairs in sets:
            first, second = list(pairs.frame["term_1"]), list(pairs.frame["term_2"])
            both = model.words_of(first + second)
            missing = np.diff(both.indptr) == 0  # and, whatever the model's policy, those with an unknown word
            missing[[term for term, _ in both.unknown]] = True
            shares[pairs.id] = float(np.mean(~(missing[: len(first)] | missing[len(first) :]))) if first else np.nan
            lost.update(word for _, word in set(both.unknown))
    size = None
    if model.kind in ("words", "concepts") and isinstance(model, WordModel | ConceptModel):
        size = len(model.vocabulary) or None
    return ModelVocabulary(
        name=model.name,
        kind=model.kind,
        source=model.source,
        size=size,
        dimension=getattr(model, "dimension", None),
        any_word=bool(getattr(model, "composes", False)),
        coverage=shares,
        ranges=_ranges(shares, sets),
        unknown=[
            UnknownWord(word=word, terms=terms)
            for word, terms in sorted(lost.items(), key=lambda entry: (-entry[1], entry[0]))[:unknown]
        ],
    )


def _ranges(shares: Mapping[str, float], sets: Sequence[PairSet]) -> dict[str, tuple[float, float]]:
    """Return the least and the greatest coverage of sets rated by people (``human``) and of others (``built``)."""
    groups: dict[str, list[float]] = {}
    for pairs in sets:
        if not np.isnan(share := shares.get(pairs.id, np.nan)):
            groups.setdefault("human" if pairs.origin.human else "built", []).append(share)
    return {group: (min(some), max(some)) for group, some in sorted(groups.items(), reverse=True)}


def _overlap(row: Vocabulary, column: Vocabulary) -> float:
    shared = row.find(column.words) != MISSING
    rest = np.flatnonzero(~shared)
    shared[rest] = row.find([text.lower() for text in column.text(rest.tolist())]) != MISSING
    shared[column.repeated] = False
    return float(shared.sum() / len(column))


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
    fields = [name for name in _SAID if any(getattr(model, name) for model in descriptions.values())]
    for model in result.models:
        ranges = (model.ranges.get(group) for group in ("human", "built"))
        shown = [f"{share(bounds[0])} – {share(bounds[1])}" if bounds else "" for bounds in ranges]
        lacks = ", ".join(f"{unknown.word} ({unknown.terms})" for unknown in model.unknown)
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
    by_group = [[value for name in group if (value := shares[name]) is not None] for group in groups]
    return [sum(values) / len(values) if values else None for values in by_group]


def _average_columns(medical: Sequence[str]) -> list[Column]:
    over = Column.share("Medical", f"over the medical models: {', '.join(medical)}", "Average")
    return [Column.share("All", group="Average"), *([over] if medical else [])]


def _overlap_figure(values: dict[tuple[str, str], float]) -> Figure:
    shown = list(dict.fromkeys(name for key in values for name in key))
    heat = Heat(shown, shown, values, (0.0, 1.0), percent=True)
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
