"""The application: how commands are declared, how they end, and where they print.

What a command is asked for goes to standard output: its tables, or one JSON document; progress, notes and warnings go
to standard error. Bad input ends with one sentence and exit status 2, a defect of termgauge with exit status 1; the
help names all of them. What was asked for and had to be left out is named in the last line, with exit status 4.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import sys
import traceback
import warnings
from contextlib import nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from typer import Option
from typer.core import TyperGroup

from termgauge.cli.completion import INSTALL, SHOW, Shell, install, offer_if_asked, script, with_shell
from termgauge.cli.help import HelpedCommand
from termgauge.exceptions import SkippedWarning, TermgaugeError, TermgaugeWarning, defect_of, one_line, sentence_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from rich.console import Console

    from termgauge.reporting.blocks import Document, Section

_UNSEEN = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Characters that JSON leaves as they are and a terminal may obey."""
EXIT_DEFECT, EXIT_BAD_INPUT, EXIT_WORSE, EXIT_MISSING, EXIT_INTERRUPTED = 1, 2, 3, 4, 130
MEASUREMENTS = "Measurements"
COMMANDS = {
    "Whole experiments": {
        **dict.fromkeys(("run", "init", "trust"), "run"),
        **dict.fromkeys(("report", "diff", "leaderboard"), "report"),
    },
    "Terminologies and sets": {
        **dict.fromkeys(("terminology", "build", "sets", "export", "cache"), "data"),
    },
    "Words from a corpus": {"words": "words", "pairs": "words", "train": "words", "tagger": "tagger"},
    "Models": dict.fromkeys(("models", "neighbours", "convert"), "models"),
    "People's ratings": dict.fromkeys(("study", "agreement"), "study"),
    MEASUREMENTS: {**dict.fromkeys(("evaluate", "compare", "errors"), "scores"), "ner": "tasks", "audit": "tasks"},
}
"""All commands in the order in which the help lists them, each with the module that declares it; tasks follow."""
_HOMES = {name: home for names in COMMANDS.values() for name, home in names.items()}
_TASKS = "tasks"
"""The module that declares the commands of tasks."""
_FORMER_FLAGS = {
    "--relations": "--relation-table",
    "--measures": "--between-measures",
    "--no-measures": "--no-between-measures",
}
"""What flags of version 0.1 are called now."""
_SEVERAL = ("--resource", "--accepted", "--decisions", "--extrinsic", "--intrinsic", "--corpus")
"""Flags after which several may stand, if what the command works on stands before: each gets the flag."""
_READING_FORMAT = ("terminology", "categories", "coverage", "analogies")
"""Commands whose ``--format`` was that of the source in version 0.1; elsewhere it is that of what is written."""


class _WhenNeeded(TyperGroup):
    """The commands in the order of the list above; a module is imported when one of its commands is asked for.

    The options of all commands together take half a second to declare.
    """

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401 - typer carries its own copy of click
        if cmd_name not in self.commands:
            self._load(_HOMES.get(cmd_name, _TASKS))
        if cmd_name not in self.commands:  # all, for one that was meant
            self.list_commands(ctx)
        return super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002
        self._load(*_HOMES.values(), _TASKS)
        return list(dict.fromkeys([*_HOMES, *self.commands]))

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:  # noqa: ANN401
        """Offer the names of commands and tasks, for which no command needs to be imported, or the options."""
        if incomplete.startswith("-"):
            offered: list[Any] = super().shell_complete(ctx, incomplete)
            return offered
        from termgauge.cli.completion import Offer
        from termgauge.tasks.registry import all_tasks

        tasks = [task.name for task in all_tasks().values() if task.command]
        return [Offer(name) for name in dict.fromkeys([*_HOMES, *tasks]) if name.startswith(incomplete)]

    def _load(self, *homes: str) -> None:
        for home in homes:
            import_module(f"termgauge.cli.{home}")  # its commands register themselves
        self.commands = {**typer.main.get_command(app).commands, **self.commands}  # type: ignore[attr-defined]


app = typer.Typer(
    name="termgauge",
    cls=_WhenNeeded,
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
    "([bold]termgauge diff --fail-on-worse[/bold]), 4 done, but something that was asked for had to be left out (named "
    "in the last line; [bold]--allow-missing[/bold] makes it 0), 130 interrupted.",
)
_ANYWHERE = {"--debug": "debug", "--quiet": "quiet", "-q": "quiet", "--allow-missing": "allow_missing"}
"""Flags that may stand anywhere on the line, and what is then so."""
EPILOG = "With every command: [bold]--allow-missing[/bold], [bold]-q[/bold], [bold]--debug[/bold] (termgauge --help)."


@dataclass
class _Ending:
    """How this call of the command line is to end, and what was left out so far."""

    debug: bool = False
    quiet: bool = False
    allow_missing: bool = False
    missing: dict[str, None] = field(default_factory=dict)


_ending = ContextVar("termgauge_ending", default=_Ending())  # noqa: B039 - each call sets its own


class Answer(NamedTuple):
    """What a command is asked for; only what is printed is made."""

    document: Callable[[], object]
    """The one JSON document that ``--json`` prints."""
    shown: Callable[[], Document | Iterable[Section] | str | None] = lambda: None
    """What people see instead: a document, sections, lines for other programs; nothing if it has shown all itself."""
    written: Sequence[Path | str] = ()
    """What was written, of which people are told."""
    then: Callable[[], object] = lambda: None
    """What is done after all that."""
    status: int = 0

    def give(self, *, as_json: bool) -> None:
        """Print it, and end the command."""
        if as_json:
            print_json(self.document())
        elif isinstance(shown := self.shown(), str):
            print_rows(shown)
        elif shown is not None:
            show(shown)
        for path in () if as_json else self.written:
            note(f"Written: {path}")
        self.then()
        if self.status:
            raise typer.Exit(self.status)


AsJson = Annotated[bool, Option("--json", help="Print one JSON document on standard output instead of tables.")]


def _declared(
    verb: Callable[..., Any], commands: typer.Typer, name: str, help_text: str, panel: str | None = None
) -> None:
    """Make a function a command; one that returns an answer gets the flag ``--json``."""
    from termgauge.cli.declared import with_flags  # which takes pydantic, for which --version need not wait

    function = with_flags(verb, as_json=AsJson)
    commands.command(name=name, cls=HelpedCommand, help=help_text, epilog=EPILOG, rich_help_panel=panel)(function)


def command(verb: Callable[..., Any], name: str = "", about: str = "") -> Callable[..., Any]:
    """Make a function a command; its help is its docstring, each paragraph in one piece."""
    name = name or verb.__name__
    _declared(verb, app, name, about or _help_of(verb.__doc__), _panel_of(name))
    return verb


def group(name: str, about: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a command that has commands of its own; what is returned makes a function one of them.

    A function is called as its command; where that is a word of Python's, an underscore follows.
    """
    commands = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
    app.add_typer(commands, name=name, help=_help_of(about), epilog=EPILOG, rich_help_panel=_panel_of(name))

    def one_of_them(verb: Callable[..., Any]) -> Callable[..., Any]:
        _declared(verb, commands, verb.__name__.rstrip("_"), _help_of(verb.__doc__))
        return verb

    return one_of_them


def _help_of(text: str | None) -> str:
    return "\n\n".join(" ".join(part.split()) for part in inspect.cleandoc(text or "").split("\n\n"))


def _panel_of(name: str) -> str:
    return next((title for title, names in COMMANDS.items() if name in names), MEASUREMENTS)


def _completion(flag: str, about: str) -> Any:  # noqa: ANN401
    """Return an option that completes words in a shell, and ends the command."""

    def complete(shell: Shell | None) -> None:
        if shell and flag == INSTALL:
            note(f"Written: {install(shell)}. Words are completed in every {shell} that is opened from now on.")
        elif shell:
            print_rows(script(shell))
        if shell:
            raise typer.Exit

    return Option(flag, metavar="[SHELL]", is_eager=True, help=about, callback=complete)


@app.callback()
def options(
    version: Annotated[
        bool,
        Option("--version", is_eager=True, help="Print the version.", callback=lambda on: _version(on=on)),
    ] = False,
    shown: Annotated[
        Shell | None,
        _completion(SHOW, "Print what makes bash, zsh, fish or powershell complete commands, models and sets."),
    ] = None,
    installed: Annotated[Shell | None, _completion(INSTALL, "Add that to what the shell reads when it starts.")] = None,
    allow_missing: Annotated[
        bool, Option("--allow-missing", help="End with status 0 even if something had to be left out.")
    ] = False,
    quiet: Annotated[bool, Option("--quiet", "-q", help="Show no progress and no notes.")] = False,
    debug: Annotated[
        bool,
        Option("--debug", help="Show the traceback of an error. These three may stand anywhere on the line."),
    ] = False,
) -> None:
    """Options before the command (documented in the app's help)."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    end = words.index("--") if "--" in words else len(words)
    wanted = {_ANYWHERE[word] for word in words[:end] if word in _ANYWHERE}
    ending = _Ending("debug" in wanted, "quiet" in wanted, "allow_missing" in wanted)
    words = [word for at, word in enumerate(words) if word not in _ANYWHERE or at > end]
    token = _ending.set(ending)
    try:
        words = with_shell(words)
        sys.exit(_status([_flag_of_today(word, words[0]) for word in _repeated(words)], ending))
    finally:
        _ending.reset(token)


def _repeated(arguments: Sequence[str]) -> list[str]:
    """Return the words of a command line with flags that stand before several files repeated before each of them.

    >>> _repeated(["pairs", "words.tsv", "--accepted", "anna.tsv", "ben.tsv", "--json"])
    ['pairs', 'words.tsv', '--accepted', 'anna.tsv', '--accepted', 'ben.tsv', '--json']
    """
    words: list[str] = []
    flag = ""
    for at, word in enumerate(arguments):
        if word.startswith("-"):
            flag = word if word in _SEVERAL and not arguments[1].startswith("-") else ""
        elif flag and arguments[at - 1] != flag:
            words.append(flag)
        words.append(word)
    return words


def _flag_of_today(word: str, verb: str) -> str:
    """Return what a flag of version 0.1 is called now."""
    flag, equals, value = word.partition("=")
    if flag == "--format" and verb in _READING_FORMAT:
        flag = "--source-format"
    return f"{_FORMER_FLAGS.get(flag, flag)}{equals}{value}"


def _status(arguments: list[str], ending: _Ending) -> int:
    from termgauge.progress import shown_on

    offer_if_asked()
    console = people()
    with warnings.catch_warnings(), nullcontext() if ending.quiet else shown_on(console):
        warnings.simplefilter("always", TermgaugeWarning)
        warnings.showwarning = _show_warning
        try:
            app(arguments, standalone_mode=True)
        except SystemExit as done:
            if done.code == EXIT_INTERRUPTED:
                say("Stopped. ", "bold", "What was finished is kept; the same command goes on from there.")
            status = done.code if isinstance(done.code, int) else EXIT_DEFECT
            return _missing(ending) if status == 0 and ending.missing else status
        except Exception as error:  # noqa: BLE001 - the last resort, so that no user meets a traceback unasked
            if ending.debug:
                say("", "", "".join(traceback.format_exception(error)))  # as all that is said, without secrets
            if isinstance(error, TermgaugeError | OSError | MemoryError):
                # The last two are of the machine: a full disk, a file that went away.
                ours = isinstance(error, TermgaugeError)
                say("Error: ", "bold red", str(error) if ours else f"{sentence_of(error)} What was finished is kept.")
                return EXIT_BAD_INPUT
            advice = "" if ending.debug else " Run the command again with --debug and report what it prints."
            say("Defect: ", "bold red", f"this is an error in termgauge ({defect_of(error)}).{advice}")
            return EXIT_DEFECT
    return 0


def _missing(ending: _Ending) -> int:
    """Name what was left out, and return how the command ends."""
    from termgauge.reporting.words import listed

    advice = "" if ending.allow_missing else " Hence exit status 4; --allow-missing makes it 0."
    say("Left out: ", "bold yellow", f"{listed(ending.missing)}.{advice}")
    return 0 if ending.allow_missing else EXIT_MISSING


def _version(*, on: bool) -> None:
    if on:
        from termgauge.io.identity import version

        sys.stdout.write(f"termgauge {version()}\n")
        raise typer.Exit


def print_json(document: Any) -> None:  # noqa: ANN401
    """Print one JSON document on standard output."""
    text = _UNSEEN.sub(lambda letter: f"\\u{ord(letter[0]):04x}", json.dumps(document, ensure_ascii=False, indent=2))
    try:
        text.encode((sys.stdout and sys.stdout.encoding) or "utf-8")
    except UnicodeEncodeError:  # a terminal that is not UTF-8, or a file name that is no text
        text = json.dumps(document, indent=2)
    print_rows(text)


def print_rows(text: str) -> None:
    """Print lines on standard output, exactly as they are; stop where nobody reads on, as ``head`` does."""
    if sys.stdout is None:  # closed before the command began
        return
    encoding = sys.stdout.encoding or "utf-8"  # not every one has superscripts
    try:
        sys.stdout.write(text.removesuffix("\n").encode(encoding, "replace").decode(encoding) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit from None


def show(shown: Document | Iterable[Section]) -> None:
    """Show a document, or some sections, on standard output."""
    from rich.console import Console

    from termgauge.reporting.writers.terminal import terminal

    console = Console(highlight=False)
    with console.capture() as capture:
        console.print(terminal(shown, width=console.width))
    print_rows("\n".join(line.rstrip() for line in capture.get().removesuffix("\n").split("\n")))


def note(sentence: str) -> None:
    """Say a sentence to people, such as where something was written."""
    if not _ending.get().quiet:
        people().print(one_line(sentence), highlight=False, markup=False, soft_wrap=True)


def people() -> Console:
    """Return the console for what is said beside the results: standard error."""
    from rich.console import Console

    return Console(stderr=True, soft_wrap=False)


def say(heading: str, style: str, sentence: str) -> None:
    """Say a sentence, or a few in lines of their own, to people, after a word that says what it is."""
    from rich.text import Text

    lines = "\n".join(map(one_line, sentence.split("\n")))
    people().print(Text.assemble((heading, style), lines), soft_wrap=True)


def _show_warning(message: Warning | str, category: type[Warning], *_where: object, **_more: object) -> None:
    if isinstance(message, SkippedWarning):
        _ending.get().missing[message.what] = None
    if issubclass(category, TermgaugeWarning) and not _ending.get().quiet:
        say("Note: ", "yellow", str(message))
