"""Progress is silent unless someone listens, and quiet while work is quick."""

from __future__ import annotations

import io
import threading
import time

import pytest
from rich.console import Console

from termgauge import progress
from termgauge.progress import PlainListener, RichListener, shown_on, steps, track


def console(*, terminal):
    return Console(file=io.StringIO(), force_terminal=terminal, width=100)


def test_nobody_listens():
    with track("Reading", total=10) as advance:
        advance(5)


@pytest.mark.parametrize("terminal", [False, True])
def test_quick_work_stays_quiet(terminal):
    screen = console(terminal=terminal)
    with shown_on(screen), track("Reading", total=10) as advance:
        advance(5)
    assert screen.file.getvalue() == ""


@pytest.mark.parametrize("terminal", [False, True])
def test_long_work_is_shown(terminal, monkeypatch):
    screen = console(terminal=terminal)
    monkeypatch.setattr(progress, "RichListener", lambda shown: RichListener(shown, delay=0))
    monkeypatch.setattr(progress, "PlainListener", lambda shown: PlainListener(shown, interval=0))
    with (
        shown_on(screen),
        track("Reading", total=10e6, unit="bytes") as advance,
        track("Counting", unit="rows") as more,
    ):
        advance(5e6)
        more(1234)
        advance(5e6)
    text = screen.file.getvalue()
    assert "Reading" in text
    if not terminal:
        assert text.splitlines() == ["Reading: 5 of 10 MB", "Counting: 1,234 rows", "Reading: 10 of 10 MB"]


@pytest.mark.parametrize("terminal", [False, True])
def test_failing_work_ends_its_task(terminal):
    with shown_on(console(terminal=terminal)):
        with pytest.raises(ValueError, match="x"), track("A"):
            raise ValueError("x")
        with track("B", total=1) as advance:
            advance(1)


def test_a_script_shows_progress_if_it_asks_for_it(capsys, monkeypatch):
    monkeypatch.setattr(progress, "_choice", progress._Choice())
    monkeypatch.setattr(progress, "PlainListener", lambda shown: PlainListener(shown, interval=0))

    def work():
        with track("Reading", total=2, unit="rows") as advance:
            advance(1)
        return capsys.readouterr().err

    assert work() == ""
    with progress.show_progress():
        assert work().startswith("Reading: 1 of 2 rows")
        with progress.show_progress(False):
            assert work() == ""
        assert work().startswith("Reading: 1 of 2 rows")
        monkeypatch.setenv("TERMGAUGE_PROGRESS", "0")
        assert work() == ""
        monkeypatch.delenv("TERMGAUGE_PROGRESS")
    assert work() == ""
    progress.show_progress()
    assert work().startswith("Reading: 1 of 2 rows")


def test_the_variable_silences_the_command_line_as_well(monkeypatch):
    monkeypatch.setenv("TERMGAUGE_PROGRESS", "0")
    monkeypatch.setattr(progress, "PlainListener", lambda shown: PlainListener(shown, interval=0))
    screen = console(terminal=False)
    with shown_on(screen), track("Reading", total=2) as advance:
        advance(1)
    assert screen.file.getvalue() == ""


def test_listening_ends_with_the_block():
    screen = console(terminal=False)
    with shown_on(screen):
        pass
    with track("Reading", total=1) as advance:
        advance(1)
    assert progress._listener.get() is None


@pytest.mark.parametrize("terminal", [False, True])
def test_many_threads(terminal):
    with shown_on(console(terminal=terminal)), track("Hashing", total=400) as advance:
        threads = [threading.Thread(target=lambda: [advance(1) for _ in range(100)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def test_rich_listener_after_it_was_closed():
    listener = RichListener(console(terminal=True), delay=0)
    task = listener.start("A", 1, "")
    listener.close()
    listener.advance(task, 1)
    listener.stop(task)


def test_things_that_are_counted_have_a_speed(monkeypatch):
    clock = iter([0.0, 4.0, 8.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    screen = console(terminal=False)
    listener = PlainListener(screen, interval=1)
    task = listener.start("Encoding", 1000, "terms")
    listener.advance(task, 400)
    listener.advance(task, -380)
    assert screen.file.getvalue().splitlines() == [
        "Encoding: 400 of 1,000 terms, 100 terms/s, about 6 s left",
        "Encoding: 20 of 1,000 terms, 2.5 terms/s, about 392 s left",
    ]


@pytest.mark.parametrize("terminal", [False, True])
def test_steps_are_listed_once_work_takes_long(terminal, monkeypatch):
    screen = console(terminal=terminal)
    monkeypatch.setattr(progress, "RichListener", lambda shown: RichListener(shown, delay=0))
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0)
    with shown_on(screen), steps(["Read", "Score", "Report"]) as begin:
        begin("Read")
        with track("Reading", total=2) as advance:
            advance(2)
        begin("Score")
        with track("Scoring", total=2) as advance:
            advance(1)
    text = screen.file.getvalue()
    if terminal:
        assert "✓ " in text
        assert "step 2 of 3" in text
        assert text.index("Score") < text.rindex("Report")
    else:
        assert text.splitlines() == ["Step 1 of 3: Read", "Step 2 of 3: Score"]


@pytest.mark.parametrize("terminal", [False, True])
def test_quick_steps_stay_quiet_and_fail_well(terminal):
    screen = console(terminal=terminal)
    with shown_on(screen):
        with pytest.raises(ValueError, match="is not in"), steps(["Read", "Score"]) as begin:
            begin("Nothing")
        with steps(["Read"]) as begin:
            begin("Read")
    assert screen.file.getvalue() == ""


def test_nobody_listens_to_steps():
    with steps(["Read"]) as begin:
        begin("Read")


@pytest.mark.parametrize("terminal", [False, True])
def test_names_in_labels_are_shown_as_they_are_and_steer_nothing(terminal, monkeypatch):
    screen = console(terminal=terminal)
    monkeypatch.setattr(progress, "RichListener", lambda shown: RichListener(shown, delay=0))
    monkeypatch.setattr(progress, "PlainListener", lambda shown: PlainListener(shown, interval=0))
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0)
    label = "Encoding with [red]m[/x]\x9b2J\u2028"
    with shown_on(screen), steps([label]) as begin:
        begin(label)
        with track(label, total=2, unit="terms") as advance:
            advance(1)
    shown = screen.file.getvalue()
    assert shown.count("Encoding with [red]m[/x]\ufffd2J ") >= 2
    assert not {"\x9b", "\u2028"} & set(shown)


def test_what_takes_long_is_said_even_if_it_never_advances(monkeypatch):
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.05)
    screen = console(terminal=False)
    with shown_on(screen), track("Report", total=3, unit="steps"):
        time.sleep(0.3)
    assert screen.file.getvalue() == "Report\n"
    screen = console(terminal=True)
    monkeypatch.setattr(progress, "RichListener", lambda shown: RichListener(shown, delay=0.05))
    with shown_on(screen), track("Report", total=3, unit="steps"):
        time.sleep(0.4)
    assert "Report" in screen.file.getvalue()


def test_the_first_steps_are_said_as_well(monkeypatch):
    """The first begins before it is known whether the work takes long."""
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.1)
    screen = console(terminal=False)
    with shown_on(screen), steps(["Read", "Build", "Score", "Report"]) as begin:
        begin("Read")
        begin("Build")
        time.sleep(0.4)
        assert screen.file.getvalue().splitlines() == ["Step 1 of 4: Read", "Step 2 of 4: Build"]
        begin("Score")
    assert screen.file.getvalue().splitlines()[2:] == ["Step 3 of 4: Score"]


def test_time_left_is_that_of_the_innermost_work_at_its_pace_of_late(monkeypatch):
    """An encoder takes two minutes for the first of twenty sets, and a second for each of the others."""
    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    screen = console(terminal=False)
    listener = PlainListener(screen, interval=1)
    scoring = listener.start("Scoring", 20, "sets")
    encoding = listener.start("Encoding", 1200, "terms")
    for seconds, terms in ((60, 300), (120, 600)):
        clock[0] = seconds
        listener.advance(encoding, terms)
    listener.stop(encoding)
    listener.advance(scoring, 1)
    for seconds in range(121, 260):
        clock[0] = seconds
        listener.advance(scoring, 0.1)
    lines = screen.file.getvalue().splitlines()
    assert lines[:2] == [
        "Encoding: 300 of 1,200 terms, 5.0 terms/s, about 180 s left",
        "Encoding: 900 of 1,200 terms, 10 terms/s, about 30 s left",
    ]
    assert lines[2] == "Scoring: 1 of 20 sets", "two minutes of encoding say nothing of the sets to come"
    assert lines[-1] == "Scoring: 15 of 20 sets, 0.1 sets/s, about 51 s left"
    listener.close()
