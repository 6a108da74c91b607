"""A terminology on disk becomes one model, whatever its format. Nothing heavy is imported until it is used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from termgauge.terminology.model import Terminology, TerminologyIdentity
    from termgauge.terminology.read import read_terminology

__all__ = ["Terminology", "TerminologyIdentity", "read_terminology"]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in __all__:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(f"{__name__}.{'read' if name == 'read_terminology' else 'model'}"), name)
