from __future__ import annotations

import numpy as np
import pytest

from termgauge.domain.domain import Lookup
from termgauge.domain.neighbourhood import concept_rows, ranked_labels
from termgauge.embeddings.tokens import WordRules
from termgauge.exceptions import TermgaugeError
from termgauge.terminology import read_terminology
from tests.domain.tables import Concepts, Words
from tests.engine.toy_models import ToyPairs
from tests.samples import WRITERS

TERMS = (
    "concept\tterm\tkind\n"
    "1\tHeart attack\tfsn\n1\tmyocardial infarct\tsynonym\n1\tinfarct\tsynonym\n1\tattack\tsynonym\n"
    "2\tCough\tfsn\n2\ta sudden noise\tdefinition\n"
    "3\tattack\tfsn\n"
    "4\tfever\tdefinition\n4\tfever of old\tfsn\n"
)


@pytest.fixture
def terminology(tmp_path):
    (tmp_path / "terms.tsv").write_text(TERMS)
    return read_terminology(tmp_path / "terms.tsv")


def rows_of(found):
    return [rows.tolist() for rows in np.split(found.values, found.offsets[1:-1])]


def test_concepts_are_found_by_id(terminology):
    found = concept_rows(Concepts(["3", "1"]), terminology, ["1", "2", "3", "1"])
    assert rows_of(found) == [[1], [], [0], [1]]
    assert found.known.tolist() == [True, False, True, True]
    assert found.first.tolist() == [1, -1, 0, 1]


def test_the_best_ranked_label_in_the_vocabulary_counts(terminology):
    model = Words(["attack", "cough", "fever", "infarct", "attack"])
    assert rows_of(concept_rows(model, terminology, ["1", "2", "3", "4", "?"])) == [[3], [], [0], [], []]


def test_all_labels_in_the_vocabulary(terminology):
    model = Words(["attack", "cough", "fever", "infarct", "attack"])
    found = concept_rows(model, terminology, ["3", "1", "2", "1"], Lookup("all"))
    assert rows_of(found) == [[0], [3, 0], [], [3, 0]]
    assert found.values.dtype == found.offsets.dtype == np.int64


def test_words_are_joined_and_lowered_only_when_asked(terminology):
    model = Words(["Heart_attack", "infarct", "cough", "heart_attack", "Cough"])
    assert rows_of(concept_rows(model, terminology, ["1", "2"])) == [[1], [4]]
    assert rows_of(concept_rows(model, terminology, ["1", "2"], Lookup(join="_"))) == [[0], [4]]
    assert rows_of(concept_rows(model, terminology, ["1", "2"], Lookup(lowercase=True))) == [[1], [4]]
    assert rows_of(concept_rows(model, terminology, ["1", "2"], Lookup("all", "_", lowercase=True))) == [
        [0, 3, 1],
        [4, 2],
    ]


def test_case_is_as_written_unless_lowered(terminology):
    model = Words(["cough"])
    assert rows_of(concept_rows(model, terminology, ["2"])) == [[]]
    assert rows_of(concept_rows(model, terminology, ["2"], Lookup(lowercase=True))) == [[0]]


@pytest.mark.parametrize("format_", WRITERS)
def test_labels_are_in_rank_order_in_every_format(format_, tmp_path):
    terminology = read_terminology(WRITERS[format_](tmp_path))
    labels = {
        "rf2": ("100", ["Myocardial infarction", "Heart attack (disorder)", "Heart attack"]),
        "rrf": ("C0000001", ["Heart attack", "Infarct, heart", "Infarto"]),
        "obo": ("T:2", ["heart attack", "myocardial infarction", "broken heart", "MI"]),
        "owl": ("T:2", ["heart attack", "myocardial infarction", "broken heart", "MI"]),
        "obographs": ("T:2", ["heart attack", "myocardial infarction", "broken heart", "MI"]),
        "rxnorm": ("161", ["acetaminophen", "paracetamol for the heart", "Acetaminophen"]),
        "loinc": (
            "8867-4",
            ["Heart rate", "Herzfrequenz", 'Heart rate --resting, "calm"', "Heart beats", "Pulse", "HR", "Puls"],
        ),
        "mesh": ("D009203", ["Myocardial Infarction", "Heart Attack", "Myocardial Infarct, Inferior"]),
        "icd10cm": ("I21", ["Acute myocardial infarction", "cardiac infarction", "coronary embolism"]),
        "claml": ("IX", ["Diseases of the heart", "Herzkrankheiten", "heart conditions"]),
        "fhir": ("mi", ["Heart attack", "Herzinfarkt", "Myocardial infarction", "Infarkt"]),
        "skos": (
            "http://example.org/heart/mi",
            ["Heart attack", "Herzinfarkt", "Myocardial infarction", "MI", "hart attack"],
        ),
        "table": ("C1", ["Heart attack", 'MI, "acute"']),
    }
    concept, expected = labels[format_]
    found = ranked_labels(terminology, ["?", concept])
    assert found["text"].to_list() == expected
    assert found["place"].unique().to_list() == [1]


def test_no_concepts(terminology):
    found = concept_rows(Words(["cough"]), terminology, [])
    assert len(found.values) == 0
    assert found.offsets.tolist() == [0]


def test_what_cannot_be_done_is_said(terminology):
    with pytest.raises(TermgaugeError, match="has no vocabulary"):
        concept_rows(ToyPairs(), terminology, ["1"])
    with pytest.raises(TermgaugeError, match="has no vocabulary"):
        concept_rows(Words([]), terminology, ["1"])


def test_what_a_models_own_options_say_holds(terminology):
    model = Words(["cough", "heart_attack"])
    model.rules = WordRules(lowercase=True, phrases="_")
    assert rows_of(concept_rows(model, terminology, ["1", "2"])) == [[1], [0]]


def test_a_suppressed_label_stands_for_nothing_even_where_it_is_the_only_name(tmp_path):
    folder = WRITERS["rrf"](tmp_path)
    with (folder / "META" / "MRCONSO.RRF").open("a") as file:
        file.write("C0000009|ENG|P|L9|PF|S9|Y|A9||||MSH|MH|D9|Withdrawn|0|O||\n")
    terminology = read_terminology(folder)
    assert terminology.concepts["name"].to_list()[-1] == "Withdrawn"
    assert ranked_labels(terminology, ["C0000009"]).is_empty()
    assert rows_of(concept_rows(Words(["Withdrawn"]), terminology, ["C0000009"])) == [[]]


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_labels_in_the_order_of_the_file(tmp_path):
    atoms = [  # language, suppressed, text
        ("FRE", "N", "crise cardiaque"),
        ("ENG", "O", "old attack"),
        ("ENG", "N", "heart attack"),
        ("ENG", "N", "old attack"),
        ("GER", "N", "Herzinfarkt"),
    ]
    lines = [
        f"C0000001|{language}|S|L1|VO|S{place}|N|A{place}||||MSH|SY|D1|{text}|0|{suppressed}||"
        for place, (language, suppressed, text) in enumerate(atoms)
    ]
    lines[2] = "C0000001|ENG|P|L1|PF|S2|Y|A2||||MSH|MH|D1|heart attack|0|N||"
    (tmp_path / "MRCONSO.RRF").write_text("".join(f"{line}\n" for line in lines))
    terminology = read_terminology(tmp_path)
    ordered = ranked_labels(terminology, ["C0000001"], "file")["text"].to_list()
    assert ordered == ["crise cardiaque", "old attack", "heart attack", "Herzinfarkt"]
    assert ranked_labels(terminology, ["C0000001"])["text"][0] == "heart attack"
    model = Words(["heart attack", "old attack", "Herzinfarkt"])
    assert rows_of(concept_rows(model, terminology, ["C0000001"])) == [[0]]
    assert rows_of(concept_rows(model, terminology, ["C0000001"], Lookup(order="file"))) == [[1]]
    assert rows_of(concept_rows(model, terminology, ["C0000001"], Lookup("all", order="file"))) == [[1, 0, 2]]
