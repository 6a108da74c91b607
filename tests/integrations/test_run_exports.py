"""The values of a run as model cards, and as results of mteb."""

from __future__ import annotations

import json

import polars as pl
import pytest
import yaml

import termgauge as tg
from termgauge.integrations.run_exports import mteb_name, run_values
from tests.integrations.small_sets import ID, labelled, many, run


def test_values_are_those_of_the_results(tmp_path):
    made = run(tmp_path)
    results = made.results().filter(pl.col("subset") == "own")
    _record, models = run_values(made)
    assert list(models) == ["all", "some", "levenshtein"]
    for name, sets in models.items():
        assert [each.id for each in sets] == [ID, "human/mayosrs"]
        for each in sets:
            assert each.measure == ("similarity" if name == "levenshtein" else "avg_cos")
            own = results.filter(model=name, set=each.id, measure=each.measure)
            expected = dict(own.select("statistic", "value").iter_rows())
            assert each.coverage == expected.pop("coverage")
            assert {statistic: estimate["value"] for statistic, estimate in each.statistics.items()} == expected
    assert models["some"][0].coverage < 1


def test_one_model_alone(tmp_path):
    made = run(tmp_path)
    assert list(run_values(made, "some")[1]) == ["some"]
    with pytest.raises(tg.TermgaugeError, match=r"has no model 'som'. Did you mean 'some'"):
        run_values(made.path, "som")


def test_huggingface_reads_every_value(tmp_path):
    hub = pytest.importorskip("huggingface_hub")
    made = run(tmp_path)
    written = tg.export(made, "model-card", tmp_path / "cards")
    assert sorted(path.name for path in (tmp_path / "cards").iterdir()) == ["all.yaml", "levenshtein.yaml", "some.yaml"]
    for name in ("all", "some"):
        block = (tmp_path / "cards" / f"{name}.yaml").read_text("utf-8")
        card = hub.ModelCard(f"---\nlicense: mit\n{block}---\n# A model\n")
        assert card.data.model_name == name
        assert len(card.data.eval_results) == written.contents[name]
        found = {(each.dataset_config, each.metric_type): each for each in card.data.eval_results}
        own = made.results().filter(model=name, subset="own", measure="avg_cos", set=ID)
        for statistic, value, low, high, n in own.select("statistic", "value", "low", "high", "n").iter_rows():
            if statistic != "coverage":
                each = found["syn-syn.hard.random", statistic]
                assert each.metric_value == pytest.approx(value, abs=1e-6)
                interval = each.metric_args["interval"]
                assert (interval["low"], interval["high"]) == pytest.approx((low, high), abs=1e-6)
                assert each.metric_args["pairs"] == n
                assert ("coverage" in each.metric_args) == (name == "some")
                assert each.dataset_type == "toy-2024-05-01"
                assert each.dataset_revision == made.record().sets[ID].sha256
        again = yaml.safe_load(block)["model-index"]
        assert hub.ModelCardData(model_name=name, eval_results=card.data.eval_results).to_dict()["model-index"] == again


def test_names_with_anything_in_them(tmp_path):
    hub = pytest.importorskip("huggingface_hub")
    name = 'a "name": with\nlines, # and 😀'

    class Named:
        kind, source, dimension = "terms", "", 2
        identity = tg.load_model("baseline:levenshtein").identity

        def encode(self, terms):
            import numpy as np

            return np.array([[len(term), 1.0] for term in terms], np.float32)

    Named.name = name
    Named.identity = type(Named.identity)("terms", "own")
    made = tg.evaluate(labelled(many()), Named(), tmp_path / "run")
    tg.export(made, "model-card", tmp_path / "card.yaml")
    card = hub.ModelCard(f"---\n{(tmp_path / 'card.yaml').read_text('utf-8')}---\n")
    assert card.data.model_name == made.results()["model"][0] == name


def test_one_file_is_for_one_model(tmp_path):
    made = run(tmp_path)
    with pytest.raises(tg.TermgaugeError, match=r"is one file, and the run has 3 models \(all, some, levenshtein\)"):
        tg.export(made, "model-card", tmp_path / "card.yaml")
    tg.export(made, "model-card", tmp_path / "card.yaml", model="some")
    with pytest.raises(tg.TermgaugeError, match=r"card\.yaml: is there already"):
        tg.export(made, "model-card", tmp_path / "card.yaml", model="some")
    tg.export(made, "model-card", tmp_path / "card.yaml", model="some", force=True)


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
