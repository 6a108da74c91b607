"""An example of analogies small enough to be worked by hand: six words in the plane, three pairs that all know."""

from __future__ import annotations

import numpy as np

from tests.domain.tables import Words

WORDS = {"a": (1, 0), "b": (0, 1), "c": (-1, 0), "d": (0, -1), "e": (3, 4), "f": (4, 3)}
"""Of length 1: e is (0.6, 0.8), f is (0.8, 0.6)."""
PAIRS = (("e", "a"), ("f", "b"), ("c", "d"), ("unknown", "a"))
EDGES = [(x, "treats", y) for x, y in PAIRS]
HAND_WORKED = {
    (0, 1): 1,  # e - a + b = (-0.4, 1.8): f 0.76, c 0.4, d -1.8
    (0, 2): 1,  # e - a + d = (-0.4, -0.2): c 0.4, b -0.2, f -0.44
    (1, 0): 1,  # f - b + a = (1.8, -0.4): e 0.76, d 0.4, c -1.8
    (1, 2): 3,  # f - b + d = (0.8, -1.4): a 0.8, e -0.64, c -0.8
    (2, 0): 2,  # c - d + a = (0, 1): b 1, e 0.8, f 0.6
    (2, 1): 2,  # c - d + b = (-1, 2): e 1, f 0.4, a -1
}
"""The rank of the answer of each analogy, by the numbers of its pairs."""


def model_of_words(noise=0.0, name="table"):
    """Return the words as a model, each number moved by the same amount."""
    return Words(list(WORDS), np.array(list(WORDS.values())) + noise, name=name)
