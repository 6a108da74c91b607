"""What a thing is, so that a result can be repeated: content hashes, and versions of the libraries in use."""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import suppress
from importlib import metadata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import BinaryIO

BLOCK = 1 << 20
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*")
_LONGEST = 120


def version() -> str:
    """Return termgauge's own version."""
    return metadata.version("termgauge")


def library_versions(names: Iterable[str]) -> dict[str, str]:
    """Return the installed versions of some packages, leaving out those that are not installed."""
    versions = {}
    for name in names:
        with suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions


def sha256_of_bytes(data: bytes | memoryview) -> str:
    """Return the SHA-256 of some bytes, as hexadecimal text."""
    return hashlib.sha256(data).hexdigest()


def sha256_of_stream(stream: BinaryIO) -> str:
    """Return the SHA-256 of everything that is left in a stream, as hexadecimal text."""
    digest = hashlib.sha256()
    while block := stream.read(BLOCK):
        digest.update(block)
    return digest.hexdigest()


def sha256_of_value(value: Any) -> str:  # noqa: ANN401
    """Return the SHA-256 of any JSON-like value; equal values have equal hashes.

    >>> sha256_of_value({"a": 1, "b": 2}) == sha256_of_value({"b": 2, "a": 1})
    True
    """
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    # File names may hold bytes that are no UTF-8; Python hands them on as lone surrogates.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def file_name(name: str) -> str:
    """Return a name fit for a file, different for different names.

    >>> file_name("human/umnsrs-sim")
    'human__umnsrs-sim'
    """
    if _PLAIN.fullmatch(name) and "__" not in name and len(name) <= _LONGEST:
        return name.replace("/", "__")
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "x"
    return f"{plain[:_LONGEST]}-{sha256_of_value(name)[:8]}"
