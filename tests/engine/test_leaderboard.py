from __future__ import annotations

import json
import shutil

import numpy as np
import polars as pl
import pytest

import termgauge as tg
from termgauge.benchmark.pairset import PairSet
from termgauge.engine.evaluate import compare, evaluate
from termgauge.engine.leaderboard import leaderboard, leaderboard_document, leaderboard_values
from termgauge.engine.runner import run
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.reporting.writers.html import html
from termgauge.reporting.writers.latex import write_latex
from termgauge.tasks.registry import task_of
from tests.engine.small_experiment import write_experiment
from tests.engine.toy_models import ToyConcepts, ToyPairs, ToyTerms, ToyWords, binary_set, graded_set

GRADED, BINARY = graded_set(size=60), binary_set(size=60)


def good(name="good", noise=0.5, seed=1):
    truth = BINARY.frame["label"].cast(pl.Float64).to_numpy()
    return ToyPairs(name, tuple((truth + np.random.default_rng(seed).normal(0, noise, 60)).tolist()))


def test_one_run_is_that_run(tmp_path):
    run = evaluate([GRADED, BINARY], [ToyTerms(), good(), ToyWords()], tmp_path / "run", measures=["cos"])
    board = leaderboard([run])
    assert board.results.equals(run.results().select(board.results.columns))
    wanted = {each.set: each.comparison for each in compare(run, between_measures=False).models}
    for each in board.comparison.models:
        assert repr(each.comparison) == repr(wanted[each.set])
    assert board.comparison.main == compare(run).main


def test_runs_together_are_as_if_they_were_one(tmp_path):
    models = [ToyTerms("a", seed=1), ToyTerms("b", seed=2), good(), ToyWords()]
    apart = [evaluate([GRADED, BINARY], [model], tmp_path / model.name) for model in models]
    whole = evaluate([GRADED, BINARY], models, tmp_path / "whole")
    board, wanted = leaderboard(apart), leaderboard([whole])
    assert list(board.models) == ["a", "b", "good", "words"]
    assert board.results.equals(wanted.results)
    assert board.comparison.main == wanted.comparison.main
    assert {source.run for source in board.sources.values()} == {"a", "b", "good", "words"}
    assert board.standing() == wanted.standing()
    assert all(about.runs == [name] for name, about in board.models.items())


def test_sets_by_hash_and_models_by_identity(tmp_path):
    other = PairSet("elsewhere/graded", GRADED.frame)
    changed = PairSet(GRADED.id, GRADED.frame.head(30))
    one = evaluate([GRADED, BINARY], [ToyTerms("x"), ToyTerms("same", seed=5)], tmp_path / "one")
    two = evaluate([other, changed], [ToyTerms("x", seed=9), ToyTerms("alias", seed=5)], tmp_path / "two")
    board = leaderboard([one, two])
    assert list(board.models) == ["x (one)", "same", "x (two)"]
    assert board.models["same"].runs == ["one", "two"]
    assert board.models["same"].also == ["alias"]
    whole, part = f"toy/graded ({GRADED.sha256[:8]})", f"toy/graded ({changed.sha256[:8]})"
    assert {name: about.runs for name, about in board.sets.items()} == {
        whole: ["one", "two"],
        "toy/binary": ["one"],
        part: ["two"],
    }
    assert board.sources[whole, "x (two)"] == ("two", "elsewhere/graded", "x")
    assert board.sources[whole, "same"].run == "one"
    assert board.sources[part, "same"] == ("two", "toy/graded", "alias")
    assert (part, "x (one)") not in board.sources
    assert board.common == (whole,)
    assert {each.over for each in board.standing()} == {1}
    text = " ".join(leaderboard_document(board).summary)
    assert "2 of 3 sets are not in all runs." in text


def test_the_same_name_twice_over(tmp_path):
    runs = [evaluate([GRADED], [ToyTerms("m", seed=at)], tmp_path / f"{at}" / "run") for at in range(3)]
    names = list(leaderboard(runs).models)
    assert len(set(names)) == 3
    assert all(name.startswith("m (") for name in names)
    assert len(leaderboard([runs[0], runs[0].path]).runs) == 1


def test_ranks_and_mean_ranks(tmp_path):
    run = evaluate([GRADED, BINARY], [ToyTerms("a"), good(), ToyPairs("flat", (1.0,) * 60)], tmp_path / "run")
    board = leaderboard([run])
    assert board.ranks["toy/binary", "good"] == 1
    assert ("toy/graded", "flat") not in board.ranks
    assert board.common == ("toy/binary",)
    first = board.standing()[0]
    assert (first.model, first.mean_rank, first.over, first.sets) == ("good", 1.0, 1, 2)
    values = {
        row["model"]: row["value"]
        for row in board.results.filter(set="toy/binary", statistic="auc", subset="shared").to_dicts()
    }
    order = sorted(values, key=lambda name: -values[name])
    assert [each.model for each in board.standing()] == order
    assert sum(each.wins for each in board.standing()) == sum(each.losses for each in board.standing())


def test_a_run_that_lost_its_scores(tmp_path):
    one = evaluate([BINARY], [good()], tmp_path / "one")
    two = evaluate([BINARY], [ToyTerms("lost"), ToyTerms("kept", seed=4)], tmp_path / "two")
    shutil.rmtree(two.scored().scores_file("lost", BINARY.id).parent)
    board = leaderboard([one, two])
    assert list(board.comparison.models[0].comparison.by_model) == ["good", "kept"]
    assert set(board.models) == set(board.results["model"]) == {"good", "kept"}
    assert [each["tested"] for each in leaderboard_values(board)["sources"]] == [True, True]
    two.scored().scores_file("kept", BINARY.id).write_bytes(b"junk")
    with pytest.warns(TermgaugeWarning, match="Left out of the leaderboard"):
        assert list(leaderboard([one, two]).models) == ["good"]


def test_no_set_in_common(tmp_path):
    one, two = evaluate([GRADED], [ToyTerms("a")], tmp_path / "one"), evaluate([BINARY], [good()], tmp_path / "two")
    board = leaderboard([one, two])
    assert board.common == ()
    assert [each.over for each in board.standing()] == [1, 1]
    assert len(leaderboard_document(board).tables()) > 3


def test_models_that_share_no_pairs(tmp_path):
    one = evaluate([GRADED], [ToyPairs("a", (*range(30), *[float("nan")] * 30))], tmp_path / "one")
    two = evaluate([GRADED], [ToyPairs("b", (*[float("nan")] * 30, *range(30)))], tmp_path / "two")
    with pytest.warns(TermgaugeWarning, match="cannot be compared, because"):
        board = leaderboard([one, two])
    assert board.comparison.models == ()
    assert html(leaderboard_document(board))


def test_a_model_that_scores_nothing(tmp_path):
    with pytest.warns(TermgaugeWarning, match="score less than 50 %"):
        run = evaluate([GRADED], [ToyTerms(), ToyConcepts(("C1",))], tmp_path / "run")
    board = leaderboard([run])
    assert [each.mean_rank for each in board.standing()] == [1.0, None]
    leaderboard_document(board)


def test_documents_of_it(tmp_path):
    runs = [evaluate([GRADED, BINARY], [model], tmp_path / model.name) for model in (good(), ToyTerms(), ToyWords())]
    board = leaderboard(runs, measure="fuzzy_jaccard", correction="holm", alpha=0.1)
    assert set(board.results.filter(model="words")["measure"].to_list()) == {"fuzzy_jaccard"}
    document = leaderboard_document(board, title="All of them")
    ids = [table.id for table in document.tables()]
    assert len(ids) == len(set(ids))
    assert {"overall", "board-models", "board-sets"} <= set(ids)
    assert "All of them" in html(document)
    assert write_latex(document, tmp_path / "tex", pictures=())[0].is_file()
    json.dumps(leaderboard_values(board), allow_nan=False)
    assert list(leaderboard(runs, sets=["toy/binary"]).sets) == ["toy/binary"]
    assert tg.leaderboard is leaderboard


def test_bad_input(tmp_path):
    run = evaluate([GRADED], [ToyTerms()], tmp_path / "run")
    with pytest.raises(TermgaugeError, match="No run was named"):
        leaderboard([])
    with pytest.raises(TermgaugeError, match="is no run folder"):
        leaderboard([tmp_path])
    with pytest.raises(TermgaugeError, match="Did you mean 'toy/graded'"):
        leaderboard([run], sets=["toy/grade"])
    with pytest.raises(TermgaugeError, match="Did you mean 'avg_cos'"):
        leaderboard([run], measure="avg_cosine")


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_what_other_tasks_found_comes_together_where_they_were_asked_the_same(tmp_path):
    both = write_experiment(tmp_path / "both")
    first = run(both, out=tmp_path / "first", report=False)
    both.write_text(both.read_text().replace('name = "chance"', 'name = "luck"').replace("dim=8", "dim=9"))
    second = run(both, out=tmp_path / "second", report=False)
    both.write_text(both.read_text().replace('far = "X:2"', 'far = "X:3"'))
    third = run(both, out=tmp_path / "third", report=False)
    board = leaderboard([first, second, third])
    known = {(each.task, each.name): each.values for each in board.tasks}
    assert [name for task, name in known if task == "categories"] == ["organs", "organs (third)"]
    assert [value.model for value in known["categories", "organs"]] == ["words", "letters", "chance", "luck"]
    assert list(known["categories", "organs"][:3]) == list(first_values(first, "categories", "organs"))
    assert ("coverage", "heart") in known
    titles = [section.title for section in leaderboard_document(board).sections]
    assert {"Categories: organs", "Coverage: heart", "Vocabularies"} <= set(titles)
    assert [each["task"] for each in leaderboard_values(board)["tasks"]] == [each.task for each in board.tasks]


def first_values(made, task, name):
    return task_of(task).load(made.scored(), name).values()
