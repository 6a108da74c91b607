"""Models as they were given: what they are called, how each is opened, and what is known of it before."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError, sentence_of
from termgauge.options import several

if TYPE_CHECKING:
    from collections.abc import Callable

    from termgauge.embeddings.model import Model
    from termgauge.embeddings.spec import ModelSpec
    from termgauge.tasks.contract import AnyTask
    from termgauge.tasks.records import ModelRecord


def by_name(models: object, missing: str | None = None, *, needed: bool = True) -> dict[str, str | Model]:
    """Return specs and models by what they are called; one may stand alone, and no two may have one name.

    A path is a spec, and an object of another library becomes a model. Anything else is refused in one sentence.
    `missing` is what is done about words that a model lacks, for all that do not say it themselves.
    """
    from termgauge.embeddings.load import with_missing
    from termgauge.embeddings.objects import as_model, stands_alone, takes

    if isinstance(models, Mapping):
        pairs = list(models.items())
    else:
        pairs = [("", model) for model in ([models] if stands_alone(models) else several(models))]
    named: dict[str, str | Model] = {}
    for name, thing in pairs:
        if not isinstance(name, str) or not name.isprintable():
            raise TermgaugeError(f"The name of a model is a text of printable characters, not {name!r}.")
        spec = os.fspath(thing) if isinstance(thing, os.PathLike) else thing
        if isinstance(spec, str):
            model: str | Model = with_missing(spec, missing)
        else:
            options = {"missing": missing} if missing and takes(spec, "missing") else {}
            model = as_model(spec, name=name or None, **options)
        if (title := name or name_of(model)) in named:
            raise TermgaugeError(
                f"Two models are called '{title}'; name them apart, as in --model A=… --model B=…, or in Python "
                "{'A': …, 'B': …}."
            )
        named[title] = model
    if needed and not named:
        raise TermgaugeError("No model was named; name one with --model.")
    return named


def name_of(model: str | Model) -> str:
    """Return what a model is called; a spec that means nothing is its own name, until it is opened and fails."""
    from termgauge.embeddings.spec import ModelSpec

    if not isinstance(model, str):
        return model.name
    try:
        return ModelSpec.parse(model).name
    except TermgaugeError:
        return model


def opener(name: str, model: str | Model) -> Callable[[], Model]:
    """Return how to open a model under a name, or its own if that is empty; one that is open is itself."""

    def opened() -> Model:
        from termgauge.embeddings.load import load_model
        from termgauge.embeddings.spec import ModelSpec

        if not isinstance(model, str):
            return model
        return load_model(replace(ModelSpec.parse(model), given_name=name) if name else model)

    return opened


@dataclass(frozen=True)
class KnownModel:
    """What can be said of a model before it is measured."""

    model: Model | None = None
    """None if the run has not seen it, or not as it is now: then nothing of it is there."""
    size: int = 0
    problem: str = ""
    terms_per_second: int | None = None
    """About how fast it encodes terms; None where that takes next to no time."""

    def fits(self, task: AnyTask) -> bool:
        """Say whether a task can measure it, as far as is known."""
        return not self.problem and (
            self.model is None or task.fits(self.model.kind, self.model.identity.as_dict()["scheme"])
        )


def known_model(spec: str, name: str, seen: ModelRecord | None) -> KnownModel:
    """Say what is known of a model: one that a run has `seen` is opened, for which its vectors are at hand."""
    from termgauge.embeddings.load import with_known_scheme
    from termgauge.embeddings.spec import ModelSpec, has_files, place_of

    try:
        parsed = ModelSpec.parse(spec)
        size = bytes_at(place_of(parsed)) if has_files(parsed, Path()) else 0
        rate = with_known_scheme(parsed).declared.terms_per_second
        free = parsed.scheme.startswith("baseline")  # nothing is read to open one
        if not free and (seen is None or _replaced(parsed, seen.scheme, seen.source)):
            return KnownModel(size=size, terms_per_second=rate)
        return KnownModel(opener(name, spec)(), size, terms_per_second=rate)
    except (TermgaugeError, OSError) as error:
        return KnownModel(problem=sentence_of(error))


def _replaced(spec: ModelSpec, scheme: str, source: str) -> bool:
    """Say whether a file of vectors is another one now; to open it would be to convert it."""
    from termgauge.embeddings.load import source_hash
    from termgauge.embeddings.spec import place_of
    from termgauge.io.source import files_of

    if scheme not in ("word2vec", "glove", "fasttext", "delimited") or not spec.location:
        return False
    files = files_of(place_of(spec))
    return len(files) == 1 and source_hash(files) != source


def bytes_at(path: Path) -> int:
    """Return how much a file or folder takes."""
    if not path.exists():
        raise TermgaugeError(f"{path}: there is no such file or folder.")
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files)
