"""SNOMED CT's release format 2: all versions of all components in, current state and history out.

A component's current state is its row with the greatest ``effectiveTime``; ``since`` is the earliest one at which it
was active. Components keep the order in which their ids first appear, which the benchmarks depend on.

Names of files say everything: ``<x>sct2_Description_<Summary>Full-en_INT_20190131.txt`` is file type, content, release
type, language, edition and date. Folders are named differently in every edition, so they are not looked at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.progress import track
from termgauge.terminology.delimited import Layout, header_of, is_empty, read_rows
from termgauge.terminology.formats.registry import Contents, Format
from termgauge.terminology.languages import is_in, tags_in
from termgauge.terminology.model import (
    FSN,
    IS_A,
    MODEL_COMPONENT_MODULE,
    POSSIBLY_EQUIVALENT_TO,
    REPLACED_BY,
    SAME_AS,
    SYNONYM,
    Tally,
    first_names,
    split_names,
)
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from termgauge.io.source import SourceFile
    from termgauge.terminology.options import ReadingOptions

INFERRED = "900000000000011006"
IS_A_ID = "116680003"
PREFERRED = "900000000000548007"
ACCEPTABLE = "900000000000549004"
FSN_TYPE = "900000000000003001"
KIND_OF_TYPE = {FSN_TYPE: FSN, "900000000000013009": SYNONYM, "900000000000550004": "definition"}
REASON_OF_REFSET = {
    "900000000000523009": POSSIBLY_EQUIVALENT_TO,
    "900000000000526001": REPLACED_BY,
    "900000000000527005": SAME_AS,
}
# fmt: off
DIALECTS = {
    "us": "900000000000509007", "gb": "900000000000508004", "en-us": "900000000000509007",
    "en-gb": "900000000000508004", "en-au": "32570271000036106", "en-ca": "19491000087109", "en-ie": "21000220103",
    "en-nz": "271000210107", "da-dk": "554461000005103", "de": "722130004", "es": "448879004", "es-ar": "450828004",
    "es-uy": "5641000179103", "et-ee": "71000181105", "fr": "722131000", "fr-be": "21000172104",
    "fr-ca": "20581000087109", "ja": "722129009", "mi": "291000210106", "nb-no": "61000202103",
    "nl-be": "31000172101", "nl-nl": "31000146106", "nn-no": "91000202106", "sv-se": "46011000052107",
    "zh": "722128001",
}
# fmt: on
"""Language reference sets by the codes that users type: of a language (``es``) all its dialects count. Others go by
their id."""

_VERSION = ("id", "effectiveTime", "active")


class _Content(NamedTuple):
    """One of the contents of a release."""

    stem: str
    """How the names of its files begin."""
    columns: tuple[str, ...]
    """Those that are read besides those that all files have."""
    language: str = ""
    """How a pattern says that the names also say a language."""

    @property
    def pattern(self) -> str:
        """The pattern of file names, for people."""
        return f"x?{self.stem}*Full{self.language}_*_YYYYMMDD.txt"


CONTENTS = {
    "concept": _Content("sct2_Concept_", ("moduleId",)),
    "description": _Content("sct2_Description_", ("conceptId", "languageCode", "typeId", "term"), "-*"),
    "relationship": _Content("sct2_Relationship_", ("sourceId", "destinationId", "typeId", "characteristicTypeId")),
    "language": _Content("der2_cRefset_Language", ("refsetId", "referencedComponentId", "acceptabilityId"), "-*"),
    "association": _Content(
        "der2_cRefset_Association", ("moduleId", "refsetId", "referencedComponentId", "targetComponentId")
    ),
}
_NEEDED = ("concept", "description")
_NEVER = 99991231
_NAME = re.compile(
    r"x?(?P<type>sct2|der2)_(?P<content>[a-z]+)_(?P<summary>[a-z0-9]*?)(?P<release>Full|Snapshot|Delta)"
    r"(?:-(?P<language>[a-z-]+))?_(?P<edition>[a-z0-9-]+)_(?P<date>\d{8})\.txt",
    re.IGNORECASE,
)


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


def find_release(sources: Sequence[Sequence[SourceFile]], release: str | None) -> list[ReleaseFile]:
    """Choose the files to read, in the order in which they are to be read.

    Of each edition there must be one date; of each content the Full file is taken, else the Snapshot. The order is
    that of the sources; within a source the International edition comes first.
    """
    chosen: list[ReleaseFile] = []
    for files in sources:
        releases = [parsed for file in files if (parsed := release_file(file)) is not None]
        chosen += sorted(releases, key=lambda entry: (not entry.edition.upper().startswith("INT"), entry.edition))
    chosen = _of_one_date(chosen, release)
    complete = {(entry.edition, entry.content, entry.language) for entry in chosen if entry.full}
    chosen = [entry for entry in chosen if entry.full or (entry.edition, entry.content, entry.language) not in complete]
    first = {entry.file.base: entry for entry in reversed(chosen)}
    return [entry for entry in chosen if first[entry.file.base] is entry]


def _of_one_date(files: list[ReleaseFile], release: str | None) -> list[ReleaseFile]:
    kept: list[ReleaseFile] = []
    for edition in dict.fromkeys(entry.edition for entry in files):
        members = [entry for entry in files if entry.edition == edition]
        dates = sorted({entry.date for entry in members})
        if len(dates) > 1 and release not in dates:
            asked = f"; there is none of {release}" if release else ""
            raise TermgaugeError(
                f"{_places(members)}: holds releases of {_listed(dates)} of edition {edition}{asked}; "
                f"say which to read, as in --release {dates[-1]}, or name one release's folder."
            )
        kept += [entry for entry in members if len(dates) == 1 or entry.date == release]
    dates = sorted({entry.date for entry in kept})
    if release and kept and release not in dates:
        raise TermgaugeError(f"{_places(kept)}: has no release of {release}; it has {_listed(dates)}.")
    return sorted(kept, key=files.index)


def release_file(file: SourceFile) -> ReleaseFile | None:
    """Return what the name of a file says, None if it is no file that is read here."""
    match = _NAME.fullmatch(file.base)
    if match is None or match["release"].lower() == "delta":
        return None
    stem = f"{match['type']}_{match['content']}_{match['summary']}"
    for name, content in CONTENTS.items():
        if start := re.match(f"{content.stem}(?:Reference)?", stem, re.IGNORECASE):
            edition = f"{match['edition']} {stem[start.end() :]}".strip()
            language = (match["language"] or "").lower()
            return ReleaseFile(file, name, match["release"].lower() == "full", edition, match["date"], language)
    return None


def _places(files: Iterable[ReleaseFile]) -> str:
    return ", ".join(dict.fromkeys(str(entry.file.root) for entry in files))


def _listed(words: Sequence[str]) -> str:
    return " and ".join(words) if len(words) < 3 else ", ".join(words[:-1]) + f" and {words[-1]}"


def chosen_files(sources: Sequence[Sequence[SourceFile]], options: ReadingOptions) -> dict[str, SourceFile]:
    """Choose the files of one or several releases that are to be read, by their names."""
    files = find_release(sources, options.release)
    for content in _NEEDED:
        if all(entry.content != content for entry in files):
            places = ", ".join(sorted({str(file.root) for source in sources for file in source})) or "the source"
            raise TermgaugeError(
                f"{places}: no RF2 {content} file found; looked for {CONTENTS[content].pattern} (or Snapshot instead "
                "of Full) anywhere below; name the folder or zip of the whole release."
            )
    return {entry.file.base: entry.file for entry in files}


def read_rf2(chosen: dict[str, SourceFile], options: ReadingOptions) -> Contents:
    """Read the files of one or several RF2 releases, an extension after the edition that it extends."""
    files = [parsed for file in chosen.values() if (parsed := release_file(file)) is not None]
    empty = [entry for entry in files if is_empty(entry.file)]
    by_content = {content: [entry for entry in files if entry.content == content] for content in CONTENTS}
    for content, several in by_content.items():
        if (filled := [entry for entry in several if entry not in empty]) or content not in _NEEDED:
            by_content[content] = filled
    lost = {
        "relationship": "the terminology has no relations",
        "association": "it has no replacements of retired concepts",
    }
    notes = [
        f"No {content} file ({CONTENTS[content].pattern}): {lost[content]}."
        for content in lost
        if not by_content[content]
    ]
    notes += [f"{entry.file.base}: is empty, so the release was read without it." for entry in empty]
    places = ", ".join(entry.file.label for entry in by_content["description"])
    tally = Tally()
    with track("Reading RF2", total=sum(entry.file.size for entry in files), unit="bytes") as advance:

        def rows(content: str, reduce: Callable[[pl.LazyFrame], pl.LazyFrame] = lambda rows: rows) -> pl.DataFrame:
            return _read_all(by_content[content], content, advance, reduce)

        stages = {
            "language": lambda: _acceptability(rows, options.dialect),
            "description": lambda: _descriptions(lambda: rows("description"), options.language, places, tally),
            "relationship": lambda: _relations(rows("relationship"), tally),
            "concept": lambda: _current(rows("concept")),
            "association": lambda: _replacements(rows("association"), tally),
        }
        # Each stage frees its rows when it ends; two at a time keep two cores busy where one of them waits.
        with ThreadPool(2) as pool:
            results = dict(zip(stages, pool.map(lambda stage: stage(), stages.values()), strict=True))
    terms = _terms(results["description"], results["language"])
    if terms.is_empty():
        raise TermgaugeError(f"{places}: holds no descriptions of concepts: no rows; check the file.")
    tables = {
        "concepts": _concepts(results["concept"], terms),
        "terms": terms,
        "relations": results["relationship"],
        "replacements": results["association"],
    }
    editions, dates = dict.fromkeys(entry.edition for entry in files), dict.fromkeys(entry.date for entry in files)
    return Contents(tables, "+".join(editions), "+".join(dates), notes, tally.skipped())


def _read_all(
    files: Sequence[ReleaseFile],
    content: str,
    advance: Callable[[float], None],
    reduce: Callable[[pl.LazyFrame], pl.LazyFrame],
) -> pl.DataFrame:
    """Read the files of one content, one below the other, each row with whether its file is a full one."""
    wanted = (*_VERSION, *CONTENTS[content].columns)
    names = {name: name for name in wanted} | {"targetComponent": "targetComponentId"}

    def typed(rows: pl.LazyFrame, *, full: bool = True) -> pl.LazyFrame:
        return rows.with_columns(
            pl.col("effectiveTime").cast(pl.Int32), pl.col("active") == "1", full=pl.lit(full)
        ).pipe(reduce)

    parts = [typed(pl.LazyFrame(schema=dict.fromkeys(wanted, pl.String))).collect()]
    for entry in files:
        layout = Layout("\t", header_of(entry.file, "\t", names, wanted, f"an RF2 {content} file"), header=True)
        reduce_file = partial(typed, full=entry.full)
        parts.append(read_rows(entry.file, layout, wanted, reduce_file, check=_bad_version, advance=advance))
    return pl.concat(parts, rechunk=False)


def _bad_version(rows: pl.DataFrame) -> tuple[int, str] | None:
    """Name the first row whose time or state is none."""
    good = (
        pl.col("effectiveTime").cast(pl.Int32, strict=False).is_between(10000101, 99991231).fill_null(value=False)
        & ((pl.col("active") == "1") | (pl.col("active") == "0"))
        & (pl.col("id") != "")
    )
    state = rows.select(good).to_series()
    if state.all():
        return None
    at = int(state.arg_min() or 0)
    row = rows.row(at, named=True)
    return at, (
        f"id '{row['id'][:40]}', effectiveTime '{row['effectiveTime'][:40]}', active '{row['active'][:40]}' are not an "
        "id, a date like 20190131 and 0 or 1; the file may be damaged."
    )


def _key(texts: pl.Series) -> pl.Series:
    """Return a column that is equal where the texts are: as numbers, which are much faster to group, if they are."""
    if texts.dtype != pl.String:
        return texts
    numbers = texts.cast(pl.Int64, strict=False)
    plain = numbers.null_count() == 0 and not (texts.str.starts_with("0") | texts.str.starts_with("+")).any()
    return numbers if plain else texts


def _current(rows: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Return some columns, or all, of each component's current row, in the order in which ids first appear.

    ``since`` is added.
    """
    rows = rows.rechunk()
    # Time and place in one integer: the greatest of a component is its newest row, the last of equals.
    newest = pl.col("effectiveTime").cast(pl.Int64) * (1 << 32) + pl.int_range(pl.len(), dtype=pl.Int64)
    versions = rows.select(
        newest.alias("newest"),
        pl.when(pl.col("active") & pl.col("full")).then("effectiveTime").otherwise(_NEVER).alias("since"),
    )
    if rows["id"].is_sorted():
        components = _of_sorted(rows["id"], versions)
    else:
        grouped = versions.lazy().with_columns(_key(rows["id"]).alias("key")).group_by("key", maintain_order=True)
        components = grouped.agg(pl.col("newest").max(), pl.col("since").min()).collect()
    since = components["since"]
    places = (components["newest"] % (1 << 32)).cast(pl.UInt32)
    return rows.select(columns or rows.columns)[places].with_columns(since.set(since == _NEVER, None))


def _of_sorted(ids: pl.Series, versions: pl.DataFrame) -> pl.DataFrame:
    """Reduce versions to components where those of one stand together, as in the releases of SNOMED International."""
    if not len(ids):
        return versions
    starts = (ids != ids.shift(1)).fill_null(value=True).arg_true().to_numpy()
    return pl.DataFrame(
        {
            "newest": np.maximum.reduceat(versions["newest"].to_numpy(), starts),
            "since": np.minimum.reduceat(versions["since"].to_numpy(), starts),
        }
    )


def _descriptions(read: Callable[[], pl.DataFrame], language: str | None, places: str, tally: Tally) -> pl.DataFrame:
    """Return the current descriptions in a language, and fully specified names in any, for they have the tags."""
    rows = read()  # held by nobody else, so that what the language leaves out is freed at once
    if language is not None and not rows.is_empty():
        there = rows["languageCode"].unique().sort()
        codes, wanted = ", ".join(there), tags_in(there, language)
        rows = rows.filter(pl.col("languageCode").is_in(wanted) | (pl.col("typeId") == FSN_TYPE))
        if not wanted:
            raise TermgaugeError(
                f"{places}: holds no descriptions of concepts: none in the language '{language}' (there are: {codes}); "
                "check the file and the language."
            )
    current = _current(rows)
    del rows
    of_known_type = pl.col("typeId").is_in(list(KIND_OF_TYPE))
    tally.add_rows("descriptions of unknown types", current.filter(~of_known_type), _example("typeId"))
    return current.filter(of_known_type)


def _example(column: str) -> pl.Expr:
    """Show a row that is passed over: its id, and what a column holds."""
    return pl.format(f"id {{}}, {column} {{}}", "id", column)


def _concepts(current: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    full = first_names(terms)
    names = split_names(full["text"]).insert_column(0, full["concept"])
    concepts = current.select(concept="id", module="moduleId", active="active", since=_date(current["since"]))
    concepts = concepts.join(names, on="concept", how="left", maintain_order="left")
    if not concepts["name"].null_count():
        return concepts
    labels = (
        terms.lazy()
        .filter(pl.col("active") & (pl.col("kind") == SYNONYM))
        .join(concepts.lazy().filter(pl.col("name").is_null()), on="concept", how="semi")
        .sort("rank", maintain_order=True)
        .unique("concept", keep="first")
        .select("concept", label="text")
        .collect()
    )
    concepts = concepts.join(labels, on="concept", how="left", maintain_order="left")
    return concepts.with_columns(name=pl.coalesce("name", "label"))


def _terms(current: pl.DataFrame, acceptability: pl.DataFrame) -> pl.DataFrame:
    key = _key(current["id"])
    ranks = acceptability.with_columns(pl.col("key").cast(key.dtype, strict=False))
    kind = pl.col("typeId").replace_strict(KIND_OF_TYPE, return_dtype=pl.String)
    synonym, name = pl.col("kind") == SYNONYM, pl.col("kind") == FSN
    return (
        current.lazy()
        .with_columns(key.alias("key"), kind=kind)
        .join(ranks.lazy(), on="key", how="left", maintain_order="left")
        .select(
            "kind",
            "active",
            concept="conceptId",
            text="term",
            language="languageCode",
            since=_date(current["since"]),
            rank=pl.when(synonym).then(pl.col("rank").fill_null(2)).when(name).then(3).otherwise(4),
        )
        .collect()
    )


def _acceptability(read: Callable[..., pl.DataFrame], dialect: str | None) -> pl.DataFrame:
    """Return, by the key of each description in a language reference set, 0 if preferred there, 1 if acceptable."""
    wanted = [str(dialect), *(refset for code, refset in DIALECTS.items() if is_in(code, str(dialect)))]
    acceptability = pl.col("acceptabilityId")
    rank = pl.when(acceptability == PREFERRED).then(0).when(acceptability == ACCEPTABLE).then(1).cast(pl.Int8)

    def reduce(rows: pl.LazyFrame) -> pl.LazyFrame:
        rows = rows if dialect is None else rows.filter(pl.col("refsetId").is_in(wanted))
        return rows.select(*_VERSION, "full", "referencedComponentId", rank=rank)

    rows = read("language", reduce)
    if dialect is not None and rows.is_empty():
        there = read("language", lambda rows: rows.select("refsetId").unique())["refsetId"].unique().sort()
        codes = {refset: code for code, refset in reversed(DIALECTS.items())}
        names = ", ".join(f"{refset} ({codes[refset]})" if refset in codes else refset for refset in there)
        raise TermgaugeError(
            f"The release has no language reference set '{dialect}'; it has: {names or 'none'}."
            f"{did_you_mean(dialect, [*DIALECTS, *there])}"
        )
    members = _current(rows, "active", "rank", "referencedComponentId")
    members = members.filter(pl.col("active") & pl.col("rank").is_not_null())
    key = _key(members["referencedComponentId"])
    return members.lazy().group_by(key.alias("key")).agg(pl.col("rank").min().cast(pl.Int32)).collect()


def _relations(rows: pl.DataFrame, tally: Tally) -> pl.DataFrame:
    current = _current(rows).filter("active")
    inferred = pl.col("characteristicTypeId") == INFERRED
    others = current.filter(~inferred)
    tally.add_rows("active relationships that are not inferred", others, _example("characteristicTypeId"))
    return current.filter(inferred).select(
        source="sourceId",
        type=pl.when(pl.col("typeId") == IS_A_ID).then(pl.lit(IS_A)).otherwise("typeId"),
        target="destinationId",
    )


def _replacements(rows: pl.DataFrame, tally: Tally) -> pl.DataFrame:
    """Return the associations that hold, each pair of concepts once, with the reason of its first row.

    Whether an association still holds is said by the newest row of the same concepts and reason.
    """
    associations = rows.filter(pl.col("moduleId") != MODEL_COMPONENT_MODULE)
    ends = ["referencedComponentId", "targetComponentId"]
    first = associations.unique(ends, keep="first", maintain_order=True)
    newest = associations.sort("effectiveTime", maintain_order=True).unique(
        [*ends, "refsetId"], keep="last", maintain_order=True
    )
    holding = newest.filter("active").select(*ends, "refsetId")
    others = newest.filter(pl.col("active") & ~pl.col("refsetId").is_in(list(REASON_OF_REFSET)))
    tally.add_rows("associations that are no replacements", others, _example("refsetId"))
    return (
        first.join(holding, on=[*ends, "refsetId"], how="semi", maintain_order="left")
        .filter(pl.col("refsetId").is_in(list(REASON_OF_REFSET)))
        .select(old=ends[0], new=ends[1], reason=pl.col("refsetId").replace_strict(REASON_OF_REFSET))
    )


def _date(times: pl.Series) -> pl.Series:
    """Return times such as 20190131 as days; there are few different ones."""
    different = times.unique().drop_nulls()
    days = different.cast(pl.String).str.to_date("%Y%m%d", strict=False)
    return times.replace_strict(different, days, default=None, return_dtype=pl.Date)


FORMAT = Format(
    name="rf2",
    title="SNOMED CT, release format 2",
    signs="an RF2 release (sct2_*.txt)",
    origin="From the national release centre of your country, or from SNOMED International (mlds.ihtsdotools.org).",
    licence="The SNOMED CT Affiliate Licence; use is free of charge in member countries.",
    choose=chosen_files,
    read=read_rf2,
    sniff_name=is_rf2,
    options=frozenset({"dialect", "release"}),
    version=3,
)
