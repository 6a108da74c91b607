"""Sections of a run: made once, made again when something has changed, and never lost by one model."""

from __future__ import annotations

import json

import pytest
from termgauge.experiment.analogies import analogies
from termgauge.experiment.run_sections import ANALOGIES, section_file, write_analogies, write_vocabulary

from termgauge.domain.domain import Domain
from termgauge.exceptions import CannotWriteError, TermgaugeError
from termgauge.experiment.tables import CoverageTable
from termgauge.tasks.analogies.sections import analogy_sections
from tests.domain.terminologies import terminology_of
from tests.experiment.toy_models import binary_set
from tests.tasks.analogies.hand_worked import EDGES, PAIRS, model_of_words

pytestmark = pytest.mark.filterwarnings("ignore:.*are among the 10 nearest:termgauge.exceptions.TermgaugeWarning")

TESTING = {"alpha": 0.1, "correction": "holm", "seed": 3}
TABLE = CoverageTable(name="drugs: some", lists=["ids.txt"], relations=["treats"])


@pytest.fixture
def about():
    terminology = terminology_of({end: [end] for pair in PAIRS for end in pair}, EDGES)
    return TABLE, terminology, Domain(("a", "b", "c"), ("a", "b", "c"))


def raising(error):
    def opened():
        raise error

    return opened


def test_analogies_are_those_of_the_verb(tmp_path, about):
    _table, terminology, domain = about
    models = {"one": ("1", lambda: model_of_words(name="one")), "two": ("2", lambda: model_of_words(0.01, name="two"))}
    assert write_analogies(tmp_path, *about, models, **TESTING) == {}
    document = json.loads(section_file(tmp_path, ANALOGIES, TABLE.name).read_text())
    opened = [opened() for _key, opened in models.values()]
    wanted = analogies(terminology, opened, domain=domain, relation=["treats"], **TESTING).as_dict()
    assert document["name"] == TABLE.name
    assert {key: document[key] for key in wanted} == json.loads(json.dumps(wanted))
    (section,) = analogy_sections(TABLE.name, document)
    assert section.title == "Relations as analogies: drugs: some"


def test_a_section_is_made_again_only_when_something_has_changed(tmp_path, about):
    once = {"one": ("1", lambda: model_of_words(name="one"))}
    write_analogies(tmp_path, *about, once, **TESTING)
    never = {"one": ("1", lambda: pytest.fail("opened again"))}
    assert write_analogies(tmp_path, *about, never, **TESTING) == {}
    again = []
    for models, testing in (
        ({"one": ("other", lambda: model_of_words(name="one"))}, TESTING),
        (once, {**TESTING, "alpha": 0.2}),
    ):
        counted = {
            name: (key, lambda opened=opened: again.append(1) or opened()) for name, (key, opened) in models.items()
        }
        write_analogies(tmp_path, *about, counted, **testing)
    assert len(again) == 2
    section_file(tmp_path, ANALOGIES, TABLE.name).write_text("{")
    write_analogies(tmp_path, *about, once, **TESTING)
    assert json.loads(section_file(tmp_path, ANALOGIES, TABLE.name).read_text())["models"]


def test_a_model_that_fails_costs_itself_alone(tmp_path, about):
    models = {
        "one": ("1", lambda: model_of_words(name="one")),
        "bad": ("2", raising(TermgaugeError("bad.bin: is empty."))),
        "odd": ("3", raising(ZeroDivisionError("odd"))),
    }
    for step, failures in (
        ("analogies drugs: some", write_analogies(tmp_path, *about, models, **TESTING)),
        ("vocabulary", write_vocabulary(tmp_path, [binary_set()], models)),
    ):
        assert {name: failure.step for name, failure in failures.items()} == {"bad": step, "odd": step}
        assert failures["bad"].reason == "bad.bin: is empty."
        assert failures["odd"].reason.startswith("This is a defect of termgauge (ZeroDivisionError: odd")
    assert list(json.loads(section_file(tmp_path, ANALOGIES, TABLE.name).read_text())["models"]) == ["one"]


def test_without_any_model_there_is_no_section(tmp_path, about):
    with pytest.raises(TermgaugeError, match=r"bad\.bin: is empty"):
        write_analogies(tmp_path, *about, {"bad": ("1", raising(TermgaugeError("bad.bin: is empty.")))}, **TESTING)
    with pytest.raises(TermgaugeError, match="No model has vectors of its own"):
        write_analogies(tmp_path, *about, {}, **TESTING)
    with pytest.raises(CannotWriteError):
        write_vocabulary(tmp_path, [], {"full": ("1", raising(CannotWriteError("The disk is full.")))})
    assert list(tmp_path.rglob("*.json")) == []
