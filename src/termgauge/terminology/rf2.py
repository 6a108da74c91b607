"""SNOMED CT's release format 2: all versions of all components in, current state and history out.

A component's current state is its row with the greatest ``effectiveTime``; ``since`` is the earliest one at which it
was active. Components keep the order in which their ids first appear, which the benchmarks depend on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.errors import TermgaugeError, did_you_mean
from termgauge.progress import track
from termgauge.terminology.delimited import Layout, header_of, read_rows
from termgauge.terminology.model import FSN, IS_A, POSSIBLY_EQUIVALENT_TO, REPLACED_BY, SAME_AS, SYNONYM, conform
from termgauge.terminology.names import name_and_tag
from termgauge.terminology.rf2_files import CONTENTS, ReleaseFile, find_release, pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from termgauge.source import SourceFile

MODEL_COMPONENT_MODULE = "900000000000012004"
INFERRED = "900000000000011006"
IS_A_ID = "116680003"
PREFERRED = "900000000000548007"
ACCEPTABLE = "900000000000549004"
KIND_OF_TYPE = {
    "900000000000003001": FSN,
    "900000000000013009": SYNONYM,
    "900000000000550004": "definition",
}
REASON_OF_REFSET = {
    "900000000000523009": POSSIBLY_EQUIVALENT_TO,
    "900000000000526001": REPLACED_BY,
    "900000000000527005": SAME_AS,
}
DIALECTS = {"us": "900000000000509007", "gb": "900000000000508004"}
"""Language reference sets by the short names that users type; others go by their id."""

_VERSION = ("id", "effectiveTime", "active")
_COLUMNS = {
    "concept": (*_VERSION, "moduleId"),
    "description": (*_VERSION, "conceptId", "languageCode", "typeId", "term"),
    "relationship": (*_VERSION, "sourceId", "destinationId", "typeId", "characteristicTypeId"),
    "language": (*_VERSION, "refsetId", "referencedComponentId", "acceptabilityId"),
    "association": (*_VERSION, "moduleId", "refsetId", "referencedComponentId", "targetComponentId"),
}
_FORMER_NAMES = {"targetComponent": "targetComponentId"}


def chosen_files(sources: Sequence[Sequence[SourceFile]], release: str | None) -> list[ReleaseFile]:
    """Choose the files of one or several releases that are to be read.

    Raises
    ------
    TermgaugeError
        If concepts or descriptions are missing, or it is not clear which release is meant.
    """
    files = find_release(sources, release)
    present = {each.content for each in files}
    for content in ("concept", "description"):
        if content not in present:
            places = ", ".join(sorted({str(file.root) for source in sources for file in source})) or "the source"
            wanted = pattern(content)
            raise TermgaugeError(
                f"{places}: no RF2 {content} file found; looked for {wanted} (or Snapshot instead of Full) anywhere "
                "below; name the folder or zip of the whole release."
            )
    return files


def read_rf2(
    files: Sequence[ReleaseFile], *, language: str | None = None, dialect: str | None = None
) -> tuple[dict[str, pl.DataFrame], str, str, list[str]]:
    """Read the files of one or several RF2 releases, an extension after the edition that it extends.

    Parameters
    ----------
    files
        What :func:`chosen_files` found.
    language
        Keep only descriptions in this language, such as ``en``.
    dialect
        Rank labels by this dialect: ``us``, ``gb`` or the id of a language reference set; all of them if not given.

    Returns
    -------
    tuple
        The four tables, the edition, the version, and notes.
    """
    notes = [
        f"No {content} file ({pattern(content)}): {lost}."
        for content, lost in (
            ("relationship", "the terminology has no relations"),
            ("association", "it has no replacements of retired concepts"),
        )
        if content not in {each.content for each in files}
    ]
    with track("Reading RF2", total=sum(each.file.size for each in files), unit="bytes") as advance:
        rows = {
            content: _read_all([each for each in files if each.content == content], content, advance)
            for content in CONTENTS
        }
    terms = _terms(rows["description"], rows["language"], language, dialect)
    if terms.is_empty():
        known = rows["description"]["languageCode"].unique().sort().to_list()
        place = ", ".join(each.file.label for each in files if each.content == "description")
        why = f"none in the language '{language}' (there are: {', '.join(known)})" if language and known else "no rows"
        raise TermgaugeError(f"{place}: holds no descriptions of concepts: {why}; check the file and the language.")
    tables = {
        "concepts": _concepts(rows["concept"], terms),
        "terms": terms,
        "relations": _relations(rows["relationship"]),
        "replacements": _replacements(rows["association"]),
    }
    editions = list(dict.fromkeys(each.edition for each in files))
    dates = list(dict.fromkeys(each.date for each in files))
    return tables, "+".join(editions), "+".join(dates), notes


def _read_all(files: Sequence[ReleaseFile], content: str, advance: Callable[[float], None]) -> pl.DataFrame:
    wanted = _COLUMNS[content]
    parts = [_read_one(each, wanted, advance) for each in files]
    if parts:
        return pl.concat(parts, rechunk=False)
    return _reduced(pl.LazyFrame(schema=dict.fromkeys(wanted, pl.String)), full=True).collect()


def _read_one(each: ReleaseFile, wanted: Sequence[str], advance: Callable[[float], None]) -> pl.DataFrame:
    header = tuple(_FORMER_NAMES.get(name, name) for name in header_of(each.file, "\t"))
    missing = [name for name in wanted if name not in header]
    if missing or len(set(header)) < len(header):
        what = f"lacks the columns {', '.join(missing)}" if missing else "names a column twice"
        raise TermgaugeError(
            f"{each.file.label}: {what} (its first line is: {', '.join(header)[:200]}); is it really an RF2 "
            f"{each.content} file?"
        )
    layout = Layout("\t", header, header=True)
    return read_rows(
        each.file, layout, wanted, lambda rows: _reduced(rows, full=each.full), check=_bad_version, advance=advance
    )


def _reduced(rows: pl.LazyFrame, *, full: bool) -> pl.LazyFrame:
    return rows.with_columns(
        pl.col("effectiveTime").cast(pl.Int32),
        pl.col("active") == "1",
        full=pl.lit(full),
    )


def _bad_version(rows: pl.DataFrame) -> tuple[int, str] | None:
    """Name the first row whose time or state is none."""
    good = (
        pl.col("effectiveTime").cast(pl.Int32, strict=False).is_between(10000101, 99991231).fill_null(value=False)
        & ((pl.col("active") == "1") | (pl.col("active") == "0"))
        & (pl.col("id") != "")
    )
    state = rows.select(good.alias("good"))["good"]
    if state.all():
        return None
    at = int(state.arg_min() or 0)
    row = rows.row(at, named=True)
    return at, (
        f"id '{row['id'][:40]}', effectiveTime '{row['effectiveTime'][:40]}', active '{row['active'][:40]}' are not an "
        "id, a date like 20190131 and 0 or 1; the file may be damaged."
    )


def _current(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the current row of each component, in the order in which ids first appear, with ``since``.

    Time and place in one integer: the greatest of a component is its newest row, the last of equals, so one pass over
    numbers finds the rows and the texts are moved only once.
    """
    time = pl.col("effectiveTime")
    found = (
        rows.lazy()
        .with_row_index("place")
        .select(
            "id",
            "place",
            version=time.cast(pl.Int64) * (1 << 32) + pl.col("place"),
            since=pl.when(pl.col("active") & pl.col("full")).then(time),
        )
        .group_by("id")
        .agg(pl.col("place").min(), pl.col("version").max() % (1 << 32), pl.col("since").min())
        .sort("place")
        .collect()
    )
    return rows[found["version"]].with_columns(found["since"])


def _concepts(rows: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    names = (
        terms.lazy()
        .filter(pl.col("active") & (pl.col("kind") != "definition"))
        .with_columns(order=pl.when(pl.col("kind") == FSN).then(-1).otherwise("rank"))
        .sort("order", maintain_order=True)
        .unique("concept", keep="first")
        .select("concept", "text", "kind")
        .collect()
    )
    name, tag = name_and_tag(pl.col("text"))
    is_fsn = pl.col("kind") == FSN
    named = names.select(
        "concept",
        name=pl.when(is_fsn).then(name).otherwise("text"),
        tag=pl.when(is_fsn).then(tag),
    )
    found = (
        _current(rows)
        .select(concept="id", module="moduleId", active="active", since=_date("since"))
        .join(named, on="concept", how="left", maintain_order="left")
    )
    return conform(found, "concepts")


def _terms(rows: pl.DataFrame, language_rows: pl.DataFrame, language: str | None, dialect: str | None) -> pl.DataFrame:
    if language is not None:
        rows = rows.filter(pl.col("languageCode") == language)
    types = pl.LazyFrame({"typeId": list(KIND_OF_TYPE), "kind": list(KIND_OF_TYPE.values())})
    found = (
        _current(rows)
        .lazy()
        .join(types, on="typeId", how="inner", maintain_order="left")
        .join(_acceptability(language_rows, dialect).lazy(), on="id", how="left", maintain_order="left")
        .select(
            "kind",
            "active",
            concept="conceptId",
            text="term",
            language="languageCode",
            since=_date("since"),
            rank=pl.when(pl.col("kind") == SYNONYM)
            .then(pl.col("rank").fill_null(2))
            .when(pl.col("kind") == FSN)
            .then(3)
            .otherwise(4),
        )
        .collect()
    )
    return conform(found, "terms")


def _acceptability(rows: pl.DataFrame, dialect: str | None) -> pl.DataFrame:
    """Return, for each description in a language reference set, 0 if preferred and 1 if acceptable there."""
    if dialect is not None:
        wanted = DIALECTS.get(dialect.lower(), dialect)
        if not (rows["refsetId"] == wanted).any():
            known = [*DIALECTS, *rows["refsetId"].unique().sort().to_list()]
            raise TermgaugeError(
                f"The release has no language reference set '{dialect}'; it has: {', '.join(known[2:]) or 'none'} "
                f"(us and gb are short for {DIALECTS['us']} and {DIALECTS['gb']}).{did_you_mean(dialect, known)}"
            )
        rows = rows.filter(pl.col("refsetId") == wanted)
    latest = rows.sort("effectiveTime", maintain_order=True).unique("id", keep="last").filter("active")
    return (
        latest.lazy()
        .filter(pl.col("acceptabilityId").is_in([PREFERRED, ACCEPTABLE]))
        .group_by(id="referencedComponentId")
        .agg(rank=(pl.col("acceptabilityId") != PREFERRED).min().cast(pl.Int32))
        .collect()
    )


def _relations(rows: pl.DataFrame) -> pl.DataFrame:
    found = (
        _current(rows)
        .filter(pl.col("active") & (pl.col("characteristicTypeId") == INFERRED))
        .select(
            source="sourceId",
            type=pl.when(pl.col("typeId") == IS_A_ID).then(pl.lit(IS_A)).otherwise("typeId"),
            target="destinationId",
        )
    )
    return conform(found, "relations")


def _replacements(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the associations that hold, each pair of concepts once, with the reason of its first row.

    Whether an association still holds is said by the newest row of the same concepts and reason.
    """
    own = rows.filter(pl.col("moduleId") != MODEL_COMPONENT_MODULE)
    ends = ["referencedComponentId", "targetComponentId"]
    first = own.unique(ends, keep="first", maintain_order=True)
    newest = own.sort("effectiveTime", maintain_order=True).unique([*ends, "refsetId"], keep="last")
    holding = newest.filter("active").select(*ends, "refsetId")
    reasons = pl.DataFrame({"refsetId": list(REASON_OF_REFSET), "reason": list(REASON_OF_REFSET.values())})
    found = (
        first.join(holding, on=[*ends, "refsetId"], how="semi", maintain_order="left")
        .join(reasons, on="refsetId", how="inner", maintain_order="left")
        .select(old=ends[0], new=ends[1], reason="reason")
    )
    return conform(found, "replacements")


def _date(column: str) -> pl.Expr:
    return pl.col(column).cast(pl.String).str.to_date("%Y%m%d", strict=False)
