"""Fetching one file of a known hash from a public address, and going on where a cut connection stopped.

What has arrived waits beside the destination under a temporary name. Whoever goes on with it takes it by renaming,
so two processes never write to the same bytes, and only the hash of the whole decides whether the file is kept.
"""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

from termgauge.exceptions import TermgaugeError
from termgauge.io.atomic import TEMPORARY_PREFIX
from termgauge.io.identity import sha256_of_stream, version
from termgauge.progress import track

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import requests

ATTEMPTS = 4
PAUSE_SECONDS = 0.5
"""Before the second attempt; each further pause is twice as long."""
TIMEOUT_SECONDS = (10.0, 30.0)
"""For the connection, and for each silence after it."""
CHUNK = 1 << 15

_PASSING_TROUBLES = frozenset({408, 425, 429, 500, 502, 503, 504})


class _CutError(Exception):
    """The transfer stopped, and another attempt may succeed."""


class _RefusedError(Exception):
    """The file cannot be had from there, and asking again would not help."""


def fetch(address: str, destination: Path, *, sha256: str, size: int | None = None, by_hand: str = "") -> Path:
    """Download a file, unless it is there already, and keep it only if its hash is right.

    Of a file whose size is known, no more than that is read. If it fails, nothing is left at the destination, and
    `by_hand` says what the user can do, as the last part of a sentence.
    """
    import pooch

    advice = f"; {by_hand}." if by_hand else "."
    transfer = _Transfer(sha256, size, destination)
    try:
        for last in (False, True):
            try:
                with _quiet():
                    pooch.retrieve(
                        address, f"sha256:{sha256}", destination.name, str(destination.parent), downloader=transfer
                    )
                break
            except ValueError as error:  # pooch: the hash is another one
                # Bytes from two connections may come from two versions of the file: one more try from the start.
                if last or not transfer.resumed:
                    raise _RefusedError(
                        f"the file there has SHA-256 {transfer.sha256}, expected is {sha256}"
                    ) from error
    except (_CutError, _RefusedError) as error:
        raise TermgaugeError(f"{address}: could not be downloaded ({error}){advice}") from error
    except OSError as error:
        reason = error.strerror or " ".join(str(error).split())
        raise TermgaugeError(f"{destination}: cannot be written ({reason}){advice}") from error
    return destination


class _Transfer:
    """What pooch calls to fill its temporary file."""

    def __init__(self, sha256: str, size: int | None, destination: Path) -> None:
        self._size = size
        self._name = destination.name
        self._waiting = destination.parent / f"{TEMPORARY_PREFIX}{sha256[:16]}.part"
        self.resumed = False
        self.sha256 = ""

    def __call__(self, address: str, output_file: str, _pooch: object) -> None:
        """Fill the file, in several attempts if need be; keep what has arrived if all fail."""
        output = Path(output_file)
        if not self.resumed and not self._waiting.is_symlink():
            with suppress(FileNotFoundError):
                self._waiting.replace(output)
        self.resumed = False
        try:
            with track(f"Downloading {self._name}", total=self._size, unit="bytes") as advance:
                self._fill(address, output, advance)
        except _RefusedError:
            raise
        except BaseException:
            if output.exists() and output.stat().st_size:
                output.replace(self._waiting)
            raise
        with output.open("rb") as stream:
            self.sha256 = sha256_of_stream(stream)

    def _fill(self, address: str, output: Path, advance: Callable[[float], None]) -> None:
        if _kind(address) == "file":
            _copy(address, output, self._size)
            return
        advance(output.stat().st_size)
        for attempt in range(ATTEMPTS):
            if attempt:
                time.sleep(PAUSE_SECONDS * 2 ** (attempt - 1))
            try:
                self._go_on(address, output, advance)
            except _CutError:
                if attempt == ATTEMPTS - 1:
                    raise
            else:
                return

    def _go_on(self, address: str, output: Path, advance: Callable[[float], None]) -> None:
        """Ask for what is missing and append it; start again where the server sends the whole file."""
        import requests

        have = output.stat().st_size
        if have and have == self._size:
            self.resumed = True  # by another process, or before the program was stopped
            return
        # Without compression on the way, since a range counts the bytes as sent.
        headers = {"User-Agent": f"termgauge/{version()}", "Accept-Encoding": "identity"}
        if have:
            headers["Range"] = f"bytes={have}-"
        try:
            with requests.get(address, headers=headers, stream=True, timeout=TIMEOUT_SECONDS) as response:
                start = _start(response, have)
                if start is None:
                    output.write_bytes(b"")
                    advance(-have)
                    raise _CutError("the server cannot go on where the last attempt stopped")
                advance(start - have)
                self.resumed = self.resumed or start > 0
                self._write(response, output, start, advance)
        except requests.exceptions.InvalidURL as error:
            raise _RefusedError(f"the address is not valid: {error}") from error
        except requests.exceptions.RequestException as error:
            raise _CutError(_reason(error)) from error

    def _write(self, response: requests.Response, output: Path, start: int, advance: Callable[[float], None]) -> None:
        # The library would throw away the last piece before a cut; the length is checked below instead.
        response.raw.enforce_content_length = False
        done = start
        with output.open("r+b") as file:
            file.truncate(start)
            file.seek(start)
            for chunk in response.iter_content(CHUNK):
                done += len(chunk)
                _check_size(done, self._size)
                file.write(chunk)
                advance(len(chunk))
        # A shorter file that came whole is another file, which its hash will tell.
        promised = response.headers.get("Content-Length", "")
        end = start + int(promised) if promised.isdecimal() else self._size
        if end is not None and done < end:
            raise _CutError(f"the connection was cut after {done:,} of {end:,} bytes")


def _kind(address: str) -> str:
    try:
        kind = urlsplit(address).scheme
    except ValueError as error:
        raise _RefusedError(f"the address is not valid: {error}") from error
    if kind not in {"https", "http", "file"}:
        raise _RefusedError("the address must begin with https:, http: or file:")
    return kind


def _start(response: requests.Response, have: int) -> int | None:
    """Return the position in the file of the first byte that the server sends; None if it refuses the range."""
    status = response.status_code
    if status == 206 and response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
        return have
    if status in {206, 416}:
        return None
    if status in _PASSING_TROUBLES:
        raise _CutError(f"the server answered {status} {response.reason}")
    if status != 200:
        raise _RefusedError(f"the server answered {status} {response.reason}")
    return 0


def _copy(address: str, output: Path, size: int | None) -> None:
    parts = urlsplit(address)
    if parts.netloc not in {"", "localhost"}:
        raise _RefusedError("a file: address must name a file of this machine")
    try:
        with Path(url2pathname(parts.path)).open("rb") as stream:
            content = stream.read(-1 if size is None else size + 1)
    except OSError as error:
        raise _RefusedError(f"cannot be read: {error.strerror or error}") from error
    _check_size(len(content), size)
    output.write_bytes(content)


def _check_size(done: int, size: int | None) -> None:
    if size is not None and done > size:
        raise _RefusedError(f"the file there is larger than the expected {size:,} bytes")


def _reason(error: Exception) -> str:
    """Say what a failed request means, without the layers of the library."""
    from requests import exceptions

    reasons = {
        exceptions.Timeout: "the server does not answer",
        exceptions.SSLError: "the server's certificate is not trusted",
        exceptions.ProxyError: "the proxy does not answer",
        exceptions.ChunkedEncodingError: "the connection was cut",
        exceptions.ConnectionError: "there is no connection to the server",
    }
    return next((reason for kind, reason in reasons.items() if isinstance(error, kind)), type(error).__name__)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep pooch from writing to standard error; progress is reported by other means."""
    import pooch

    logger: logging.Logger = pooch.get_logger()
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)
