from __future__ import annotations

import io
import json

import numpy as np
import pytest
from rich.console import Console
from termgauge.experiment.compare import compare

from termgauge.experiment.evaluate import evaluate
from termgauge.tasks.pairs.comparisons_table import comparison_document, comparison_tables
from tests.experiment.toy_models import ToyPairs, ToyWords, graded_set


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    ratings = graded_set().frame["score"].to_numpy()
    models = [ToyPairs("[b]good", tuple(ratings + np.arange(40) / 1e3)), ToyWords(), ToyPairs("flat", (0.5,) * 40)]
    run = evaluate([graded_set()], models, tmp_path_factory.mktemp("made") / "run")
    return compare(run)


def test_models_in_order_with_interval_and_superscripts_then_measures(found):
    console = Console(file=io.StringIO(), width=80)
    console.print(comparison_tables(found))
    text = console.file.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    places = [text.index(name) for name in ("[b]good", "words", "flat", "words on toy/graded", "max_jaccard")]
    assert places == sorted(places)
    best = next(line for line in text.splitlines() if line.startswith("[b]good"))
    assert "⁺¹" in best
    value = found.models[0].comparison.values[0]
    assert f"[{value.low:.2f}, {value.high:.2f}]" in best
    assert "smallest difference in rho" in text


def test_the_document_is_json_without_nan(found):
    document = json.loads(json.dumps(comparison_document(found), allow_nan=False))
    systems = document["models"]["toy/graded"]["systems"]
    assert [each["name"] for each in systems] == ["[b]good", "words", "flat"]
    assert systems[2]["value"] is None
    assert (systems[0]["wins"], systems[1]["losses"]) == (1, 1)
    assert len(document["models"]["toy/graded"]["differences"]) == 3
    (measures,) = document["measures"]
    assert (measures["model"], len(measures["systems"]), measures["comparisons"]) == ("words", 10, 45)
