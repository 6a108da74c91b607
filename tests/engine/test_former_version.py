"""Runs of version 0.1.0 are opened, compared, and gone on with; the folder here was written by that version itself."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import termgauge as tg
from termgauge.engine.report import run_document
from termgauge.engine.run_folder import open_run
from tests.engine.small_experiment import add_drugs, write_experiment
from tests.engine.toy_models import ToyTerms

FORMER = Path(__file__).parent / "run_of_0_1_0"
HARD = "small-2026-01-01/fsn-syn/hard/levenshtein"


@pytest.fixture
def former(tmp_path):
    """Return a copy of the run, beside the files that it was made from."""
    add_drugs(write_experiment(tmp_path / "study"))
    shutil.copytree(FORMER, tmp_path / "study" / "run")
    (tmp_path / "study" / "experiment.toml").write_text((FORMER / "experiment.toml").read_text())
    return tmp_path / "study" / "run"


def files(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*.*") if path.is_file()}


def lasting(results):
    """Return what that version measured and later ones measure in the same way; intervals differ."""
    kept = results.filter(results["statistic"].is_in(["spearman", "auc", "accuracy", "coverage"]))
    return kept.drop("low", "high").with_columns(kept["value"].round(12))


def test_it_is_what_that_version_wrote():
    document = json.loads((FORMER / "run.json").read_text())
    assert document["termgauge"] == "0.1.0"
    assert "tasks" not in document
    assert not any("origin" in each for each in document["sets"].values())


def test_it_says_what_it_is_about(former):
    record = open_run(former).record()
    assert list(record.models) == ["words", "letters", "chance"]
    assert record.tasks == {
        "categories": ["organs"],
        "coverage": ["heart", "drugs <b>"],
        "analogies": ["heart", "drugs <b>"],
    }
    assert record.terminologies["small"].version == "2026-01-01"
    assert record.testing.alpha == 0.05
    assert open_run(former).scored().read_set(HARD).origin.kind == "fsn-syn"


def test_its_report(former):
    document = run_document(former)
    titles = [section.title for section in document.sections]
    for title in (
        "Names vs synonyms",
        "Vocabularies",
        "Categories kept apart: organs",
        "Coverage of a domain: heart",
        "Coverage of a domain: drugs <b>",
        "Relations as analogies: drugs <b>",
        "How it was made",
    ):
        assert title in titles
    assert "What is missing" not in titles
    assert "mean accuracy" in document.summary[0]
    (page,) = tg.report(former)
    assert "Names vs synonyms" in page.read_text()


def test_it_is_compared(former):
    compared = tg.compare(former)
    assert {each.set: tuple(each.comparison.by_model) for each in compared.models}[HARD] == (
        "words",
        "letters",
        "chance",
    )
    assert tg.errors(former, "words", HARD, n=3).measure == "avg_cos"
    board = tg.leaderboard([former])
    assert {each.model for each in board.standing()} == {"words", "letters", "chance"}


def test_nothing_differs_from_what_is_made_now(former, tmp_path):
    assert tg.diff(former, former).changed == ()
    now = tg.run(former.parent / "experiment.toml", out=tmp_path / "now", report=False)
    assert lasting(now.results()).equals(lasting(open_run(former).results()))
    changes = tg.diff(former, now)
    assert (changes.changed, changes.missing) == ((), ())
    assert {value.set for value in changes.values} >= {HARD, "vocabulary", "categories: organs", "coverage: heart"}
    assert {each.state for each in (*changes.models, *changes.sets)} == {"same"}


def test_a_run_goes_on_in_it(former, scored):
    before = files(former)
    made = tg.run(former.parent / "experiment.toml", out=former, report=False)
    assert scored == [], "its scores are those of the same models and sets"
    assert lasting(made.results()).equals(lasting(open_run(FORMER).results()))
    assert made.record().failures == {}
    assert made.record().sets[HARD].origin.strategy == "levenshtein"
    assert before <= files(former)
    wanted, now = (json.loads((folder / "coverage" / "heart.json").read_text()) for folder in (FORMER, former))
    counted = ("seeds", "in_vocabulary", "out_of_vocabulary", "share")
    for key, value in wanted["models"].items():
        assert {name: now["models"][key][name] for name in counted} == {name: value[name] for name in counted}


def test_a_model_is_added_to_it(former, scored):
    run = tg.evaluate([former / "benchmarks" / "small"], [ToyTerms()], former, measures=["cos"])
    assert {call[0] for call in scored} == {"encoder"}
    assert list(run.record().models) == ["words", "letters", "chance", "encoder"]
    own, wanted = (lasting(each.results()).filter(model="words", subset="own") for each in (run, open_run(FORMER)))
    assert own.equals(wanted)
