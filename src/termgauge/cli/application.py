"""The application: how commands are declared, how they end, and where they print.

What a command is asked for goes to standard output: its tables, or one JSON document; progress, notes and warnings go
to standard error. Bad input ends with one sentence and exit status 2, a defect of termgauge with exit status 1; the
help names all of them.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
import warnings
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec

import typer
from typer.core import TyperGroup

from termgauge.exceptions import TermgaugeError, TermgaugeWarning, defect_of, sentence_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rich.console import Console

    from termgauge.document.blocks import Document, Section

_P = ParamSpec("_P")
EXIT_DEFECT, EXIT_BAD_INPUT, EXIT_WORSE, EXIT_INTERRUPTED = 1, 2, 3, 130
MEASUREMENTS = "Measurements"
COMMANDS = {
    "Whole experiments": ("run", "init", "report", "diff", "leaderboard"),
    "Terminologies and sets": ("terminology", "build", "sets", "cache"),
    "Models": ("models", "neighbours", "convert"),
    MEASUREMENTS: ("evaluate", "compare", "errors"),
}
"""All commands, in the order in which the help lists them; those of tasks follow the last."""
_FORMER_FLAGS = {
    "--relations": "--relation-table",
    "--measures": "--between-measures",
    "--no-measures": "--no-between-measures",
}
"""What flags of version 0.1 are called now."""
_READING_FORMAT = ("terminology", "categories", "coverage", "analogies")
"""Commands whose ``--format`` was that of the source in version 0.1; elsewhere it is that of what is written."""


class _InOrder(TyperGroup):
    """The commands in the order of the list above, whichever module was imported first."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002 - typer carries its own copy of click
        known = [name for names in COMMANDS.values() for name in names if name in self.commands]
        return [*known, *(name for name in self.commands if name not in known)]


app = typer.Typer(
    name="termgauge",
    cls=_InOrder,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="How well does an embedding know medical terminology?\n\n"
    "termgauge turns a terminology that you have (a SNOMED CT release, a UMLS META folder, an OBO ontology, your own "
    "table) into benchmarks and measures embeddings on them.\n\n"
    "Start with [bold]termgauge terminology SOURCE[/bold] to see whether your terminology is read as you expect, or "
    "with [bold]termgauge run[/bold] to see the whole on an open ontology.",
    epilog="Exit status: 0 done, 1 a defect of termgauge, 2 bad input or usage, 3 something is significantly worse "
    "([bold]termgauge diff --fail-on-worse[/bold]), 130 interrupted.",
)


def command(verb: Callable[_P, None]) -> Callable[_P, None]:
    """Make a function a command; its help is its docstring, each paragraph in one piece."""
    paragraphs = inspect.cleandoc(verb.__doc__ or "").split("\n\n")
    panel = next(title for title, names in COMMANDS.items() if verb.__name__ in names)
    return app.command(help="\n\n".join(" ".join(part.split()) for part in paragraphs), rich_help_panel=panel)(verb)


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, help="Print the version.", callback=lambda on: _version(on=on)),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error; may stand anywhere on the line.")
    ] = False,
) -> None:
    """Options before the command (documented in the app's help)."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    end = given.index("--") if "--" in given else len(given)
    debug = "--debug" in given[:end]
    given = [word for at, word in enumerate(given) if word != "--debug" or at > end]
    sys.exit(_status([_flag_of_today(word, given[0]) for word in given], debug=debug))


def _flag_of_today(word: str, verb: str) -> str:
    """Return what a flag of version 0.1 is called now."""
    flag, equals, value = word.partition("=")
    if flag == "--format" and verb in _READING_FORMAT:
        flag = "--source-format"
    return f"{_FORMER_FLAGS.get(flag, flag)}{equals}{value}"


def _status(arguments: list[str], *, debug: bool) -> int:
    from termgauge.progress import shown_on

    console = people()
    with warnings.catch_warnings(), shown_on(console):
        warnings.simplefilter("always", TermgaugeWarning)
        warnings.showwarning = _show_warning
        try:
            app(arguments, standalone_mode=True)
        except SystemExit as done:
            if done.code == EXIT_INTERRUPTED:
                say("Stopped. ", "bold", "What was finished is kept; the same command goes on from there.")
            return done.code if isinstance(done.code, int) else EXIT_DEFECT
        except Exception as error:  # noqa: BLE001 - the last resort, so that no user meets a traceback unasked
            if debug:
                console.print_exception()
            if isinstance(error, TermgaugeError | OSError | MemoryError):
                # The last two are of the machine: a full disk, a file that went away.
                ours = isinstance(error, TermgaugeError)
                say("Error: ", "bold red", str(error) if ours else f"{sentence_of(error)} What was finished is kept.")
                return EXIT_BAD_INPUT
            advice = "" if debug else " Run the command again with --debug and report what it prints."
            say("Defect: ", "bold red", f"this is an error in termgauge ({defect_of(error)}).{advice}")
            return EXIT_DEFECT
    return 0


def _version(*, on: bool) -> None:
    if on:
        from termgauge.identity import version

        sys.stdout.write(f"termgauge {version()}\n")
        raise typer.Exit


def print_json(document: Any) -> None:  # noqa: ANN401
    """Print one JSON document on standard output."""
    text = json.dumps(document, ensure_ascii=False, indent=2)
    try:
        text.encode((sys.stdout and sys.stdout.encoding) or "utf-8")
    except UnicodeEncodeError:  # a terminal that is not UTF-8, or a file name that is no text
        text = json.dumps(document, indent=2)
    _write(text)


def _write(text: str) -> None:
    """Write lines to standard output, without spaces at their ends; stop where nobody reads on, as ``head`` does."""
    if sys.stdout is None:  # closed before the command began
        return
    try:
        sys.stdout.writelines(f"{line.rstrip()}\n" for line in text.removesuffix("\n").split("\n"))
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit from None


def show(shown: Document | Iterable[Section], *, folded: bool = False, most_rows: int | None = None) -> None:
    """Show a document, or some sections, on standard output; `folded` also what is of interest to few."""
    from rich.console import Console

    from termgauge.document.writers.terminal import terminal

    console = Console(highlight=False)
    with console.capture() as capture:
        console.print(terminal(shown, width=console.width, folded=folded, most_rows=most_rows))
    encoding = (sys.stdout and sys.stdout.encoding) or "utf-8"  # not every one has superscripts
    _write(capture.get().encode(encoding, "replace").decode(encoding))


def answer(as_json: bool, document: Callable[[], object], shown: Callable[[], Document | Iterable[Section]]) -> None:
    """Print what a command is asked for: one JSON document, or tables for people; only what is printed is made."""
    if as_json:
        print_json(document())
    else:
        show(shown())


def note(sentence: str) -> None:
    """Say a sentence to people, such as where something was written."""
    people().print(sentence, highlight=False, markup=False, soft_wrap=True)


def people() -> Console:
    """Return the console for what is said beside the results: standard error."""
    from rich.console import Console

    return Console(stderr=True, soft_wrap=False)


def say(heading: str, style: str, sentence: str) -> None:
    """Say a sentence to people, after a word that says what it is."""
    from rich.text import Text

    people().print(Text.assemble((heading, style), sentence), soft_wrap=True)


def _show_warning(message: Warning | str, category: type[Warning], *_where: object, **_more: object) -> None:
    if issubclass(category, TermgaugeWarning):
        say("Note: ", "yellow", str(message))
