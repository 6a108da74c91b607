"""From ratings to scores: real ratings of SimVerb and EHR-Rel against a plain re-computation, and the two tables."""

from __future__ import annotations

import csv
from collections import defaultdict
from statistics import fmean, stdev

import pytest

from termgauge.studies.ratings import Ratings, read_ratings
from termgauge.studies.results.compute import ratings_table, scores_table, similarity_of
from tests.studies.made_ratings import similarity_ratings


def found_of(ratings, **options):
    return similarity_of(ratings, ratings.raters, **options)


def table(text):
    return [line.split("\t") for line in text.splitlines()]


def test_scores_and_ratings_of_a_small_study():
    ratings = similarity_ratings([[0, 2, 6, None], [6, 6, 5, None], [3, None, 4, None]])
    result, counting = found_of(ratings, rule="none")
    assert table(scores_table(result)) == [
        ["word1", "word2", "score", "n", "sd"],
        ["a1", "b1", "5.00", "3", "3.0000"],
        ["a2", "b2", "6.67", "2", "2.8284"],
        ["a3", "b3", "8.33", "3", "1.0000"],
    ]
    assert table(ratings_table(result, counting)) == [
        ["word1", "word2", "r1", "r2", "r3"],
        ["a1", "b1", "0", "6", "3"],
        ["a2", "b2", "2", "6", ""],
        ["a3", "b3", "6", "5", "4"],
    ]
    assert [each["pair"] for each in result.unscored] == ["4"]


def test_one_rating_has_no_deviation():
    result, _counting = found_of(similarity_ratings([[3, 1, 2]]), rule="none")
    assert [line[-2:] for line in table(scores_table(result))[1:]] == [["1", ""]] * 3


def test_simverb_scores_are_its_published_ones(shared):
    """Published scores are 1.66 times the mean; with the exact 10/6 they lie up to 0.0434 above."""
    if shared is None:
        pytest.skip("The ratings are in the shared folder.")
    folder = shared / "data" / "ratings"
    ratings = read_ratings(folder / "SimVerb-3500-ratings.txt", scale=(0, 6))
    from termgauge.studies.results.compute import scores_of

    scores = scores_of(ratings)
    published = {}
    with (folder / "SimVerb-3500.txt").open(encoding="utf-8") as file:
        for word1, word2, _kind, score, *_more in csv.reader(file, delimiter="\t"):
            published[word1, word2] = float(score)
    assert scores.height == 3500
    off = [abs(score - published[one, other]) for one, other, score in scores.select("word1", "word2", "score").rows()]
    assert max(off) <= 0.0434
    assert sum(each > 0.005 for each in off) == 2917
    assert scores["sd"].mean() == pytest.approx(1.330161, abs=1e-6)
    assert dict(zip(*scores["n"].value_counts().get_columns(), strict=True)) == {10: 3298, 11: 202}


def test_simverb_results_are_a_plain_recomputation(shared):
    """All 702 raters: scores, deviations, and what leaving the careless ones out changes."""
    if shared is None:
        pytest.skip("The ratings are in the shared folder.")
    folder = shared / "data" / "ratings"
    read = read_ratings(folder / "simverb_ratings_long.tsv", scale=(0, 6))
    numbered = read.pairs.with_columns(word1="pair", word2="pair")  # a long table has no words
    ratings = Ratings(numbered, read.answers, read.scale)
    result, counting = found_of(ratings, resamples=0)
    said, everybody = defaultdict(list), defaultdict(list)
    out = set(result.agreement.left_out)
    seen = set()
    with (folder / "simverb_ratings_long.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if (row["pair"], row["rater"]) in seen:
                continue
            seen.add((row["pair"], row["rater"]))
            everybody[row["pair"]].append(float(row["rating"]))
            if row["rater"] not in out:
                said[row["pair"]].append(float(row["rating"]))
    assert out
    assert len(result.accepted) == 702 - len(out)
    for each in result.scores:
        given = said[each["pair"]]
        assert each["n"] == len(given)
        assert each["score"] == pytest.approx(fmean(given) * 10 / 6)
        assert each["sd"] == pytest.approx(stdev(given))
        assert each["before"] == pytest.approx(fmean(everybody[each["pair"]]) * 10 / 6)
    change = result.findings.change
    moved = [abs(each["score"] - each["before"]) for each in result.scores]
    assert change.largest == pytest.approx(max(moved))
    assert change.mean == pytest.approx(fmean(moved))
    assert change.moved_noticeably == sum(each >= 0.5 for each in moved)
    assert sum(each["count"] for each in result.findings.ratings) == sum(map(len, said.values()))
    assert counting.count == sum(map(len, said.values()))


def test_ehr_rel_scores_are_the_mean_of_its_doctors(shared):
    if shared is None:
        pytest.skip("The ratings are in the shared folder.")
    path = shared / "data" / "similarity" / "EHR-RelA.tsv"
    ratings = read_ratings(path, scale=(0, 3))
    result, _counting = found_of(ratings, rule="none")
    assert len(result.accepted) == 5
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    columns = [name for name in rows[0] if name.startswith("rater_")]
    for each, row in zip(result.scores, rows, strict=True):
        given = [float(row[name]) for name in columns]
        assert each["score"] == pytest.approx(fmean(given) * 10 / 3)
        assert each["sd"] == pytest.approx(stdev(given))
    assert result.agreement.iaa1 == pytest.approx(0.668604, abs=1e-6)
    assert result.agreement.iaa2 == pytest.approx(0.720501, abs=1e-6)
