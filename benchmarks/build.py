"""Building the twenty benchmark sets: of HPO, of a release as large as SNOMED CT, and how the time grows with size."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

from benchmarks.measure import below, duration, measured, noted, print_table, quick
from benchmarks.terminology import hp_obo, rf2_release

HERE = "benchmarks.build"
SIZES, QUICK_SIZES = (43_750, 87_500, 175_000, 350_000), (1_000, 2_000, 4_000, 8_000)
IMPORTS = ["termgauge.benchmark.build", "termgauge.benchmark.nearest.search", "termgauge.benchmark.nearest_neighbours"]


def main() -> None:
    """Print what building costs."""
    hpo = str(hp_obo())
    measured(f"{HERE}:build_all", hpo, imports=IMPORTS)  # compiles the kernels, once for a machine
    ontology = measured(f"{HERE}:build_all", hpo, imports=IMPORTS)
    rows = [below(f"HPO: {ontology.result:,} pairs", ontology.seconds, 10, "s")]
    sizes = QUICK_SIZES if quick() else SIZES
    for concepts in sizes:
        made = measured(f"{HERE}:build_all", str(rf2_release(concepts)), imports=IMPORTS)
        what = f"{concepts:,} concepts: {made.result:,} pairs"
        if concepts == sizes[-1]:
            rows += [below(what, made.seconds, 300, "s"), below("  its peak memory", made.peak_mb, 4000, "MB")]
        else:
            rows.append(noted(what, f"{duration(made.seconds)}, {made.peak_mb:,.0f} MB"))
    print_table("Building the twenty sets, from the files to the files (2 cores)", rows, theirs="")


def build_all(source: str) -> int:
    """Build all sets into a folder that is thrown away, and return how many pairs they have."""
    import termgauge as tg

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = tg.build(source, Path(folder) / "out", cache=False)
    return sum(record.pairs for record in made.manifest.files.values())


if __name__ == "__main__":
    main()
