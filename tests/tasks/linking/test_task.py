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


@pytest.mark.parametrize("index", ["names", "all"])
def test_each_mention_is_shown_with_its_best_concepts(folder, run, index):
    (folder / "mentions.csv").write_text('text;concept\n"heart; attack";c3\nchills and fever;c1\n=1+1;c2\n')
    files = "--queries", folder / "mentions.csv", "--out", folder / "links.csv"
    models = "-m", "baseline:levenshtein", "-m", "baseline:random?dim=9"
    status, out, _err = run("linking", folder, *models, *files, "--index", index, "--k", "1,3", "--json")
    assert status == 0
    found = json.loads(out)["models"]
    near = found["levenshtein"]["answers"]
    assert [(each["query"], each["concepts"], each["rank"]) for each in near[:2]] == [
        ("heart; attack", ["c3"], 1),
        ("chills and fever", ["c1"], 2),
    ]
    assert near[0]["best"][0] == {"concept": "c3", "name": "Heart attack", "score": pytest.approx(12 / 13)}
    for answer in near + found["random"]["answers"]:
        concepts = [each["concept"] for each in answer["best"]]
        assert len(set(concepts)) == len(concepts) == (3 if answer["best"] else 0)
        assert (answer["rank"] or 9) > 3 or concepts[answer["rank"] - 1] in answer["concepts"]
        assert answer["best"] == sorted(answer["best"], key=lambda each: -each["score"])
    header, first, *_others, last = (folder / "links.csv").read_text("utf-8").splitlines()
    assert header.startswith("model,text,right,rank,concept_1,name_1,score_1,concept_2,")
    assert first.startswith("levenshtein,heart; attack,c3,1,c3,Heart attack,0.92307")
    assert last.startswith("random,'=1+1,c2,")
    assert len(header.split(",")) == 4 + 3 * 3
    status, out, _err = run("linking", folder, *models, *files[:2], "--no-baselines")
    assert "Heart attack (0.92)" in out


def test_a_table_of_mentions_needs_mentions(folder, run):
    status, _out, err = run("linking", folder, "-m", "baseline:random", "--out", folder / "links.csv")
    assert status == 2
    assert "--queries" in err
    assert not (folder / "links.csv").exists()
    (folder / "mentions.csv").write_text("fever,c1\n")
    result = tg.linking(terminology(), model(), queries=folder / "mentions.csv", out=folder / "links.csv", device="cpu")
    assert result.models["words"].answers[0].best[0].concept == "c1"
    assert result.answers_frame()["name_1"].to_list() == ["Fever"]
    assert (folder / "links.csv").is_file()


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
