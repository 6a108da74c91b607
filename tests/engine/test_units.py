"""A unit of work: a task on a model, known by what it was made from, and done alike wherever it is done."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace

import pytest
from pydantic import TypeAdapter

from termgauge.engine.models import by_name, name_of, opener
from termgauge.engine.run_folder import RunFolder
from termgauge.engine.units import OPENING, BoundTask
from termgauge.exceptions import CannotWriteError, ModelGivenUpError, TermgaugeError, TermgaugeWarning, warn
from termgauge.tasks import contract
from termgauge.tasks.registry import task_of
from tests.engine.small_tables import CATEGORIES, category_options, material_of
from tests.engine.toy_models import ToyPairs, ToyWords, binary_set, graded_set


def as_json(measured):
    return TypeAdapter(CATEGORIES.measured_type).dump_json(measured)


@pytest.fixture
def folder(tmp_path):
    return RunFolder(tmp_path / "run")


@pytest.fixture
def here(folder, tmp_path):
    return BoundTask.from_material(CATEGORIES, category_options(tmp_path), material_of(folder))


def test_all_that_is_measured_is_in_the_key(folder, tmp_path, here):
    options, material = category_options(tmp_path), material_of(folder)

    def key(task=CATEGORIES, options=options, **more):
        return BoundTask.from_material(task, options, replace(material, **more)).key

    assert key() == here.key
    assert key(name="other") == here.key
    assert key(testing=contract.Testing(correction="holm")) == here.key, "categories have no tests to correct"
    others = [
        key(testing=contract.Testing(alpha=0.2)),
        key(options=category_options(tmp_path, measures=["avg_cos"])),
        key(task_of("vocabulary"), task_of("vocabulary").options()),
        key(task_of("vocabulary"), task_of("vocabulary").options(), sets=(graded_set(),)),
        key(task_of("vocabulary"), task_of("vocabulary").options(), sets=(binary_set(),)),
    ]
    (tmp_path / "A.txt").write_text("rash\n")
    assert len({here.key, key(), *others}) == 7


def test_what_is_measured_is_kept_and_comes_back(here, folder):
    model = ToyWords()
    assert here.kept(model.name, model.identity.key) is None
    first = here.measure(model)
    assert as_json(here.kept(model.name, model.identity.key)) == as_json(first)
    assert here.kept(model.name, "another version") is None
    assert replace(here, key="other inputs").kept(model.name, model.identity.key) is None
    path = folder.path / "categories" / "organs" / "words.json"
    for damaged in ("", "[]", '{"identity": 3}', path.read_text()[:-20]):
        path.write_text(damaged)
        assert here.kept(model.name, model.identity.key) is None
    calls = model.calls
    assert as_json(here.measure(model)) == as_json(first)
    assert model.calls > calls


def test_outside_of_a_run_nothing_is_kept(tmp_path):
    outside = BoundTask.from_material(CATEGORIES, category_options(tmp_path), contract.Material())
    before = {path.name for path in tmp_path.iterdir()}
    outside.measure(ToyWords())
    assert {path.name for path in tmp_path.iterdir()} == before


def test_an_attempt_says_what_became_of_it(here):
    class Talking(ToyPairs):
        def score(self, *given):
            warn("Some terms are odd.")
            return super().score(*given)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        done = here.attempt("own", Talking)
    assert (done.model, done.failure, done.notes) == ("own", None, ("Some terms are odd.",) * len(done.notes))
    assert done.notes
    assert done.record.key == ToyPairs().identity.key
    assert as_json(done.measured) == as_json(here.measure(ToyPairs()))

    def broken():
        raise OSError(2, "No such file or directory", "w.bin")

    done = here.attempt("w", broken)
    assert (done.record, done.measured) == (None, None)
    assert done.failure.model_dump() == {"step": OPENING, "reason": "w.bin: no such file or directory."}

    def full():
        raise CannotWriteError("The disk is full.")

    with pytest.raises(CannotWriteError):
        here.attempt("w", full)


def test_whatever_a_model_raises_is_its_own_failure(here):
    class PanicException(BaseException):
        """As libraries in Rust raise it."""

    def raising(error):
        def opened():
            raise error

        return opened

    panicked = here.attempt("w", raising(PanicException("index out of bounds")))
    assert "defect of termgauge (PanicException: index out of bounds" in panicked.failure.reason
    assert not panicked.given_up
    assert here.attempt("w", raising(ModelGivenUpError("It is down."))).given_up
    for error in (KeyboardInterrupt, SystemExit):
        with pytest.raises(error):
            here.attempt("w", raising(error()))


def test_models_by_name():
    assert name_of("A=word2vec:x/w.bin") == "A"
    assert name_of("x/w.bin") == "w"
    assert name_of("wrd2vec:x") == "wrd2vec:x", "it fails when it is opened"
    assert name_of(ToyPairs("mine")) == "mine"
    model = ToyPairs()
    assert opener("any", model)() is model
    assert opener("mine", "baseline:levenshtein")().name == "mine"
    with pytest.raises(TermgaugeError, match="There is no scheme 'wrd2vec:'"):
        opener("wrd2vec:x", "wrd2vec:x")()


def test_models_may_be_given_by_name_in_a_list_or_alone(tmp_path):
    def ones(texts):
        return [[1.0, 2.0] for _ in texts]

    model, path = ToyPairs(), tmp_path / "w.bin"
    assert by_name(model) == by_name([model]) == {"own": model}
    assert by_name([path, "A=glove:"]) == {"w": str(path), "A": "A=glove:"}
    named = by_name({"my/model": "glove:", "own": ones, "again": model})
    assert list(named) == ["my/model", "own", "again"]
    assert named["my/model"] == "glove:"
    assert [named[name].name for name in ("own", "again")] == ["own", "again"]
    assert list(by_name(ones)) == list(by_name(iter([ones]))) == ["ones"]
    assert opener("my/model", "baseline:random")().name == "my/model"
    assert opener("", "x=baseline:random")().name == "x"
    lenient = by_name({"table": {"heart": [1.0]}, "w": path, "own": model, "ones": ones}, "available")
    assert lenient["table"].identity.words.endswith("missing=available")
    assert lenient["own"].identity == model.identity
    assert by_name({"b": "baseline:random", "a": "glove:?missing=zero"}, "available")["a"] == "glove:?missing=zero"
    assert by_name([], needed=False) == {}
    for bad, sentence in (
        ({3: ones}, "name of a model is a text of printable characters, not 3"),
        ({"two\nlines": "glove:"}, "name of a model is a text"),
        ([ones, ones], "Two models are called 'ones'; name them apart, as in --model A=.*, or in Python"),
        ({}, "No model was named"),
        ([3], "A model is a path, .*an object of the type int is none of these"),
    ):
        with pytest.raises(TermgaugeError, match=sentence):
            by_name(bad)


def test_a_damaged_measurement_is_no_error(here, folder):
    model = ToyPairs()
    here.measure(model)
    path = folder.path / "categories" / "organs" / "own.json"
    document = json.loads(path.read_text())
    document["measured"] = {"similarity": 5}
    path.write_text(json.dumps(document))
    with warnings.catch_warnings():
        warnings.simplefilter("error", TermgaugeWarning)
        assert here.attempt("own", lambda: model).failure is None
