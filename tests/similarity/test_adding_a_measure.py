"""The measure that the docs add, step by step: declared, defined, computed, and the same by both."""

from __future__ import annotations

import re

import numpy as np
import pytest

from termgauge.similarity import kernels, measures, reference
from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "adding-a-measure.md").read_text("utf-8")


@pytest.fixture
def added(monkeypatch):
    declaration, definition, kernel = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    measure = eval(declaration, vars(measures))
    known = {**measures.MEASURES, measure.name: measure}
    monkeypatch.setattr(measures, "MEASURES", known)
    for code, module, name in ((definition, reference, "max_cos"), (kernel, kernels, "_maximum_cosine")):
        namespace = {}
        exec(code, vars(module), namespace)
        assert list(namespace) == [name]
        monkeypatch.setattr(module, name, namespace[name], raising=False)
    monkeypatch.setitem(reference._OF_MATRICES, measure.name, reference.max_cos)
    plain = kernels._prepared

    def prepared(work, asked):
        chosen = asked.name == measure.name
        return (lambda batch: kernels._maximum_cosine(work, batch)) if chosen else plain(work, asked)

    monkeypatch.setattr(kernels, "_prepared", prepared)
    return measure


@pytest.mark.parametrize(("kind", "tolerance"), [(np.float64, 1e-9), (np.float32, 1e-5)])
def test_the_kernel_equals_the_definition(added, kind, tolerance, monkeypatch):
    monkeypatch.setattr(kernels, "SLICE_ROWS", 3)
    generator = np.random.default_rng(0)
    vectors = generator.normal(size=(30, 6)).astype(kind)
    vectors[:4] = -np.abs(vectors[:4])
    sizes = generator.integers(0, 4, 12)
    offsets, words = np.concatenate([[0], np.cumsum(sizes)]), generator.integers(0, 30, sizes.sum())
    first, second = generator.integers(0, 12, (2, 60))
    scores = kernels.score_words(vectors, offsets, words, first, second, [added.name, "avg_cos"])[:, 0]
    terms = [vectors[words[offsets[term] : offsets[term + 1]]] for term in range(12)]
    expected = [reference.similarity(added.name, terms[a], terms[b]) for a, b in zip(first, second, strict=True)]
    np.testing.assert_allclose(scores, expected, atol=tolerance)
    known = scores[~np.isnan(scores)]
    assert 0 < len(known) < len(scores)
    assert added.range[0] <= known.min() < known.max() <= added.range[1] + tolerance


def test_it_is_like_the_others_to_those_who_ask(added):
    assert measures.find_measure("max_cos") is added
    assert added in measures.measures_for("words")
    assert not measures.alike("max_cos", "cos")
    assert measures.checked_measure("max_cos") == "max_cos"
