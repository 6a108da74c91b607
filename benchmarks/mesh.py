"""Reading MeSH's descriptors at their full size, beside iterparse of ElementTree and of lxml.

The file is made once (:mod:`benchmarks.synthetic_mesh`) and kept in the cache.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from benchmarks.measure import Row, below, measured, noted, print_table, quick
from benchmarks.terminology import in_memory, made

if TYPE_CHECKING:
    from pathlib import Path

DESCRIPTORS, QUICK_DESCRIPTORS = 30_000, 300
HERE = "benchmarks.mesh"


def main() -> None:
    """Print what reading costs."""
    rows = mesh_rows(QUICK_DESCRIPTORS if quick() else DESCRIPTORS)
    print_table("Reading MeSH's descriptors (iterparse: only counting records and terms)", rows, theirs="iterparse")


def mesh_rows(descriptors: int) -> list[Row]:
    """Measure one file of descriptors."""
    path = mesh_file(descriptors)
    facts = json.loads((path.parents[1] / "facts.json").read_text(encoding="utf-8"))
    in_memory(path)
    ours = measured("benchmarks.terminology:read_ours", str(path), False, imports=["termgauge.terminology", "polars"])
    plain = measured(f"{HERE}:count_with_iterparse", str(path), "xml.etree.ElementTree")
    known = {"concepts": descriptors, "terms": facts["terms"], "relations": facts["tree_parents"], "replacements": 0}
    if ours.result != known or plain.result != [descriptors, facts["terms"]]:
        raise RuntimeError(f"The readers found {ours.result} and {plain.result}; there are {known}.")
    rows = [
        noted(f"{descriptors:,} descriptors, {path.stat().st_size / 1e6:,.0f} MB, ElementTree", str(ours), str(plain))
    ]
    if importlib.util.find_spec("lxml"):
        rows.append(
            noted("the same, lxml", str(ours), str(measured(f"{HERE}:count_with_iterparse", str(path), "lxml.etree")))
        )
    return [*rows, below("time", ours.seconds, 30, "s"), below("peak memory", ours.peak_mb, 2000, "MB")]


def count_with_iterparse(path: str, module: str) -> list[int]:
    """Count the records, and the terms that are not permuted, as one would without termgauge."""
    parser: Any = importlib.import_module(module)
    records = terms = 0
    for _event, element in parser.iterparse(path, events=("end",)):
        if element.tag == "Term":
            terms += element.get("IsPermutedTermYN") == "N"
        elif element.tag == "DescriptorRecord":
            records += 1
            element.clear()
    return [records, terms]


def mesh_file(descriptors: int, seed: int = 0) -> Path:
    """Return a file of descriptors, made now if it is not in the cache."""
    from benchmarks.synthetic_mesh import GENERATOR_VERSION, write_descriptors

    key = f"mesh-v{GENERATOR_VERSION}-{descriptors}-{seed}"
    return made(key, lambda folder: asdict(write_descriptors(folder, descriptors, seed))) / "desc2025.xml"


if __name__ == "__main__":
    main()
