"""Cycles in a hierarchy: concepts that are a kind of themselves, by way of others.

Concepts that lead nowhere are peeled off until none is left, which takes a time that grows with the hierarchy and no
faster; what stays is then divided into the parts whose concepts all lead to each other (Tarjan's components).
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def cycles_of(edges: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return one shortest cycle of each part of a hierarchy that goes in circles; its first concept ends it, too.

    >>> cycles_of([("a", "b"), ("b", "c"), ("c", "a"), ("d", "a"), ("e", "e")])
    [['a', 'b', 'c', 'a'], ['e', 'e']]
    """
    above: dict[str, list[str]] = {}
    for source, target in edges:
        above.setdefault(source, []).append(target)
        above.setdefault(target, [])
    left = _peeled(above)
    parts = [part for part in _components(left) if len(part) > 1 or part[0] in left[part[0]]]
    return sorted(_cycle(min(part), set(part), left) for part in parts)


def _peeled(above: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return what is left when concepts above which there is nothing are taken away, again and again."""
    below: dict[str, list[str]] = {}
    for source, targets in above.items():
        for target in targets:
            below.setdefault(target, []).append(source)
    open_ends = {concept: len(targets) for concept, targets in above.items()}
    done = deque(concept for concept, count in open_ends.items() if not count)
    while done:
        for source in below.get(concept := done.popleft(), ()):
            open_ends[source] -= 1
            if not open_ends[source]:
                done.append(source)
        del open_ends[concept]
    return {concept: [each for each in above[concept] if each in open_ends] for concept in open_ends}


def _components(above: Mapping[str, list[str]]) -> list[list[str]]:
    """Return the parts of a graph in which all lead to each other."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    waiting: list[str] = []
    on_stack: set[str] = set()
    found: list[list[str]] = []
    for root in above:
        path = [] if root in order else [(root, iter(above[root]))]
        while path:
            concept, rest = path[-1]
            if concept not in order:
                order[concept] = lowest[concept] = len(order)
                waiting.append(concept)
                on_stack.add(concept)
            for target in rest:
                if target not in order:
                    path.append((target, iter(above[target])))
                    break
                if target in on_stack:
                    lowest[concept] = min(lowest[concept], order[target])
            else:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[concept])
                if lowest[concept] == order[concept]:
                    start = _last(waiting, concept)
                    found.append(waiting[start:])
                    on_stack.difference_update(found[-1])
                    del waiting[start:]
    return found


def _last(waiting: list[str], concept: str) -> int:
    """Return the place of a concept, which is near the end."""
    at = len(waiting) - 1
    while waiting[at] != concept:
        at -= 1
    return at


def _cycle(start: str, part: set[str], above: Mapping[str, list[str]]) -> list[str]:
    """Return a shortest way from a concept back to itself."""
    came_from: dict[str, str] = {}
    reached = deque([start])
    while reached:
        concept = reached.popleft()
        for target in above[concept]:
            if target == start:
                way = [concept]
                while way[-1] != start:
                    way.append(came_from[way[-1]])
                return [*reversed(way), start]
            if target in part and target not in came_from:
                came_from[target] = concept
                reached.append(target)
    raise AssertionError("a concept of such a part leads back to itself")
