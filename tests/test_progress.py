"""Progress is silent unless someone listens, quiet while work is quick, and drawn in place where that can be."""

from __future__ import annotations

import io
import re
import sys
import threading
import time
from types import SimpleNamespace

import pytest
from rich.console import Console

from termgauge import progress
from termgauge.progress import Display, in_notebook, shown_on, steps, track
from tests.kernel import run_cells


def console(*, terminal):
    return Console(file=io.StringIO(), force_terminal=terminal, width=100)


@pytest.fixture
def eager(monkeypatch):
    """Show everything at once."""
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0)
    monkeypatch.setattr(progress, "PLAIN_INTERVAL_SECONDS", 0)


@pytest.fixture
def clock(monkeypatch):
    """Return the time, which stands still unless it is set."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def drawn(screen, text):
    """Say whether a text is on a screen soon."""
    until = time.perf_counter() + 20
    while text not in screen.file.getvalue() and time.perf_counter() < until:
        time.sleep(0.01)
    return text in screen.file.getvalue()


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
@pytest.mark.usefixtures("eager")
def test_long_work_is_shown(terminal, monkeypatch):
    screen = console(terminal=terminal)
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0 if terminal else 60)
    with (
        shown_on(screen),
        track("Reading", total=10e6, unit="bytes") as advance,
        track("Counting", unit="rows") as more,
    ):
        advance(5e6)
        more(1234)
        advance(5e6)
        if terminal:
            assert drawn(screen, "Reading")
            assert drawn(screen, "Counting")
            assert drawn(screen, "1,234 rows")
        else:
            lines = screen.file.getvalue().splitlines()
            assert lines == ["Reading: 5 of 10 MB", "Counting: 1,234 rows", "Reading: 10 of 10 MB"]


@pytest.mark.parametrize("terminal", [False, True])
def test_failing_work_ends_its_task(terminal):
    with shown_on(console(terminal=terminal)):
        with pytest.raises(ValueError, match="x"), track("A"):
            raise ValueError("x")
        with track("B", total=1) as advance:
            advance(1)
        assert progress.current_listener()._printed == {}


@pytest.mark.usefixtures("eager")
def test_a_script_shows_progress_if_it_asks_for_it(capsys, monkeypatch):
    monkeypatch.setattr(progress, "DELAY_SECONDS", 60)

    def work():
        monkeypatch.setattr(progress._choice, "_display", None)  # which has the standard error of its time
        with track("Reading", total=2, unit="rows") as advance:
            advance(1)
        return capsys.readouterr().err

    monkeypatch.setattr(progress, "_choice", progress._Choice())
    assert work() == ""
    with progress.show_progress():
        assert work() == "Reading: 1 of 2 rows\n"
        with progress.show_progress(False):
            assert work() == ""
        assert work() == "Reading: 1 of 2 rows\n"
        monkeypatch.setenv("TERMGAUGE_PROGRESS", "0")
        assert work() == ""
        monkeypatch.delenv("TERMGAUGE_PROGRESS")
    assert work() == ""
    progress.show_progress()
    assert work() == "Reading: 1 of 2 rows\n"


@pytest.mark.usefixtures("eager")
def test_the_variable_silences_the_command_line_as_well(monkeypatch):
    monkeypatch.setenv("TERMGAUGE_PROGRESS", "0")
    screen = console(terminal=False)
    with shown_on(screen), track("Reading", total=2) as advance:
        advance(1)
    assert screen.file.getvalue() == ""


def test_listening_ends_with_the_block():
    with shown_on(console(terminal=False)):
        assert progress.current_listener() is progress.listener_of_process() is not None
        threads = []
        thread = threading.Thread(
            target=lambda: threads.extend((progress.current_listener(), progress.listener_of_process()))
        )
        thread.start()
        thread.join()
        assert threads == [None, progress.current_listener()], "threads tell of what concerns the process alone"
    assert progress.current_listener() is progress.listener_of_process() is None


@pytest.mark.parametrize("terminal", [False, True])
def test_many_threads(terminal, monkeypatch):
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0)
    screen = console(terminal=terminal)
    with shown_on(screen), track("Hashing", total=400) as advance:
        threads = [threading.Thread(target=lambda: [advance(1) for _ in range(100)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert progress.current_listener()._bars.tasks[0].completed == 400


def test_work_that_goes_on_after_all_was_closed():
    display = Display(console(terminal=True))
    task = display.start("A", 1, "")
    display.close()
    display.advance(task, 1)
    display.stop(task)
    assert display._bars.tasks == []


@pytest.mark.parametrize(
    ("done", "total", "unit", "said"),
    [
        (5e6, 10e6, "bytes", "5 of 10 MB"),
        (1234, None, "rows", "1,234 rows"),
        (1, 4, "%", "25 %"),
        (1, None, "%", ""),
        (3, 4, "", "3 of 4"),
        (0, 4, "terms", ""),
    ],
)
def test_amounts_in_words(done, total, unit, said):
    display = Display(console(terminal=False))
    task = display.start("Reading", total, unit)
    display.advance(task, done)
    assert display._line(display._bars.tasks[0]) == (f"Reading: {said}" if said else "Reading")
    display.close()


def test_things_that_are_counted_have_a_speed_and_time_left_once_there_is_a_pace(clock, monkeypatch):
    monkeypatch.setattr(progress, "PLAIN_INTERVAL_SECONDS", 1)
    screen = console(terminal=False)
    display = Display(screen)
    task = display.start("Encoding", 1000, "terms")
    for seconds, amount in ((4.0, 400), (8.0, 400), (12.0, -780)):
        clock[0] = seconds
        display.advance(task, amount)
    assert screen.file.getvalue().splitlines() == [
        "Encoding: 400 of 1,000 terms",
        "Encoding: 800 of 1,000 terms, 100 terms/s, about 2 s left",
        "Encoding: 20 of 1,000 terms",
    ]
    display.close()


def test_work_that_waits_says_nothing_of_the_time_left(clock, monkeypatch):
    monkeypatch.setattr(progress, "PLAIN_INTERVAL_SECONDS", 1)
    screen = console(terminal=False)
    display = Display(screen)
    task = display.start("Waiting", 1e9, "%")
    for seconds, amount in ((1.0, 1e8), (31.0, 1.0), (62.0, 1.0)):
        clock[0] = seconds
        display.advance(task, amount)
    assert screen.file.getvalue().splitlines() == ["Waiting: 10 %"] * 3
    display.close()


def test_time_left_is_that_of_the_innermost_work(clock, monkeypatch):
    """An encoder takes two minutes for the first of twenty sets, and a second for each of the others."""
    monkeypatch.setattr(progress, "PLAIN_INTERVAL_SECONDS", 1)
    screen = console(terminal=False)
    display = Display(screen)
    scoring = display.start("Scoring", 20, "sets")
    encoding = display.start("Encoding", 1200, "terms")
    for seconds, terms in ((60, 300), (120, 600)):
        clock[0] = seconds
        display.advance(encoding, terms)
    display.advance(scoring, 0.5)
    display.stop(encoding)
    for seconds in range(121, 130):
        clock[0] = seconds
        display.advance(scoring, 1)
    lines = screen.file.getvalue().splitlines()
    assert lines[:3] == [
        "Encoding: 300 of 1,200 terms",
        "Encoding: 900 of 1,200 terms, 10 terms/s, about 30 s left",
        "Scoring: 0 of 20 sets",
    ]
    assert lines[-1] == "Scoring: 10 of 20 sets, 1.0 sets/s, about 10 s left", "not by the two minutes of the first"
    display.close()


@pytest.mark.parametrize("terminal", [False, True])
def test_steps_are_listed_once_work_takes_long(terminal, monkeypatch):
    screen = console(terminal=terminal)
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0)
    with shown_on(screen), steps(["Read", "Score", "Report"]) as begin:
        begin("Read")
        with track("Reading", total=2) as advance:
            advance(2)
        begin("Score")
        with track("Scoring", total=2) as advance:
            advance(1)
            if terminal:
                assert drawn(screen, "step 2 of 3")
                assert drawn(screen, "✓ ")
                assert drawn(screen, "  Report")
                assert drawn(screen, "Scoring")
            else:
                assert drawn(screen, "Step 2 of 3: Score")
    if not terminal:
        assert screen.file.getvalue().splitlines() == ["Step 1 of 3: Read", "Step 2 of 3: Score"]


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
@pytest.mark.usefixtures("eager")
def test_names_in_labels_are_shown_as_they_are_and_steer_nothing(terminal):
    screen = console(terminal=terminal)
    label = "Encoding with [red]m[/x]\x9b2J\u2028"
    with shown_on(screen), steps([label]) as begin:
        begin(label)
        assert drawn(screen, "Encoding with")  # the step; a thread shows it
        with track(label, total=2, unit="terms") as advance:
            advance(1)
            assert drawn(screen, "1 of 2 terms")
    shown = screen.file.getvalue()
    assert shown.count("Encoding with [red]m[/x]\ufffd2J ") >= 2
    assert not {"\x9b", "\u2028"} & set(shown)


@pytest.mark.parametrize("terminal", [False, True])
def test_what_takes_long_is_said_even_if_it_never_advances(terminal, monkeypatch):
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.05)
    screen = console(terminal=terminal)
    with shown_on(screen), track("Report", total=3, unit="steps"):
        assert drawn(screen, "Report")
    if not terminal:
        assert screen.file.getvalue() == "Report\n"


def test_the_first_steps_are_said_as_well(monkeypatch):
    """The first begins before it is known whether the work takes long."""
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.1)
    screen = console(terminal=False)
    with shown_on(screen), steps(["Read", "Build", "Score", "Report"]) as begin:
        begin("Read")
        begin("Build")
        assert drawn(screen, "Step 2 of 4: Build\n")
        assert screen.file.getvalue().splitlines() == ["Step 1 of 4: Read", "Step 2 of 4: Build"]
        begin("Score")
    assert screen.file.getvalue().splitlines()[2:] == ["Step 3 of 4: Score"]


QUICK = "import termgauge as tg\nfrom termgauge import progress\nprogress.DELAY_SECONDS = 0.2\n"
"""What shortens the two seconds before a bar is drawn."""
WORK = """
import time
with progress.track("Scoring <all>", total=2, unit="sets") as outer:
    for at in range(2):
        with progress.track("Encoding", total=40, unit="terms") as inner:
            for _ in range(40):
                time.sleep(0.02)
                inner(1)
        outer(1)
"done"
"""


@pytest.mark.integration
def test_long_work_in_a_notebook_draws_bars_in_place_and_leaves_nothing(tmp_path):
    client = run_cells(
        tmp_path, QUICK + WORK, "with tg.show_progress(False):" + WORK.replace("\n", "\n    ") + "\n'end'"
    )
    assert client.stderr() == ""
    assert len(client.texts("display_data")) == 1, "one place, which is drawn anew"
    texts = client.texts()
    assert any(re.match(r"Scoring <all>.*\nEncoding: \d+ of 40 terms", text) for text in texts)
    assert any(text.startswith("Scoring <all>: 1 of 2 sets") for text in texts)
    assert texts[-1] == ""
    shown = [content["data"]["text/html"] for said, content in client.said if said == "update_display_data"]
    assert any(re.search(r"<pre.*Scoring &lt;all&gt;.*━.*1 of 2 sets.*\n.*Encoding.*━", html) for html in shown)
    (first, second) = client.nb.cells
    assert [output["data"]["text/plain"] for output in first.outputs] == ["", "'done'"]
    assert [output["data"]["text/plain"] for output in second.outputs] == ["'end'"], "it was turned off"


@pytest.mark.integration
def test_a_notebook_shows_steps_and_work_that_never_advances_unless_the_variable_turns_it_off(tmp_path):
    still = """
import time
with progress.steps(["Read", "Score"]) as begin:
    begin("Read")
    with progress.track("Reading"):
        time.sleep(0.6)
    begin("Score")
"""
    client = run_cells(tmp_path, QUICK + still)
    assert "Step 1 of 2: Read\nReading" in client.texts()
    assert client.texts()[-1] == ""
    assert run_cells(tmp_path, QUICK + still, TERMGAUGE_PROGRESS="0").said == []


@pytest.fixture
def published(monkeypatch):
    """Return what is drawn, as if this process were a kernel."""
    shown = []

    def publish(data, *, transient, update):
        shown.append((update, transient["display_id"], data["text/plain"]))

    shell = SimpleNamespace(kernel=object())
    display = SimpleNamespace(publish_display_data=publish)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell, display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(progress, "_choice", progress._Choice())
    return shown


def test_each_piece_of_work_in_a_notebook_is_drawn_in_a_place_of_its_own(published, monkeypatch):
    assert in_notebook()
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0)
    monkeypatch.setattr(progress, "NOTEBOOK_INTERVAL_SECONDS", 60)
    for label in ("One", "Two"):
        count = len(published)
        with track(label):
            until = time.perf_counter() + 20
            while len(published) == count and time.perf_counter() < until:
                time.sleep(0.01)
    assert [(update, text) for update, _place, text in published] == [
        (False, "One"),
        (True, ""),
        (False, "Two"),
        (True, ""),
    ]
    assert len({place for _update, place, _text in published}) == 2


def test_quick_work_in_a_notebook_draws_nothing(published):
    with track("Reading", total=2) as advance:
        advance(1)
    with steps(["One"]) as begin:
        begin("One")
    assert published == []


def test_a_script_and_a_shell_are_no_notebook(monkeypatch):
    assert not in_notebook()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=SimpleNamespace))
    assert not in_notebook()
