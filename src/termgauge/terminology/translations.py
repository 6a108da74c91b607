"""Terms in more languages for a terminology that is written in one: tables that are named after it.

Such a table is in the form of Babelon, in which the translations of the Human Phenotype Ontology come, or is plain:
``concept``, ``term`` (or ``text``) and ``language``, and ``kind`` if it says which are names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.exceptions import TermgaugeError
from termgauge.plurals import numbered
from termgauge.terminology.formats.table import RANKS, kinds_of, looks_like_table, read_columns
from termgauge.terminology.identifiers import Identifiers
from termgauge.terminology.model import FSN, SYNONYM, Skipped, conform

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.io.source import SourceFile
    from termgauge.terminology.formats.registry import Contents

BABELON = ("subject_id", "predicate_id", "translation_language", "translation_value")
STATUS = "translation_status"
UNTRANSLATED = "not_translated"
KIND_OF_PREDICATE = {
    "label": FSN,
    "preflabel": FSN,
    "hasexactsynonym": SYNONYM,
    "altlabel": SYNONYM,
    "hasrelatedsynonym": "related",
    "hasnarrowsynonym": "narrow",
    "hasbroadsynonym": "broad",
    "iao:0000115": "definition",
}
"""By the last part of a property's name, in lower case."""
_PLAIN = (("concept", "term", "language"), ("concept", "text", "language"))
_MOST_EXAMPLES = 5


def is_translation(file: SourceFile) -> bool:
    """Tell whether a file is a table of translations, by its first line."""
    return any(looks_like_table(file, columns) for columns in (BABELON, *_PLAIN))


def with_translations(contents: Contents, files: Sequence[SourceFile]) -> Contents:
    """Add the terms of tables of translations to what was read of a terminology."""
    tables, notes, skipped = dict(contents.tables), list(contents.notes), list(contents.skipped)
    known = Identifiers(tables["concepts"]["concept"])
    for file in files:
        rows = _babelon(file, skipped) if looks_like_table(file, BABELON) else _plain(file)
        rows = _kept(
            rows,
            (pl.col("text") != "") & (pl.col("language") != ""),
            "translations without text or language",
            file,
            skipped,
        )
        rows = rows.with_columns(written="concept", concept=known.find_all(rows["concept"]))
        lost = rows.filter(pl.col("concept").is_null())
        rows = _kept(rows, pl.col("concept").is_not_null(), "translations of unknown concepts", file, skipped)
        if lost.height:
            notes.append(
                f"{file.base}: {numbered(lost.height, 'translation is of a concept', 'translations are of concepts')} "
                f"that the terminology does not have, such as {lost['written'][0]}."
            )
        if rows.is_empty():
            raise TermgaugeError(
                f"{file.label}: holds no translation of a concept of this terminology; is it a table for another one?"
            )
        added = rows.with_columns(rank=pl.col("kind").replace_strict(RANKS, return_dtype=pl.Int32), active=pl.lit(True))
        tables["terms"] = pl.concat([conform(tables["terms"], "terms"), conform(added, "terms")])
    return contents._replace(tables=tables, notes=notes, skipped=skipped)


def _plain(file: SourceFile) -> pl.DataFrame:
    text = "term" if looks_like_table(file, _PLAIN[0]) else "text"
    rows = read_columns(file, ("concept", text, "language"), ("concept", text, "language", "kind"))
    rows = rows.with_row_index("row", offset=2)
    first = pl.struct("concept", "language").is_first_distinct()
    kind = (
        kinds_of(rows, file) if "kind" in rows.columns else pl.when(first).then(pl.lit(FSN)).otherwise(pl.lit(SYNONYM))
    )
    return rows.with_columns(kind=kind, text=text)


def _babelon(file: SourceFile, skipped: list[Skipped]) -> pl.DataFrame:
    rows = read_columns(file, BABELON, (*BABELON, STATUS)).with_row_index("row", offset=2)
    if STATUS in rows.columns:
        translated = pl.col(STATUS).str.to_lowercase() != UNTRANSLATED
        rows = _kept(rows, translated, "translations marked NOT_TRANSLATED", file, skipped)
    predicate = pl.col("predicate_id").str.to_lowercase()
    last = predicate.str.extract(r"([^:/#]+)$", 1)
    kind = pl.coalesce(
        each.replace_strict(KIND_OF_PREDICATE, default=None, return_dtype=pl.String) for each in (predicate, last)
    )
    rows = rows.with_columns(kind=kind, concept="subject_id", text="translation_value", language="translation_language")
    return _kept(rows, pl.col("kind").is_not_null(), "translations of properties that are no terms", file, skipped)


def _kept(rows: pl.DataFrame, condition: pl.Expr, what: str, file: SourceFile, skipped: list[Skipped]) -> pl.DataFrame:
    """Return the rows that meet a condition, and note the others."""
    others = rows.filter(~condition)
    if others.height:
        concept = next(name for name in ("written", "concept", "subject_id") if name in others.columns)
        examples = others.head(_MOST_EXAMPLES).select("row", concept).iter_rows()
        shown = tuple(f"{file.base}, row {row}: {each}" for row, each in examples)
        skipped.append(Skipped(what, others.height, shown))
    return rows.filter(condition)
