from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from termgauge.tasks.ner.network import (
    CAPITALS,
    Draws,
    NetworkSettings,
    capitals_of,
    initial_weights,
    inputs_of,
    windows,
)
from termgauge.tasks.ner.vectors import TokenVectors


def vectors(own=False):
    rows = np.arange(12, dtype=np.float32).reshape(4, 3)
    if not own:
        rows[-2:] = np.nan
    return TokenVectors("made", rows, {"fever": 0, "dna": 1})


def test_the_profiles_are_those_of_the_paper_and_of_its_code():
    code, paper = NetworkSettings.of("code"), NetworkSettings.of("paper", epochs=3, frozen=True)
    assert (code.activation, code.capitals, code.learning_rate, code.decoding) == ("relu", True, 0.1, "forward")
    assert (paper.activation, paper.capitals, paper.learning_rate, paper.decoding) == (
        "hard_tanh", False, 0.01, "argmax",
    )  # fmt: skip
    for each in (code, paper):
        assert (each.hidden, each.dropout, each.batch) == (300, 0.2, 50)
    assert (code.epochs, code.frozen, paper.epochs, paper.frozen) == (20, False, 3, True)


def test_what_a_trial_begins_with():
    code = initial_weights(vectors(), 5, NetworkSettings.of("code"), 42)
    assert code.words[:2].tolist() == vectors().rows[:2].tolist()
    assert code.hidden.shape == (5 * (3 + 5), 300)
    assert code.output.shape == (5, 300)
    for drawn, most in ((code.words[2:], 0.05), (code.capitals, 0.05), (code.hidden, (6 / 340) ** 0.5)):
        assert np.abs(drawn).max() <= most
        assert np.abs(drawn).max() > 0.8 * most
    assert np.abs(code.output).max() <= (6 / 305) ** 0.5
    assert not code.hidden_bias.any()
    assert not code.output_bias.any()
    paper = initial_weights(vectors(), 5, NetworkSettings.of("paper"), 42)
    assert (paper.capitals.shape, paper.hidden.shape) == ((5, 0), (15, 300))


def test_rows_that_a_file_has_are_not_drawn_and_seeds_differ():
    settings = NetworkSettings.of("code")
    own, drawn = (initial_weights(vectors(own=has), 5, settings, 1) for has in (True, False))
    assert own.words.tolist() == vectors(own=True).rows.tolist()
    np.testing.assert_array_equal(own.hidden, drawn.hidden)  # whatever a file has, the rest is the same
    again, other = initial_weights(vectors(), 5, settings, 1), initial_weights(vectors(), 5, settings, 2)
    np.testing.assert_array_equal(again.words, drawn.words)
    assert (other.words[2:] != drawn.words[2:]).all()
    assert (other.hidden != drawn.hidden).any()
    assert Draws(1).order.random() != Draws(1).dropout.random()


def test_capitals():
    written = {"DNA": "allcaps", "IL-2": "allcaps", "Fever": "initcap", "McArdle": "initcap", "mRNA": "hascap",
               "fever": "nocaps", "3": "nocaps", "": "nocaps"}  # fmt: skip
    assert {token: CAPITALS[capitals_of(token)] for token in written} == written


@given(st.lists(st.integers(1, 7), min_size=1, max_size=6))
def test_windows_end_with_the_sentence(lengths):
    starts = np.concatenate([[0], np.cumsum(lengths)])
    codes = np.arange(int(starts[-1])) + 10
    wanted = [
        [codes[place] if start <= place < stop else -1 for place in range(token - 2, token + 3)]
        for start, stop in pairwise(starts.tolist())
        for token in range(start, stop)
    ]
    assert windows(codes, starts, -1).tolist() == wanted


def test_what_a_network_sees():
    tokens, starts = ["DNA", "dna", "rash"], np.array([0, 2, 3])
    seen = inputs_of(tokens, starts, vectors(), NetworkSettings.of("code"))
    assert seen.words.tolist() == [[3, 3, 2, 1, 3], [3, 2, 1, 3, 3], [3, 3, 2, 3, 3]]
    assert seen.capitals.tolist() == [[4, 4, 0, 3, 4], [4, 0, 3, 4, 4], [4, 4, 3, 4, 4]]
    rows, numbers = seen.different
    assert rows.tolist() == [1, 2, 3]
    assert rows[numbers].tolist() == seen.words.tolist()
    assert inputs_of(tokens, starts, vectors(), NetworkSettings.of("paper")).capitals.shape == (3, 0)
