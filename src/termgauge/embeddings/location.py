"""Where the files of a model are: a path, or a folder inside an installed package, or what a scheme finds by itself."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.io.paths import PACKAGE_PREFIX, expanded, package_path

if TYPE_CHECKING:
    from termgauge.embeddings.spec import ModelSpec

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_REVISION = re.compile(r"\w[\w.-]*(/\w[\w.-]*)*")
"""A branch, tag or commit, which leads to no other folder."""


def place_of(spec: ModelSpec) -> Path:
    """Return where a spec's files are; no code of a package that holds them is run."""
    location, package = location_of(spec)
    return package_path(location, package) if location.startswith(PACKAGE_PREFIX) else expanded(location)


def location_of(spec: ModelSpec) -> tuple[str, str]:
    """Return the location of a spec, or of its scheme if it has none, and what to install for that."""
    return (spec.location, "") if spec.location else (spec.declared.default_location, spec.declared.default_package)


def has_files(spec: ModelSpec, base: Path) -> bool:
    """Say whether a spec, meant from a base folder, names files on this machine, not a model on a hub or a service."""
    if not spec.scheme:
        return not _is_hub_id(spec, base)
    where = spec.declared.files
    plainly_a_path = spec.location.startswith((".", "/", "~", "\\")) or Path(spec.location).is_absolute()
    return where == "path" or (where == "hub" and (plainly_a_path or (base / spec.location).exists()))


def _is_hub_id(spec: ModelSpec, base: Path) -> bool:
    """Say whether a location without a scheme is OWNER/NAME, which is no file there, and none that is only missing."""
    place = base / spec.location
    if not _HUB_ID.fullmatch(spec.location) or place.exists():
        return False
    looks_like_file = place.suffix[1:].isalpha() or place.parent.exists()
    return not looks_like_file or _snapshot(spec) is not None


def in_hub_cache(spec: ModelSpec) -> ModelSpec:
    """Return the spec of the folder in the local Hugging Face cache that a hub id, without a scheme, means."""
    folder = _snapshot(spec)
    if folder is None:
        raise TermgaugeError(
            f"{spec.location}: is neither a file or folder here nor in the local Hugging Face cache ({_hub_cache()}); "
            f"if it is the id of a model to be downloaded, name it sentence-transformers:{spec.location} or "
            f"transformers:{spec.location}."
        )
    options = tuple((name, value) for name, value in spec.options if name != "revision")
    name = spec.given_name or spec.location.rpartition("/")[2]
    return replace(spec, location=str(folder), options=options, given_name=name)


def _snapshot(spec: ModelSpec) -> Path | None:
    """Return where the cache has the revision of a hub id that a spec asks for, the main branch if it does not say."""
    model = _hub_cache() / f"models--{spec.location.replace('/', '--')}"
    commit = revision = dict(spec.options).get("revision", "main")
    if _REVISION.fullmatch(revision) and (branch := model / "refs" / revision).is_file():
        commit = branch.read_text("utf-8", "replace").strip()
    folder = model / "snapshots" / commit
    return folder if _REVISION.fullmatch(commit) and folder.is_dir() else None


def _hub_cache() -> Path:
    """Return the folder in which the libraries of Hugging Face keep models, by the variables that they read."""
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if place := os.environ.get(variable):
            return expanded(place)
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return expanded(os.environ.get("HF_HOME") or f"{cache}/huggingface") / "hub"
