"""All sets of a run: those that cannot be divided are passed over and named, unless they were asked for."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import termgauge as tg
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from tests.tasks.subsets.banded_run import RATINGS, counts, labelled_pairs, model_of, rated_pairs, run_of


@pytest.fixture
def both(tmp_path):
    return tg.evaluate([rated_pairs(), labelled_pairs()], [model_of(rated_pairs())], tmp_path / "run")


def test_all_sets_that_can_be_divided(both, tmp_path):
    result = tg.subsets(both, property=counts(tmp_path))
    assert list(result.sets) == ["rated", "labelled"]
    with pytest.warns(TermgaugeWarning, match="Sets that cannot be divided are left out: labelled"):
        result = tg.subsets(both, by="spread")
    assert list(result.sets) == ["rated"]
    assert "has no spread of ratings" in result.skipped["labelled"]
    assert list(tg.subsets(both, by="words", bands=[1], sets=["labelled"]).sets) == ["labelled"]


def test_a_set_that_was_asked_for_must_be_divided(both):
    with pytest.raises(TermgaugeError, match="'labelled' has no spread of ratings"):
        tg.subsets(both, by="spread", sets="labelled")
    with pytest.raises(TermgaugeError, match=r"has no set 'labeled'\. Did you mean 'labelled'"):
        tg.subsets(both, by="words", sets="labeled")


def test_ratings_come_from_the_run_or_from_a_table(tmp_path):
    run = run_of(tmp_path, rated_pairs())
    kept = tg.subsets(run, by="spread").sets["rated"]
    shutil.rmtree(run.path / "sets" / "ratings")
    with pytest.raises(TermgaugeError, match="it is not known what each rater said"):
        tg.subsets(run, by="spread")
    rows = [f"a{at}\tB{at}\t" + "\t".join(f"{value:g}" for value in row) for at, row in enumerate(RATINGS)]
    (tmp_path / "ratings.tsv").write_text("\n".join(["word1\tword2\tann\tbob\teve\tpat", *rows]))
    assert tg.subsets(run, by="spread", ratings=tmp_path / "ratings.tsv").sets["rated"] == kept
    first, second = (band.high for band in kept.bands[:2])
    assert [first, second] == pytest.approx(np.quantile(RATINGS.std(axis=1, ddof=1), [1 / 3, 2 / 3]).tolist())
    assert [band.closed for band in kept.bands] == ["right"] * 3


def test_nothing_can_be_divided(both, tmp_path):
    (tmp_path / "other.tsv").write_text("liver\t3\n")
    with pytest.raises(TermgaugeError, match=r"none of its sets can be divided\. 'rated': no word of it has a value"):
        tg.subsets(both, property=tmp_path / "other.tsv")
