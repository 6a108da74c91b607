from __future__ import annotations

import polars as pl
import pytest

from termgauge.benchmark.pairset import PairSet
from termgauge.embeddings.load import load_model
from termgauge.tasks.records import Ceiling, ModelRecord, RunView, SetRecord
from tests.engine.toy_models import ToyWords, binary_set, graded_set
from tests.studies.raters import drawn


def test_a_model_is_described_by_its_identity():
    model = ToyWords()
    record = ModelRecord.of(model)
    assert (record.key, record.kind, record.scheme, record.source) == (model.identity.key, "words", "toy", "0")
    assert record.origin == model.source
    assert record.model_dump()["from"] == model.source
    assert ModelRecord.model_validate_json(record.model_dump_json()) == record


def test_baselines_are_known_as_such():
    assert ModelRecord.of(ToyWords()).baseline == ""
    for name in ("random", "levenshtein"):
        assert ModelRecord.of(load_model(f"baseline:{name}")).baseline
    assert ModelRecord(kind="words", scheme="baseline:of-somebody-else").baseline == "a baseline"


def test_a_set_is_described_by_what_it_holds():
    for pairs in (graded_set(), binary_set()):
        record = SetRecord.of(pairs)
        assert (record.sha256, record.pairs, record.graded) == (pairs.sha256, 40, pairs.graded)
        assert SetRecord.model_validate_json(record.model_dump_json()) == record


def test_a_run_without_anything(tmp_path):
    view = RunView(tmp_path)
    assert not view.models
    assert not view.sets
    assert view.testing.alpha == 0.05


def rated_set(raters):
    table = drawn(60, raters)
    terms = {"term_1": [f"a{at}" for at in range(60)], "term_2": [f"b{at}" for at in range(60)]}
    columns = {f"r{place}": table[:, place] for place in range(raters)}
    return PairSet("mine", pl.DataFrame({**terms, "score": table.mean(axis=1)}), ratings=pl.DataFrame(columns))


def test_the_ceiling_of_a_set_of_which_ratings_are_known():
    record = SetRecord.of(rated_set(5), ceiling=True)
    assert record.ceiling.low < record.ceiling.value < record.ceiling.high
    assert record.ceiling.raters == 5
    assert SetRecord.model_validate_json(record.model_dump_json()) == record
    assert SetRecord.of(rated_set(5)).ceiling is None
    assert SetRecord.of(rated_set(1), ceiling=True).ceiling is None
    assert "ceiling" not in SetRecord.of(graded_set(), ceiling=True).model_dump()


def test_the_ceiling_of_ehr_rel(shared):
    if shared is None:
        pytest.skip("the published ratings are not at hand")
    from termgauge.benchmark.human.sets import load_human

    for name, about in (("ehr-rel-a", 0.752), ("ehr-rel-b", 0.886)):
        pairs = load_human(name, data_dir=shared / "data" / "similarity")
        assert Ceiling.of(pairs).value == pytest.approx(about, abs=0.005)
        assert Ceiling.of(pairs).raters == 5
