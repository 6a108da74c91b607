"""The commands about words from a corpus."""

from __future__ import annotations

import json

import pytest

CORPUS = "# newdoc id = 1\n# journal = J\n" + "cells\tNNS\nwent\tVBD\nmust\tMD\nred\tJJ\n" * 6


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "corpus.tsv").write_text(CORPUS)
    return tmp_path / "corpus.tsv"


def test_words_are_counted_and_written(run, corpus, tmp_path):
    status, out, err = run("words", corpus, "--out", tmp_path / "words.tsv")
    assert (status, err) == (0, f"Written: {tmp_path / 'words.tsv'}\n")
    assert "From forms to words" in out
    assert "6 tokens are neither nouns nor verbs by their tag; 6 have the tag of an" in out
    status, out, err = run("words", corpus, "--out", tmp_path / "words.tsv", "--json")
    assert (status, err) == (0, "")
    answer = json.loads(out)
    assert answer["classes"]["noun"]["words"] == 1
    assert set(answer["classes"]["verb"]) >= {"forms", "words", "steps"}
    assert (answer["tokens"], answer["documents"]) == (24, 1)


def test_options_reach_the_counting(run, corpus):
    status, out, _err = run("words", corpus, "--min-count", "7", "--general", "none", "--tagset", "penn", "--json")
    assert status == 0
    assert json.loads(out)["classes"]["noun"]["steps"]["min_count"] == 1


def test_decisions_are_combined(run, corpus, tmp_path):
    run("words", corpus, "--out", tmp_path / "words.tsv", "-q")
    text = (tmp_path / "words.tsv").read_text()
    for name, said in (("a.tsv", "biomedical"), ("b.tsv", "general")):
        (tmp_path / name).write_text(text.replace("\t\n", f"\t{said}\n"))
    status, out, err = run("words", "--decisions", tmp_path / "a.tsv", tmp_path / "b.tsv", "--out", tmp_path / "d.tsv")
    assert status == 0, err
    assert "Experts disagree" in out
    status, out, _err = run("words", "--decisions", tmp_path / "a.tsv", tmp_path / "a.tsv", "--json")
    assert json.loads(out)["domains"] == {
        "noun": {"biomedical": 1, "general": 0}, "verb": {"biomedical": 1, "general": 0},
    }  # fmt: skip


def test_bad_input_is_one_sentence(run, tmp_path):
    (tmp_path / "corpus.tsv").write_text("cells\tQQ\n")
    status, out, err = run("words", tmp_path / "corpus.tsv", "--out", tmp_path / "words.tsv")
    assert (status, out) == (2, "")
    assert "corpus.tsv, line 1: no tag set" in err
    assert not (tmp_path / "words.tsv").exists()


def test_what_was_left_out_shows_in_the_status(run, corpus, tmp_path):
    (tmp_path / "subjects.tsv").write_text("other\tBiology\n")
    status, out, err = run("words", corpus, "--subjects", tmp_path / "subjects.tsv")
    assert status == 4
    assert "the subjects of words" in err.splitlines()[-1]
    assert "cell" in out
