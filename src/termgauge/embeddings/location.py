"""Where the files of a model are: a path, or a folder inside an installed package, or what a scheme finds by itself."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.paths import expanded

if TYPE_CHECKING:
    from termgauge.embeddings.spec import ModelSpec

PACKAGE_PREFIX = "package:"


def place_of(spec: ModelSpec) -> Path:
    """Return where a spec's files are; no code of a package that holds them is run."""
    location, package = location_of(spec)
    return package_path(location, package) if location.startswith(PACKAGE_PREFIX) else expanded(location)


def location_of(spec: ModelSpec) -> tuple[str, str]:
    """Return the location of a spec, or of its scheme if it has none, and what to install for that."""
    return (spec.location, "") if spec.location else (spec.declared.default_location, spec.declared.default_package)


def has_files(spec: ModelSpec, base: Path) -> bool:
    """Say whether a spec, meant from a base folder, names files on this machine, not a model on a hub or a service."""
    where = spec.declared.files if spec.scheme else "path"
    plainly_a_path = spec.location.startswith((".", "/", "~", "\\")) or Path(spec.location).is_absolute()
    return where == "path" or (where == "hub" and (plainly_a_path or (base / spec.location).exists()))


def package_path(location: str, requirement: str = "") -> Path:
    """Return where ``package:NAME/FOLDER`` is on disk; `requirement` is what to install where that is not its name."""
    name, _, inside = location.removeprefix(PACKAGE_PREFIX).partition("/")
    package = find_spec(name) if name.isidentifier() else None
    places = list(package.submodule_search_locations or ()) if package else []
    if not places:
        raise TermgaugeError(
            f"The package '{name}' is not installed; install it with: pip install {requirement or name}."
        )
    return Path(places[0], inside)
