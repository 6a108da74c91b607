"""Entities found, by the rules of conlleval: how many are right, predicted and there, for each sentence and type.

An entity is right if its type, its first and its last token are those of the gold standard. The two sequences of tags
are gone through together, once; the counts of sentences are kept, for these are what is resampled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.compiled import njit
from termgauge.tasks.ner.tags import NO_TYPE, OUTSIDE, ends_between, starts_between

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from termgauge.tasks.ner.tags import TagCodes


class EntityScore(NamedTuple):
    """Precision, recall and F as shares, each 0 where its denominator is, and what they come from."""

    precision: float
    recall: float
    f: float
    correct: int
    predicted: int
    gold: int

    @classmethod
    def of(cls, correct: int, predicted: int, gold: int) -> EntityScore:
        """Return the scores of counts.

        >>> EntityScore.of(1, 2, 4).f
        0.3333333333333333
        """
        precision = correct / predicted if predicted else 0.0
        recall = correct / gold if gold else 0.0
        f = 2 * correct / (predicted + gold) if correct else 0.0
        return cls(precision, recall, f, correct, predicted, gold)


class EntityScores(NamedTuple):
    """The scores of all types together, and of each."""

    overall: EntityScore
    per_type: dict[str, EntityScore]


@dataclass(frozen=True)
class Counts:
    """How many entities are right, predicted and in the gold standard: sentences x types each."""

    correct: NDArray[np.int32]
    predicted: NDArray[np.int32]
    gold: NDArray[np.int32]
    types: tuple[str, ...]

    def scores(self) -> EntityScores:
        """Return precision, recall and F over all sentences; all types together count each entity once (micro)."""
        sums = np.stack([each.sum(axis=0, dtype=np.int64) for each in (self.correct, self.predicted, self.gold)])
        return EntityScores(
            EntityScore.of(*sums.sum(axis=1).tolist()),
            {name: EntityScore.of(*sums[:, number].tolist()) for number, name in enumerate(self.types)},
        )

    def of_sentences(self) -> NDArray[np.int32]:
        """Return what is right, predicted and there in each sentence, of all types together (sentences x 3)."""
        return np.stack([each.sum(axis=1, dtype=np.int32) for each in (self.correct, self.predicted, self.gold)], 1)


def count_entities(
    gold: NDArray[np.int32], predicted: NDArray[np.int32], starts: NDArray[np.int64], codes: TagCodes
) -> Counts:
    """Count the entities of two sequences of tags, whose numbers are places in the list that `codes` are of.

    `starts` has the first token of each sentence, and in the end the number of tokens.
    """
    counts = np.zeros((3, len(starts) - 1, len(codes.names)), np.int32)
    _count(gold, predicted, starts, codes.kinds, codes.types, counts)
    return Counts(counts[0], counts[1], counts[2], codes.names)


@njit()
def _count(
    gold: NDArray[np.int32],
    predicted: NDArray[np.int32],
    starts: NDArray[np.int64],
    kinds: NDArray[np.int8],
    types: NDArray[np.int32],
    counts: NDArray[np.int32],
) -> None:  # pragma: no cover - compiled
    for sentence in range(len(starts) - 1):
        begin_gold = begin_predicted = -1
        kind_gold = kind_predicted = OUTSIDE
        type_gold = type_predicted = NO_TYPE
        for at in range(starts[sentence], starts[sentence + 1] + 1):
            next_gold = next_predicted = OUTSIDE
            next_type_gold = next_type_predicted = NO_TYPE
            if at < starts[sentence + 1]:
                next_gold, next_type_gold = kinds[gold[at]], types[gold[at]]
                next_predicted, next_type_predicted = kinds[predicted[at]], types[predicted[at]]
            ends_gold = ends_between(kind_gold, type_gold, next_gold, next_type_gold)
            ends_predicted = ends_between(kind_predicted, type_predicted, next_predicted, next_type_predicted)
            if ends_gold:
                counts[2, sentence, type_gold] += 1
            if ends_predicted:
                counts[1, sentence, type_predicted] += 1
            if ends_gold and ends_predicted and begin_gold == begin_predicted and type_gold == type_predicted:
                counts[0, sentence, type_gold] += 1
            if starts_between(kind_gold, type_gold, next_gold, next_type_gold):
                begin_gold = at
            if starts_between(kind_predicted, type_predicted, next_predicted, next_type_predicted):
                begin_predicted = at
            kind_gold, type_gold = next_gold, next_type_gold
            kind_predicted, type_predicted = next_predicted, next_type_predicted
