from __future__ import annotations

from benchmarks.levels.__main__ import run


def test_simulations_have_names(capsys):
    assert run(["no-such"]) == 2
    assert "there are: " in capsys.readouterr().out


def test_each_case_is_a_line(capsys, monkeypatch):
    from benchmarks.levels import coverage

    monkeypatch.setattr(coverage, "CASES", [coverage.Case(12, words=60)])
    assert run(["coverage", "--repeats", "2"]) == 0
    assert "12 seeds, %CG 10" in capsys.readouterr().out
