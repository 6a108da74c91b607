"""What rules find without any model."""

from __future__ import annotations

from termgauge.tasks import contract
from termgauge.tasks.audit.inputs import EXCHANGED, read_inputs
from termgauge.tasks.audit.task import AuditOptions
from tests.domain.terminologies import terminology_of
from tests.tasks.audit.made_up import terminology


def inputs_of(source, seed=42):
    return read_inputs(AuditOptions(), contract.Material(terminology=source, testing=contract.Testing(seed=seed)))


def named(inputs):
    texts = inputs.entries.texts
    active = len(inputs.entries)
    return {(texts[one], texts[other]): rule for (one, other), rule in inputs.rules.items() if other < active}


def test_terms_of_other_concepts_that_differ_by_rules_alone():
    inputs = inputs_of(terminology())
    assert named(inputs) == {("Hypoplastic metacarpal", "Hypoplastic metacarpals"): "plural"}
    texts = inputs.entries.texts
    retired = {
        (inputs.entries.id_of(other), texts[one]) for one, other in inputs.rules if other in inputs.entries.retired
    }
    assert retired == {("r1", "Tumor of lung"), ("r4", "Femur fracture"), ("r4", "Fracture of femur")}


def test_words_that_mean_the_same_elsewhere_are_a_rule_too():
    organs = ("kidney", "liver", "heart")
    labels = {organ: [f"{organ} tumor", f"{organ} growth"] for organ in organs}
    inputs = inputs_of(terminology_of({**labels, "a": ["skin tumor"], "b": ["skin growth"]}))
    assert named(inputs) == {("skin tumor", "skin growth"): EXCHANGED}


def test_replacements_name_retired_concepts_by_number():
    inputs = inputs_of(terminology())
    stated = [(inputs.entries.id_of(old), new, reason) for old, new, reason in inputs.stated]
    assert stated == [("r2", "o2", "replaced-by"), ("r3", "m1", "replaced-by"), ("r3", "nowhere", "same-as")]


def test_random_pairs_are_of_different_concepts_and_seeded():
    one, again, other = (inputs_of(terminology(), seed=seed).drawn for seed in (1, 1, 2))
    assert all((a == b).all() for a, b in zip(one, again, strict=True))
    assert len(one[0]) != len(other[0]) or (one[0] != other[0]).any()
    concepts = inputs_of(terminology(), seed=1).entries.concepts
    assert (concepts[one[0]] != concepts[one[1]]).all()
