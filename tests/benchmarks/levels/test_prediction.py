import pytest
from benchmarks.levels.prediction import Case, rates

from benchmarks.levels import prediction


def test_a_line_for_each_case(capsys, monkeypatch):
    monkeypatch.setattr(prediction, "CASES", [Case(5, 0.7), Case(6, 0.7, 3)])
    monkeypatch.setattr(prediction, "simulated", lambda simulate, cases, repeats: [
        (case, simulate(case, times)) for case, times in zip(cases, repeats, strict=True)
    ])  # fmt: skip
    prediction.main(2)
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading.endswith("marked  uncorrected  families not named")
    assert [line.partition(",")[0] for line in lines] == ["5 models", "6 models of 3 families"]


@pytest.mark.long
@pytest.mark.parametrize("case", [Case(7, 0.7), Case(10, 0.0), Case(12, 0.7), Case(12, 0.7, 3)], ids=str)
def test_unrelated_scores_are_marked_no_more_often_than_they_may_be(case):
    found = rates(case, 500)
    assert found.marked <= 0.07 + 0.02  # two standard errors of 500 repeats
    assert found.uncorrected > 0.2
    assert found.unnamed > 2 * found.marked or not case.families
