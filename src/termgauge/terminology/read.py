"""One entry point for every format: find out what a source is, read it once, and open it from the cache ever after.

The cache is keyed by the contents of the files, the reader's options and the version of the readers, so neither a
renamed folder nor a second copy is read again, and a changed file always is.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from termgauge import cache as shelves
from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.identity import sha256_of_value
from termgauge.source import content_hashes, files_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import polars as pl

    from termgauge.source import SourceFile
    from termgauge.terminology.model import Terminology

FORMATS = ("rf2", "rrf", "obo", "table")
SHELF = "terminology"
READERS_VERSION = 2
"""Raise it whenever a reader gives another result for the same files."""


@dataclass(frozen=True)
class _Plan:
    """What is to be read, and how."""

    files: list[SourceFile]
    roles: list[str]
    """What each file is: as far as names decide what comes out, and no further."""
    read: Callable[[], tuple[dict[str, pl.DataFrame], str, str, list[str]]]


def read_terminology(
    source: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    format: str | None = None,  # noqa: A002
    language: str | None = None,
    dialect: str | None = None,
    release: str | None = None,
    vocabularies: Iterable[str] = (),
    suppressed: bool = True,
    relations: str | os.PathLike[str] | None = None,
    cache: bool = True,
) -> Terminology:
    """Read a terminology.

    Parameters
    ----------
    source
        A file, a folder or a zip archive; or several, an RF2 extension after the edition that it extends.
    format
        ``rf2``, ``rrf``, ``obo`` or ``table``; found out if not given.
    language
        Keep only terms in this language, such as ``en``; for OBO, which does not say, the language it is in.
    dialect
        RF2: rank labels by this dialect (``us``, ``gb``, or the id of a language reference set).
    release
        RF2: which release to read where a folder holds several, as ``20190131``.
    vocabularies
        UMLS: only these source vocabularies, such as ``SNOMEDCT_US``.
    suppressed
        UMLS: keep suppressed atoms, as inactive terms.
    relations
        Tables: a second table with ``source``, ``type`` and ``target``.
    cache
        Use the cache.

    Returns
    -------
    Terminology
        The terminology; what its reader had to pass over is in ``notes`` and was warned of.

    Raises
    ------
    TermgaugeError
        If it cannot be read; the message says why and what to do.
    """
    places = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    if not places:
        raise TermgaugeError("No terminology was named; name a file, a folder or a zip archive.")
    sources = [_files(place) for place in places]
    kind = _checked(format) if format else _sniffed(sources)
    vocabularies = sorted(vocabularies)
    options = {
        "language": language,
        "dialect": dialect,
        "vocabularies": vocabularies,
        "suppressed": suppressed,
    }
    _refuse_foreign_options(
        kind,
        rf2={"dialect": dialect, "release": release},
        rrf={"vocabulary": vocabularies},
        table={"relations": relations},
    )
    plan = _plan(kind, sources, options, release, relations)
    content = _identity_hash(kind, plan, options)
    key = sha256_of_value([content, [file.base for file in plan.files]])  # the edition may be named for the file
    terminology = _from_cache(key) if cache else None
    if terminology is None:
        terminology = _read(kind, plan, content)
        if cache:
            _to_cache(key, terminology)
    for note in terminology.notes:
        warn(note)
    return terminology


def _refuse_foreign_options(kind: str, **given: Mapping[str, object]) -> None:
    """Refuse options of other formats, which would do nothing."""
    for owner, options in given.items():
        for name, value in options.items():
            if value and owner != kind:
                raise TermgaugeError(f"--{name} is for the format {owner}, but the source is {kind}; leave it out.")


def _files(place: str | os.PathLike[str]) -> list[SourceFile]:
    found = files_of(place)
    if not found:
        raise TermgaugeError(f"{place}: holds no files; name a file, a release folder or a zip archive.")
    return found


def _checked(kind: str) -> str:
    if kind not in FORMATS:
        raise TermgaugeError(
            f"'{kind}' is no format of terminologies; known are {', '.join(FORMATS)}.{did_you_mean(kind, FORMATS)}"
        )
    return kind


def _sniffed(sources: Sequence[Sequence[SourceFile]]) -> str:
    """Find out the format from names, else from contents."""
    from termgauge.terminology.formats.rf2_files import is_rf2
    from termgauge.terminology.formats.table import looks_like_table

    files = [file for source in sources for file in source]
    bases = {file.base.lower() for file in files}
    named = {
        "rf2": any(is_rf2(file) for file in files),
        "rrf": "mrconso.rrf" in bases,
        "obo": any(base.endswith(".obo") for base in bases),
    }
    found = [kind for kind, present in named.items() if present]
    if len(found) > 1:
        raise TermgaugeError(
            f"{files[0].root}: holds terminologies of the formats {' and '.join(found)}; name the one you want, or say "
            f"which format to read, as in --format {found[0]}."
        )
    if found:
        return found[0]
    if _looks_like_obo(files[0]):
        return "obo"
    if any(looks_like_table(file) for file in (files if len(files) == 1 else _tables(files))):
        return "table"
    places = ", ".join(dict.fromkeys(str(file.root) for file in files))
    raise TermgaugeError(
        f"{places}: is no terminology that termgauge knows: neither an RF2 release (sct2_*.txt), nor a UMLS META "
        "folder (MRCONSO.RRF), nor an OBO ontology ([Term]), nor a table with the columns concept and term."
    )


def _plan(
    kind: str,
    sources: Sequence[Sequence[SourceFile]],
    options: Mapping[str, object],
    release: str | None,
    relations: str | os.PathLike[str] | None,
) -> _Plan:
    language = options["language"]
    assert language is None or isinstance(language, str)
    match kind:
        case "rf2":
            from termgauge.terminology.formats import rf2

            dialect = options["dialect"]
            assert dialect is None or isinstance(dialect, str)
            found = rf2.chosen_files(sources, release)
            files = [each.file for each in found]
            return _Plan(
                files, [file.base for file in files], lambda: rf2.read_rf2(found, language=language, dialect=dialect)
            )
        case "rrf":
            from termgauge.terminology.formats import rrf

            named = rrf.chosen_files(sources)
            vocabularies = options["vocabularies"]
            assert isinstance(vocabularies, list)
            selection = rrf.Selection(language, tuple(vocabularies), bool(options["suppressed"]))
            return _Plan(list(named.values()), list(named), lambda: rrf.read_rrf(named, selection))
        case "obo":
            from termgauge.terminology.formats import obo

            file = _only(sources, ".obo")
            return _Plan([file], ["ontology"], lambda: obo.read_obo(file, language=language))
        case _:
            from termgauge.terminology.formats import table

            terms, links = _table_files(sources, relations)
            tables = {"terms": terms, "relations": links} if links else {"terms": terms}
            return _Plan(list(tables.values()), list(tables), lambda: table.read_table(terms, links, language=language))


def _identity_hash(kind: str, plan: _Plan, options: Mapping[str, object]) -> str:
    """Return a hash of everything that decides what comes out: contents, their order and roles, options."""
    contents = [list(each) for each in zip(plan.roles, content_hashes(plan.files), strict=True)]
    return sha256_of_value([READERS_VERSION, kind, contents, dict(options)])


def _read(kind: str, plan: _Plan, content: str) -> Terminology:
    from termgauge.terminology.model import Terminology, TerminologyIdentity

    tables, edition, version, notes = plan.read()
    return Terminology(**tables, identity=TerminologyIdentity(kind, edition, version, content), notes=tuple(notes))


def _from_cache(key: str) -> Terminology | None:
    from polars.exceptions import PanicException

    from termgauge.terminology.model import Terminology

    entry = shelves.entry_path(SHELF, key)
    if not entry.is_dir():
        return None
    try:
        terminology = Terminology.load(entry)
    except (Exception, PanicException):  # noqa: BLE001 - whatever is wrong with a cache entry, the source is still there
        return None
    shelves.mark_used(entry)
    return terminology


def _to_cache(key: str, terminology: Terminology) -> None:
    from polars.exceptions import PolarsError

    try:
        with shelves.new_entry(SHELF, key) as folder:
            terminology.save(folder)
    except (TermgaugeError, PolarsError) as error:
        warn(f"The terminology could not be kept in the cache, so it will be read again next time: {error}")


def _looks_like_obo(file: SourceFile) -> bool:
    head = file.head()
    return head.startswith(b"format-version:") or b"\n[Term]" in head.replace(b"\r", b"\n")


def _tables(files: Iterable[SourceFile]) -> list[SourceFile]:
    from termgauge.terminology.formats.table import SUFFIXES

    return [file for file in files if file.base.lower().endswith(SUFFIXES)]


def _only(sources: Sequence[Sequence[SourceFile]], suffix: str) -> SourceFile:
    files = [file for source in sources for file in source]
    named = [file for file in files if file.base.lower().endswith(suffix)] or files
    if len(named) > 1:
        several = ", ".join(file.name for file in named[:5])
        raise TermgaugeError(f"{named[0].root}: holds several ontologies ({several}); name one of them.")
    return named[0]


def _table_files(
    sources: Sequence[Sequence[SourceFile]], relations: str | os.PathLike[str] | None
) -> tuple[SourceFile, SourceFile | None]:
    """Tell the table of terms from that of relations."""
    from termgauge.terminology.formats.table import looks_like_table

    files = [file for source in sources for file in source]
    links = _only_relations(relations) if relations is not None else None
    if len(files) == 1:
        return files[0], links
    terms = [file for file in _tables(files) if looks_like_table(file)]
    if links is None:
        found = [file for file in _tables(files) if file not in terms and looks_like_table(file, ("source", "target"))]
        links = found[0] if len(found) == 1 else None
    if len(terms) != 1:
        several = ", ".join(file.name for file in terms[:5]) or "none"
        raise TermgaugeError(
            f"{files[0].root}: one table with the columns concept and term is needed, found {several}; name one file."
        )
    return terms[0], links


def _only_relations(place: str | os.PathLike[str]) -> SourceFile:
    found = _files(place)
    if len(found) > 1:
        raise TermgaugeError(f"{place}: holds {len(found)} files; name one table with source, type and target.")
    return found[0]
