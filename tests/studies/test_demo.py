"""The demonstration: a whole study, in which the careless rater is found."""

from __future__ import annotations

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.studies.demo import demo_sets, demonstrate

pytestmark = [
    pytest.mark.integration,
    pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning"),
]


def said(study):
    return study.ratings().answers.drop("seconds").rows()


def test_a_whole_study(tmp_path):
    made = demonstrate(tmp_path / "study", seed=7)
    study, found = made.study, made.results
    assert made.answers == len(said(study)) == 600
    assert {rater.state for rater in study.store().raters()} == {"finished"}
    assert found.similarity.agreement.left_out == [made.careless]
    assert any("where others take" in flag for flag in found.similarity.agreement.per_rater[1].flags)
    assert found.similarity.findings.unknown
    assert (study.folder / "results" / "results.html").is_file()


def test_a_quality_study_of_few_raters_is_the_same_with_the_same_seed(tmp_path):
    one, other, third = (
        demonstrate(tmp_path / name, kind="quality", raters=3, seed=seed)
        for name, seed in (("one", 5), ("other", 5), ("third", 6))
    )
    assert said(one.study) == said(other.study)
    assert said(one.study) != said(third.study)
    assert one.results.quality == other.results.quality
    assert one.results.quality.raters == 3


def test_labelled_sets_have_wrong_labels_for_people_to_find():
    easy, hard = demo_sets()
    assert min(easy.positives, len(easy) - easy.positives) >= 12
    assert min(hard.positives, len(hard) - hard.positives) >= 12


@pytest.mark.parametrize("options", [{"kind": "other"}, {"raters": 2}, {"raters": 1000}])
def test_what_no_demonstration_can_be_is_refused(tmp_path, options):
    with pytest.raises(TermgaugeError):
        demonstrate(tmp_path / "study", **options)
    assert not (tmp_path / "study").exists()
