"""Where the things are that an experiment file names: relative to the file, not to where the command was given.

Variables of the environment are replaced in paths, and nowhere else.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path  # noqa: TC003 - the examples use it
from typing import TYPE_CHECKING

from termgauge.embeddings.schemes import all_schemes
from termgauge.embeddings.spec import (
    ModelSpec,
    has_files,
)
from termgauge.io.paths import PACKAGE_PREFIX, expanded

if TYPE_CHECKING:
    from collections.abc import Callable

    from termgauge.embeddings.schemes import Option

VARIABLE = re.compile(r"\$\{([^}]*)\}")
"""A variable of the environment in a path."""


def located(place: str, base: Path, undefined: Callable[[str], None] | None = None) -> str:
    """Return a place that is meant from a base folder; places inside packages stay as they are.

    Where it is said what to do about variables that are not set, the others are replaced; the path is absolute then, so
    that it cannot be taken for a name on a hub.
    """
    names = VARIABLE.findall(place) if undefined else []
    for name in names:
        if undefined and name not in os.environ:
            undefined(name)
    place = VARIABLE.sub(lambda match: os.environ[match[1]], place) if names else place
    if place.startswith(PACKAGE_PREFIX):
        return place
    return str((base / expanded(place)).absolute() if names else base / expanded(place))


def moved_spec(spec: ModelSpec, base: Path, at: Callable[[str], str]) -> ModelSpec:
    """Return a spec of which each path, as meant from a base folder, is moved by a function.

    Examples
    --------
    >>> base = Path("study")
    >>> spec = ModelSpec.parse("word2vec:vectors/a.bin?lowercase=true")
    >>> str(moved_spec(spec, base, lambda place: located(place, base)))
    'word2vec:study/vectors/a.bin?lowercase=true'
    >>> str(moved_spec(ModelSpec.parse("transformers:org/name"), base, lambda place: located(place, base)))
    'transformers:org/name'
    """
    no_files = bool(spec.scheme) and spec.declared.files == "none"
    in_variable = VARIABLE.search(spec.location) and not no_files  # no hub has such names
    location = at(spec.location) if spec.location and (in_variable or has_files(spec, base)) else spec.location
    declared = declared_options(spec)
    options = tuple(
        (name, at(value) if _names_file(declared.get(name), value, base) else value) for name, value in spec.options
    )
    return replace(spec, location=location, options=options)


def _names_file(option: Option | None, value: str, base: Path) -> bool:
    return option is not None and option.names_file and bool(VARIABLE.search(value) or (base / value).is_file())


def declared_options(spec: ModelSpec) -> dict[str, Option]:
    """Return the options that a spec may have: of all schemes, if its own is not known yet."""
    schemes = [spec.declared] if spec.scheme else all_schemes().values() if spec.options else ()
    return {name: option for scheme in schemes for name, option in scheme.options.items()}
