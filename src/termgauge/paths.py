"""Places as people write them: ``~`` is a home folder, and names may hold bytes that are no text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    import os


def expanded(place: str | os.PathLike[str]) -> Path:
    """Return a path whose ``~`` is the home folder that it means.

    >>> expanded("notes/~x")
    PosixPath('notes/~x')
    """
    try:
        return Path(place).expanduser()
    except RuntimeError:
        raise TermgaugeError(
            f"{place}: there is no user of this name with a home folder; write the path out."
        ) from None


def as_text(name: str) -> str:
    r"""Return a name with the replacement character for bytes that are no UTF-8, which Python hands on as surrogates.

    >>> as_text("t\udcfe"), as_text("Œdème")
    ('t�', 'Œdème')
    """
    return name if name.isascii() else name.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
