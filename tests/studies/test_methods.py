"""Paragraphs for papers: they name what was done, and change with it."""

from __future__ import annotations

import pytest

from termgauge.studies.agreement.sections import rule_sentence
from termgauge.studies.results.sections import quality_methods, similarity_methods
from tests.studies.rated_study import rated_study

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return rated_study(tmp_path_factory.mktemp("methods") / "study")


def paragraph(study, **options):
    found = study.results(**options)
    return similarity_methods(found.similarity, found.study)


def test_a_similarity_study_in_words(study):
    text = paragraph(study)
    for part in (
        "Six raters rated 72 term pairs in two groups with pairs of their own and twelve pairs in common (seed 1)",
        "on a scale from 0 to 6",
        "saw eight pairs twice",
        "One of six raters is left out",
        "than chance explains (Grubbs' test of Fisher's z)",
        "agree with each other by **",
        "2,000 resamples",
    ):
        assert part in text


def test_what_was_done_otherwise_is_said_otherwise(study):
    assert "more than one standard deviation below the mean of all raters" in paragraph(study, rule="simlex")
    text = paragraph(study, rule="none", leave_out="r2")
    assert "Nobody is left out, as asked for." in text
    assert "The administrator left out one rater." in text


def test_the_rule_says_where_raters_are_judged(study):
    found = study.results().similarity.agreement
    assert "on the consistency set" in rule_sentence(found)
    assert "on the pairs of the group" in rule_sentence(found.model_copy(update={"consistency": 0}))


def test_a_quality_study_in_words(tmp_path):
    found = rated_study(tmp_path / "study", "quality", raters=3).results()
    text = quality_methods(found.quality, found.study)
    assert "Three raters judged the same 48 term pairs: up to 12 positives and 12 negatives" in text
    assert f"(seed {found.study.seed}) from each of two sets" in text
    assert "“don't know” counted as missing" in text
    third = found.quality.model_copy(update={"dont_know": "category"})
    assert "as a third answer" in quality_methods(third, found.study)
