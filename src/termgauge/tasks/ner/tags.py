"""Tags of named entities: what a tag says, which scheme a corpus has, and every scheme as IOBES.

A tag is a letter and a type, such as ``B-Disease``, split at the first ``-``; ``O`` is outside of entities. Where an
entity begins and ends is decided by the rules of conlleval, which make sense of any scheme, and of sequences that
their scheme forbids. So whatever comes is turned into IOBES by writing down the entities that these rules find.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from termgauge.compiled import njit
from termgauge.tasks.results import Record

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from numpy.typing import NDArray


OUTSIDE, BEGIN, INSIDE, END, SINGLE = range(5)
IOBES = "OBIES"
"""The letter of each kind of tag."""
NO_TYPE = -1
_KINDS = {"B": BEGIN, "I": INSIDE, "M": INSIDE, "E": END, "L": END, "S": SINGLE, "U": SINGLE, "W": SINGLE}
_SCHEMES = {"IOBES": "BIES", "BILOU": "BILU", "BMES": "BMES", "BMEWO": "BMEW"}
IOB1, IOB2 = "IOB1", "IOB2"


class TagCodes(NamedTuple):
    """What each tag of a list says, as numbers."""

    kinds: NDArray[np.int8]
    """Outside, begin, inside, end or single."""
    types: NDArray[np.int32]
    """The number of its type; -1 outside."""
    names: tuple[str, ...]
    """The types, by first appearance."""
    letters: frozenset[str]
    """With which tags begin, O apart."""


def problem_of(tag: str) -> str:
    """Say what is wrong with a tag, and what to do; nothing if it is well-formed."""
    letter, _, name = tag.partition("-")
    if tag == "O" or (letter in _KINDS and name):
        return ""
    if letter in _KINDS:
        return f"the tag '{tag}' has no type; write a letter, '-' and a type, such as {letter}-Disease."
    return (
        f"'{tag}' is no tag of entities; write O, or a letter of IOB or IOBES, '-' and a type, such as B-Disease, and "
        "let the tag be the last field."
    )


def codes_of(tags: Iterable[str]) -> TagCodes:
    """Return what well-formed tags say."""
    names: dict[str, int] = {}
    kinds, types, letters = [], [], set()
    for tag in tags:
        letter, _, name = tag.partition("-")
        letters |= {letter} - {"O"}
        kinds.append(_KINDS.get(letter, OUTSIDE))
        types.append(names.setdefault(name, len(names)) if name else NO_TYPE)
    return TagCodes(np.array(kinds, np.int8), np.array(types, np.int32), tuple(names), frozenset(letters))


def scheme_of(letters: Collection[str]) -> str:
    """Return the scheme that has all of some letters; IOB2 also for IOB1, and nothing if there is none."""
    if set(letters) <= set("BI"):
        return IOB2
    return next((name for name, all_of in _SCHEMES.items() if set(letters) <= set(all_of)), "")


def beginnings(kinds: NDArray[np.int8], types: NDArray[np.int32], starts: NDArray[np.int64]) -> tuple[int, int]:
    """Count the entities that begin with I, and with B where IOB1 has I: where none of the type is just before.

    That tells IOB1 from IOB2. Sentences start at given tokens.
    """
    before = np.concatenate([[NO_TYPE], types[:-1]])
    before[starts[:-1]] = NO_TYPE
    apart = before != types
    return int(np.sum(apart & (kinds == INSIDE))), int(np.sum(apart & (kinds == BEGIN)))


def boundaries(
    kinds: NDArray[np.int8], types: NDArray[np.int32], starts: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Say at which tokens an entity begins, and at which one ends, in sentences that start at given tokens.

    Where an entity ends and the next tag is not outside, the next entity begins, so that there are as many of both.
    """
    before, after = np.roll(kinds, 1), np.roll(kinds, -1)
    before_type, after_type = np.roll(types, 1), np.roll(types, -1)
    before[starts[:-1]] = after[starts[1:] - 1] = OUTSIDE
    before_type[starts[:-1]] = after_type[starts[1:] - 1] = NO_TYPE
    apart = np.isin(before, (END, SINGLE, OUTSIDE)) & np.isin(kinds, (END, INSIDE))
    begins = np.isin(kinds, (BEGIN, SINGLE)) | apart | (types != before_type)
    apart = np.isin(kinds, (BEGIN, INSIDE)) & np.isin(after, (BEGIN, SINGLE, OUTSIDE))
    ends = np.isin(kinds, (END, SINGLE)) | apart | (types != after_type)
    inside = kinds != OUTSIDE
    return begins & inside, ends & inside


def as_iobes(kinds: NDArray[np.int8], types: NDArray[np.int32], starts: NDArray[np.int64]) -> NDArray[np.int8]:
    """Return the kinds of tags that write the same entities in IOBES; types stay as they are."""
    begins, ends = boundaries(kinds, types, starts)
    alone, inside = begins & ends, kinds != OUTSIDE
    return np.select([alone, begins, ends, inside], [SINGLE, BEGIN, END, INSIDE], OUTSIDE).astype(np.int8)


class EntityScore(Record):
    """Precision, recall and F as shares, each 0 where its denominator is, and the entities that they come from."""

    precision: float
    recall: float
    f: float
    correct: int
    predicted: int
    gold: int

    @classmethod
    def from_counts(cls, correct: int, predicted: int, gold: int) -> EntityScore:
        """Return the scores of counts."""
        precision = correct / predicted if predicted else 0.0
        recall = correct / gold if gold else 0.0
        f = 2 * correct / (predicted + gold) if correct else 0.0
        return EntityScore(precision=precision, recall=recall, f=f, correct=correct, predicted=predicted, gold=gold)


class EntityScores(NamedTuple):
    """The scores of all types together, and of each."""

    overall: EntityScore
    per_type: dict[str, EntityScore]


@dataclass(frozen=True)
class Counts:
    """How many entities of each type are right, predicted and in the gold standard, in each sentence."""

    table: NDArray[np.int32]
    """Sentences x types x 3."""
    types: tuple[str, ...]

    def scores(self) -> EntityScores:
        """Return precision, recall and F over all sentences; all types together count each entity once (micro)."""
        sums = self.table.sum(axis=0, dtype=np.int64)
        per_type = dict(zip(self.types, (EntityScore.from_counts(*row) for row in sums.tolist()), strict=False))
        return EntityScores(EntityScore.from_counts(*sums.sum(axis=0).tolist()), per_type)

    def of_sentences(self) -> NDArray[np.int32]:
        """Return what is right, predicted and there in each sentence, of all types together (sentences x 3)."""
        return np.asarray(self.table.sum(axis=1, dtype=np.int32))


def count_entities(
    gold: NDArray[np.int32], predicted: NDArray[np.int32], starts: NDArray[np.int64], codes: TagCodes
) -> Counts:
    """Count the entities of two sequences of tags, whose numbers are places in the list that `codes` are of.

    `starts` has the first token of each sentence, and in the end the number of tokens.
    """
    tokens, sentences, types = max(1, len(gold)), len(starts) - 1, max(1, len(codes.names))

    def entities(tags: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return a number for each entity: of its first and last token, and its type."""
        type_of = codes.types[tags]
        first, last = map(np.flatnonzero, boundaries(codes.kinds[tags], type_of, starts))
        return np.asarray((first * tokens + last) * types + type_of[first])

    def counted(some: NDArray[np.int64]) -> NDArray[np.int64]:
        sentence = np.searchsorted(starts, some // types // tokens, side="right") - 1
        return np.bincount(sentence * types + some % types, minlength=sentences * types)

    true, tagged = entities(gold), entities(predicted)
    counts = np.stack([counted(some) for some in (np.intersect1d(true, tagged), tagged, true)], axis=1)
    return Counts(counts.reshape(sentences, types, 3).astype(np.int32), codes.names)


Decoding = Literal["argmax", "forward", "viterbi"]
DECODINGS: tuple[Decoding, ...] = get_args(Decoding)


class Allowed(NamedTuple):
    """What may come where: that which does in training sentences."""

    first: NDArray[np.bool_]
    """Tags that may begin a sentence."""
    transitions: NDArray[np.bool_]
    """Which tag (row) may come before which (column)."""


def allowed_in(tags: NDArray[np.int32], starts: NDArray[np.int64], size: int) -> Allowed:
    """Return what occurs in sentences that start at given tokens, of `size` tags."""
    first, transitions = np.zeros(size, np.bool_), np.zeros((size, size), np.bool_)
    first[tags[starts[:-1]]] = True
    inside = np.ones(len(tags), np.bool_)
    inside[starts[:-1]] = False
    later = np.flatnonzero(inside)
    transitions[tags[later - 1], tags[later]] = True
    return Allowed(first, transitions)


def decode(
    log_probabilities: NDArray[np.float32] | NDArray[np.float64],
    starts: NDArray[np.int64],
    decoding: Decoding,
    allowed: Allowed,
) -> NDArray[np.int32]:
    """Return a tag for each token, given the logarithms of probabilities (tokens x tags)."""
    if decoding == "argmax":
        return np.asarray(log_probabilities.argmax(axis=1), np.int32)
    tags = np.zeros(len(log_probabilities), np.int32)
    _decode(log_probabilities, starts, allowed.first, allowed.transitions, decoding == "viterbi", tags)
    return tags


@njit()
def _decode(
    log_probabilities: NDArray[np.float32] | NDArray[np.float64],
    starts: NDArray[np.int64],
    first: NDArray[np.bool_],
    transitions: NDArray[np.bool_],
    trace_back: bool,
    tags: NDArray[np.int32],
) -> None:  # pragma: no cover - compiled
    size = len(first)
    longest = 0
    for sentence in range(len(starts) - 1):
        longest = max(longest, starts[sentence + 1] - starts[sentence])
    came_from = np.zeros((longest, size), np.int32)
    values, before = np.empty(size), np.empty(size)
    for sentence in range(len(starts) - 1):
        begin, end = starts[sentence], starts[sentence + 1]
        for at in range(begin, end):
            values, before = before, values
            best = 0
            for tag in range(size):
                if at == begin:
                    value, source = 0.0 if first[tag] else -np.inf, 0
                else:
                    value, source = -np.inf, 0
                    for other in range(size):
                        if transitions[other, tag] and before[other] > value:
                            value, source = before[other], other
                values[tag] = value + log_probabilities[at, tag]
                came_from[at - begin, tag] = source
                if values[tag] > values[best]:
                    best = tag
            tags[at] = best
        if trace_back:
            for at in range(end - 1, begin, -1):
                tags[at - 1] = came_from[at - begin, tags[at]]
