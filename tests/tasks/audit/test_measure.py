"""What one model finds: equal to what NumPy finds the plain way."""

from __future__ import annotations

import numpy as np
import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.tasks.audit.inputs import read_inputs
from termgauge.tasks.audit.measure import NEAREST, read_terminology_with
from termgauge.tasks.audit.task import AuditOptions
from termgauge.tasks.contract import Material
from tests.tasks.audit.made_up import LABELS, Letters, Terms, terminology

OPTIONS = AuditOptions()

INPUTS = read_inputs(OPTIONS, Material(terminology=terminology()))
ENTRIES = INPUTS.entries


def cosines(model):
    vectors = model.encode(ENTRIES.texts).astype(np.float64)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return units @ units.T


def test_own_scores_are_the_best_of_the_other_terms():
    model = Terms()
    found = read_terminology_with(model, INPUTS, OPTIONS)
    table = cosines(model)
    expected = [
        max(table[entry, other] for other in ENTRIES.of(ENTRIES.concepts[entry]) if other != entry)
        for entry in ENTRIES.synonyms
    ]
    assert found.own == pytest.approx(expected, abs=1e-5)
    assert found.random == pytest.approx([table[pair] for pair in zip(*INPUTS.drawn, strict=True)], abs=1e-5)
    assert found.unknown == 0


def test_proposals_are_the_nearest_terms_of_other_concepts():
    model = Terms()
    found = read_terminology_with(model, INPUTS, OPTIONS)
    table = cosines(model)
    assert len(found.nearest) == len(ENTRIES.texts)
    for text, near in enumerate(found.nearest):
        others = [
            entry
            for entry in range(len(ENTRIES))
            if text >= len(ENTRIES) or ENTRIES.concepts[entry] != ENTRIES.concepts[text]
        ]
        best = sorted((table[text, entry] for entry in others), reverse=True)
        assert 1 <= len(near) <= NEAREST
        assert table[text, near] == pytest.approx(best[: len(near)], abs=1e-5)


def test_a_model_of_pairs_proposes_nothing():
    found = read_terminology_with(Letters(), INPUTS, OPTIONS)
    assert found.nearest == []
    assert len(found.own) == len(ENTRIES.synonyms)


def test_a_model_that_knows_little_says_how_little():
    found = read_terminology_with(Terms(unknown=["Fever", "All"]), INPUTS, OPTIONS)
    assert found.unknown == 2
    assert found.nearest[0] == []
    nothing = [text for texts in LABELS.values() for text in texts]
    with pytest.raises(TermgaugeError, match="'terms' knows none of the terms"):
        read_terminology_with(Terms(unknown=nothing), INPUTS, OPTIONS)
