"""How a user names a model: ``[NAME=]scheme:location?option=value&…``, or a plain path whose format is sniffed.

What a scheme takes is declared in `termgauge.embeddings.schemes`, so a wrong option is refused before a large file is
touched, and a spec printed in a result can be given back as it stands.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, TypeVar

from termgauge.embeddings.schemes import Scheme, find_scheme
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.io.paths import PACKAGE_PREFIX, expanded, package_path
from termgauge.io.source import COMPRESSED_SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from termgauge.io.source import SourceFile

_File = TypeVar("_File")
_NAME = re.compile(r"([^=:/\\?]+)=")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9-]+):")


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
    def parse(cls, text: str | os.PathLike[str] | ModelSpec) -> ModelSpec:
        """Read a spec; a path object is a path, whatever characters are in it."""
        if not isinstance(text, str):
            return text if isinstance(text, ModelSpec) else cls("", os.fspath(text))
        rest, name, scheme = text, "", ""
        if named := _NAME.match(rest):
            name, rest = named[1], rest[named.end() :]
        if not name.isprintable():
            raise TermgaugeError(f"The name '{name}' of a model holds a line break or control character; use another.")
        if named := _SCHEME.match(rest):  # one letter before a colon is a Windows drive
            scheme, rest = named[1], rest[named.end() :]
        location, _, query = rest.partition("?")
        spec = cls("", _unescape(location), tuple(_pairs(query, text)), name)
        if scheme:
            return spec.with_scheme(scheme)
        if not spec.location:
            raise TermgaugeError(f"'{text}' names no model; give a path or scheme:location.")
        return spec

    def with_scheme(self, scheme: str) -> ModelSpec:
        """Return the same spec under a scheme, its options checked."""
        spec = replace(self, scheme=scheme)
        if not spec.declared.default_location and not spec.location:
            raise TermgaugeError(f"'{scheme}:' names no location; write {scheme}:PATH.")
        options = spec.declared.options
        for name, _ in self.options:
            if name not in options:
                summary = f"it has {', '.join(sorted(options))}" if options else "it has none"
                raise TermgaugeError(f"'{scheme}:' has no option '{name}'; {summary}.{did_you_mean(name, options)}")
        return replace(
            spec, options=tuple((name, options[name].canonical(name, value)) for name, value in self.options)
        )

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
        return PurePath(self.location).name.partition(".")[0] or self.scheme or self.location

    @property
    def declared(self) -> Scheme:
        """The scheme."""
        return find_scheme(self.scheme, self.location)

    def text(self, name: str) -> str:
        """Return an option's value, or its default."""
        return dict(self.options).get(name, self.declared.options[name].default)

    def flag(self, name: str) -> bool:
        """Return an option that is true or false."""
        return self.text(name) == "true"

    def integer(self, name: str) -> int:
        """Return an option that is a whole number."""
        return int(self.text(name))

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
    return re.sub(f"[{re.escape(characters)}]", lambda match: f"%{ord(match[0]):02X}", text)


def _unescape(text: str) -> str:
    """Undo `_escape` and nothing more: ``100%.bin`` and ``a%20b`` are good file names."""
    return re.sub("%(25|26|3F)", lambda match: chr(int(match[1], 16)), text)


_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_REVISION = re.compile(r"\w[\w.-]*(/\w[\w.-]*)*")
"""A branch, tag or commit, which leads to no other folder."""


def place_of(spec: ModelSpec) -> Path:
    """Return where a spec's files are; no code of a package that holds them is run."""
    location, package = location_of(spec)
    return package_path(location, package) if location.startswith(PACKAGE_PREFIX) else expanded(location)


def location_of(spec: ModelSpec) -> tuple[str, str]:
    """Return the location of a spec, or of its scheme if it has none, and what to install for that."""
    return (spec.location, "") if spec.location else (spec.declared.default_location, spec.declared.default_package)


def single(files: Sequence[_File], label: object, what: str, advice: str) -> _File:
    """Return the one file of a list, or say how many there are."""
    if len(files) != 1:
        raise TermgaugeError(f"{label}: holds {len(files)} {what} where one is needed{advice}.")
    return files[0]


def require_plain(file: SourceFile, what: str = "") -> SourceFile:
    """Return a file that is mapped, which is in no archive and not compressed."""
    if file.member is not None or file.path.suffix.lower() in COMPRESSED_SUFFIXES:
        raise TermgaugeError(f"{file.label}: {what}is used where it lies and so cannot be compressed; unpack it first.")
    return file


def has_files(spec: ModelSpec, base: Path) -> bool:
    """Say whether a spec, meant from a base folder, names files on this machine, not a model on a hub or a service."""
    if not spec.scheme:  # OWNER/NAME that is no file there, and none that is only missing, is the id of a model
        path = base / spec.location
        if not _HUB_ID.fullmatch(spec.location) or path.exists():
            return True
        return (path.suffix[1:].isalpha() or path.parent.exists()) and _snapshot(spec) is None
    where = spec.declared.files
    plainly_a_path = spec.location.startswith((".", "/", "~", "\\")) or Path(spec.location).is_absolute()
    return where == "path" or (where == "hub" and (plainly_a_path or (base / spec.location).exists()))


def in_hub_cache(spec: ModelSpec) -> ModelSpec:
    """Return the spec of the folder in the local Hugging Face cache that a hub id, without a scheme, means."""
    folder = _snapshot(spec)
    if folder is None:
        raise TermgaugeError(
            f"{spec.location}: is neither a file or folder here nor in the local Hugging Face cache ({_hub_cache()}); "
            f"if it is the id of a model to be downloaded, name it sentence-transformers:{spec.location} or "
            f"transformers:{spec.location}."
        )
    options = tuple((name, value) for name, value in spec.options if name != "revision")
    name = spec.given_name or spec.location.rpartition("/")[2]
    return replace(spec, location=str(folder), options=options, given_name=name)


def _snapshot(spec: ModelSpec) -> Path | None:
    """Return where the cache has the revision of a hub id that a spec asks for, the main branch if it does not say."""
    model = _hub_cache() / f"models--{spec.location.replace('/', '--')}"
    commit = revision = dict(spec.options).get("revision", "main")
    if _REVISION.fullmatch(revision) and (branch := model / "refs" / revision).is_file():
        commit = branch.read_text("utf-8", "replace").strip()
    folder = model / "snapshots" / commit
    return folder if _REVISION.fullmatch(commit) and folder.is_dir() else None


def _hub_cache() -> Path:
    """Return the folder in which the libraries of Hugging Face keep models, by the variables that they read."""
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if folder := os.environ.get(variable):
            return expanded(folder)
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return expanded(os.environ.get("HF_HOME") or f"{cache}/huggingface") / "hub"
