"""Help at 80 columns: everything is there, and nothing is cut."""

from __future__ import annotations

import typer

from termgauge import cli
from termgauge.cli.help import HelpedCommand


def typed():
    """Return what is typed for each command, and the command."""
    group = typer.main.get_command(cli.app)
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        yield [name], command
        for below, each in getattr(command, "commands", {}).items():
            yield [name, below], each


def test_no_help_is_cut(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for words, command in [([], None), *typed()]:
        status, out, err = run(*words, "--help")
        assert (status, err) == (0, "")
        lines = out.splitlines()
        assert max(map(len, lines)) <= 80
        assert "\N{HORIZONTAL ELLIPSIS}" not in out, words
        if not isinstance(command, HelpedCommand):
            assert command is None or hasattr(command, "commands"), "every command has the help that is not cut"
            continue
        joined = "".join(out.split())
        assert "\\[" not in out
        for each in command.params:
            assert all(flag in out for flag in each.opts if flag.startswith("-"))
            if not each.hidden:
                assert "".join((each.help or "").split()) in joined


def test_help_says_what_is_needed_and_what_is_usual(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out = run("evaluate", "--help")[1]
    assert "  -m, --model [NAME=]SPEC\n        A file or folder, the id of a model" in out
    assert "[required]" in out
    assert "[default: 1; x>=1]" in out
