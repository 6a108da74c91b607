"""How long the server waits for a client: who opens a connection and does not ask in time is hung up on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

HEADER_SECONDS = 15.0


class Patient(H11Protocol):
    """HTTP with a limit on the time from the first byte of a request to the end of its headers."""

    _waits: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._waits = self.loop.call_later(HEADER_SECONDS, self._hang_up)

    def data_received(self, data: bytes) -> None:
        """Wait from the first byte of a request on, until its headers are whole."""
        super().data_received(data)
        if self._is_answering():
            self._stop_waiting()
        elif self._waits is None:
            self._waits = self.loop.call_later(HEADER_SECONDS, self._hang_up)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _is_answering(self) -> bool:
        return bool(self.cycle) and not self.cycle.response_complete

    def _stop_waiting(self) -> None:
        if self._waits is not None:
            self._waits.cancel()
            self._waits = None

    def _hang_up(self) -> None:
        self._waits = None
        if not self._is_answering():
            self.transport.close()
