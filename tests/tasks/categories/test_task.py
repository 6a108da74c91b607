"""Categories as a verb: names, files, models that fail, and baselines."""

from __future__ import annotations

import pytest

import termgauge as tg
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.tasks.categories.task import TASK
from tests.engine.toy_models import WORDS, ToyPairs, ToyWords
from tests.tasks.categories.chosen import TERMS, read_source


@pytest.fixture
def source(tmp_path):
    return read_source(tmp_path)


def test_models_side_by_side(source):
    result = tg.categories(source, ("1", "4"), "6", [ToyWords(), ToyPairs()], measures=["avg_cos", "max_jaccard"])
    assert {letter: each.terms for letter, each in result.categories.items()} == {
        letter: len(terms) for letter, terms in TERMS.items()
    }
    assert result.shared_terms == 1
    assert {model: list(by_measure) for model, by_measure in result.models.items()} == {
        "words": ["avg_cos", "max_jaccard"],
        "own": ["similarity"],
    }


def test_categories_of_files_need_no_terminology(tmp_path):
    place = tmp_path / "mine.txt"
    place.write_text("skin rash\nrash\nskin\n")
    result = tg.categories(None, (f"@{place}", f"@{place}"), f"@{place}", [ToyWords()])
    assert result.models["words"]["avg_cos"].triples == 27
    with pytest.raises(TermgaugeError, match="No terminology was named"):
        tg.categories(None, ("1", "4"), f"@{place}", [ToyPairs()])
    assert not TASK.needs_terminology(TASK.options.of(close=["@a", "@b"], far="@c"))
    assert TASK.needs_terminology(TASK.options.of(close=["@a", "@b"], far="c"))


def test_a_model_that_knows_nothing_is_left_out(source):
    lost = ToyWords("lost", words=["heart"])
    with pytest.warns(TermgaugeWarning, match="failed in categories: Category B has no term that the model can encode"):
        result = tg.categories(source, ("1", "4"), "6", [lost, ToyPairs()])
    assert list(result.models) == ["own"]
    assert result.left_out[0].startswith("lost: Category B has no term")
    with pytest.raises(TermgaugeError, match="lost: Category B has no term"):
        tg.categories(source, ("1", "4"), "6", [lost])


def test_options_that_it_does_not_use_are_refused(source):
    with pytest.raises(TermgaugeError, match="There is no option 'correction'"):
        tg.categories(source, ("1", "4"), "6", [ToyPairs()], correction="holm")
    with pytest.raises(TermgaugeError, match="'alpha' must be less than 1"):
        tg.categories(source, ("1", "4"), "6", [ToyPairs()], alpha=2.0)


def test_baselines_on_a_real_ontology(hpo):
    result = tg.categories(
        hpo, ("HP:0001637", "HP:0011025"), "HP:0000479", ["baseline:random", "baseline:levenshtein"], max_terms=None
    )
    assert 0 < result.models["random"]["avg_cos"].overlap < 1
    sizes = tuple(each.terms for each in result.categories.values())
    assert result.models["levenshtein"]["similarity"].sizes == sizes


def test_models_that_encode_different_terms_are_compared_on_the_shared_ones(source):
    whole, poor = ToyWords("whole"), ToyWords("poor", words=["heart", "skin", "pneumonia"])
    lacks = ToyWords("lacks", words=[word for word in WORDS if word != "failure"])
    result = tg.categories(source, ("1", "4"), "6", [whole, lacks, poor, ToyPairs()])
    own = {name: next(iter(by_measure.values())) for name, by_measure in result.models.items()}
    assert [own[name].sizes for name in ("whole", "lacks", "own")] == [(4, 3, 4), (3, 3, 4), (4, 3, 5)]
    assert result.too_few == ["poor"]
    shared = {name: next(iter(by_measure.values())) for name, by_measure in result.on_shared.items()}
    assert {name: each.sizes for name, each in shared.items()} == dict.fromkeys(("whole", "lacks", "own"), (3, 3, 4))
    assert shared["lacks"] == own["lacks"]
    assert shared["whole"] == shared["lacks"]  # the same vectors on the same terms
    statistics = {(value.model, value.statistic) for value in result.values()}
    assert {("whole", "overlap"), ("whole", "overlap_shared"), ("poor", "overlap")} < statistics
    assert not tg.categories(source, ("1", "4"), "6", [whole, ToyWords("again")]).on_shared
