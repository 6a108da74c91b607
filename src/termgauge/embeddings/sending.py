"""Models on other machines: which files a spec names, as artifacts, and the same spec where these have arrived.

What lies inside an installed package, on a hub or behind a service is not sent: a spec means the same everywhere. A
file may need others that lie around it, as vectors of tokens need their tokenizer. They are sent alone, not with all
that lies there, and where they arrive apart they are put together again, each where the others look for it.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.embeddings.load import with_known_scheme
from termgauge.embeddings.spec import ModelSpec, has_files, place_of
from termgauge.exceptions import TermgaugeError
from termgauge.io.atomic import whole_folder
from termgauge.io.identity import sha256_of_value
from termgauge.io.paths import PACKAGE_PREFIX, expanded
from termgauge.io.store import entry_path, mark_used

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from termgauge.io.artifacts import Artifact

NAMESPACE = "models"
"""Of the cache: files of models that arrived apart, put together."""


@dataclass(frozen=True)
class ModelArtifacts:
    """The files that a spec names; iterating over them gives all artifacts."""

    location: Artifact | None = None
    beside: tuple[Artifact, ...] = ()
    """Files outside of the location that are read with it."""
    options: tuple[tuple[str, Artifact], ...] = ()
    """Files that options name."""

    def __iter__(self) -> Iterator[Artifact]:
        if self.location is not None:
            yield self.location
        yield from self.beside
        yield from (artifact for _, artifact in self.options)


def model_artifacts(spec: ModelSpec, artifact: Callable[[Path], Artifact]) -> ModelArtifacts:
    """Make artifacts of the files that a spec names on this machine.

    What is not there is not sent: who opens the model says what is wrong.
    """
    if not spec.location or spec.location.startswith(PACKAGE_PREFIX) or not has_files(spec, Path()):
        return ModelArtifacts()
    location = _absolute(place_of(spec))
    if not location.exists():
        return ModelArtifacts()
    try:
        full_spec = with_known_scheme(spec)
        read = sorted({_absolute(path) for path in full_spec.declared.reads(full_spec)})
        named = dict(_named_files(full_spec, location))
    except (TermgaugeError, OSError):
        return ModelArtifacts(artifact(location))
    around = [path for path in read if path not in named.values() and location not in (path, *path.parents)]
    return ModelArtifacts(
        artifact(location),
        tuple(artifact(path) for path in around),
        tuple((name, artifact(path)) for name, path in named.items()),
    )


def device_of(spec: str) -> str:
    """Return the device that a spec names, such as ``cuda``; nothing if it names none."""
    try:
        return dict(ModelSpec.parse(spec).options).get("device", "")
    except TermgaugeError:  # it means nothing, and fails where it is opened
        return ""


def relocated(spec: ModelSpec, artifacts: ModelArtifacts) -> ModelSpec:
    """Return a spec, under the name that it has, whose files are where its artifacts are on this machine."""
    if artifacts.location is None:
        return spec
    options = dict(spec.options) | {name: str(artifact.here) for name, artifact in artifacts.options}
    location = _together([artifacts.location, *artifacts.beside])
    moved = replace(spec, location=str(location), options=tuple(options.items()))
    return moved if moved.name == spec.name else replace(moved, given_name=spec.name)


def _named_files(spec: ModelSpec, location: Path) -> Iterator[tuple[str, Path]]:
    """Go through the options that name files, which are meant from where the model is, or else from here."""
    home = location if location.is_dir() else location.parent
    for name, value in spec.options:
        if spec.declared.options[name].names_file:
            paths = [path for path in (home / value, expanded(value)) if path.is_file()]
            yield from ((name, _absolute(path)) for path in paths[:1])


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - links keep their names


def _together(artifacts: Sequence[Artifact]) -> Path:
    """Return where the first artifact is on this machine, with the others around it as where they come from."""
    first = artifacts[0]
    if len(artifacts) == 1 or all(artifact.here == Path(artifact.path) for artifact in artifacts):
        return first.here
    root = Path(os.path.commonpath([Path(artifact.path).parent for artifact in artifacts]))
    paths = {Path(artifact.path).relative_to(root): artifact.here for artifact in artifacts}
    key = sha256_of_value(sorted((path.as_posix(), str(here)) for path, here in paths.items()))
    entry, main = entry_path(NAMESPACE, key), Path(first.path).relative_to(root)
    if not all((entry / path).exists() for path in paths):
        with whole_folder(entry) as folder:
            for path, here in paths.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                _put(folder / path, here, linked=path == main)
    mark_used(entry)
    return entry / main


def _put(path: Path, target: Path, *, linked: bool) -> None:
    """Put something in its place, as a link if it is large; not all libraries follow links for what else they read."""
    if linked:
        with suppress(OSError):  # not allowed on this system
            path.symlink_to(target.absolute(), target_is_directory=target.is_dir())
            return
    shutil.copytree(target, path) if target.is_dir() else shutil.copyfile(target, path)
