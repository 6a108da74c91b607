from __future__ import annotations

import json

import numpy as np

from termgauge.engine.evaluate import compare, evaluate
from tests.engine.toy_models import ToyPairs, ToyWords, graded_set


def test_the_document_is_json_without_nan(tmp_path):
    ratings = graded_set().frame["score"].to_numpy()
    models = [ToyPairs("[b]good", tuple(ratings + np.arange(40) / 1e3)), ToyWords(), ToyPairs("flat", (0.5,) * 40)]
    found = compare(evaluate([graded_set()], models, tmp_path / "run"))
    document = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    systems = document["models"]["toy/graded"]["systems"]
    assert [each["name"] for each in systems] == ["[b]good", "words", "flat"]
    assert systems[2]["value"] is None
    assert (systems[0]["wins"], systems[1]["losses"]) == (1, 1)
    assert len(document["models"]["toy/graded"]["differences"]) == 1
    (measures,) = document["measures"]
    assert (measures["model"], len(measures["systems"]), measures["comparisons"]) == ("words", 10, 45)
