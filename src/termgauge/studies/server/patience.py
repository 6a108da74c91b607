"""How long the server waits for a client, and for how many: who opens connections and does not ask is hung up on.

Where one address, or all of them, hold as many connections as they may, a new one takes the place of the one that has
waited longest for a request: first of those whose request has begun or never came, then of those between two requests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from uvicorn.protocols.http.h11_impl import H11Protocol

from termgauge.studies.server.throttle import sender_of

if TYPE_CHECKING:
    import asyncio

HEADER_SECONDS = 15.0
MOST_OF_ONE_ADDRESS = 300


class Patient(H11Protocol):
    """HTTP with a limit on the time from the first byte of a request to the end of its headers."""

    waits: asyncio.TimerHandle | None = None
    """Runs while a request is to come whole; not between two requests."""
    idle_since = 0.0
    sender = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self.sender = sender_of(self.client[0] if self.client else "")
        self._wait()
        self._make_room()

    def data_received(self, data: bytes) -> None:
        """Wait from the first byte of a request on, until its headers are whole."""
        super().data_received(data)
        if self.is_answering():
            self._stop_waiting()
        elif self.waits is None:
            self._wait()

    def on_response_complete(self) -> None:
        """Begin to be idle."""
        self.idle_since = self.loop.time()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self.idle_since = self.loop.time()
        self.waits = self.loop.call_later(HEADER_SECONDS, self._hang_up)

    def _make_room(self) -> None:
        """Hang up on the connection that has waited longest, if there are too many."""
        everybody = [each for each in self.connections if isinstance(each, Patient)]
        of_sender = [each for each in everybody if each.sender == self.sender]
        for several, most in ((of_sender, MOST_OF_ONE_ADDRESS + 1), (everybody, self.limit_concurrency)):
            if most is not None and len(several) >= most:
                idle = (each for each in several if each is not self and not each.is_answering())
                longest = min(idle, key=lambda each: (each.waits is None, each.idle_since), default=self)
                self.connections.discard(longest)
                longest.transport.abort()
                return

    def is_answering(self) -> bool:
        """Say whether a request was read whose answer is not complete."""
        return bool(self.cycle) and not self.cycle.response_complete

    def _stop_waiting(self) -> None:
        if self.waits is not None:
            self.waits.cancel()
            self.waits = None

    def _hang_up(self) -> None:
        self.waits = None
        if not self.is_answering():
            self.transport.close()
