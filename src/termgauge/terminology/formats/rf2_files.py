"""Finding the files of an RF2 release by their names.

RF2 names say everything: ``<x>sct2_Description_<Summary>Full-en_INT_20190131.txt`` is file type, content, release
type, language, edition and date. Folders are named differently in every edition, so they are not looked at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from termgauge.io.source import SourceFile

_NAME = re.compile(
    r"x?(?P<type>sct2|der2)_(?P<content>[a-z]+)_(?P<summary>[a-z0-9]*?)(?P<release>Full|Snapshot|Delta)"
    r"(?:-(?P<language>[a-z-]+))?_(?P<edition>[a-z0-9-]+)_(?P<date>\d{8})\.txt",
    re.IGNORECASE,
)
_CONTENTS = {
    "concept": (r"sct2_concept_", "x?sct2_Concept_*Full_*_YYYYMMDD.txt"),
    "description": (r"sct2_description_", "x?sct2_Description_*Full-*_*_YYYYMMDD.txt"),
    "relationship": (r"sct2_relationship_", "x?sct2_Relationship_*Full_*_YYYYMMDD.txt"),
    "language": (r"der2_crefset_language", "x?der2_cRefset_Language*Full-*_*_YYYYMMDD.txt"),
    "association": (r"der2_crefset_association(?:reference)?", "x?der2_cRefset_Association*Full_*_YYYYMMDD.txt"),
}
CONTENTS = tuple(_CONTENTS)


@dataclass(frozen=True)
class ReleaseFile:
    """One file of a release, with what its name says."""

    file: SourceFile
    content: str
    """One of ``CONTENTS``."""
    full: bool
    """Whether it holds all versions of its components, or only the current ones."""
    edition: str
    """The edition, with its namespace, as in ``INT`` or ``US1000124``, and the extension that its name spells out."""
    date: str
    language: str = ""
    """The language that its name says, as in ``-es``."""


def is_rf2(file: SourceFile) -> bool:
    """Tell whether a file is named like a file of an RF2 release, whether or not it is one that is read here."""
    return _NAME.fullmatch(file.base) is not None


def pattern(content: str) -> str:
    """Return the pattern of file names that was looked for, for people."""
    return _CONTENTS[content][1]


def find_release(sources: Sequence[Sequence[SourceFile]], release: str | None) -> list[ReleaseFile]:
    """Choose the files to read, in the order in which they are to be read.

    Of each edition there must be one date; of each content the Full file is taken, else the Snapshot. The order is
    that of the sources; within a source the International edition comes first.
    """
    chosen: list[ReleaseFile] = []
    for files in sources:
        own = [parsed for file in files if (parsed := release_file(file)) is not None]
        chosen += sorted(own, key=lambda each: (not each.edition.upper().startswith("INT"), each.edition))
    chosen = _of_one_date(chosen, release)
    complete = {(each.edition, each.content, each.language) for each in chosen if each.full}
    chosen = [each for each in chosen if each.full or (each.edition, each.content, each.language) not in complete]
    first = {each.file.base: each for each in reversed(chosen)}
    return [each for each in chosen if first[each.file.base] is each]


def _of_one_date(files: list[ReleaseFile], release: str | None) -> list[ReleaseFile]:
    kept = []
    for edition in dict.fromkeys(each.edition for each in files):
        own = [each for each in files if each.edition == edition]
        dates = sorted({each.date for each in own})
        if len(dates) > 1 and release not in dates:
            asked = f"; there is none of {release}" if release else ""
            raise TermgaugeError(
                f"{_common_place(own)}: holds releases of {_listed(dates)} of edition {edition}{asked}; "
                f"say which to read, as in --release {dates[-1]}, or name one release's folder."
            )
        kept += own if len(dates) == 1 else [each for each in own if each.date == release]
    if release and kept and all(each.date != release for each in kept):
        dates = sorted({each.date for each in kept})
        raise TermgaugeError(f"{_common_place(kept)}: has no release of {release}; it has {_listed(dates)}.")
    return sorted(kept, key=files.index)


def release_file(file: SourceFile) -> ReleaseFile | None:
    """Return what the name of a file says, None if it is no file that is read here."""
    match = _NAME.fullmatch(file.base)
    if match is None or match["release"].lower() == "delta":
        return None
    stem = f"{match['type']}_{match['content']}_{match['summary']}"
    for content, (prefix, _pattern) in _CONTENTS.items():
        if start := re.match(prefix, stem, re.IGNORECASE):
            edition = f"{match['edition']} {stem[start.end() :]}".strip()
            language = (match["language"] or "").lower()
            return ReleaseFile(file, content, match["release"].lower() == "full", edition, match["date"], language)
    return None


def _common_place(files: Iterable[ReleaseFile]) -> str:
    return ", ".join(dict.fromkeys(str(each.file.root) for each in files))


def _listed(words: Sequence[str]) -> str:
    return " and ".join(words) if len(words) < 3 else ", ".join(words[:-1]) + f" and {words[-1]}"
