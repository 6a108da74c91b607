"""Arguments that several commands share: each means the same in all of them."""

from __future__ import annotations

import pytest
import typer

from termgauge import cli
from termgauge.cli import options


def parameters():
    """Yield each command with its parameters by name."""
    group = typer.main.get_command(cli.app)
    for name in group.list_commands(None):
        yield name, {each.name: each for each in group.get_command(None, name).params}


@pytest.mark.parametrize(
    ("name", "flags"), [("as_json", {"--json"}), ("models", {"--model", "-m"}), ("jobs", {"--jobs", "-j"})]
)
def test_a_flag_is_the_same_everywhere(name, flags):
    having = [known[name] for verb, known in parameters() if name in known and verb != "models"]
    assert having
    assert {frozenset(each.opts) for each in having} == {frozenset(flags)}
    assert len({each.help for each in having}) == 1


def test_every_parameter_of_every_command_says_what_it_is():
    silent = [(verb, name) for verb, known in parameters() for name, each in known.items() if not each.help]
    assert silent == []


def test_no_flag_is_the_plural_of_another():
    flags = {
        flag for _verb, known in parameters() for each in known.values() for flag in each.opts if flag.startswith("-")
    }
    # One of a table of properties and the three of a table of pairs; sets of one's own and how raters were grouped; the
    # language of a benchmark and the two of one that goes across; negative samples in training and kinds of negatives.
    different = {"--column", "--group", "--language", "--negative"}
    assert {flag for flag in flags if f"{flag}s" in flags} == different
    assert options.Sources
