"""An executor without a cluster: blocks go through pickle, and are done in another order than asked for."""

from __future__ import annotations

import pickle
import random
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from termgauge.executor import JobResult
from termgauge.io.artifacts import Artifact, artifact_of


@dataclass
class SmallExecutor:
    """Does blocks in this process."""

    folder: Path
    slots: int = 3
    local: bool = True
    gpus: int = 0
    called: list[str] = field(default_factory=list)
    """What was asked for, block by block."""
    with_gpu: list[bool] = field(default_factory=list)

    def map(self, function, blocks, *, label, inputs=(), gpu=False):
        name = f"{function.__module__}:{function.__qualname__}"
        assert "<" not in name, "a worker could not import it"
        draw, waiting, todo, number = random.Random(0), [], iter(blocks), 0
        while True:
            while todo is not None and len(waiting) <= 2 * self.slots:
                try:
                    waiting.append((number, pickle.dumps(next(todo))))
                except StopIteration:
                    todo = None
                else:
                    number += 1
            if not waiting:
                return
            at, block = waiting.pop(draw.randrange(len(waiting)))
            values = pickle.loads(block)
            assert all(isinstance(each, Artifact) for each in (inputs(*values) if callable(inputs) else inputs))
            self.called.append(label)
            self.with_gpu.append(gpu)
            try:
                value = pickle.loads(pickle.dumps(function(*values)))
            except Exception as error:  # noqa: BLE001
                yield JobResult(at, error=error)
            else:
                yield JobResult(at, value, worker="small")

    def artifact(self, path):
        return artifact_of(Path(path))


class FarExecutor(SmallExecutor):
    """One whose artifacts arrive elsewhere, each in a folder of its own."""

    def artifact(self, path):
        artifact = super().artifact(path)
        place = artifact.entry / Path(path).name
        if not place.exists():
            place.parent.mkdir(parents=True)
            shutil.copytree(path, place) if Path(path).is_dir() else shutil.copy(path, place)
        return artifact
