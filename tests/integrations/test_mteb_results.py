"""Results in the form of mteb; the library itself reads them in the tests on torch."""

from __future__ import annotations

import json

import pytest

import termgauge as tg
from termgauge.integrations.run_exports import mteb_name
from tests.integrations.small_sets import ID, run


def test_every_model_and_set_has_a_file(tmp_path):
    made = run(tmp_path)
    with pytest.warns(tg.TermgaugeWarning, match=r"'some' scores 75.*% of human/mayosrs|'some' scores .*% of toy"):
        tg.export(made, "mteb-results", tmp_path / "cache")
    record, results = made.record(), made.results()
    for model in record.models:
        folder = tmp_path / "cache" / "results" / f"termgauge__{model}" / record.models[model].key[:40]
        meta = json.loads((folder / "model_meta.json").read_text())
        assert (meta["name"], meta["revision"]) == (f"termgauge/{model}", folder.name)
        for set_id, task, statistic in (
            (ID, "toy-2024-05-01__syn-syn__hard__random", "ap"),
            ("human/mayosrs", "human__mayosrs", "spearman"),
        ):
            document = json.loads((folder / f"{task}.json").read_text())
            assert document["task_name"] == task
            assert document["dataset_revision"] == record.sets[set_id].sha256
            (scores,) = document["scores"]["test"]
            measure = "similarity" if model == "levenshtein" else "avg_cos"
            row = results.filter(model=model, set=set_id, measure=measure, statistic=statistic, subset="own")
            assert scores["main_score"] == row["value"][0]
            assert (f"cosine_{statistic}" in scores) == (model != "levenshtein")


def test_results_of_others_stay(tmp_path):
    made = run(tmp_path)
    tg.export(made, "mteb-results", tmp_path / "cache", model="all")
    tg.export(made, "mteb-results", tmp_path / "cache", model="levenshtein")
    assert len(list((tmp_path / "cache" / "results").iterdir())) == 2
    with pytest.raises(tg.TermgaugeError, match=r"\.json: is there already"):
        tg.export(made, "mteb-results", tmp_path / "cache", model="all")
    tg.export(made, "mteb-results", tmp_path / "cache", model="all", force=True)


def test_names_have_an_organisation_and_nothing_that_leaves_the_folder():
    assert mteb_name("a/b") == "a/b"
    for name in ("..", "../..", "a/../b", "/etc", "a/b/c", "a b", "x" * 300):
        found = mteb_name(name)
        assert found.count("/") == 1
        assert not {"..", "."} & set(found.split("/"))
