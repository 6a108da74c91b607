from __future__ import annotations

from termgauge.embeddings.load import load_model
from termgauge.tasks.records import ModelRecord, RunView, SetRecord
from tests.experiment.toy_models import ToyWords, binary_set, graded_set


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
