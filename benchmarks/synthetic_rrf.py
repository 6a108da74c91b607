"""A UMLS META folder of any size in the real layout (RRF files), made from real open terms.

Files are made and written in blocks of columns, so that tens of millions of rows need little memory. The same
numbers and seed give the same bytes (with the same versions of NumPy and of the terms), and the writer returns what
a reader must find.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from termgauge.exceptions import TermgaugeError
from termgauge.io.atomic import whole_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

GENERATOR_VERSION = 1
"""Raised whenever the same parameters give other bytes."""
BLOCK = 250_000
MEAN_ATOMS = 3.3
"""Atoms of a concept, on average; the UMLS has about as many."""

COLUMNS = {
    "MRCONSO.RRF": "CUI,LAT,TS,LUI,STT,SUI,ISPREF,AUI,SAUI,SCUI,SDUI,SAB,TTY,CODE,STR,SRL,SUPPRESS,CVF",
    "MRREL.RRF": "CUI1,AUI1,STYPE1,REL,CUI2,AUI2,STYPE2,RELA,RUI,SRUI,SAB,SL,RG,DIR,SUPPRESS,CVF",
    "MRSTY.RRF": "CUI,TUI,STN,STY,ATUI,CVF",
    "MRRANK.RRF": "RANK,SAB,TTY,SUPPRESS",
    "MRCUI.RRF": "CUI1,VER,REL,RELA,MAPREASON,CUI2,MAPIN",
    "MRFILES.RRF": "FIL,DES,FMT,CLS,RWS,BTS",
    "MRCOLS.RRF": "COL,DES,REF,MIN,AV,MAX,FIL,DTY",
}
TITLES = {
    "MRCONSO.RRF": "Concept names and sources",
    "MRREL.RRF": "Related Concepts",
    "MRSTY.RRF": "Semantic Types",
    "MRRANK.RRF": "Concept Name Ranking",
    "MRCUI.RRF": "CUI History",
    "MRFILES.RRF": "Relation Relation",
    "MRCOLS.RRF": "Attribute Relation",
}
SOURCES = pl.DataFrame(
    [
        ("ENG", "MTH", "PN", 0.03, ""), ("ENG", "MSH", "MH", 0.04, ""), ("ENG", "SNOMEDCT_US", "PT", 0.1, ""),
        ("ENG", "NCI", "PT", 0.07, ""), ("ENG", "ICD10CM", "PT", 0.03, ""), ("ENG", "RXNORM", "SCD", 0.06, ""),
        ("ENG", "LNC", "LN", 0.06, ""), ("ENG", "SNOMEDCT_US", "FN", 0.09, ""), ("ENG", "SNOMEDCT_US", "SY", 0.1, ""),
        ("ENG", "NCI", "SY", 0.06, ""), ("ENG", "MSH", "PM", 0.08, ""), ("SPA", "SCTSPA", "PT", 0.09, "término: "),
        ("SPA", "MSHSPA", "MH", 0.03, "término de "), ("FRE", "MSHFRE", "MH", 0.05, "état de "),
        ("GER", "MSHGER", "MH", 0.04, "Störung durch "), ("POR", "MSHPOR", "MH", 0.03, "condição "),
        ("JPN", "MSHJPN", "PT", 0.02, "用語"), ("DUT", "ICPCDUT", "PT", 0.02, "aandoening "),
    ],
    schema=["LAT", "SAB", "TTY", "weight", "prefix"],
    orient="row",
)  # fmt: skip
"""Languages, vocabularies and term types, best ranked first, how often each occurs, and how its strings begin."""
MODIFIERS = (
    "", " measurement", " 5 MG Oral Tablet", ", unspecified", " [Mass/volume] in Serum", " therapy", " allergy",
    " antibody", ", NOS", " agent", " poisoning", " deficiency", " 10 MG/ML", " screening",
)  # fmt: skip
"""What makes another string of a term when the real ones are used up."""
SUPPRESSION = {"N": 0.88, "O": 0.07, "Y": 0.04, "E": 0.01}
RELATIONS = pl.DataFrame(
    [
        ("CHD", "isa", "PAR", "inverse_isa"), ("RO", "has_finding_site", "RO", "finding_site_of"),
        ("RO", "has_ingredient", "RO", "ingredient_of"), ("RO", "may_be_treated_by", "RO", "may_treat"),
        ("RQ", "mapped_to", "RQ", "mapped_from"), ("RB", "", "RN", ""), ("SIB", "", "SIB", ""), ("SY", "", "SY", ""),
    ],
    schema=["REL", "RELA", "inverse REL", "inverse RELA"],
    orient="row",
)  # fmt: skip
TYPES = pl.DataFrame(
    [
        ("T047", "B2.2.1.2.1", "Disease or Syndrome"), ("T184", "A2.2.2", "Sign or Symptom"),
        ("T061", "B1.3.1.3", "Therapeutic or Preventive Procedure"), ("T121", "A1.4.1.1.1", "Pharmacologic Substance"),
        ("T023", "A1.2.3.1", "Body Part, Organ, or Organ Component"), ("T007", "A1.1.2", "Bacterium"),
        ("T109", "A1.4.1.2.1", "Organic Chemical"), ("T028", "A1.2.3.5", "Gene or Genome"),
        ("T059", "B1.3.1.1", "Laboratory Procedure"), ("T033", "A2.2", "Finding"),
    ],
    schema=["TUI", "STN", "STY"],
    orient="row",
)  # fmt: skip
RETIREMENTS = {"SY": 0.4, "RO": 0.2, "RB": 0.15, "RN": 0.15, "DEL": 0.1}


@dataclass(frozen=True)
class MetaFacts:
    """What is in a META folder: numbers that any correct reader must find."""

    rows: dict[str, int]
    """Rows by file."""
    concepts: int
    """Concepts that have an atom."""
    languages: dict[str, int]
    """Atoms by language."""
    sources: dict[str, int]
    """Atoms by source vocabulary."""
    suppression: dict[str, int]
    """Atoms by suppression."""
    relations: dict[str, int]
    """Relations by suppression."""
    retired: dict[str, int]
    """Rows of MRCUI by relation."""


@dataclass
class _Tally:
    """What has been written so far."""

    rows: Counter[str] = field(default_factory=Counter)
    values: dict[str, Counter[str]] = field(default_factory=dict)
    first_atoms: list[NDArray[np.int64]] = field(default_factory=list)

    def count(self, name: str, values: pl.Series) -> None:
        counts = values.value_counts(name="rows")
        self.values.setdefault(name, Counter()).update(dict(counts.iter_rows()))

    def sorted(self, name: str) -> dict[str, int]:
        return dict(sorted(self.values.get(name, Counter()).items()))


def write_meta(
    folder: Path, *, atoms: int, relations: int, seed: int = 0, terms: Sequence[str] | None = None
) -> MetaFacts:
    """Write a META folder, whole or not at all.

    Parameters
    ----------
    folder
        The folder to make; one that is there is replaced.
    atoms
        Rows of MRCONSO.
    relations
        Rows of MRREL, in no order.
    seed
        Decides everything that is left to chance.
    terms
        Terms to make strings of; real ones from the cache or a download if not given.

    Returns
    -------
    MetaFacts
        What a reader must find.
    """
    if atoms < 1 or relations < 0 or (terms is not None and not terms):
        raise TermgaugeError("A synthetic META folder needs at least one atom and one term to make strings of.")
    if terms is None:
        from benchmarks.real_terms import load_terms

        terms = load_terms(atoms, seed)
    streams = [np.random.default_rng([seed, number]) for number in range(4)]
    tally = _Tally()
    with whole_folder(folder) as place:
        _write(place, "MRCONSO.RRF", _conso(streams[0], atoms, pl.Series(terms, dtype=pl.String), tally), tally)
        first_atoms = np.concatenate(tally.first_atoms)
        _write(place, "MRREL.RRF", _rel(streams[1], relations, first_atoms, tally), tally)
        _write(place, "MRSTY.RRF", _sty(streams[2], len(first_atoms)), tally)
        _write(place, "MRCUI.RRF", _cui(streams[3], len(first_atoms), tally), tally)
        _write(place, "MRRANK.RRF", [_rank()], tally)
        _write(place, "MRCOLS.RRF", [_cols()], tally)
        _write(place, "MRFILES.RRF", [_files(place, tally)], tally)
    return MetaFacts(
        rows=dict(tally.rows),
        concepts=len(first_atoms),
        languages=tally.sorted("LAT"),
        sources=tally.sorted("SAB"),
        suppression=tally.sorted("SUPPRESS"),
        relations=tally.sorted("relations"),
        retired=tally.sorted("retired"),
    )


def _write(folder: Path, name: str, blocks: Iterable[pl.DataFrame], tally: _Tally) -> None:
    columns = COLUMNS[name].split(",")
    tally.rows[name] = 0
    with (folder / name).open("wb") as file:
        for block in blocks:
            missing = [pl.lit("").alias(column) for column in columns if column not in block.columns]
            block.with_columns(missing).select(columns).write_csv(
                file, include_header=False, separator="|", line_terminator="|\n", quote_style="never", batch_size=16384
            )
            tally.rows[name] += len(block)


def _numbered(letter: str, digits: int, numbers: NDArray[np.int64]) -> pl.Series:
    """Return identifiers such as C0000012."""
    return letter + pl.Series(numbers).cast(pl.String).str.zfill(digits)


def _conso(rng: np.random.Generator, atoms: int, terms: pl.Series, tally: _Tally) -> Iterator[pl.DataFrame]:
    concepts = written = 0
    weights = SOURCES["weight"].to_numpy() / SOURCES["weight"].sum()
    while written < atoms:
        sizes = rng.geometric(1 / MEAN_ATOMS, max(int(BLOCK / MEAN_ATOMS), 1))
        ends = np.cumsum(sizes)
        cut = int(np.searchsorted(ends, atoms - written)) + 1
        sizes, ends = sizes[:cut], np.minimum(ends[:cut], atoms - written)
        starts = np.concatenate([[0], ends[:-1]])
        owner = np.repeat(np.arange(len(starts)), ends - starts)
        tally.first_atoms.append(1 + written + starts)
        block = _atoms(rng, written, concepts + 1 + owner, terms, weights)
        for column in ("LAT", "SAB", "SUPPRESS"):
            tally.count(column, block[column])
        yield block
        written += int(ends[-1])
        concepts += len(starts)


def _atoms(
    rng: np.random.Generator,
    written: int,
    concept: NDArray[np.int64],
    terms: pl.Series,
    weights: NDArray[np.float64],
) -> pl.DataFrame:
    count = len(concept)
    number = written + np.arange(count)
    # Now and then a concept has the same string, or the same but for case, from two sources.
    follows = np.concatenate([[False], concept[1:] == concept[:-1]])
    draw = rng.random(count)
    string = np.where(follows & (draw < 0.1), number - 1, number)
    texts = terms.gather(string % len(terms))
    texts = texts.str.to_uppercase().zip_with(pl.Series(draw < 0.03), texts)
    cycle = string // len(terms)
    modifier = pl.Series(MODIFIERS).gather(cycle % len(MODIFIERS))
    again = pl.Series(cycle // len(MODIFIERS))
    again = (", form " + again.cast(pl.String)).zip_with(again > 0, pl.Series([""]).new_from_index(0, count))
    source = SOURCES[rng.choice(len(SOURCES), count, p=weights)]
    suppressed = pl.Series(list(SUPPRESSION)).gather(rng.choice(4, count, p=list(SUPPRESSION.values())))
    kinds = pl.Series(["PF", "VC", "VO", "VW"]).gather(rng.choice(4, count, p=[0.7, 0.1, 0.15, 0.05]))
    frame = pl.DataFrame(
        {
            "CUI": _numbered("C", 7, concept),
            "LAT": source["LAT"],
            "SUI": _numbered("S", 7, 1 + np.where(draw < 0.03, number, string)),
            "AUI": _numbered("A", 7, 1 + number),
            "SAB": source["SAB"],
            "TTY": source["TTY"],
            "CODE": pl.Series(rng.integers(10_000, 100_000_000, count)),
            "STR": source["prefix"] + texts + modifier + again,
            "SUPPRESS": suppressed,
            "kind": kinds,
        }
    )
    preferred = pl.struct("CUI", "LAT").is_first_distinct()
    return frame.with_columns(
        LUI=pl.lit("L") + pl.col("SUI").str.slice(1),
        TS=pl.when(preferred).then(pl.lit("P")).otherwise(pl.lit("S")),
        STT=pl.when(preferred).then(pl.lit("PF")).otherwise("kind"),
        ISPREF=pl.when(preferred | (pl.col("kind") == "PF")).then(pl.lit("Y")).otherwise(pl.lit("N")),
        SCUI=pl.when(pl.col("SAB").str.starts_with("S")).then(pl.col("CODE").cast(pl.String)).otherwise(pl.lit("")),
        SRL=pl.lit("0"),
        CVF=pl.when(preferred).then(pl.lit("256")).otherwise(pl.lit("")),
    )


def _rel(
    rng: np.random.Generator, relations: int, first_atoms: NDArray[np.int64], tally: _Tally
) -> Iterator[pl.DataFrame]:
    """Write every relation in both directions, one row after the other."""
    for written in range(0, relations, BLOCK):
        count = min(BLOCK, relations - written)
        pairs = -(-count // 2)
        ends = rng.integers(0, len(first_atoms), (2, pairs))
        kind = RELATIONS[rng.integers(0, len(RELATIONS), pairs)]
        one, two = (np.stack([ends[i], ends[1 - i]], axis=1).ravel()[:count] for i in (0, 1))
        source = SOURCES["SAB"].gather(np.repeat(rng.integers(0, 11, pairs), 2)[:count])
        block = pl.DataFrame(
            {
                "CUI1": _numbered("C", 7, 1 + one),
                "AUI1": _numbered("A", 7, first_atoms[one]),
                "CUI2": _numbered("C", 7, 1 + two),
                "AUI2": _numbered("A", 7, first_atoms[two]),
                "REL": _alternating(kind["REL"], kind["inverse REL"])[:count],
                "RELA": _alternating(kind["RELA"], kind["inverse RELA"])[:count],
                "RUI": _numbered("R", 8, 1 + written + np.arange(count)),
                "SAB": source,
                "SL": source,
                "SUPPRESS": pl.Series(["N", "O"]).gather((rng.random(count) < 0.05).astype(np.int64)),
            }
        ).with_columns(STYPE1=pl.lit("AUI"), STYPE2=pl.lit("AUI"))
        tally.count("relations", block["SUPPRESS"])
        yield block


def _alternating(forward: pl.Series, backward: pl.Series) -> pl.Series:
    pairs = np.arange(len(forward))
    return pl.concat([forward, backward]).gather(np.stack([pairs, pairs + len(forward)], axis=1).ravel())


def _sty(rng: np.random.Generator, concepts: int) -> Iterator[pl.DataFrame]:
    """Give each concept a semantic type, and one in ten a second one."""
    written = 0
    for start in range(0, concepts, BLOCK):
        count = min(BLOCK, concepts - start)
        one = rng.integers(0, len(TYPES), count)
        more = np.flatnonzero(rng.random(count) < 0.1)
        owner = np.concatenate([np.arange(count), more])
        order = np.argsort(owner, kind="stable")
        kind = np.concatenate([one, (one[more] + 1) % len(TYPES)])[order]
        atui = _numbered("AT", 8, 1 + written + np.arange(len(order)))
        yield TYPES[kind].with_columns(CUI=_numbered("C", 7, 1 + start + owner[order]), ATUI=atui)
        written += len(order)


def _cui(rng: np.random.Generator, concepts: int, tally: _Tally) -> Iterator[pl.DataFrame]:
    """Retire concepts that the other files no longer know, one for every fifty; some led to one now retired too."""
    for start in range(0, concepts // 50, BLOCK):
        count = min(BLOCK, concepts // 50 - start)
        rel = pl.Series(list(RETIREMENTS)).gather(rng.choice(5, count, p=list(RETIREMENTS.values())))
        target = np.where(rng.random(count) < 0.03, concepts + 1, rng.integers(1, concepts + 1, count))
        versions = pl.Series(["2010AA", "2015AB", "2020AA"]).gather(rng.integers(0, 3, count))
        block = pl.DataFrame({"CUI1": _numbered("C", 7, 1 + concepts + start + np.arange(count)), "VER": versions})
        deleted = rel == "DEL"
        nothing = pl.Series([""]).new_from_index(0, count)
        block = block.with_columns(
            REL=rel,
            CUI2=nothing.zip_with(deleted, _numbered("C", 7, target)),
            MAPIN=nothing.zip_with(deleted, pl.Series(["Y"]).new_from_index(0, count)),
        )
        tally.count("retired", rel)
        yield block


def _rank() -> pl.DataFrame:
    """Rank unsuppressed strings before suppressed ones, and sources in their order; the highest rank is best."""
    ranked = pl.concat([SOURCES.with_columns(SUPPRESS=pl.lit(state)) for state in ("N", "Y")])
    ranks = np.arange(len(ranked), 0, -1)
    return ranked.select("SAB", "TTY", "SUPPRESS").with_columns(RANK=_numbered("", 4, ranks))


def _cols() -> pl.DataFrame:
    pairs = [(column, name) for name, columns in COLUMNS.items() for column in columns.split(",")]
    frame = pl.DataFrame(pairs, schema=["COL", "FIL"], orient="row").sort("COL", "FIL")
    return frame.with_columns(MIN=pl.lit("0"), AV=pl.lit("0.00"), MAX=pl.lit("0"), DTY=pl.lit("varchar(3000)"))


def _files(folder: Path, tally: _Tally) -> pl.DataFrame:
    """Describe the files that are there (the description itself is not, yet, and counts as empty)."""
    rows = []
    for name, columns in sorted(COLUMNS.items()):
        path = folder / name
        size = path.stat().st_size if path.exists() else 0
        rows.append((name, TITLES[name], columns, str(columns.count(",") + 1), str(tally.rows[name]), str(size)))
    return pl.DataFrame(rows, schema=COLUMNS["MRFILES.RRF"].split(","), orient="row")
