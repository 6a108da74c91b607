"""How far work scales, up to 64 workers, from times that were measured on one machine.

``python -m benchmarks.cluster_scaling --record`` does the work once, on one core, and notes what each block took and
what its sender did before and after it. ``python -m benchmarks cluster_scaling`` lets Dask's own scheduler replay that
trace with tasks that sleep, beside the same without any scheduler (`planned`): the difference is what Dask takes.
"""

from __future__ import annotations

import json
import logging
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import Row, duration, noted, print_table, quick
from benchmarks.tracing import Trace, planned
from termgauge.cluster.connect import UNWATCHED
from termgauge.cluster.dask_executor import AHEAD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distributed import Client

TRACES = Path(__file__).parent / "cluster_traces.json"
WORKERS, QUICK_WORKERS = (1, 2, 4, 8, 16, 32, 64), (1, 4)
SECONDS, QUICK_SECONDS = 20.0, 2.0
"""How long a replay takes at most; longer work is replayed faster than it was."""
ASLEEP = UNWATCHED | {"distributed.admin.system-monitor.interval": "1h", "distributed.scheduler.worker-ttl": None}
"""What workers do all the time to watch themselves, 64 times in this one process, is not what is asked for."""


def main() -> None:
    """Replay all traces."""
    logging.getLogger("distributed").setLevel(logging.ERROR)
    for each in json.loads(TRACES.read_text(encoding="utf-8")):
        trace = Trace.of(each)
        title = f"{trace.what}: {duration(trace.shared)} of blocks, {duration(trace.alone)} of the sender's own"
        print_table(title, rows_of(trace), theirs="without Dask")


def rows_of(trace: Trace) -> Iterator[Row]:
    """Replay a trace with growing numbers of workers, and say what holds it up."""
    one = trace.shared + trace.alone
    most = QUICK_SECONDS if quick() else SECONDS
    for workers in QUICK_WORKERS if quick() else WORKERS:
        best = planned(trace, workers)
        faster = max(1.0, best / most)
        took = replayed(trace, workers, faster)
        share = f"{duration(took)}, {100 * one / took / workers:.0f} % of {workers} workers"
        holds = what_holds_up(trace, workers, took, best)
        yield Row(f"{workers} workers ({holds})", share, duration(best), one / took)
    yield noted("longest blocks, one after the other", duration(trace.longest))


def what_holds_up(trace: Trace, workers: int, took: float, best: float) -> str:
    """Name what most of the time goes into, beside the workers' share of the work."""
    share = trace.shared / workers
    losses = {
        "the sender's own work": trace.alone,
        "Dask": took - best,
        "waiting for the longest blocks": best - share - trace.alone,
    }
    name, loss = max(losses.items(), key=lambda each: each[1])
    return "the work itself" if loss < share else name


def replayed(trace: Trace, workers: int, faster: float) -> float:
    """Return the seconds that a trace takes on Dask, replayed so many times faster than it was."""
    import dask
    from distributed import LocalCluster

    with (
        dask.config.set(ASLEEP),
        warnings.catch_warnings(action="ignore"),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=False,
            dashboard_address=None,
            memory_limit=0,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        cluster.get_client() as client,
    ):
        client.gather(client.map(_sleep, [0.0] * (2 * workers), pure=False))  # connections are made
        began = time.perf_counter()
        _replay(client, trace, workers, faster)
        return (time.perf_counter() - began) * faster


def _replay(client: Client, trace: Trace, workers: int, faster: float) -> None:
    from distributed import as_completed

    for stage in trace.stages:
        _sleep(stage.before / faster)
        todo, under_way = iter(range(len(stage.worked))), 0
        done = as_completed()
        numbers: dict[str, int] = {}
        while True:
            for block in todo:
                _sleep(stage.made[block] / faster)
                future = client.submit(_sleep, stage.worked[block] / faster, pure=False)
                numbers[future.key] = block
                done.add(future)
                under_way += 1
                if under_way >= AHEAD * (workers + 1):
                    break
            if not under_way:
                break
            _sleep(stage.used[numbers.pop(next(done).key)] / faster)
            under_way -= 1
    _sleep(trace.after / faster)


def _sleep(seconds: float) -> None:
    """Stand for work: it takes time and nothing else."""
    if seconds > 0:
        time.sleep(seconds)


if __name__ == "__main__":
    if "--record" in sys.argv:
        from benchmarks.cluster_work import build_trace, study_trace

        TRACES.write_text(json.dumps([build_trace().dumped(), study_trace().dumped()]) + "\n", encoding="utf-8")
    main()
