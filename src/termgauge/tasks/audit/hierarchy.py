"""How two concepts stand to each other in the hierarchy: those that are near each other there are alike by right."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import polars as pl

from termgauge.terminology.model import HIERARCHY

if TYPE_CHECKING:
    from termgauge.terminology.model import Terminology

PARENT, ANCESTOR, SIBLING = "parent and child", "ancestor", "siblings"


class Hierarchy:
    """The parents of all concepts."""

    def __init__(self, terminology: Terminology) -> None:
        edges = terminology.relations.filter(
            pl.col("type").is_in(HIERARCHY) & (pl.col("source") != pl.col("target"))
        ).unique(["source", "target"], maintain_order=True)
        self._parents: dict[str, list[str]] = {}
        for source, target in edges.select("source", "target").iter_rows():
            self._parents.setdefault(source, []).append(target)
        self._ancestors = cache(self._found_ancestors)

    def __bool__(self) -> bool:
        return bool(self._parents)

    def _found_ancestors(self, concept: str) -> frozenset[str]:
        """Return all that is above a concept; a hierarchy that runs in a circle ends all the same."""
        above: set[str] = set()
        waiting = list(self._parents.get(concept, ()))
        while waiting:
            each = waiting.pop()
            if each not in above:
                above.add(each)
                waiting += self._parents.get(each, ())
        return frozenset(above)

    def relation(self, one: str, other: str) -> str:
        """Say how two concepts are related; nothing if they are not."""
        mine, theirs = self._parents.get(one, ()), self._parents.get(other, ())
        if other in mine or one in theirs:
            return PARENT
        if not set(mine).isdisjoint(theirs):
            return SIBLING
        return ANCESTOR if self.lineal(one, other) else ""

    def lineal(self, one: str, other: str) -> bool:
        """Say whether one of two concepts is above the other."""
        return other in self._ancestors(one) or one in self._ancestors(other)
