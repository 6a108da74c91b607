"""A copy of the repository, to which a test adds what a page of the docs says, and in which it then runs tests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.conftest import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path


def copy_tree(folder: Path, opened: str) -> Path:
    """Copy the repository; of the source only the files of the package `opened`, while the rest is linked."""
    _link(REPOSITORY, folder, ("src", "termgauge", *opened.split("/")))
    for name in ("tests", "docs"):  # which find the repository by where they themselves lie
        (folder / name).unlink()
        shutil.copytree(REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def _link(source: Path, target: Path, opened: tuple[str, ...]) -> None:
    for path in source.iterdir():
        if path.is_file() and (not opened or path.suffix == ".pyi"):  # which docs/make_reference.py writes
            shutil.copy2(path, target / path.name)
        elif opened[:1] == (path.name,):
            (target / path.name).mkdir()
            _link(path, target / path.name, opened[1:])
        elif opened or path.name != "__pycache__":
            (target / path.name).symlink_to(path)


def blocks(page: str, language: str) -> list[str]:
    """Return the pieces of a page of the docs that are in a language."""
    return re.findall(rf"```{language}\n(.*?)```", (REPOSITORY / "docs" / page).read_text("utf-8"), re.DOTALL)


def add_lines(file: Path, beginning: str, lines: str, end: str = "\n)") -> None:
    """Add lines to a file at the end of what begins and ends in some way."""
    head, found, tail = file.read_text(encoding="utf-8").partition(beginning)
    inside, closed, rest = tail.partition(end)
    assert found, f"{file} has no {beginning!r}"
    assert closed, f"{file}: nothing ends what {beginning!r} begins"
    separator = "\n" if end.startswith("\n") else ""
    file.write_text(f"{head}{found}{inside}{separator}{lines.rstrip()}{closed}{rest}", encoding="utf-8")


def run_python(tree: Path, *words: str) -> str:
    """Run Python in a copy, and return what it prints; it must end well."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tree / "src"), str(tree)])}
    done = subprocess.run(
        [sys.executable, *words], cwd=tree, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]
    return done.stdout


def run_tests(tree: Path, *words: str) -> int:
    """Run tests in a copy, and return how many passed; none may fail."""
    said = run_python(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", *words)
    return int(said.rpartition(" passed")[0].split()[-1].lstrip("="))
