"""Where the things are that an experiment file names: relative to the file, not to where the command was given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path  # noqa: TC003 - the examples use it

from termgauge.embeddings.location import has_files
from termgauge.embeddings.schemes import all_schemes
from termgauge.embeddings.spec import ModelSpec
from termgauge.paths import PACKAGE_PREFIX, expanded


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
    spec = ModelSpec.parse(text)
    location = spec.location
    if location and has_files(spec, base):
        location = located(location, base)
    schemes = [spec.declared] if spec.scheme else all_schemes().values() if spec.options else ()
    of_files = {name for scheme in schemes for name, option in scheme.options.items() if option.names_file}
    options = tuple(
        (name, located(value, base) if name in of_files and (base / value).is_file() else value)
        for name, value in spec.options
    )
    return str(replace(spec, location=location, options=options))
