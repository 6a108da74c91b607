"""The command ``ner``: what it prints, what it refuses, and that it scores files without training anything."""

from __future__ import annotations

import json

import pytest

from termgauge.embeddings import libraries
from tests.tasks.ner.made_corpus import sentences, text_of, write_corpus, write_vectors
from tests.tasks.ner.stand_in import use_stand_in


@pytest.fixture
def trained(monkeypatch):
    return use_stand_in(monkeypatch)


@pytest.fixture
def given(tmp_path):
    """Return the arguments for a corpus and two models."""
    places = write_vectors(tmp_path / "knows.txt"), write_vectors(tmp_path / "drawn.txt", knows=False)
    corpus = write_corpus(tmp_path / "made")
    return ["--corpus", corpus, "-m", places[0], "-m", places[1], "--epochs", 2]


def test_json_and_tables(run, given, trained):
    status, out, err = run("ner", *given, "--json")
    assert (status, err) == (0, "")
    found = json.loads(out)["corpora"]["made"]
    assert (found["types"], found["sentences"]) == (["Drug", "Disease"], 40)
    assert len(found["models"]["knows"]["trials"]) == 3
    assert len(trained) == 6
    status, out, err = run("ner", *given, "--decoding", "viterbi")
    assert (status, err, len(trained)) == (0, "", 6)
    assert "profile code, decoding viterbi" in out


def test_a_run_folder_and_a_name(run, given, trained, tmp_path):
    corpus = given[1]
    status, _out, err = run("ner", *given, "--corpus", f"again={write_corpus(tmp_path / 'b', train=30)}", "-q",
                            "--trials", 1, "--out", tmp_path / "run")  # fmt: skip
    assert (status, err) == (0, "")
    assert [name for _model, name, _seed in trained] == ["made", "again"] * 2
    status, out, _err = run("ner", "-c", corpus, "-c", f"again={tmp_path / 'b'}", "-m", "baseline:random?dim=8",
                            "--epochs", 2, "--trials", 1, "--out", tmp_path / "run", "--json")  # fmt: skip
    assert status == 0
    assert len(json.loads(out)["corpora"]["again"]["models"]) == 3, "it was added to"
    status, _out, _err = run("report", tmp_path / "run")
    assert status == 0
    assert "Named entities in again" in (tmp_path / "run" / "report.html").read_text()


def test_a_file_is_scored_without_torch(run, tmp_path, monkeypatch):
    file = tmp_path / "found.tsv"
    file.write_text("No\tO\tO\nfever\tB-Sign\tB-Sign\n\nA\tO\tB-Sign\ncough\tB-Sign\tI-Sign\n")
    monkeypatch.setattr(libraries, "import_module", lambda name: pytest.fail(f"{name} is not needed"))
    status, out, err = run("ner", "--score", file, "--json")
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert (found["precision"], found["recall"], found["f"]) == (0.5, 0.5, 0.5)
    assert set(found["per_type"]) == {"Sign"}
    status, out, _err = run("ner", "--score", file)
    assert status == 0
    assert "50.00" in out
    for more, flag in ((["-m", "x"], "--model"), (["-c", "x"], "--corpus"), (["--trials", 3], "--trials")):
        status, out, err = run("ner", "--score", file, *more)
        assert (status, out) == (2, "")
        assert err == f"Error: --score scores a file as it is and trains nothing; leave out {flag}, or --score.\n"


def refused(run, *arguments):
    """Return the sentence of a command that ends with status 2."""
    status, out, err = run("ner", *arguments, "--epochs", 1)
    assert (status, out) == (2, ""), err
    assert "Traceback" not in err
    (line,) = err.splitlines()
    return line.removeprefix("Error: ")


def test_what_is_missing_is_said(run, given, tmp_path):
    assert "The option 'corpus' is needed" in refused(run, "-m", given[3])
    assert "No model was named; name one with --model." in refused(run, *given[:2])
    assert f"{tmp_path / 'gone'}: there is no such file or folder" in refused(run, "-c", tmp_path / "gone", *given[2:4])
    assert "must be 'code' or 'paper', not 'book'" in refused(run, *given[:4], "--profile", "book")
    assert "two corpora are called 'made'" in refused(run, *given[:4], "-c", given[1])


def test_without_torch_the_extra_is_named(run, given, monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(libraries, "import_module", missing)
    assert "pip install 'termgauge[ner]'" in refused(run, *given[:4])


@pytest.mark.parametrize(
    ("part", "change", "said"),
    [
        ("train", None, "has no file train.tsv"),
        ("test", None, "has no file test.tsv"),
        ("train", lambda text: text.replace("\tO\n", "\tO\tO\n", 1), "train.tsv, line 1:"),
        ("test", lambda text: text.replace("B-Drug", "B", 1), "test.tsv, line"),
        ("devel", lambda _text: "\n\n", "devel.tsv: holds no sentences"),
        ("test", lambda _text: "", "test.tsv: holds no sentences"),
        ("train", lambda text: text.replace("B-", "Q-"), "train.tsv, line"),
    ],
)
def test_a_corpus_that_cannot_be_used(run, given, trained, part, change, said):
    file = given[1] / f"{part}.tsv"
    if change is None:
        file.unlink()
    else:
        file.write_text(change(file.read_text()))
    assert said in refused(run, *given[:4])
    assert trained == []


def test_vectors_that_cannot_be_used(run, given, trained, tmp_path):
    (tmp_path / "french.txt").write_text("2 3\noui 1 0 0\nnon 0 1 0\n")
    assert "has no vector for any of the" in refused(run, *given[:2], "-m", tmp_path / "french.txt")
    lines = given[3].read_text().splitlines()
    (tmp_path / "nan.txt").write_text("\n".join([lines[0], lines[1].rsplit(" ", 1)[0] + " nan", *lines[2:]]) + "\n")
    assert "nan" in refused(run, *given[:2], "-m", tmp_path / "nan.txt")
    for spec, has in (("baseline:levenshtein", "has no vectors"),):
        assert has in refused(run, *given[:2], "-m", spec)
    assert trained == []
    status, out, err = run("ner", *given, "-m", "baseline:levenshtein")
    assert status == 4
    assert "'levenshtein' has no vectors" in err
    assert "knows" in out


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace("B-Drug\nforte\tI-", "B-Drug\nforte\tE-").replace("B-Disease\nforte\tI-",
                                                                                     "B-Disease\nforte\tE-"), "IOBES"),
        (lambda text: text.replace("B-Drug\nforte\tI-", "B-Drug\nforte\tL-").replace("B-Disease\nforte\tI-",
                                                                                     "B-Disease\nforte\tL-"), "BILOU"),
        (lambda text: text.replace("B-", "I-"), "IOB1"),
    ],
)  # fmt: skip
def test_other_schemes_of_tags_are_converted_and_said(run, given, trained, change, said):
    for part in ("train", "devel", "test"):
        file = given[1] / f"{part}.tsv"
        file.write_text(change(file.read_text()))
    status, _out, err = run("ner", *given[:4], "--epochs", 1, "--trials", 1)
    assert status == 0, err
    assert err.startswith("Note: made: The tags were read as")
    assert said in err
    assert len(trained) == 1


def test_labels_that_train_lacks_are_said(run, given, trained):
    file = given[1] / "test.tsv"
    file.write_text(text_of([*sentences(8, 2), [("odd", "B-Gene"), (".", "O")]]))
    status, out, err = run("ner", *given[:4], "--epochs", 1, "--trials", 1, "--json")
    assert status == 0
    assert "Note: made: Train has no entities of Gene" in err
    found = json.loads(out)["corpora"]["made"]
    assert found["types"] == ["Drug", "Disease", "Gene"]
    assert found["models"]["knows"]["per_type"]["Gene"]["recall"] == 0
    assert len(trained) == 1
