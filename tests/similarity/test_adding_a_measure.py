"""The measure that the docs add, in the tree and by an entry point, with and without a kernel of its own."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from importlib import metadata
from types import ModuleType

import numpy as np
import pytest

from termgauge.similarity import Measure, kernels, measures, reference
from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "adding-a-measure.md").read_text("utf-8")
FILE, LINE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(params=["tree", "package"])
def added(request, monkeypatch):
    module = ModuleType("termgauge.similarity.max_cos")
    exec(FILE, vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    if request.param == "tree":
        line = {}
        exec(LINE, line)
        monkeypatch.setattr(measures, "_MODULES", line["_MODULES"])
    else:
        entry = metadata.EntryPoint("max_cos", f"{module.__name__}:MEASURE", measures.GROUP)
        monkeypatch.setattr(metadata, "entry_points", lambda *, group: [entry] if group == measures.GROUP else [])
    measures.all_measures.cache_clear()
    yield module.MEASURE
    monkeypatch.undo()
    measures.all_measures.cache_clear()


@pytest.mark.parametrize(("kind", "tolerance"), [(np.float64, 1e-9), (np.float32, 1e-5)])
def test_it_is_computed_by_its_definition(added, kind, tolerance, monkeypatch):
    monkeypatch.setattr(kernels, "SLICE_PAIRS", 7)
    generator = np.random.default_rng(0)
    vectors = generator.normal(size=(30, 6)).astype(kind)
    vectors[:4] = -np.abs(vectors[:4])
    sizes = generator.integers(0, 4, 12)
    offsets, words = np.concatenate([[0], np.cumsum(sizes)]), generator.integers(0, 30, sizes.sum())
    first, second = generator.integers(0, 12, (2, 60))
    scores = kernels.score_words(vectors, offsets, words, first, second, [added.name, "avg_cos"])[:, 0]
    terms = [vectors[words[offsets[term] : offsets[term + 1]]].astype(np.float64) for term in range(12)]
    for score, a, b in zip(scores, first, second, strict=True):
        if not len(terms[a]) or not len(terms[b]):
            assert np.isnan(score)
            continue
        x, y = (np.maximum(terms[term].max(axis=0), 0) for term in (a, b))
        length = np.linalg.norm(x) * np.linalg.norm(y)
        assert score == pytest.approx(x @ y / length if length else np.nan, abs=tolerance, nan_ok=True)
    known = scores[~np.isnan(scores)]
    assert 0 < len(known) < len(scores)
    assert added.range[0] <= known.min() < known.max() <= added.range[1] + tolerance


def test_it_is_like_the_others_to_those_who_ask(added):
    assert measures.find_measure("max_cos") is added
    assert added in measures.measures_for("words")
    assert list(measures.all_measures())[-1] == "max_cos"
    assert not measures.same_measure("max_cos", "cos")
    assert not measures.same_measure("max_cos", measures.OWN_MEASURE)
    assert measures.check_measure("max_cos") == "max_cos"
    assert measures.select_measures("words", ["max_cos"]) == ("max_cos",)
    assert measures.select_measures("terms", ["max_cos"]) == ()


def test_a_kernel_is_used_where_there_is_one(monkeypatch):
    def kernel(vectors, offsets, rows, first, second, out):
        for p in range(len(first)):
            ends = [vectors[rows[offsets[term] : offsets[term + 1]]].sum() for term in (first[p], second[p])]
            out[p] = min(ends) / max(ends)

    plain = Measure(
        name="ratio", compares="terms", range=(0, 1), description="ratio of sums", function=lambda _x, _y: 0.25
    )
    vectors, first, second = np.array([[1.0, 1.0], [3.0, 1.0]]), np.array([0, 1]), np.array([1, 1])
    for measure, expected in ((plain, [0.25, 0.25]), (replace(plain, kernel=kernel), [0.5, 1.0])):
        known = {**measures.all_measures(), "ratio": measure}
        monkeypatch.setattr(measures, "all_measures", lambda known=known: known)
        assert kernels.score_terms(vectors, first, second, ["ratio"])[:, 0].tolist() == expected
        monkeypatch.undo()
    assert reference.similarity("cos", [1, 0], [1, 0]) == 1


@pytest.mark.parametrize(("family", "pooling"), [("cosine", "maxima"), ("jaccard", "mean"), ("own", "none")])
def test_what_nothing_computes_cannot_be_declared(family, pooling):
    with pytest.raises(ValueError, match="nothing computes the measure 'max_cos'"):
        Measure(name="max_cos", compares="words", range=(0, 1), description="", family=family, pooling=pooling)
