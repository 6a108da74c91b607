"""Whatever happens to a run, nothing that was finished is lost, and in the end the values are those of a quiet one."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time

import pytest

from termgauge.engine.runner import run
from termgauge.exceptions import CannotWriteError, TermgaugeError, TermgaugeWarning
from termgauge.io.atomic import TEMPORARY_PREFIX
from termgauge.tasks.pairs.scored import ScoredSets
from tests.engine.small_experiment import run_quietly

pytestmark = pytest.mark.filterwarnings("ignore:Without positives")

READY = "ready"
PROGRAM = f"""
import sys
import termgauge.engine.runner, termgauge.tasks.categories.result, termgauge.similarity.kernels
from termgauge.exceptions import TermgaugeError
if __name__ == "__main__":
    file, out, jobs = sys.argv[1:]
    print("{READY}", flush=True)
    try:
        termgauge.engine.runner.run(file, out=out, jobs=int(jobs), report=False)
    except TermgaugeError as error:
        sys.exit(f"Error: {{error}}")
"""
KILLS = 20
WRITES = 40
"""A run writes more often than this, so that one that is killed so early goes on several times."""
WARM = (
    "termgauge.benchmark.build",
    "termgauge.embeddings.load",
    "termgauge.tasks.vocabulary.measure",
    "termgauge.tasks.coverage.result",
    "termgauge.tasks.categories.result",
    "termgauge.similarity.kernels",
)


@pytest.fixture(scope="session")
def wanted(undisturbed):
    """Return the values of an undisturbed run."""
    return (undisturbed / "run" / "results.csv").read_bytes()


def started(*arguments, **options):
    """Start a run in a process of its own, and return when everything is imported."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        **options,
    )
    assert process.stdout.readline().strip() == READY
    return process


@pytest.fixture(scope="module")
def processes():
    """Return a way to start processes in which all is imported already, so that kills hit the work itself."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.engine.small_experiment", "termgauge.engine.runner", *WARM])
    return context


@pytest.mark.integration
def test_killed_twenty_times(small, wanted, tmp_path, processes):
    """At any moment of the work, and at any step of writing a file; wherever one run ends, a fresh one begins."""
    draw = random.Random(20)
    out, cache = tmp_path / "run", tmp_path / "killed-cache"

    def begun(killed_at=0):
        process = processes.Process(target=run_quietly, args=(str(small), str(out), str(cache), killed_at))
        process.start()
        return process

    def wipe():
        shutil.rmtree(out, ignore_errors=True)
        shutil.rmtree(cache, ignore_errors=True)

    began = time.monotonic()
    process = begun()
    process.join()
    assert process.exitcode == 0
    whole = time.monotonic() - began
    wipe()
    hits, finished, states, left = [0, 0], 0, set(), False
    while sum(hits) < KILLS and finished < 2 * KILLS:
        by_time = hits[0] < hits[1]  # in turns
        process = begun(0 if by_time else draw.randint(1, WRITES))
        process.join(draw.uniform(0, whole) if by_time else None)
        process.kill()
        process.join()
        if process.exitcode == -signal.SIGKILL:
            hits[0 if by_time else 1] += 1
            left = left or any(out.rglob(f"{TEMPORARY_PREFIX}*"))
            states.add(len([path for path in out.rglob("*") if path.is_file()]) if out.exists() else -1)
        else:
            assert process.exitcode == 0
            assert (out / "results.csv").read_bytes() == wanted
            finished += 1
            wipe()
    assert sum(hits) == KILLS
    assert len(states) >= KILLS / 4, "kills hit at different stages"
    last = run(small, out=out, report=False)
    assert (last.path / "results.csv").read_bytes() == wanted
    assert left, "some kills left a file half written"
    assert not list(out.rglob(f"{TEMPORARY_PREFIX}*")), "what was being written is swept away"
    assert last.record().failures == {}


@pytest.mark.integration
def test_workers_end_with_the_run_that_started_them(small, wanted, tmp_path):
    out = tmp_path / "run"
    process = started(small, out, 2, start_new_session=True)
    deadline = time.monotonic() + 60
    while not (out / "scores").exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.kill()
    process.wait()
    while time.monotonic() < deadline:
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            break
        time.sleep(0.05)
    else:
        pytest.fail("processes were left behind")
    process.communicate()
    assert (run(small, out=out, report=False).path / "results.csv").read_bytes() == wanted


@pytest.mark.parametrize("kind", [errno.ENOSPC, errno.EROFS])
def test_a_disk_that_is_full_at_any_write(finished, wanted, tmp_path, monkeypatch, kind):
    """Every write fails once, wherever it is; the next run goes on, and does not lose what was there."""
    small = finished  # whose cache is full, which a run can do without
    plain, out = os.fsync, tmp_path / "run"
    left = 0

    def fsync(file):
        nonlocal left
        left -= 1
        if left < 0:
            raise OSError(kind, os.strerror(kind))
        plain(file)

    monkeypatch.setattr(os, "fsync", fsync)
    there, said = set(), set()
    for writes in range(0, 400, 7):
        left = writes % 50
        try:
            run(small, out=out, report=False)
        except CannotWriteError as error:
            said.add(str(error).rpartition(": ")[2])
            now = {path for path in out.rglob("[!.]*.*") if path.is_file()}
            assert there <= now, "what was there is lost"
            there = now
        else:
            break
    else:
        pytest.fail("it never got to the end")
    assert said == {f"cannot be written ({os.strerror(kind)}); nothing was changed there."}
    assert (out / "results.csv").read_bytes() == wanted


@pytest.mark.integration
def test_a_file_size_limit_is_said_in_a_sentence(small, wanted, tmp_path):
    out = tmp_path / "run"

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (7000, 7000))

    process = started(small, out, 1, preexec_fn=limit)
    _out, err = process.communicate()
    assert process.returncode == 1
    assert err.splitlines()[-1].startswith("Error: ")
    assert "cannot be written (File too large)" in err
    assert "Traceback" not in err
    run(small, out=out, report=False)
    assert (out / "results.csv").read_bytes() == wanted


def test_a_folder_that_cannot_be_written(small, tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(TermgaugeError, match="Not a directory"):
        run(small, out=tmp_path / "file" / "run", report=False)
    with pytest.raises(TermgaugeError, match="is a file, not a run folder"):
        run(small, out=tmp_path / "file", report=False)
    assert (tmp_path / "file").read_text() == "x"


def test_an_error_of_the_machine_ends_the_run(small, tmp_path, monkeypatch):
    def full(*_given, **_options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("termgauge.tasks.pairs.results.make_results", full)
        with pytest.raises(OSError, match="No space left on device"):
            run(small, out=tmp_path / "run", report=False)
    assert run(small, out=tmp_path / "run", report=False).results().height


@pytest.mark.filterwarnings("ignore:The section 'coverage heart'")
def test_a_model_file_that_disappears_half_way(small, wanted, tmp_path, monkeypatch):
    """It goes away while the model before it is scored, and later comes back."""
    out, words = tmp_path / "run", small.parent / "words.txt"
    text = small.read_text()
    parts = text.split("[[model]]")
    small.write_text("[[model]]".join([parts[0], parts[2], parts[1], parts[3]]))
    plain = ScoredSets.write_scores

    def write(self, *given):
        words.rename(words.with_suffix(".away"))
        monkeypatch.setattr(ScoredSets, "write_scores", plain)
        plain(self, *given)

    monkeypatch.setattr(ScoredSets, "write_scores", write)
    shutil.rmtree(os.environ["TERMGAUGE_CACHE_DIR"])
    with pytest.warns(TermgaugeWarning, match="The model 'words' cannot be used and is left out: .*words.txt"):
        made = run(small, out=out, report=False)
    assert set(made.results()["model"]) == {"letters", "chance"}
    words.with_suffix(".away").rename(words)
    small.write_text(text)
    assert run(small, out=out, report=False).record().failures == {}
    assert (out / "results.csv").read_bytes() == wanted


@pytest.mark.parametrize(
    "name",
    [
        "run.json",
        "results.parquet",
        "vocabulary.json",
        "categories/organs.json",
        "coverage/heart.json",
        "domains/heart.json",
        "results.csv",
    ],
)
def test_files_that_were_cut_short_are_made_again(wanted, finished, name):
    file, out = finished, finished.parent / "run"
    whole = (out / name).read_bytes()
    (out / name).write_bytes(whole[: len(whole) // 2])
    if name == "run.json":
        with pytest.warns(TermgaugeWarning, match=r"run\.json: is damaged .* It is made again"):
            run(file, out=out, report=False)
        before, after = (json.loads(text)["models"] for text in (whole, (out / name).read_bytes()))
        assert {model: after[model]["key"] for model in after} == {model: before[model]["key"] for model in before}
    else:
        run(file, out=out, report=False)
        assert (out / name).read_bytes() == whole
    assert (out / "results.csv").read_bytes() == wanted


def test_scores_and_sets_that_were_cut_short_are_made_again(wanted, finished):
    file, out = finished, finished.parent / "run"
    for folder in ("scores/words", "sets", "benchmarks/small"):
        for path in sorted((out / folder).iterdir())[::3]:
            path.write_bytes(path.read_bytes()[:100])
    run(file, out=out, report=False)
    assert (out / "results.csv").read_bytes() == wanted
