from __future__ import annotations

import math
from dataclasses import replace
from statistics import mean, stdev

import numpy as np
import pytest

from termgauge.tasks import contract
from termgauge.tasks.ner.corpus import read_corpus
from termgauge.tasks.ner.measure import EpochRecord, ModelTrials, TrialRecord, combined, packed
from termgauge.tasks.ner.tags import DECODINGS, count_entities
from termgauge.tasks.ner.task import NerInputs, NerOptions


def tagging(corpus, seed, wrong):
    """Return the gold tags with a share of them replaced by others."""
    draw = np.random.default_rng(seed)
    tags = corpus.test.tags.copy()
    places = draw.random(len(tags)) < wrong
    tags[places] = draw.integers(0, len(corpus.tags), places.sum())
    return tags


def trials(corpus, wrong, seeds=(42, 43, 44)):
    return ModelTrials(
        trials=[
            TrialRecord(
                corpus=corpus.sha256,
                seed=seed,
                vocabulary=0.9,
                note="",
                device="cpu",
                tags={each: packed(tagging(corpus, seed + at, wrong)) for at, each in enumerate(DECODINGS)},
                curve=[
                    EpochRecord(loss=0.5, devel_f=0.4, seconds=1.0),
                    EpochRecord(loss=0.25, devel_f=0.5, seconds=1.0),
                ],
            )
            for seed in seeds
        ]
    )


@pytest.fixture
def corpus(corpus_folder):
    return read_corpus(corpus_folder)


def result_of(corpus, measured, **options):
    given = NerOptions.of(corpus="made", epochs=2, **options)
    return combined(measured, NerInputs({"made": corpus}, contract.Testing()), given)


def test_figures_are_the_means_of_trials(corpus):
    measured = {"good": trials(corpus, 0.05), "bad": trials(corpus, 0.4)}
    result = result_of(corpus, measured)
    assert (result.profile, result.decoding, result.seed) == ("code", "forward", 42)
    found = result.corpora["made"]
    assert (found.types, found.sentences) == (["Drug", "Disease"], 40)
    assert found.parts["test"].entities == 60
    for name, wrong in (("good", 0.05), ("bad", 0.4)):
        scores = [
            count_entities(
                corpus.test.tags, tagging(corpus, seed + 1, wrong), corpus.test.starts, corpus.codes
            ).scores()
            for seed in (42, 43, 44)
        ]
        own = found.models[name]
        assert own.trials == pytest.approx([each.overall.f for each in scores])
        assert own.f == pytest.approx(mean(own.trials))
        assert own.f_sd == pytest.approx(stdev(own.trials))
        assert own.precision == pytest.approx(mean(each.overall.precision for each in scores))
        assert own.recall == pytest.approx(mean(each.overall.recall for each in scores))
        assert own.per_type["Drug"].f == pytest.approx(mean(each.per_type["Drug"].f for each in scores))
        assert own.f_interval[0] < own.f < own.f_interval[1]
        assert own.devel_f == 0.5
        assert own.seeds == [42, 43, 44]
    assert result_of(corpus, measured, decoding="viterbi").corpora["made"].models["bad"].f == pytest.approx(
        found.models["bad"].decodings["viterbi"]
    )


def test_differences_are_over_sentences_and_over_trials(corpus):
    found = result_of(corpus, {"good": trials(corpus, 0.05), "bad": trials(corpus, 0.4)}).corpora["made"]
    assert found.tested == "trials"
    assert [(each.over, each.one, each.other, each.significant) for each in found.differences] == [
        ("sentences", "good", "bad", True),
        ("trials", "good", "bad", True),
    ]
    assert (found.models["good"].wins, found.models["good"].losses) == (1, 0)
    assert (found.models["bad"].wins, found.models["bad"].losses) == (0, 1)
    single = result_of(corpus, {"good": trials(corpus, 0.05, [1]), "bad": trials(corpus, 0.4, [1])}).corpora["made"]
    assert single.tested == "sentences"
    assert [each.over for each in single.differences] == ["sentences"]
    assert single.models["good"].f_sd is None
    assert single.models["good"].f_interval_trials == (None, None)
    assert (single.models["good"].wins, single.models["bad"].losses) == (1, 1)
    alike = result_of(corpus, {"a": trials(corpus, 0.1), "b": trials(corpus, 0.1, (5, 6, 7))}).corpora["made"]
    assert not any(each.significant for each in alike.differences)


def test_the_verdict_is_over_all_corpora_and_documents_are_said(corpus):
    measured = {"good": trials(corpus, 0.05), "bad": trials(corpus, 0.4)}
    result = result_of(corpus, measured)
    assert result.joint.sets == ("made",)
    assert result.joint.verdict.startswith("good is best: F")
    assert [(each.one, each.other) for each in result.joint.differences] == [("good", "bad")]
    assert result.joint.ranking[0].value == pytest.approx(result.corpora["made"].models["good"].f)
    assert result.corpora["made"].documents is None
    documents = replace(corpus, test=replace(corpus.test, documents=np.arange(40) // 4))
    found = result_of(documents, measured).corpora["made"]
    assert found.documents == 10
    assert found.models["good"].f == result.corpora["made"].models["good"].f
    read = type(result).model_validate_json(result.model_dump_json())
    assert read.joint.verdict == result.joint.verdict


def test_values_name_the_corpus_and_the_type(corpus):
    values = list(result_of(corpus, {"good": trials(corpus, 0.05)}).values())
    assert [(each.item, each.statistic) for each in values] == [
        ("made", "f"),
        ("made", "precision"),
        ("made", "recall"),
        ("made", "vocabulary"),
        ("made: Drug", "f"),
        ("made: Disease", "f"),
    ]
    assert values[0].low < values[0].value < values[0].high
    assert all(math.isfinite(each.value) for each in values)


def test_json_has_the_keys_that_others_rely_on(corpus):
    document = result_of(corpus, {"good": trials(corpus, 0.05)}).as_dict()["corpora"]["made"]
    assert {"types", "sentences", "models"} <= set(document)
    assert {"f", "f_sd", "precision", "recall", "trials", "per_type", "vocabulary"} <= set(document["models"]["good"])
    assert set(document["models"]["good"]["per_type"]) == {"Drug", "Disease"}
