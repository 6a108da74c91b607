"""What kinds of models there are, for people: each scheme, its options, and what must be installed for it.

Options and defaults are read from the one table that also checks them (`termgauge.embeddings.spec`), so the list
cannot differ from what is taken.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from termgauge.embeddings.location import DEFAULTS
from termgauge.embeddings.spec import BASELINES, SCHEMES
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.identity import library_versions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from termgauge.embeddings.spec import Option


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

_ABOUT: dict[str, tuple[str, str, str]] = {
    "word2vec": ("words", "word2vec files, text or binary", ""),
    "glove": ("words", "GloVe text files", ""),
    "fasttext": ("words", "fastText models (.bin) with vectors for any word, and .vec files", ""),
    "delimited": ("words, concepts", "CSV or TSV, one vector a line", ""),
    "numpy": ("words, concepts", "a .npy matrix with a list of words", ""),
    "safetensors": ("words, terms", "token vectors with their tokenizer, or what `convert` writes", "tokens"),
    "model2vec": ("words, terms", "model2vec folders: tokens, or whole terms with kind=terms", "tokens"),
    "wordllama": ("words, terms", "WordLlama: tokens, or whole terms with kind=terms", "tokens"),
    "onnx": ("terms", "sentence encoders as ONNX graphs, without torch", "onnx"),
    "openai": ("terms", "any endpoint that speaks OpenAI's /embeddings", "openai"),
    "sentence-transformers": ("terms", "folders or hub ids of sentence-transformers", "transformers"),
    "transformers": ("terms, words", "any encoder or decoder checkpoint; pooling and layer as you say", "transformers"),
    "flair": ("terms, words", "character language models of flair", "flair"),
    "elmo": ("terms, words", "options.json and weights.hdf5 as AllenNLP writes them", "elmo"),
    "baseline:random": ("words", "a vector of chance for each word: what common words are worth", ""),
    "baseline:levenshtein": ("pairs", "edit distance: what common letters are worth", ""),
    "baseline:char-ngrams": ("pairs", "TF-IDF of character n-grams", "baselines"),
}


@dataclass(frozen=True)
class SchemeDescription:
    """One scheme, or one baseline."""

    name: str
    kinds: str
    about: str
    options: Mapping[str, str]
    """What each option may be, the default first; in brackets if it has none or the model's own files say it."""
    extra: str
    installed: bool
    """Whether the packages of its extra are there."""
    default_location: str
    """What it opens when no location is given; empty if one must be."""


@dataclass(frozen=True)
class ExtraDescription:
    """One extra, and which of its packages are there."""

    name: str
    packages: Mapping[str, str | None]
    """The version of each package, None where it is not installed."""
    megabytes: int

    @property
    def installed(self) -> bool:
        """Whether nothing is missing."""
        return None not in self.packages.values()


@dataclass(frozen=True)
class Catalogue:
    """All schemes and extras."""

    schemes: tuple[SchemeDescription, ...]
    extras: tuple[ExtraDescription, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-like values."""
        extras = [{**asdict(extra), "installed": extra.installed} for extra in self.extras]
        return {"schemes": [asdict(scheme) for scheme in self.schemes], "extras": extras}


def describe_schemes(scheme: str | None = None) -> Catalogue:
    """Return what models can be opened here, or only one scheme.

    Raises
    ------
    TermgaugeError
        If there is no such scheme.

    Examples
    --------
    >>> [only] = describe_schemes("onnx").schemes
    >>> only.kinds, only.options["device"]
    ('terms', 'cpu | cuda')
    """
    options = {name: known.options for name, known in SCHEMES.items() if name != "baseline"}
    options |= {f"baseline:{name}": known for name, known in BASELINES.items()}
    wanted = [name for name in options if scheme is None or scheme.rstrip(":") in (name, name.partition(":")[0])]
    if not wanted:
        names = ", ".join(SCHEMES)
        raise TermgaugeError(f"There is no scheme '{scheme}:'; there are {names}.{did_you_mean(str(scheme), SCHEMES)}")
    extras = {name: _extra(name) for name in EXTRAS}
    schemes = tuple(_scheme(name, options[name], extras) for name in wanted)
    needed = {each.extra for each in schemes}
    return Catalogue(schemes, tuple(extra for name, extra in extras.items() if name in needed))


def _scheme(name: str, options: Mapping[str, Option], extras: Mapping[str, ExtraDescription]) -> SchemeDescription:
    kinds, about, extra = _ABOUT.get(name, ("", "", ""))
    known = SCHEMES[name.partition(":")[0]]
    return SchemeDescription(
        name,
        kinds,
        about,
        {each: _values(option) for each, option in options.items()},
        extra,
        not extra or extras[extra].installed,
        "" if known.needs_location else DEFAULTS.get(name, ("", ""))[0],
    )


def _values(option: Option) -> str:
    choices = ("true", "false") if option.kind == "flag" else option.choices
    if not choices:
        return option.default or ("[NUMBER]" if option.kind == "integer" else "[TEXT]")
    listed = " | ".join(sorted(choices, key=lambda choice: choice != option.default))
    return listed if option.default else f"[{listed}]"


def _extra(name: str) -> ExtraDescription:
    extra = EXTRAS[name]
    versions = library_versions(extra.packages)
    return ExtraDescription(name, {package: versions.get(package) for package in extra.packages}, extra.megabytes)
