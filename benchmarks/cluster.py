"""Work on a cluster of this machine: what a unit costs beside its work, and two workers against one.

All workers have one thread. They are started, and have compiled their kernels, before the clock starts. Times depend on
two free cores; ``python -m benchmarks cluster_scaling`` goes on to 64 workers. The client works, too: where there are
two cores, it has one to itself beside one worker, and none beside two.
"""

from __future__ import annotations

import tempfile
import time
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import Row, below, duration, measured, print_table, quick
from benchmarks.terminology import hp_obo, rf2_release

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.cluster.dask_executor import DaskExecutor

HERE = "benchmarks.cluster"
BLOCKS, QUICK_BLOCKS = 1_000, 50
CONCEPTS, QUICK_CONCEPTS = 175_000, 300
MODELS, QUICK_MODELS = 8, 2
AT_LEAST = 1.5
IMPORTS = ["distributed", "termgauge", "termgauge.benchmark.build", "termgauge.engine.evaluate"]


def main() -> None:
    """Measure, and print."""
    blocks = QUICK_BLOCKS if quick() else BLOCKS
    concepts = QUICK_CONCEPTS if quick() else CONCEPTS
    models = QUICK_MODELS if quick() else MODELS
    took = measured(f"{HERE}:empty_blocks", blocks, 2, imports=IMPORTS).result
    release = str(rf2_release(concepts))
    rows = [
        below(f"a unit without work, mean of {blocks:,}", 1000 * took / blocks, 20, "ms"),
        _two_against_one(f"all sets of {concepts:,} concepts", f"{HERE}:built", release),
        _two_against_one(f"scores of {models} models on all sets of HPO", f"{HERE}:scored", models),
    ]
    print_table("A cluster of two workers with one thread each", rows, theirs="one worker")


def _two_against_one(what: str, target: str, subject: str | int) -> Row:
    two, one = (measured(target, subject, workers, imports=IMPORTS).result for workers in (2, 1))
    if one["made"] != two["made"]:
        raise RuntimeError(f"{what}: one worker and two made different files.")
    ratio = one["seconds"] / two["seconds"]
    took = f"{duration(two['seconds'])} (client {duration(two['client'])})"
    return Row(what, took, duration(one["seconds"]), ratio, f"≥ {AT_LEAST:g} ×", ratio >= AT_LEAST)


def empty_blocks(count: int, workers: int) -> float:
    """Send blocks that do nothing, and return the seconds they took."""
    with _cluster(workers) as place:
        for _ in place.map(_nothing, ((at,) for at in range(10)), label="nothing"):
            pass
        began = time.perf_counter()
        done = [each.result() for each in place.map(_nothing, ((at,) for at in range(count)), label="nothing")]
        seconds = time.perf_counter() - began
    if sorted(done) != list(range(count)):
        raise RuntimeError("Blocks were lost.")
    return seconds


def _nothing(number: int) -> int:
    return number


def built(release: str, workers: int) -> dict[str, object]:
    """Build all sets of a release; return seconds, those of the client's processor, and hashes of what was made."""
    import termgauge as tg

    with tempfile.TemporaryDirectory() as folder, _cluster(workers):
        tg.build(str(hp_obo()), Path(folder) / "first", max_pairs=2_000)
        clock = _Clock()
        made = tg.build(tg.read_terminology(release), Path(folder) / "out")
        return clock.read() | {"made": {name: each.sha256 for name, each in made.manifest.files.items()}}


def scored(models: int, workers: int) -> dict[str, object]:
    """Score models; return seconds, those of the client's processor, and what was found."""
    import termgauge as tg

    specs = {f"random {at}": f"baseline:random?dim={100 + at}" for at in range(models)}
    with tempfile.TemporaryDirectory() as folder, _cluster(workers):
        tg.build(str(hp_obo()), Path(folder) / "sets", max_pairs=2_000 if quick() else None)
        tg.evaluate([str(Path(folder) / "sets")], ["baseline:random?dim=99"], Path(folder) / "first")
        clock = _Clock()
        run = tg.evaluate([str(Path(folder) / "sets")], specs, Path(folder) / "run")
        return clock.read() | {"made": run.results().to_dicts()}


class _Clock:
    """Time by the wall and by this process's processor."""

    def __init__(self) -> None:
        self._wall, self._own = time.perf_counter(), time.process_time()

    def read(self) -> dict[str, object]:
        return {"seconds": time.perf_counter() - self._wall, "client": time.process_time() - self._own}


@contextmanager
def _cluster(workers: int) -> Iterator[DaskExecutor]:
    from termgauge.cluster.connect import on_cluster

    with warnings.catch_warnings(action="ignore"), on_cluster(f"local:{workers}") as place:
        yield place


if __name__ == "__main__":
    main()
