"""Runs of texts of one length, for the tests of both ways to compare them with a query."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from termgauge.benchmark.nearest.bands import RUN, load_run, new_run


def symbols(text):
    return np.frombuffer(text.encode(), np.uint8).astype(np.uint16)


def run_of(texts):
    """Return a run of some texts of one size, and the symbols of all."""
    starts, joined, run = np.arange(len(texts) + 1) * len(texts[0]), symbols("".join(texts) + "a"), new_run()
    load_run(run, np.arange(len(texts), dtype=np.int32), joined, starts)
    return run, joined


def left_in(run, count):
    return dict(zip(run.texts[:count].tolist(), run.state[2, :count].tolist(), strict=True))


def expected(query, texts, cutoff):
    distances = {number: Levenshtein.distance(query, text) for number, text in enumerate(texts)}
    return {number: distance for number, distance in distances.items() if distance <= cutoff}


@st.composite
def queries_and_texts(draw, most):
    """Draw a query, a cut-off and texts of one size, some of them near."""
    query = draw(st.text("abc", max_size=12) | st.text("ab", min_size=40, max_size=150))
    cutoff = draw(st.integers(0, most))
    size = draw(st.integers(max(0, len(query) - cutoff), len(query) + cutoff))
    texts = draw(st.lists(st.text("abc", min_size=size, max_size=size), min_size=1, max_size=20))
    texts.append((query + "abc" * size)[:size])
    texts.append(("cab" * size + query)[-size:] if size else "")
    return query, cutoff, texts


def full_run(length, seed):
    """Return a query, and as many texts as a run can hold, all distances from it up to its length."""
    rng = np.random.default_rng(seed)
    query = "".join(rng.choice(list("abcd"), length))
    texts = []
    for number in range(RUN):
        letters = np.array(list(query))
        letters[rng.choice(length, number % length, replace=False)] = "x"
        texts.append("".join(letters))
    return query, texts
