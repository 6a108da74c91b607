"""An executor that does blocks in this process and notes what each took, and what their sender did meanwhile.

From such a trace it can be worked out how long the same takes with any number of workers.
"""

from __future__ import annotations

import heapq
import json
import time
from collections import deque
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from termgauge.cluster.dask_executor import AHEAD
from termgauge.executor import JobResult, use_executor
from termgauge.io.artifacts import Artifact, artifact_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from termgauge.executor import Inputs

T_ = TypeVar("T_")
BLOCKS_OF = "blocks of "
_DIGITS = 5


@dataclass
class Stage:
    """Blocks that were asked for at once: seconds of each at a worker, and of its sender before and after it."""

    called: str
    before: float
    """What was done by the sender alone since the stage before."""
    made: list[float] = field(default_factory=list)
    worked: list[float] = field(default_factory=list)
    used: list[float] = field(default_factory=list)

    @property
    def alone(self) -> float:
        """What the sender does by itself, in all."""
        return self.before + sum(self.made) + sum(self.used)


@dataclass
class Trace:
    """What a piece of work consists of."""

    what: str
    stages: list[Stage] = field(default_factory=list)
    after: float = 0.0
    """What the sender does when all blocks are done."""

    @property
    def alone(self) -> float:
        """What is done by the sender, and so never shared."""
        return self.after + sum(stage.alone for stage in self.stages)

    @property
    def shared(self) -> float:
        """What workers share."""
        return sum(sum(stage.worked) for stage in self.stages)

    @property
    def longest(self) -> float:
        """The longest block of each stage, in all: no number of workers makes it shorter."""
        return sum(max(stage.worked, default=0.0) for stage in self.stages)

    def dumped(self) -> dict[str, Any]:
        """Return it as JSON holds it, in few digits."""
        plain = json.dumps(asdict(self))
        rounded: dict[str, Any] = json.loads(plain, parse_float=lambda text: round(float(text), _DIGITS))
        return rounded

    @classmethod
    def of(cls, dumped: Mapping[str, Any]) -> Trace:
        """Return what :meth:`dumped` returned as it was."""
        return cls(dumped["what"], [Stage(**stage) for stage in dumped["stages"]], dumped["after"])


class TracingExecutor:
    """Does blocks here, one by one, in the order asked for.

    Blocks that a block sends in turn become a stage before its own: whoever is free does them, and the rest of the
    block comes after them.
    """

    def __init__(self, trace: Trace, slots: int = 64) -> None:
        self.slots, self.gpus, self.local = slots, 0, True
        self._trace, self._since = trace, time.process_time()
        self._inner: Stage | None = None
        """Where blocks of the present block are noted."""

    def map(
        self,
        function: Callable[..., T_],
        blocks: Iterable[tuple[Any, ...]],
        *,
        label: str,
        inputs: Inputs = (),  # noqa: ARG002
        gpu: bool = False,  # noqa: ARG002
    ) -> Iterator[JobResult[T_]]:
        """Do as :class:`termgauge.executor.JobExecutor` says, and note the seconds."""
        if self._inner is not None:
            yield from self._nested(self._inner, function, blocks)
            return
        stage, inner = Stage(label, self._lap()), Stage(f"{BLOCKS_OF}{label}", 0.0)
        for number, block in enumerate(blocks):
            stage.made.append(self._lap())
            before, self._inner = sum(inner.worked), inner
            value = function(*block)
            self._inner = None
            stage.worked.append(max(0.0, self._lap() - (sum(inner.worked) - before)))
            yield JobResult(number, value, worker="here", seconds=stage.worked[-1])
            stage.used.append(self._lap())
        self._trace.stages += [inner, stage] if inner.worked else [stage]

    def _nested(
        self, inner: Stage, function: Callable[..., T_], blocks: Iterable[tuple[Any, ...]]
    ) -> Iterator[JobResult[T_]]:
        for number, block in enumerate(blocks):
            began = time.process_time()
            with use_executor(None):
                value = function(*block)
            inner.made.append(0.0)
            inner.worked.append(time.process_time() - began)
            inner.used.append(0.0)
            yield JobResult(number, value, worker="here", seconds=inner.worked[-1])

    def finish(self) -> None:
        """Note what was done after the last block."""
        self._trace.after = self._lap()

    def artifact(self, path: Path) -> Artifact:
        """Make an artifact of a file or folder, which is read where it is."""
        return artifact_of(path, shared=True)

    def _lap(self) -> float:
        """Return the seconds of CPU since the last time it was asked for."""
        former, self._since = self._since, time.process_time()
        return self._since - former


def planned(trace: Trace, workers: int) -> float:
    """Return the seconds that a trace takes with so many workers, if handing out blocks took no time.

    The sender makes a block, hands it to the worker that is free first, and uses what has come back; it keeps a few
    blocks ahead of the workers.
    """
    now = 0.0
    for stage in trace.stages:
        now += stage.before
        free, running, todo = [now] * workers, list[tuple[float, int]](), deque(range(len(stage.worked)))
        while todo or running:
            while todo and len(running) < AHEAD * (workers + 1):
                block = todo.popleft()
                now += stage.made[block]
                end = max(now, heapq.heappop(free)) + stage.worked[block]
                heapq.heappush(free, end)
                heapq.heappush(running, (end, block))
            end, block = heapq.heappop(running)
            now = max(now, end) + stage.used[block]
    return now + trace.after
