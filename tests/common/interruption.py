"""A command that is interrupted while its models are being loaded, which takes for ever."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

from tests.other_package import install

PROGRAM = "from termgauge.cli import main\nif __name__ == '__main__': main()"
SAID = "Stopped. What was finished is kept; the same command goes on from there."
_SLOW = """
import os, time
from pathlib import Path
from termgauge.embeddings.schemes import Scheme

def load(spec):
    Path(os.environ["SLOW_MARKS"], f"{os.getpid()}").touch()
    time.sleep(60)

SCHEME = Scheme(name="slow", about="never done", kinds=("terms",), load=load, files="none")
"""


@contextmanager
def slow_command(folder, monkeypatch, *options):
    """Score three models, and go on when two of them are under way; say which process does, and leave their marks."""
    install(folder / "acme", monkeypatch, {"acme_slow": _SLOW}, "termgauge.schemes", {"slow": "acme_slow:SCHEME"})
    marks = folder / "marks"
    marks.mkdir()
    (folder / "toy.tsv").write_text("heart\tcardiac\t1\nheart\tskin\t0\n")
    words = ["evaluate", "-b", folder / "toy.tsv", "-m", "a=slow:1", "-m", "b=slow:2", "-m", "c=slow:3", "-q"]
    started = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *map(str, words), "-o", str(folder / "run"), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "SLOW_MARKS": str(marks)},
    )
    try:
        patience = time.monotonic() + 90
        while len(list(marks.iterdir())) < 2:
            assert time.monotonic() < patience
            assert started.poll() is None, started.stderr.read()
            time.sleep(0.05)
        yield started, marks
    finally:
        started.kill()


def interrupt(started, *, to_all):
    """Interrupt a command alone, or all of its processes as a terminal does; return its seconds, status and words."""
    began = time.monotonic()
    (os.killpg if to_all else os.kill)(started.pid, signal.SIGINT)
    out, err = started.communicate(timeout=60)
    return time.monotonic() - began, started.returncode, out.decode(), err.decode()
