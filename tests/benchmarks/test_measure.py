"""Measurements come from processes of their own, and the table says what they mean."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace

import pytest
from benchmarks.measure import Measurement, below, faster, measured, noted, print_table
from rich.console import Console

from benchmarks import measure

HERE = "tests.benchmarks.measured_functions"


def test_time_and_memory_of_a_call():
    quiet = measured(f"{HERE}:wait_and_hold", 0.0, 1)
    busy = measured(f"{HERE}:wait_and_hold", 0.3, 300)

    assert busy.result == {"held": 300}
    assert busy.seconds >= 0.3
    assert 250 < busy.peak_mb - quiet.peak_mb < 400


def test_the_clock_starts_after_the_imports(tmp_path, monkeypatch):
    events = []
    module = SimpleNamespace(work=lambda: events.append("call"))
    monkeypatch.setattr(measure.importlib, "import_module", lambda name: events.append(name) or module)
    monkeypatch.setattr(measure.time, "perf_counter", lambda: events.append("clock") or 0.0)
    answer = tmp_path / "answer.json"
    measure._answer(json.dumps({"target": "own:work", "args": [], "imports": ["other"], "answer": str(answer)}))

    assert events == ["own", "other", "clock", "call", "clock"]
    assert json.loads(answer.read_text(encoding="utf-8"))["seconds"] == 0


def test_memory_of_this_process_does_not_count():
    ballast = bytearray(b"x") * 300_000_000
    assert measured(f"{HERE}:wait_and_hold", 0.0, 1).peak_mb < 200
    assert len(ballast) == 300_000_000


@pytest.mark.parametrize(("seconds", "middle"), [([3, 1, 2], 2), ([5], 5), ([4, 1, 3, 2], 3)])
def test_the_median_of_several_runs_counts(monkeypatch, seconds, middle):
    runs = iter(seconds)
    monkeypatch.setattr(measure, "_one_run", lambda *_: Measurement(next(runs), 0, None))
    assert measured("any:thing", repeat=len(seconds)).seconds == middle


def test_a_failing_function_is_an_error(capfd):
    with pytest.raises(RuntimeError, match="fail failed with exit status 1"):
        measured(f"{HERE}:fail")
    assert "as it should" in capfd.readouterr().err


def test_table_shows_ratios_and_targets(monkeypatch):
    monkeypatch.delenv(measure.QUICK_VARIABLE, raising=False)
    fast, slow = Measurement(0.5, 100, None), Measurement(3.0, 2000, None)
    rows = [
        faster("good", fast, slow, at_least=5),
        faster("bad", slow, fast, at_least=5),
        below("low", 1999, 2000, "MB"),
        below("high", 1.5, 1, "s"),
        noted("free", "1,000 rows/s"),
    ]
    assert [row.met for row in rows] == [True, False, True, False, None]
    screen = io.StringIO()
    print_table("Title", rows, theirs="pandas", console=Console(file=screen, width=140))
    lines = {line.split("│")[1].strip(): line for line in screen.getvalue().splitlines() if line.startswith("│")}
    assert "6.0 ×" in lines["good"]
    assert "yes" in lines["good"]
    assert "0.2 ×" in lines["bad"]
    assert "no" in lines["bad"]
    assert "1,999 MB" in lines["low"]
    assert "≤ 1 s" in lines["high"]
    assert "1,000 rows/s" in lines["free"]


def test_small_sizes_meet_and_miss_no_target(monkeypatch, capsys):
    monkeypatch.setenv(measure.QUICK_VARIABLE, "1")
    print_table("Title", [below("high " + "x" * 80, 1.5, 1, "s")])
    printed = capsys.readouterr().out
    assert "small sizes" in printed
    line = next(line for line in printed.splitlines() if "≤ 1 s" in line)
    assert "x" * 80 in line
    assert line.split("│")[-2].strip() == ""
