"""The UMLS Metathesaurus in its rich release format: a META folder, or a zip of one.

A concept is a CUI; its terms are the atoms of MRCONSO, ranked by MRRANK so that the best atom of each language is the
concept's name there; relations read ``CUI2 RELA CUI1``; semantic types are tags. Ten million atoms and twenty million
relations are filtered block by block, so memory holds only what is kept.
"""

from __future__ import annotations

import re
from threading import Lock
from typing import TYPE_CHECKING

import polars as pl

from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.progress import track
from termgauge.terminology.delimited import Layout, read_rows
from termgauge.terminology.formats.registry import Contents, Format
from termgauge.terminology.languages import ENGLISH, UMLS_CODES, code_of
from termgauge.terminology.model import FSN, POSSIBLY_EQUIVALENT_TO, REPLACED_BY, SYNONYM, TAG_SEPARATOR, Tally, conform

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from termgauge.io.source import SourceFile
    from termgauge.terminology.options import ReadingOptions

DOCUMENTED_COLUMNS = {
    "MRCONSO.RRF": "CUI,LAT,TS,LUI,STT,SUI,ISPREF,AUI,SAUI,SCUI,SDUI,SAB,TTY,CODE,STR,SRL,SUPPRESS,CVF",
    "MRREL.RRF": "CUI1,AUI1,STYPE1,REL,CUI2,AUI2,STYPE2,RELA,RUI,SRUI,SAB,SL,RG,DIR,SUPPRESS,CVF",
    "MRSTY.RRF": "CUI,TUI,STN,STY,ATUI,CVF",
    "MRRANK.RRF": "RANK,SAB,TTY,SUPPRESS",
    "MRCUI.RRF": "CUI1,VER,REL,RELA,MAPREASON,CUI2,MAPIN",
    "DELETEDCUI.RRF": "PCUI,PSTR",
    "MRFILES.RRF": "FIL,DES,FMT,CLS,RWS,BTS",
    "MRCOLS.RRF": "COL,DES,REF,MIN,AV,MAX,FIL,DTY",
}
CONSIDERED = (*DOCUMENTED_COLUMNS, "MRSAB.RRF", "release.dat")
REASON_OF_REL = {"SY": REPLACED_BY} | dict.fromkeys(("RO", "RB", "RN"), POSSIBLY_EQUIVALENT_TO)

_UNRANKED = 9999
_VERSION = re.compile(r"(?:19|20)\d\dA[A-C]")


def chosen_files(sources: Sequence[Sequence[SourceFile]], _options: ReadingOptions) -> dict[str, SourceFile]:
    """Choose the files of a Metathesaurus, by name."""
    return release_files([file for source in sources for file in source], CONSIDERED, "META folder of a Metathesaurus")


def release_files(files: Sequence[SourceFile], considered: Sequence[str], what: str) -> dict[str, SourceFile]:
    """Return the files of a release by their names, the first of which must be there, and once."""
    main, names = considered[0], {name.lower(): name for name in considered}
    several = [file for file in files if file.base.lower() == main.lower()]
    if len(several) != 1:
        places = ", ".join(sorted({str(file.root) for file in files}))
        releases = " and ".join(file.name for file in several[:3])
        wrong = f"holds several releases ({releases})" if several else f"no {main} found anywhere below"
        raise TermgaugeError(f"{places}: {wrong}; name the {what} release.")
    chosen: dict[str, SourceFile] = {}
    for file in files:
        if name := names.get(file.base.lower()):
            chosen.setdefault(name, file)
    return chosen


def read_rrf(files: dict[str, SourceFile], options: ReadingOptions) -> Contents:
    """Read the part of a Metathesaurus that is wanted; a language may be given as ``en`` or ``ENG``."""
    total = sum(file.size for name, file in files.items() if name in DOCUMENTED_COLUMNS)
    with track("Reading RRF", total=total, unit="bytes") as advance:
        release = Release(files, advance)
        tables = tables_of(release, options, _ranks(release))
        tables["replacements"] = _replacements(release)
        deleted = release.read("DELETEDCUI.RRF", ["PCUI", "PSTR"]).select(concept="PCUI", name="PSTR")
        tables |= with_retired(tables, deleted)
    notes = [
        f"No {name}: {lost}."
        for name, lost in (
            ("MRREL.RRF", "the terminology has no relations"),
            ("MRSTY.RRF", "its concepts have no semantic types"),
            ("MRCUI.RRF", "it has no replacements of retired concepts"),
            ("MRRANK.RRF", "names are chosen by the flags of MRCONSO alone"),
        )
        if name not in files
    ]
    return Contents(tables, "umls", _version(files), notes, release.tally.skipped())


def tables_of(release: Release, options: ReadingOptions, ranks: pl.LazyFrame) -> dict[str, pl.DataFrame]:
    """Return the concepts, terms and relations of a release; `ranks` says which kinds of atoms to prefer."""
    atoms = _atoms(release, options, ranks)
    relations = _relations(release, options)
    terms = _terms(atoms)
    return {"concepts": _concepts(atoms, terms, _tags(release)), "terms": terms, "relations": relations}


class Release:
    """Reads the files of a release by name, with the columns that the release itself documents.

    Those of RxNorm have the same columns, so they are read under the names that they have in the Metathesaurus.
    """

    def __init__(
        self,
        files: Mapping[str, SourceFile],
        advance: Callable[[float], None],
        columns: Mapping[str, str] = DOCUMENTED_COLUMNS,
    ) -> None:
        self.files, self._advance, self._columns = files, advance, columns
        self._formats: dict[str, str] = {}
        self.tally, self._lock = Tally(), Lock()
        formats, listed = self._documented("MRFILES.RRF", "FMT"), self._documented("MRCOLS.RRF", "COL")
        for name, order in columns.items():
            if name not in formats and name in listed:
                formats[name] = ",".join(column for column in order.split(",") if column in listed[name])
        self._formats = formats

    def __contains__(self, name: str) -> bool:
        return name in self.files and self.files[name].size > 0

    def read(
        self,
        name: str,
        keep: Sequence[str],
        reduce: Callable[[pl.LazyFrame], pl.LazyFrame] = lambda rows: rows,
        passed: tuple[str, pl.Expr] | None = None,
    ) -> pl.DataFrame:
        """Read some columns of a file, if it is there; what is `passed` over, in words and as rows, is counted."""
        if name not in self:
            return pl.LazyFrame(schema=dict.fromkeys(keep, pl.String)).pipe(reduce).collect()
        file = self.files[name]
        columns = tuple(self._formats.get(name, self._columns[name]).split(","))
        if missing := [column for column in keep if column not in columns]:
            raise TermgaugeError(
                f"{file.label}: has no columns {', '.join(missing)} according to the release's own MRFILES.RRF; is it "
                "a Metathesaurus in RRF?"
            )

        def count(rows: pl.DataFrame) -> None:
            if passed is not None and (others := rows.filter(passed[1])).height:
                with self._lock:
                    self.tally.add(passed[0], f"{name}: {'|'.join(others.row(0))[:80]}", others.height)

        layout = Layout("|", columns, header=False, closed=True)
        return read_rows(file, layout, keep, reduce, check=count, advance=self._advance)

    def _documented(self, name: str, column: str) -> dict[str, str]:
        """Return what a table of the release says of each file."""
        rows = self.read(name, ["FIL", column]).group_by("FIL", maintain_order=True).agg(pl.col(column).str.join(","))
        return {file.rsplit("/", 1)[-1]: columns for file, columns in rows.iter_rows()}


def _atoms(release: Release, options: ReadingOptions, ranks: pl.LazyFrame) -> pl.DataFrame:
    languages = pl.LazyFrame({"LAT": list(UMLS_CODES), "language": list(UMLS_CODES.values())})
    keep = ["CUI", "LAT", "TS", "STT", "ISPREF", "SAB", "TTY", "STR", "SUPPRESS"]
    language = None if options.language is None else code_of(options.language).partition("-")[0]

    def reduce(rows: pl.LazyFrame) -> pl.LazyFrame:
        rows = rows.filter(pl.col("STR") != "")
        if language is not None:
            codes = {code: lat for lat, code in UMLS_CODES.items()}
            rows = rows.filter(pl.col("LAT") == codes.get(language, language.upper()))
        if options.vocabularies:
            rows = rows.filter(pl.col("SAB").is_in(options.vocabularies))
        if not options.suppressed:
            rows = rows.filter(pl.col("SUPPRESS") == "N")
        flags = (
            (pl.col("TS") != "P").cast(pl.Int32) * 4
            + (pl.col("STT") != "PF").cast(pl.Int32) * 2
            + (pl.col("ISPREF") != "Y").cast(pl.Int32)
        )
        return (
            rows.join(languages, on="LAT", how="left", maintain_order="left")
            .join(ranks, on=["SAB", "TTY", "SUPPRESS"], how="left", maintain_order="left")
            .select(
                concept="CUI",
                text="STR",
                language=pl.coalesce("language", pl.col("LAT").str.to_lowercase()).cast(pl.Categorical),
                module=pl.col("SAB").cast(pl.Categorical),
                rank=pl.col("order").fill_null(_UNRANKED) * 8 + flags,
                active=pl.col("SUPPRESS") == "N",
            )
        )

    atoms = release.read("MRCONSO.RRF", keep, reduce, ("atoms without text", pl.col("STR") == ""))
    if atoms.is_empty():
        raise TermgaugeError(f"{release.files['MRCONSO.RRF'].label}: {_nothing_left(release, options)}")
    return atoms


def _nothing_left(release: Release, options: ReadingOptions) -> str:
    seen = release.read("MRCONSO.RRF", ["LAT", "SAB"], lambda rows: rows.unique()).unique()
    if seen.is_empty():
        return "is empty; name the META folder of a whole release."
    languages, vocabularies = (seen[column].unique().sort().to_list() for column in ("LAT", "SAB"))
    wanted = ", ".join(filter(None, [options.language, *options.vocabularies])) or "unsuppressed"
    hints = "".join(did_you_mean(word, vocabularies) for word in options.vocabularies)
    return (
        f"no atom is left of {wanted}; its languages are {', '.join(languages[:30])}, its source "
        f"vocabularies {', '.join(vocabularies[:30])}.{hints}"
    )


def _ranks(release: Release) -> pl.LazyFrame:
    """Return the order of term types, 0 for the best."""
    rows = release.read("MRRANK.RRF", ["RANK", "SAB", "TTY", "SUPPRESS"])
    order = pl.col("RANK").cast(pl.Int32, strict=False).rank("dense", descending=True).cast(pl.Int32) - 1
    return rows.lazy().with_columns(order=order).unique(["SAB", "TTY", "SUPPRESS"], keep="first").drop("RANK")


def _terms(atoms: pl.DataFrame) -> pl.DataFrame:
    """Give each atom its kind: the best one of a concept and language is the concept's name there."""
    # Rank and row number in one integer: the smallest of a group is its best atom, the first of equals.
    key = (pl.col("rank").cast(pl.Int64) + (~pl.col("active")).cast(pl.Int64) * (1 << 24)) * (1 << 32) + pl.col("row")
    best = (
        atoms.lazy()
        .select("concept", "language", "rank", "active")
        .with_row_index("row")
        .group_by("concept", "language")
        .agg(key.min().alias("key"))
        .select((pl.col("key") % (1 << 32)).cast(pl.UInt32).alias("row"))
        .collect()["row"]
    )
    names = pl.Series("fsn", [False]).new_from_index(0, atoms.height).scatter(best, True)
    kind = pl.select(pl.when(names).then(pl.lit(FSN)).otherwise(pl.lit(SYNONYM)).alias("kind"))["kind"]
    return conform(atoms.drop("module").with_columns(kind), "terms")


def _concepts(atoms: pl.DataFrame, terms: pl.DataFrame, tags: pl.DataFrame) -> pl.DataFrame:
    names = (
        terms.lazy()
        .with_columns(module=atoms["module"].cast(pl.String))
        .filter(pl.col("kind") == FSN)
        .sort(pl.col("language") != "en", maintain_order=True)
        .unique("concept", keep="first")
        .select("concept", "module", name="text")
    )
    concepts = (
        atoms.lazy()
        .group_by("concept", maintain_order=True)
        .agg(pl.col("active").any())
        .join(names, on="concept", how="left", maintain_order="left")
        .join(tags.lazy(), on="concept", how="left", maintain_order="left")
        .collect()
    )
    return conform(concepts, "concepts")


def _tags(release: Release) -> pl.DataFrame:
    rows = release.read("MRSTY.RRF", ["CUI", "STY"])
    return rows.group_by(concept="CUI").agg(tag=pl.col("STY").unique().sort().str.join(TAG_SEPARATOR))


def _relations(release: Release, options: ReadingOptions) -> pl.DataFrame:
    unused = (pl.col("SUPPRESS") != "N") | (pl.col("CUI1") == "") | (pl.col("CUI2") == "")

    def reduce(rows: pl.LazyFrame) -> pl.LazyFrame:
        rows = rows.filter(~unused)
        if options.vocabularies:
            rows = rows.filter(pl.col("SAB").is_in(options.vocabularies))
        kind = pl.when(pl.col("RELA") != "").then("RELA").otherwise("REL")
        # As categories the few names of relations are held once, not once per row.
        return rows.select(source="CUI2", type=kind.cast(pl.Categorical), target="CUI1")

    keep = ["CUI1", "REL", "CUI2", "RELA", "SAB", "SUPPRESS"]
    return release.read("MRREL.RRF", keep, reduce, ("relations that are suppressed or lack a concept", unused))


def _replacements(release: Release) -> pl.DataFrame:
    unused = (pl.col("CUI2") == "") | ~pl.col("REL").is_in(list(REASON_OF_REL))

    def reduce(rows: pl.LazyFrame) -> pl.LazyFrame:
        reason = pl.col("REL").replace_strict(REASON_OF_REL, return_dtype=pl.String)
        return rows.filter(~unused).select(old="CUI1", new="CUI2", reason=reason)

    passed = ("retired concepts without a concept that stands for them", unused)
    rows = release.read("MRCUI.RRF", ["CUI1", "REL", "CUI2"], reduce, passed)
    return conform(rows.unique(["old", "new"], keep="first", maintain_order=True), "replacements")


def with_retired(tables: Mapping[str, pl.DataFrame], names: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Add the retired concepts that were replaced and whose last names are known."""
    retired = (
        tables["replacements"]
        .select(concept="old")
        .unique(maintain_order=True)
        .join(names.unique("concept", keep="first", maintain_order=True), on="concept", maintain_order="left")
        .join(tables["concepts"], on="concept", how="anti", maintain_order="left")
    )
    concepts = conform(retired.with_columns(active=pl.lit(False)), "concepts")
    terms = retired.select(
        "concept", text="name", kind=pl.lit(FSN), language=pl.lit(ENGLISH), active=pl.lit(True), rank=pl.lit(0)
    )
    return {
        "concepts": pl.concat([tables["concepts"], concepts]),
        "terms": pl.concat([tables["terms"], conform(terms, "terms")]),
    }


def _version(files: dict[str, SourceFile]) -> str:
    """Find out which release it is: from release.dat, else from the newest source of MRSAB."""
    if (file := files.get("release.dat")) and (release := _VERSION.search(file.head().decode("latin-1"))):
        return release[0]
    if file := files.get("MRSAB.RRF"):
        return max(_VERSION.findall(file.read().decode("utf-8", "replace")), default="")
    return ""


FORMAT = Format(
    name="rrf",
    title="UMLS Metathesaurus, rich release format",
    signs="a UMLS META folder (MRCONSO.RRF)",
    origin="From the National Library of Medicine of the USA (uts.nlm.nih.gov).",
    licence="The UMLS Metathesaurus licence, free of charge; some source vocabularies add terms of their own.",
    choose=chosen_files,
    read=read_rrf,
    sniff_name=lambda file: file.base.lower() == "mrconso.rrf",
    options=frozenset({"vocabularies", "suppressed"}),
    version=3,
)
