from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.experiment.evaluate import evaluate
from termgauge.experiment.run_folder import LAYOUT, RunFolder, file_name, open_run
from tests.experiment.toy_models import ToyPairs, ToyWords, binary_set, graded_set


@pytest.fixture
def run(tmp_path):
    return evaluate([graded_set(), binary_set()], [ToyWords(), ToyPairs()], tmp_path / "run")


def test_scores_come_back_as_they_were(run):
    model, pairs = ToyPairs(), graded_set()
    scores = run.scored().scores("own", pairs.id)
    wanted = model.score(pairs.frame["term_1"], pairs.frame["term_2"])
    assert np.array_equal(scores["similarity"], wanted)
    assert run.scored().read_set(pairs.id) == pairs
    assert run.scored().scores("own", "nothing") is None
    gaps = np.array([0.5, np.nan] * 20)
    run.write_scores("own", model.identity, pairs, {"similarity": gaps})
    assert np.array_equal(run.scored().scores("own", pairs.id)["similarity"], gaps, equal_nan=True)


def test_no_run(tmp_path):
    with pytest.raises(TermgaugeError, match="is no run folder"):
        open_run(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(TermgaugeError, match="is no run folder"):
        open_run(tmp_path / "file")
    with pytest.raises(TermgaugeError, match="is a file, not a run folder"):
        RunFolder(tmp_path / "file").document()
    with pytest.raises(TermgaugeError, match="holds no results"):
        RunFolder(tmp_path).results()


def test_a_folder_of_other_things_is_left_alone(tmp_path):
    (tmp_path / "experiment.toml").write_text("mine")
    with pytest.raises(TermgaugeError, match=r"is no run folder and holds other files \('experiment.toml'\)"):
        evaluate([graded_set()], [ToyPairs()], tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["experiment.toml"]
    assert (tmp_path / "experiment.toml").read_text() == "mine"
    (tmp_path / "empty").mkdir()
    evaluate([graded_set()], [ToyPairs()], tmp_path / "empty")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"layout": 99}', "another version of termgauge"),
        ('{"sets": {}, "models": {}}', "another version of termgauge"),
        ("[]", "is damaged"),
        ("{", "is damaged"),
        (json.dumps({"layout": LAYOUT, "sets": [], "models": {}}), "is damaged"),
        (json.dumps({"layout": LAYOUT, "sets": {}}), "is damaged"),
    ],
)
def test_another_version_and_damage(run, text, sentence):
    (run.path / "run.json").write_text(text)
    for use in (lambda: open_run(run.path), lambda: evaluate([graded_set()], [ToyPairs()], run.path)):
        with pytest.raises(TermgaugeError, match=sentence) as error:
            use()
        assert "--out" in str(error.value)


def test_scores_that_no_longer_belong(run):
    pairs = graded_set()
    document = run.document()
    document["sets"][pairs.id]["sha256"] = "0" * 64
    run.write_document(document)
    with pytest.raises(TermgaugeError, match="another version of the set 'toy/graded'"):
        run.scored().scores("own", pairs.id)
    with pytest.raises(TermgaugeError, match=r"is not the set that run\.json names"):
        run.scored().read_set(pairs.id)
    document = run.document()
    document["models"]["own"]["key"] = "0"
    run.write_document(document)
    with pytest.raises(TermgaugeError, match="another version of the model 'own'"):
        run.scored().scores("own", binary_set().id)


def test_damaged_files(run):
    pairs = graded_set()
    file = run.scored().scores_file("own", pairs.id)
    whole = file.read_bytes()
    for content in (b"", b"nonsense", whole[: len(whole) // 2]):
        file.write_bytes(content)
        with pytest.raises(TermgaugeError, match="is damaged"):
            run.scored().scores("own", pairs.id)
    run.write_scores("own", ToyPairs().identity, pairs, {"similarity": np.zeros(7)})
    with pytest.raises(TermgaugeError, match="7 scores for the 40 pairs"):
        run.scored().scores("own", pairs.id)
    (run.path / "results.parquet").write_bytes(b"x")
    with pytest.raises(TermgaugeError, match="cannot be read"):
        run.results()
    with pytest.raises(TermgaugeError, match=r"has no set 'toy/grade'.*Did you mean 'toy/graded'"):
        run.scored().read_set("toy/grade")


@given(st.lists(st.text(min_size=1, max_size=200), min_size=2, max_size=20, unique=True))
def test_file_names_differ_and_stay_in_their_folder(names):
    made = [file_name(name) for name in names]
    assert len(set(made)) == len(made)
    for name in made:
        assert "/" not in name
        assert not name.startswith(".")
        assert len(name) < 140
        assert name.isascii()
