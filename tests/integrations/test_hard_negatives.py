"""Negatives: near, and never right."""

from __future__ import annotations

import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

import termgauge as tg
from termgauge.integrations.splits import TermPool, find_negatives
from termgauge.tasks.audit.inputs import Hierarchy
from tests.integrations.small_sets import many, terms_file

TEXTS = [(concept, text) for concept, texts in many().items() for text in texts]
GROUPS = {concept: place for place, concept in enumerate(many())}


def pool(hierarchy=None):
    return TermPool.from_terms(TEXTS, GROUPS, hierarchy, seed=1)


def test_edit_distance_gives_the_nearest_of_other_groups():
    own = pool()
    found = find_negatives(own, range(len(own.texts)), 2, None, "levenshtein", 1)
    for anchor, negatives in found.items():
        others = [at for at in range(len(own.texts)) if own.groups[at] != own.groups[anchor]]
        distances = sorted(Levenshtein.distance(own.texts[anchor], own.texts[at]) for at in others)
        assert [Levenshtein.distance(own.texts[anchor], own.texts[at]) for at in negatives] == distances[:2]
        assert all(own.suits(anchor, at) for at in negatives)


def test_random_ones_are_of_other_groups_and_the_same_each_time():
    own = pool()
    found = find_negatives(own, range(40), 3, None, "random", 7)
    assert found == find_negatives(own, range(40), 3, None, "random", 7)
    assert found != find_negatives(own, range(40), 3, None, "random", 8)
    assert all(len(set(negatives)) == 3 for negatives in found.values())
    assert all(own.groups[at] != own.groups[anchor] for anchor, negatives in found.items() for at in negatives)


def test_a_model_mines_what_it_finds_nearest():
    own = pool()
    model = Stub(own.texts)
    found = find_negatives(own, range(len(own.texts)), 2, model, "mined", 1)
    units = model.vectors / np.linalg.norm(model.vectors, axis=1, keepdims=True)
    for anchor, negatives in found.items():
        cosines = units @ units[anchor]
        others = [at for at in range(len(own.texts)) if own.groups[at] != own.groups[anchor]]
        best = sorted((cosines[at] for at in others), reverse=True)[:2]
        assert [cosines[at] for at in negatives] == pytest.approx(best, abs=1e-6)


def test_no_negative_is_above_or_below(tmp_path):
    hierarchy = Hierarchy(tg.read_terminology(terms_file(tmp_path)))
    free, bound = pool(), pool(hierarchy)
    assert any(
        hierarchy.lineal(next(iter(free.concepts[anchor])), next(iter(free.concepts[at])))
        for anchor, negatives in find_negatives(free, range(120), 3, None, "random", 1).items()
        for at in negatives
    )
    for how, model in (("random", None), ("levenshtein", None), ("mined", Stub(bound.texts))):
        for anchor, negatives in find_negatives(bound, range(120), 3, model, how, 1).items():
            assert negatives or bound.concepts[anchor] & {"c0", "c1"}  # all others are below these
            assert not any(
                hierarchy.lineal(one, other)
                for at in negatives
                for one in bound.concepts[anchor]
                for other in bound.concepts[at]
            )


class Stub:
    """A model of terms with vectors at random."""

    name, kind, dimension = "stub", "terms", 8
    identity, source = None, ""

    def __init__(self, texts):
        self.vectors = np.random.default_rng(3).normal(size=(len(texts), 8)).astype(np.float32)
        self._rows = {text: row for row, text in enumerate(texts)}

    def encode(self, terms):
        return self.vectors[[self._rows[term] for term in terms]]
