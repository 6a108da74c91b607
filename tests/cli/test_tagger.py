"""The commands about the tagger, from text to tagged text and from tagged text to a tagger."""

from __future__ import annotations

import json

import pytest

from tests.corpus.medline_files import ARTICLE, citation, medline

TAGGED = "The\tDT\ncells\tNNS\ngrow\tVBP\n.\t.\n\nA\tDT\ngene\tNN\n.\t.\n\n" * 20


@pytest.fixture
def trained(run, tmp_path):
    (tmp_path / "train.tsv").write_text(TAGGED)
    status, out, err = run("tagger", "train", tmp_path / "train.tsv", "-o", tmp_path / "t.npz", "--seed", 3)
    assert status == 0, err
    assert "learned 5 tags from 140 tokens in 40 sentences, in 5 epochs" in " ".join(out.split())
    assert err == f"Written: {tmp_path / 't.npz'}\n"
    return tmp_path / "t.npz"


def test_training_with_a_test_file(run, tmp_path, trained):
    status, out, _err = run(
        "tagger", "train", tmp_path / "train.tsv", "--test", tmp_path / "train.tsv", "-o", tmp_path / "u.npz",
        "--seed", 3, "--json",
    )  # fmt: skip
    said = json.loads(out)
    assert status == 0
    assert said["training"] == {"files": ["train.tsv"], "sentences": 40, "tokens": 140, "epochs": 5, "seed": 3}
    assert said["test"]["accuracy"] == said["test"]["class_accuracy"] == 1.0
    assert (tmp_path / "u.npz").read_bytes() == trained.read_bytes()


def test_scoring(run, tmp_path, trained):
    status, out, _err = run("tagger", "score", tmp_path / "train.tsv", "--tagger", trained)
    assert status == 0
    assert "Accuracy on 140 tokens in 40 sentences" in out
    assert "1.0000" in out
    status, out, _err = run("tagger", "score", tmp_path / "train.tsv", "--json")
    assert json.loads(out)["test"]["tokens"] == 140


def test_tagging_to_standard_output_and_to_a_file(run, tmp_path):
    (tmp_path / "a.nxml").write_text(ARTICLE)
    (tmp_path / "m.xml").write_text(medline(citation("7", "The genes.")))
    status, out, err = run("tagger", "tag", tmp_path / "a.nxml", tmp_path / "m.xml")
    assert (status, err) == (0, "")
    assert out.startswith("# newdoc id = PMC42\n# journal = J Test\n# language = en\n# pmid = 17\nCells\tNNS\n")
    assert out.endswith("# newdoc id = 7\n# journal = 0255562\n# language = eng\nThe\tDT\ngenes\tNNS\n.\t.\n\n")
    status, told, err = run("tagger", "tag", tmp_path / "a.nxml", tmp_path / "m.xml", "-o", tmp_path / "out.tsv")
    assert (status, err) == (0, f"Written: {tmp_path / 'out.tsv'}\n")
    assert (tmp_path / "out.tsv").read_text("utf-8") == out
    assert "Documents" in told
    status, told, _err = run("tagger", "tag", tmp_path / "m.xml", "--json")
    assert json.loads(told) == {"documents": 1, "sentences": 1, "tokens": 3, "tags": {".": 1, "DT": 1, "NNS": 1}}


def test_documents_by_line(run, tmp_path, trained):
    (tmp_path / "t.txt").write_text("The cells grow.\nA gene.\n")
    _status, out, _err = run("tagger", "tag", tmp_path / "t.txt", "--per-line", "--tagger", trained)
    assert [line for line in out.splitlines() if line.startswith("#")] == [
        "# newdoc id = t.txt:1",
        "# newdoc id = t.txt:2",
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["tag", "{tmp}/none.txt"], "no such file"),
        (["tag", "{tmp}/empty.txt"], "holds no words"),
        (["tag", "{tmp}/empty.txt", "--tagger", "{tmp}/empty.txt"], "is no tagger"),
        (["tag", "{tmp}/binary"], "is not UTF-8"),
        (["score", "{tmp}/plain.txt"], "line 1: has no tag"),
        (["train", "{tmp}/plain.txt", "-o", "{tmp}/t.npz"], "line 1: has no tag"),
        (["train", "{tmp}/empty.txt", "-o", "{tmp}/t.npz"], "holds no tagged words"),
    ],
)
def test_bad_input_is_one_sentence(run, tmp_path, arguments, said):
    (tmp_path / "empty.txt").touch()
    (tmp_path / "plain.txt").write_text("Plain text.\n")
    (tmp_path / "binary").write_bytes(bytes(range(255, 0, -1)))
    status, out, err = run("tagger", *(each.format(tmp=tmp_path) for each in arguments))
    assert (status, out) == (2, "")
    assert err.startswith("Error: ")
    assert said in err
    assert err.count("\n") == 1
    assert not (tmp_path / "t.npz").exists()
