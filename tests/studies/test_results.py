"""The results of a study: what is written, that it loads wherever a benchmark does, and what users can ask for."""

from __future__ import annotations

import json

import polars as pl
import pytest

import termgauge as tg
from termgauge.benchmark.load import load_sets
from termgauge.exceptions import SkippedWarning, TermgaugeError
from termgauge.studies.folder import open_study
from termgauge.studies.results.compute import study_results
from tests.studies.rated_study import rated_study

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")


@pytest.fixture(scope="module")
def similarity(tmp_path_factory):
    study = rated_study(tmp_path_factory.mktemp("similarity") / "study")
    return study, study.results()


@pytest.fixture(scope="module")
def quality(tmp_path_factory):
    study = rated_study(tmp_path_factory.mktemp("quality") / "study", "quality", raters=5)
    return study, study.results()


def lines(path):
    return [line.split("\t") for line in path.read_text("utf-8").splitlines()]


def test_scores_are_the_mean_ratings_of_those_who_count(similarity):
    study, found = similarity
    assert found.similarity.agreement.left_out == ["r2"]
    header, *rows = lines(study.folder / "results" / "scores.tsv")
    assert header == ["word1", "word2", "score", "n", "sd"]
    words = {f"{one}\t{other}": number for number, one, other in study.pairs.rows()}
    first = study.ratings().answers.filter((pl.col("kind") != "duplicate") & (pl.col("rater") != "r2"))
    assert len(rows) == study.pairs.height
    for one, other, score, n, sd in rows:
        said = first.filter(pl.col("pair") == str(words[f"{one}\t{other}"]))["rating"].drop_nulls().to_list()
        assert n == str(len(said))
        assert score == f"{10 / 6 * sum(said) / len(said):.2f}"
        assert sd == ("" if len(said) == 1 else f"{pl.Series(said).std():.4f}")


def test_the_scored_set_evaluates(similarity, tmp_path):
    study, _found = similarity
    (scored,) = load_sets(study.folder / "results" / "scores.tsv")
    assert scored.graded
    assert len(scored) == study.pairs.height
    run = tg.evaluate(study.folder / "results" / "scores.tsv", "baseline:levenshtein", tmp_path / "run")
    values = run.results().filter(pl.col("statistic") == "spearman")
    assert values.height
    assert values["n"].max() == study.pairs.height


def test_the_ratings_beside_it_give_the_same_agreement(similarity):
    study, found = similarity
    folder = study.folder / "results"
    again = tg.agreement(folder / "scores.ratings.tsv", scale="0,6", rule="none", groups="one", resamples=0)
    assert again.raters == len(found.similarity.accepted)
    assert again.pairs == len(found.similarity.scored)
    assert again.ratings == sum(each["n"] for each in found.similarity.scores)
    assert [row[:2] for row in lines(folder / "scores.ratings.tsv")] == [
        row[:2] for row in lines(folder / "scores.tsv")
    ]


def test_no_name_of_a_rater_is_published(similarity, quality):
    for study, _found in (similarity, quality):
        for path in (study.folder / "results").iterdir():
            assert "made rater 3" not in path.read_text("utf-8"), path


def test_the_record_is_what_was_returned(similarity, quality):
    for study, found in (similarity, quality):
        kept = json.loads((study.folder / "results" / "results.json").read_text("utf-8"))
        assert kept == found.as_dict()
        assert type(found).model_validate(kept) == found
        assert {path.name for path in (study.folder / "results").iterdir()} == {
            place.rsplit("/")[-1] for place in found.written
        }


def test_truths_evaluate(quality, tmp_path):
    study, found = quality
    (truths,) = load_sets(study.folder / "results" / "truth.tsv")
    asked = set(study.pairs.select("word1", "word2").rows())  # some stand in both sets
    undecided = {(each["word1"], each["word2"]) for each in found.quality.undecided}
    assert set(truths.frame.select("term_1", "term_2").rows()) == asked - undecided
    assert len(truths) == len(asked - undecided)
    assert tg.evaluate(truths, "baseline:levenshtein", tmp_path / "run").results().height


def test_quality_knows_how_large_the_sets_are(quality):
    study, found = quality
    sizes = {name: (positives, negatives) for name, positives, negatives in study.sets.rows()}
    assert {each.set: (each.set_positives, each.set_negatives) for each in found.quality.sets} == sizes
    assert found.quality.sets[1].whole_accuracy is not None


def test_raters_can_be_left_out_by_name_and_by_hand(tmp_path):
    study = rated_study(tmp_path / "study")
    with study.store() as store:
        store.set_state("r4", "left_out", "did not follow the instructions")
    found = study.results(leave_out="r1", rule="none")
    assert found.similarity.accepted == ["r2", "r3", "r5", "r6"]
    assert {each["rater"]: each["reason"] for each in found.study.left_out_by_hand} == {
        "r4": "did not follow the instructions", "r1": "asked for by name",
    }  # fmt: skip
    assert sorted(found.similarity.findings.change.raters) == ["r1", "r4"]
    with pytest.raises(TermgaugeError, match="there is no rater 'r99'"):
        study_results(study, leave_out=["r99"])
    with pytest.raises(TermgaugeError, match="nobody who counts has answered"):
        study_results(study, leave_out=["r1", "r2", "r3", "r5", "r6"])


def test_calibrated_ratings_stand_in_the_matrix(tmp_path):
    study = rated_study(tmp_path / "study")
    with study.store() as store:  # one rater is three steps milder than everybody
        rows = [
            (each.page, each.position, None if each.rating is None else min(6.0, each.rating + 3), each.seconds)
            for each in store.answers("r5")
        ]
        store.import_answers("r5", rows, "test")
    plain = study.results(rule="none", leave_out="r2")
    moved = study.results(rule="none", leave_out="r2", calibrate=True, out=tmp_path / "moved")
    assert moved.similarity.agreement.moved == {"r5": -1}
    one, other = (lines(folder / "scores.ratings.tsv") for folder in (study.folder / "results", tmp_path / "moved"))
    place = one[0].index("r5")
    for before, after in zip(one[1:], other[1:], strict=True):
        assert before[:place] + before[place + 1 :] == after[:place] + after[place + 1 :]
        if before[place]:
            assert float(after[place]) == max(0.0, float(before[place]) - 1)
    scores = [[each["score"] for each in found.similarity.scores] for found in (plain, moved)]
    assert sum(scores[1]) < sum(scores[0])


def test_other_places_and_formats(similarity, tmp_path):
    study, _found = similarity
    found = study_results(study.folder, out=tmp_path / "out", formats="latex,csv,markdown")
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {
        "results-latex", "results-csv", "results.md", "scores.tsv", "results.json",
    }  # fmt: skip
    assert not (tmp_path / "out" / "results.html").exists()
    assert all((tmp_path / "out").as_posix() in path for path in found.written)
    (tmp_path / "file").write_text("")
    with pytest.raises(TermgaugeError, match="is a file"):
        study_results(study, out=tmp_path / "file")
    with pytest.raises(TermgaugeError, match="cannot be written as 'pdf'"):
        study_results(study, formats="pdf")


def test_a_study_without_answers_has_no_results(tmp_path):
    from termgauge.studies.demo import demo_study

    for kind in ("similarity", "quality"):
        study = demo_study(tmp_path / kind, kind)
        with pytest.raises(TermgaugeError, match="nobody who counts has answered"):
            study_results(open_study(study.folder))
        assert not (study.folder / "results").exists()


def test_pairs_without_a_rating_are_reported_and_not_in_the_file(tmp_path):
    study = rated_study(tmp_path / "study")
    with study.store() as store:
        word = study.pairs.row(0)
        places = study.layout.filter(pl.col("pair") == word[0])
        for rater in store.raters():
            rows = [(page, position, None, 1.0) for group, page, position, *_ in places.rows() if group == rater.group]
            store.import_answers(rater.id, rows, "test")
    with pytest.warns(SkippedWarning, match="1 pair of 72 got no rating that counts and has no score"):
        found = study.results()
    assert [each["pair"] for each in found.similarity.unscored] == ["1"]
    assert not any(row[:2] == list(word[1:]) for row in lines(study.folder / "results" / "scores.tsv"))
    assert "Pairs that have no score" in (study.folder / "results" / "results.html").read_text("utf-8")


@pytest.mark.parametrize("kind", ["similarity", "quality"])
@pytest.mark.parametrize("raters", [1, 2])
def test_few_raters_have_results_too(tmp_path, kind, raters):
    """With one rater nothing is known about agreement, and with one answer hardly anything."""
    study = rated_study(tmp_path / "study", kind, raters=raters)
    found = study.results(rule="none")
    page = (study.folder / "results" / "results.html").read_text("utf-8")
    if raters == 1:
        assert "undefined" in page
        assert (found.similarity.agreement.iaa1 if kind == "similarity" else found.quality.overall.alpha) is None
    if kind == "similarity" and raters == 1:
        assert study.results().similarity.accepted == ["r1"]
        with pytest.raises(TermgaugeError, match="--rule none leaves nobody out"):
            study.results(rule="others")


@pytest.mark.parametrize("kind", ["similarity", "quality"])
def test_a_study_that_has_hardly_begun(tmp_path, kind):
    from termgauge.studies.demo import demo_study

    study = demo_study(tmp_path / "study", kind)
    with study.store() as store:
        store.invite(1)
        store.answer("r1", 1, 1, 1.0, seconds=None, client_id="a", revision=0)
    found = study.results(rule="none")
    assert found.study.answered == 1
    assert (study.folder / "results" / "results.html").is_file()


@pytest.mark.parametrize("kind", ["similarity", "quality"])
def test_a_study_in_which_nobody_knows_anything(tmp_path, kind):
    from termgauge.studies.demo import demo_study

    study = demo_study(tmp_path / "study", kind)
    with study.store() as store:
        for rater in ("r1", "r2"):
            store.invite(1)
            store.answer(rater, 1, 1, None, seconds=1.0, client_id="a", revision=0)
    if kind == "similarity":
        with pytest.raises(TermgaugeError, match="no pair has a rating that counts"):
            study.results(rule="none")
    else:
        assert study.results().quality.overall.without_truth == study.pairs.height
        assert not (study.folder / "results" / "truth.tsv").exists()
