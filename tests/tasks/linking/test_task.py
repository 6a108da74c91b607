"""Linking as a command and as a table of an experiment."""

from __future__ import annotations

import json

import pytest

import termgauge as tg
from termgauge.exceptions import TermgaugeError
from termgauge.tasks.linking.task import TASK
from tests.tasks.linking.samples import EDGES, LABELS, model, terminology


@pytest.fixture
def folder(tmp_path):
    rows = "".join(
        f"{concept}\t{text}\t{'synonym' if at else 'fsn'}\n"
        for concept, texts in LABELS.items()
        for at, text in enumerate(texts)
    )
    (tmp_path / "terms.tsv").write_text(f"concept\tterm\tkind\n{rows}")
    (tmp_path / "relations.tsv").write_text("source\ttype\ttarget\n" + "".join("\t".join(e) + "\n" for e in EDGES))
    return tmp_path


def test_which_models_fit():
    assert TASK.fits("words", "glove")
    assert TASK.fits("pairs", "baseline:levenshtein")
    assert not TASK.fits("concepts", "word2vec")
    assert not TASK.fits("pairs", "other")


def test_the_command_prints_json(folder, run):
    status, out, _err = run(
        "linking", folder, "-m", "baseline:random?dim=9", "--k", "1,2", "--no-baselines", "--json", "--device", "cpu"
    )
    assert status == 0
    said = json.loads(out)
    assert (said["index"], said["queries"]) == (5, 7)
    assert set(said["models"]["random"]["accuracy"]) == {"1", "2"}


def test_a_file_of_queries_that_is_not_there_is_refused(folder, run):
    status, _out, err = run("linking", folder, "-m", "baseline:random", "--queries", folder / "gone.tsv")
    assert status == 2
    assert "gone.tsv" in err


def test_a_run_links_and_keeps_what_it_measured(folder):
    (folder / "mentions.tsv").write_text("pyrexia\tc1\nheart attack\tc3\n")
    (folder / "experiment.toml").write_text(
        '[[terminology]]\nname = "toy"\nsource = ["terms.tsv", "relations.tsv"]\n'
        '[[model]]\nspec = "baseline:random"\n[[model]]\nspec = "baseline:levenshtein"\n'
        '[[linking]]\nname = "synonyms"\nindex = "all"\n[[linking]]\nname = "mine"\nqueries = "mentions.tsv"\n'
    )
    made = tg.run(folder / "experiment.toml", out=folder / "run")
    kept = json.loads((folder / "run" / "linking" / "mine.json").read_text("utf-8"))
    assert kept["queries"] == 2
    assert set(kept["models"]) == {"random", "levenshtein"}
    page = (folder / "run" / "report.html").read_text("utf-8")
    assert "Linking terms to concepts: synonyms" in page
    assert made is not None


def test_a_model_of_concepts_alone_is_an_error():
    from tests.domain.tables import Concepts

    with pytest.raises(TermgaugeError, match="none of terms"):
        tg.linking(terminology(), [Concepts(["c1"], [[1.0, 2.0]], kind="concepts")])
    assert tg.linking(terminology(), model(), device="cpu", baselines=False).models["words"].kind == "words"
