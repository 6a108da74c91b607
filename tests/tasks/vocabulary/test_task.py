from __future__ import annotations

import pytest

import termgauge as tg
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.tasks.vocabulary.task import TASK
from tests.domain.tables import Words
from tests.experiment.toy_models import ToyPairs, ToyTerms, ToyWords, graded_set


def test_models_with_and_without_sets():
    models = [Words(["heart", "lung"], name="words"), Words(["heart"], name="few"), ToyPairs(), ToyTerms()]
    plain = tg.vocabulary(models)
    assert [model.name for model in plain.models] == ["words", "few", "own", "encoder"]
    assert all(model.coverage == {} for model in plain.models)
    with_sets = tg.vocabulary(models, [graded_set()], missing=2)
    assert list(with_sets.models[0].coverage) == ["toy/graded"]
    assert len(with_sets.models[1].unknown) == 2
    assert with_sets.overlap == plain.overlap


def test_bad_input():
    with pytest.raises(TermgaugeError, match="There is no option 'alpha'; there are missing"):
        tg.vocabulary([ToyWords()], alpha=0.1)
    with pytest.raises(TermgaugeError, match="'missing' must be at least 0, not -1"):
        tg.vocabulary([ToyWords()], missing=-1)
    with pytest.raises(TermgaugeError, match="Two models are called 'words'"):
        tg.vocabulary([ToyWords(), ToyWords()])
    with pytest.warns(TermgaugeWarning, match="cannot be used and is left out"):
        assert tg.vocabulary(["no-such-file.bin", ToyWords()]).left_out[0].startswith("no-such-file.bin: ")


def test_it_is_done_once_in_a_run_without_being_asked_for():
    assert not TASK.repeated
    assert TASK.options().missing == 20
    found = tg.vocabulary([Words(["heart"], name="few")], [graded_set()])
    assert found.models[0].unknown
