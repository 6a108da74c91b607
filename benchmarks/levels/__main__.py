"""Print what simulations found: ``python -m benchmarks.levels [--repeats 1000] [coverage …]``.

Every module of this folder with a function ``main(repeats)`` is a simulation; a new one needs no entry anywhere.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.exceptions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence


def run(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for; return 0, or 2 for an unknown name."""
    known = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("__"))
    parser = argparse.ArgumentParser(prog="python -m benchmarks.levels", description="Levels and power, simulated.")
    parser.add_argument("names", nargs="*", metavar="name", help=f"which ones: {', '.join(known)} (default: all)")
    parser.add_argument("--repeats", type=int, default=1000, help="how often each case is drawn (default: 1000)")
    options = parser.parse_args(arguments)
    for name in options.names:
        if name not in known:
            print(f"There is no simulation '{name}'; there are: {', '.join(known)}.{did_you_mean(name, known)}")
            return 2
    for name in options.names or known:
        importlib.import_module(f"benchmarks.levels.{name}").main(options.repeats)
    return 0


if __name__ == "__main__":
    sys.exit(run())
