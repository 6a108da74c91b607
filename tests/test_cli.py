"""The command line as its users meet it: streams, exit statuses, sentences."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from termgauge import cli
from termgauge.cli.application import COMMANDS, print_json
from termgauge.exceptions import TermgaugeError
from tests.samples import WRITERS, write_obo, write_rrf, zipped

COMMAND = [sys.executable, "-c", "from termgauge.cli import main; main()"]


def launched(*arguments, **environment):
    """Run it as a process of its own."""
    paths = os.pathsep.join(sys.path)
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": paths, **environment},
    )


def test_help(run):
    for arguments in (["--help"], ["-h"], ["terminology", "--help"], ["cache", "-h"], ["run", "--help"]):
        status, out, _ = run(*arguments)
        assert status == 0
        assert "Usage:" in out
    _, out, _ = run("--help")
    listed = [line.split()[1] for line in out.splitlines() if line.startswith("│ ") and line[2].isalpha()]
    assert listed == [name for names in COMMANDS.values() for name in names]
    assert {each.callback.__name__ for each in cli.app.registered_commands} == set(listed)
    assert all(f"{status} " in out.partition("Exit status")[2] for status in (0, 1, 2, 3, 130))


def test_no_arguments_show_the_help(run):
    status, out, err = run()
    assert status in (0, 2)
    assert "Usage:" in out + err


def test_version(run):
    status, out, err = run("--version")
    assert (status, err) == (0, "")
    assert out.startswith("termgauge ")
    assert len(out.splitlines()) == 1


@pytest.mark.parametrize("kind", WRITERS)
def test_json_is_one_document_and_nothing_else(run, tmp_path, kind):
    source = WRITERS[kind](tmp_path / "made")
    status, out, err = run("terminology", source, "--json")
    assert status == 0
    document = json.loads(out)
    assert document["format"] == kind
    assert document["concepts"] > 0
    assert err == ""
    assert run("terminology", zipped(source, tmp_path / "z.zip"), "--json")[1] == out


def test_json_with_notes_keeps_them_off_standard_output(run, tmp_path):
    source = write_rrf(tmp_path)
    next(source.rglob("MRREL.RRF")).unlink()
    for _ in range(2):
        status, out, err = run("terminology", source, "--json")
        assert status == 0
        assert json.loads(out)["notes"] == ["No MRREL.RRF: the terminology has no relations."]
        assert err == "Note: No MRREL.RRF: the terminology has no relations.\n"


def test_what_was_asked_for_goes_to_standard_output(run, tmp_path):
    status, out, err = run("terminology", write_obo(tmp_path))
    assert (status, err) == (0, "")
    assert all(line == line.rstrip() for line in out.splitlines())
    assert "\x1b" not in out
    for word in ("toy", "2024-05-01", "Concepts", "heart attack", "layperson", "Replacements, replaced-by"):
        assert word in out


def test_brackets_in_data_are_not_markup(run, tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text("concept\tterm\ttag\n[/x]\t[bold]a[/]\t[/y]\n[/x]\t[/b]\t\n")
    status, out, _ = run("terminology", path)
    assert status == 0
    assert all(text in out for text in ("[/x]", "[bold]a[/]", "[/y]", "[/b]"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["terminology", "{tmp}/nothing"],
        ["terminology", "{tmp}"],
        ["terminology", "{obo}", "--format", "owl"],
        ["terminology", "{obo}", "--format", "rf2"],
        ["--debug", "terminology", "{tmp}/nothing"],
    ],
)
def test_bad_input_is_one_sentence(run, tmp_path, arguments):
    (tmp_path / "empty").mkdir()
    obo = write_obo(tmp_path / "obo")
    given = [each.format(tmp=tmp_path / "empty", obo=obo) for each in arguments]
    status, out, err = run(*given)
    assert (status, out) == (2, "")
    last = err.splitlines()[-1]
    assert last.startswith("Error: ")
    if "--debug" not in given:
        assert err.count("\n") == 1
        assert "Traceback" not in err


@pytest.mark.parametrize(
    "arguments",
    [["nonsense"], ["terminology"], ["terminology", "x", "--nonsense"], ["cache", "--unused", "-1"], ["--nonsense"]],
)
def test_bad_usage(run, arguments):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert "Traceback" not in err
    assert "Usage" in err


def test_debug_anywhere_shows_the_traceback(run, tmp_path):
    for arguments in (
        ["--debug", "terminology", tmp_path / "x"],
        ["terminology", "--debug", tmp_path / "x"],
        ["terminology", tmp_path / "x", "--debug"],
    ):
        status, _, err = run(*arguments)
        assert status == 2
        assert "Traceback" in err


def test_debug_after_two_dashes_is_a_name(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, _, err = run("terminology", "--", "--debug")
    assert status == 2
    assert "--debug: there is no such file" in err
    assert "Traceback" not in err


def test_a_defect_is_owned_up_to(run, tmp_path, monkeypatch):
    import termgauge.terminology

    def broken(*_, **__):
        raise ZeroDivisionError("oh [no]")

    monkeypatch.setattr(termgauge.terminology, "read_terminology", broken)
    status, out, err = run("terminology", tmp_path)
    assert (status, out) == (1, "")
    where, _, advice = err.removeprefix("Defect: this is an error in termgauge (").partition("). ")
    assert where.startswith("ZeroDivisionError: oh [no], in cli/data.py, line ")
    assert advice == "Run the command again with --debug and report what it prints.\n"
    assert "Traceback" in run("terminology", tmp_path, "--debug")[2]


def test_interruption(run, tmp_path, monkeypatch):
    import termgauge.terminology

    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(termgauge.terminology, "read_terminology", stopped)
    status, _, err = run("terminology", tmp_path)
    assert status == 130
    assert err.startswith("Stopped.")


def test_a_sentence_is_not_broken_into_lines(run, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    _, _, err = run("terminology", tmp_path / ("long" * 30))
    assert err.count("\n") == 1


def test_options_reach_the_reader(run, tmp_path):
    source = write_rrf(tmp_path)
    _, out, _ = run(
        *("terminology", source, "--json", "--language", "en", "--vocabulary", "MSH", "--vocabulary", "SCTSPA"),
        *("--no-suppressed", "--no-cache"),
    )
    document = json.loads(out)
    assert document["languages"] == ["en"]
    assert document["active_terms"] == document["terms"] == 4
    assert json.loads(run("cache", "--json")[1])["entries"] == []


def test_cache_command(run, tmp_path, cache_folder):
    status, out, err = run("cache")
    assert (status, err) == (0, "")
    assert "nothing in it" in out
    run("terminology", write_obo(tmp_path), "--json")
    document = json.loads(run("cache", "--json")[1])
    assert document["folder"] == str(cache_folder)
    assert [entry["what"] for entry in document["entries"]] == ["terminology"]
    assert document["entries"][0]["bytes"] > 0
    assert "terminology" in run("cache")[1]
    status, out, err = run("cache", "terminolgy")
    assert status == 2
    assert "Did you mean 'terminology'?" in err
    assert json.loads(run("cache", "--clear", "--unused", "1", "--json")[1]) == {"deleted": 0, "bytes": 0}
    assert json.loads(run("cache", "terminology", "--clear", "--json")[1])["deleted"] == 1
    status, _, err = run("cache", "--clear")
    assert status == 0
    assert "Deleted 0 entries" in err


def test_as_a_process(tmp_path):
    path = write_obo(tmp_path)
    done = launched("terminology", path, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["format"] == "obo"
    assert done.stderr == b""
    done = launched("terminology", tmp_path / "nothing")
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.startswith(b"Error: ")


def test_tables_where_the_terminal_is_not_utf8(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text("concept\tterm\n1\tä\n", encoding="utf-8")
    done = launched("terminology", path, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Concepts" in done.stdout


def test_json_keeps_separators_that_are_no_line_ends(capsys):
    print_json({"a": "x\u2028y\x85z "})
    assert json.loads(capsys.readouterr().out) == {"a": "x\u2028y\x85z "}


def test_json_where_the_terminal_is_not_utf8(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text("concept\tterm\tlanguage\n1\tä\tdeutsch-ß\n", encoding="utf-8")
    done = launched("terminology", path, "--json", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0
    assert json.loads(done.stdout)["languages"] == ["deutsch-ß"]


@pytest.mark.parametrize("options", [["--json"], []])
def test_a_reader_that_goes_away(tmp_path, options):
    """As with `termgauge … | head -c 0`."""
    read, write = os.pipe()
    os.close(read)
    paths = os.pathsep.join(sys.path)
    done = subprocess.run(
        [*COMMAND, "terminology", str(write_obo(tmp_path)), *options],
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
        env={**os.environ, "PYTHONPATH": paths},
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_errors_are_the_only_way_to_status_two(run, tmp_path, monkeypatch):
    import termgauge.terminology

    def refuse(*_, **__):
        raise TermgaugeError("a sentence with [brackets] and\ttabs")

    monkeypatch.setattr(termgauge.terminology, "read_terminology", refuse)
    status, _, err = run("terminology", tmp_path)
    assert status == 2
    assert "[brackets]" in err


@pytest.fixture
def scored(run, tmp_path):
    """Return a small benchmark, a run on it, and a file of vectors."""
    pairs = "".join(f"heart {word}\tcardiac {word}\t1\nheart {word}\tskin {word}x\t0\n" for word in "abcdefgh")
    (tmp_path / "toy.tsv").write_text(pairs)
    arguments = ["evaluate", "-b", tmp_path / "toy.tsv", "-m", "baseline:random", "-m", "baseline:levenshtein"]
    status, out, err = run(*arguments, "-o", tmp_path / "run", "--measure", "avg_cos")
    assert status == 0
    assert "accuracy at the threshold that is best" in " ".join(out.split())
    assert "random" in out
    assert err == f"All values: {tmp_path / 'run' / 'results.csv'}\n"
    return tmp_path / "run"


def test_evaluate_and_compare_print_one_document(run, scored, tmp_path):
    again = ["evaluate", "-b", tmp_path / "toy.tsv", "-m", "baseline:random", "-o", scored, "--json"]
    status, out, err = run(*again)
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert {row["model"] for row in document["results"]} == {"random", "levenshtein"}
    for options in ([], ["--statistic", "auc"], ["--measure", "best", "--no-power", "--no-measures"]):
        status, out, err = run("compare", scored, "--json", *options)
        assert (status, err) == (0, "")
        assert list(json.loads(out)["models"]) == ["toy"]
        status, out, err = run("compare", scored, *options)
        assert (status, err) == (0, "")
        assert "levenshtein" in out


def test_errors_prints_one_document(run, scored):
    status, out, err = run("errors", scored, "--model", "random", "--set", "toy", "--n", 3, "--json")
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert (document["measure"], document["scored"]) == ("avg_cos", 16)
    assert len(document["pairs"]) <= 3
    status, out, err = run("errors", scored, "-m", "levenshtein", "-s", "toy", "--only", "false-negative")
    assert (status, err) == (0, "")
    assert "levenshtein on toy" in out


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
