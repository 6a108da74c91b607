"""Commands on a cluster: what they print and leave is what they print and leave without one."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from termgauge.cluster import connect
from termgauge.executor import current_executor
from tests.cluster.clusters import processes, until
from tests.common.interruption import PROGRAM, SAID, interrupt, slow_command
from tests.engine.small_experiment import write_experiment
from tests.other_package import install


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("heart\tcardiac\t1\nheart\tskin\t0\nlung\tpulmonary\t1\nlung\trash\t0\n")
    return path


def files_of(folder):
    """Return what a command left, without what is about time."""
    kept = (path for path in Path(folder).rglob("*") if path.is_file() and path.name != "run.json")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in kept if path.name != "report.html"}


@pytest.mark.parametrize("options", [["--shared"], ["--patience", "5"]])
def test_what_is_about_a_cluster_needs_one(run, pairs, tmp_path, options):
    status, out, err = run("evaluate", "-b", pairs, "-m", "baseline:levenshtein", "-o", tmp_path / "run", *options)
    assert (status, out) == (2, "")
    assert "name one with --cluster" in " ".join(err.replace("│", " ").split())
    assert not (tmp_path / "run").exists()


@pytest.mark.integration
def test_a_cluster_that_is_not_there_is_said_in_a_sentence(run, pairs, tmp_path, monkeypatch):
    monkeypatch.setattr(connect, "CONNECT_SECONDS", 1.0)
    words = ["evaluate", "-b", pairs, "-m", "baseline:levenshtein", "-o", tmp_path / "run", "--cluster"]
    for address in ("tcp://127.0.0.1:9", "no address"):
        status, out, err = run(*words, address)
        assert (status, out) == (2, "")
        assert len(err.splitlines()) == 1
        assert address in err


@pytest.mark.integration
def test_it_is_said_where_to_watch(run, pairs, tmp_path):
    words = ["evaluate", "-b", pairs, "-m", "a=baseline:levenshtein", "-m", "b=baseline:random?dim=4"]
    alone = run(*words, "-o", tmp_path / "alone")
    status, out, err = run(*words, "-o", tmp_path / "cluster", "--cluster", "local:1")
    assert re.search(r"^Cluster: 1 worker\. Dashboard: http://\S+:\d+/status$", err, re.MULTILINE)
    assert (status, out.replace(str(tmp_path / "cluster"), str(tmp_path / "alone"))) == alone[:2]
    assert files_of(tmp_path / "alone") == files_of(tmp_path / "cluster")
    assert current_executor() is None


def command(*words, folder, **environment):
    """Run a command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, words)],
        cwd=folder, capture_output=True, text=True, timeout=280, check=False,
        env={**os.environ, "TERMGAUGE_PROGRESS": "0", "PYTHONPATH": os.pathsep.join(sys.path), **environment},
    )  # fmt: skip


@pytest.mark.integration
def test_commands_leave_the_same_with_and_without_a_cluster(tmp_path):
    left = {}
    for name, options in (("alone", []), ("cluster", ["--cluster", "local:2"])):
        folder = tmp_path / name
        write_experiment(folder)
        for words in (
            ["build", "small.obo", "--only", "fsn-syn", "--out", "benchmark"],
            ["evaluate", "-b", "benchmark", "-m", "word2vec:words.txt", "-m", "baseline:levenshtein", "-o", "scored"],
            ["linking", "small.obo", "-m", "word2vec:words.txt", "-m", "baseline:levenshtein"],
            ["run", "experiment.toml", "--no-report"],
        ):
            done = command(*words, *options, folder=folder, TERMGAUGE_CACHE_DIR=str(tmp_path / f"cache-{name}"))
            assert done.returncode == 0, done.stderr
            assert ("Cluster: 2 workers. Dashboard: http://" in done.stderr) is bool(options)
            left.setdefault(name, []).append(done.stdout)
    assert left["alone"] == left["cluster"]
    own, others = files_of(tmp_path / "alone"), files_of(tmp_path / "cluster")
    assert sorted(own) == sorted(others)
    assert [name for name, content in own.items() if others[name] != content] == []


@pytest.mark.integration
@pytest.mark.parametrize("kind", ["scoring", "categories"])
def test_a_scheduler_that_is_killed_ends_the_command_with_one_sentence(tmp_path, kind):
    """Whether models are not known yet, or a section of the report would be left out."""
    file = write_experiment(tmp_path / "study")
    with processes(tmp_path / "cluster", 1) as one:
        one.arrange(kind, "hang")
        started = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, "run", str(file), "--quiet", "--cluster", one.address],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=file.parent,
        )  # fmt: skip
        try:
            assert until(lambda: one.happened(kind) or started.poll() is not None, 120)
            one.kill("scheduler")
            out, err = started.communicate(timeout=120)
        finally:
            started.kill()
    assert (started.returncode, out) == (2, "")
    assert re.fullmatch(r"Error: The connection to the cluster was lost.*; what was finished is kept, .*\.\n", err), err


ODD = """
import ctypes, multiprocessing, os, signal
from pathlib import Path
import termgauge as tg
from termgauge.embeddings.schemes import Scheme

def load(spec):
    if multiprocessing.parent_process() is not None:
        try:
            Path(os.environ["ODD_MARK"]).touch(exist_ok=False)
        except FileExistsError:
            pass
        else:
            if spec.location == "freezes":
                os.kill(os.getpid(), signal.SIGSTOP)
            else:
                ctypes.PyDLL(None).sleep(6)
    return tg.load_model(f"{spec.name}=baseline:levenshtein")

SCHEME = Scheme(name="odd", about="freezes, or holds the lock of the interpreter, once", kinds=("pairs",), load=load,
                files="none")
"""


@pytest.mark.integration
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes cannot be stopped")
@pytest.mark.parametrize(("how", "workers", "tries"), [("freezes", 1, 2), ("freezes", 2, 2), ("holds", 1, 1)])
def test_a_worker_that_freezes_is_replaced_and_one_that_holds_the_interpreter_is_not(
    pairs, tmp_path, monkeypatch, how, workers, tries
):
    install(tmp_path / "acme", monkeypatch, {"acme_odd": ODD}, "termgauge.schemes", {"odd": "acme_odd:SCHEME"})
    words = ["evaluate", "-b", pairs, "-m", f"a=odd:{how}", "-m", f"b=odd:{how}", "-m", "c=baseline:random?dim=4"]
    mark = tmp_path / "mark"
    options = ["--cluster", f"local:{workers}", "--patience", "10"]
    for name, more in (("cluster", options), ("alone", [])):
        done = command(*words, "-o", tmp_path / name, *more, folder=tmp_path, ODD_MARK=str(mark))
        assert done.returncode == 0, done.stderr
        assert mark.exists()
    units = json.loads((tmp_path / "cluster" / "run.json").read_text())["units"]
    assert max(unit.get("tries", 1) for unit in units) <= tries, "what a frozen worker began, it may not have told"
    assert files_of(tmp_path / "alone") == files_of(tmp_path / "cluster")


def children_of(group):
    """Return the processes of a session that have not ended."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdecimal():
            try:
                fields = (place / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == group and fields[0] != "Z":
                found.append(int(place.name))
    return found


@pytest.mark.integration
@pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="looks at processes through /proc")
@pytest.mark.parametrize("to_all", [True, False], ids=["the terminal", "the command alone"])
def test_an_interruption_ends_the_workers_too(tmp_path, monkeypatch, to_all):
    with slow_command(tmp_path, monkeypatch, "--cluster", "local:2") as (started, _marks):
        try:
            seconds, status, out, err = interrupt(started, to_all=to_all)
            assert seconds < 30
            assert (status, out) == (130, "")
            assert err.splitlines()[-1:] == [SAID]
            assert "Traceback" not in err
            time.sleep(0.5)
            assert children_of(started.pid) == []
        finally:
            for left in children_of(started.pid):
                os.kill(left, signal.SIGKILL)
