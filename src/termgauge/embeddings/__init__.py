"""Vectors for words, terms and concepts, from any common file, without loading them into memory.

>>> from termgauge.embeddings import load_model
>>> load_model("baseline:random?dim=8").dimension
8
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from termgauge.embeddings.convert import convert
    from termgauge.embeddings.load import load_model
    from termgauge.embeddings.model import ConceptModel, Model, ModelIdentity, PairScorer, TermModel, WordModel
    from termgauge.embeddings.neighbours import neighbours as nearest_neighbours
    from termgauge.embeddings.spec import ModelSpec
    from termgauge.embeddings.tokens import TermWords

__all__ = [
    "ConceptModel",
    "Model",
    "ModelIdentity",
    "ModelSpec",
    "PairScorer",
    "TermModel",
    "TermWords",
    "WordModel",
    "convert",
    "load_model",
    "nearest_neighbours",
]

_HOMES = {
    "ConceptModel": "model",
    "Model": "model",
    "ModelIdentity": "model",
    "ModelSpec": "spec",
    "PairScorer": "model",
    "TermModel": "model",
    "TermWords": "tokens",
    "WordModel": "model",
    "convert": "convert",
    "load_model": "load",
    "nearest_neighbours": "neighbours",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in _HOMES:
        raise AttributeError(f"module 'termgauge.embeddings' has no attribute '{name}'")
    module = import_module(f"termgauge.embeddings.{_HOMES[name]}")
    return getattr(module, name)
