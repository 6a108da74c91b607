"""Places as people write them: ``~`` is a home folder, and names may hold bytes that are no text."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    import os


PACKAGE_PREFIX = "package:"


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


def package_path(location: str, requirement: str = "") -> Path:
    """Return where ``package:NAME/FOLDER`` is on disk; `requirement` is what to install where that is not its name."""
    name, _, inside = location.removeprefix(PACKAGE_PREFIX).partition("/")
    package = find_spec(name) if name.isidentifier() else None
    places = list(package.submodule_search_locations or ()) if package else []
    if not places:
        raise TermgaugeError(
            f"The package '{name}' is not installed; install it with: pip install {requirement or name}."
        )
    return Path(places[0], inside)
