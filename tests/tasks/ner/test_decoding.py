import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.tasks.ner.tags import DECODINGS, Allowed, allowed_in, decode

TAGS = "OSBEI"


def allowed(first, transitions):
    """Return what may come where, as it is written in words such as O-S."""
    places = np.zeros((len(TAGS), len(TAGS)), np.bool_)
    for one, other in (each.split("-") for each in transitions.split()):
        places[TAGS.index(one), TAGS.index(other)] = True
    return Allowed(np.array([tag in first for tag in TAGS]), places)


def plain(log_probabilities, decoding, may):
    """Decode one sentence by the definition."""
    size = len(may.first)
    if decoding == "argmax":
        return [int(np.argmax(row)) for row in log_probabilities]
    rows = [np.where(may.first, log_probabilities[0], -np.inf)]
    back = [np.zeros(size, int)]
    for row in log_probabilities[1:]:
        ways = np.where(may.transitions, rows[-1][:, None], -np.inf)
        back.append(ways.argmax(axis=0))
        rows.append(row + ways.max(axis=0))
    found = [int(np.argmax(row)) for row in rows]
    if decoding == "viterbi":
        for at in range(len(rows) - 1, 0, -1):
            found[at - 1] = int(back[at][found[at]])
    return found


def test_the_oracle():
    may = allowed("OSB", "O-O O-S O-B S-O S-S S-B B-E B-I I-I I-E E-O E-S E-B")
    rows = np.log([[0.10, 0.50, 0.35, 0.03, 0.02], [0.10, 0.05, 0.05, 0.70, 0.10], [0.60, 0.10, 0.05, 0.20, 0.05]])
    found = ["".join(TAGS[tag] for tag in decode(rows, np.array([0, 3]), each, may)) for each in DECODINGS]
    assert found == ["SEO", "SEO", "BEO"]


numbers = st.sampled_from([-np.inf, -3.0, -2.0, -1.5, -1.0, -0.5])


@st.composite
def cases(draw):
    size = draw(st.integers(1, 5))
    lengths = draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    flags = st.lists(st.booleans(), min_size=size, max_size=size)
    may = Allowed(np.array(draw(flags)), np.array([draw(flags) for _ in range(size)]))
    rows = draw(st.lists(st.lists(numbers, min_size=size, max_size=size), min_size=sum(lengths), max_size=sum(lengths)))
    return np.array(rows), np.cumsum([0, *lengths]), may


@given(cases(), st.sampled_from(DECODINGS), st.sampled_from([np.float32, np.float64]))
def test_the_kernel_is_the_definition(case, decoding, kind):
    rows, starts, may = case
    found = decode(rows.astype(kind), starts, decoding, may)
    assert found.dtype == np.int32
    expected = [plain(rows[begin:end], decoding, may) for begin, end in itertools.pairwise(starts)]
    assert found.tolist() == [tag for sentence in expected for tag in sentence]


def test_nothing_possible_is_the_first_tag():
    none = Allowed(np.zeros(3, np.bool_), np.zeros((3, 3), np.bool_))
    for decoding in DECODINGS:
        rows = np.full((4, 3), -np.inf) if decoding == "argmax" else np.log(np.tile([0.1, 0.2, 0.7], (4, 1)))
        assert decode(rows, np.array([0, 1, 4]), decoding, none).tolist() == [0, 0, 0, 0]


def test_what_is_allowed_is_what_occurs():
    may = allowed_in(np.array([0, 2, 3, 1, 0, 0], np.int32), np.array([0, 3, 4, 6]), 5)
    assert np.flatnonzero(may.first).tolist() == [0, 1]
    assert np.argwhere(may.transitions).tolist() == [[0, 0], [0, 2], [2, 3]]


@pytest.mark.parametrize("decoding", DECODINGS)
def test_no_sentences(decoding):
    may = allowed_in(np.zeros(0, np.int32), np.array([0]), 2)
    assert decode(np.zeros((0, 2)), np.array([0]), decoding, may).tolist() == []
