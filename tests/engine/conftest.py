"""What tests of experiments share: a small one, a finished run of it, and a look at what is scored."""

from __future__ import annotations

import shutil

import pytest

from termgauge.engine.runner import run
from termgauge.tasks.pairs import scored as pair_scoring
from tests.engine.small_experiment import write_experiment


@pytest.fixture
def small(tmp_path):
    """Return a small experiment file."""
    return write_experiment(tmp_path / "study")


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory):
    """Return the folder of a small experiment that no test may change, with a run of it and the cache of the run."""
    folder = tmp_path_factory.mktemp("undisturbed")
    file = write_experiment(folder / "study")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERMGAUGE_CACHE_DIR", str(folder / "cache"))
        run(file, out=folder / "run", report=False)
    return folder


@pytest.fixture
def finished(undisturbed, small, cache_folder):
    """Return a small experiment whose run is finished, and in the cache."""
    shutil.copytree(undisturbed / "run", small.parent / "run")
    shutil.copytree(undisturbed / "cache", cache_folder, dirs_exist_ok=True)
    return small


@pytest.fixture
def scored(monkeypatch):
    """Return a list that gets a line for each model, set and measures that are scored."""
    calls = []
    plain = pair_scoring.score_pairs

    def counted(model, pairs, measures, advance):
        calls.append((model.name, pairs.id, tuple(measures)))
        return plain(model, pairs, measures, advance)

    monkeypatch.setattr(pair_scoring, "score_pairs", counted)
    return calls
