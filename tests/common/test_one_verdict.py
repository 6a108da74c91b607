"""One run, one verdict: every command and every format states the same marks on the same sets."""

from __future__ import annotations

import csv
import json
import re

import numpy as np
import polars as pl
import pytest

from termgauge.benchmark.pairset import PairSet

EASY, HARD, RATED = "hp-1/fsn-syn/easy/random", "hp-1/fsn-syn/hard/random", "ours"
SETS, MODELS, PAIRS, CONCEPTS = (EASY, HARD, RATED), ("good", "fair", "poor", "bad"), 40, 8
ONLY_GOOD = {"good": (3,), "fair": (-1,), "poor": (-1,), "bad": (-1,)}
VALUES, PAPER = ("values-names-vs-synonyms", "values-other-rated-sets"), ("paper-accuracy-random", "paper-rho")
_RAISED = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")


@pytest.fixture
def scored(run, tmp_path):
    """Return a run, and what its command printed.

    On the easy set "good" is right on all of 40 pairs, and no minimum detectable difference is found. The hard one has
    8 concepts with 5 equal pairs each, so that only tests that take pairs as independent mark anything.
    """
    labels, draw = np.arange(PAIRS) % 2, np.random.default_rng(1)
    lines: dict[str, list[str]] = {model: [] for model in MODELS}
    for place, name in enumerate(SETS):
        terms = {f"term_{at}": [f"{'abc'[place]}{pair}{'xy'[at - 1]}" for pair in range(PAIRS)] for at in (1, 2)}
        frame = pl.DataFrame({**terms, "label": labels})
        if name == HARD:
            concepts = [f"C{pair % CONCEPTS}" for pair in range(PAIRS)]
            frame = frame.with_columns(concept_1=pl.Series(concepts), concept_2=pl.Series(concepts))
        if name == RATED:
            frame = frame.select("term_1", "term_2", score=pl.int_range(PAIRS) / PAIRS)
        PairSet(name, frame).write_parquet(tmp_path / f"{place}.parquet")
        for model in MODELS:
            rising = np.linspace(-0.8, 0.8, PAIRS) + 0.1 * np.sin(2 * np.arange(PAIRS))
            right = rising if name == RATED else 1.6 * labels - 0.8
            cosines = right if model == "good" else draw.uniform(-1, 1, CONCEPTS if name == HARD else PAIRS)
            for one, other, cosine in zip(*terms.values(), np.resize(cosines, PAIRS).tolist(), strict=True):
                lines[model] += [f"{one} 1 0", f"{other} {cosine:.6f} {np.sqrt(1 - cosine**2):.6f}"]
    for model, own in lines.items():
        (tmp_path / f"{model}.txt").write_text(f"{len(own)} 2\n" + "\n".join(own) + "\n")
    named = [part for place in range(len(SETS)) for part in ("-b", tmp_path / f"{place}.parquet")]
    named += [part for model in MODELS for part in ("-m", tmp_path / f"{model}.txt")]
    status, out, _err = run("evaluate", *named, "--measure", "avg_cos", "-o", tmp_path / "run")
    assert status == 0
    return tmp_path / "run", out


def counts(mark):
    """Return a superscript such as +3-1 as numbers."""
    return tuple(int(each) for each in re.findall(r"[+-]?\d+", mark.translate(_RAISED).replace("−", "-")))


def marks(text, rows, cells, sets):
    """Return the marks of each set and model from what looks like a row of a table, and like a value in it."""
    found = {}
    for model, row in re.findall(rows.replace("MODEL", f"({'|'.join(MODELS)})"), text, re.MULTILINE):
        found |= {(name, model): counts(mark) for name, mark in zip(sets, re.findall(cells, row), strict=True)}
    assert len(found) == len(sets) * len(MODELS), text
    return found


def marks_printed(text):
    rows, cells = r"^MODEL +(?:avg_cos +)?(.*)$", r"\d\.\d{3}(\S*) \["
    if EASY not in text:  # tables of values: the built sets in one, the rated one in another
        text, rated = text.split("Spearman's rho of each model", 1)
        return marks(text.split("Accuracy of each model")[1], rows, cells, (EASY, HARD)) | marks(
            rated.split("Mean of each model")[0], rows, cells, (RATED,)
        )
    parts = re.split(rf"^({'|'.join(SETS)})$", text, flags=re.MULTILINE)[1:]
    return {key: each for name, part in zip(*[iter(parts)] * 2, strict=True)
            for key, each in marks(part, rows, cells, (name,)).items()}  # fmt: skip


def marks_in_json(document):
    found = {}
    for name, about in document["models"].items():
        for each in about["differences"]:
            assert each["significant"] == (each["adjusted_p"] < about["alpha"])
        for each in about["systems"]:
            found[name, each["name"]] = tuple(each for each in (each["wins"], -each["losses"]) if each)
    return found


def marks_in_csv(files):
    found = {}
    for file in files:
        with file.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                if row["wins"]:
                    both = (int(row["wins"]), -int(row["losses"]))
                    found[row["set"], row["model"]] = tuple(each for each in both if each)
    return found


def marks_in_page(text):
    found = {}
    tables = re.findall(r"<table.*?</table>", text, re.DOTALL)
    for sets in ((EASY, HARD), (RATED,)):
        (table,) = [each for each in tables if f'title="{sets[0]}: ' in each and "<small>" in each and "by avg" in each]
        cells = r"\d\.\d{3}(?:</strong>)?(?:<sup>(.*?)</sup>)?<small>"
        found |= marks(table, r"<span>MODEL</span></th>([\s\S]*?)</tr>", cells, sets)
    return found


def marks_in_latex(folder):
    own, paper = {}, {}
    for sets, values, as_in_papers in zip(((EASY, HARD), (RATED,)), VALUES, PAPER, strict=True):
        text = (folder / "tables" / f"{values}.tex").read_text(encoding="ascii")
        own |= marks(text, r"^ +MODEL (&.*)$", r"\d\.\d{3}\}? & (?:\$\^\{(.*?)\}\$)?~", sets)
        text = (folder / "tables" / f"{as_in_papers}.tex").read_text(encoding="ascii")
        paper |= marks(text, r"^ +MODEL (&.*)$", r"\d\.\d+\}?(?: & \$\^\{(.*?)\}\$)?", sets)
    return own, paper


@pytest.mark.parametrize("tests", [[], ["--tests", "paper"]])
def test_every_command_and_format_states_the_same_marks(run, scored, tmp_path, tests):
    folder, evaluated = scored
    status, out, err = run("compare", folder, "--json", *tests)
    assert (status, err) == (0, "")
    document = json.loads(out)
    wanted = marks_in_json(document)
    assert document["models"][EASY]["detectable"] is None
    assert {model: wanted[EASY, model] for model in MODELS} == ONLY_GOOD
    assert {model: wanted[HARD, model] for model in MODELS} == (ONLY_GOOD if tests else dict.fromkeys(MODELS, ()))
    assert {model: wanted[RATED, model] for model in MODELS} == ONLY_GOOD
    if tests:
        assert {each["test"] for each in document["models"].values()} == {"exact McNemar", "BCa bootstrap"}
    else:
        assert marks_printed(evaluated) == wanted
    _status, out, _err = run("compare", folder, "--all", *tests)
    assert marks_printed(out) == wanted
    report = ["report", folder, "--format", "html,latex,csv", "--figures", "none", "--out", tmp_path / "report"]
    status, _out, _err = run(*report, *tests)
    assert status == 0
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert marks_in_page(page) == wanted
    assert "too small to show" not in page
    assert marks_in_latex(tmp_path / "report" / "report-latex") == (wanted, wanted)
    tables = tmp_path / "report" / "report-csv"
    for names in (VALUES, PAPER):
        assert marks_in_csv(tables / f"{name}.csv" for name in names) == wanted
