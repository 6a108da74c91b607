"""Fetching one small file of a known hash from a public address, whole or not at all, by pooch."""

from __future__ import annotations

import logging
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

from termgauge.exceptions import TermgaugeError
from termgauge.io.identity import version
from termgauge.progress import track

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

AGAIN = 3
"""So many more attempts are made; pooch waits between them."""
TIMEOUT_SECONDS = (10.0, 30.0)
"""For the connection, and for each silence after it."""
_BLOCK = 1 << 15
_PASSING_TROUBLES = frozenset({408, 425, 429, 500, 502, 503, 504})


class _RefusedError(Exception):
    """The file cannot be had from there, and asking again would not help."""


def fetch(address: str, destination: Path, *, sha256: str, size: int | None = None, by_hand: str = "") -> Path:
    """Download a file, unless it is there already, and keep it only if its hash is right.

    Of a file whose size is known, no more than that is read. If it fails, nothing is left at the destination, and
    `by_hand` says what the user can do, as the last part of a sentence.
    """
    import pooch
    from requests import RequestException

    advice = f"; {by_hand}." if by_hand else "."
    name, folder = destination.name, str(destination.parent)
    registry = {name: f"sha256:{sha256}"}
    files = pooch.create(folder, base_url="", registry=registry, urls={name: address}, retry_if_failed=AGAIN)
    logger: logging.Logger = pooch.get_logger()
    level = logger.level
    logger.setLevel(logging.WARNING)  # progress is shown by other means
    try:
        with track(f"Downloading {name}", total=size, unit="bytes") as advance:
            files.fetch(name, downloader=lambda url, output, _pooch: _download(url, output, size, advance))
    except (_RefusedError, RequestException) as error:
        reason = error if isinstance(error, _RefusedError) else _reason(error)
        raise TermgaugeError(f"{address}: could not be downloaded ({reason}){advice}") from error
    except ValueError as error:  # pooch: the hash is another one
        other = re.findall(r"[0-9a-f]{64}", str(error))[-1:]
        raise TermgaugeError(
            f"{address}: could not be downloaded (the file there has SHA-256 {''.join(other)}, expected is {sha256})"
            f"{advice}"
        ) from error
    except OSError as error:
        reason = error.strerror or " ".join(str(error).split())
        raise TermgaugeError(f"{destination}: cannot be written ({reason}){advice}") from error
    finally:
        logger.setLevel(level)
    return destination


def _download(address: str, output: str, size: int | None, advance: Callable[[float], None]) -> None:
    """Fill pooch's temporary file."""
    from requests import exceptions

    done = 0
    try:
        with Path(output).open("wb") as file:
            for block in _blocks(address):
                done += len(block)
                if size is not None and done > size:
                    raise _RefusedError(f"the file there is larger than the expected {size:,} bytes")
                file.write(block)
                advance(len(block))
    except exceptions.HTTPError as error:
        if error.response.status_code not in _PASSING_TROUBLES:
            raise _RefusedError(_reason(error)) from error
        raise
    except (exceptions.InvalidURL, ValueError) as error:
        raise _RefusedError(f"the address is not valid: {error}") from error


def _blocks(address: str) -> Iterator[bytes]:
    """Yield what is at an address, as it comes."""
    import requests

    parts = urlsplit(address)
    if parts.scheme == "file":
        if parts.netloc not in {"", "localhost"}:
            raise _RefusedError("a file: address must name a file of this machine")
        try:
            with Path(url2pathname(parts.path)).open("rb") as stream:
                yield from iter(partial(stream.read, _BLOCK), b"")
        except OSError as error:
            raise _RefusedError(f"cannot be read: {error.strerror or error}") from error
    elif parts.scheme in {"https", "http"}:
        headers = {"User-Agent": f"termgauge/{version()}", "Accept-Encoding": "identity"}
        with requests.get(address, headers=headers, timeout=TIMEOUT_SECONDS, stream=True) as answer:
            answer.raise_for_status()
            yield from answer.iter_content(_BLOCK)
    else:
        raise _RefusedError("the address must begin with https:, http: or file:")


def _reason(error: Exception) -> str:
    """Say what a failed request means, without the layers of the library."""
    from requests import exceptions

    if isinstance(error, exceptions.HTTPError):
        return f"the server answered {error.response.status_code} {error.response.reason}"
    reasons = {
        exceptions.Timeout: "the server does not answer",
        exceptions.SSLError: "the server's certificate is not trusted",
        exceptions.ProxyError: "the proxy does not answer",
        exceptions.ChunkedEncodingError: "the connection was cut",
        exceptions.ConnectionError: "there is no connection to the server",
    }
    return next((reason for kind, reason in reasons.items() if isinstance(error, kind)), type(error).__name__)
