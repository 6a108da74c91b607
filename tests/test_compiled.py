"""Kernels are compiled wherever termgauge runs, even where nothing can be written."""

from __future__ import annotations

import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from termgauge import compiled
from termgauge.benchmark.nearest.search import MOST_COMPARED
from termgauge.progress import listening
from termgauge.threads import ThreadPool
from tests.conftest import REPOSITORY

AS_NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


@pytest.mark.parametrize(
    ("package", "cache", "kept", "place"),
    [(True, True, True, ""), (False, True, True, "numba"), (False, False, False, "")],
)
def test_where_compiled_code_is_kept(monkeypatch, cache_folder, package, cache, kept, place):
    monkeypatch.setattr(compiled.numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(compiled, "writable", lambda folder: cache if folder == cache_folder else package)
    assert compiled._kept() is kept
    assert (str(cache_folder / place) if place else "") == compiled.numba.config.CACHE_DIR


@pytest.fixture
def place():
    """Return a folder that everybody may read."""
    with tempfile.TemporaryDirectory(prefix="termgauge-test-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.integration
@pytest.mark.parametrize("cache", ["writable", "not writable"])
def test_a_user_who_may_write_nowhere_else(place, cache):
    """Read word vectors and a terminology as a service account does, with a package that belongs to root."""
    if os.name == "nt" or os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can become somebody else")
    shutil.copytree(REPOSITORY / "src" / "termgauge", place / "termgauge", ignore=shutil.ignore_patterns("__pycache__"))
    vectors = ((b"fever", [1, 2, 3]), (b"cough", [3, 2, 1]))
    words = b"".join(b"%s %s\n" % (word, struct.pack("<3f", *vector)) for word, vector in vectors)
    (place / "v.bin").write_bytes(b"2 3\n" + words)  # a kernel cuts it into words and numbers
    rows = (f"{n}\tterm {n}\n{n}\tword {n}{n}{n}\n" for n in range(20))
    (place / "t.tsv").write_text("concept\tterm\n" + "".join(rows))
    (place / "cache").mkdir()
    (place / "cache").chmod(0o777 if cache == "writable" else 0o755)
    program = (
        "import warnings; warnings.simplefilter('ignore'); import termgauge as tg; print(tg.__file__);"
        f"print(tg.load_model({str(place / 'v.bin')!r}).vectors(['cough']).tolist());"
        f"print(tg.read_terminology({str(place / 't.tsv')!r}).terms.height)"
    )
    home = {"HOME": "/nonexistent", "TERMGAUGE_CACHE_DIR": str(place / "cache"), "PYTHONPATH": str(place)}
    command = [*AS_NOBODY, sys.executable, "-c"]
    if subprocess.run([*command, "import numba"], cwd="/", capture_output=True, check=False).returncode:
        pytest.skip("this Python belongs to root alone")
    done = subprocess.run(
        [*command, program], env={**os.environ, **home}, cwd="/", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    used, vector, terms = done.stdout.splitlines()
    assert used == str(place / "termgauge" / "__init__.py")
    assert vector == "[[3.0, 2.0, 1.0]]"
    assert terms == "40"
    assert (place / "cache" / "numba").exists() == (cache == "writable")


def kernels():
    """Return a kernel that calls another, neither of which was ever compiled."""

    @compiled.numba.njit
    def inner(number):
        return number + 1

    @compiled.numba.njit
    def outer(number):
        return inner(number) * 2

    return outer


class Told:
    """Remembers what it is told."""

    def __init__(self):
        self.said = []

    def start(self, label, total, unit):
        self.said.append((label, total, unit))
        return 7

    def stop(self, task):
        self.said.append(task)


def test_progress_says_once_that_kernels_are_compiled():
    listener, kernel = Told(), kernels()
    with listening(listener):
        assert kernel(1) == 4
        assert kernel(2) == 6
    assert listener.said == [("Compiling (once)", None, ""), 7]


def test_compilation_ends_in_the_threads_of_a_block_that_was_interrupted():
    kernel = kernels()

    class Interrupting(Told):
        def start(self, label, total, unit):
            with pytest.raises(KeyboardInterrupt), pool:
                raise KeyboardInterrupt
            return super().start(label, total, unit)

    def work():
        with listening(listener):
            return kernel(1)

    listener = Interrupting()
    pool = ThreadPool(1)
    pool.shutdown = lambda **_options: None  # the thread cannot wait for itself
    caught = pool.submit(work).exception(60)
    assert isinstance(caught, KeyboardInterrupt)
    assert listener.said[-1] == 7, "it is shown no longer"
    assert kernel.signatures == []
    assert kernel(1) == 4


@pytest.mark.integration
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_stops_a_first_build_while_it_compiles(tmp_path):
    numbers = range(MOST_COMPARED)  # with so many terms the kernels of the search are compiled
    rows = "".join(f"{number}\tsign {number}\n{number}\tsymptom of {number}\n" for number in numbers)
    (tmp_path / "t.tsv").write_text(f"concept\tterm\n{rows}")

    def kernels():
        return sum(1 for _ in tmp_path.glob("numba/**/*.nbc"))

    with subprocess.Popen(
        [sys.executable, "-c", "from termgauge.cli import main; main()", "build", "t.tsv", "--out", "sets"],
        cwd=tmp_path,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "numba"), "TERMGAUGE_PROGRESS": "1"},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr.readline() == "Compiling (once)\n"
        while kernels() < 20 and process.poll() is None:  # then it is in the threads that search
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        before, rest = kernels(), process.stderr.read()
        assert process.wait(60) == 130
        assert kernels() - before < 15, "it went on to compile the other forty"
    assert rest == "Stopped. What was finished is kept; the same command goes on from there.\n"
