"""Where the files of a model are: a path, or a folder inside an installed package, or what a scheme finds by itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.paths import PACKAGE_PREFIX, expanded, package_path

if TYPE_CHECKING:
    from termgauge.embeddings.spec import ModelSpec


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
