from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console
from termgauge.experiment.compare import compare

from termgauge.experiment.evaluate import evaluate
from termgauge.tasks.pairs.results_table import results_tables
from tests.experiment.toy_models import ToyPairs, ToyWords, binary_set, graded_set


def printed(found, width):
    console = Console(file=io.StringIO(), width=width)
    console.print(found)
    return console.file.getvalue()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return a run of eight models with long names, of which one is much better than the others."""
    truth = np.arange(60) % 2
    sets = [graded_set(size=60), binary_set("t/fsn-syn/easy/random", 60), binary_set("t/fsn-syn/hard/levenshtein", 60)]
    noisy = [
        ToyPairs(f"a-model-with-a-long-name-{k}", tuple(np.random.default_rng(k).normal(size=60))) for k in range(6)
    ]
    models = [ToyPairs("oracle", tuple(truth + np.arange(60) / 1e3)), *noisy, ToyWords(words=ToyWords().words[:-1])]
    return evaluate(sets, models, tmp_path_factory.mktemp("made") / "run", measures=["avg_cos"])


def kinds(run):
    return {name: model["kind"] for name, model in run.document()["models"].items()}


@pytest.mark.parametrize("width", [80, 100, 200])
def test_it_fits_and_holds_every_value(run, width):
    comparison = compare(run, between_measures=False, power=False)
    text = printed(results_tables(run.results(), kinds(run), comparison, width=width), width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    shared = run.results().filter(subset="shared").filter(statistic="accuracy")
    for value in shared["value"]:
        assert f"{value:.3f}" in text
    for words in ("Spearman's rho, toy", "t, random negatives", "t, levenshtein negatives", "fsn-syn/easy", "oracle"):
        assert words in text
    assert "corrected by Bonferroni" in " ".join(text.split())
    assert "Pairs that a model can score" in text


def test_superscripts_are_wins_and_losses(run):
    comparison = compare(run, between_measures=False, power=False)
    text = printed(results_tables(run.results(), kinds(run), comparison, width=200), 200)
    row = next(line for line in text.splitlines() if line.startswith("fsn-syn/easy"))
    assert "1.000⁺⁷" in row
    assert row.count("⁻¹") == 7
    plain = printed(results_tables(run.results(), kinds(run), width=200), 200)
    assert "⁺" not in plain


def test_one_model_and_no_values(tmp_path):
    run = evaluate([graded_set()], [ToyPairs("flat", (1.0,) * 40)], tmp_path / "run")
    text = printed(results_tables(run.results(), kinds(run)), 80)
    assert "–" in text
    assert "flat" in text
