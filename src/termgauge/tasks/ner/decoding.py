"""From probabilities of tags to tags: each token on its own, or along the transitions that training sentences have.

``argmax`` takes the most probable tag of each token. ``forward`` adds up the best way to each tag and takes the best
tag of each token on its own, as the program of Chiu et al. (2018) does; ``viterbi`` traces the best way back from the
end of the sentence. Where several tags are equally good, or none is possible, the first one is taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from termgauge.compiled import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    found = np.zeros(len(log_probabilities), np.int32)
    _decode(log_probabilities, starts, allowed.first, allowed.transitions, decoding == "viterbi", found)
    return found


@njit()
def _decode(
    log_probabilities: NDArray[np.float32] | NDArray[np.float64],
    starts: NDArray[np.int64],
    first: NDArray[np.bool_],
    transitions: NDArray[np.bool_],
    trace_back: bool,
    found: NDArray[np.int32],
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
            found[at] = best
        if trace_back:
            for at in range(end - 1, begin, -1):
                found[at - 1] = came_from[at - begin, found[at]]
