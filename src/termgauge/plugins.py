"""What other packages add to termgauge: objects that they declare as entry points of a group.

>>> entry_points_of("termgauge.no-such-group", int)
{}
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import TYPE_CHECKING, TypeVar

from termgauge.exceptions import warn

if TYPE_CHECKING:
    from collections.abc import Container

_Kind = TypeVar("_Kind")


def entry_points_of(group: str, kind: type[_Kind], taken: Container[str] = ()) -> dict[str, _Kind]:
    """Return the objects of a group by the names of their entry points.

    One that cannot be loaded, is of another kind, or has a name that is taken costs itself alone, with a warning.
    """
    found: dict[str, _Kind] = {}
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        problem = "the name is taken" if point.name in taken or point.name in found else ""
        if not problem:
            try:
                loaded = point.load()
            except Exception as error:  # noqa: BLE001 - whatever is wrong with somebody else's package
                problem = f"it cannot be loaded ({type(error).__name__}: {error})"
            else:
                if isinstance(loaded, kind):
                    found[point.name] = loaded
                else:
                    problem = f"it is no {kind.__name__}"
        if problem:
            home = point.dist.name if point.dist else "an unknown package"
            warn(f"'{point.name}', which {home} adds to {group}, is left out: {problem}.")
    return found
