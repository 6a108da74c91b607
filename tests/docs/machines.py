"""Machines that are processes here: programs in the background, commands that stand for others, a small experiment."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conftest import REPOSITORY
from tests.engine.small_experiment import EXPERIMENT, write_experiment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

FILES = REPOSITORY / "docs" / "clusters"
SECONDS = 240
"""How long anything may take on a busy machine."""
SCORED = EXPERIMENT.partition("[[categories]]")[0]
"""The small experiment without its tasks beside scoring."""


def environment(cache: Path, *before: Path, **more: str) -> dict[str, str]:
    """Return the environment of a machine: a cache of its own, programs of this Python, and some before them."""
    path = os.pathsep.join([*map(str, before), str(Path(sys.executable).parent), os.environ["PATH"]])
    return os.environ | {"PATH": path, "TERMGAUGE_CACHE_DIR": str(cache), "TERMGAUGE_PROGRESS": "0"} | more


def command(folder: Path, name: str, script: str) -> None:
    """Put a command into a folder of commands."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"#!/usr/bin/env bash\n{script}")
    (folder / name).chmod(0o755)


@contextmanager
def background(words: Sequence[str], env: Mapping[str, str], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program in a folder until the block ends, then end it and all that it started."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "output.txt").open("ab") as output:
        process = subprocess.Popen(
            words, env=env, cwd=folder, stdout=output, stderr=output, stdin=subprocess.DEVNULL, start_new_session=True
        )
        try:
            yield process
        finally:
            end_group(process)


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End a program and all that it started, politely and then not."""
    for each in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, each)
            process.wait(10)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


def finished(words: Sequence[str], env: Mapping[str, str], folder: Path) -> str:
    """Run a program in a folder to its end, which must be a good one; return what it printed."""
    with (folder / "finished.txt").open("w+b") as output:
        process = subprocess.Popen(
            words, env=env, cwd=folder, stdout=output, stderr=output, stdin=subprocess.DEVNULL, start_new_session=True
        )
        try:
            status = process.wait(SECONDS)
        finally:
            end_group(process)
        output.seek(0)
        printed = output.read().decode()
    assert status == 0, printed
    return printed


def wait_until(true: Callable[[], object], what: str) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < end, f"waited in vain: {what}"
        time.sleep(0.1)


def listens(port: int, host: str = "127.0.0.1") -> bool:
    """Say whether somebody listens at a port."""
    with socket.socket() as caller:
        return caller.connect_ex((host, port)) == 0


def free_port() -> int:
    """Return a port that nobody has."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def alone(folder: Path) -> Path:
    """Run the small experiment without a cluster, and return its run folder."""
    path = write_experiment(folder, SCORED)
    finished(["termgauge", "run", path.name], environment(folder / "cache"), folder)
    return folder / "run"


def workers_of(run: Path) -> set[str]:
    """Return who did the units of a run."""
    return {unit["worker"] for unit in json.loads((run / "run.json").read_text())["units"]}


def same_results(run: Path, other: Path) -> None:
    """See that two runs have the same results to the byte."""
    files = sorted(path.relative_to(other) for path in other.rglob("*.parquet"))
    assert any("scores" in path.parts for path in files)
    for path in [*files, Path("results.csv")]:
        assert (run / path).read_bytes() == (other / path).read_bytes(), path
