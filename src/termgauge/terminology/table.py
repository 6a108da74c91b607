"""A user's own vocabulary: a table with a concept and a term in each row, as TSV, CSV or Parquet.

``concept`` and ``term`` are needed; ``kind``, ``language`` and ``tag`` are welcome. Without kinds, the first term of a
concept is its name and the others are synonyms. A second table may hold relations (``source``, ``type``, ``target``);
those of type ``same-as``, ``replaced-by`` or ``possibly-equivalent-to`` are replacements, and their sources retired.
"""

from __future__ import annotations

import io
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import polars as pl

from termgauge.errors import TermgaugeError, did_you_mean
from termgauge.terminology.model import FSN, KINDS, REASONS, SYNONYM, conform

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.source import SourceFile

SUFFIXES = (".tsv", ".csv", ".txt", ".parquet")
KIND_NAMES = {
    **{kind: kind for kind in KINDS},
    "name": FSN,
    "preferred": FSN,
    "label": FSN,
    "exact": SYNONYM,
    "": SYNONYM,
}
_PARQUET_MAGIC = b"PAR1"
_TERM_COLUMNS = ("concept", "term")
_RELATION_COLUMNS = ("source", "type", "target")


def looks_like_table(file: SourceFile, needed: Sequence[str] = _TERM_COLUMNS) -> bool:
    """Tell whether a file's first line names the needed columns, or the file is Parquet."""
    head = file.head(1 << 14)
    if head.startswith(_PARQUET_MAGIC):
        return True
    first = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", "replace")
    names = {_column(name) for separator in "\t,;" for name in first.split(separator)}
    return set(needed) <= names


def read_table(
    file: SourceFile, relations: SourceFile | None = None, *, language: str | None = None
) -> tuple[dict[str, pl.DataFrame], str, str, list[str]]:
    """Read a table of terms and, if there is one, of relations.

    Parameters
    ----------
    file
        The table of terms.
    relations
        The table of relations.
    language
        If the table names languages, only terms in this one are kept; else the language its terms are in,
        English unless told.

    Returns
    -------
    tuple
        The four tables, the table's name, an empty version, and notes.

    Raises
    ------
    TermgaugeError
        If a needed column is missing, or a value is none.
    """
    rows = _frame(file, _TERM_COLUMNS)
    notes = []
    blank = (pl.col("concept").fill_null("") == "") | (pl.col("term").fill_null("").str.strip_chars() == "")
    if blanks := rows.filter(blank).height:
        notes.append(f"{file.label}: {blanks} rows without concept or term were passed over.")
        rows = rows.filter(~blank)
    if "language" in rows.columns and language is not None:
        rows = rows.filter(pl.col("language") == language)
    if rows.is_empty():
        raise TermgaugeError(f"{file.label}: holds no terms{f' in {language}' if language else ''}; check the file.")
    terms = rows.with_columns(
        text=pl.col("term"),
        kind=_kinds(rows, file),
        language=pl.col("language") if "language" in rows.columns else pl.lit(language or "en"),
        active=pl.lit(True),
    ).with_columns(rank=pl.col("kind").replace_strict(_RANKS, return_dtype=pl.Int32))
    links = _relations(relations) if relations else pl.DataFrame(schema=dict.fromkeys(_RELATION_COLUMNS, pl.String))
    is_replacement = pl.col("type").is_in(REASONS)
    replacements = links.filter(is_replacement).select(old="source", new="target", reason="type")
    tables = {
        "concepts": conform(_concepts(terms, replacements), "concepts"),
        "terms": conform(terms, "terms"),
        "relations": conform(links.filter(~is_replacement), "relations"),
        "replacements": conform(replacements.unique(["old", "new"], keep="first", maintain_order=True), "replacements"),
    }
    return tables, PurePosixPath(file.base).stem, "", notes


_ORDER = (FSN, SYNONYM, "layperson", "narrow", "broad", "related", "definition")
_RANKS = {kind: rank for rank, kind in enumerate(_ORDER)}


def _kinds(rows: pl.DataFrame, file: SourceFile) -> pl.Expr:
    if "kind" not in rows.columns:
        first = pl.col("concept").is_first_distinct()
        return pl.when(first).then(pl.lit(FSN)).otherwise(pl.lit(SYNONYM))
    written = pl.col("kind").fill_null("").str.strip_chars().str.to_lowercase()
    unknown = rows.with_row_index("at", offset=2).filter(~written.is_in(list(KIND_NAMES)))
    if unknown.height:
        at, kind = unknown.row(0, named=True)["at"], unknown["kind"][0]
        known = ", ".join(name for name in KIND_NAMES if name)
        raise TermgaugeError(
            f"{file.label}, row {at}: '{kind}' is no kind of term; use one of {known}.{did_you_mean(kind, KIND_NAMES)}"
        )
    return written.replace_strict(KIND_NAMES, return_dtype=pl.String)


def _concepts(terms: pl.DataFrame, replacements: pl.DataFrame) -> pl.DataFrame:
    names = terms.sort("rank", maintain_order=True).unique("concept", keep="first").select("concept", name="text")
    tags = pl.col("tag").drop_nulls().first() if "tag" in terms.columns else pl.lit(None, dtype=pl.String).first()
    return (
        terms.group_by("concept", maintain_order=True)
        .agg(tag=tags)
        .join(names, on="concept", how="left", maintain_order="left")
        .with_columns(active=~pl.col("concept").is_in(replacements["old"].implode()))
    )


def _relations(file: SourceFile) -> pl.DataFrame:
    rows = _frame(file, ("source", "target"))
    if "type" not in rows.columns:
        rows = rows.with_columns(type=pl.lit("related"))
    return rows.select(_RELATION_COLUMNS).drop_nulls().filter(pl.all_horizontal(pl.all() != ""))


def _frame(file: SourceFile, needed: Sequence[str]) -> pl.DataFrame:
    """Read a table with all columns as text and lower-case names, and see that the needed ones are there."""
    data = file.read()
    if not data.strip():
        raise TermgaugeError(f"{file.label}: is empty; a table with the columns {' and '.join(needed)} was expected.")
    rows = _parsed(data, file)
    names = [_column(name) for name in rows.columns]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise TermgaugeError(f"{file.label}: has two columns named '{twice}'; name each once.")
    if missing := [name for name in needed if name not in names]:
        raise TermgaugeError(
            f"{file.label}: has no column {' and no column '.join(repr(name) for name in missing)} (its columns are "
            f"{', '.join(names)[:200]}); name the columns in the first row, separated by tabs or commas."
        )
    return rows.rename(dict(zip(rows.columns, names, strict=True)))


def _parsed(data: bytes, file: SourceFile) -> pl.DataFrame:
    if data.startswith(_PARQUET_MAGIC):
        try:
            rows = pl.read_parquet(io.BytesIO(data))
            return rows.select(pl.all().cast(pl.String))
        except (pl.exceptions.PolarsError, BaseException) as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            raise TermgaugeError(f"{file.label}: is no readable Parquet file ({_first_line(error)}).") from None
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TermgaugeError(f"{file.label}, line {line}: is not UTF-8; save the table as UTF-8.") from None
    first = data.split(b"\n", 1)[0]
    separator = max("\t,;", key=lambda each: first.count(each.encode()))
    quote = None if separator == "\t" else '"'
    _check_widths(data, separator, quote, file)
    try:
        return pl.read_csv(data, separator=separator, quote_char=quote, infer_schema=False, empty_string_is_null=False)
    except pl.exceptions.PolarsError as error:
        raise TermgaugeError(f"{file.label}: cannot be read as a table ({_first_line(error)}).") from None


def _check_widths(data: bytes, separator: str, quote: str | None, file: SourceFile) -> None:
    """See that every row has as many fields as the header; the csv module knows about quotes."""
    import csv

    text = io.StringIO(data.decode("utf-8"), newline="")
    if quote is None:
        rows = csv.reader(text, delimiter=separator, quoting=csv.QUOTE_NONE)
    else:
        rows = csv.reader(text, delimiter=separator, quotechar=quote)
    try:
        width = len(next(rows, []))
        for row in rows:
            if row and len(row) != width:
                raise TermgaugeError(
                    f"{file.label}, line {rows.line_num}: has {len(row)} columns where the first line has {width}."
                )
    except csv.Error as error:
        raise TermgaugeError(f"{file.label}, line {rows.line_num}: cannot be read ({error}).") from None


def _column(name: str) -> str:
    return name.strip().strip('"').lower()


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__
