"""The schemes by which models are opened: what each reads, its options, its loader and where its files are.

A scheme is declared once, beside its loader, among the ``SCHEMES`` of its module; here stand the modules.
Schemes of other packages are found by the entry point group ``termgauge.schemes``: see docs/adding-a-scheme.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.io.identity import library_versions
from termgauge.plugins import with_plugins

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from termgauge.embeddings.model import Kind, Model
    from termgauge.embeddings.spec import ModelSpec

GROUP = "termgauge.schemes"
MODULES = (
    "termgauge.embeddings.load",
    "termgauge.embeddings.encoders.static_tokens",
    "termgauge.embeddings.encoders.onnx",
    "termgauge.embeddings.encoders.openai",
    "termgauge.embeddings.encoders.transformers",
    "termgauge.embeddings.encoders.sentence_transformers",
    "termgauge.embeddings.encoders.elmo",
    "termgauge.embeddings.encoders.flair",
    "termgauge.embeddings.baselines",
)
"""Where our own schemes are declared."""
_TRUE, _FALSE = {"true", "yes", "1", "on"}, {"false", "no", "0", "off"}


@dataclass(frozen=True)
class Option:
    """What a scheme's option may be."""

    about: str
    """What it means, in one line."""
    kind: Literal["flag", "integer", "text"] = "text"
    default: str = ""
    choices: tuple[str, ...] = ()
    least: int = 0
    """The smallest integer that makes sense."""
    names_file: bool = False
    """Whether its value may be the path of a file."""
    names_variable: bool = False
    """Whether its value is an environment variable whose content goes to another machine."""
    runs_code: bool = False
    """Whether it allows code that came with a model to run."""

    def canonical(self, name: str, value: str) -> str:
        """Return a value in its one written form, or say what it may be."""
        if self.kind == "flag":
            if value.lower() in _TRUE | _FALSE:
                return "true" if value.lower() in _TRUE else "false"
            raise TermgaugeError(f"The option '{name}' is true or false, not '{value}'.")
        if self.kind == "integer":
            if not re.fullmatch(r"-?\d{1,18}", value) or int(value) < self.least:
                raise TermgaugeError(f"The option '{name}' is a whole number of at least {self.least}, not '{value}'.")
            return str(int(value))
        if self.choices and value not in self.choices:
            choices, hint = ", ".join(self.choices), did_you_mean(value, self.choices)
            raise TermgaugeError(f"The option '{name}' is one of {choices}, not '{value}'.{hint}")
        return value


@dataclass(frozen=True)
class Extra:
    """Packages that some schemes need beside termgauge itself."""

    packages: tuple[str, ...]
    megabytes: int
    """About what they take on disk, with what they bring."""


EXTRAS: dict[str, Extra] = {
    "tokens": Extra(("tokenizers",), 15),
    "baselines": Extra(("scikit-learn",), 170),
    "onnx": Extra(("onnxruntime", "tokenizers"), 90),
    "openai": Extra(("requests",), 5),
    "transformers": Extra(("torch", "transformers", "sentence-transformers"), 1000),
    "flair": Extra(("torch", "flair"), 1300),
    "elmo": Extra(("torch", "h5py"), 800),
}
"""Measured on Linux with the CPU build of torch; a build for GPUs takes several gigabytes."""


def _no_others(_spec: ModelSpec) -> Sequence[Path]:
    return ()


@dataclass(frozen=True)
class Scheme:
    """A way to open a model."""

    name: str
    """What stands before the colon of a spec: letters, digits and hyphens. ``NAME:LOCATION`` if it has one location."""
    about: str
    """What it reads, in a few words."""
    kinds: tuple[Kind, ...]
    """What its models may be, the usual kind first."""
    load: Callable[[ModelSpec], Model]
    """Opens the model of a spec; it imports heavy libraries only when it is called."""
    options: Mapping[str, Option] = field(default_factory=dict)
    files: Literal["path", "hub", "none"] = "path"
    """What a location is: a path; a folder or else the id of a model on a hub, which looks like one; or just a name."""
    default_location: str = ""
    """What is opened when no location is given; empty if one must be."""
    default_package: str = ""
    """What pip installs to bring the default location."""
    extra: str = ""
    """The extra of termgauge that it needs, one of `EXTRAS`."""
    terms_per_second: int | None = None
    """About how many terms are encoded on two cores without a GPU; None where that takes next to no time."""
    sends_to: Callable[[ModelSpec], str] | None = None
    """Says to which address texts are sent; None if they stay on this machine."""
    reads: Callable[[ModelSpec], Sequence[Path]] = _no_others
    """Says which files it reads, where some may lie beside the location: they go along if the model is sent."""

    def __post_init__(self) -> None:
        if self.extra and self.extra not in EXTRAS:
            raise ValueError(f"termgauge has no extra '{self.extra}'; it has {', '.join(EXTRAS)}")


MISSING_WORDS = ("strict", "available", "zero")
WORD_LOOKUPS = ("plain", "possessive")
WORD_OPTIONS: dict[str, Option] = {
    "lowercase": Option("Put terms in lower case first.", "flag", "false"),
    "split": Option("Words are Unicode words, or what stands between spaces.", "text", "words", ("words", "space")),
    "phrases": Option("What joins the words of a phrase in the vocabulary; the longest known phrase is taken."),
    "missing": Option(
        "A pair with an unknown word has no score (strict), that of the known words (available), or 0 (zero).",
        "text",
        "strict",
        MISSING_WORDS,
    ),
    "words": Option(
        "A word that is not in the vocabulary stays unknown, or, as the last resort, is looked up without its 's: "
        "Crohn for Crohn's.",
        "text",
        "plain",
        WORD_LOOKUPS,
    ),
}
"""How the words of a term are found; see `termgauge.embeddings.tokens`."""
TABLE_OPTIONS: dict[str, Option] = {
    **WORD_OPTIONS,
    "kind": Option("What the vectors are of; auto looks at the ids.", "text", "auto", ("auto", "words", "concepts")),
}
"""Those of a table of vectors, of words or concepts."""
COMBINE = Option(
    "What becomes of several layers: their mean, or one after the other.", "text", "mean", ("mean", "concat")
)
STORE = Option("How vectors are kept in the cache.", "text", "float32", ("float32", "float16"))
"""How the vectors of an encoder are kept on disk; see `termgauge.embeddings.encoders.encoding`."""
PROMPT = Option("Text put before every term.")
DEVICE = Option("Where it runs: cpu, cuda, cuda:1, or several as cuda:0,cuda:1.", "text", "cpu")
AS_TOKENS = Option("A term is the matrix of its tokens' vectors, not one vector.", "flag", "false")
HUB_OPTIONS: dict[str, Option] = {
    "device": DEVICE,
    "dtype": Option("The precision in which it runs.", "text", "float32", ("float32", "float16", "bfloat16")),
    "store": STORE,
    "max_length": Option("Tokens after which a term is cut; 0 for what the checkpoint allows.", "integer", "0"),
    "prompt": PROMPT,
    "remote_code": Option(
        "Whether Python code that came with the checkpoint may run.", "flag", "false", runs_code=True
    ),
    "revision": Option("Branch, tag or commit of a hub id."),
}
"""Those of checkpoints in the layout of the transformers library."""


@cache
def _built_in() -> dict[str, Scheme]:
    return {scheme.name: scheme for module in MODULES for scheme in import_module(module).SCHEMES}


@cache
def all_schemes() -> dict[str, Scheme]:
    """Return the schemes by name, ours first."""
    return with_plugins(GROUP, Scheme, _built_in())


def find_scheme(name: str, location: str = "") -> Scheme:
    """Return a scheme by its name, or that of one location alone, such as ``baseline`` and ``levenshtein``."""
    for registry in (_built_in, all_schemes):  # packages of others are looked at only if none of ours is meant
        if scheme := registry().get(name) or registry().get(f"{name}:{location}"):
            return scheme
    parts = [key.partition(":") for key in all_schemes()]
    if locations := [suffix for scheme, _, suffix in parts if scheme == name]:
        raise TermgaugeError(
            f"There is no {name} '{location}'; there are {', '.join(locations)}.{did_you_mean(location, locations)}"
        )
    names = sorted({scheme for scheme, _, _ in parts})
    raise TermgaugeError(
        f"There is no scheme '{name}:'; there are {', '.join(names)}, or give a plain path (./{name}:… if that is a"
        f" file).{did_you_mean(name, names)}"
    )


def describe_schemes(scheme: str | None = None) -> dict[str, list[dict[str, Any]]]:
    """Return what models can be opened here, or only one scheme, and what must be installed, as JSON-like values.

    The values of an option have its default first; in brackets if it has none or the model's own files say it.
    """
    wanted = (scheme or "").rstrip(":")
    chosen = {name: entry for name, entry in all_schemes().items() if wanted in ("", name, name.partition(":")[0])}
    if not chosen:
        find_scheme(wanted)
    extras: dict[str, dict[str, Any]] = {}
    for name, extra in EXTRAS.items():
        if name in {entry.extra for entry in chosen.values()}:
            versions = library_versions(extra.packages)
            packages = {package: versions.get(package) for package in extra.packages}
            installed = None not in packages.values()
            extras[name] = {"name": name, "packages": packages, "megabytes": extra.megabytes, "installed": installed}
    schemes = [
        {
            "name": entry.name,
            "kinds": ", ".join(entry.kinds),
            "about": entry.about,
            "options": {name: _values(option) for name, option in entry.options.items()},
            "meanings": {name: option.about for name, option in entry.options.items()},
            "extra": entry.extra,
            "installed": not entry.extra or extras[entry.extra]["installed"],
            "default_location": entry.default_location,
        }
        for entry in chosen.values()
    ]
    return {"schemes": schemes, "extras": list(extras.values())}


def _values(option: Option) -> str:
    choices = ("true", "false") if option.kind == "flag" else option.choices
    if not choices:
        return option.default or ("[NUMBER]" if option.kind == "integer" else "[TEXT]")
    listed = " | ".join(sorted(choices, key=lambda choice: choice != option.default))
    return listed if option.default else f"[{listed}]"
