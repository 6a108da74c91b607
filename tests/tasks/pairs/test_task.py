"""Scoring pairs, as the task that runs know."""

from __future__ import annotations

import pytest

from termgauge.engine.evaluate import evaluate
from termgauge.tasks import contract
from termgauge.tasks.pairs.scored import ScoredSets
from termgauge.tasks.pairs.task import TASK, ConceptIds, PairOptions
from termgauge.tasks.records import RunView
from tests.engine.toy_models import ToyPairs, ToyTerms, ToyWords, binary_set, graded_set

HARD = "hp/fsn-syn/hard/random"
NAMES = ("McNemar", "Wilson", "DeLong", "Aronow", "Efron", "Holm", "Schulz")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    sets = [graded_set(), binary_set(HARD)]
    return evaluate(sets, [ToyWords(), ToyTerms(), ToyPairs()], tmp_path_factory.mktemp("made") / "run")


def cited(run, **changes):
    view = run.scored(contract.Testing(**changes))
    text = " ".join(each.citation for each in TASK.cited(TASK.load(view, "")))
    return [name for name in NAMES if name in text]


def test_it_is_measured_by_files_in_the_run(run, tmp_path):
    view = RunView(tmp_path, run.record().models, run.record().sets)
    inputs = TASK.inputs(PairOptions(), contract.Material(sets=(graded_set(),), run=view))
    assert isinstance(inputs.scored, ScoredSets)
    assert TASK.measure(ToyPairs(), inputs, PairOptions()) == ConceptIds(systems={})
    assert inputs.scored.scores("own", "toy/graded").keys() == {"similarity"}
    assert TASK.record(ToyPairs(), ConceptIds(systems={"a": "umls"})).concept_ids == {"a": "umls"}


def test_a_run_without_sets_has_no_result(run, tmp_path):
    assert TASK.load(RunView(tmp_path), "") is None
    assert TASK.load(run.scored(), "").results.equals(run.results())


def test_what_was_used_is_cited(run):
    assert cited(run) == ["Wilson", "DeLong", "Aronow", "Holm", "Schulz"]
    assert "Holm" not in cited(run, correction="none")
    assert {"McNemar", "Efron"} < set(cited(run, tests="paper"))


def test_rated_sets_alone_need_fewer_citations(tmp_path):
    rated = evaluate([graded_set()], [ToyPairs(), ToyTerms()], tmp_path / "run", measures=["cos"])
    assert not {"McNemar", "DeLong"} & set(cited(rated))


def test_what_it_says_of_a_run(run):
    result = TASK.load(run.scored(), "")
    about = contract.About(failures={"lost": "The disk is full."})
    assert [section.id for section in TASK.sections(result, about)][:3] == ["verdict", "heatmap", "groups"]
    (paper,) = TASK.paper_sections(result)
    assert paper.id == "paper"
