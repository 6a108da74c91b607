from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement

import numpy as np
import pytest

from termgauge.benchmark.human.sets import load_human
from termgauge.exceptions import TermgaugeError
from termgauge.studies.ratings import parse_ratings, read_ratings
from termgauge.studies.results.compute import scores_of
from tests.studies.raters import answers_text, drawn, matrix_text


def test_a_score_is_the_mean_brought_to_ten():
    table = drawn(10, 4, missing=0.2)
    table[3] = np.nan
    table[4] = [2, np.nan, np.nan, np.nan]
    ratings = parse_ratings(matrix_text(table), "f", scale=(0, 6))
    found = scores_of(ratings)
    for at, row in enumerate(found.iter_rows(named=True)):
        given = table[at][~np.isnan(table[at])]
        assert row["n"] == len(given)
        assert row["score"] == (pytest.approx(given.mean() * 10 / 6) if len(given) else None)
        assert row["sd"] == (pytest.approx(given.std(ddof=1)) if len(given) > 1 else None)
    accepted = scores_of(ratings.of_raters(["r1", "r3"]))
    assert accepted["n"].to_list() == (~np.isnan(table[:, [0, 2]])).sum(axis=1).tolist()


def test_other_scales_start_at_nought_too():
    assert scores_of(parse_ratings("pair\trater\trating\n1\ta\t1\n2\ta\t4\n", "f", scale=(1, 4)))[
        "score"
    ].to_list() == [0, 10]
    with pytest.raises(TermgaugeError, match="All ratings are 2"):
        scores_of(parse_ratings("pair\trater\trating\n1\ta\t2\n", "f"))


def test_second_ratings_do_not_count():
    table = drawn(4, 2)
    ratings = parse_ratings(answers_text(table, duplicates={(1, 1): 6.0}), "f", scale=(0, 6))
    assert scores_of(ratings)["mean"].to_list() == pytest.approx(table.mean(axis=1).tolist())


def test_the_published_scores_of_simverb(shared):
    if shared is None:
        pytest.skip("the published ratings are not at hand")
    folder = shared / "data" / "ratings"
    ratings = read_ratings(folder / "SimVerb-3500-ratings.txt", scale=(0, 6))
    lines = [line.split("\t") for line in (folder / "SimVerb-3500.txt").read_text().splitlines()]
    published = {(one, two): float(score) for one, two, _pos, score, _relation in lines}
    found = scores_of(ratings)
    values = np.array([published[pair] for pair in found.select("word1", "word2").iter_rows()])
    means = found["mean"].to_numpy()
    assert np.abs(1.66 * means - values).max() <= 0.005 + 1e-9
    off = np.abs(found["score"].to_numpy() - values)
    assert off.max() <= 0.0434
    assert int((off > 0.005).sum()) == 2917
    assert Counter(found["n"].to_list()) == {10: 3298, 11: 202}
    assert found["sd"].mean() == pytest.approx(1.330161, abs=1e-6)
    counts = Counter(ratings.answers["rating"].drop_nulls().to_list())
    assert [counts[value] for value in range(7)] == [8758, 5000, 3749, 4561, 4699, 4589, 3846]


@pytest.mark.parametrize(("name", "unique"), [("bio-simlex", 638), ("bio-simverb", 620)])
def test_every_published_score_is_a_sum_of_five_values(shared, name, unique):
    if shared is None:
        pytest.skip("the published scores are not at hand")
    scores = load_human(name, data_dir=shared / "data" / "similarity").frame["score"]
    ways: dict[int, list[tuple[int, ...]]] = {}
    values = [0, 33, 65, 98, 133, 166, 200]
    for five in combinations_with_replacement(range(7), 5):
        ways.setdefault(sum(values[each] for each in five), []).append(five)
    found = [ways[round(score * 100)] for score in scores]
    assert sum(len(each) == 1 for each in found) == unique
    assert all(len({sum(five) for five in each}) == 1 for each in found)
    assert max(abs(score - sum(each[0]) / 3) for score, each in zip(scores, found, strict=True)) < 0.056668
