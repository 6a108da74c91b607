"""Kernels are compiled wherever termgauge runs, even where nothing can be written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from termgauge import compiled
from tests.conftest import REPOSITORY

AS_NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


@pytest.mark.parametrize(
    ("package", "cache", "kept", "place"),
    [(True, True, True, ""), (False, True, True, "numba"), (False, False, False, "")],
)
def test_where_compiled_code_is_kept(monkeypatch, cache_folder, package, cache, kept, place):
    monkeypatch.setattr(compiled.numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(compiled, "writable", lambda folder: cache if folder == cache_folder else package)
    assert compiled._kept() is kept
    assert (str(cache_folder / place) if place else "") == compiled.numba.config.CACHE_DIR


@pytest.fixture
def place():
    """Return a folder that everybody may read."""
    with tempfile.TemporaryDirectory(prefix="termgauge-test-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.long
@pytest.mark.parametrize("cache", ["writable", "not writable"])
def test_a_user_who_may_write_nowhere_else(place, cache):
    """Read word vectors and a terminology as a service account does, with a package that belongs to root."""
    if os.name == "nt" or os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can become somebody else")
    shutil.copytree(REPOSITORY / "src" / "termgauge", place / "termgauge", ignore=shutil.ignore_patterns("__pycache__"))
    (place / "v.txt").write_text("2 3\nfever 1 2 3\ncough 3 2 1\n")
    rows = (f"{n}\tterm {n}\n{n}\tword {n}{n}{n}\n" for n in range(20))
    (place / "t.tsv").write_text("concept\tterm\n" + "".join(rows))
    (place / "cache").mkdir()
    (place / "cache").chmod(0o777 if cache == "writable" else 0o755)
    program = (
        "import warnings; warnings.simplefilter('ignore'); import termgauge as tg; print(tg.__file__);"
        f"print(tg.load_model({str(place / 'v.txt')!r}).vectors(['cough']).tolist());"
        f"print(tg.read_terminology({str(place / 't.tsv')!r}).terms.height)"
    )
    home = {"HOME": "/nonexistent", "TERMGAUGE_CACHE_DIR": str(place / "cache"), "PYTHONPATH": str(place)}
    command = [*AS_NOBODY, sys.executable, "-c"]
    if subprocess.run([*command, "import numba"], cwd="/", capture_output=True, check=False).returncode:
        pytest.skip("this Python belongs to root alone")
    done = subprocess.run(
        [*command, program], env={**os.environ, **home}, cwd="/", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    used, vector, terms = done.stdout.splitlines()
    assert used == str(place / "termgauge" / "__init__.py")
    assert vector == "[[3.0, 2.0, 1.0]]"
    assert terms == "40"
    assert (place / "cache" / "numba").exists() == (cache == "writable")
