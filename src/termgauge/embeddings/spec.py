"""How a user names a model: ``[NAME=]scheme:location?option=value&…``, or a plain path whose format is sniffed.

One table declares every scheme, its options and the function that loads it, so a wrong option is refused before a
large file is touched, and a spec printed in a result can be given back as it stands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

from termgauge.exceptions import TermgaugeError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME = re.compile(r"([^=:/\\?]+)=")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9-]+):")
_TRUE, _FALSE = {"true", "yes", "1", "on"}, {"false", "no", "0", "off"}


@dataclass(frozen=True)
class Option:
    """What a scheme's option may be."""

    kind: Literal["flag", "integer", "text"]
    default: str = ""
    choices: tuple[str, ...] = ()
    least: int = 0
    """The smallest integer that makes sense."""

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
            known = ", ".join(self.choices)
            raise TermgaugeError(
                f"The option '{name}' is one of {known}, not '{value}'.{did_you_mean(value, self.choices)}"
            )
        return value


@dataclass(frozen=True)
class Scheme:
    """A way to load a model: the function that does it, as ``module:function``, and its options."""

    loader: str
    options: Mapping[str, Option] = field(default_factory=dict)
    needs_location: bool = True


WORD_OPTIONS: dict[str, Option] = {
    "lowercase": Option("flag", "false"),
    "split": Option("text", "words", ("words", "space")),
    "phrases": Option("text"),
    "missing": Option("text", "strict", ("strict", "available")),
}
"""How the words of a term are found; see `termgauge.embeddings.tokens`."""

_TABLE = {**WORD_OPTIONS, "kind": Option("text", "auto", ("auto", "words", "concepts"))}
_FILE = {**_TABLE, "member": Option("text")}
_TOKENS = {
    **_TABLE,
    "kind": Option("text", "auto", ("auto", "words", "terms", "concepts")),
    "tokenizer": Option("text"),
    "tensor": Option("text"),
    "normalize": Option("flag", ""),
}
STORE = Option("text", "float32", ("float32", "float16"))
"""How the vectors of an encoder are kept on disk; see `termgauge.embeddings.encoders.encoding`."""
_LOAD = "termgauge.embeddings.load"
_BASELINES = "termgauge.embeddings.baselines"

_DEVICE = Option("text", "cpu")
_HUB = {
    "device": _DEVICE,
    "dtype": Option("text", "float32", ("float32", "float16", "bfloat16")),
    "store": STORE,
    "max_length": Option("integer", "0", least=0),
    "prompt": Option("text"),
    "remote_code": Option("flag", "false"),
    "revision": Option("text"),
}
_TRANSFORMERS = {
    **_HUB,
    "layer": Option("integer", "-1", least=-1000),
    "pooling": Option("text", "", ("cls", "mean", "max", "last")),
    "special": Option("flag", "true"),
    "tokens": Option("flag", "false"),
}
_SENTENCES = {
    **_HUB,
    "normalize": Option("flag", "false"),
    "prompt_name": Option("text"),
    "truncate_dim": Option("integer", "0", least=0),
}
_ELMO = {
    "device": _DEVICE,
    "layer": Option("text", "average"),
    "lowercase": Option("flag", "false"),
    "split": Option("text", "words", ("words", "space")),
    "store": STORE,
    "tokens": Option("flag", "false"),
}
_FLAIR = {
    "device": _DEVICE,
    "direction": Option("text", "both", ("both", "forward", "backward")),
    "pooling": Option("text", "mean", ("mean", "ends")),
    "store": STORE,
    "tokens": Option("flag", "false"),
}

SCHEMES: dict[str, Scheme] = {
    "word2vec": Scheme(f"{_LOAD}:load_file", _FILE),
    "glove": Scheme(f"{_LOAD}:load_file", _FILE, needs_location=False),
    "fasttext": Scheme(f"{_LOAD}:load_file", _FILE),
    "delimited": Scheme(f"{_LOAD}:load_file", _FILE),
    "numpy": Scheme(f"{_LOAD}:load_numpy", {**_TABLE, "words": Option("text")}),
    "safetensors": Scheme(f"{_LOAD}:load_safetensors", _TOKENS),
    "model2vec": Scheme(f"{_LOAD}:load_safetensors", _TOKENS),
    "wordllama": Scheme(f"{_LOAD}:load_safetensors", _TOKENS, needs_location=False),
    "onnx": Scheme(
        "termgauge.embeddings.encoders.onnx:load_onnx",
        {
            "pooling": Option("text", "", ("mean", "cls", "none")),
            "normalize": Option("flag", ""),
            "max_length": Option("integer", "", least=1),
            "prompt": Option("text"),
            "file": Option("text"),
            "device": Option("text", "cpu", ("cpu", "cuda")),
            "threads": Option("integer", "0"),
            "store": STORE,
        },
        needs_location=False,
    ),
    "openai": Scheme(
        "termgauge.embeddings.encoders.openai:load_openai",
        {
            "base_url": Option("text"),
            "key_variable": Option("text", "OPENAI_API_KEY"),
            "dimensions": Option("integer", "", least=1),
            "prompt": Option("text"),
            "batch": Option("integer", "256", least=1),
            "max_length": Option("integer", "8191", least=1),
            "request_tokens": Option("integer", "100000", least=1),
            "rate": Option("integer", "0"),
            "price": Option("text"),
            "large": Option("integer", "10000"),
            "store": STORE,
        },
    ),
    "transformers": Scheme("termgauge.embeddings.encoders.transformers:load_transformers", _TRANSFORMERS),
    "sentence-transformers": Scheme(
        "termgauge.embeddings.encoders.sentence_transformers:load_sentence_transformers",
        _SENTENCES,
        needs_location=False,
    ),
    "elmo": Scheme("termgauge.embeddings.encoders.elmo:load_elmo", _ELMO),
    "flair": Scheme("termgauge.embeddings.encoders.flair:load_flair", _FLAIR),
    "baseline": Scheme(f"{_BASELINES}:load_baseline"),
}
"""Every scheme. What `baseline:` takes depends on the baseline, see `BASELINES`."""

BASELINES: dict[str, Mapping[str, Option]] = {
    "random": {
        **WORD_OPTIONS,
        "lowercase": Option("flag", "true"),
        "seed": Option("integer", "42"),
        "dim": Option("integer", "100", least=1),
    },
    "levenshtein": {"lowercase": Option("flag", "true")},
    "char-ngrams": {
        "lowercase": Option("flag", "true"),
        "least": Option("integer", "2", least=1),
        "most": Option("integer", "4", least=1),
    },
}
"""The options of each baseline."""


@dataclass(frozen=True)
class ModelSpec:
    """A model as the user named it; `str` gives the text back.

    Examples
    --------
    >>> spec = ModelSpec.parse("PubMed=word2vec:vectors/PubMed.bin?lowercase=yes")
    >>> spec.name, spec.scheme, spec.location, spec.flag("lowercase")
    ('PubMed', 'word2vec', 'vectors/PubMed.bin', True)
    >>> str(spec)
    'PubMed=word2vec:vectors/PubMed.bin?lowercase=true'
    """

    scheme: str
    """Empty while the format is still to be sniffed."""
    location: str
    options: tuple[tuple[str, str], ...] = ()
    """As given, each in its one written form."""
    given_name: str = ""

    @classmethod
    def parse(cls, text: str) -> ModelSpec:
        """Read a spec.

        Raises
        ------
        TermgaugeError
            If the scheme or an option is not known, or a value makes no sense.
        """
        rest = text
        name = ""
        if found := _NAME.match(rest):
            name, rest = found[1], rest[found.end() :]
        scheme = ""
        if found := _SCHEME.match(rest):  # one letter before a colon is a Windows drive
            scheme, rest = found[1], rest[found.end() :]
        location, _, query = rest.partition("?")
        spec = cls("", _unescape(location), tuple(_pairs(query, text)), name)
        if scheme:
            return spec.with_scheme(scheme)
        if not spec.location:
            raise TermgaugeError(f"'{text}' names no model; give a path or scheme:location.")
        return spec

    def with_scheme(self, scheme: str) -> ModelSpec:
        """Return the same spec under a scheme, its options checked."""
        known = SCHEMES.get(scheme)
        if known is None:
            names = ", ".join(sorted(SCHEMES))
            raise TermgaugeError(
                f"There is no scheme '{scheme}:'; there are {names}, or give a plain path"
                f" (./{scheme}:… if that is a file).{did_you_mean(scheme, SCHEMES)}"
            )
        if known.needs_location and not self.location:
            raise TermgaugeError(f"'{scheme}:' names no location; write {scheme}:PATH.")
        spec = replace(self, scheme=scheme)
        options = spec.known_options
        checked = tuple((name, spec.checked(name, value, options)) for name, value in self.options)
        return replace(spec, options=checked)

    def with_options(self, more: Mapping[str, object]) -> ModelSpec:
        """Return the same spec with some options added or replaced."""
        merged = dict(self.options)
        for name, value in more.items():
            merged[name.rstrip("_")] = str(value).lower() if isinstance(value, bool) else str(value)
        spec = replace(self, options=tuple(merged.items()))
        return spec.with_scheme(spec.scheme) if spec.scheme else spec

    @property
    def name(self) -> str:
        """The name given, else one made from the location."""
        if self.given_name:
            return self.given_name
        if self.scheme == "baseline":
            return self.location
        return PurePath(self.location).name.partition(".")[0] or self.scheme or self.location

    @property
    def known_options(self) -> Mapping[str, Option]:
        """The options that this spec's scheme has."""
        if self.scheme != "baseline":
            return SCHEMES[self.scheme].options
        if self.location not in BASELINES:
            names = ", ".join(BASELINES)
            raise TermgaugeError(
                f"There is no baseline '{self.location}'; there are {names}.{did_you_mean(self.location, BASELINES)}"
            )
        return BASELINES[self.location]

    def text(self, name: str) -> str:
        """Return an option's value, or its default."""
        return dict(self.options).get(name, self.known_options[name].default)

    def flag(self, name: str) -> bool:
        """Return an option that is true or false."""
        return self.text(name) == "true"

    def integer(self, name: str) -> int:
        """Return an option that is a whole number."""
        return int(self.text(name))

    def checked(self, name: str, value: str, options: Mapping[str, Option]) -> str:
        """Return an option's value in its one written form, or say what is wrong with it."""
        if name not in options:
            known = ", ".join(sorted(options))
            raise TermgaugeError(
                f"'{self.scheme}:' has no option '{name}'; it has {known}.{did_you_mean(name, options)}"
            )
        return options[name].canonical(name, value)

    def __str__(self) -> str:
        name = f"{self.given_name}=" if self.given_name else ""
        scheme = f"{self.scheme}:" if self.scheme else ""
        query = "&".join(f"{name}={_escape(value, '%&')}" for name, value in self.options)
        return name + scheme + _escape(self.location, "%?") + (f"?{query}" if query else "")


def _pairs(query: str, text: str) -> list[tuple[str, str]]:
    pairs: dict[str, str] = {}
    for part in filter(None, query.split("&")):
        name, equals, value = part.partition("=")
        if not equals or not name:
            raise TermgaugeError(f"'{text}': '{part}' is no option; write ?name=value&name=value.")
        if name in pairs:
            raise TermgaugeError(f"'{text}': the option '{name}' is given twice.")
        pairs[name] = _unescape(value)
    return list(pairs.items())


def _escape(text: str, characters: str) -> str:
    return re.sub(f"[{re.escape(characters)}]", lambda found: f"%{ord(found[0]):02X}", text)


def _unescape(text: str) -> str:
    """Undo `_escape` and nothing more: ``100%.bin`` and ``a%20b`` are good file names."""
    return re.sub("%(25|26|3F)", lambda found: chr(int(found[1], 16)), text)
