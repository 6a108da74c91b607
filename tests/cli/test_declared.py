"""Flags from declared options."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
import typer
from pydantic import BeforeValidator, Field
from typer.testing import CliRunner

from termgauge.cli.declared import parameters_of, with_flags
from termgauge.exceptions import TermgaugeError
from termgauge.options import Flag, Options


class Declared(Options):
    """Options of every kind."""

    pair: Annotated[list[str], Field(min_length=2, max_length=2), Flag(metavar="A B")] = Field(description="Two words.")
    names: Annotated[list[str], Flag(("--name", "-n"))] = Field([], description="Some names.")
    k: list[int] = Field([5, 10], description="Numbers.")
    share: float = Field(0.5, description="A share.")
    most: int | None = Field(None, description="A number, if any.")
    lower: bool = Field(default=False, description="Lower case.")
    kept: bool = Field(default=True, description="Kept.")
    turned: bool | None = Field(None, description="Turned, unless nothing is said.")
    way: Literal["first", "all"] = Field("first", description="One of two.")
    together: Annotated[
        str, BeforeValidator(lambda words: "+".join(words) if isinstance(words, list) else words), Flag(repeated=True)
    ] = Field("none", description="One text made of several.")
    only_in_files: Annotated[int, Flag(where="file")] = Field(1, description="Not on a command line.")


@pytest.fixture
def command():
    """Return what calls a command with some words: the status, what it was given, and what it printed."""
    app = typer.Typer()
    seen = []

    def verb(place: str, options: Declared):
        seen.append((place, options))

    app.command()(with_flags(verb))

    def call(*words):
        seen.clear()
        done = CliRunner().invoke(app, ["x", "--pair", "a", "b", *words], env={"COLUMNS": "200"})
        return done, seen[0][1] if seen else None

    return call


def test_what_is_not_said_has_its_default(command):
    done, options = command()
    assert done.exit_code == 0, done.output
    assert options == Declared.of(pair=["a", "b"])


def test_every_kind_of_flag(command):
    words = ["--name", "a", "-n", "b", "--k", "1,5", "--k", "20", "--share", "0.25", "--most", "3", "--lower"]
    _, options = command(*words, "--no-kept", "--no-turned", "--way", "all", "--together", "a", "--together", "b")
    assert options == Declared.of(
        pair=["a", "b"],
        names=["a", "b"],
        k=[1, 5, 20],
        share=0.25,
        most=3,
        lower=True,
        kept=False,
        turned=False,
        way="all",
        together="a+b",
    )


def test_help_says_what_the_declaration_says(command):
    shown = " ".join(command("--help")[0].output.split())
    for text in (
        "Two words.",
        "Some names; may be repeated.",
        "One text made of several; may be repeated. [default: (none)]",
        "first|all",
        "5, 10",
        "--kept",
        "--no-kept",
        "--turned",
    ):
        assert text in shown
    assert "only-in-files" not in shown
    assert "--no-lower" not in shown


@pytest.mark.parametrize(
    ("words", "sentence"),
    [(["--way", "some"], "must be 'first' or 'all'"), (["--k", "ten"], "--k takes whole numbers, not 'ten'")],
)
def test_a_value_that_does_not_fit_is_one_sentence(command, words, sentence):
    error = command(*words)[0].exception
    assert isinstance(error, TermgaugeError)
    assert sentence in str(error)


def test_some_fields_alone():
    assert [each.name for each in parameters_of(Declared, ["share", "most"])] == ["share", "most"]
