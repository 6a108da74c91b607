"""Limits of the server against careless and hostile clients, before a request reaches a page."""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections import OrderedDict
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse
from uvicorn.protocols.http.h11_impl import H11Protocol

from termgauge.exceptions import defect_of, warn

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from starlette.datastructures import Headers
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

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


MOST_BODY = 64 * 1024
MOST_READ = 16 * MOST_BODY
MOST_PATH = 1024
BODY_SECONDS = 20.0
REQUEST_SECONDS = 60.0
UNSAFE_METHODS = ("POST", "PUT", "PATCH", "DELETE")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-permitted-cross-domain-policies": "none",
    "x-robots-tag": "noindex, nofollow",
    "cache-control": "no-store",
}


class Protection:
    """Wraps the application; what is wrong with a request itself never reaches it."""

    def __init__(self, app: ASGIApp, *, loopback: bool, public_url: str | None) -> None:
        self._app, self._loopback, self._public = app, loopback, urlsplit(public_url or "")
        self._headers = dict(HEADERS)
        if self._public.scheme == "https":
            self._headers["strict-transport-security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        begun = False

        async def protected(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                for name, value in self._headers.items():
                    MutableHeaders(scope=message).setdefault(name, value)
            await send(message)

        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                await self._answer(scope, receive, protected)
        except TimeoutError:
            if not begun:
                await refuse(scope, receive, protected, 408, "The request took too long; try again.")
        except Exception as error:  # noqa: BLE001 - one broken request must not end the others
            warn(f"A request failed by a defect of termgauge ({defect_of(error)}); the server goes on.")
            if not begun:
                await refuse(
                    scope, receive, protected, 500, "Something went wrong here. Your answers are safe; try again."
                )

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        wrong = self._wrong_with(request)
        if wrong is None and request.method in UNSAFE_METHODS:
            try:
                async with asyncio.timeout(BODY_SECONDS):
                    body = await _read(request)
            except TimeoutError:
                wrong = 408, "The request took too long to arrive; try again."
            else:
                wrong = None if body is not None else (413, f"More than {MOST_BODY // 1024} kB at once are refused.")
                receive = _replayed(body or b"", receive)
        if wrong is None:
            await self._app(scope, receive, send)
        else:
            await refuse(scope, receive, send, *wrong)

    def _wrong_with(self, request: Request) -> tuple[int, str] | None:
        """Return the status and the sentence for a request that is refused by what its head says."""
        headers = request.headers
        if "content-length" in headers and "transfer-encoding" in headers:
            # A web server before this one may go by the other, and take a part of it for somebody else's request.
            return 400, "Only one of Content-Length and Transfer-Encoding may say how long a request is."
        if not self._host_is_ours(headers.get("host", "")):
            return 400, "This server is not known by that name; use the address it was started with."
        if len(request.scope["path"]) > MOST_PATH:
            return 414, "There is no address that is so long."
        if request.method in UNSAFE_METHODS and not self._is_same_site(headers):
            return 403, "This was sent by a page of another site and is refused."
        return None

    def _host_is_ours(self, host: str) -> bool:
        """Say whether a server that only this machine reaches is asked by a name of this machine.

        Another site may let its own name point to this machine, and so make a browser believe that both are the same.
        """
        plain = all(letter.isascii() and (letter.isalnum() or letter in ".-:[]_") for letter in host)
        if not plain or (name := _parts(f"//{host}").hostname) is None:
            return False
        if not self._loopback or name in ("localhost", self._public.hostname):
            return True
        try:
            return ipaddress.ip_address(name).is_loopback
        except ValueError:
            return False

    def _is_same_site(self, headers: Headers) -> bool:
        """Say whether a browser sent this from a page of ours; each of its two ways of saying so counts if given."""
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site not in (None, "same-origin", "none"):
            return False
        # Forms on pages that send no referrer have the origin "null".
        if origin in (None, "null"):
            return True
        hosts = {headers.get("host", "").lower(), self._public.netloc.lower()} - {""}
        return _parts(origin).scheme in ("http", "https") and _parts(origin).netloc.lower() in hosts


def _parts(url: str) -> SplitResult:
    """Return the parts of an address; none of what is no address."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


async def _read(request: Request) -> bytes | None:
    """Return the body, None if it is too large.

    Somewhat too much is read to its end, so that the refusal can be read on the other side; far too much is not.
    """
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length[:12]) > MOST_READ:
        return None
    pieces, size = [], 0
    try:
        async for piece in request.stream():
            size += len(piece)
            if size > MOST_READ:
                return None
            if size <= MOST_BODY:
                pieces.append(piece)
    except ClientDisconnect:
        return b""
    return b"".join(pieces) if size <= MOST_BODY else None


def _replayed(body: bytes, receive: Receive) -> Receive:
    is_replayed = False

    async def again() -> Message:
        nonlocal is_replayed
        if is_replayed:
            return await receive()
        is_replayed = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


async def refuse(scope: Scope, receive: Receive, send: Send, status: int, sentence: str) -> None:
    """Answer with a sentence, and end the connection: what else comes on it may belong to what was refused."""
    is_api = str(scope["path"]).startswith("/api/")
    response = JSONResponse({"error": sentence}, status) if is_api else PlainTextResponse(sentence, status)
    response.headers["connection"] = "close"
    await response(scope, receive, send)


HEADER_SECONDS = 15.0
MOST_OF_ONE_ADDRESS = 300


class HeaderTimeoutProtocol(H11Protocol):
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
        everybody = [connection for connection in self.connections if isinstance(connection, HeaderTimeoutProtocol)]
        of_sender = [connection for connection in everybody if connection.sender == self.sender]
        for several, most in ((of_sender, MOST_OF_ONE_ADDRESS + 1), (everybody, self.limit_concurrency)):
            if most is not None and len(several) >= most:
                idle = (
                    connection for connection in several if connection is not self and not connection.is_answering()
                )
                longest = min(
                    idle, key=lambda connection: (connection.waits is None, connection.idle_since), default=self
                )
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
