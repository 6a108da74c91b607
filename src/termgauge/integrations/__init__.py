"""termgauge inside other libraries, and theirs inside termgauge; each is imported when something of it is used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES: dict[str, tuple[str, ...]] = {"sentence_transformers": ("SentenceTransformerEvaluator",)}
"""Modules, and what of them stands here."""


def __getattr__(name: str) -> Any:  # noqa: ANN401
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"termgauge.integrations.{home}"), name)
    raise AttributeError(f"module 'termgauge.integrations' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(name for names in _HOMES.values() for name in names)
