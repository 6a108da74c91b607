"""One entry point for every format: find out what a source is, read it once, and open it from the cache ever after.

The cache is keyed by the contents of the files, the reader's options and the version of the reader, so neither a
renamed folder nor a second copy is read again, and a changed file always is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
from polars import DataFrame
from polars.exceptions import PanicException, PolarsError

from termgauge.exceptions import TermgaugeError, warn
from termgauge.io import store
from termgauge.io.decoding import paused_garbage_collection
from termgauge.io.identity import sha256_of_value
from termgauge.io.paths import as_text
from termgauge.io.source import files_of, hashed
from termgauge.io.store import damaged_files
from termgauge.options import several, takes
from termgauge.terminology.formats.registry import Format, formats, recognised
from termgauge.terminology.formats.table import is_translation, with_translations
from termgauge.terminology.languages import ENGLISH, tags_in
from termgauge.terminology.model import SCHEMAS, Skipped, Tally, Terminology, TerminologyIdentity, conform, in_language
from termgauge.terminology.options import ReadingOptions

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from termgauge.io.source import SourceFile

NAMESPACE = "terminology"
_OF_EVERY_FORMAT = {"format", "language", "cache"}
_CHOOSE_FILES = {"format", "release", "relation_table", "cache"}
"""Options that decide which files are read, or how; what comes out of the files does not depend on them."""


@takes(ReadingOptions)
def read_terminology(
    source: Terminology | str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    **options: Any,  # noqa: ANN401
) -> Terminology:
    """Read a terminology.

    Parameters
    ----------
    source
        A file, a folder, a zip or tar archive; several, an RF2 extension after the edition that it extends, a table of
        translations after the terminology that it translates; or a terminology that is read already, which is
        returned as it is.

    Returns
    -------
    Terminology
        The terminology; what its reader had to pass over is in ``notes`` and was warned of.

    Raises
    ------
    TermgaugeError
        If it cannot be read; the message says why and what to do.
    """
    return read_with(source, ReadingOptions.of(**options))


def read_with(
    source: Terminology | str | os.PathLike[str] | Iterable[str | os.PathLike[str]], chosen: ReadingOptions
) -> Terminology:
    """Do the same by options that were checked."""
    if isinstance(source, Terminology):
        if without_effect := [name for name in chosen.changed() if name != "cache"]:
            raise TermgaugeError(
                f"The option '{without_effect[0]}' has no effect on a terminology that is read already; give it where "
                "the terminology is read."
            )
        return source
    places = several(source)
    if not places:
        raise TermgaugeError("No terminology was named; name a file, a folder or a zip archive.")
    sources = [files_of(location) for location in places]
    for path, files_there in zip(places, sources, strict=True):
        if not files_there:
            raise TermgaugeError(f"{path}: holds no files; name a file, a release folder or a zip archive.")
    # What is named after a terminology may be tables of translations of it.
    tables = [files for files in sources[1:] if len(files) == 1 and is_translation(files[0])]
    translations = {f"translation {number}": file for number, (file,) in enumerate(tables, 1)}
    sources = [sources[0], *(files for files in sources[1:] if files not in tables)]
    format_ = formats()[chosen.format] if chosen.format else recognised(sources)
    _refuse_foreign_options(format_, chosen)
    originals = format_.choose(sources, chosen)
    files = originals | translations
    contents = hashed(list(files.values()))
    content = _identity_hash(format_, dict(zip(files, contents.sha256, strict=True)), chosen)
    key = sha256_of_value([content, [file.base for file in files.values()]])  # the edition may be named for the file
    terminology = _from_cache(key) if chosen.cache else None
    if terminology is None:
        terminology = _read(format_, originals, list(translations.values()), chosen, content)
        contents.require_unchanged()
        if chosen.cache:
            _to_cache(key, terminology)
    for note in terminology.notes:
        warn(note)
    return terminology


def _refuse_foreign_options(format_: Format, options: ReadingOptions) -> None:
    """Refuse options of other formats, which would do nothing."""
    for name in options.changed():
        if name not in _OF_EVERY_FORMAT | format_.options:
            owners = [owner.name for owner in formats().values() if name in owner.options]
            plural = "s" if len(owners) > 1 else ""
            raise TermgaugeError(
                f"The option '{name}' is for the format{plural} {' and '.join(owners)}, but the source is "
                f"{format_.name}; leave it out."
            )


def _identity_hash(format_: Format, hashes: dict[str, str], options: ReadingOptions) -> str:
    """Return a hash of everything that decides what comes out: contents, their order and roles, options."""
    contents = [list(item) for item in hashes.items()]
    decisive = options.model_dump(exclude=_CHOOSE_FILES)
    if options.resource is None:  # as identities were before this option
        del decisive["resource"]
    return sha256_of_value([format_.version, format_.name, contents, decisive])


def _read(
    format_: Format,
    files: dict[str, SourceFile],
    translations: list[SourceFile],
    options: ReadingOptions,
    content: str,
) -> Terminology:
    # What a terminology itself is written in is not the language that is wanted, if that comes from a translation.
    with paused_garbage_collection():
        contents = format_.read(files, options.model_copy(update={"language": None}) if translations else options)
        contents = with_translations(contents, translations) if translations else contents
    tables = {name: conform(contents.tables.get(name, DataFrame()), name) for name in SCHEMAS}
    identity = TerminologyIdentity(format_.name, as_text(contents.edition), contents.version, content)
    tables["terms"], composed = _composed(tables["terms"])
    skipped = (*contents.skipped, *composed)
    whole = Terminology(**tables, identity=identity, notes=tuple(map(as_text, contents.notes)), skipped=skipped)
    return whole if options.language is None else in_language(whole, options.language)


def _composed(terms: DataFrame) -> tuple[DataFrame, tuple[Skipped, ...]]:
    """Bring the terms of languages other than English to Unicode's normal form C, and count those that were not.

    English terms stay as they are written: benchmarks of them are published.
    """
    english, tally = tags_in(terms["language"].unique(), ENGLISH), Tally()
    foreign = pl.col("language").is_not_null() & ~pl.col("language").is_in(english)
    if terms.filter(foreign).is_empty():
        return terms, ()
    after = terms.with_columns(text=pl.when(foreign).then(pl.col("text").str.normalize("NFC")).otherwise("text"))
    changed = terms.filter(terms["text"] != after["text"])
    example = pl.concat_str("concept", pl.col("text").str.slice(0, 80), separator=": ")
    tally.add_rows("terms that were brought to Unicode's normal form C", changed, example)
    return after, tally.skipped()


def _from_cache(key: str) -> Terminology | None:
    entry = store.entry_path(NAMESPACE, key)
    if not entry.is_dir():
        return None
    try:
        terminology = None if damaged_files(entry) else Terminology.load(entry)
    except (Exception, PanicException):  # noqa: BLE001 - whatever is wrong with a cache entry, the source is still there
        terminology = None
    if terminology is None:
        warn(f"{entry}: this copy in the cache was damaged, so the terminology is read again from its source.")
    store.mark_used(entry)
    return terminology


def _to_cache(key: str, terminology: Terminology) -> None:
    try:
        with store.new_entry(NAMESPACE, key) as folder:
            terminology.save(folder)
    except (TermgaugeError, PolarsError) as error:
        warn(f"The terminology could not be kept in the cache, so it will be read again next time: {error}")
