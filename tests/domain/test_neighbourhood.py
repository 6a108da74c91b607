"""Where neighbours are sought: vocabularies and terminologies, against a table of all cosines."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.domain import neighbourhood
from termgauge.domain.domain import Lookup
from termgauge.domain.neighbourhood import neighbourhood_of, neighbours_of_seeds
from termgauge.embeddings import neighbours
from termgauge.exceptions import TermgaugeError
from termgauge.terminology.model import MODEL_COMPONENT_MODULE, Terminology
from tests.domain.tables import Concepts, Words
from tests.domain.terminologies import terminology_of
from tests.engine.toy_models import ToyPairs, ToyTerms


def nearest_by_definition(vectors, own, k, neighbours):
    """Return the k rows nearest to any of a seed's own rows, ties by number; rows of zeros are no neighbours."""
    units = {row: vectors[row] / np.linalg.norm(vectors[row]) for row in neighbours if np.linalg.norm(vectors[row]) > 0}
    cosine = {row: max(round(float(units[row] @ units[each]), 12) for each in own) for row in units if row not in own}
    rows = sorted(cosine, key=lambda row: (-cosine[row], row))[:k]
    return rows + [-1] * (k - len(rows))


@st.composite
def vocabularies(draw):
    words = draw(st.lists(st.sampled_from([f"w{place}" for place in range(9)]), min_size=2, max_size=12))
    generator = np.random.default_rng(draw(st.integers(0, 999)))
    # Small whole numbers: many ties, some vectors of zeros.
    vectors = generator.integers(-1, 2, (len(words), 3)).astype(float)
    label = st.sampled_from([*words, "unknown"])
    labels = {f"c{place}": draw(st.lists(label, max_size=3, unique=True)) for place in range(4)}
    return words, vectors, labels


@given(vocabularies(), st.integers(1, 5), st.sampled_from(["first", "all"]))
def test_the_nearest_words_of_each_seed(case, k, choice):
    words, vectors, labels = case
    found = neighbourhood_of(Words(words, vectors), terminology_of(labels), list(labels), Lookup(choice))
    assert (found.kind, found.rows, len(found)) == ("vocabulary", len(words), len(set(words)))
    first_rows = sorted({word: words.index(word) for word in words}.values())
    expected = []
    for texts in labels.values():
        own = [words.index(text) for text in texts if text in words][: None if choice == "all" else 1]
        if own:
            usable = [row for row in own if vectors[row].any()]
            near = nearest_by_definition(vectors, usable, k, first_rows) if usable else [-1] * k
            expected.append(near)
            # Its own rows are no neighbours, those of zeros included.
            assert not set(near) & set(own)
    assert neighbours_of_seeds(found, k).rows.tolist() == expected


def test_blocks_change_nothing(monkeypatch):
    generator = np.random.default_rng(3)
    words = [f"w{place}" for place in range(50)] + ["w3", "w4"]
    model = Words(words, generator.normal(size=(52, 5)))
    terminology = terminology_of({f"c{place}": [f"w{place}"] for place in range(10)})
    among = neighbourhood_of(model, terminology, [f"c{place}" for place in range(10)])
    whole = neighbours_of_seeds(among, 7)
    monkeypatch.setattr(neighbours, "BLOCK_BYTES", 4 * 5 * 6)
    assert [start for start, _block, _units in among.blocks()] == list(range(0, 52, 6))
    assert neighbours_of_seeds(among, 7).rows.tolist() == whole.rows.tolist()
    assert not {50, 51} & set(whole.rows.ravel().tolist())


def test_concepts_are_shown_by_their_names():
    terminology = terminology_of({"1": ["asthma"], "2": []})
    among = neighbourhood_of(Concepts(["3", "2", "1"]), terminology, ["1"])
    assert among.texts([0, 1, 2]) == ["3", "2", "asthma"]
    assert neighbourhood_of(Words(["1", "asthma"]), terminology, ["1"]).texts([1, 0]) == ["asthma", "1"]


def counted(labels, *, inactive=(), technical=()):
    """Return a terminology of which some concepts are retired, or part of the model of SNOMED CT itself."""
    made = terminology_of(labels)
    concepts = made.concepts.with_columns(
        active=~pl.col("concept").is_in(list(inactive)),
        module=pl.when(pl.col("concept").is_in(list(technical))).then(pl.lit(MODEL_COMPONENT_MODULE)),
    )
    return Terminology(concepts, made.terms, made.relations, made.replacements, made.identity)


def test_an_encoder_meets_the_best_label_of_each_concept_that_counts():
    labels = {"1": ["asthma", "wheeze"], "2": ["lung"], "3": ["old"], "4": ["module"], "5": [], "6": ["older"]}
    terminology = counted(labels, inactive=["3", "6"], technical=["4"])
    among = neighbourhood_of(ToyTerms(), terminology, ["2", "3", "5"], Lookup("all"))
    assert among.kind == "terminology"
    # 3 is retired, but asked for; 5 has no label.
    assert among.texts(range(len(among))) == ["asthma", "lung", "old"]
    assert [rows.tolist() for rows in np.split(among.seeds.values, among.seeds.offsets[1:-1])] == [[1], [2], []]


def test_an_encoder_has_the_neighbours_of_all_its_cosines(monkeypatch):
    labels = {str(place): [f"term {place}"] for place in range(40)}
    model = ToyTerms(without=("term 3", "term 5"))
    seeds = ["3", "0", "7", "39"]
    among = neighbourhood_of(model, terminology_of(labels), seeds)
    assert among.seeds.known.tolist() == [False, True, True, True]
    vectors = model.encode([f"term {place}" for place in range(40)]).astype(float)
    expected = [nearest_by_definition(vectors, [int(seed)], 6, range(40)) for seed in seeds[1:]]
    assert neighbours_of_seeds(among, 6).rows.tolist() == expected
    monkeypatch.setattr(neighbourhood, "_TERMS_AT_ONCE", 7)
    assert neighbours_of_seeds(among, 6).rows.tolist() == expected
    np.testing.assert_array_equal(among.gather(np.array([7, 0])), model.encode(["term 7", "term 0"]))


def test_seeds_that_are_unknown_have_no_neighbours():
    terminology = terminology_of({"1": ["asthma"]})
    for model in (Words(["lung", "cough"]), Concepts(["2", "3"]), ToyTerms(without=("asthma",))):
        among = neighbourhood_of(model, terminology, ["1", "?"])
        assert not among.seeds.known.any()
        assert neighbours_of_seeds(among, 3).rows.shape == (0, 3)


def test_similarities_of_pairs_have_no_neighbours():
    with pytest.raises(TermgaugeError, match="'own' has no vectors, only similarities of pairs"):
        neighbourhood_of(ToyPairs(), terminology_of({"1": ["asthma"]}), ["1"])
