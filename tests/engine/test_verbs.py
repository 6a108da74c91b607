"""The verbs of tasks in Python: keywords are the options, and one that is misspelt is refused."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import termgauge as tg
from termgauge.embeddings import load
from termgauge.engine.verbs import verb
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.tasks.registry import all_tasks
from tests.domain.tables import Words
from tests.domain.terminologies import related_concepts
from tests.engine.toy_models import ToyWords, graded_set


def test_every_task_with_a_command_has_a_verb():
    for name, task in all_tasks().items():
        if task.command:
            function = getattr(tg, name)
            assert function is verb(name)
            assert function.__doc__.startswith(task.question)
            parameters = inspect.signature(function).parameters
            assert ("run" if task.reads_run else "models") in parameters
            assert ("source" in parameters) == ("terminology" in task.needs)
            for each, parameter in parameters.items():
                assert parameter.kind is parameter.VAR_KEYWORD or f"\n{each}\n" in function.__doc__
    with pytest.raises(AttributeError, match="has no attribute 'pairs'"):
        _ = tg.pairs


def test_a_misspelt_keyword_is_refused_even_of_a_terminology_that_is_read():
    terminology = related_concepts([("heart", "is_a", "skin")])
    with pytest.raises(TermgaugeError, match=r"There is no option 'hop'.*Did you mean 'hops'"):
        tg.coverage(terminology, [ToyWords()], branches=["skin"], hop=2)
    with pytest.raises(TermgaugeError, match="There is no option 'measure'"):
        tg.vocabulary([ToyWords()], measure="cos")


def test_options_of_reading_and_testing_are_keywords_too(tmp_path):
    (tmp_path / "t.tsv").write_text("concept\tterm\tlanguage\n1\theart\ten\n1\tcoeur\tfr\n2\tlung\ten\n")
    (tmp_path / "r.tsv").write_text("source\ttype\ttarget\n2\tis_a\t1\n")
    words = Words(["heart", "lung", "coeur"], [[1.0, 0], [0, 1], [1, 1]], name="words")
    result = tg.coverage(
        tmp_path / "t.tsv", [words], branches=["1"], k=[1], relation_table=tmp_path / "r.tsv", alpha=0.2
    )
    assert result.alpha == 0.2
    assert result.models["words"].seeds == 2
    with pytest.raises(TermgaugeError, match="'alpha' must be less than 1"):
        tg.coverage(tmp_path / "t.tsv", [words], branches=["1"], alpha=2)


def test_models_that_open_and_those_that_do_not(tmp_path):
    gone = str(tmp_path / "gone.bin")
    with pytest.warns(TermgaugeWarning, match="The model 'gone' cannot be used and is left out: .*gone.bin"):
        result = tg.vocabulary([gone, "chance=baseline:random", ToyWords()], [graded_set()])
    assert [model.name for model in result.models] == ["chance", "words"]
    (sentence,) = result.left_out
    assert sentence.startswith(f"{gone}: ")
    for models, why in (
        ([gone], "gone.bin"),
        ([], "No model was named"),
        ([ToyWords()] * 2, "models are called 'words'"),
    ):
        with pytest.raises(TermgaugeError, match=why):
            tg.vocabulary(models, [graded_set()])


def test_sets_by_their_places(tmp_path):
    graded_set().write_parquet(tmp_path / "mine.parquet")
    for given in (tmp_path / "mine.parquet", str(tmp_path / "mine.parquet"), graded_set()):
        result = tg.vocabulary(["chance=baseline:random"], [given])
        assert list(result.models[0].coverage) == ["toy/graded"]
    with pytest.raises(TermgaugeError, match="is neither a benchmark nor"):
        tg.vocabulary([ToyWords()], [Path("nothing")])


def test_a_result_in_short_as_a_table_and_for_notebooks():
    result = tg.vocabulary(["chance=baseline:random"], [graded_set()])
    assert repr(result) == "<VocabularyResult: chance>"
    frame = result.to_frame()
    assert frame.columns[:3] == ["model", "statistic", "value"]
    assert set(frame["model"]) == {"chance"}


def test_a_model_that_fails_to_open_for_whatever_reason_costs_itself_alone(monkeypatch):
    def odd(spec, **_options):
        raise ZeroDivisionError(spec)

    monkeypatch.setattr(load, "load_model", odd)
    with pytest.warns(TermgaugeWarning, match=r"left out: This is a defect of termgauge \(ZeroDivisionError"):
        result = tg.vocabulary(["chance=baseline:random", ToyWords()], [graded_set()])
    assert result.left_out[0].startswith("chance=baseline:random: This is a defect")
    with pytest.raises(TermgaugeError, match=r"This is a defect of termgauge \(ZeroDivisionError"):
        tg.vocabulary(["chance=baseline:random"], [graded_set()])
