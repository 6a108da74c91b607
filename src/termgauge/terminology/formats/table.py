"""A user's own vocabulary: a table with a concept and a term in each row, as TSV, CSV or Parquet.

``concept`` and ``term`` are needed; ``kind``, ``language`` and ``tag`` are welcome. Without kinds, the first term of a
concept is its name and the others are synonyms. A second table may hold relations (``source``, ``type``, ``target``);
those of type ``same-as``, ``replaced-by`` or ``possibly-equivalent-to`` are replacements, and their sources retired.

Terms in more languages for a terminology of any format come in tables, too: in the form of Babelon, in which the
translations of the Human Phenotype Ontology come, or plain: ``concept``, ``term`` (or ``text``) and ``language``, and
``kind`` if it says which are names.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import polars as pl

from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.io.decoding import decoded
from termgauge.io.parquet_sandbox import read_contained
from termgauge.io.source import only_file
from termgauge.io.tables import Table, open_table, peek_table
from termgauge.plurals import numbered, plural
from termgauge.terminology.delimited import Layout, read_rows
from termgauge.terminology.formats.registry import Contents, Format
from termgauge.terminology.identifiers import Identifiers
from termgauge.terminology.languages import tags_in
from termgauge.terminology.model import FSN, KINDS, REASONS, SYNONYM, Tally, active_terms, conform

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.io.source import SourceFile
    from termgauge.terminology.options import ReadingOptions

SUFFIXES = (".tsv", ".csv", ".txt", ".parquet")
KIND_NAMES = dict(zip(KINDS, KINDS, strict=True)) | dict.fromkeys(("name", "preferred", "label"), FSN)
KIND_NAMES |= dict.fromkeys(("exact", ""), SYNONYM)
_PARQUET_MAGIC = b"PAR1"
_HEAD = 1 << 16
_NOT_PLAIN = re.compile(rb'\A(?:\xff\xfe|\xfe\xff|[\r\n])|(?:\A(?:\xef\xbb\xbf)?|[\n\t;,|])"')
"""UTF-16, an empty first line, or a field that begins with a quote."""
_TERM_COLUMNS = ("concept", "term")
_ALL_COLUMNS = (*_TERM_COLUMNS, "kind", "language", "tag")
_RELATION_COLUMNS = ("source", "type", "target")
_RELATION_TABLE = "table with the columns source, type and target"


def looks_like_table(file: SourceFile, needed: Sequence[str] = _TERM_COLUMNS) -> bool:
    """Tell whether a file's first line, or its schema if it is Parquet, names the needed columns."""
    head = file.head(1 << 14)
    if head.startswith(_PARQUET_MAGIC):
        try:
            return _parquet_header(file).names(needed)
        except TermgaugeError:
            return False
    return peek_table(head, needed).names(needed)


def chosen_files(sources: Sequence[Sequence[SourceFile]], options: ReadingOptions) -> dict[str, SourceFile]:
    """Tell the table of terms, of which there must be exactly one, from that of relations."""
    files = [file for source in sources for file in source]
    links = [] if options.relation_table is None else [only_file(options.relation_table, _RELATION_TABLE)]
    if len(files) == 1:
        terms = files
    else:
        tables = _tables(files)
        terms = [file for file in tables if looks_like_table(file)]
        if not links:
            others = [file for file in tables if file not in terms and looks_like_table(file, ("source", "target"))]
            links = others if len(others) == 1 else []
    if len(terms) != 1:
        several = ", ".join(file.name for file in terms[:5]) or "none"
        raise TermgaugeError(
            f"{files[0].root}: one table with the columns concept and term is needed, found {several}; name one file."
        )
    return dict(zip(("terms", "relations"), (*terms, *links), strict=False))


def _tables(files: Sequence[SourceFile]) -> list[SourceFile]:
    return [file for file in files if file.base.lower().endswith(SUFFIXES)]


def read_table(files: dict[str, SourceFile], options: ReadingOptions) -> Contents:
    """Read a table of terms and, if there is one, of relations; only the language that is wanted is kept."""
    file, relations = files["terms"], files.get("relations")
    rows = read_columns(file, _TERM_COLUMNS, _ALL_COLUMNS).with_row_index("row", offset=2)  # the header is row 1
    notes, tally = [], Tally()
    blank = (pl.col("concept") == "") | (pl.col("term") == "")
    if blanks := rows.filter(blank).height:
        notes.append(
            f"{file.base}: {numbered(blanks, 'row')} without concept or term {plural(blanks, 'was', 'were')} passed "
            "over."
        )
        where = pl.format("{}, row {}", pl.lit(file.base), "row")
        tally.add_rows("rows without concept or term", rows.filter(blank), where)
        rows = rows.filter(~blank)
    rows = _in_language(rows, options.language, file)
    terms = active_terms(rows.with_columns(text="term", kind=_kinds(rows, file, "concept")))
    links = pl.DataFrame(schema=dict.fromkeys(_RELATION_COLUMNS, pl.String))
    if relations:
        links = read_columns(relations, ("source", "target"), _RELATION_COLUMNS)
        links = links if "type" in links.columns else links.with_columns(type=pl.lit("related"))
        whole = links.select(_RELATION_COLUMNS).filter(pl.all_horizontal(pl.all() != ""))
        tally.add("relations without source, type or target", relations.base, links.height - whole.height)
        links = whole
    is_replacement = pl.col("type").is_in(REASONS)
    replacements = links.filter(is_replacement).select(old="source", new="target", reason="type")
    tables = {
        "concepts": _concepts(terms, replacements),
        "terms": terms,
        "relations": links.filter(~is_replacement),
        "replacements": replacements.unique(["old", "new"], keep="first", maintain_order=True),
    }
    return Contents(tables, PurePosixPath(file.base).stem, notes=notes, skipped=tally.skipped())


def _in_language(rows: pl.DataFrame, language: str | None, file: SourceFile) -> pl.DataFrame:
    """Give every row a language, English unless told, and keep those in the one that is wanted."""
    if rows.is_empty():
        raise TermgaugeError(f"{file.label}: holds no terms; put a concept and a term in each row after the first.")
    if "language" not in rows.columns:
        return rows.with_columns(language=pl.lit(language or "en"))
    named = rows.with_columns(language=pl.col("language").replace("", "en"))
    tags = None if language is None else tags_in(named["language"].unique(), language)
    wanted = named if tags is None else named.filter(pl.col("language").is_in(tags))
    if wanted.is_empty():
        languages = ", ".join(named["language"].unique().sort().to_list()[:30])
        raise TermgaugeError(
            f"{file.label}: holds no terms in the language '{language}'; its languages are {languages}."
        )
    return wanted


def _kinds(rows: pl.DataFrame, file: SourceFile, *named: str) -> pl.Expr:
    """Return the kind of each row, a known one; without the column, the first of what is `named` is a name."""
    if "kind" not in rows.columns:
        first = pl.struct(named).is_first_distinct()
        return pl.when(first).then(pl.lit(FSN)).otherwise(pl.lit(SYNONYM))
    written = pl.col("kind").str.to_lowercase()
    unknown = rows.filter(~written.is_in(list(KIND_NAMES)))
    if unknown.height:
        at, kind = unknown["row"][0], unknown["kind"][0][:40]
        names = ", ".join(name for name in KIND_NAMES if name)
        raise TermgaugeError(
            f"{file.label}, row {at} (the header is row 1): '{kind}' is no kind of term; use one of {names}."
            f"{did_you_mean(kind, KIND_NAMES)}"
        )
    return written.replace_strict(KIND_NAMES, return_dtype=pl.String)


def _concepts(terms: pl.DataFrame, replacements: pl.DataFrame) -> pl.DataFrame:
    names = terms.sort("rank", maintain_order=True).unique("concept", keep="first").select("concept", name="text")
    tags = {"tag": pl.col("tag").filter(pl.col("tag") != "").first()} if "tag" in terms.columns else {}
    return (
        terms.group_by("concept", maintain_order=True)
        .agg(**tags)
        .join(names, on="concept", how="left", maintain_order="left")
        .with_columns(active=~pl.col("concept").is_in(replacements["old"].implode()))
    )


def read_columns(file: SourceFile, needed: Sequence[str], wanted: Sequence[str]) -> pl.DataFrame:
    """Read the wanted columns of a table that has the needed ones, as text without spaces around it."""
    content = file.head()
    if content.startswith(_PARQUET_MAGIC):
        table = _parquet_header(file)
        places = table.positions(needed, wanted)
        columns = [table.first[index] for index in places.values()]
        rows = read_contained(file.read(), file.label, columns=columns, text=True).frame
    elif _NOT_PLAIN.search(content := file.read()) or not content.strip():
        return open_table(file, needed).select(needed, wanted)
    else:  # it may be large, and Polars is faster where nothing is quoted
        decoded(content.partition(b"\n")[0], file.label)  # refuses what is no text
        table = peek_table(content[:_HEAD], needed, file.label)
        places = table.positions(needed, wanted)
        layout = Layout(table.separator, tuple(map(str, range(len(table.first)))), header=True)
        rows = read_rows(file, layout, list(map(str, places.values())))
    return rows.select(
        pl.col(column).fill_null("").str.strip_chars().alias(name)
        for name, column in zip(places, rows.columns, strict=True)
    )


def _parquet_header(file: SourceFile) -> Table:
    return Table(file.label, list(read_contained(file.read(), file.label, rows=False).columns))


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


def is_translation(file: SourceFile) -> bool:
    """Tell whether a file is a table of translations, by its first line."""
    return any(looks_like_table(file, columns) for columns in (BABELON, *_PLAIN))


def with_translations(contents: Contents, files: Sequence[SourceFile]) -> Contents:
    """Add the terms of tables of translations to what was read of a terminology."""
    tables, notes, skipped = dict(contents.tables), list(contents.notes), list(contents.skipped)
    identifiers = Identifiers(tables["concepts"]["concept"])
    for file in files:
        tally = Tally()
        rows = _babelon(file, tally) if looks_like_table(file, BABELON) else _plain(file)
        whole = (pl.col("text") != "") & (pl.col("language") != "")
        rows = _kept(rows, whole, "translations without text or language", file, tally)
        rows = rows.with_columns(written="concept", concept=identifiers.find_all(rows["concept"]))
        lost = rows.filter(pl.col("concept").is_null())
        rows = _kept(rows, pl.col("concept").is_not_null(), "translations of unknown concepts", file, tally)
        skipped += tally.skipped()
        if lost.height:
            notes.append(
                f"{file.base}: {numbered(lost.height, 'translation is of a concept', 'translations are of concepts')} "
                f"that the terminology does not have, such as {lost['written'][0]}."
            )
        if rows.is_empty():
            raise TermgaugeError(
                f"{file.label}: holds no translation of a concept of this terminology; is it a table for another one?"
            )
        tables["terms"] = pl.concat([conform(tables["terms"], "terms"), conform(active_terms(rows), "terms")])
    return contents._replace(tables=tables, notes=notes, skipped=skipped)


def _plain(file: SourceFile) -> pl.DataFrame:
    text = "term" if looks_like_table(file, _PLAIN[0]) else "text"
    rows = read_columns(file, ("concept", text, "language"), ("concept", text, "language", "kind"))
    rows = rows.with_row_index("row", offset=2)
    return rows.with_columns(kind=_kinds(rows, file, "concept", "language"), text=text)


def _babelon(file: SourceFile, tally: Tally) -> pl.DataFrame:
    rows = read_columns(file, BABELON, (*BABELON, STATUS)).with_row_index("row", offset=2)
    if STATUS in rows.columns:
        translated = pl.col(STATUS).str.to_lowercase() != UNTRANSLATED
        rows = _kept(rows, translated, "translations marked NOT_TRANSLATED", file, tally)
    predicate = pl.col("predicate_id").str.to_lowercase()
    last = predicate.str.extract(r"([^:/#]+)$", 1)
    kind = pl.coalesce(
        column.replace_strict(KIND_OF_PREDICATE, default=None, return_dtype=pl.String) for column in (predicate, last)
    )
    rows = rows.with_columns(kind=kind, concept="subject_id", text="translation_value", language="translation_language")
    return _kept(rows, pl.col("kind").is_not_null(), "translations of properties that are no terms", file, tally)


def _kept(rows: pl.DataFrame, condition: pl.Expr, what: str, file: SourceFile, tally: Tally) -> pl.DataFrame:
    """Return the rows that meet a condition, and count the others."""
    concept = next(name for name in ("written", "concept", "subject_id") if name in rows.columns)
    tally.add_rows(what, rows.filter(~condition), pl.format("{}, row {}: {}", pl.lit(file.base), "row", concept))
    return rows.filter(condition)


FORMAT = Format(
    name="table",
    title="Table of terms",
    signs="a table with the columns concept and term",
    origin="Your own vocabulary, as TSV, CSV or Parquet.",
    licence="Your own.",
    choose=chosen_files,
    read=read_table,
    sniff_contents=lambda files: any(looks_like_table(file) for file in (files if len(files) == 1 else _tables(files))),
    options=frozenset({"relation_table"}),
    version=3,
)
