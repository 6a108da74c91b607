"""Named entities with networks that are really trained: better vectors win, and a run that was killed goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import termgauge as tg
from termgauge.engine.file import load_experiment
from termgauge.engine.runner import plan
from termgauge.io.atomic import TEMPORARY_PREFIX
from tests.tasks.ner.made_corpus import write_corpus, write_vectors

pytest.importorskip("torch")


@pytest.fixture
def places(tmp_path):
    """Write a corpus, vectors that know which word is which, and vectors that were drawn."""
    write_corpus(tmp_path / "made")
    return write_vectors(tmp_path / "knows.txt"), write_vectors(tmp_path / "drawn.txt", knows=False)


def experiment(folder, trials=2, epochs=8):
    (folder / "experiment.toml").write_text(
        f'[[model]]\nspec = "knows.txt"\n[[model]]\nspec = "drawn.txt"\n[[model]]\nspec = "baseline:levenshtein"\n'
        f'[[ner]]\nname = "drugs"\ncorpus = "made"\ntrials = {trials}\nepochs = {epochs}\n'
    )
    return folder / "experiment.toml"


def test_vectors_that_know_more_give_a_higher_f(places, tmp_path):
    result = tg.ner(tmp_path / "made", places, device="cpu")
    models = result.corpora["made"].models
    assert models["knows"].f > 0.7
    assert models["knows"].f > models["drawn"].f + 0.05
    assert models["knows"].curves[0][-1].loss < models["knows"].curves[0][0].loss / 2
    assert models["knows"].device == ["cpu"]
    frozen = tg.ner(tmp_path / "made", places[0], frozen=True, profile="paper", epochs=2, trials=1, device="cpu")
    assert (frozen.profile, frozen.decoding, frozen.frozen) == ("paper", "argmax", True)


def test_encoders_of_terms_serve(places, tmp_path):
    from tests.engine.toy_models import ToyTerms

    result = tg.ner(tmp_path / "made", [str(places[0]), ToyTerms()], epochs=2, trials=1, device="cpu")
    assert result.corpora["made"].models["encoder"].note == "tokens encoded one by one"
    assert result.left_out == []


def test_a_run_has_all_trials_whoever_trains_them(places, tmp_path):
    file = experiment(tmp_path)
    assert len(places) == 2
    step = next(step for step in plan(load_experiment(file)).steps if step.name == "Named entities")
    assert (step.items[0].what, step.items[0].todo) == ("4 of 4 trials to be measured", 4)
    assert step.seconds > 0
    alone = tg.run(file, out=tmp_path / "one").path / "ner" / "drugs.json"
    both = tg.run(file, out=tmp_path / "two", jobs=2).path / "ner" / "drugs.json"
    one, two = (json.loads(path.read_text())["corpora"]["made"] for path in (alone, both))
    for found in (one, two):
        for scores in found["models"].values():
            for curve in scores["curves"]:
                for epoch in curve:
                    del epoch["seconds"]
    assert one == two
    assert list(one["models"]) == ["knows", "drawn"], "a baseline of letters is passed over"
    assert "Named entities in made" in (tmp_path / "one" / "report.html").read_text()
    step = next(
        step for step in plan(load_experiment(file), out=tmp_path / "one").steps if step.name == "Named entities"
    )
    assert (step.items[0].there, step.seconds) == (True, 0)


def whole(folder):
    """Return the trials in a folder; what is being written is none yet."""
    return [path for path in folder.glob("*.json") if not path.name.startswith(TEMPORARY_PREFIX)]


@pytest.mark.parametrize("inside", [True, False])
def test_what_is_killed_goes_on_where_it_was(places, tmp_path, cache_folder, inside):
    corpus, run = tmp_path / "made", tmp_path / "run"
    words = ["ner", "-c", corpus, "-m", places[0], "--trials", 3, "--epochs", 200, "--device", "cpu", "--json"]
    words += ["--out", run] if inside else []
    kept = run / "ner" / "made" / "knows" if inside else cache_folder / "ner"
    command = [sys.executable, "-c", "from termgauge.cli import main; main()", *map(str, words)]
    started = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})
    try:
        until = time.monotonic() + 120
        while not whole(kept):
            assert started.poll() is None, "it ended before it was killed"
            assert time.monotonic() < until
            time.sleep(0.01)
    finally:
        started.send_signal(signal.SIGKILL)
        started.wait()
    done = {path.name: path.stat().st_mtime_ns for path in whole(kept)}
    contents = {name: (kept / name).read_bytes() for name in done}
    assert 1 <= len(done) < 3
    found = tg.ner(corpus, str(places[0]), trials=3, epochs=200, device="cpu", out=run if inside else None)
    assert len(found.corpora["made"].models["knows"].trials) == 3
    assert len(whole(kept)) == 3
    assert {name: (kept / name).read_bytes() for name in done} == contents, "what was done was not done again"
    assert not inside or {name: (kept / name).stat().st_mtime_ns for name in done} == done
