"""What models know, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.tasks.results import Finite, Record, Result, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


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

    @classmethod
    def of(cls, models: Sequence[ModelVocabulary], overlap: Sequence[Sequence[float]]) -> VocabularyResult:
        """Add the averages."""
        rows = [[value for value in row if value == value] for row in overlap]  # noqa: PLR0124 - NaN is not itself
        averages = [sum(row) / len(row) if row else None for row in rows]
        return cls(models=list(models), overlap=[list(row) for row in overlap], average_overlap=averages)

    def values(self) -> Iterator[Value]:
        """Yield sizes, and the coverage of each set."""
        for model in self.models:
            if model.size is not None:
                yield Value(model.name, "size", float(model.size), better="")
            for name, share in model.coverage.items():
                yield Value(model.name, "coverage", share, item=name)
