"""In a notebook, bars appear by themselves once work takes long, are drawn in place, and go away."""

from __future__ import annotations

import re
import sys
from types import SimpleNamespace

import pytest

from termgauge import progress
from termgauge.notebook_progress import NotebookListener, in_notebook
from tests.kernel import run_cells

QUICK = "import termgauge as tg\nfrom termgauge import progress\nprogress.DELAY_SECONDS = 0.2\n"
"""What shortens the two seconds before a bar is drawn."""
WORK = """
import time
with progress.track("Scoring <all>", total=2, unit="sets") as outer:
    for at in range(2):
        with progress.track("Encoding", total=40, unit="terms") as inner:
            for _ in range(40):
                time.sleep(0.01)
                inner(1)
        outer(1)
"done"
"""


def test_long_work_in_a_kernel_draws_bars_in_place_and_leaves_nothing(tmp_path):
    client = run_cells(
        tmp_path, QUICK + WORK, "with tg.show_progress(False):" + WORK.replace("\n", "\n    ") + "\n'end'"
    )
    assert client.stderr() == ""
    assert len(client.texts("display_data")) == 1, "one place, which is drawn anew"
    texts = client.texts()
    assert any(re.match(r"Scoring <all>.*\nEncoding: \d+ of 40 terms", text) for text in texts)
    assert any(text.startswith("Scoring <all>: 1 of 2 sets") for text in texts)
    assert texts[-1] == ""
    drawn = [content["data"]["text/html"] for said, content in client.said if said == "update_display_data"]
    assert any('Scoring &lt;all&gt;</span><progress value="0.5000">' in html for html in drawn)
    (first, second) = client.nb.cells
    assert [output["data"]["text/plain"] for output in first.outputs] == ["", "'done'"]
    assert [output["data"]["text/plain"] for output in second.outputs] == ["'end'"], "it was turned off"


def test_work_that_never_advances_and_steps_are_shown_and_the_variable_turns_all_off(tmp_path):
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
def drawn(monkeypatch):
    """Return what is drawn, as if this process were a kernel."""
    shown = []

    def publish(data, *, transient, update):
        shown.append((update, transient["display_id"], data["text/plain"]))

    shell = SimpleNamespace(kernel=object())
    display = SimpleNamespace(publish_display_data=publish)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell, display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return shown


def test_each_piece_of_work_is_drawn_in_a_place_of_its_own(drawn):
    assert in_notebook()
    listener = NotebookListener(0, 0)
    listener._clock = SimpleNamespace(begin=lambda _delay: None, end=lambda: None)  # draws at times of its own
    for label in ("One", "Two"):
        task = listener.start(label, 2, "")
        listener.advance(task, 1)
        listener.stop(task)
        listener.advance(task, 1)  # late, from another thread
    assert [(update, text.partition(":")[0]) for update, _place, text in drawn if text] == [
        (False, "One"),
        (False, "Two"),
    ]
    assert [text for _update, _place, text in drawn][1::2] == ["", ""]
    assert len({place for _update, place, _text in drawn}) == 2


def test_quick_work_draws_nothing(drawn):
    with progress.track("Reading", total=2) as advance:
        advance(1)
    with progress.steps(["One"]) as begin:
        begin("One")
    assert drawn == []


def test_a_script_and_a_shell_are_no_notebook(monkeypatch):
    assert not in_notebook()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=SimpleNamespace))
    assert not in_notebook()
