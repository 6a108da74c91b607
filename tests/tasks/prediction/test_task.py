"""Prediction as people ask for it: in an experiment, on a finished run, of a table, in Python."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import termgauge as tg
from termgauge.engine.file import load_experiment
from termgauge.engine.runner import plan
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.tasks.contract import Material
from termgauge.tasks.prediction.task import TASK, PredictionOptions
from tests.engine.small_experiment import write_experiment
from tests.tasks.prediction.made_scores import EXTRINSIC, INTRINSIC, MODELS

EXPERIMENT = """\
output = "run"

[[terminology]]
name = "small"
source = "small.obo"

[[benchmark]]
terminology = "small"
only = ["fsn-syn"]

[scoring]
measures = ["avg_cos"]

[[coverage]]
name = "organs"
branches = ["X:top"]
k = [5]
analogies = false

[[prediction]]
name = "of coverage"
extrinsic = ["coverage:posdcg"]

[[model]]
name = "letters"
spec = "baseline:levenshtein"
"""
pytestmark = pytest.mark.filterwarnings("ignore:Without positives")


@pytest.fixture
def table(tmp_path):
    rows = zip(MODELS, *INTRINSIC.values(), *EXTRINSIC.values(), strict=True)
    lines = [["model", *INTRINSIC, *EXTRINSIC], *rows]
    (tmp_path / "models.csv").write_text("".join(",".join(map(str, line)) + "\n" for line in lines))
    return tmp_path / "models.csv"


@pytest.fixture
def file(tmp_path):
    """Return an experiment with four models of words and one that knows no vectors."""
    path = write_experiment(tmp_path / "study", EXPERIMENT)
    size, *lines = (path.parent / "words.txt").read_text().splitlines()
    words = [line.split()[0] for line in lines]
    for at in range(4):
        vectors = np.random.default_rng(at).normal(size=(len(words), 6)).round(4).tolist()
        own = [" ".join([word, *map(str, vector)]) for word, vector in zip(words, vectors, strict=True)]
        (path.parent / f"words{at}.txt").write_text("\n".join([size, *own]) + "\n")
        with path.open("a") as text:
            text.write(f'\n[[model]]\nname = "words {at}"\nspec = "word2vec:words{at}.txt"\n')
    return path


def planned(file):
    return {item.name: item for step in plan(load_experiment(file)).steps for item in step.items}


def test_an_experiment_asks_for_it(file):
    run = tg.run(file)
    found = tg.prediction(run, extrinsic=["coverage:posdcg"])
    assert found.n == 4
    assert set(found.tasks) == {"organs, k = 5, posdcg"}
    assert list(found.benchmarks) == list(run.record().sets)
    assert found.left_out == ["letters: has no score on organs, k = 5, posdcg."]
    assert found.families == [[f"words {at}" for at in range(4)]]
    assert not found.named_families
    attenuations = [cell.attenuation for cell in found.cells]
    assert any(each is not None for each in attenuations)
    assert all(0 <= each < 1 for each in attenuations if each is not None)
    assert "Attenuation" in (run.path / "report.html").read_text()
    (stored,) = (run.path / "prediction").glob("*.json")
    assert json.loads(stored.read_text())["cells"] == found.as_dict()["cells"]
    page = (run.path / "report.html").read_text()
    assert "Prediction: of coverage" in page
    assert "What four models can show" in page
    assert "Chiu B, Pyysalo S" in page
    assert planned(file)["of coverage"].there
    before = {path: path.stat().st_mtime_ns for path in run.path.rglob("*")}
    tg.prediction(run, extrinsic=["coverage:posdcg"], alpha=0.1, correction="holm")
    assert {path: path.stat().st_mtime_ns for path in run.path.rglob("*")} == before, "a verb writes nothing"


def test_an_experiment_names_families(file):
    text = file.read_text()
    for at, family in enumerate(["one", "one", "other", "other"]):
        text = text.replace(f'name = "words {at}"\n', f'name = "words {at}"\nfamily = "{family}"\n')
    file.write_text(text)
    run = tg.run(file)
    found = tg.prediction(run, extrinsic=["coverage:posdcg"])
    assert found.named_families
    assert found.families == [["words 0", "words 1"], ["words 2", "words 3"]]
    assert all(cell.rho_p >= 0.25 for cell in found.cells if cell.rho_p is not None), "there are four orders"


def test_a_run_in_which_too_few_models_have_both(file):
    text = file.read_text()
    for at in (1, 2, 3):
        text = text.replace(f'\n[[model]]\nname = "words {at}"\nspec = "word2vec:words{at}.txt"\n', "")
    file.write_text(text)
    with pytest.warns(TermgaugeWarning, match="The section 'prediction of coverage' is left out: .*no two models have"):
        run = tg.run(file)
    assert "prediction of coverage is not there" in (run.path / "report.html").read_text()
    with pytest.raises(TermgaugeError, match="nothing can be correlated; 2 of 2 models have a benchmark's score, 1 a"):
        tg.prediction(run, extrinsic=["coverage:posdcg"])


def test_a_table(run, table):
    found = tg.prediction(table, extrinsic=list(EXTRINSIC))
    assert found.n == 7
    status, out, _err = run("prediction", table, "--extrinsic", "anatem", "--extrinsic", "jnlpba", "--json")
    assert status == 0
    assert json.loads(out) == found.as_dict()
    assert json.loads(run("prediction", table, "--extrinsic", "anatem", "jnlpba", "--json")[1]) == found.as_dict()
    status, out, _err = run("prediction", table, "--extrinsic", "anatem,jnlpba", "--correction", "holm")
    assert status == 0
    assert "What seven models can show" in out
    assert "corrected by Holm" in " ".join(out.split())


def test_a_table_names_families(table):
    lines = table.read_text().splitlines()
    families = ["family", "a", "a", "a", "b", "b", "", "alone"]
    table.write_text("".join(f"{line},{family}\n" for line, family in zip(lines, families, strict=True)))
    found = tg.prediction(table, extrinsic=list(EXTRINSIC))
    assert set(found.benchmarks) == set(INTRINSIC)
    assert found.families == [MODELS[:3], MODELS[3:5], [MODELS[6]]]
    plain = tg.prediction(table, extrinsic=list(EXTRINSIC), intrinsic=list(INTRINSIC))
    assert [cell.rho_p for cell in plain.cells] == [cell.rho_p for cell in found.cells]
    with pytest.raises(TermgaugeError, match="'a' in the column 'family' is not a number"):
        tg.prediction(table, extrinsic=list(EXTRINSIC), intrinsic=["family"])


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["models.csv"], "does not say which columns are scores of a task"),
        (["models.csv", "--extrinsic", "anatom"], "no column of scores 'anatom'.*Did you mean 'anatem'"),
        (["models.csv", "--extrinsic", "anatem", "--alpha", "2"], "alpha"),
        (["models.csv", "--extrinsic", "anatem", "--correction", "all"], "correction"),
        (["nothing.csv", "--extrinsic", "anatem"], "no such file or folder; name a run folder, or a table of scores"),
        (["."], "is no run folder"),
    ],
)
def test_what_is_wrong_is_one_sentence(run, table, monkeypatch, words, why):
    monkeypatch.chdir(table.parent)
    status, out, err = run("prediction", *words)
    assert status == 2
    assert out == ""
    assert "Traceback" not in err

    assert re.search(why, " ".join(err.split()))


def test_what_it_is_made_from_are_the_scores_wherever_they_lie(table):
    options = PredictionOptions.of(extrinsic=["anatem"])
    one = TASK.inputs(options, Material(instead=table))
    moved = table.rename(table.with_name("moved.csv"))
    other = TASK.inputs(options, Material(instead=moved))
    assert TASK.identity(one, options) == TASK.identity(other, options)
    moved.write_text(moved.read_text().replace("80.49", "80.5"))
    assert TASK.identity(TASK.inputs(options, Material(instead=moved)), options) != TASK.identity(one, options)
