"""Models on other machines: their files as artifacts, the same spec where these have arrived, and encoding there.

What lies inside an installed package, on a hub or behind a service is not sent: a spec means the same everywhere. A
file may need others that lie around it, as vectors of tokens need their tokenizer. They are sent alone, not with all
that lies there, and where they arrive apart they are put together again, each where the others look for it.

When an executor encodes, runs of whole batches are blocks. The batches are those that one machine would make, so the
vectors are the same. A worker opens the model by its spec and encodes only if it is the same model there, to the
versions of the libraries.
"""

from __future__ import annotations

import os
import platform
import shutil
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from termgauge.embeddings.encoders.encoding import encoded, joined
from termgauge.embeddings.load import load_model, with_known_scheme
from termgauge.embeddings.spec import ModelSpec, has_files, place_of
from termgauge.exceptions import TermgaugeError
from termgauge.executor import RetryElsewhereError, in_order
from termgauge.io.atomic import whole_folder
from termgauge.io.identity import sha256_of_value
from termgauge.io.paths import PACKAGE_PREFIX, expanded
from termgauge.io.store import entry_path, mark_used

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.encoders.encoding import Batch, CachedTermModel, Part
    from termgauge.embeddings.model import ModelIdentity
    from termgauge.executor import JobExecutor
    from termgauge.io.artifacts import Artifact

NAMESPACE = "models"
"""Of the cache: files of models that arrived apart, put together."""
BLOCK_SECONDS = 10
"""About how long a block takes without a GPU."""
USUAL_RATE = 200
"""Terms a second where a scheme does not say."""
GPU_TEXTS = 1 << 13
"""In a block for a GPU."""
MEASURED_TEXTS = 1 << 14
"""Whose lengths are asked for in a block."""

_alone = Lock()
"""Encoders use all cores of a worker themselves, and are not made for several threads."""


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


@dataclass(frozen=True)
class SentModel:
    """A model as a worker opens it."""

    spec: ModelSpec
    identity: ModelIdentity
    artifacts: ModelArtifacts


def encode_block(model: SentModel, batches: list[Batch], dimension: int | None) -> Part:
    """Encode some batches."""
    with _alone:
        return joined(list(encoded(_opened(model).encoder, batches, dimension)))


def measure_block(model: SentModel, texts: Sequence[str]) -> tuple[NDArray[np.int64], int | None]:
    """Return how long some texts are to an encoder, and the most that it takes."""
    with _alone:
        encoder: Any = _opened(model).encoder
        return np.array(encoder.lengths(texts), np.int64), encoder.max_length


@lru_cache(maxsize=1)
def _opened(sent: SentModel) -> CachedTermModel:
    model = cast("CachedTermModel", load_model(relocated(sent.spec, sent.artifacts)))
    if model.identity.key == sent.identity.key:
        return model
    wanted, there = dict(sent.identity.libraries), dict(model.identity.libraries)
    other = [
        f"{name} {there.get(name, 'not at all')} instead of {wanted.get(name, 'none')}"
        for name in sorted(wanted | there)
        if there.get(name) != wanted.get(name)
    ]
    what, advice = "finds other files under this name", "give it the same files"
    if other:
        what, advice = f"has {', '.join(other)}", "install the same versions there"
    raise RetryElsewhereError(
        f"{sent.spec.name}: the worker on {platform.node()} {what} and would make other vectors; {advice}."
    )


@dataclass(frozen=True)
class SharedEncoding:
    """The encoding of some texts with a model at an executor."""

    executor: JobExecutor
    sent: SentModel
    gpu: bool
    """Whether it runs on a GPU."""
    batches: int
    """In a block."""

    @classmethod
    def from_model(cls, model: CachedTermModel, texts: int, executor: JobExecutor) -> SharedEncoding | None:
        """Share so many texts out, if the executor can open the model and there is something to share out.

        A service is asked from here: it is another machine already, and the key to it stays on this one.
        """
        if model.spec is None or any(option.names_variable for option in model.spec.declared.options.values()):
            return None
        size, declared = max(1, model.encoder.batch_size), model.spec.declared
        gpu = "device" in declared.options and not model.spec.text("device").startswith("cpu")
        on_gpu = gpu and executor.gpus > 0
        # A block takes some seconds, and there are two at least for everybody.
        workers = executor.gpus if on_gpu else executor.slots
        most = GPU_TEXTS if on_gpu else BLOCK_SECONDS * (declared.terms_per_second or USUAL_RATE)
        batches = max(1, min(most, texts // (2 * max(1, workers))) // size)
        if texts <= batches * size and not on_gpu:
            return None
        spec = replace(model.spec, given_name=model.name)
        return cls(executor, SentModel(spec, model.identity, model_artifacts(spec, executor.artifact)), gpu, batches)

    def measured(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], int | None]:
        """Return the length of each text, and the most that the encoder takes."""
        blocks = ((self.sent, texts[start : start + MEASURED_TEXTS]) for start in range(0, len(texts), MEASURED_TEXTS))
        done = self.executor.map(
            measure_block, blocks, label="lengths of texts", inputs=[*self.sent.artifacts], gpu=self.gpu
        )
        parts = list(in_order(done))
        return np.concatenate([lengths for lengths, _ in parts]), parts[0][1]

    def encode(self, batches: Iterable[Batch], dimension: int | None) -> Iterator[Part]:
        """Encode batches, and yield blocks as they are done."""
        rest = iter(batches)
        blocks = ((self.sent, some, dimension) for some in iter(lambda: list(islice(rest, self.batches)), []))
        done = self.executor.map(encode_block, blocks, label="encoding", inputs=[*self.sent.artifacts], gpu=self.gpu)
        return (block.result() for block in done)
