"""What stands before every page: who may ask, how much may be sent, how long it may take, and headers of the answer.

Requests whose body is too large are refused while it arrives. Nothing that a browser is sent may be kept, framed, or
read by other sites, and a page may load only what this server sends.
"""

from __future__ import annotations

import asyncio
import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from termgauge.exceptions import defect_of, warn

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
                given = {name for name, _value in message["headers"]}
                message["headers"] = [*message["headers"], *(
                    (name.encode(), value.encode())
                    for name, value in self._headers.items() if name.encode() not in given
                )]  # fmt: skip
            await send(message)

        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                await self._answer(scope, receive, protected)
        except TimeoutError:
            if not begun:
                await refuse(scope, protected, 408, "The request took too long; try again.")
        except Exception as error:  # noqa: BLE001 - one broken request must not end the others
            warn(f"A request failed by a defect of termgauge ({defect_of(error)}); the server goes on.")
            if not begun:
                await refuse(scope, protected, 500, "Something went wrong here. Your answers are safe; try again.")

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if (wrong := self._wrong_with(scope, headers)) is not None:
            await refuse(scope, send, *wrong)
            return
        if scope["method"] not in UNSAFE_METHODS:
            await self._app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await _read(headers, receive)
        except TimeoutError:
            await refuse(scope, send, 408, "The request took too long to arrive; try again.")
            return
        if body is None:
            await refuse(scope, send, 413, f"More than {MOST_BODY // 1024} kB at once are refused.")
            return
        await self._app(scope, _replayed(body, receive), send)

    def _wrong_with(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        """Return the status and the sentence for a request that is refused by what its head says."""
        if "content-length" in headers and "transfer-encoding" in headers:
            # A web server before this one may go by the other, and take a part of it for somebody else's request.
            return 400, "Only one of Content-Length and Transfer-Encoding may say how long a request is."
        if not self._host_is_ours(headers.get("host", "")):
            return 400, "This server is not known by that name; use the address it was started with."
        if len(scope["path"]) > MOST_PATH:
            return 414, "There is no address that is so long."
        if scope["method"] in UNSAFE_METHODS and not self._is_same_site(headers):
            return 403, "This was sent by a page of another site and is refused."
        return None

    def _host_is_ours(self, host: str) -> bool:
        """Say whether a server that only this machine reaches is asked by a name of this machine.

        Another site may let its own name point to this machine, and so make a browser believe that both are the same.
        """
        if (name := _parts(f"//{host}").hostname) is None or not _is_plain(host):
            return False
        if not self._loopback or name in ("localhost", self._public.hostname):
            return True
        try:
            return ipaddress.ip_address(name).is_loopback
        except ValueError:
            return False

    def _is_same_site(self, headers: dict[str, str]) -> bool:
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


def _is_plain(host: str) -> bool:
    return bool(host) and all(letter.isascii() and (letter.isalnum() or letter in ".-:[]_") for letter in host)


async def _read(headers: dict[str, str], receive: Receive) -> bytes | None:
    """Return the body, None if it is too large.

    Somewhat too much is read to its end, so that the refusal can be read on the other side; far too much is not.
    """
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length[:12]) > MOST_READ:
        return None
    pieces, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b""
        piece = message.get("body", b"")
        size += len(piece)
        if size <= MOST_BODY:
            pieces.append(piece)
        elif size > MOST_READ:
            return None
        more = message.get("more_body", False)
    return b"".join(pieces) if size <= MOST_BODY else None


def _replayed(body: bytes, receive: Receive) -> Receive:
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


async def refuse(scope: Scope, send: Send, status: int, sentence: str) -> None:
    """Answer with a sentence, and end the connection: what else comes on it may belong to what was refused."""
    from starlette.responses import JSONResponse, PlainTextResponse

    kind = JSONResponse({"error": sentence}, status) if _is_api(scope) else PlainTextResponse(sentence, status)
    kind.headers["connection"] = "close"

    async def nothing() -> Message:
        return {"type": "http.disconnect"}

    await kind(scope, nothing, send)


def _is_api(scope: Scope) -> bool:
    return str(scope["path"]).startswith("/api/")
