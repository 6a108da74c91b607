"""Progress across workers: what the units under way say of themselves, shown beside the whole."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from termgauge.progress import current_listener

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distributed import Client

    from termgauge.progress import Listener

MOST_SHOWN = 8


class Reports:
    """What workers say to a client."""

    def __init__(self, client: Client, topic: str) -> None:
        self._client, self._topic = client, topic
        self._lock = threading.Lock()
        self._rounds: list[Any] = []
        self._listener: Listener | None = None
        self._shown: dict[str, tuple[str, int, float]] = {}
        """By key: which work is shown, its number with the listener, and how much of it is done."""
        client.subscribe_topic(topic, self._said)

    @contextmanager
    def of(self, blocks: Any) -> Iterator[None]:  # noqa: ANN401
        """Show what is said of some blocks, and count how often each is begun."""
        listener = current_listener()
        with self._lock:
            self._rounds.append(blocks)
            self._listener = listener
        try:
            yield
        finally:
            with self._lock:
                self._rounds.remove(blocks)
                for key in list(self._shown):
                    self._end(key)

    def _said(self, event: tuple[float, dict[str, Any]]) -> None:
        _when, what = event
        key = str(what.get("key", ""))
        with self._lock:
            if what.get("begun"):
                for blocks in self._rounds:
                    if (number := blocks.owns(key)) is not None:
                        blocks.begun[number] += 1
            elif what.get("ended"):
                self._end(key)
            elif self._listener is not None and self._rounds:
                self._show(key, what)

    def _show(self, key: str, what: dict[str, Any]) -> None:
        listener = self._listener
        assert listener is not None
        label, done = str(what["label"]), float(what["done"])
        shown = self._shown.get(key)
        if shown is None or shown[0] != label:
            self._end(key)
            if len(self._shown) >= MOST_SHOWN:
                return
            name = str(what.get("worker", "")).rpartition("/")[2]
            shown = (label, listener.start(f"{label} on {name}", what["total"], str(what["unit"])), 0.0)
        listener.advance(shown[1], done - shown[2])
        self._shown[key] = (label, shown[1], done)

    def _end(self, key: str) -> None:
        if (shown := self._shown.pop(key, None)) is not None and self._listener is not None:
            self._listener.stop(shown[1])

    def close(self) -> None:
        """Listen no longer."""
        self._client.unsubscribe_topic(self._topic)
