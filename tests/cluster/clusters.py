"""Clusters for tests: a real scheduler with worker processes that share nothing, and blocks for them to do.

Each worker has a cache and a working folder of its own. A plan, which workers read before each block, says what is to
happen to blocks of a kind: the worker is killed while it does one, or hangs, or has no memory, so many times.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PLAN = "TERMGAUGE_TEST_PLAN"


class Processes:
    """A scheduler and its workers."""

    def __init__(self, folder: Path, workers: int = 3, *, ttl: str = "60s", nanny: bool = True, resources: str = ""):
        self.folder, self._ttl, self._nanny, self._resources = folder, ttl, nanny, resources
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / "scheduler.json"
        self.plan = folder / "plan"
        self.plan.mkdir()
        self._processes = {
            "scheduler": self._start(
                "scheduler", "--port", "0", "--scheduler-file", str(self.file), "--host", "127.0.0.1", "--no-dashboard",
                "--idle-timeout", "10 minutes",
            )
        }  # fmt: skip
        for _ in range(600):
            if self.file.is_file() and self.file.stat().st_size:
                break
            time.sleep(0.05)
        self.address = json.loads(self.file.read_text())["address"]
        for number in range(workers):
            self.add(f"w{number}")
        if workers:
            self.wait(workers)

    def add(self, name: str, **environment: str) -> None:
        """Start a worker."""
        home = self.folder / name
        home.mkdir()
        self._processes[name] = self._start(
            "worker", self.address, "--nthreads", "1", "--name", name, "--local-directory", str(home), "--no-dashboard",
            "--death-timeout", "60",
            "--preload", str(Path(__file__).with_name("preload.py")), *([] if self._nanny else ["--no-nanny"]),
            *(["--resources", self._resources] if self._resources else []),
            home=home, TERMGAUGE_CACHE_DIR=str(home / "cache"), NUMBA_NUM_THREADS="1", **environment,
        )  # fmt: skip

    def _start(self, *command: str, home: Path | None = None, **environment: str) -> subprocess.Popen[bytes]:
        log = self.folder / f"{command[0]}-{time.monotonic_ns()}.log"
        settings = {
            "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": self._ttl,
            "DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE": "0.9",
            "TERMGAUGE_PROGRESS": "0",
            PLAN: str(self.plan),
        }
        with log.open("wb") as written:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", *command],
                stdout=written, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=home or self.folder,
                env=os.environ | settings | environment, start_new_session=True,
            )  # fmt: skip

    def wait(self, workers: int) -> None:
        """Wait until there are so many workers."""
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=120)

    def arrange(self, kind: str, what: str, times: int = 1) -> None:
        """Have something happen to the first blocks of a kind that are begun from now on."""
        for number in range(times):
            (self.plan / f"{kind.replace(' ', '_')}.{what}.{number}").touch()

    def happened(self, kind: str) -> int:
        """Return how often it happened."""
        return len(list(self.plan.glob(f"{kind.replace(' ', '_')}.*.done-*")))

    def alive(self, name: str) -> bool:
        """Say whether a process has not ended."""
        return self._processes[name].poll() is None

    def kill(self, name: str) -> None:
        """End a process and those that it started."""
        try:
            os.killpg(self._processes[name].pid, signal.SIGKILL)
        except ProcessLookupError:
            return

    def remove(self, name: str) -> None:
        """End a worker for good."""
        self.kill(name)
        self._processes.pop(name).wait()
        until(lambda: not any(each["name"] == name for each in self._known()))

    def _known(self) -> list[dict[str, object]]:
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            return list(client.scheduler_info(n_workers=-1)["workers"].values())

    def close(self) -> None:
        """End all processes."""
        for name in self._processes:
            self.kill(name)
        for process in self._processes.values():
            process.wait()


@contextmanager
def processes(folder: Path, workers: int = 3, **options):
    """Give a scheduler with workers for the duration of a block of code."""
    made = Processes(folder, workers, **options)
    try:
        yield made
    finally:
        made.close()


def double(value):
    return 2 * value


def fail(value):
    from termgauge.exceptions import TermgaugeError

    raise TermgaugeError(f"{value} is not wanted.")


def sleep(seconds):
    time.sleep(seconds)
    return seconds


def read(artifact):
    return (
        artifact.here.read_text() if artifact.here.is_file() else sorted(each.name for each in artifact.here.iterdir())
    )


def total(artifact, factor):
    from termgauge.io.arrays import load_arrays

    return {name: float(array.sum() * factor) for name, array in load_arrays(artifact.here).items()}


def nested(values):
    """Send blocks from inside of a block."""
    from termgauge.executor import current_executor, in_order

    place = current_executor()
    return None if place is None else list(in_order(place.map(double, [(each,) for each in values], label="inner")))


def work_until(path):
    """Write how far one is, until nobody wants it."""
    for beat in range(10_000):
        Path(path).write_text(str(beat))
        time.sleep(0.02)


def beats(path):
    """Return how far somebody is who works until nobody wants it; None before it was begun."""
    return Path(path).read_text() if Path(path).is_file() else None


def until(true, seconds=30.0):
    """Wait until something is true; say whether it came to be."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def stopped(path, seconds=15.0):
    """Say whether somebody who works until nobody wants it stops within some seconds."""

    def stands():
        before = beats(path)
        time.sleep(0.5)
        return beats(path) == before

    return until(stands, seconds)


def sized(size):
    return b"x" * size


class Unreadable:
    """What can be written, and not read."""

    def __reduce__(self):
        return int, ("no number",)


def unreadable(value):
    return Unreadable() if value == 3 else value


def die_with(value, deadly):
    """Kill the worker with one of the values."""
    if value == deadly:
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGKILL)
    return value
