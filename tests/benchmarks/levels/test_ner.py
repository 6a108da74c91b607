import pytest
from benchmarks.levels.ner import CASES, Case, rates

from benchmarks.levels import ner


def test_a_line_for_each_case(capsys, monkeypatch):
    monkeypatch.setattr(ner, "CASES", [Case(10, 2, 0.1, 0.5), Case(10, 2, 0.1, 0.5, other=4.0, better=1.0)])
    monkeypatch.setattr(ner, "simulated", lambda simulate, cases, repeats: [
        (case, simulate(case, times)) for case, times in zip(cases, repeats, strict=True)
    ])  # fmt: skip
    ner.main(2)
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading.endswith("difference  marked  as trained  sentences alone")
    assert lines[0].startswith("   10 documents, 2 trials: 0.1 + 0.5 ")
    assert lines[1].startswith("   10 documents, 2 trials: 0.1 (the other 4 x) + 0.5, better by 1 ")
    assert {case.documents for case in CASES} == {20, 100}


def test_a_better_model_is_found():
    found = rates(Case(40, 3, 0.05, 0.3, better=1.0), 10)
    assert found.difference > 0.05
    assert found.marked == found.networks == 1


@pytest.mark.long
@pytest.mark.parametrize(
    "case", [Case(20, 3, 0.1, 0.5), Case(100, 3, 0.3, 0.2), Case(100, 2, 0.1, 0.5), Case(20, 1, 0, 0.5)], ids=str
)
def test_equal_models_are_marked_no_more_often_than_they_may_be(case):
    found = rates(case, 1000)
    assert found.marked <= 0.065 + 0.013  # two standard errors of 1,000 repeats
    assert found.sentences > found.marked or case.whole > 0.1
