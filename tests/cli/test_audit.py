"""``termgauge audit``: what it writes and prints, and the study it begins."""

from __future__ import annotations

import csv
import json

import pytest

from termgauge import cli
from termgauge.studies.folder import open_study

TERMS = {
    **{f"o{at}": (f"Disease of part {at}", f"Diseases of the part {at}") for at in range(24)},
    "m1": ("Short metacarpal", "Hypoplastic metacarpal"),
    "m2": ("Small hand", "Hypoplastic metacarpals"),
    "x": ("Fever", "Broken leg"),
}


@pytest.fixture
def source(tmp_path):
    rows = "".join(f"{concept}\t{text}\n" for concept, texts in TERMS.items() for text in texts)
    path = tmp_path / "terms.tsv"
    path.write_text(f"concept\tterm\n{rows}")
    return str(path)


def call(*arguments, status=0):
    with pytest.raises(SystemExit) as ended:
        cli.main(["audit", *map(str, arguments)])
    assert ended.value.code == status


def test_lists_are_printed_and_written(source, tmp_path, capsys):
    out = tmp_path / "audit"
    call(source, "--out", out, "-m", "baseline:levenshtein")
    said = capsys.readouterr()
    assert "Synonyms that look unlike their concept" in said.out
    assert "metacarpals" in said.out
    assert "audit.csv" in said.err
    rows = list(csv.DictReader((out / "audit.csv").open(encoding="utf-8")))
    assert {"list", "rank", "kind", "concept1", "term1", "concept2", "term2", "relation", "verdict"} <= set(rows[0])
    assert "percentile levenshtein" in rows[0]
    assert (out / "audit.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert not (out / "study").exists()


def test_json_has_counts_first_rows_and_files(source, tmp_path, capsys):
    call(source, "--out", tmp_path / "audit", "--json", "--first", 1)
    document = json.loads(capsys.readouterr().out)
    assert document["counts"]["missed"] == 1
    assert len(document["lists"]["missed"]) == 1
    assert document["files"]["table"].endswith("audit.csv")
    assert document["files"]["study"] is None
    assert any("no hierarchy" in note for note in document["notes"])
    assert any("no retired concepts" in note for note in document["notes"])


def test_a_study_asks_blind_about_the_first_pairs(source, tmp_path):
    out = tmp_path / "audit"
    call(source, "--out", out, "-m", "baseline:levenshtein", "--study", "--first", 1)
    study = open_study(out / "study")
    assert study.file.kind == "quality"
    assert study.pairs.height == 2
    assert sorted(study.key["label"].to_list()) == [0, 1]
    call(source, "--out", out, "-m", "baseline:levenshtein", "--study", "--first", 1, status=2)


def test_a_study_needs_both_lists(source, tmp_path, capsys):
    call(source, "--out", tmp_path / "audit", "--study", status=2)
    assert "name models, or leave out --study" in capsys.readouterr().err
    assert not (tmp_path / "audit").exists()


def test_bad_input_is_refused_in_a_sentence(source, tmp_path, capsys):
    vectors = tmp_path / "words.txt"
    vectors.write_text("nothing 1 2\nelse 3 4\n")
    call(source, "--out", tmp_path / "audit", "-m", f"glove:{vectors}", status=2)
    assert "knows none of the terms" in capsys.readouterr().err
    call(source, "--out", source, status=2)
    assert "is a file; name a folder" in capsys.readouterr().err
    call(tmp_path / "none.obo", "--out", tmp_path / "audit", status=2)
    call(source, "--out", tmp_path / "audit", "--first", 0, status=2)
