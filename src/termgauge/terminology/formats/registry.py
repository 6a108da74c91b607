"""The formats that terminologies come in: termgauge's own, and those of packages with a ``termgauge.formats`` entry.

A format is one module with a ``FORMAT``; its name in ``OWN`` is all that the rest of termgauge knows of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from termgauge.exceptions import TermgaugeError, defect_of, warn
from termgauge.plugins import with_plugins

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import polars as pl

    from termgauge.io.source import SourceFile
    from termgauge.terminology.model import Skipped
    from termgauge.terminology.options import ReadingOptions

OWN = ("rf2", "rrf", "rxnorm", "loinc", "mesh", "icd10cm", "claml", "fhir", "skos", "obo", "owl", "obographs", "table")
"""The modules of this folder that are formats; where contents must decide, they are asked in this order."""
GROUP = "termgauge.formats"
TEXT_SUFFIXES = frozenset(
    {"", ".txt", ".csv", ".tsv", ".rrf", ".xml", ".json", ".rdf", ".ttl", ".nt", ".owl", ".ofn", ".owx", ".obo"}
)
"""How the files of a folder may end in whose contents a terminology is looked for."""
_Asked = TypeVar("_Asked")


class Contents(NamedTuple):
    """What is in the files of a terminology."""

    tables: Mapping[str, pl.DataFrame]
    """``concepts``, ``terms``, ``relations`` and ``replacements``; a table or column that is left out is empty."""
    edition: str
    """What its publisher calls it, or the name of the file."""
    version: str = ""
    notes: Sequence[str] = ()
    """What had to be passed over, in sentences."""
    skipped: Sequence[Skipped] = ()
    """Everything that was passed over, counted, for ``terminology --check``."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format of terminologies."""

    name: str
    """What users call it: ``obo``."""
    title: str
    signs: str
    """What it is and how it is recognised, such as ``an OBO ontology ([Term])``."""
    origin: str
    """Where to get such files, in a sentence."""
    licence: str
    """What their terms of use are, in a sentence."""
    choose: Callable[[Sequence[Sequence[SourceFile]], ReadingOptions], dict[str, SourceFile]]
    """Of the files of each place that the user named, chooses those to read, each under what it is for."""
    read: Callable[[dict[str, SourceFile], ReadingOptions], Contents]
    sniff_name: Callable[[SourceFile], bool] = lambda _file: False
    """Whether the name of a file says that it is of this format."""
    sniff_head: Callable[[bytes], bool] = lambda _head: False
    """Whether the first bytes of a file say so."""
    sniff_contents: Callable[[Sequence[SourceFile]], bool] = lambda _files: False
    """Whether all files together say so; asked only if neither a name nor the first bytes of a file do."""
    accompanied_by: frozenset[str] = frozenset()
    """Formats of files that a release of this one may also hold, which do not count then."""
    options: frozenset[str] = frozenset()
    """The reading options that it understands besides ``format``, ``language`` and ``cache``."""
    version: int = 1
    """Raise it whenever the reader gives another result for the same files: what is in the cache is read again."""


@cache
def formats() -> dict[str, Format]:
    """Return all formats by name."""
    by_name = {name: import_module(f"termgauge.terminology.formats.{name}").FORMAT for name in OWN}
    return with_plugins(GROUP, Format, by_name)


def format_rows() -> list[dict[str, str]]:
    """Return what is to be known of each format by those who look for one."""
    return [
        {key: getattr(format_, key) for key in ("name", "title", "signs", "origin", "licence")}
        for format_ in formats().values()
    ]


class UnknownFormatError(TermgaugeError):
    """A source is in none of the formats."""


def recognised(sources: Sequence[Sequence[SourceFile]]) -> Format:
    """Find out the format of some files from their names and first bytes, else from all of their contents.

    There must be exactly one.
    """
    files = [file for source in sources for file in source]
    candidates = formats().values()
    heads, unreadable = [], []
    for file in _readable(files):
        try:
            heads.append(file.head())
        except TermgaugeError as error:
            unreadable.append(error)
    matches = [
        format_
        for format_ in candidates
        if any(_asked(format_, format_.sniff_name, file) for file in files)
        or any(_asked(format_, format_.sniff_head, head) for head in heads)
    ]
    companions = {name for format_ in matches for name in format_.accompanied_by}
    if len(releases := [format_ for format_ in matches if format_.name not in companions]) == 1:
        matches = releases
    if len(matches) > 1:
        *others, last = (format_.name for format_ in matches)
        raise TermgaugeError(
            f"{files[0].root}: holds terminologies of the formats {', '.join(others)} and {last}; name the one you "
            f"want, or say which format to read, as in --source-format {matches[0].name}."
        )
    if matches:
        return matches[0]
    if unreadable:
        raise unreadable[0]
    if by_all := next((format_ for format_ in candidates if _asked(format_, format_.sniff_contents, files)), None):
        return by_all
    places = ", ".join(dict.fromkeys(str(file.root) for file in files))
    signs = ", nor ".join(format_.signs for format_ in candidates)
    raise UnknownFormatError(f"{places}: is no terminology that termgauge knows: neither {signs}.")


def _readable(files: Sequence[SourceFile]) -> Sequence[SourceFile]:
    """Leave out pictures, programs and the like, by their names; the only file may be called anything."""
    if len(files) == 1:
        return files
    return [file for file in files if PurePosixPath(file.base.lower()).suffix in TEXT_SUFFIXES]


def files_with(sources: Sequence[Sequence[SourceFile]], sniff_head: Callable[[bytes], object]) -> list[SourceFile]:
    """Return the files whose first bytes say that they are of a format; the only one, whatever it holds."""
    files = [file for source in sources for file in source]
    return files if len(files) == 1 else [file for file in _readable(files) if sniff_head(file.head())]


def only_file_with(sources: Sequence[Sequence[SourceFile]], sniff_head: Callable[[bytes], bool]) -> SourceFile:
    """Return the one file whose first bytes say that it is of a format."""
    if not (files := files_with(sources, sniff_head)):
        raise TermgaugeError(f"{sources[0][0].root}: holds no file of this format; name it.")
    return only_file([files])


def one_of_each(files: Iterable[SourceFile], kind_of: Callable[[SourceFile], str], what: str) -> dict[str, SourceFile]:
    """Return files by their kind, of which there may be one each; files of no kind do not count."""
    chosen: dict[str, SourceFile] = {}
    for file in files:
        if not (kind := kind_of(file)):
            continue
        if (first := chosen.setdefault(kind, file)) is not file:
            raise TermgaugeError(
                f"{file.root}: holds several {what.format(kind)} ({first.name}, {file.name}); name one."
            )
    return chosen


def only_file(sources: Sequence[Sequence[SourceFile]], suffix: str = "") -> SourceFile:
    """Return the one file with a suffix, whatever lies beside it; or the one file that there is, whatever its name."""
    files = [file for source in sources for file in source]
    files = [file for file in files if file.base.lower().endswith(suffix)] or files
    if len(files) > 1:
        names = ", ".join(file.name for file in files[:5])
        raise TermgaugeError(f"{files[0].root}: holds several terminologies ({names}); name one of them.")
    return files[0]


def _asked(format_: Format, question: Callable[[_Asked], bool], about: _Asked) -> bool:
    """Ask a format whether something is its own; one of another package that fails at this costs itself alone."""
    try:
        return question(about)
    except TermgaugeError:
        raise
    except Exception as error:
        if format_.name in OWN:
            raise
        warn(f"The format '{format_.name}' fails to recognise files and is left out ({defect_of(error)}).")
        return False
