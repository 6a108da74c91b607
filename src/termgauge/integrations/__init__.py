"""termgauge inside other libraries, and theirs inside termgauge; each is imported when something of it is used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "from_mteb": "mteb",
    "write_results": "mteb",
    "SentenceTransformerEvaluator": "sentence_transformers",
}
"""What stands here, and the module that it is of."""


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in _HOMES and name not in _HOMES.values():
        raise AttributeError(f"module 'termgauge.integrations' has no attribute '{name}'")
    module = import_module(f"termgauge.integrations.{_HOMES.get(name, name)}")
    return getattr(module, name) if name in _HOMES else module


def __dir__() -> list[str]:
    return sorted({*_HOMES, *_HOMES.values()})
