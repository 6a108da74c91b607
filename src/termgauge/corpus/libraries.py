"""Libraries that the extra `words` brings: imported where they are used, with a sentence that says how to get them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from termgauge.exceptions import TermgaugeError


def library(module: str, what: str) -> Any:  # noqa: ANN401
    """Return a module, or say that something needs it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise TermgaugeError(
            f"{what} needs {module.partition('.')[0]}; install it with: pip install 'termgauge[words]'."
        ) from error
