"""A SNOMED CT RF2 Full release of any size in the real layout, with history, made from real open terms.

The same numbers and seed give the same bytes (with the same versions of NumPy and of the terms). The writer knows by
construction what a reader must find and returns it as :class:`ReleaseFacts`.

On the command line: ``python -m benchmarks.synthetic_rf2 OUT --concepts 350000 --seed 0 [--zip]``.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import zipfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from benchmarks.synthetic_content import (
    DEFINITION,
    FSN,
    GB_ENGLISH,
    INFERRED,
    MODEL_MODULE,
    REASONS,
    SYNONYM,
    US_ENGLISH,
    Concepts,
    make_associations,
    make_concepts,
    make_relationships,
)
from benchmarks.synthetic_descriptions import (
    ACCEPTABLE,
    PREFERRED,
    make_description_rows,
    make_descriptions,
    make_language_refset,
)
from benchmarks.synthetic_history import RELEASES
from termgauge.exceptions import TermgaugeError
from termgauge.io.atomic import whole_file, whole_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

GENERATOR_VERSION = 1
"""Raised whenever the same parameters give other bytes."""
DATE = RELEASES[-1]
RELEASE_NAME = f"SnomedCT_SyntheticRF2_PRODUCTION_{DATE}T120000Z"
FILES = {
    "concept": f"Full/Terminology/sct2_Concept_Full_INT_{DATE}.txt",
    "description": f"Full/Terminology/sct2_Description_Full-en_INT_{DATE}.txt",
    "relationship": f"Full/Terminology/sct2_Relationship_Full_INT_{DATE}.txt",
    "language": f"Full/Refset/Language/der2_cRefset_LanguageFull-en_INT_{DATE}.txt",
    "association": f"Full/Refset/Content/der2_cRefset_AssociationFull_INT_{DATE}.txt",
}
"""Where the files of a release are, below the release's own folder."""
README = b"A synthetic release for measuring speed, made of open terms; of no use in care.\r\n"
_KINDS = {FSN: "fsn", SYNONYM: "synonym", DEFINITION: "definition"}
_DIALECTS = {US_ENGLISH: "en-US", GB_ENGLISH: "en-GB"}
_ACCEPTABILITY = {PREFERRED: "preferred", ACCEPTABLE: "acceptable"}


@dataclass(frozen=True)
class ReleaseFacts:
    """What is in a release: numbers that any correct reader must find."""

    version: str
    rows: dict[str, int]
    """Rows, without the header, by kind of file (the keys of FILES)."""
    concepts: int
    active_concepts: int
    counted_concepts: int
    """Active ones outside the model component module."""
    descriptions: int
    active_descriptions: int
    kinds: dict[str, int]
    """Active descriptions by type: fsn, synonym, definition."""
    relations: int
    """Relationships whose current version is active and inferred."""
    distinct_relations: int
    """The same, each (source, type, target) counted once, whatever its group."""
    replacements: dict[str, int]
    """Pairs (retired, replacement) by reason: each pair once, with the refset of its first row, if the newest row
    of pair and refset is active; rows of the model component module left out."""
    foreign_replacements: int
    """How many of them point to a concept that is not in the release."""
    language_members: dict[str, int]
    """Active members of the language refset, by dialect and acceptability (``en-GB preferred``)."""


def write_release(
    folder: Path,
    *,
    concepts: int,
    seed: int = 0,
    synonyms: float = 2.15,
    relationships: float = 3.4,
    retired: float = 0.12,
    shuffled: bool = False,
    terms: Sequence[tuple[str, Sequence[str]]] | None = None,
) -> ReleaseFacts:
    """Write a release into a folder, whole or not at all.

    Parameters
    ----------
    folder
        Where the folder of the release is made.
    concepts
        How many content concepts; about 20 that hold a release together are added.
    seed
        Decides everything that is left to chance.
    synonyms
        How many synonyms a concept has on average.
    relationships
        How many relationships there are for each concept, on average.
    retired
        The share of concepts that end inactive.
    shuffled
        Put the rows in a random order; otherwise they are ordered by identifier (as text) and time, as in real
        releases.
    terms
        Concepts to draw from, each a name with its synonyms; real ones from the cache or a download if not given.

    Returns
    -------
    ReleaseFacts
        What a reader must find.
    """
    if concepts < 1 or (terms is not None and not terms):
        raise TermgaugeError("A synthetic release needs at least one concept and one term to draw from.")
    if terms is None:
        from benchmarks.real_terms import load_concepts

        terms = load_concepts(concepts, seed)
    # Each file has its own stream of chance, so that asking for more relationships leaves the descriptions alone.
    streams = [np.random.default_rng([seed, number]) for number in range(7)]
    made = make_concepts(streams[0], concepts, terms, synonyms=synonyms, retired=retired)
    names = make_descriptions(streams[1], made)
    makers: dict[str, Callable[[], pl.DataFrame]] = {
        "concept": lambda: made.rows,
        "description": lambda: make_description_rows(streams[2], names, made),
        "relationship": lambda: make_relationships(streams[3], made, per_concept=relationships),
        "language": lambda: make_language_refset(streams[4], names, made),
        "association": lambda: make_associations(streams[5], made),
    }
    found = _facts_of_components(made, names)
    rows = {}
    with whole_folder(folder / RELEASE_NAME) as release:
        for kind, name in FILES.items():
            frame = _ordered(makers[kind](), streams[6] if shuffled else None)
            _write_rows(release / name, frame)
            rows[kind] = len(frame)
            found |= _facts_of_rows(kind, frame, made)
        (release / "Readme_en.txt").write_bytes(README)
    return ReleaseFacts(version=str(DATE), rows=rows, **found)


def zip_release(folder: Path, archive: Path) -> None:
    """Put a written release into a zip archive, with the same bytes every time."""
    with whole_file(archive) as temporary, zipfile.ZipFile(temporary, "w") as opened:
        for path in sorted((folder / RELEASE_NAME).rglob("*")):
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix() + "/" * path.is_dir(), (2023, 7, 31, 12, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            if path.is_dir():
                opened.writestr(entry, b"")
                continue
            entry.file_size = path.stat().st_size
            with path.open("rb") as source, opened.open(entry, "w") as target:
                shutil.copyfileobj(source, target, 1 << 20)


def _ordered(frame: pl.DataFrame, rng: np.random.Generator | None) -> pl.DataFrame:
    if rng is not None:
        return frame[rng.permutation(len(frame))]
    return frame.sort(pl.col("id").cast(pl.String), "effectiveTime")


def _write_rows(path: Path, frame: pl.DataFrame) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.write_csv(path, separator="\t", line_terminator="\r\n", quote_style="never", batch_size=65536)


def _facts_of_components(concepts: Concepts, descriptions: pl.DataFrame) -> dict[str, Any]:
    active = descriptions.filter("active")
    return {
        "concepts": len(concepts.ids),
        "active_concepts": int(concepts.active.sum()),
        "counted_concepts": int((concepts.active & (concepts.modules != MODEL_MODULE)).sum()),
        "descriptions": len(descriptions),
        "active_descriptions": len(active),
        "kinds": {name: len(active.filter(pl.col("kind") == kind)) for kind, name in _KINDS.items()},
    }


def _facts_of_rows(kind: str, rows: pl.DataFrame, concepts: Concepts) -> dict[str, Any]:
    match kind:
        case "relationship":
            current = _current(rows).filter(pl.col("active") == 1, pl.col("characteristicTypeId") == INFERRED)
            distinct = current.n_unique(["sourceId", "typeId", "destinationId"])
            return {"relations": len(current), "distinct_relations": distinct}
        case "language":
            return {"language_members": _language_members(rows)}
        case "association":
            pairs = _replacements(rows)
            counts = {reason: len(pairs.filter(pl.col("refsetId") == refset)) for refset, reason in REASONS.items()}
            foreign = pairs.filter(~pl.col("targetComponentId").is_in(concepts.ids.tolist()))
            return {"replacements": counts, "foreign_replacements": len(foreign)}
        case _:
            return {}


def _current(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.sort("effectiveTime").unique("id", keep="last")


def _replacements(rows: pl.DataFrame) -> pl.DataFrame:
    pair = ["referencedComponentId", "targetComponentId"]
    rows = rows.filter(pl.col("moduleId") != MODEL_MODULE)
    newest = rows.sort("effectiveTime").unique([*pair, "refsetId"], keep="last").filter(pl.col("active") == 1)
    first = rows.unique(pair, keep="first", maintain_order=True).filter(pl.col("refsetId").is_in(list(REASONS)))
    return first.join(newest, on=[*pair, "refsetId"], how="semi")


def _language_members(rows: pl.DataFrame) -> dict[str, int]:
    counts = _current(rows).filter(pl.col("active") == 1).group_by("refsetId", "acceptabilityId").len()
    return {
        f"{_DIALECTS[dialect]} {_ACCEPTABILITY[acceptability]}": number
        for dialect, acceptability, number in sorted(counts.iter_rows())
    }


def command(arguments: Sequence[str] | None = None) -> None:
    """Write a release as asked on the command line, and print its facts."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.synthetic_rf2", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("out", type=Path, help="folder to write into, or the archive with --zip")
    parser.add_argument("--concepts", type=int, default=350_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--synonyms", type=float, default=2.15, help="per concept, on average")
    parser.add_argument("--relationships", type=float, default=3.4, help="per concept, on average")
    parser.add_argument("--retired", type=float, default=0.12, help="share of concepts that end inactive")
    parser.add_argument("--shuffled", action="store_true", help="rows in a random order")
    parser.add_argument("--zip", action="store_true", help="write a zip archive instead of a folder")
    options = vars(parser.parse_args(arguments))
    out, zipped = options.pop("out"), options.pop("zip")
    if zipped:
        with tempfile.TemporaryDirectory(dir=out.absolute().parent) as place:
            facts = write_release(Path(place), **options)
            zip_release(Path(place), out)
    else:
        facts = write_release(out, **options)
    for name, value in asdict(facts).items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    command()
