"""Compiles kernels once, before processes with tests start that would all do it: by tests that need most of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
SOURCE = REPOSITORY / "src" / "termgauge"
STAMP = SOURCE / "__pycache__" / "kernels"
CALLING = (
    ("tests/benchmark/nearest", "tests/benchmark/test_nearest_neighbours.py", "tests/benchmark/test_negatives.py"),
    (
        "tests/common/test_results.py",
        "tests/embeddings/files/test_fasttext.py",
        "tests/similarity",
        "tests/statistics/test_agreement_kernel.py",
        "tests/statistics/test_rank_kernel.py",
        "tests/corpus/test_tagger_training.py",
    ),
)
"""Tests for two processes that together call most kernels, and compile what is not compiled."""


def compiled() -> bool:
    """Say whether kernels were compiled since their modules were changed."""
    modules = (path for path in SOURCE.rglob("*.py") if "@njit" in path.read_text("utf-8"))
    return STAMP.is_file() and max(path.stat().st_mtime for path in modules) < STAMP.stat().st_mtime


def compile_all() -> None:
    """Compile what most tests need. A test that fails here fails among the others again, where it is looked at."""
    command = [sys.executable, "-m", "pytest", "-n0", "-q", "-p", "no:cacheprovider"]
    started = [
        subprocess.Popen([*command, *tests], cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for tests in CALLING
    ]
    for each in started:
        each.wait()
    STAMP.parent.mkdir(exist_ok=True)
    STAMP.touch()
