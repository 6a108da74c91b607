"""What is shown of every comparison: the headline, the ranking as table and picture, what it leaves open, in brief."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from termgauge.reporting.blocks import Document, Prose, Section
from termgauge.reporting.standard import brief_verdict, headlined, in_brief, joint_blocks, limits, ranking_table
from termgauge.statistics.compare import SetOutcomes, compare
from termgauge.statistics.comparison import headline
from termgauge.statistics.covariance import Units
from tests.reporting.plots.marks import outside, overlapping, texts, titles

NONE = np.zeros(0)


@cache
def joint(*means, sets=2, baselines=(), n=400):
    """Compare models of some accuracies on sets of independent items; the first set is small."""
    draws = np.random.default_rng(1)
    outcomes = []
    for at in range(sets + 1):
        size = n if at else 20
        truth = draws.random(size)
        values = {f"model-{place}": (truth < mean) * 1.0 for place, mean in enumerate(means)}
        units = Units(np.arange(size), np.full(size, -1))
        outcomes.append(SetOutcomes(f"set {at}", "mean", units, NONE, values, label="accuracy"))
    found = compare(outcomes, baselines=baselines).main
    assert found is not None
    return found


def test_headlines():
    claim, numbers = headline(joint(0.9, 0.7, 0.5, baselines=("model-2",)))
    assert claim == "model-0 is best."
    assert numbers.startswith("Mean accuracy .")
    assert "above model-1, the next. It is ." in numbers
    assert numbers.endswith("above model-2, the best baseline.")
    assert headline(joint(0.9, 0.5), "knows it best")[0] == "model-0 knows it best."
    alike = joint(0.7, 0.7, 0.4)
    assert headline(alike)[0] == "model-0 and model-1 cannot be told apart."  # nothing is known of their error
    assert headline(alike)[1].startswith("Both are better than model-2. model-0 has the highest value: mean accuracy .")
    assert headline(joint(0.7))[0] == "model-0 alone was measured."
    assert "and the best baseline" in headline(joint(0.9, 0.5, baselines=("model-1",)))[1]


def test_a_baseline_is_no_answer():
    claim, numbers = headline(joint(0.5, 0.9, baselines=("model-1",)), "knows it best")
    assert claim == "No model beats the baseline model-1."
    assert "above model-0, the next" in numbers
    assert headline(joint(0.5, 0.9, baselines=("model-0", "model-1")))[0] == "model-1 is best."


def test_a_task_in_which_a_baseline_is_best_says_so_in_brief():
    weak = joint(0.5, 0.9, baselines=("model-1",))
    assert brief_verdict(weak).startswith("No model beats the baseline model-1. Mean accuracy .")
    assert brief_verdict(joint(0.9, 0.5)).startswith("model-0 is best: mean accuracy .")
    lines = " ".join(in_brief([("", joint(0.9, 0.5)), ("Linking", weak)]))
    assert "Linking: No model beats the baseline model-1." in lines


@pytest.mark.parametrize("means", [(0.9, 0.7, 0.5), (0.7,), (0.7, 0.7)])
def test_what_is_claimed_is_what_the_verdict_says(means):
    found = joint(*means)
    claim, numbers = headline(found)
    assert found.verdict.startswith(claim.removesuffix("."))
    assert numbers[1:].removesuffix(".") in found.verdict


def test_what_is_left_open_is_said_in_two_sentences():
    found = joint(0.9, 0.7, 0.5)
    assert list(limits(found)) == ["1 set, too small or of another kind, does not count."]
    few = replace(found, ranking=tuple(replace(row, scored=0.5 + 0.1 * row.tier) for row in found.ranking))
    first, _second = limits(few, "pairs")
    assert first == (
        "model-0 scores 60 % of the pairs, model-1 70 % and model-2 80 %; models are ranked on the pairs that all of "
        "them score."
    )


@pytest.mark.parametrize("width", [320, 720])
def test_the_picture_has_every_model_and_its_numbers(width):
    found = joint(0.9, 0.7, 0.68, 0.5, baselines=("model-3",))
    root = ET.fromstring(ranking_table(found).draw(width).svg("a", "b", "c"))
    assert outside(root) == overlapping(root) == []
    shown = texts(root)
    for row in found.ranking:
        assert f"{row.model}{' ◇' if row.model == 'model-3' else ''}" in shown
        assert f"{row.value:.3f}" in shown
    assert ("95 %" in shown) == (width == 720)
    assert len(titles(root)) == 4


def test_a_document_says_its_ranking_once():
    found = joint(0.9, 0.7, 0.5)
    own = Section("own", "Own", (*joint_blocks(found), Prose(("More.",))))
    made = headlined(Document("Study", ("Else.",), (), (own,)), found)
    assert (made.headline, made.summary[1:]) == ("model-0 is best.", ("Else.",))
    first, second = made.chapters
    assert first[0].blocks[0].rows == ranking_table(found).rows
    assert [table.id for table in made.tables()] == ["ranking", "differences"]
    assert second[0].blocks[-1] == Prose(("More.",))


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("models", [1, 7, 40])
@pytest.mark.parametrize("tasks", [1, 2, 4, 9, 30])
def test_all_tasks_in_brief_are_a_screenful(tasks, models, width):
    found = joint(*np.linspace(0.95, 0.1, models).tolist(), n=2000)
    lines = in_brief([("", found), *((f"Task {at}", found) for at in range(1, tasks))], width=width)
    assert len(lines) <= 38
    assert all(len(line) <= width for line in lines)
    whole = " ".join(lines)
    assert whole.startswith({1: "model-0 alone", 7: "model-0 is best"}.get(models, "model-0"))
    told = sum(line.startswith("Task ") for line in lines)
    assert told == tasks - 1 or f"And {tasks - 1 - told} more task" in lines[-1]
    rows = [line for line in lines if line.startswith("model-") and line.endswith(" 100 %")]
    assert len(rows) >= min(models, 4)
    if tasks == 1 and models == 7:
        assert len(rows) == 7
    if tasks == 4 and models == 7:
        assert len(rows) >= 7 + 3 * 3
    if models == 40:
        assert any(line.startswith("and ") and line.endswith(" more") for line in lines)
