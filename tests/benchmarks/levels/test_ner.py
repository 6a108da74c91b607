import pytest
from benchmarks.levels.ner import CASES, Case, rates

from benchmarks.levels import ner


def test_a_line_for_each_case(capsys, monkeypatch):
    monkeypatch.setattr(ner, "CASES", [Case(30, 2, 0.1, 0.5), Case(30, 2, 0.1, 0.5, other=4.0, better=1.0)])
    monkeypatch.setattr(ner, "simulated", lambda simulate, cases, repeats: [
        (case, simulate(case, times)) for case, times in zip(cases, repeats, strict=True)
    ])  # fmt: skip
    ner.main(2)
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading.endswith("difference  over sentences  over trials  trials resampled")
    assert lines[0].startswith("   30 sentences, 2 trials: 0.1 + 0.5 ")
    assert lines[1].startswith("   30 sentences, 2 trials: 0.1 (the other 4 x) + 0.5, better by 1 ")
    assert len(CASES) == 15


def test_a_better_model_is_found():
    found = rates(Case(200, 3, 0.05, 0.3, better=1.0), 10)
    assert found.difference > 0.05
    assert found.over_sentences == found.over_trials == 1


@pytest.mark.long
@pytest.mark.parametrize("case", [Case(50, 3, 0.1, 0.5), Case(300, 3, 0.3, 0.2), Case(300, 2, 0.1, 0.5)], ids=str)
def test_the_test_over_trials_keeps_its_level(case):
    found = rates(case, 500)
    assert found.over_trials < 0.05 + 0.03
    assert found.resampled_trials > found.over_trials or case.sentences < 100


@pytest.mark.long
@pytest.mark.parametrize("sentences", [50, 300])
def test_the_test_over_sentences_keeps_its_level_where_trials_are_as_good_as_a_whole(sentences):
    assert rates(Case(sentences, 3, 0.0, 0.5), 500).over_sentences < 0.05 + 0.03
