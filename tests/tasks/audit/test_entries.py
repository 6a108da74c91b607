"""What is read of a terminology."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.tasks.audit.inputs import read_entries
from termgauge.terminology.model import MODEL_COMPONENT_MODULE
from tests.domain.terminologies import terminology_of
from tests.tasks.audit.made_up import LABELS, RETIRED, terminology


def test_terms_of_a_concept_are_beside_each_other_its_name_first():
    entries = read_entries(terminology())
    assert entries.ids == [*LABELS, *RETIRED]
    assert list(entries.number) == list(LABELS)
    assert entries.texts == [text for texts in LABELS.values() for text in texts] + list(RETIRED.values())
    assert [entries.id_of(at) for at in range(len(entries.texts))][-len(RETIRED) :] == list(RETIRED)
    assert [entries.texts[at] for at in entries.offsets[: len(LABELS)]] == [texts[0] for texts in LABELS.values()]
    assert [entries.texts[at] for at in entries.retired] == list(RETIRED.values())
    assert all(entries.name_of(at) == LABELS[entries.id_of(at)][0] for at in range(len(entries)))


def test_synonyms_are_compared_with_all_other_terms_of_their_concept():
    entries = read_entries(terminology())
    first, second = entries.within
    expected = {(text, other) for texts in LABELS.values() for text in texts[1:] for other in texts if other != text}
    assert {(entries.texts[one], entries.texts[two]) for one, two in zip(first, second, strict=True)} == expected
    assert len(first) == len(expected)


def test_a_concept_with_very_many_terms_is_compared_in_part():
    entries = read_entries(terminology_of({"a": [f"term {at}" for at in range(500)]}))
    first, second = entries.within
    assert second.max() == 63
    assert np.bincount(first)[100] == 64


def test_each_text_stands_once_and_what_is_not_read_is_left_out():
    made = terminology_of({"a": ["Fever", "FEVER ", "High\n fever", " "], "b": ["Cough"], "c": ["Model"]})
    concepts = made.concepts.with_columns(
        module=pl.when(pl.col("concept") == "c").then(pl.lit(MODEL_COMPONENT_MODULE)).otherwise("module")
    )
    assert read_entries(replace(made, concepts=concepts)).texts == ["Fever", "High fever", "Cough"]
    terms = made.terms.with_columns(kind=pl.lit("definition"))
    with pytest.raises(TermgaugeError, match="has no active concept with a term"):
        read_entries(replace(made, terms=terms))


def test_a_full_name_is_read_without_its_tag():
    made = terminology_of({"a": ["Fever (finding)", "Pyrexia"]})
    made = replace(made, concepts=made.concepts.with_columns(name=pl.lit("Fever")))
    assert read_entries(made).texts == ["Fever", "Pyrexia"]
