"""Sentences for users."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge import exceptions
from termgauge.exceptions import (
    TermgaugeError,
    TermgaugeWarning,
    defect_of,
    did_you_mean,
    keep_secret,
    one_line,
    sentence_of,
    warn,
)
from tests.conftest import REPOSITORY
from tests.kernel import run_cells


@pytest.mark.parametrize(
    ("word", "known", "hint"),
    [
        ("lavenshtein", ["random", "levenshtein"], " Did you mean 'levenshtein'?"),
        ("TABLE", ["table"], " Did you mean 'table'?"),
        ("zebra", ["random"], ""),
        ("x", [], ""),
        ("", ["a"], ""),
    ],
)
def test_did_you_mean(word, known, hint):
    assert did_you_mean(word, known) == hint


@given(word=st.text(), known=st.lists(st.text(), max_size=5))
def test_did_you_mean_never_fails(word, known):
    hint = did_you_mean(word, known)
    assert hint == "" or any(hint == f" Did you mean '{each}'?" for each in known)


SCRIPT = """
import warnings
from concurrent.futures import ThreadPoolExecutor

import termgauge as tg


def sets():
    return tg.vocabulary(["gone.bin", "baseline:random"])  # line 9


for _ in range(3):
    sets()
with ThreadPoolExecutor(1) as pool:
    pool.submit(sets).result()
tg.vocabulary(["gone.bin", "other.bin", "baseline:random"])  # line 16
warnings.simplefilter("always")
for _ in range(2):
    sets()
"""


@pytest.mark.integration
def test_a_script_is_told_once_of_each_line_through_verbs_and_threads_unless_it_wants_more(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    told = {**os.environ, "PYTHONPATH": str(REPOSITORY / "src"), "TERMGAUGE_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, env=told, capture_output=True, text=True, check=True
    )
    lines = re.findall(
        r"script.py:(\d+): SkippedWarning: The model '\w+' cannot be used and is left out: (\w+)", done.stderr
    )
    assert lines == [("9", "gone"), ("16", "gone"), ("16", "other"), ("9", "gone"), ("9", "gone")]


@pytest.mark.integration
def test_a_cell_is_told_once_each_time_that_it_runs(tmp_path):
    cell = "for _ in range(3):\n    tg.vocabulary(['gone.bin', 'baseline:random'])"
    client = run_cells(tmp_path, "import termgauge as tg", cell, cell)
    shown = re.findall(r"ipykernel_\w+/\w+\.py:(\d+): SkippedWarning: (.*)", client.stderr())
    said = "The model 'gone' cannot be used and is left out: gone.bin: there is no such file or folder."
    assert shown == [("2", said)] * 2


def test_warn_points_at_the_caller_of_the_caller():
    def library():
        warn("a sentence")

    with pytest.warns(TermgaugeWarning, match="a sentence") as caught:
        library()
    assert caught[0].filename == __file__


def test_an_error_is_no_other_error():
    """Nothing that catches what a library raises may catch it."""
    assert TermgaugeError.__mro__[1] is Exception
    assert not issubclass(TermgaugeError, (ValueError, OSError, RuntimeError))


def test_a_defect_says_that_it_is_one_and_where():
    with pytest.raises(TypeError) as raised:
        did_you_mean(3, ["three"])
    sentence = sentence_of(raised.value)
    assert sentence.startswith("This is a defect of termgauge (TypeError: ")
    assert ", in exceptions.py, line " in sentence
    assert "\n" not in sentence
    assert sentence_of(TermgaugeError("x.tsv: is empty.")) == "x.tsv: is empty."
    assert sentence_of(MemoryError()).startswith("There is not enough memory")


@given(st.text(st.characters(), max_size=40))
def test_a_message_is_one_line_without_control_characters(text):
    for message in (
        str(TermgaugeError(text)),
        one_line(text),
        sentence_of(OSError(5, text, text)),
        defect_of(KeyError(text)),
    ):
        assert len(message.splitlines()) <= 1
        assert not [letter for letter in message if category(letter) in ("Cc", "Cs", "Zl", "Zp")]
    ordinary = " ".join(text.split())
    if ordinary.isprintable():
        assert one_line(ordinary) == ordinary


def test_several_sentences_stand_in_lines_of_their_own_also_after_a_process():
    error = pickle.loads(pickle.dumps(TermgaugeError("a.toml: is\nempty.", "b.toml: is empty.")))
    assert str(error) == "a.toml: is empty.\nb.toml: is empty."


@given(before=st.text(max_size=30), after=st.text(max_size=30), cut=st.integers(0, 24))
def test_a_secret_is_not_shown_nor_a_longer_part_of_it(secrets, before, after, cut):
    keep_secret(secrets)
    quoted = secrets[cut : cut + 24]
    shown = one_line(f"{before}{quoted} {after}{quoted}")
    assert not any(secrets[at : at + 8] in shown for at in range(len(secrets) - 7))
    assert shown.count("[hidden]") == 2
    assert one_line("nothing to hide") == "nothing to hide"


def test_a_short_secret_hides_no_other_word(monkeypatch):
    monkeypatch.setattr(exceptions, "_secrets", {})
    keep_secret("")
    keep_secret("abc")
    assert one_line("Bearer abc, of the abcess") == "Bearer [hidden], of the abcess"


@pytest.fixture
def secrets(monkeypatch):
    """Return a secret; what is hidden for one test is not hidden for the others."""
    monkeypatch.setattr(exceptions, "_secrets", {})
    return "sk-proj-0123456789-abcdefghijKLMNOPQ"
