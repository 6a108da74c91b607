"""W, IV, AR and M of relations in models: hand-worked, by brute force, and as gensim has it."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.domain.domain import Domain
from termgauge.domain.relations import Relation, chosen_relations
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.tasks.analogies import statistics as analogy_statistics
from termgauge.tasks.analogies.measure import analogies_of
from termgauge.tasks.analogies.reference import rank_of_answer
from termgauge.tasks.analogies.result import AnalogyReport
from termgauge.tasks.analogies.statistics import resample_pairs
from termgauge.terminology import read_terminology
from tests.domain.tables import Concepts, Words
from tests.domain.terminologies import terminology_of
from tests.experiment.toy_models import ToyPairs, ToyTerms
from tests.tasks.analogies.hand_worked import HAND_WORKED, PAIRS, WORDS


def relation_of(*pairs, name="treats"):
    return Relation(name, name, tuple(pairs))


def test_a_hand_worked_example():
    model = Concepts(list(WORDS), np.array(list(WORDS.values())))
    kept = []
    found = analogies_of(
        model, terminology_of({}), [relation_of(*PAIRS)], (2, 1, 3), keep=lambda *some: kept.append(some)
    ).relations["treats"]
    assert (found.pairs, found.in_vocabulary, found.out_of_vocabulary, found.asked) == (4, 3, 1, 6)
    assert found.successes == {1: 3, 2: 5, 3: 6}
    assert [found.coverage(k) for k in (1, 2, 3)] == [3 / 12, 5 / 12, 6 / 12]
    assert found.holding_for(1).tolist() == [[0, 1], [0, 2], [1, 0]]
    ((name, frame),) = kept
    assert name == "treats"
    assert {(h, j): rank for h, j, rank, _ in frame.iter_rows()} == HAND_WORKED
    assert frame["success"].to_list() == (frame["rank"] <= 2).to_list()


def test_k_as_large_as_the_vocabulary_is_said():
    model = Concepts(list(WORDS), np.array(list(WORDS.values())))
    with pytest.warns(TermgaugeWarning, match="has 6 words, so that all of them are among the 10 nearest"):
        found = analogies_of(model, terminology_of({}), [relation_of(*PAIRS)])
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
        found = analogies_of(model, terminology, [relation_of(*pairs)], (k,), method=method, labels=choice).relations[
            "treats"
        ]
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
    found = analogies_of(model, terminology, [relation_of(*pairs)], (5,))
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
    found = analogies_of(model, terminology_of({}), relations, (1,))
    assert found.relations["treats"].coverage(1) is None
    assert found.relations["none"].coverage(1) is None
    report = AnalogyReport.of(Domain(("1",), ("1",)), terminology_of({}).identity, relations, (1,), {"toy": found})
    assert report.as_dict()["models"]["toy"]["relations"]["treats"]["coverage"] is None


def test_nothing_in_vocabulary_is_said():
    model = Concepts(["1", "2", "3"], np.eye(3))
    with pytest.warns(TermgaugeWarning, match="covers nothing of the domain"):
        found = analogies_of(model, terminology_of({}), [relation_of(("7", "8"), ("8", "9"))], (1,))
    assert found.relations["treats"].successes == {1: 0}
    assert found.relations["treats"].coverage(1) == 0


def test_bad_options():
    arguments = Concepts(["1", "2"], np.eye(2)), terminology_of({}), [relation_of(("1", "2"))]
    with pytest.raises(TermgaugeError, match="no method 'ad' for analogies"):
        analogies_of(*arguments, method="ad")
    with pytest.raises(TermgaugeError, match="k is at least 1, not 0"):
        analogies_of(*arguments, (0,))
    with pytest.raises(TermgaugeError, match="Name at least one k"):
        analogies_of(*arguments, ())
    with pytest.raises(TermgaugeError, match="no vectors"):
        analogies_of(ToyPairs(), *arguments[1:])


def test_as_dict_has_the_agreed_layout():
    generator = np.random.default_rng(0)
    names = [str(number) for number in range(20)]
    relations = [relation_of(*((str(number), str(number + 10)) for number in range(8)))]
    models = {}
    for name, noise in (("exact", 0.01), ("noisy", 0.6)):
        matrix = generator.standard_normal((20, 6))
        matrix[:10] = matrix[10:] + np.arange(6) + noise * generator.standard_normal((10, 6))
        models[name] = analogies_of(Concepts(names, matrix), terminology_of({}), relations, (1, 3))
    domain = Domain(("1",), ("1",))
    report = AnalogyReport.of(domain, terminology_of({}).identity, relations, (1, 3), models)
    document = report.as_dict()
    found = document["models"]["exact"]["relations"]["treats"]
    counts = models["exact"].relations["treats"]
    assert {key: found[key] for key in ("pairs", "in_vocabulary", "successes", "coverage")} == {
        "pairs": 8,
        "in_vocabulary": 8,
        "successes": counts.successes[1],
        "coverage": counts.successes[1] / 56,
    }
    assert set(found["k"]) == {"1", "3"}
    assert found["k"]["1"]["successes"] == found["successes"] <= found["k"]["3"]["successes"]
    assert found["low"] <= found["coverage"] <= found["high"]
    (difference,) = document["differences"]
    assert (difference["one"], difference["other"]) == ("exact", "noisy")
    other = document["models"]["noisy"]["relations"]["treats"]["coverage"]
    assert difference["difference"] == pytest.approx(found["coverage"] - other)
    assert (found["wins"], found["losses"]) == (int(difference["significant"]), 0)


@pytest.mark.parametrize("most", [analogy_statistics.MOST_INVOLVED, 1])
def test_intervals_agree_with_resampling_the_analogies_themselves(most, monkeypatch):
    monkeypatch.setattr(analogy_statistics, "MOST_INVOLVED", most)
    generator = np.random.default_rng(2)
    good = generator.random(60) < 0.5
    holds = (generator.random((60, 60)) < 0.6) & (good[:, None] | good)
    np.fill_diagonal(holds, val=False)
    holding = np.argwhere(holds).astype(np.int32)
    (interval,) = resample_pairs(["one"], 60, [holding]).intervals
    shares = []
    for _ in range(3000):
        drawn = generator.integers(0, 60, 60)
        shares.append(holds[np.ix_(drawn, drawn)].sum() / (60 * 59))
    low, high = np.quantile(shares, [0.025, 0.975])
    assert interval.low == pytest.approx(low, abs=0.02)
    assert interval.high == pytest.approx(high, abs=0.02)


def test_a_few_analogies_between_few_pairs_prove_nothing():
    few = np.array([[0, 1], [1, 0]], np.int32)
    none = np.empty((0, 2), np.int32)
    found = resample_pairs(["some", "none", "same"], 21, [few, none, few])
    assert found.intervals[0].low == 0
    assert np.isnan(found.intervals[1].low)
    assert not any(each.significant for each in found.differences)
    same = next(each for each in found.differences if each.one == "some" and each.other == "same")
    assert same.p_value == 1
    many = np.argwhere(~np.eye(21, dtype=bool)).astype(np.int32)
    found = resample_pairs(["all", "none"], 21, [many, none])
    assert found.differences[0].significant
    assert found.differences[0].value == 1


def test_only_models_of_one_sort_are_compared():
    many = np.argwhere(~np.eye(21, dtype=bool)).astype(np.int32)
    none = np.empty((0, 2), np.int32)
    names, sorts = ["a", "b", "c"], ["vocabulary", "terminology", "vocabulary"]
    found = resample_pairs(names, 21, [many, many, none], sorts=sorts)
    (difference,) = found.differences
    assert (difference.one, difference.other) == ("a", "c")
    assert difference.adjusted_p == difference.p_value


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
    kept = []
    model = load_model(str(place))
    found = analogies_of(model, terminology, chosen.relations, (10,), keep=lambda _name, frame: kept.append(frame))
    assert found.relations[relation].successes[10] > 0
    outcomes = pl.concat(kept)
    assert outcomes.height == found.relations[relation].asked
    vectors = KeyedVectors.load_word2vec_format(place, binary=True)
    words = _words(terminology, chosen.relations[0], vectors)
    sample = pl.concat([outcomes.filter("success").head(60), outcomes.sample(min(120, outcomes.height), seed=1)])
    for h, j, _rank, success in sample.iter_rows():
        (x_h, y_h), (x_j, y_j) = words[h], words[j]
        best = vectors.most_similar(positive=[x_h, y_j], negative=[y_h], topn=10)
        assert success == (x_j in [word for word, _ in best])


def _words(terminology, relation, vectors):
    """Return the words of each pair in the vocabulary: of each concept the first label that gensim knows."""
    terms = terminology.terms.filter(pl.col("active") & (pl.col("kind") != "definition"))
    first = {}
    for concept, text in terms.sort("rank", maintain_order=True).select("concept", "text").iter_rows():
        if concept not in first and text in vectors.key_to_index:
            first[concept] = text
    return {number: (first[x], first[y]) for number, (x, y) in enumerate(relation.pairs) if x in first and y in first}
