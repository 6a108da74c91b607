from __future__ import annotations

from termgauge.tasks.prediction.correlate import PredictionResult
from tests.tasks.prediction.made_scores import result


def test_it_is_written_and_read_and_shows_itself():
    found = result(correction="holm")
    assert PredictionResult.model_validate_json(found.model_dump_json()) == found
    assert repr(found) == "<PredictionResult: 4 correlations over 7 models>"
    assert repr(found.model_copy(update={"name": "both"})).startswith("<PredictionResult 'both': 4")
    keys = "benchmark task r p n significant rho rho_p low high adjusted_p influential without left_out"
    new = "rho_low rho_high attenuation"
    assert set(found.as_dict()["cells"][0]) == {*keys.split(), *new.split()}
    assert found.as_dict()["n"] == 7


def test_its_values_are_of_no_model():
    values = list(result().values())
    assert {value.model for value in values} == {""}
    assert [value.item for value in values[:2]] == ["umnsrs → anatem"] * 2
    assert [value.statistic for value in values[:2]] == ["pearson", "spearman"]
    assert all(value.better == "" for value in values)
    assert next(iter(result(models=["a", "b"]).values())).value is None
