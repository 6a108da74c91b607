from __future__ import annotations

import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.domain.domain import Domain, Lookup
from termgauge.domain.seeds import descendants_of, related_to
from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.tasks.coverage.result import Measure, cover
from termgauge.terminology import read_terminology
from tests.domain.tables import Concepts, Words
from tests.domain.terminologies import terminology_of
from tests.engine.toy_models import ToyPairs, ToyTerms


def at(*degrees):
    angles = np.radians(degrees)
    return np.column_stack([np.cos(angles), np.sin(angles)])


HAND = terminology_of({"A": ["a"], "B": ["b"], "C": ["c"], "D": ["d"]})
HAND_WORDS = ["a", "b", "x", "c", "y"]
HAND_VECTORS = at(0, 10, 15, 40, 100)
SEEDS = Domain(("A", "B", "C", "D"))


@pytest.mark.parametrize("model", [Words(HAND_WORDS, HAND_VECTORS), Concepts(["A", "B", "X", "C", "Y"], HAND_VECTORS)])
def test_worked_by_hand(model):
    # Neighbours: a has b, x; b has x, a; c has x, b; d is not in the vocabulary.
    found = cover(model, HAND, SEEDS, ks=[1, 2])
    assert found.hits.tolist() == [[True, False], [False, True], [False, True], [False, False]]
    assert found.in_vocabulary == 3
    assert found.value(Measure("in_vocabulary")) == 0.75
    assert found.value(Measure("cg", 1)) == 1 / 4
    assert found.value(Measure("cg", 2)) == 3 / 8
    assert found.value(Measure("posdcg", 1)) == 1 / 4
    ideal = 1 + 1 / math.log2(3)
    assert found.value(Measure("posdcg", 2)) == pytest.approx((1 + 2 / math.log2(3)) / (4 * ideal), abs=1e-15)
    assert found.neighbourhood == "vocabulary"
    assert found.size == 5
    assert found.words[3] is None
    assert [each[:2] for each in found.neighbours[1:3]] == (
        [("x", "a"), ("x", "b")] if model.kind == "words" else [("X", "a"), ("X", "b")]
    )


def test_a_seed_counts_by_its_first_label_or_by_all():
    terminology = terminology_of({"A": ["a", "a2"], "B": ["b"], "C": ["b2", "b"]})
    vectors = at(0, 50, 10, 52)
    model = Words(["a", "a2", "x", "b"], vectors)
    domain = Domain(("A", "B", "C"))
    # first: a has x, a2, b in turn; a2 is no row of a seed. B and C share the row b.
    first = cover(model, terminology, domain, ks=[3])
    assert first.hits.tolist() == [[False, False, True], [False, False, True], [False, False, True]]
    # all: A is as near to b as a2 is (2 degrees), then x; b has a2 and, after x, a.
    both = cover(model, terminology, domain, ks=[3], lookup=Lookup("all"))
    assert both.hits.tolist() == [[True, False, False], [True, False, True], [True, False, True]]
    assert both.neighbours[0] == ("b", "x")
    assert both.words == ("a", "b", "b")


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
@given(st.integers(0, 10_000), st.integers(1, 4))
def test_one_label_of_several_counts(seed, k):
    rng = np.random.default_rng(seed)
    names = [f"w{place}" for place in range(14)]
    vectors = rng.normal(size=(14, 3)).astype(np.float32)
    labels = {concept: [names[place] for place in rng.permutation(9)[: rng.integers(1, 4)]] for concept in "ABC"}
    labels["D"] = ["unknown"]
    units = vectors.astype(float) / np.linalg.norm(vectors.astype(float), axis=1, keepdims=True)
    cosines = units @ units.T
    seeds = {name for own in labels.values() for name in own}

    def hits(name):
        order = np.argsort(-cosines[names.index(name)], kind="stable")
        return [names[place] in seeds for place in order if names[place] != name][:k]

    def gain(name):
        return sum(hit / math.log2(rank + 2) for rank, hit in enumerate(hits(name)))

    def nearness(name, own):
        return sum(cosines[names.index(name), names.index(other)] for other in own)

    chosen = {
        "max": [max(labels[concept], key=lambda name: round(gain(name), 9)) for concept in "ABC"],
        "medoid": [
            max(labels[concept], key=lambda name, own=labels[concept]: round(nearness(name, own), 9))
            for concept in "ABC"
        ],
    }
    for treatment, words in chosen.items():
        found = cover(
            Words(names, vectors), terminology_of(labels), Domain(tuple("ABCD")), ks=[k], lookup=Lookup(treatment)
        )
        assert list(found.words) == [*words, None]
        assert found.hits.tolist() == [*map(hits, words), [False] * k]


LETTERS = "abcdefgh"


@st.composite
def situations(draw):
    words = draw(st.lists(st.sampled_from(LETTERS), min_size=1, max_size=12))
    numbers = st.sampled_from([0.0, 1.0, 1.0, -1.0, 2.0, 3.0])
    vectors = draw(st.lists(st.tuples(numbers, numbers), min_size=len(words), max_size=len(words)))
    labels = draw(
        st.dictionaries(
            st.sampled_from("123456"), st.lists(st.sampled_from(LETTERS + "yz"), max_size=3, unique=True), min_size=1
        )
    )
    seeds = draw(st.lists(st.sampled_from([*labels, "unknown"]), min_size=1, unique=True))
    return (
        words,
        np.array(vectors),
        labels,
        tuple(seeds),
        draw(st.integers(1, 6)),
        draw(st.sampled_from(["first", "all"])),
    )


def by_definition(words, vectors, labels, seeds, k, mode):
    """Return hits as PROTOCOLS defines them, word by word."""
    rows = {word: row for row, word in reversed(list(enumerate(words)))}  # the first row of a word counts
    own = {}
    for seed in seeds:
        found = [rows[label] for label in labels.get(seed, []) if label in rows]
        own[seed] = found[:1] if mode == "first" else found
    stands = {row for found in own.values() for row in found}

    def cosine(one, other):
        a, b = vectors[one], vectors[other]
        length = math.sqrt(float(a @ a)) * math.sqrt(float(b @ b))
        return round(float(a @ b) / length, 9) if length else None

    hits = []
    for seed in seeds:
        near = []
        for row in rows.values():
            cosines = [cosine(each, row) for each in own[seed]]
            cosines = [value for value in cosines if value is not None]
            if row not in own[seed] and cosines:
                near.append((-max(cosines), row))
        ranked = [row in stands for _cosine, row in sorted(near)[:k]]
        hits.append(ranked + [False] * (k - len(ranked)))
    return hits, [bool(own[seed]) for seed in seeds]


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
@given(situations())
def test_hits_are_those_of_the_definition(situation):
    words, vectors, labels, seeds, k, mode = situation
    hits, known = by_definition(*situation)
    found = cover(Words(words, vectors), terminology_of(labels), Domain(seeds), ks=[k], lookup=Lookup(mode))
    assert found.known.tolist() == known
    assert found.hits.tolist() == hits
    assert found.value(Measure("cg", k)) == pytest.approx(np.sum(hits) / (k * len(seeds)))


def test_an_encoder_is_asked_about_the_terminology():
    terminology = terminology_of({each: [f"name of {each}", f"other {each}"] for each in "ABCDEFGH"})
    model = ToyTerms(without=("name of C",))
    found = cover(model, terminology, Domain(("A", "B", "C", "unknown")), ks=[2])
    assert found.neighbourhood == "terminology"
    assert found.size == 8
    assert found.known.tolist() == [True, True, False, False]
    names = [f"name of {each}" for each in "ABCDEFGH"]
    vectors = model.encode(names).astype(float)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    for seed in (0, 1):
        cosines = np.nan_to_num(units @ units[seed], nan=-2)
        cosines[seed] = -2
        nearest = np.argsort(-cosines, kind="stable")[:2]
        assert found.hits[seed].tolist() == [row in (0, 1) for row in nearest.tolist()]
        assert found.neighbours[seed] == tuple(names[row] for row in nearest.tolist())


def test_what_is_not_there_is_said():
    with pytest.warns(TermgaugeWarning, match=r"none of the 4 seeds is in its vocabulary, .* figures are 0.*lowercase"):
        found = cover(Words(["A", "B"]), HAND, SEEDS)
    assert found.value(Measure("cg", 5)) == found.value(Measure("in_vocabulary")) == 0
    with pytest.warns(TermgaugeWarning, match=r"fewer than k = 40 other words \(4\)"):
        found = cover(Words(HAND_WORDS, HAND_VECTORS), HAND, SEEDS)
    assert found.value(Measure("cg", 40)) == 6 / (40 * 4)
    with pytest.raises(TermgaugeError, match="no vectors"):
        cover(ToyPairs(), HAND, SEEDS)
    with pytest.raises(TermgaugeError, match="no seeds"):
        cover(Words(["a"]), HAND, Domain(()))


def test_words_that_are_no_seeds_have_the_same_number_in_all_models():
    one = cover(Words(HAND_WORDS, HAND_VECTORS), HAND, SEEDS, ks=[2])
    other = cover(Words(["y", *HAND_WORDS[:4]], at(100, 0, 10, 15, 40)), HAND, SEEDS, ks=[2])
    assert one.nearest.tolist() == other.nearest.tolist()
    assert one.nearest[:2, 0].tolist()[0] == 1
    assert one.nearest[1, 0] == one.nearest[2, 0] < -1
    assert one.nearest[3].tolist() == [-1, -1]
    assert one.same.tolist() == [0, 1, 2, 3]


def test_seeds_with_one_word_are_one():
    terminology = terminology_of({"A": ["a"], "B": ["b"], "C": ["b2", "b"]})
    found = cover(Words(["a", "x", "b"], at(0, 10, 52)), terminology, Domain(("A", "B", "C")), ks=[2])
    assert found.same.tolist() == [0, 1, 1]
    assert found.nearest[0, 1] == 1


@pytest.mark.integration
def test_threads_change_nothing():
    program = (
        "import sys, numpy as np, termgauge as tg\n"
        "from tests.tasks.coverage.made_up import words, result_of\n"
        "models = [words('one', 60, 1), words('two', 60, 2), words('half', 30, 3)]\n"
        "print(result_of(models).model_dump_json())\n"
    )
    found = set()
    for threads in ("1", "2", "3"):
        names = ("NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "POLARS_MAX_THREADS")
        environment = os.environ | dict.fromkeys(names, threads) | {"PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-W", "ignore", "-c", program]
        found.add(subprocess.run(command, env=environment, check=True, capture_output=True).stdout)
    assert len(found) == 1


def real_or_made(shared):
    """Return gensim's vectors and ours, a terminology and a domain: real ones where they are at hand."""
    from gensim.models import KeyedVectors

    if shared is None:
        rng = np.random.default_rng(0)
        words, vectors = [f"w{place}" for place in range(3000)], rng.normal(size=(3000, 20)).astype(np.float32)
        theirs = KeyedVectors(20)
        theirs.add_vectors(words, vectors)
        labels = {f"c{place}": [f"unknown {place}", f"w{rng.integers(3000)}"] for place in range(200)}
        return theirs, Words(words, vectors), terminology_of(labels), Domain(tuple(labels))
    path = shared / "data" / "vectors" / "w2v_medline_100d.bin"
    terminology = read_terminology(shared / "data" / "ontologies" / "uberon_musculoskeletal.obo")
    theirs = KeyedVectors.load_word2vec_format(path, binary=True)
    return theirs, load_model(str(path)), terminology, descendants_of(terminology, "bone element")


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_as_gensim_finds_them(shared):
    theirs, model, terminology, domain = real_or_made(shared)
    found = cover(model, terminology, domain)
    ranked = terminology.terms.filter("active").sort("rank", maintain_order=True)
    first = {}
    for concept, text in ranked.select("concept", "text").iter_rows():
        if text in theirs.key_to_index:
            first.setdefault(concept, text)
    known = {seed: first[seed] for seed in domain.seeds if seed in first}
    assert found.in_vocabulary == len(known) > 30
    words = set(known.values())
    neighbours = {word: [each in words for each, _cosine in theirs.most_similar(word, topn=40)] for word in words}
    for k in (5, 10, 20, 30, 40):
        hits = discounted = 0
        for word in known.values():
            near = neighbours[word][:k]
            hits += sum(near)
            discounted += sum(1 / math.log2(rank + 1) for rank, hit in enumerate(near, 1) if hit)
        ideal = sum(1 / math.log2(rank + 1) for rank in range(1, k + 1))
        assert found.value(Measure("cg", k)) == pytest.approx(hits / (k * len(domain)), abs=1e-12)
        assert found.value(Measure("posdcg", k)) == pytest.approx(discounted / (len(domain) * ideal), abs=1e-12)


def test_a_real_ontology_in_lower_case(shared, hpo):
    if shared is None:
        pytest.skip("needs the word2vec file")
    terminology = read_terminology(hpo)
    domain = related_to(terminology, "Abnormal respiratory system physiology")
    model = load_model(str(shared / "data" / "vectors" / "w2v_medline_100d.bin"))
    found = cover(model, terminology, domain, ks=[10], lookup=Lookup(lowercase=True))
    assert 0 < found.in_vocabulary < len(domain)
    assert "cough" in found.words
