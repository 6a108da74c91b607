"""Pairs across two languages or two terminologies, beside a plain definition."""

from __future__ import annotations

import random
from itertools import product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from termgauge.benchmark.negatives import levenshtein_negatives, random_negatives
from termgauge.benchmark.options import BuildOptions
from termgauge.benchmark.positives import find_positives_across, unordered_pair
from tests.domain.terminologies import terminology_of

WORDS = st.text(st.sampled_from("abAB "), min_size=1, max_size=6).map(str.strip).filter(bool)
LABELS = st.lists(st.lists(WORDS, min_size=1, max_size=3, unique=True), min_size=2, max_size=6)


def terminologies_of(first, second, links):
    one, other = (
        terminology_of({f"{name}{at}": texts for at, texts in enumerate(labels)})
        for name, labels in (("x", first), ("y", second))
    )
    pairs = pl.DataFrame(
        [(f"x{here}", f"y{there}") for here, there in links],
        schema={"first": pl.String, "second": pl.String},
        orient="row",
    )
    return (one, other), pairs


def pairs_of(positives, kind):
    texts = positives.lexicon.texts
    return [
        (texts[one], texts[other])
        for difficulty in ("easy", "hard")
        for one, other in zip(
            positives.sets[kind, difficulty].first.tolist(),
            positives.sets[kind, difficulty].second.tolist(),
            strict=True,
        )
    ]


def plain_pairs(first, second, links, kind):
    """Return the pairs of a kind as the definition says."""
    found = set()
    for here, there in links:
        name, *rest = first[here]
        own = [name] if kind == "fsn-syn" else [each for each in rest if each.lower() != name.lower()]
        preferred, *others = second[there]
        names = [preferred, *(each for each in others if each.lower() != preferred.lower())]
        found |= {(one, other) for one, other in product(own, names) if one.lower() != other.lower()}
    return found


@given(LABELS, LABELS, st.data())
def test_positives_are_those_of_the_definition(first, second, data):
    place = st.tuples(st.integers(0, len(first) - 1), st.integers(0, len(second) - 1))
    links = data.draw(st.lists(place, min_size=1, max_size=8, unique=True))
    positives = find_positives_across(*terminologies_of(first, second, links), BuildOptions())
    for kind in ("fsn-syn", "syn-syn"):
        assert sorted(pairs_of(positives, kind)) == sorted(plain_pairs(first, second, links, kind))


@given(LABELS, LABELS, st.data())
def test_negatives_go_across_and_no_concept_joins_them(first, second, data):
    place = st.tuples(st.integers(0, len(first) - 1), st.integers(0, len(second) - 1))
    links = data.draw(st.lists(place, min_size=2, max_size=8, unique=True))
    positives = find_positives_across(*terminologies_of(first, second, links), BuildOptions())
    joined = {
        (one.lower(), other.lower())
        for kind in ("fsn-syn", "syn-syn")
        for one, other in plain_pairs(first, second, links, kind)
    }
    texts = positives.lexicon.texts
    for rows in positives.sets.values():
        for make in (random_negatives, levenshtein_negatives):
            made = make(rows, positives.lexicon, positives.known, random.Random(1), across=True)
            assert len(made) <= len(rows)
            assert set(made.first.tolist()) <= set(rows.first.tolist())
            assert set(made.second.tolist()) <= set(rows.second.tolist())
            for one, other in zip(made.first.tolist(), made.second.tolist(), strict=True):
                assert (texts[one].lower(), texts[other].lower()) not in joined
                assert texts[one].lower() != texts[other].lower()


@given(LABELS, LABELS, st.data())
def test_levenshtein_negatives_are_the_nearest_that_are_allowed(first, second, data):
    place = st.tuples(st.integers(0, len(first) - 1), st.integers(0, len(second) - 1))
    links = data.draw(st.lists(place, min_size=2, max_size=8, unique=True))
    positives = find_positives_across(*terminologies_of(first, second, links), BuildOptions())
    lowered = positives.lexicon.lowered
    for rows in positives.sets.values():
        made = levenshtein_negatives(rows, positives.lexicon, positives.known, random.Random(1), across=True)
        table = list(zip(rows.first.tolist(), rows.second.tolist(), strict=True))
        for query in set(rows.first.tolist()):
            allowed = sorted(
                Levenshtein.distance(lowered[query], lowered[other])
                for other in candidates_of(query, table)
                if unordered_pair(query, other) not in positives.known and lowered[other] != lowered[query]
            )
            chosen = [
                Levenshtein.distance(lowered[one], lowered[other])
                for one, other in zip(made.first.tolist(), made.second.tolist(), strict=True)
                if one == query
            ]
            assert sorted(chosen) == allowed[: sum(one == query for one, _other in table)]


def candidates_of(query, table):
    """Return the second terms of rows that share no term with the group of a first term, nor with its rows' terms."""
    own = {query} | {other for one, other in table if one == query}
    linked = own | {term for row in table if own & set(row) for term in row}
    return {other for one, other in table if not linked & {one, other}}


def test_written_alike_is_no_pair_and_counted():
    subject = terminologies_of([["Coma", "faint"], ["virus"]], [["coma", "desmayo"], ["Virus"]], [(0, 0), (1, 1)])
    positives = find_positives_across(*subject, BuildOptions())
    assert pairs_of(positives, "fsn-syn") == [("Coma", "desmayo")]
    assert sorted(pairs_of(positives, "syn-syn")) == [("faint", "coma"), ("faint", "desmayo")]
    assert "2 pairs written alike on both sides were left out." in positives.notes


@pytest.mark.parametrize("under", ["x0", "x1"])
def test_options_choose_by_the_first_side(under):
    subject = terminologies_of([["one", "uno"], ["two"]], [["eins"], ["zwei"]], [(0, 0), (1, 1)])
    kept = find_positives_across(*subject, BuildOptions.of(under=under))
    expected = [("one", "eins")] if under == "x0" else [("two", "zwei")]
    assert pairs_of(kept, "fsn-syn") == expected
