"""What the scoring functions take, and refuse."""

from __future__ import annotations

import numpy as np
import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.similarity import kernels, measures_for

NAMES = [measure.name for measure in measures_for("words")]
TERM_NAMES = [measure.name for measure in measures_for("terms")]


@pytest.fixture
def pairs():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(30, 16))
    offsets = np.array([0, 2, 3, 6, 8])
    return vectors, offsets, rng.integers(0, 30, 8), np.array([0, 1, 3, 0]), np.array([1, 2, 0, 0])


def test_no_pairs_no_measures(pairs):
    vectors, offsets, words, first, second = pairs
    assert kernels.score_words(vectors, offsets, words, first[:0], second[:0], NAMES).shape == (0, len(NAMES))
    assert kernels.score_words(vectors, offsets, words, first, second, []).shape == (4, 0)
    assert kernels.score_words(vectors[:0], np.array([0, 0]), words[:0], np.array([0]), np.array([0]), NAMES).shape == (
        1,
        len(NAMES),
    )
    assert kernels.score_terms(vectors, first[:0], second[:0], TERM_NAMES).shape == (0, len(TERM_NAMES))


def test_vectors_and_numbers_may_come_in_any_layout(pairs, tmp_path):
    vectors, offsets, words, first, second = pairs
    vectors = vectors.astype(np.float32).astype(np.float64)
    expected = kernels.score_words(vectors, offsets, words, first, second, NAMES)
    np.save(tmp_path / "vectors.npy", vectors)
    layouts = [
        np.asfortranarray(vectors),
        np.repeat(vectors, 2, axis=0)[::2],
        vectors.astype(">f8"),
        np.load(tmp_path / "vectors.npy", mmap_mode="r"),
    ]
    for layout in layouts:
        np.testing.assert_array_equal(kernels.score_words(layout, offsets, words, first, second, NAMES), expected)
    frozen = [numbers.astype(np.int32) for numbers in (offsets, words, first, second)]
    for numbers in frozen:
        numbers.flags.writeable = False
    np.testing.assert_array_equal(kernels.score_words(vectors, *frozen, NAMES), expected)


def test_half_precision_and_integers_are_taken_for_what_they_are(pairs):
    vectors, offsets, words, first, second = pairs
    for kind in (np.float16, np.int8):
        narrow = (10 * vectors).astype(kind)
        scores = kernels.score_words(narrow, offsets, words, first, second, NAMES)
        wide = kernels.score_words(narrow.astype(np.float64), offsets, words, first, second, NAMES)
        np.testing.assert_allclose(scores, wide, rtol=0, atol=1e-5)


def test_only_vectors_in_use_count(pairs):
    vectors, offsets, words, first, second = pairs
    unused = np.setdiff1d(np.arange(30), words)
    expected = kernels.score_words(vectors, offsets, words, first, second, NAMES)
    vectors = vectors.copy()
    vectors[unused] = np.nan
    np.testing.assert_array_equal(kernels.score_words(vectors, offsets, words, first, second, NAMES), expected)


def test_inputs_stay_as_they_were(pairs):
    before = [array.copy() for array in pairs]
    kernels.score_words(*pairs, NAMES)
    kernels.score_terms(pairs[0], pairs[3], pairs[4], TERM_NAMES)
    for array, copy in zip(pairs, before, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_each_word_and_term_is_prepared_once(pairs, monkeypatch):
    vectors, offsets, words, first, second = pairs
    prepared = []
    sort = np.argsort

    def counting(rows, *args, **kwargs):
        if np.ndim(rows) == 2:
            prepared.append(len(rows))
        return sort(rows, *args, **kwargs)

    monkeypatch.setattr(np, "argsort", counting)
    many = (np.repeat(first, 50), np.repeat(second, 50))
    kernels.score_words(vectors, offsets, words, *many, ["avg_spearman"])
    assert sum(prepared) == len(np.unique([first, second]))
    prepared.clear()
    kernels.score_words(vectors, offsets, words, *many, ["pair_kendall"])
    assert sum(prepared) == len(np.unique(words))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"word_vectors": np.zeros(3)}, "must be a matrix"),
        ({"word_vectors": np.zeros((30, 2), complex)}, "must be a matrix of real numbers"),
        ({"second": np.array([0])}, "4 first terms cannot be paired with 1"),
        ({"offsets": np.array([0, 2, 1, 6, 8])}, "without a step back"),
        ({"offsets": np.array([0, 2, 3, 6, 7])}, "from 0 to the 8 words"),
        ({"words": np.full(8, 30)}, "words must be numbers from 0 to 29"),
        ({"first": np.array([0, 1, 4, 0])}, "first terms must be numbers from 0 to 3"),
        ({"second": np.array([0, 1, -1, 0])}, "second terms must be numbers from 0 to 3"),
    ],
)
def test_what_does_not_fit_together_is_refused(pairs, change, message):
    names = ("word_vectors", "offsets", "words", "first", "second")
    arguments = dict(zip(names, pairs, strict=True)) | change
    with pytest.raises(ValueError, match=message):
        kernels.score_words(**arguments, measures=NAMES)


def test_measures_of_the_other_kind_are_refused(pairs):
    with pytest.raises(TermgaugeError, match="'cos' compares vectors of terms"):
        kernels.score_words(*pairs, ["cos"])
    with pytest.raises(TermgaugeError, match="'avg_cos' compares vectors of words"):
        kernels.score_terms(pairs[0], pairs[3], pairs[4], ["avg_cos"])
    with pytest.raises(TermgaugeError, match="Did you mean 'kendall'"):
        kernels.score_terms(pairs[0], pairs[3], pairs[4], ["kendal"])
