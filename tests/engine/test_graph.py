"""The steps of a run are those that its file asks for."""

from __future__ import annotations

from pathlib import Path

from termgauge.engine.file import load_experiment, parse_experiment
from termgauge.engine.run_folder import RunFolder, RunRecord
from termgauge.engine.runner import experiment_graph
from termgauge.engine.session import RunSession

MODEL = '[[model]]\nspec = "baseline:random"\n'
TERMINOLOGY = '[[terminology]]\nname = "x"\nsource = "x.obo"\n'


def steps_of(file, **options):
    session = RunSession(RunFolder(Path("none")), RunRecord(), {})
    return experiment_graph(file, session, **options).steps


def names(text, **options):
    return steps_of(parse_experiment(text), **options)


def test_steps_of_the_default():
    steps = steps_of(load_experiment())
    assert steps[:3] == ["Read terminologies", "Build benchmarks", "Score models"]
    assert steps[-1] == "Report"


def test_rated_sets_need_no_terminology():
    assert names(f"[human]\n{MODEL}", report=False) == ["Load rated sets", "Score models", "Vocabularies"]


def test_without_sets_nothing_is_scored():
    coverage = '[[coverage]]\nname = "c"\nbranches = ["a"]\n'
    steps = ["Read terminologies", "Vocabularies", "Coverage", "Analogies", "Report"]
    assert names(f"{TERMINOLOGY}{coverage}{MODEL}") == steps
    steps.remove("Analogies")
    assert names(f"{TERMINOLOGY}{coverage}analogies = false\n{MODEL}") == steps
