"""What a model knows: its size, how much of each benchmark it covers, and what it shares with other models.

These are Tables A.1 and A.2 of Schulz & Juric (2020): coverage is the share of pairs without an unknown word, and the
overlap of a row model with a column model is the share of the column's vocabulary that the row has too.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from termgauge.embeddings.model import ConceptModel, WordModel
from termgauge.embeddings.store.vocabulary import MISSING
from termgauge.progress import track

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.model import Model
    from termgauge.embeddings.tokens import TermWords


class TermPairs(Protocol):
    """A benchmark set, as far as coverage is concerned: a `PairSet`, or anything with its id and frame."""

    @property
    def id(self) -> str:
        """What results call it."""
        ...

    @property
    def frame(self) -> Any:  # noqa: ANN401
        """A table with the columns ``term_1`` and ``term_2``."""
        ...


@dataclass(frozen=True)
class ModelVocabulary:
    """What one model knows."""

    name: str
    kind: str
    source: str
    size: int | None
    """Words in the vocabulary; None for a model that has no list of them."""
    dimension: int | None
    any_word: bool
    """Whether words outside the vocabulary have vectors too."""
    coverage: dict[str, float]
    """For each set the share of its pairs without an unknown word (NaN without pairs); empty for models of concepts."""
    unknown: list[tuple[str, int]]
    """Unknown words of the sets, the most frequent first, each with the number of terms it occurs in."""

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """The least and the greatest coverage over the sets rated by people (``human``) and all others (``built``)."""
        groups: dict[str, list[float]] = {}
        for set_id, share in self.coverage.items():
            if not np.isnan(share):
                groups.setdefault("human" if set_id.startswith("human/") else "built", []).append(share)
        return {group: (min(shares), max(shares)) for group, shares in sorted(groups.items(), reverse=True)}


@dataclass(frozen=True)
class VocabularyReport:
    """The vocabularies of some models side by side."""

    models: list[ModelVocabulary]
    overlap: NDArray[np.float64]
    """Row i, column j: the share of model j's vocabulary that model i has too; NaN on the diagonal and without one."""

    @property
    def average_overlap(self) -> NDArray[np.float64]:
        """For each row model the mean over the columns (the column Av of Table A.2); NaN if there are none."""
        known = ~np.isnan(self.overlap)
        counts = known.sum(axis=1)
        sums = np.where(known, self.overlap, 0).sum(axis=1)
        averages: NDArray[np.float64] = np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0)
        return averages

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as JSON-like values.

        Shares are between 0 and 1, and null where undefined; the overlap has a row and a column for each model, in
        the order of the models.
        """
        return {
            "models": [
                {
                    "name": model.name,
                    "kind": model.kind,
                    "source": model.source,
                    "size": model.size,
                    "dimension": model.dimension,
                    "any_word": model.any_word,
                    "coverage": {set_id: _share(share) for set_id, share in model.coverage.items()},
                    "ranges": {group: list(bounds) for group, bounds in model.ranges.items()},
                    "unknown": [{"word": word, "terms": count} for word, count in model.unknown],
                }
                for model in self.models
            ],
            "overlap": [[_share(value) for value in row] for row in self.overlap.tolist()],
            "average_overlap": [_share(value) for value in self.average_overlap.tolist()],
        }


def describe_vocabularies(
    models: Sequence[Model], sets: Sequence[TermPairs] = (), *, unknown: int = 0
) -> VocabularyReport:
    """Describe the vocabularies of some models.

    Parameters
    ----------
    models
        The models.
    sets
        Benchmark sets to measure coverage on.
    unknown
        How many of the most frequent unknown words to list for each model.
    """
    described = [_describe(model, sets, unknown) for model in models]
    return VocabularyReport(described, overlaps(models))


def overlaps(models: Sequence[Model]) -> NDArray[np.float64]:
    """Return for each row model which share of each column model's vocabulary it has too."""
    matrix = np.full((len(models), len(models)), np.nan)
    with track("Comparing vocabularies", total=len(models) ** 2, unit="pairs") as advance:
        for at, row in enumerate(models):
            for to, column in enumerate(models):
                advance(1)
                if at != to and _size(row) and _size(column):
                    matrix[at, to] = _overlap(row, column)
    return matrix


def _describe(model: Model, sets: Sequence[TermPairs], unknown: int) -> ModelVocabulary:
    shares: dict[str, float] = {}
    lost: Counter[str] = Counter()
    if isinstance(model, WordModel):
        for pairs in sets:
            first, second = list(pairs.frame["term_1"]), list(pairs.frame["term_2"])
            both = model.words_of(first + second)
            missing = ~_without_unknown(both)
            shares[pairs.id] = float(np.mean(~(missing[: len(first)] | missing[len(first) :]))) if first else np.nan
            lost.update(word for _, word in set(both.unknown))
    return ModelVocabulary(
        model.name,
        model.kind,
        model.source,
        _size(model),
        getattr(model, "dimension", None),
        bool(getattr(model, "composes", False)),
        shares,
        sorted(lost.items(), key=lambda entry: (-entry[1], entry[0]))[:unknown],
    )


def _without_unknown(words: TermWords) -> NDArray[np.bool_]:
    """Say which terms have words and no unknown one, whatever the model's policy on missing words."""
    whole: NDArray[np.bool_] = np.diff(words.indptr) > 0
    whole[[term for term, _ in words.unknown]] = False
    return whole


def _size(model: Model) -> int | None:
    if isinstance(model, WordModel | ConceptModel):
        return len(model.vocabulary) or None
    return None


def _overlap(row: Model, column: Model) -> float:
    assert isinstance(row, WordModel | ConceptModel)
    assert isinstance(column, WordModel | ConceptModel)
    found = row.vocabulary.find(column.vocabulary.words) != MISSING
    found[column.vocabulary.repeated] = False
    return float(found.sum() / len(column.vocabulary))


def _share(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
