"""What every measure must hold, by its definition and by its kernel."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from termgauge.similarity import all_measures, kernels, measures_for
from termgauge.similarity.reference import similarity
from tests.conftest import tried

OF_WORDS = [measure.name for measure in measures_for("words")]
OF_TERMS = [measure.name for measure in measures_for("terms")]
OF_VECTORS = OF_WORDS + OF_TERMS
OF_FAMILIES = [name for name in OF_VECTORS if all_measures()[name].family != "own"]
TOLERANCE = {np.float64: 1e-9, np.float32: 1e-5}
SHAPES = {
    "random": lambda rng, count, width: rng.normal(size=(count, width)),
    "tied": lambda rng, count, width: rng.integers(-1, 2, (count, width)),
    "constant": lambda rng, count, width: np.repeat(rng.exponential(size=(count, 1)), width, axis=1),
    "zero": lambda _, count, width: np.zeros((count, width)),
    "negative": lambda rng, count, width: -rng.exponential(size=(count, width)),
    "large": lambda rng, count, width: 1000 + rng.normal(size=(count, width)),
    "tiny": lambda rng, count, width: 1e-30 * rng.normal(size=(count, width)),
}


def term(shape, seed, count=3, width=20):
    return SHAPES[shape](np.random.default_rng(seed), count, width).astype(np.float64)


def by_kernel(name, x, y):
    """Return the similarity of two terms as the kernel computes it."""
    x, y = np.asarray(x), np.asarray(y)
    pair = np.array([0]), np.array([1])
    if all_measures()[name].compares == "terms":
        return kernels.score_terms(np.stack([x, y]), *pair, [name])[0, 0]
    offsets = np.array([0, len(x), len(x) + len(y)])
    return kernels.score_words(np.vstack([x, y]), offsets, np.arange(offsets[-1]), *pair, [name])[0, 0]


def fitting(name, x):
    """Return a term as the measure wants it: all words, or one vector."""
    return x if all_measures()[name].compares == "words" else x[0]


@pytest.fixture(params=[similarity, by_kernel], ids=["reference", "kernel"])
def measured(request):
    return request.param


every_measure = pytest.mark.parametrize("name", OF_VECTORS)
every_measure_of_a_family = pytest.mark.parametrize("name", OF_FAMILIES)
every_measure_of_words = pytest.mark.parametrize("name", OF_WORDS)
every_mean_over_pairs = pytest.mark.parametrize("name", [name for name in OF_WORDS if name.startswith("pair_")])


@every_measure
def test_symmetry(measured, name):
    for shape, seed in product(SHAPES, range(5)):
        x, y = fitting(name, term(shape, seed)), fitting(name, term("random", 50 + seed, count=4))
        assert measured(name, x, y) == pytest.approx(measured(name, y, x), abs=1e-15, nan_ok=True), shape


@every_measure
def test_range(measured, name):
    lowest, highest = all_measures()[name].range
    for shape, width in product(SHAPES, (1, 2, 20)):
        x, y = fitting(name, term(shape, 1, width=width)), fitting(name, term(shape, 2, width=width))
        for other in (x, y, -x, 2 * x):
            value = measured(name, x, other)
            assert np.isnan(value) or lowest <= value <= highest, (shape, width)


@every_measure
def test_self_similarity_is_1(measured, name):
    for shape, count in product(("random", "tied", "large", "tiny"), (1, 3)):
        x = term(shape, 3, count=count)
        value = measured(name, fitting(name, x), fitting(name, x))
        if name.startswith("pair_") and count > 1:
            assert value < 1, shape  # its words are compared with one another too
        else:
            assert value == pytest.approx(1, abs=1e-12), (shape, count)


@every_measure_of_words
def test_order_of_words_is_no_matter(measured, name):
    for shape, seed in product(("random", "tied", "large"), range(5)):
        x, y = term(shape, 4, count=5), term(shape, 5, count=4)
        rng = np.random.default_rng(seed)
        other = measured(name, rng.permutation(x), rng.permutation(y))
        assert other == pytest.approx(measured(name, x, y), abs=1e-12), shape


@every_measure
def test_order_of_components_is_no_matter(measured, name):
    x, y = fitting(name, term("tied", 6)), fitting(name, term("random", 7))
    columns = np.random.default_rng(0).permutation(20)
    assert measured(name, x[..., columns], y[..., columns]) == pytest.approx(measured(name, x, y), abs=1e-12)


@pytest.mark.parametrize("name", [name for name in OF_FAMILIES if all_measures()[name].family != "jaccard"])
def test_length_is_no_matter(measured, name):
    x, y = fitting(name, term("tied", 15, count=1)), fitting(name, term("random", 16))
    for size in (1e-310, 1e-300, 1e-170, 1e170, 1e300):
        assert measured(name, size * x, y) == pytest.approx(measured(name, x, y), abs=1e-12), size


@every_measure
def test_what_is_no_number_is_missing(measured, name):
    x, y = term("random", 8), term("random", 9)
    for bad, place in product((np.nan, np.inf, -np.inf), ((0, 0), (0, 19))):
        worse = x.copy()
        worse[place] = bad
        assert np.isnan(measured(name, fitting(name, worse), fitting(name, y))), bad
        assert np.isnan(measured(name, fitting(name, y), fitting(name, worse))), bad


@every_measure_of_a_family
def test_undefined_is_missing_and_never_0(measured, name):
    jaccard = name in ("fuzzy_jaccard", "max_jaccard")
    of_ranks = all_measures()[name].family in ("pearson", "spearman", "kendall")
    for shape, undefined, nothing_in_either in (
        ("zero", not jaccard, True),
        ("constant", of_ranks, of_ranks),
        ("negative", False, name == "max_jaccard"),
    ):
        x, y = fitting(name, term(shape, 10)), fitting(name, term("random", 11))
        assert np.isnan(measured(name, x, y)) == undefined, shape
        assert np.isnan(measured(name, x, x)) == nothing_in_either, shape


@every_mean_over_pairs
def test_one_undefined_word_makes_the_mean_over_pairs_missing(measured, name):
    x, y = term("random", 12), term("random", 13)
    x[1] = 0.0
    assert np.isnan(measured(name, x, y))
    assert np.isnan(measured(name, y, x))


@every_measure_of_words
def test_a_term_without_words_is_missing(measured, name):
    x, none = term("random", 14), np.empty((0, 20))
    assert np.isnan(measured(name, x, none))
    assert np.isnan(measured(name, none, x))
    assert np.isnan(measured(name, none, none))


@every_measure
def test_vectors_without_components_are_missing(measured, name):
    x = fitting(name, np.empty((2, 0)))
    assert np.isnan(measured(name, x, x))


@every_measure_of_a_family
def test_one_dimension(measured, name):
    x, y = fitting(name, np.array([[2.0]])), fitting(name, np.array([[4.0]]))
    expected = {"cosine": 1.0, "jaccard": 0.5 if name == "max_jaccard" else (2 * 2 + 4 * 2) / (2 * 4 + 4 * 4)}
    assert measured(name, x, y) == pytest.approx(expected.get(all_measures()[name].family, np.nan), nan_ok=True)


# Kernels against definitions, many pairs at a time.


def problem(rng, dtype, shape, width):
    """Return vectors, terms of none to five words, and pairs of them."""
    vectors = np.concatenate(
        [SHAPES[shape](rng, 12, width), SHAPES["random"](rng, 6, width), SHAPES["tied"](rng, 6, width)]
    ).astype(dtype)
    sizes = rng.permutation(np.array([0, 1, 1, 1, 2, 2, 3, 5]))
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    words = rng.integers(0, len(vectors), offsets[-1])
    first, second = rng.integers(0, 8, (2, 25))
    return vectors, offsets, words, first, second


def by_definition(vectors, offsets, words, first, second, names):
    terms = [vectors[words[offsets[t] : offsets[t + 1]]] for t in range(len(offsets) - 1)]
    return np.array(
        [[similarity(name, terms[i], terms[j]) for name in names] for i, j in zip(first, second, strict=True)]
    )


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("shape", SHAPES)
def test_kernels_equal_the_definitions(dtype, shape):
    for width in (1, 2, 65, 300):
        given_ = problem(np.random.default_rng([width, *shape.encode()]), dtype, shape, width)
        np.testing.assert_allclose(
            kernels.score_words(*given_, OF_WORDS), by_definition(*given_, OF_WORDS), rtol=0, atol=TOLERANCE[dtype]
        )
        vectors, first, second = given_[0], given_[3], given_[4]
        expected = [
            [similarity(name, vectors[i], vectors[j]) for name in OF_TERMS] for i, j in zip(first, second, strict=True)
        ]
        scores = kernels.score_terms(vectors, first, second, OF_TERMS)
        np.testing.assert_allclose(scores, expected, rtol=0, atol=TOLERANCE[dtype])


small_numbers = st.sampled_from([-2.0, -0.5, 0.0, 0.5, 1.0]) | st.floats(-10, 10, width=32, allow_subnormal=False)


@st.composite
def small_problems(draw):
    width = draw(st.integers(1, 8))
    elements = draw(st.sampled_from([st.sampled_from([0.0, 1.0]), st.sampled_from([-1.0, 0.0, 2.0]), small_numbers]))
    dtype = draw(st.sampled_from(list(TOLERANCE)))
    vectors = draw(hnp.arrays(dtype, (draw(st.integers(1, 5)), width), elements=elements))
    word = st.integers(0, len(vectors) - 1)
    terms = draw(st.lists(st.lists(word, max_size=4), min_size=1, max_size=4))
    number = st.integers(0, len(terms) - 1)
    pairs = draw(st.lists(st.tuples(number, number), max_size=6))
    offsets = np.cumsum([0, *map(len, terms)])
    first, second = np.array(pairs, np.int64).reshape(-1, 2).T
    return vectors, offsets, np.array([w for words in terms for w in words], np.int64), first, second


@given(small_problems())
@settings(max_examples=tried(150), deadline=None)
def test_kernels_equal_the_definitions_on_any_small_problem(given_):
    expected = by_definition(*given_, OF_WORDS).reshape(-1, len(OF_WORDS))
    atol = TOLERANCE[given_[0].dtype.type]
    np.testing.assert_allclose(kernels.score_words(*given_, OF_WORDS), expected, rtol=0, atol=atol)


@every_measure
def test_single_precision_is_close_to_double(name):
    vectors, offsets, words, first, second = problem(np.random.default_rng(1), np.float32, "random", 40)
    if all_measures()[name].compares == "words":
        single = kernels.score_words(vectors, offsets, words, first, second, [name])
        double = kernels.score_words(vectors.astype(np.float64), offsets, words, first, second, [name])
    else:
        single = kernels.score_terms(vectors, first, second, [name])
        double = kernels.score_terms(vectors.astype(np.float64), first, second, [name])
    np.testing.assert_allclose(single, double, rtol=0, atol=1e-6)
    assert single.dtype == np.float64


@pytest.mark.parametrize(("bytes_", "rows", "pairs"), [(1, 1, 1), (2 * 40 * 8 * 3, 2, 5), (40 * 8 * 7, 3, 7)])
def test_batches_and_slices_do_not_show(monkeypatch, bytes_, rows, pairs):
    given_ = problem(np.random.default_rng(2), np.float64, "tied", 40)
    at_once = kernels.score_words(*given_, OF_WORDS)
    monkeypatch.setattr(kernels, "PREPARED_BYTES", bytes_)
    monkeypatch.setattr(kernels, "SLICE_ROWS", rows)
    monkeypatch.setattr(kernels, "SLICE_PAIRS", pairs)
    steps = []
    np.testing.assert_array_equal(kernels.score_words(*given_, OF_WORDS, advance=steps.append), at_once)
    assert sum(steps) == pytest.approx(25)
    assert len(steps) > len(OF_WORDS)


def test_an_interruption_stops_the_work(monkeypatch):
    given_ = problem(np.random.default_rng(5), np.float64, "random", 10)
    monkeypatch.setattr(kernels, "SLICE_PAIRS", 1)

    def interrupted(_pairs):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kernels.score_words(*given_, OF_WORDS, advance=interrupted)


def test_order_of_pairs_and_of_measures_is_no_matter():
    vectors, offsets, words, first, second = problem(np.random.default_rng(3), np.float64, "random", 40)
    scores = kernels.score_words(vectors, offsets, words, first, second, OF_WORDS)
    order = np.random.default_rng(4).permutation(len(first))
    again = kernels.score_words(vectors, offsets, words, first[order], second[order], OF_WORDS[::-1])
    np.testing.assert_array_equal(again[:, ::-1], scores[order])
