"""The module of tasks; the tests on torch run it with the library itself."""

from __future__ import annotations

import ast

import polars as pl
import pytest

import termgauge as tg
from termgauge.benchmark.load import load_sets
from termgauge.benchmark.pairset import PairSet
from termgauge.integrations.dataset_folder import language_codes
from tests.integrations.small_sets import benchmark, labelled, many


def declared(folder):
    """Return what the module declares: by class its base, its metadata and its other values."""
    found = {}
    for node in ast.parse((folder / "tasks.py").read_text("utf-8")).body:
        if isinstance(node, ast.ClassDef):
            values = {each.targets[0].id: each.value for each in node.body if isinstance(each, ast.Assign)}
            metadata = {each.arg: each.value for each in values.pop("metadata").keywords}
            dataset = metadata.pop("dataset")
            named = {key.value: value for key, value in zip(dataset.keys, dataset.values, strict=True)}
            assert named.pop("path").id == "_HERE"
            literals = {name: ast.literal_eval(value) for name, value in {**metadata, **named, **values}.items()}
            found[node.name] = {"base": node.bases[0].id, "config": literals.pop("name"), **literals}
    return found


def test_each_set_is_a_task_over_the_files_beside(tmp_path):
    rated = PairSet("rated", pl.DataFrame({"term_1": ["a", "b"], "term_2": ["c", "d"], "score": [1.5, 4.0]}))
    written = tg.export([labelled(many()), rated], "mteb", tmp_path / "out", licence="CC-BY-4.0")
    tasks = declared(tmp_path / "out")
    assert written.contents == {"toy-2024-05-01__syn-syn__hard__random": 160, "rated": 2}
    binary, graded = tasks.values()
    assert (binary["base"], binary["type"], binary["main_score"]) == (
        "AbsTaskPairClassification", "PairClassification", "cosine_ap",
    )  # fmt: skip
    assert (graded["base"], graded["type"], graded["main_score"]) == ("AbsTaskSTS", "STS", "cosine_spearman")
    assert (graded["min_score"], graded["max_score"]) == (1.5, 4.0)
    assert binary["date"] == ("2024-05-01", "2024-05-01")
    assert {task["license"] for task in tasks.values()} == {"cc-by-4.0"}
    assert "Schulz" in binary["bibtex_citation"]
    assert graded["bibtex_citation"] == ""
    assert binary["revision"] == labelled(many()).sha256
    assert len(load_sets(tmp_path / "out")) == 2


def test_a_benchmark_keeps_its_manifest(tmp_path):
    made = benchmark(tmp_path)
    tg.export(made, "mteb", tmp_path / "out", reference="https://example.org/b")
    assert {task["reference"] for task in declared(tmp_path / "out").values()} == {"https://example.org/b"}
    assert {pairs.id: pairs for pairs in load_sets(tmp_path / "out")} == {pairs.id: pairs for pairs in made}


@pytest.mark.parametrize("name", ["a'b\\", '"""', "1", "class", "é", "x__import__('os')", "Path", "{HERE}"])
def test_no_name_becomes_code(tmp_path, name):
    frame = pl.DataFrame({"term_1": ["a", "b"], "term_2": ["c", "d"], "label": [0, 1]})
    sets = [PairSet(name, frame), PairSet("path", frame)]
    try:
        tg.export(sets, "mteb", tmp_path / "out", licence='"""\nimport os')
    except tg.TermgaugeError as error:
        assert "cannot be exported under the name" in str(error)  # noqa: PT017
        return
    assert len(declared(tmp_path / "out")) == 2


def test_what_makes_no_task_is_said(tmp_path):
    single = PairSet("single", pl.DataFrame({"term_1": ["a"], "term_2": ["b"], "label": [1]}))
    with pytest.warns(tg.TermgaugeWarning, match="single: has a single pair"):
        tg.export([single, labelled(many())], "mteb", tmp_path / "out")
    with pytest.raises(tg.TermgaugeError, match="no set of two pairs or more"):
        tg.export(single, "mteb", tmp_path / "none")
    with pytest.raises(tg.TermgaugeError, match="The language 'tlh' has no name in mteb"):
        language_codes("en,tlh")
