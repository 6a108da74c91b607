"""The golden comparison notices one altered digit in a file of any kind, and what is missing or new."""

from __future__ import annotations

import json

import pytest
from release.golden import KEPT, ROOT, compare, make


@pytest.fixture
def trees(tmp_path):
    """Return two folders of outputs with the same bytes, a file of each kind in a folder of its own."""
    for name in ("one", "other"):
        for suffix in KEPT:
            (tmp_path / name / suffix.strip(".")).mkdir(parents=True)
            (tmp_path / name / suffix.strip(".") / f"file{suffix}").write_text("fever\t0.8312\n")
    return tmp_path / "one", tmp_path / "other"


def test_equal_folders_are_equal(trees):
    assert compare(*trees) == []


@pytest.mark.parametrize("suffix", sorted(KEPT))
def test_one_digit_is_noticed(trees, suffix):
    (trees[1] / suffix.strip(".") / f"file{suffix}").write_text("fever\t0.8313\n")
    assert compare(*trees) == [f"differs: {suffix.strip('.')}/file{suffix}"]


def test_a_file_that_is_missing_or_new_is_noticed(trees):
    (trees[1] / "json/file.json").rename(trees[1] / "json/renamed.json")
    assert [line.rpartition(": ")[2] for line in compare(*trees)] == ["json/file.json", "json/renamed.json"]


def test_commands_are_run_and_times_taken_out(tmp_path, monkeypatch):
    commands = {
        "build": "build terms --out built --only fsn-syn --json",
        "evaluate": "evaluate -b pairs.tsv -m words.txt -o run --json",
        "wrong": "terminology nowhere --json",
    }
    monkeypatch.setattr("release.golden.COMMANDS", commands)
    make(tmp_path / "made", ROOT, None)
    answers = {path.stem: path.read_text() for path in (tmp_path / "made/answers").iterdir()}
    assert answers["wrong"] == "2\n"
    status, _, document = answers["evaluate"].partition("\n")
    assert status == "0"
    assert json.loads(document)
    record = json.loads((tmp_path / "made/files/run/run.json").read_text())
    assert "timings" not in record
    assert record["models"]
    assert (tmp_path / "made/files/run/results.csv").is_file()
