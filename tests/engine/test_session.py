"""A table is measured once for each model, again when something has changed, and never lost by one model."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

import termgauge as tg
from termgauge.engine.run_folder import Failure, RunFolder, RunRecord
from termgauge.engine.session import RunSession
from termgauge.exceptions import CannotWriteError, ModelGivenUpError, TermgaugeError, TermgaugeWarning, warn
from termgauge.tasks import contract
from termgauge.tasks.categories import result as separating
from termgauge.tasks.coverage.task import CoverageOptions
from termgauge.tasks.registry import task_of
from tests.domain.tables import Words
from tests.domain.terminologies import related_concepts
from tests.engine.small_tables import CATEGORIES, category_options, material_of
from tests.engine.toy_models import ToyPairs, ToyTerms, ToyWords


@pytest.fixture
def folder(tmp_path):
    return RunFolder(tmp_path / "run")


@pytest.fixture
def measured(monkeypatch):
    """Return the names of the models that are measured, as they are."""
    names = []
    plain = separating.separations

    def counted(model, *given, **more):
        names.append(model.name)
        return plain(model, *given, **more)

    monkeypatch.setattr(separating, "separations", counted)
    return names


def measure(folder, options, models, record=None, **more):
    measuring = RunSession(folder, record or RunRecord(), {model.name: model for model in models})
    measuring.measure(CATEGORIES, options, material_of(folder, **more))
    return measuring


def written(folder, name="organs"):
    return json.loads((folder.path / "categories" / f"{name}.json").read_text())


def test_a_result_is_that_of_the_verb(folder, tmp_path):
    options, models = category_options(tmp_path), [ToyWords(), ToyTerms(), ToyPairs()]
    measure(folder, options, models, testing=contract.Testing(alpha=0.1, seed=3))
    wanted = tg.categories(None, models=models, **options.model_dump(exclude_unset=True), alpha=0.1, seed=3).as_dict()
    document = written(folder)
    assert document["name"] == "organs"
    assert {key: document[key] for key in wanted} == json.loads(json.dumps(wanted))
    assert list(document["identity"]["models"]) == ["words", "encoder", "own"]
    assert CATEGORIES.load(folder.scored(), "organs").models.keys() == {"words", "encoder", "own"}


def test_it_is_measured_again_only_when_something_has_changed(folder, tmp_path, measured):
    options, models = category_options(tmp_path), [ToyWords(), ToyPairs()]
    record = measure(folder, options, models).record
    assert measured == ["words", "own"]
    measure(folder, options, models, record)
    assert measured == ["words", "own"]
    (folder.path / "categories" / "organs.json").write_text("{")
    measure(folder, options, models, record)
    assert measured == ["words", "own"], "what was measured of each model is kept apart"
    assert written(folder)["models"].keys() == {"words", "own"}
    measure(folder, options, [ToyWords(seed=7), ToyPairs()], record)
    assert measured == ["words", "own", "words"]
    measure(folder, options, models[1:], record, testing=contract.Testing(alpha=0.2))
    assert measured[3:] == ["own"]
    assert list(written(folder)["models"]) == ["own"]
    (tmp_path / "C.txt").write_text("rash\n")
    measure(folder, options, models[1:], record)
    assert measured[4:] == ["own"]


def test_a_model_that_is_known_is_not_opened_for_what_is_kept(folder, tmp_path):
    (tmp_path / "words.txt").write_text("3 2\nheart 1 0\nlung 0 1\nskin 1 1\n")
    models, opened = {"w": f"{tmp_path}/words.txt", "l": "baseline:levenshtein"}, []

    class Counting(RunSession):
        @property
        def openers(self):
            plain = super().openers
            return {name: lambda name=name: opened.append(name) or plain[name]() for name in plain}

    options = category_options(tmp_path)
    for name in ("A", "B", "C"):
        (tmp_path / f"{name}.txt").write_text("heart\nlung\nskin\n")
    for wanted in (["w", "l", "w", "l"], ["w", "l"]):  # the second time they are opened to see what they are, once
        measuring = Counting(folder, RunRecord(), models)
        for name in ("one", "two"):
            measuring.measure(CATEGORIES, options, material_of(folder, name))
        assert opened == wanted
        opened.clear()


class Failing(ToyPairs):
    """A model that fails when it is asked."""

    error: Exception = TermgaugeError("bad.bin: is empty.")

    def score(self, *_given):
        raise self.error


def test_a_model_that_fails_costs_itself_alone(folder, tmp_path):
    odd = Failing("odd")
    odd.error = ZeroDivisionError("odd")
    with pytest.warns(TermgaugeWarning, match="The model '(bad|odd)' failed in categories organs: "):
        measuring = measure(folder, category_options(tmp_path), [ToyWords(), Failing("bad"), odd])
    assert measuring.failures["bad"] == Failure(step="categories organs", reason="bad.bin: is empty.")
    assert measuring.failures["odd"].reason.startswith("This is a defect of termgauge (ZeroDivisionError: odd")
    assert list(written(folder)["models"]) == ["words"]
    record = folder.record()
    assert list(record.models) == ["words", "bad", "odd"], "they opened"
    assert record.failures == measuring.failures
    assert record.left_out[0] == "bad: bad.bin: is empty."


def test_a_model_that_is_given_up_is_not_asked_again_and_what_is_kept_of_it_counts(folder, tmp_path):
    class Endpoint(ToyPairs):
        asked, down = 0, False

        def score(self, *given):
            self.asked += 1
            warn("The key goes to a host.")
            if self.down:
                raise ModelGivenUpError("It is down.")
            return super().score(*given)

    options, model = category_options(tmp_path), Endpoint("own")
    with pytest.warns(TermgaugeWarning, match="The key goes"):
        measure(folder, options, [ToyWords(), model])
    model.down, model.asked = True, 0
    measuring = RunSession(folder, folder.record(), {each.name: each for each in (ToyWords(), model)})
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for name in ("two", "three", "organs"):
            measuring.measure(CATEGORIES, options, material_of(folder, name))
    assert [str(each.message) for each in told] == [
        "The key goes to a host.",
        "The model 'own' failed in categories two: It is down. It is not asked again in this run.",
    ]
    assert model.asked == 1
    known = {name: list(written(folder, name)["models"]) for name in ("two", "three", "organs")}
    assert known == {"two": ["words"], "three": ["words"], "organs": ["words", "own"]}
    alone = RunSession(folder, folder.record(), {"own": model})
    for name in ("four", "five"):
        with pytest.raises(TermgaugeError, match=r"^It is down\.$"), warnings.catch_warnings(action="ignore"):
            alone.measure(CATEGORIES, options, material_of(folder, name))
    assert model.asked == 2


def test_without_any_model_there_is_no_result(folder, tmp_path):
    options = category_options(tmp_path)
    with pytest.warns(TermgaugeWarning), pytest.raises(TermgaugeError, match=r"bad\.bin: is empty"):
        measure(folder, options, [Failing("bad")])
    with pytest.raises(TermgaugeError, match="No model has vectors of its own"):
        measure(folder, options, [])
    full = Failing("full")
    full.error = CannotWriteError("The disk is full.")
    with pytest.raises(CannotWriteError):
        measure(folder, options, [full])
    assert not (folder.path / "categories").exists()


def test_models_of_a_kind_that_cannot_be_measured_are_passed_over(folder):
    terminology = related_concepts([("heart", "is_a", "skin"), ("lung", "is_a", "skin")])
    words = Words(["heart", "lung", "skin"], np.eye(3), name="words")
    record = RunRecord(models={"letters": {"key": "k", "kind": "pairs", "scheme": "baseline:levenshtein"}})
    measuring = RunSession(folder, record, {"letters": "baseline:levenshtein", "words": words})
    options = CoverageOptions.of(branches=["skin"], k=[1])
    measuring.measure(task_of("coverage"), options, material_of(folder, terminology=terminology))
    assert list(measuring.failures) == []
    result = task_of("coverage").load(folder.scored(), "organs")
    assert list(result.models) == ["words"]


def test_the_order_of_models_is_that_of_the_run(folder, tmp_path):
    options = category_options(tmp_path)
    record = measure(folder, options, [ToyPairs(), ToyTerms()]).record
    assert list(measure(folder, options, [ToyWords(), ToyPairs(), ToyTerms()], record).record.models) == [
        "words",
        "own",
        "encoder",
    ]
    adding = RunSession(folder, record, {"words": ToyWords()}, adds=True)
    adding.measure(CATEGORIES, options, material_of(folder))
    assert list(adding.record.models) == ["own", "encoder", "words"]
