"""Run all benchmarks, or those named: ``python -m benchmarks [--quick] [terminology …]``.

Every module of this package that has a function ``main`` is a benchmark; a new one needs no entry anywhere.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import QUICK_VARIABLE
from termgauge.exceptions import TermgaugeError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence


def names_of_benchmarks() -> list[str]:
    """Return the benchmarks there are, without importing them."""
    modules = sorted(Path(__file__).parent.glob("*.py"))
    return [
        path.stem
        for path in modules
        if path.stem != "__main__" and re.search(r"^def main\(", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]


def run(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for; return 0, 2 for an unknown name, 1 if a benchmark failed."""
    known = names_of_benchmarks()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Speed and memory, as ratios.")
    parser.add_argument("names", nargs="*", metavar="name", help=f"which ones: {', '.join(known)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that everything works")
    options = parser.parse_args(arguments)
    for name in options.names:
        if name not in known:
            print(f"There is no benchmark '{name}'; there are: {', '.join(known)}.{did_you_mean(name, known)}")
            return 2
    if options.quick:
        os.environ[QUICK_VARIABLE] = "1"
    failed = [name for name in options.names or known if not _succeeds(name)]
    if failed:
        print(f"Failed: {', '.join(failed)}.", file=sys.stderr)
    return 1 if failed else 0


def _succeeds(name: str) -> bool:
    """Run one benchmark; if it fails, say why, so that the others still run."""
    try:
        importlib.import_module(f"benchmarks.{name}").main()
    except TermgaugeError as error:
        print(f"{name}: {error}", file=sys.stderr)
    except Exception:  # noqa: BLE001
        traceback.print_exc()
    else:
        return True
    return False


if __name__ == "__main__":
    sys.exit(run())
