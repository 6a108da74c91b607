from __future__ import annotations

import pytest

import termgauge as tg
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.tasks.vocabulary.task import TASK, VocabularyInputs
from tests.domain.tables import Words
from tests.engine.toy_models import ToyPairs, ToyTerms, ToyWords, graded_set


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


def test_what_vocabularies_share_does_not_depend_on_an_endpoint_that_is_down():
    def refused(_model):
        raise TermgaugeError("It answered 401.")

    class Down(ToyTerms):
        dimension = property(refused, lambda _model, _value: None)

    words = Words(["heart", "lung"], name="words")
    with pytest.warns(TermgaugeWarning, match="failed in vocabulary: It answered 401"):
        assert [each.name for each in tg.vocabulary([words, Down()]).models] == ["words"]
    known = tg.vocabulary([words, ToyTerms()])

    def gone():
        raise TermgaugeError("It cannot be opened any more.")

    inputs = VocabularyInputs((), {"words": lambda: words, "encoder": gone})
    measured = dict(zip(("words", "encoder"), known.models, strict=True))
    assert TASK.combine(measured, inputs, TASK.options()).overlap == known.overlap


def test_it_is_done_once_in_a_run_without_being_asked_for():
    assert not TASK.repeated
    assert TASK.options().missing == 20
    found = tg.vocabulary([Words(["heart"], name="few")], [graded_set()])
    assert found.models[0].unknown
