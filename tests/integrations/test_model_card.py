"""The block of a model card, read by the library whose cards it is for."""

from __future__ import annotations

import pytest
import yaml

import termgauge as tg
from tests.integrations.small_sets import ID, labelled, many, run


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
