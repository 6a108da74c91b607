"""The command line as its users meet it: streams, exit statuses, sentences."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from termgauge.cli.application import COMMANDS, print_json
from termgauge.exceptions import TermgaugeError
from termgauge.tasks.registry import all_tasks
from tests.samples import write_obo, write_rrf

COMMAND = [sys.executable, "-m", "termgauge"]


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
    fixed = [name for names in COMMANDS.values() for name in names]
    tasks = [task.name for task in all_tasks().values() if task.command]
    assert set(tasks) <= set(listed)
    assert listed == [*fixed, *(name for name in tasks if name not in fixed)]
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
        ["terminology", "{obo}", "--source-format", "docx"],
        ["terminology", "{obo}", "--source-format", "rf2"],
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
    import termgauge.terminology.read

    def broken(*_, **__):
        raise ZeroDivisionError("oh [no]")

    monkeypatch.setattr(termgauge.terminology.read, "read_with", broken)
    status, out, err = run("terminology", tmp_path)
    assert (status, out) == (1, "")
    where, _, advice = err.removeprefix("Defect: this is an error in termgauge (").partition("). ")
    assert where.startswith("ZeroDivisionError: oh [no], in cli/data.py, line ")
    assert advice == "Run the command again with --debug and report what it prints.\n"
    assert "Traceback" in run("terminology", tmp_path, "--debug")[2]


def test_interruption(run, tmp_path, monkeypatch):
    import termgauge.terminology.read

    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(termgauge.terminology.read, "read_with", stopped)
    status, _, err = run("terminology", tmp_path)
    assert status == 130
    assert err.startswith("Stopped.")


def test_a_sentence_is_not_broken_into_lines(run, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    _, _, err = run("terminology", tmp_path / ("long" * 30))
    assert err.count("\n") == 1


@pytest.mark.integration
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
    text = "x\u2028y\x85z \x1b[31m\x9b31m\x7f\u202eé"
    print_json({"a": text, text: 1})
    shown = capsys.readouterr().out
    assert json.loads(shown) == {"a": text, text: 1}
    assert shown.replace("\n", "").isprintable()
    assert "é" in shown


ODD = "\x1b[31m\x9b2J\x07\u2028\x85\r\u202e"


def test_nothing_from_outside_steers_the_terminal(run, tmp_path):
    path = tmp_path / f"t{ODD}.tsv"
    path.write_text(
        "concept\tterm\ttag\n" + "".join(f"{i}\t{kind}{ODD} {i}\tx{ODD}\n" for i in range(9) for kind in "ab")
    )
    pairs = tmp_path / f"pairs{ODD}"
    named = f"named{ODD}=baseline:levenshtein"
    vectors = tmp_path / f"w{ODD}.txt"
    vectors.write_text(f"1 2\na{ODD[:-3]} 1 2\n".replace("\u2028", "").replace("\x85", ""))
    commands = [
        ("terminology", path),
        ("build", path, "--out", pairs),
        ("evaluate", "-b", pairs, "-m", "baseline:levenshtein", "-m", vectors, "-o", tmp_path / f"run{ODD}"),
        ("evaluate", "-b", pairs, "-m", named, "-o", tmp_path / "run"),
        ("vocabulary", "-m", named, "-m", tmp_path / f"none{ODD}"),
        ("vocabulary", "-m", f"openai:m?base_url=http://{ODD}/v1"),
        ("report", tmp_path / f"run{ODD}"),
        ("errors", tmp_path / f"run{ODD}", "-m", "levenshtein", "-s", f"x{ODD}"),
    ]
    for command in commands:
        status, out, err = run(*command)
        assert status in (0, 2, 4), err
        assert (out + err).replace("\n", "").isprintable(), command
        assert status == 0 or (err.count("\n") == 1 and err.startswith("Error: ")), err
    page = (tmp_path / f"run{ODD}" / "report.html").read_text()
    assert not set(ODD) - set("[312mJ") & set(page)


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
    import termgauge.terminology.read

    def refuse(*_, **__):
        raise TermgaugeError("a sentence with [brackets] and\ttabs")

    monkeypatch.setattr(termgauge.terminology.read, "read_with", refuse)
    status, _, err = run("terminology", tmp_path)
    assert status == 2
    assert "[brackets]" in err
