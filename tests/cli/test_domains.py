"""Domains on the command line: coverage of concepts and of relations, on one small terminology."""

from __future__ import annotations

import json

import polars as pl
import pytest

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
    return [terms, "--relations", relations, "--list", listed, "-m", f"word2vec:{words}"]


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
        (["--method", "multiply"], "no method 'multiply'"),
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
