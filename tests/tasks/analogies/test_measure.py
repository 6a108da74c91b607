"""W, IV, AR and M of relations in models: hand-worked, by brute force, and as gensim has it."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.domain.domain import Domain
from termgauge.domain.relations import chosen_relations
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.terminology import read_terminology
from tests.domain.tables import Concepts, Words
from tests.domain.terminologies import terminology_of
from tests.engine.toy_models import ToyPairs, ToyTerms
from tests.tasks.analogies.asking import asked, relation_of
from tests.tasks.analogies.hand_worked import HAND_WORKED, PAIRS, WORDS
from tests.tasks.analogies.reference import rank_of_answer


def test_a_hand_worked_example():
    model = Concepts(list(WORDS), np.array(list(WORDS.values())))
    found = asked(model, [relation_of(*PAIRS)], (2, 1, 3)).relations["treats"]
    assert (found.pairs, found.in_vocabulary, found.out_of_vocabulary, found.asked) == (4, 3, 1, 6)
    assert found.successes == {1: 3, 2: 5, 3: 6}
    assert [found.coverage(k) for k in (1, 2, 3)] == [3 / 12, 5 / 12, 6 / 12]
    assert found.holding_for(1).tolist() == [[0, 1], [0, 2], [1, 0]]
    assert found.known.tolist() == [0, 1, 2]
    assert {(h, j): rank for h, j, rank in found.holding.tolist()} == HAND_WORKED


def test_k_as_large_as_the_vocabulary_is_said():
    model = Concepts(list(WORDS), np.array(list(WORDS.values())))
    with pytest.warns(TermgaugeWarning, match="has 6 words, so that all of them are among the 10 nearest"):
        found = asked(model, [relation_of(*PAIRS)])
    assert found.relations["treats"].successes == {10: 6}


@st.composite
def labelled(draw):
    """Concepts with up to three labels in a small vocabulary, some with none, some sharing one."""
    words = [f"w{number}" for number in range(draw(st.integers(3, 14)))]
    labels = {
        f"c{number}": draw(st.lists(st.sampled_from([*words, "unknown"]), max_size=3, unique=True))
        for number in range(6)
    }
    concept = st.sampled_from(sorted(labels))
    pairs = draw(st.lists(st.tuples(concept, concept), min_size=1, max_size=5, unique=True))
    generator = np.random.default_rng(draw(st.integers(0, 999)))
    matrix = generator.integers(-2, 3, (len(words), 3)) + 0.0
    return words, matrix, labels, pairs, draw(st.integers(1, 4))


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
@pytest.mark.parametrize("method", ["add", "mul", "direction"])
@given(case=labelled())
def test_any_choice_of_labels(method, case):
    words, matrix, labels, pairs, k = case
    model, terminology = Words(words, matrix), terminology_of(labels)
    rows = {concept: [words.index(text) for text in texts if text in words] for concept, texts in labels.items()}
    for choice in ("all", "first"):
        found = asked(model, [relation_of(*pairs)], (k,), terminology, method=method, labels=choice).relations["treats"]
        chosen = {concept: own[: None if choice == "all" else 1] for concept, own in rows.items()}
        known = [pair for pair in pairs if chosen[pair[0]] and chosen[pair[1]]]
        expected = 0
        for first, second in product(known, known):
            if first != second:
                ranks = [
                    rank_of_answer(matrix, (a, b), (c, d), method)
                    for a, b, c, d in product(*(chosen[end] for end in (*first, *second)))
                ]
                expected += any(rank is not None and rank <= k for rank in ranks)
        assert (found.in_vocabulary, found.successes[k]) == (len(known), expected)


def test_encoders_search_the_terminology():
    labels = {str(number): [f"term {number}"] for number in range(30)}
    terminology = terminology_of(labels)
    model = ToyTerms(without=("term 3",))
    pairs = [(str(number), str(number + 10)) for number in range(6)]
    found = asked(model, [relation_of(*pairs)], (5,), terminology)
    assert (found.kind, found.neighbourhood, found.size) == ("terms", "terminology", 30)
    matrix = model.encode([texts[0] for texts in labels.values()])
    expected = sum(
        (rank_of_answer(matrix, tuple(map(int, first)), tuple(map(int, second))) or 99) <= 5
        for first, second in product(pairs, pairs)
        if first != second
    )
    assert found.relations["treats"].in_vocabulary == 5
    assert found.relations["treats"].successes == {5: expected}


def test_one_pair_makes_no_analogy():
    model = Concepts(["1", "2", "3"], np.eye(3))
    relations = [relation_of(("1", "2")), relation_of(name="none")]
    found = asked(model, relations, (1,))
    assert found.relations["treats"].coverage(1) is None
    assert found.relations["none"].coverage(1) is None


def test_similarities_of_pairs_are_refused():
    with pytest.raises(TermgaugeError, match="no vectors"):
        asked(ToyPairs(), [relation_of(("1", "2"))])


def test_nothing_in_vocabulary_is_said():
    model = Concepts(["1", "2", "3"], np.eye(3))
    with pytest.warns(TermgaugeWarning, match="covers nothing of the domain"):
        found = asked(model, [relation_of(("7", "8"), ("8", "9"))], (1,))
    assert found.relations["treats"].successes == {1: 0}
    assert found.relations["treats"].coverage(1) == 0


@pytest.mark.parametrize("relation", ["part_of", "develops_from"])
def test_gensim_gives_the_same_answers_on_real_vectors(shared, relation):
    if shared is None:
        pytest.skip("the real data are not here")
    from gensim.models import KeyedVectors

    from termgauge.embeddings.load import load_model

    place = shared / "data" / "vectors" / "w2v_medline_100d.bin"
    terminology = read_terminology(shared / "data" / "ontologies" / "uberon_musculoskeletal.obo")
    every = tuple(terminology.concepts["concept"].to_list())
    chosen = chosen_relations(terminology, Domain(every, every), [relation])
    found = asked(load_model(str(place)), chosen.relations, (10,), terminology).relations[relation]
    assert found.successes[10] > 0
    holds = set(map(tuple, found.holding_for(10).tolist()))
    vectors = KeyedVectors.load_word2vec_format(place, binary=True)
    words = _words(terminology, chosen.relations[0], vectors)
    known = found.known.tolist()
    drawn = np.random.default_rng(1).choice(known, (120, 2)).tolist()
    for h, j in [*sorted(holds)[:60], *((h, j) for h, j in drawn if h != j)]:
        (x_h, y_h), (x_j, y_j) = words[h], words[j]
        best = vectors.most_similar(positive=[x_h, y_j], negative=[y_h], topn=10)
        assert ((h, j) in holds) == (x_j in [word for word, _ in best])


def _words(terminology, relation, vectors):
    """Return the words of each pair in the vocabulary: of each concept the first label that gensim knows."""
    terms = terminology.terms.filter(pl.col("active") & (pl.col("kind") != "definition"))
    first = {}
    for concept, text in terms.sort("rank", maintain_order=True).select("concept", "text").iter_rows():
        if concept not in first and text in vectors.key_to_index:
            first[concept] = text
    return {number: (first[x], first[y]) for number, (x, y) in enumerate(relation.pairs) if x in first and y in first}
