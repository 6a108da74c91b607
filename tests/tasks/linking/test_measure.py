"""Ranks of models equal their definition: on a terminology by hand, on HPO, and on the reference release."""

from __future__ import annotations

import numpy as np
import pytest

import termgauge as tg
from termgauge.embeddings.neighbours import term_vectors
from termgauge.exceptions import TermgaugeError
from termgauge.tasks.linking.measure import link, link_exactly, normalised
from termgauge.tasks.linking.questions import questions_of
from termgauge.tasks.linking.task import LinkingOptions
from tests.domain.tables import Concepts
from tests.engine.toy_models import ToyPairs, ToyTerms
from tests.tasks.linking.by_definition import ranks_by_definition
from tests.tasks.linking.samples import model, questions, read_once, terminology


def ranks(links, found):
    """Return the rank of each query by its text."""
    return dict(zip(found.texts, links.rank.tolist(), strict=True))


def against_definition(source, options, spec):
    """Compare a model's ranks with those of the definition."""
    found, loaded = questions_of(source, options, 42), tg.load_model(spec)
    links = link(loaded, found, "cpu")
    expected = ranks_by_definition(source, lambda texts: term_vectors(loaded, texts), options.index, set(found.texts))
    assert ranks(links, found) == expected
    assert len(set(expected.values())) > 10
    return links


def test_ranks_of_a_small_terminology_are_as_told_by_hand():
    found = questions()
    links = link(model(), found, "cpu")
    unknown = dict.fromkeys(("MI", "raised temperature", "Rigor"), 0)
    known = dict.fromkeys(("Cardiac infarction", "Pyrexia", "Common cold", "chill"), 1)
    assert ranks(links, found) == unknown | known
    assert (links.unscored, links.index_unscored) == (3, 0)


@pytest.mark.parametrize("index", ["names", "all"])
def test_ranks_of_words_and_terms_equal_their_definition(index):
    found = questions(index=index)
    for each in (model(), ToyTerms()):
        expected = ranks_by_definition(terminology(), lambda texts, each=each: term_vectors(each, texts), index)
        assert ranks(link(each, found, "cpu"), found) == expected


@pytest.mark.parametrize("index", ["names", "all"])
def test_ranks_on_hpo_equal_brute_force(hpo, index):
    # Vectors of chance for words: names of the same words in another order are equally near.
    against_definition(read_once(hpo), LinkingOptions(index=index, sample=150), "baseline:random?dim=20")


@pytest.mark.parametrize("index", ["names", "all"])
def test_ranks_on_the_reference_release_equal_brute_force(shared, index):
    if shared is None:
        pytest.skip("needs the reference release")
    source = tg.read_terminology(shared / "reference" / "medisim" / "rf2")
    against_definition(source, LinkingOptions(index=index, sample=0), "baseline:random?dim=20")


@pytest.mark.long
@pytest.mark.parametrize("spec", ["wordllama:", "glove:"])
@pytest.mark.parametrize("index", ["names", "all"])
def test_ranks_of_real_models_on_hpo_equal_brute_force(hpo, index, spec):
    against_definition(read_once(hpo), LinkingOptions(index=index, sample=2000), spec)


@pytest.mark.parametrize("spec", ["baseline:levenshtein", "baseline:char-ngrams"])
@pytest.mark.parametrize("index", ["names", "all"])
def test_ranks_by_letters_equal_those_of_single_pairs(index, spec):
    found, scorer = questions(index=index), tg.load_model(spec)
    links = link(scorer, found)
    for query, text in enumerate(found.texts):
        scores = np.round(scorer.score([text] * len(found.names), found.names, found.names), 12)
        hidden = found.hidden.values[found.hidden.offsets[query] : found.hidden.offsets[query + 1]]
        scores[hidden] = -1
        best = np.full(len(found.concepts), -1.0)
        np.maximum.at(best, found.owners, np.nan_to_num(scores, nan=-1))
        right = found.answers(query)
        top = best[right].max()
        wrong = np.setdiff1d(np.arange(len(best)), right)
        first = right[best[right] == top].min()
        expected = 1 + int(((best[wrong] > top) | ((best[wrong] == top) & (wrong < first))).sum())
        assert links.rank[query] == (expected if top >= 0 else 0)


def test_exact_match_finds_what_reads_the_same():
    assert normalised("Attack of the HEART") == normalised("heart, attack (of the)")
    found = questions(index="all")
    links = link_exactly(found)
    assert set(links.rank.tolist()) == {0}  # nothing but its own text reads so
    assert links.unscored == 0


def test_models_that_take_no_terms_are_refused():
    with pytest.raises(TermgaugeError, match="none of terms"):
        link(Concepts(["c1"], np.ones((1, 2)), kind="concepts"), questions())
    with pytest.raises(TermgaugeError, match="one pair at a time"):
        link(ToyPairs(), questions())


def test_equal_names_are_encoded_once_and_tie():
    class Unsteady(ToyTerms):
        """An encoder whose vectors depend on what else is encoded at the time."""

        def encode(self, terms):
            return super().encode(terms) + np.arange(len(terms))[:, None].astype(np.float32)

    from tests.domain.terminologies import terminology_of

    made = terminology_of({"a": ["same", "one"], "b": ["same", "two"], "c": ["same", "three"]})
    links = link(Unsteady(), questions_of(made, LinkingOptions(), 42), "cpu")
    assert links.rank.tolist() == [1, 2, 3]
