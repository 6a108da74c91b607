"""One run, one verdict: every command and every format states the same values, intervals, marks and verdict."""

from __future__ import annotations

import csv
import html
import json
import re

import numpy as np
import polars as pl
import pytest

import termgauge as tg
from termgauge.benchmark.pairset import PairSet

EASY, HARD, RATED = "hp-1/fsn-syn/easy/random", "hp-1/fsn-syn/hard/random", "ours"
SETS, MODELS, PAIRS, CONCEPTS = (EASY, HARD, RATED), ("good", "fair", "poor", "bad"), 120, 40
SKILL = {"good": 0.8, "fair": 0.25, "poor": 0.2, "bad": 0.0}
VALUES, PAPER = ("values-names-vs-synonyms", "values-other-rated-sets"), "paper-{}-random"
_RAISED = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return the parts of a command that scores four models on two labelled sets and a rated one."""
    folder, draw = tmp_path_factory.mktemp("verdict"), np.random.default_rng(1)
    labels = np.arange(PAIRS) % 2
    lines: dict[str, list[str]] = {model: [] for model in MODELS}
    for place, name in enumerate(SETS):
        terms = {f"term_{at}": [f"{'abc'[place]}{pair}{'xy'[at - 1]}" for pair in range(PAIRS)] for at in (1, 2)}
        frame = pl.DataFrame({**terms, "label": labels})
        if name == HARD:
            concepts = pl.Series([f"C{pair % CONCEPTS}" for pair in range(PAIRS)])
            frame = frame.with_columns(concept_1=concepts, concept_2=concepts)
        if name == RATED:
            frame = frame.select("term_1", "term_2", score=pl.int_range(PAIRS) / PAIRS)
        PairSet(name, frame).write_parquet(folder / f"{place}.parquet")
        truth = np.linspace(-0.5, 0.5, PAIRS) if name == RATED else labels - 0.5
        for model in MODELS:
            cosines = np.clip(SKILL[model] * truth + draw.normal(0, 0.25, PAIRS), -0.99, 0.99)
            for one, other, cosine in zip(*terms.values(), cosines.tolist(), strict=True):
                lines[model] += [f"{one} 1 0", f"{other} {cosine:.6f} {np.sqrt(1 - cosine**2):.6f}"]
    for model, own in lines.items():
        (folder / f"{model}.txt").write_text(f"{len(own)} 2\n" + "\n".join(own) + "\n")
    named = [part for place in range(len(SETS)) for part in ("-b", folder / f"{place}.parquet")]
    return [*named, *(part for model in MODELS for part in ("-m", folder / f"{model}.txt")), "--measure", "avg_cos"]


def counts(mark):
    """Return a superscript such as +3-1 as numbers."""
    return tuple(int(each) for each in re.findall(r"[+-]?\d+", mark.translate(_RAISED).replace("−", "-")))


def cells_in(text, rows, cells, sets):
    """Return value, mark and interval of each set and model, from what looks like a row of a table."""
    found = {}
    for model, row in re.findall(rows.replace("MODEL", f"({'|'.join(MODELS)})"), text, re.MULTILINE):
        for name, (value, mark, *ends) in zip(sets, re.findall(cells, row), strict=True):
            found[name, model] = (value, counts(mark), *(end.replace("−", "-").replace("$-$", "-") for end in ends))
    assert len(found) == len(sets) * len(MODELS), text
    return found


def cells_printed(text):
    """Return what tables of values on the terminal say: those of all sets, or a part for each."""
    cells = r"([\-−]?\d\.\d{3})(\S*) +\[([\-−]?\d\.\d{3}), ([\-−]?\d\.\d{3})\]"
    parts = re.split(rf"^({'|'.join(SETS)})$", text, flags=re.MULTILINE)[1:]
    if parts:
        each = zip(*[iter(parts)] * 2, strict=True)
        return {key: cell for name, part in each
                for key, cell in cells_in(part, r"^MODEL +avg_cos +(.*)$", cells, (name,)).items()}  # fmt: skip
    built, rated = re.split(r"^Spearman's rho: ", text, maxsplit=1, flags=re.MULTILINE)
    return cells_in(built, r"^MODEL +(.*)$", cells, (EASY, HARD)) | cells_in(
        rated.split("\nMean of each model")[0], r"^MODEL +(.*)$", cells, (RATED,)
    )


def cells_in_json(document):
    found = {}
    for name, about in document["models"].items():
        for each in about["differences"]:
            assert each["significant"] == (each["adjusted_p"] < about["alpha"])
        for each in about["systems"]:
            ends = (f"{each[end]:.3f}" for end in ("low", "high"))
            mark = tuple(each for each in (each["wins"], -each["losses"]) if each)
            found[name, each["name"]] = (f"{each['value']:.3f}", mark, *ends)
    return found


def rows_of(file):
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def cells_in_csv(rows):
    return {
        (row["set"], row["model"]): (
            f"{float(row['value']):.3f}",
            tuple(each for each in (int(row["wins"]), -int(row["losses"])) if each),
            *(f"{float(row[end]):.3f}" for end in ("low", "high")),
        )
        for row in rows
        if row["wins"]
    }


def cells_in_page(text):
    found = {}
    tables = re.findall(r"<table.*?</table>", text, re.DOTALL)
    for sets in ((EASY, HARD), (RATED,)):
        marks = f'title="{sets[0]}: ', "<small>", "by avg"
        table, *_other_statistics = [each for each in tables if all(mark in each for mark in marks)]
        ends = r"([−\-]?\d\.\d{3})<span> to </span>([−\-]?\d\.\d{3})"
        cells = rf"([−\-]?\d\.\d{{3}})(?:</strong>)?((?:<sup>.*?</sup>)?)<small>{ends}"
        found |= cells_in(table, r"<span>MODEL</span></th>([\s\S]*?)</tr>", cells, sets)
    return {key: (value.replace("−", "-"), *rest) for key, (value, *rest) in found.items()}


def cells_in_markdown(text):
    """Return what the tables of values in Markdown say, whose backslashes are gone."""
    found = {}
    number = r"([−\-]?\d\.\d{3})"
    cells = rf"{number}(?:\*\*)?((?:<sup>.*?</sup>)?) \[{number}, {number}\]"
    for sets, group in (((EASY, HARD), "names vs synonyms"), ((RATED,), "other rated sets")):
        table, *_other_statistics = re.findall(rf"^[^\n:]+: {group}\.\n\n(.*?)\n\n", text, re.DOTALL | re.MULTILINE)
        found |= cells_in(table, r"^\| MODEL \|(.*)$", cells, sets)
    return {key: (value.replace("−", "-"), *rest) for key, (value, *rest) in found.items()}


def ranking_in_page(text):
    """Return the ranking that stands behind the picture of a page, a leaderboard or a notebook."""
    interval = r"<small>(\d\.\d{3})<span> to </span>(\d\.\d{3})</small>"
    row = rf"<span>MODEL</span></th>\s*<td[^>]*>(\d\.\d{{3}}){interval}</td>\s*<td[^>]*>(\d)(?: to (\d))?</td>"
    return ranking_in(text, row)


def cells_in_latex(folder, paper):
    own, marks = {}, {}
    for sets, values in zip(((EASY, HARD), (RATED,)), VALUES, strict=True):
        text = (folder / "tables" / f"{values}.tex").read_text(encoding="ascii")
        number = r"((?:\$-\$)?\d\.\d{3})"
        cells = rf"{number}\}}? & ((?:\$\^\{{.*?\}}\$)?)~\{{\\scriptsize \[{number}, {number}\]"
        own |= cells_in(text, r"^ +MODEL (&.*)$", cells, sets)
    for sets, name in (((EASY, HARD), paper), ((RATED,), "paper-rho")):
        text = (folder / "tables" / f"{name}.tex").read_text(encoding="ascii")
        cells = r"(\d+\.\d+)\}?((?: & \$\^\{.*?\}\$)?)"
        marks |= {key: cell[1] for key, cell in cells_in(text, r"^ +MODEL (&.*)$", cells, sets).items()}
    return {key: (cell[0].replace("$-$", "-"), *cell[1:]) for key, cell in own.items()}, marks


def ranking_in_json(joint):
    return [
        (each["name"], *(f"{each[end]:.3f}" for end in ("value", "low", "high")), tuple(each["rank"]))
        for each in joint["systems"]
    ]


def ranking_in(text, numbers):
    """Return the ranking of models, from what looks like a row of it."""
    rows = re.findall(numbers.replace("MODEL", f"({'|'.join(MODELS)})"), text, re.MULTILINE)
    return [(*row[:4], tuple(map(int, (row[4], row[5] or row[4])))) for row in rows]


ROW = r"^(?:\| )?MODEL +(?:\| )?(\d\.\d{3}) +\[?(\d\.\d{3})(?:,| to) (\d\.\d{3})\]?(?: \|)? +(\d)(?:(?: to |–)(\d))?\b"


@pytest.mark.parametrize("options", [[], ["--tests", "paper"], ["--statistic", "accuracy", "--alpha", "0.1"]])
def test_every_output_states_the_same(run, made, tmp_path, options):
    folder = tmp_path / "run"
    status, evaluated, _err = run("evaluate", *made, *options, "-o", folder)
    assert status == 0
    status, out, err = run("compare", folder, "--json")
    assert (status, err) == (0, "")
    document = json.loads(out)
    wanted, joint = cells_in_json(document), document["joint"]
    ranking = ranking_in_json(joint)
    assert len(wanted) == 12
    assert wanted[EASY, "good"][1] == (3,)
    assert (joint["sets"], [each["tier"] for each in joint["systems"]]) == ([EASY, HARD], [1, 2, 2, 3])
    assert {each["verdict"] for each in joint["differences"]} >= {"different", "undecided"}
    if "paper" in options:
        assert {each["test"] for each in document["models"].values()} == {"exact McNemar", "BCa bootstrap"}

    _status, brief, _err = run("compare", folder)
    _status, whole, _err = run("compare", folder, "--all")
    _status, every, _err = run("evaluate", *made, *options, "-o", folder, "--all")
    for printed in (evaluated, brief, whole, every):
        assert joint["verdict"].split(" Not counted")[0] in " ".join(printed.split())
        assert ranking_in(printed, ROW) == ranking
    assert len(evaluated.splitlines()) <= 40
    assert cells_printed(whole) == cells_printed(every) == wanted

    report = ["report", folder, "--format", "html,latex,csv,markdown", "--figures", "none", "--out", tmp_path / "all"]
    status, _out, _err = run(*report)
    assert status == 0
    page = html.unescape((tmp_path / "all" / "report.html").read_text(encoding="utf-8"))
    markdown = (tmp_path / "all" / "report.md").read_text(encoding="utf-8").replace("\\", "")
    claim = f"AUC {joint['systems'][0]['value']:.2f}" if not options else "accuracy"
    numbers = joint["verdict"].split(": ", 1)[1].split(" Not counted")[0]
    for text in (page, markdown):
        assert claim.replace(" 0.", " .") in text
        assert numbers[0].upper() + numbers[1:] in text.replace("<strong>", "").replace("</strong>", "")
    assert cells_in_page(page) == cells_in_markdown(markdown) == wanted
    assert ranking_in_page(page) == ranking
    table = "paper-accuracy-random" if options else "paper-auc-random"
    latex, paper = cells_in_latex(tmp_path / "all" / "report-latex", table)
    assert latex == wanted
    assert paper == {key: cell[1] for key, cell in wanted.items()}
    tables = tmp_path / "all" / "report-csv"
    for names in (VALUES, (table, "paper-rho")):
        assert cells_in_csv([row for name in names for row in rows_of(tables / f"{name}.csv")]) == wanted
    kept = [
        (row["Model"], *(f"{float(row[end]):.3f}" for end in ("Value", "Value low", "Value high")))
        for row in rows_of(tables / "ranking.csv")
    ]
    assert kept == [row[:4] for row in ranking]
    assert ranking_in(markdown.split("\n## ")[0], ROW) == ranking

    compared, board = tg.compare(folder), tg.leaderboard([folder], **_keywords(options))
    assert compared.main.as_dict() == joint == board.comparison.main.as_dict()
    assert board.comparison.as_dict()["models"] == document["models"]
    notebook, shown = (html.unescape(each._repr_html_()) for each in (compared, board))
    assert joint["verdict"] in notebook
    assert numbers in shown.replace(numbers[0].upper() + numbers[1:], numbers)
    assert ranking_in_page(notebook) == ranking_in_page(shown) == ranking
    assert cells_in_page(shown) == wanted
    results = pl.read_csv(folder / "results.csv")
    statistic = {name: about["statistic"] for name, about in document["models"].items()}
    for row in results.filter(subset="shared").iter_rows(named=True):
        if row["statistic"] == statistic[row["set"]]:
            assert (f"{row['value']:.3f}", f"{row['low']:.3f}", f"{row['high']:.3f}") == (
                wanted[row["set"], row["model"]][0], *wanted[row["set"], row["model"]][2:]
            )  # fmt: skip
    changes = tg.diff(folder, folder, **_keywords(options))
    assert changes.changed == ()
    told = {(value.set, value.model): (f"{value.before:.3f}", f"{value.after:.3f}")
            for value in changes.values if value.statistic == statistic.get(value.set)}  # fmt: skip
    assert told == {key: (cell[0], cell[0]) for key, cell in wanted.items()}


def _keywords(options):
    return {name.strip("-"): float(value) if name == "--alpha" else value
            for name, value in zip(options[::2], options[1::2], strict=True)}  # fmt: skip
