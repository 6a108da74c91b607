"""What a shell offers while a command is typed: kinds of models, ids of sets, names in a run, measures.

All of it must come at once, so nothing heavy is imported and no model is opened.
"""

from __future__ import annotations

import os
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


class Offer(NamedTuple):
    """A word that completes a line, as typer wants it."""

    value: str
    type: str = "plain"
    help: str | None = None


Shell = StrEnum("Shell", ["bash", "zsh", "fish", "powershell", "pwsh"])
SHOW, INSTALL = "--show-completion", "--install-completion"
PROGRAM = "termgauge"
VARIABLE = "_TERMGAUGE_COMPLETE"
"""What shells set while they ask."""


def with_shell(arguments: Sequence[str]) -> list[str]:
    """Return a command line in which a flag about completion is followed by a shell, by default the user's.

    >>> with_shell(["--show-completion", "zsh"])
    ['--show-completion', 'zsh']
    """
    words = list(arguments)
    if words and words[-1] in (SHOW, INSTALL):
        words.append(Path(os.environ.get("SHELL", "")).stem or "bash")
    return words


def script(shell: str) -> str:
    """Return what a shell must run to offer words."""
    from typer._completion_shared import get_completion_script

    return str(get_completion_script(prog_name=PROGRAM, complete_var=VARIABLE, shell=shell))


def install(shell: str) -> Path:
    """Add it to what the user's shell reads when it starts; return the file."""
    from typer._completion_shared import install as install_for

    return Path(install_for(shell=shell, prog_name=PROGRAM, complete_var=VARIABLE)[1])


def offer_if_asked() -> None:
    """Make ready for a shell that asks."""
    if VARIABLE in os.environ:
        from typer._completion_classes import completion_init

        completion_init()


def models(incomplete: str) -> list[str]:
    """Offer the schemes of models, and the baselines by name; after ``NAME=`` as well."""
    from termgauge.embeddings.schemes import all_schemes
    from termgauge.reporting.set_names import BASELINES

    name, equals, _ = incomplete.partition("=")
    prefix = f"{name}{equals}" if equals and "?" not in name else ""
    schemes = [f"{scheme}:" for scheme in all_schemes() if scheme not in BASELINES]
    return _beginning([f"{prefix}{model}" for model in (*BASELINES, *schemes)], incomplete)


def benchmarks(incomplete: str) -> list[str]:
    """Offer the ids of human-rated sets; the shell adds folders and files where none fits."""
    from termgauge.benchmark.human.catalogue import CATALOGUE

    return _beginning(["human", *(entry.id for entry in CATALOGUE)], incomplete)


def measures(incomplete: str) -> list[str]:
    """Offer the measures of similarity."""
    from termgauge.similarity.measures import all_measures

    return _beginning(all_measures(), incomplete)


def choices(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Return what offers some words."""
    words = list(names)
    return lambda incomplete: _beginning(words, incomplete)


def _of_run(part: Literal["sets", "models"]) -> Callable[[Any, str], list[str]]:
    """Return what offers the names of a part of the run that a command names."""

    def offered(ctx: Any, incomplete: str) -> list[str]:  # noqa: ANN401
        from termgauge.engine.run_folder import RUN, RunFolder

        # An option that still waits for its value keeps a line from being read; the words themselves are there.
        words = f"{os.environ.get('COMP_WORDS', '')} {os.environ.get('_TYPER_COMPLETE_ARGS', '')}".split()
        paths = map(Path, filter(None, (ctx.params.get("run"), *words)))
        with suppress(TermgaugeError, OSError):  # while somebody types, nothing is wrong yet
            run = next((path for path in paths if (path / RUN).is_file()), None)
            return _beginning(getattr(RunFolder(run).record(), part) if run else (), incomplete)
        return []

    return offered


sets_of_run, models_of_run = _of_run("sets"), _of_run("models")


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
