"""Libraries that only some models need: imported where they are used, with a sentence that says how to install them."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from termgauge.exceptions import TermgaugeError


def library(module: str, what: str, extra: str, called: str = "") -> Any:  # noqa: ANN401
    """Return a module, or say that something needs it and which extra of termgauge brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise _missing(what, called or module, extra) from error


def require_library(module: str, what: str, extra: str) -> None:
    """Say the same where a module is not installed, without the time that it takes to import it."""
    if find_spec(module) is None:
        raise _missing(what, module.replace("_", "-"), extra)


def _missing(what: str, module: str, extra: str) -> TermgaugeError:
    return TermgaugeError(f"{what} needs {module}; install it with: pip install 'termgauge[{extra}]'.")


def first_line(error: BaseException) -> str:
    """Return the beginning of what an exception of a library says."""
    return str(error).strip().partition("\n")[0].rstrip(".")[:200] or type(error).__name__
