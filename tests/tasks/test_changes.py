"""What changed between two runs, for a task that says nothing about it itself."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from termgauge.tasks.changes import ONLY_FIRST, ONLY_SECOND, SAME, ModelChange, ValueChange, plain_changes
from tests.tasks.small_task import LettersResult, LettersTask

MODELS = [ModelChange("a", "a", SAME), ModelChange("b", "z", "renamed"), ModelChange("gone", "", ONLY_FIRST)]


@pytest.fixture
def runs(tmp_path):
    task = LettersTask()

    def make(**tables):
        views = []
        for place, run in enumerate(("one", "two")):
            (tmp_path / run / "letters").mkdir(parents=True)
            for name, pair in tables.items():
                if pair[place] is not None:
                    task.save(LettersResult(models=pair[place]), tmp_path / run, name, {})
            views.append(SimpleNamespace(path=tmp_path / run))
        return plain_changes(task, tuple(views), list(tables), MODELS)

    return make


def test_values_of_the_same_model_are_matched(runs):
    found = runs(short=({"a": 3, "b": 4, "gone": 5}, {"a": 3, "z": 6, "new": 1}))
    assert [(each.model, each.set, each.before, each.after) for each in found.values] == [
        ("a", "letters: short", 3, 3),
        ("b", "letters: short", 4, 6),
    ]
    same, other = found.values
    assert (same.verdict, same.identical, same.changed) == ("unchanged", True, False)
    assert (other.verdict, other.difference, other.better, other.n) == ("not tested", 2, "", 7)
    assert (found.sets, found.missing) == ([], [])


def test_tables_that_one_run_alone_has_are_named(runs):
    found = runs(early=({"a": 1}, None), late=(None, {"a": 1}), never=(None, None))
    assert found.values == []
    assert found.missing == [("", "letters: early", ONLY_FIRST), ("", "letters: late", ONLY_SECOND)]


def change(before, after, **more):
    plain = {"n": 9, "coverage": (1.0, 1.0), "paired": True, "identical": False}
    return ValueChange("m", "set", ("cos", "cos"), "auc", before, after, **(plain | more))


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        (change(0.5, 0.5), "unchanged"),
        (change(math.nan, math.nan), "unchanged"),
        (change(0.5, 0.6), "not tested"),
        (change(0.5, 0.6, paired=False), "other pairs"),
        (change(0.5, 0.6, test="DeLong"), "not significant"),
        (change(0.5, 0.6, test="DeLong", significant=True), "better"),
        (change(0.6, 0.5, test="DeLong", significant=True), "worse"),
        (change(0.5, 0.6, test="DeLong", significant=True, better="lower"), "worse"),
    ],
)
def test_verdicts(value, verdict):
    assert value.verdict == verdict


def test_a_measure_that_changed_is_named_with_both_names():
    assert change(1, 2).measure == "cos"
    assert ValueChange("m", "s", ("cos", "avg_cos"), "auc", 1, 2, 3, (1, 1), paired=True, identical=False).measure == (
        "cos → avg_cos"
    )
