"""What goes to a worker and what it answers: plain values, so that any version of termgauge understands them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from termgauge.executor import Artifact

TRIES = 4
"""How often a block is begun at most: once, and three times more after its worker was lost."""


class Order(NamedTuple):
    """A block, and how it is to be done."""

    version: str
    """Of termgauge, on the machine that sends it."""
    function: str
    """As ``module:function``."""
    block: tuple[Any, ...]
    called: str
    inputs: tuple[Artifact, ...] = ()
    shared: bool = False
    """Whether the worker sees the same disk as who sends it."""
    holds_gpu: bool = False
    patience: float = 600.0
    """After so many seconds without a sign of life the block counts as hung."""
    topic: str = ""
    """Where the worker says how it goes."""
    sender: str = ""
    """The process that sends it; a block never ends that one."""


@dataclass
class Block:
    """A block under way."""

    number: int
    order: Order
    tries: int = 0
    """How often it was begun, as far as answers tell."""
    sent: int = 0
    """How often it was sent, for whatever reason."""
    avoided: set[str] = field(default_factory=set)
    """Workers that could not do it."""
    reason: str = ""
    """Why the last one could not."""
    delivered: set[str] = field(default_factory=set)
    """The artifacts that were sent for it."""
    deliveries: int = 0
    deaths: int = 0
    address: str = ""
    only: frozenset[str] = frozenset()
    """The workers that it was sent to; empty for any."""


def address_of(worker: str) -> str:
    """Return the address of a worker from what it calls itself.

    >>> address_of("w1 (tcp://host:1)"), address_of("tcp://host:1")
    ('tcp://host:1', 'tcp://host:1')
    """
    return worker.rpartition("(")[2].removesuffix(")")


@dataclass(frozen=True)
class Answer:
    """What a worker says to an order."""

    worker: str

    @property
    def address(self) -> str:
        """Where the worker is."""
        return address_of(self.worker)


@dataclass(frozen=True)
class Finished(Answer):
    """It is done."""

    value: Any
    seconds: float


@dataclass(frozen=True)
class Failed(Answer):
    """The block raised something, and would anywhere."""

    error: Exception
    seconds: float


@dataclass(frozen=True)
class Refused(Answer):
    """The worker has another version of termgauge."""

    version: str


@dataclass(frozen=True)
class Lacking(Answer):
    """The worker lacks artifacts."""

    store: str
    """Where it keeps them: workers on one machine share a store."""
    keys: tuple[str, ...]


@dataclass(frozen=True)
class Troubled(Answer):
    """The worker lacks memory or disk, which another may have."""

    reason: str
