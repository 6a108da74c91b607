"""Limits on how often somebody may ask: each has a bucket that fills at a steady pace and holds so many requests."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

MOST_BUCKETS = 10_000
PREFIX = 64
"""So many bits of an IPv6 address are those of a household or a firm, which may use any of the rest."""


def sender_of(host: str) -> str:
    """Return under which name an address is counted.

    >>> sender_of("192.0.2.7"), sender_of("::ffff:192.0.2.7"), sender_of("2001:db8::1:2:3:4")
    ('192.0.2.7', '192.0.2.7', '2001:db8::/64')
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return host
    return str(address.ipv4_mapped or ipaddress.ip_network((int(address), PREFIX), strict=False))


class Throttle:
    """Buckets by key; those that were not used for longest are forgotten, which is as if they were full."""

    def __init__(self, a_second: float, at_once: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._a_second, self._at_once, self._clock = a_second, at_once, clock
        self._buckets: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()

    def seconds_to_wait(self, key: Hashable) -> float:
        """Take one request out of a bucket; return 0, or how long to wait if it is empty."""
        now = self._clock()
        held, since = self._buckets.pop(key, (float(self._at_once), now))
        held = min(self._at_once, held + (now - since) * self._a_second)
        allowed = held >= 1
        self._buckets[key] = (held - 1 if allowed else held, now)
        while len(self._buckets) > MOST_BUCKETS:
            self._buckets.popitem(last=False)
        return 0.0 if allowed else (1 - held) / self._a_second
