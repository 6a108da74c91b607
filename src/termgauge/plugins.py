"""What other packages add to termgauge by entry points; one that is broken costs itself alone, with a warning."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING, Protocol, TypeVar

from termgauge.exceptions import sentence_of, warn

if TYPE_CHECKING:
    from collections.abc import Mapping


class _Named(Protocol):
    @property
    def name(self) -> str: ...


_Entry = TypeVar("_Entry", bound=_Named)


def with_plugins(group: str, kind: type[_Entry], builtin: Mapping[str, _Entry]) -> dict[str, _Entry]:
    """Return what termgauge has itself and what other packages add to a group, such as ``termgauge.formats``, by name.

    One that is not of the right kind, or whose name is taken, is left out with a warning.
    """
    by_name = dict(builtin)
    for entry in metadata.entry_points(group=group):
        try:
            loaded = entry.load()
        except Exception as error:  # noqa: BLE001 - whatever is wrong with somebody else's package
            why = sentence_of(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
            package = f"the package {entry.dist.name}" if entry.dist is not None else "a package"
            warn(f"'{entry.value}', which {package} adds to {group}, cannot be loaded and is left out ({why}).")
            continue
        if not isinstance(loaded, kind):
            warn(f"The entry point '{entry.name}' of {group} is no {kind.__name__} and is left out.")
        elif loaded.name in by_name:
            warn(f"The entry point '{entry.name}' of {group} is left out: the name '{loaded.name}' is taken.")
        else:
            by_name[loaded.name] = loaded
    return by_name
