"""Where the things are that an experiment file names: relative to the file, not to where the command was given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path  # noqa: TC003 - the examples use it
from typing import TYPE_CHECKING

from termgauge.embeddings.location import has_files
from termgauge.embeddings.schemes import all_schemes
from termgauge.embeddings.spec import ModelSpec
from termgauge.paths import PACKAGE_PREFIX, expanded

if TYPE_CHECKING:
    from collections.abc import Callable


def located(place: str, base: Path) -> str:
    """Return a place that is meant from a base folder; places inside packages stay as they are."""
    return place if place.startswith(PACKAGE_PREFIX) else str(base / expanded(place))


def located_spec(text: str, base: Path) -> str:
    """Return a model's spec whose files are meant from a base folder.

    Examples
    --------
    >>> located_spec("word2vec:vectors/a.bin?lowercase=true", Path("study"))
    'word2vec:study/vectors/a.bin?lowercase=true'
    >>> located_spec("baseline:random", Path("study")), located_spec("transformers:org/name", Path("study"))
    ('baseline:random', 'transformers:org/name')
    """
    known = ModelSpec.parse(text)

    def at(place: str) -> str:
        there = has_files(known, base) if place == known.location else (base / place).is_file()
        return located(place, base) if there else place

    return moved_spec(text, at)


def moved_spec(text: str, at: Callable[[str], str]) -> str:
    """Return a model's spec with whatever may be a file or folder in it moved by a function; those in packages stay."""
    spec = ModelSpec.parse(text)
    location = spec.location
    if location and (not spec.scheme or spec.declared.files):
        location = _moved(location, at)
    schemes = [spec.declared] if spec.scheme else all_schemes().values() if spec.options else ()
    of_files = {name for scheme in schemes for name, option in scheme.options.items() if option.names_file}
    options = tuple((name, _moved(value, at) if name in of_files else value) for name, value in spec.options)
    return str(replace(spec, location=location, options=options))


def _moved(place: str, at: Callable[[str], str]) -> str:
    return place if place.startswith(PACKAGE_PREFIX) else at(place)
