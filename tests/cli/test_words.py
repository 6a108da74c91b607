"""The commands about words from a corpus."""

from __future__ import annotations

import json

import pytest

from tests.corpus.plain_pairs import plain_pairs, random_made

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
    assert "corpus.tsv, line 1: the tag" in err
    assert not (tmp_path / "words.tsv").exists()


def test_what_was_left_out_shows_in_the_status(run, corpus, tmp_path):
    (tmp_path / "subjects.tsv").write_text("other\tBiology\n")
    status, out, err = run("words", corpus, "--subjects", tmp_path / "subjects.tsv")
    assert status == 4
    assert "the subjects of words" in err.splitlines()[-1]
    assert "cell" in out


@pytest.fixture
def made(tmp_path):
    made = random_made(3)
    words, resources = made.write(tmp_path)
    return made, words, resources


def test_files_may_follow_one_flag_or_have_one_each(run, made, tmp_path):
    _, words, resources = made
    flags = [word for each in resources for word in ("-r", each)]
    assert run("pairs", words, "--resource", *resources, "--out", tmp_path / "a.tsv", "--per-quarter", 3)[0] == 0
    assert run("pairs", *flags, words, "--out", tmp_path / "b.tsv", "--per-quarter", 3)[0] == 0
    assert (tmp_path / "a.tsv").read_text() == (tmp_path / "b.tsv").read_text()


def test_json_has_the_counts_of_each_class(run, made, tmp_path):
    corpus, words, resources = made
    status, out, _err = run(
        "pairs", words, "--resource", *resources, "-o", tmp_path / "p.tsv", "--per-quarter", 4, "--seed", 7, "--json"
    )
    assert status == 0
    document = json.loads(out)
    assert list(document) == ["noun", "verb"]
    for word_class, counts in document.items():
        assert list(counts) == ["candidates", "quarters", "shortfall"]
        drawn = plain_pairs(corpus, word_class, 4, 7)
        quarters = {name: sum(quarter == name for *_, quarter in drawn) for name in counts["quarters"]}
        assert counts["quarters"] == quarters
        assert counts["shortfall"] == {name: 4 - count for name, count in quarters.items() if count < 4}


def test_from_proposals_to_what_experts_accept(run, made, tmp_path):
    _, words, resources = made
    status, out, err = run("pairs", words, "--resource", *resources, "--propose", "--out", tmp_path / "p.tsv")
    assert status == 0
    assert "Written: " in err
    assert "biomedical candidates together" in out
    header, *rows = (tmp_path / "p.tsv").read_text().splitlines()
    assert header == "word1\tword2\tclass\tsource\trelation\taccept"
    for name, answers in (("anna", ("yes", "yes")), ("ben", ("yes", "no"))):
        lines = [f"{row}{answers[at % 2]}" for at, row in enumerate(rows)]
        (tmp_path / f"{name}.tsv").write_text("\n".join([header, *lines]) + "\n")
    status, out, _err = run(
        "pairs", words, "--resource", *resources, "--accepted", tmp_path / "anna.tsv", tmp_path / "ben.tsv",
        "--out", tmp_path / "pairs.tsv", "--per-quarter", 100, "--class", "noun",
    )  # fmt: skip
    assert status == 0
    drawn = [line.split("\t") for line in (tmp_path / "pairs.tsv").read_text().splitlines()[1:]]
    nouns = [row.split("\t") for at, row in enumerate(rows) if at % 2 == 0 and row.split("\t")[2] == "noun"]
    assert {(row[0], row[1]) for row in drawn if row[3] == "biomedical-associated"} == {(r[0], r[1]) for r in nouns}


def test_a_resource_that_matches_nothing_is_left_out(run, made, tmp_path):
    _, words, resources = made
    (tmp_path / "none.tsv").write_text("word1\tword2\trelation\nxx\tyy\tmade\n")
    status, _out, err = run(
        "pairs", words, "--resource", *resources, tmp_path / "none.tsv", "-o", tmp_path / "p.tsv", "--per-quarter", 2
    )
    assert status == 4
    assert "knows none of the" in err
    assert err.splitlines()[-1].startswith("Left out: the resource 'none'.")


def test_bad_input_changes_nothing(run, made, tmp_path):
    _, words, resources = made
    (tmp_path / "p.tsv").write_text("kept\n")
    (tmp_path / "other.tsv").write_text("word1\tword2\tclass\taccept\nxx\tyy\tnoun\tyes\n")
    for more in (
        ["--resource", tmp_path / "gone.obo"],
        ["--resource", *resources, "--accepted", tmp_path / "other.tsv"],
    ):
        status, out, err = run("pairs", words, *more, "--out", tmp_path / "p.tsv")
        assert (status, out) == (2, "")
        assert err.startswith("Error: ")
    assert (tmp_path / "p.tsv").read_text() == "kept\n"


def test_training(run, tmp_path):
    (tmp_path / "text.txt").write_text("The doctor treats a patient. The nurse treats a child.\n" * 50)
    command = ["train", tmp_path / "text.txt", "--window", "1,2", "--dimension", 4, "--out", tmp_path / "v"]
    status, out, err = run(*command, "--deterministic")
    assert (status, err) == (0, f"Written: {tmp_path / 'v'}\n")
    assert "window-2.bin" in "".join(out.split())
    status, out, _err = run(*command, "--deterministic", "--json")
    models = json.loads(out)["models"]
    assert [(each["window"], each["trained"]) for each in models] == [(1, False), (2, False)]
    assert run("neighbours", models[0]["spec"], "doctor")[0] == 0
    status, _out, err = run(*command, "--algorithm", "cbow", "--deterministic")
    assert status == 2
    assert "give --force" in err
    assert run("train", tmp_path / "text.txt", "--window", "1,x", "--out", tmp_path / "w")[0] == 2
