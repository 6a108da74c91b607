"""Calls on all workers of a cluster at once, of which one that has died or hangs keeps nobody waiting."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from distributed import Client


def asked(
    client: Client, function: Callable[..., Any], *values: object, workers: Iterable[str], seconds: float
) -> dict[str, Any]:
    """Call a function on workers, and return what it returned or raised on those that answer in time."""

    async def all_of_them() -> dict[str, Any]:
        calls = {
            asyncio.ensure_future(
                client.run(function, *values, workers=[address], on_error="return", asynchronous=True)
            ): address
            for address in workers
        }
        done, late = await asyncio.wait(calls, timeout=seconds) if calls else (set(), set())
        for call in late:
            call.cancel()
        answered = [call.result() for call in done if call.exception() is None]
        return {address: value for answer in answered for address, value in answer.items()}

    found: dict[str, Any] = client.sync(all_of_them)
    return found
