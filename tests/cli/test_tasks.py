"""Commands of tasks: each has the options that its task declares, and prints its result."""

from __future__ import annotations

import json

import polars as pl
import pytest

from termgauge.tasks.registry import all_tasks
from tests.samples import write_obo
from tests.tasks.analogies.hand_worked import PAIRS, WORDS


@pytest.fixture
def given(tmp_path):
    """Return the arguments that all commands about a domain take: a terminology, its relations, a domain, a model."""
    ids = list(dict.fromkeys(end for pair in PAIRS for end in pair))
    rows = "".join(f"{name}\t{name}\n" for name in ids)
    (tmp_path / "terms.tsv").write_text(f"concept\tterm\n{rows}")
    edges = "".join(f"{x}\ttreats\t{y}\n" for x, y in PAIRS)
    (tmp_path / "edges.tsv").write_text(f"source\ttype\ttarget\n{edges}")
    (tmp_path / "ids.txt").write_text("\n".join(ids))
    vectors = [f"{word} {' '.join(map(str, vector))}" for word, vector in WORDS.items()]
    (tmp_path / "words.txt").write_text("\n".join([f"{len(vectors)} {len(next(iter(WORDS.values())))}", *vectors]))
    names = ("terms.tsv", "edges.tsv", "ids.txt", "words.txt")
    terms, relations, listed, words = (tmp_path / name for name in names)
    return [terms, "--relation-table", relations, "--list", listed, "-m", f"word2vec:{words}"]


def test_analogies(run, given, tmp_path):
    place = tmp_path / "outcomes.parquet"
    status, out, _err = run("analogies", *given, "-r", "treats", "--k", 1, "--json", "--outcomes", place)
    assert status == 0
    (model,) = json.loads(out)["models"].values()
    values = model["relations"]["treats"]
    assert (values["pairs"], values["in_vocabulary"], values["successes"]) == (4, 3, 3)
    assert pl.read_parquet(place)["success"].sum() == 3
    status, out, err = run("analogies", *given, "-r", "treats", "--k", 1)
    assert (status, err) == (0, "")
    row = next(line.split() for line in out.splitlines() if line.startswith("treats "))
    assert row[:3] == ["treats", "4", "0.25000"]
    assert row[-2:] == ["3", "3"]


def test_a_domain_that_was_saved_is_the_same_for_both(run, given, tmp_path):
    saved = tmp_path / "domain.json"
    status, out, _err = run("coverage", *given, "--k", 1, "--save-domain", saved, "--json")
    assert status == 0
    again = [word for word in given if word not in ("--list", tmp_path / "ids.txt")]
    assert run("coverage", *again, "--k", 1, "--domain", saved, "--json")[1] == out
    made = json.loads(run("analogies", *again, "--domain", saved, "--json")[1])
    assert made["domain"]["key"] == json.loads(out)["domain"]["key"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--method", "multiply"], "must be 'add', 'mul' or 'direction'"),
        (["--relation", "treat"], "Did you mean 'treats'?"),
        (["--correction", "bonferoni"], "Did you mean 'bonferroni'?"),
        (["--labels", "some"], "'first' or 'all'"),
    ],
)
def test_bad_options_are_one_sentence(run, given, options, sentence):
    status, out, err = run("analogies", *given, *options)
    assert (status, out) == (2, "")
    assert sentence in " ".join(err.split())
    assert len(err.split("Error: ")) == 2


def test_categories_prints_one_document(run, tmp_path):
    for name, terms in (("a", "heart\ncardiac"), ("b", "heart attack\nheart failure"), ("c", "skin\nskin rash")):
        (tmp_path / name).write_text(terms)
    obo = write_obo(tmp_path)
    files = [f"@{tmp_path / name}" for name in "abc"]
    arguments = ["categories", obo, "--close", *files[:2], "--far", files[2], "-m", "baseline:random"]
    status, out, err = run(*arguments, "-m", "baseline:levenshtein", "--json")
    assert (status, err) == (0, "")
    models = json.loads(out)["models"]
    assert list(models) == ["random", "levenshtein"]
    assert models["random"]["avg_cos"]["sizes"] == [2, 2, 2]
    assert set(models["random"]["avg_cos"]["means"]) == {"AB", "AC", "AA", "BB", "CC"}
    assert 0 <= models["levenshtein"]["similarity"]["overlap"] <= 1
    status, out, err = run(*arguments)
    assert (status, err) == (0, "")
    assert "Overlap" in out
    status, out, err = run(
        "categories", obo, "--close", "T:2", "T:3", "--far", "T:1", "-m", "baseline:random", "--json"
    )
    assert status == 0
    assert json.loads(out)["shared_terms"] > 0


def test_analogies_prints_one_document(run, tmp_path):
    words = {"a": (1, 0), "b": (0, 1), "c": (-1, 0), "d": (0, -1), "e": (3, 4), "f": (4, 3)}
    vectors = "".join(f"{word} {x} {y}\n" for word, (x, y) in words.items())
    (tmp_path / "vectors.txt").write_text(f"6 2\n{vectors}")
    (tmp_path / "terms.tsv").write_text("concept\tterm\n" + "".join(f"{word.upper()}\t{word}\n" for word in words))
    edges = "".join(f"{x}\ttreats\t{y}\n" for x, y in ("EA", "FB", "CD"))
    (tmp_path / "edges.tsv").write_text(f"source\ttype\ttarget\n{edges}")
    arguments = [
        *("analogies", tmp_path / "terms.tsv", "--relations", tmp_path / "edges.tsv", "--list", tmp_path / "ids"),
        *("-m", f"toy=word2vec:{tmp_path / 'vectors.txt'}", "--relation", "treats", "--k", "1", "--k", "2"),
    ]
    (tmp_path / "ids").write_text("A\nB\nC\n")
    outcomes = tmp_path / "outcomes.parquet"
    status, out, err = run(*arguments, "--json", "--outcomes", outcomes)
    assert (status, err) == (0, "")
    found = json.loads(out)["models"]["toy"]["relations"]["treats"]
    assert (found["pairs"], found["in_vocabulary"], found["successes"], found["coverage"]) == (3, 3, 3, 0.5)
    assert found["k"]["2"]["successes"] == 5
    assert outcomes.stat().st_size > 0
    status, out, err = run(*arguments, "--inverse", "--method", "mul")
    assert (status, err) == (0, "")
    assert "inverse of treats" in out
    status, out, err = run(*arguments, "--relation", "treat")
    assert (status, out) == (2, "")
    assert "Did you mean 'treats'?" in err


def test_every_task_with_a_command_has_one(run):
    for task in all_tasks().values():
        status, out, _err = run(task.name, "--help") if task.command else (0, task.name, "")
        assert status == 0
        assert task.name in out


def test_flags_of_before_still_serve(run, given):
    now = run("coverage", *given, "--k", 1, "--json")
    before = ["--relations" if word == "--relation-table" else word for word in given]
    assert run("coverage", *before, "--k", 1, "--json", "--format", "table") == now


def test_coverage_shows_its_tables(run, given, tmp_path):
    status, out, _err = run("coverage", *given, "--k", 2, "--k", 1, "--json", "--save-domain", tmp_path / "d.json")
    assert status == 0
    (model,) = json.loads(out)["models"].values()
    assert model["seeds"] == model["in_vocabulary"] + model["out_of_vocabulary"]
    assert list(model["k"]) == ["1", "2"]
    again = [word for word in given if word not in ("--list", tmp_path / "ids.txt")]
    status, out, err = run("coverage", *again, "--domain", tmp_path / "d.json", "--k", 2)
    assert (status, err) == (0, "")
    assert f"{model['k']['2']['cg']:.3f}" in out
    assert "the list ids.txt" in out


def test_a_domain_is_asked_for(run, given, tmp_path):
    status, _out, err = run("coverage", *[word for word in given if word not in ("--list", tmp_path / "ids.txt")])
    assert status == 2
    assert "No domain was named" in err
