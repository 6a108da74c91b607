"""Experiment files: reading one, and writing one to begin with.

Reading is TOML, checked against its tables, with places relative to the file.

What is wrong is said before anything is done, each in a sentence with its line; of many only the first few.
"""

from __future__ import annotations

import json
import math
import re
import textwrap
import tomllib
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from termgauge.embeddings.load import with_missing
from termgauge.embeddings.spec import ModelSpec
from termgauge.engine.tables import MODEL, Experiment, Where, contradictions, experiment_model, is_single, shown, tables
from termgauge.engine.trust import (
    NOTHING_ALLOWED,
    VARIABLE,
    Demand,
    Permissions,
    UntrustedError,
    demands_of,
    is_trusted,
    located,
    moved_spec,
    permitted_spec,
    remember,
)
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.io.atomic import write_text
from termgauge.io.decoding import decoded
from termgauge.io.paths import expanded
from termgauge.io.source import read_small
from termgauge.options import fields_for, said_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails

    from termgauge.options import Options


MOST_ERRORS = 3
DEFAULT_OUTPUT = "termgauge-run"
_HEADER = re.compile(r"\s*\[\[?\s*([\w-]+)\s*\]")
_KEY = re.compile(r"\s*[\"']?([\w-]+)[\"']?\s*=")


@dataclass(frozen=True)
class ExperimentFile:
    """An experiment, and the file it was read from."""

    path: Path | None
    """None for the embedded default."""
    text: str
    """As given."""
    experiment: Experiment
    """With variables of paths replaced and places relative to the working folder."""
    permissions: Permissions = NOTHING_ALLOWED
    """What the user allowed it."""
    demands: tuple[Demand, ...] = ()
    """What it wants beside reading files of its own folder."""

    @property
    def output(self) -> Path:
        """The run folder."""
        if self.experiment.output is not None:
            return Path(self.experiment.output)
        return self.path.parent / f"{self.path.stem}-run" if self.path else Path(DEFAULT_OUTPUT)

    @property
    def title(self) -> str:
        """The title of the report."""
        return self.experiment.title or (self.path.stem if self.path else "")


def load_experiment(
    path: str | os.PathLike[str] | None = None,
    permissions: Permissions = NOTHING_ALLOWED,
    *,
    only_look: bool = False,
) -> ExperimentFile:
    """Read an experiment file, or the embedded default, and check all that needs nothing of what it names.

    A file that wants more than the user allowed is refused, unless one only looks at what it would do.
    """
    if path is None:
        return parse_experiment(example_text("default"))
    file = expanded(path)
    try:
        text = decoded(read_small(file), str(file))
    except FileNotFoundError:
        raise TermgaugeError(f"{file}: there is no such file; `termgauge init` writes one.") from None
    except IsADirectoryError:
        raise TermgaugeError(
            f"{file}: is a folder; name an experiment file, such as one of `termgauge init`."
        ) from None
    except OSError as error:
        raise TermgaugeError(f"{file}: cannot be read ({error.strerror or error}).") from None
    return parse_experiment(text, file, permissions, only_look=only_look)


def parse_experiment(
    text: str,
    path: Path | None = None,
    permissions: Permissions = NOTHING_ALLOWED,
    *,
    only_look: bool = False,
) -> ExperimentFile:
    r"""Read an experiment from the text of its file; places are relative to where the file lies.

    Examples
    --------
    >>> read = parse_experiment('[human]\n[[model]]\nspec = "baseline:levenshtein"')
    >>> [model.spec for model in read.experiment.model]
    ['baseline:levenshtein']
    """
    name = str(path) if path else "The embedded experiment"
    try:
        raw = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise TermgaugeError(f"{name}: is not valid TOML: {error}.") from None
    try:
        experiment = experiment_model().model_validate(_renamed(raw))
    except ValidationError as error:
        together: dict[Where, list[ErrorDetails]] = {}
        for detail in error.errors():
            together.setdefault(_where(detail), []).append(detail)
        refuse(name, text, [(where, _sentence(details)) for where, details in together.items()])
    refuse(name, text, list(contradictions(experiment)))
    base, demands = path.parent if path else Path(), tuple[Demand, ...]()
    if path is not None:
        trusted = permissions.trust or is_trusted(path, text)
        demands = tuple(demand.judged(permissions, trusted=trusted) for demand in demands_of(experiment, base))
        if not only_look and not all(demand.granted for demand in demands):
            raise UntrustedError(path, text, demands)

    def undefined(variable: str) -> None:
        where = next((at for at, value in _texts(raw) if variable in VARIABLE.findall(value)), ())
        refuse(name, text, [(where, f"the variable '{variable}' is not set; set it, or write the value itself")])

    def at(location: str) -> str:
        return located(location, base, undefined)

    def moved(spec: str) -> str:
        permitted = permitted_spec(ModelSpec.parse(spec), permissions)
        return with_missing(str(moved_spec(permitted, base, at)), experiment.scoring.missing)

    models = [model.model_copy(update={"spec": moved(model.spec)}) for model in experiment.model]
    experiment = experiment.located(at).model_copy(update={MODEL: models})
    return ExperimentFile(path, text, experiment, permissions, demands)


def refuse(name: str, text: str, problems: list[tuple[Where, str]]) -> None:
    """Raise the first few problems of a file; none is fine."""
    if not problems:
        return
    # What is missing has no line, and may be no more than a misspelt name that has one: it comes last.
    lines = {where: line_of(text, where) for where, _what in problems}
    problems = sorted(problems, key=lambda problem: lines[problem[0]] or math.inf)
    sentences = [
        f"{name}{f', line {lines[where]}' if lines[where] else ''}: {what}{'' if what.endswith(('.', '?')) else '.'}"
        for where, what in problems[:MOST_ERRORS]
    ]
    if len(problems) > MOST_ERRORS:
        sentences[-1] += f" (And {len(problems) - MOST_ERRORS} more.)"
    raise TermgaugeError(*dict.fromkeys(sentences))


def example_names() -> list[str]:
    """Return the names of the examples that come with termgauge."""
    folder = resources.files("termgauge.engine") / "examples"
    return sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))


def example_text(name: str) -> str:
    """Return the text of an example that comes with termgauge, without comments."""
    names = example_names()
    if name not in names:
        raise TermgaugeError(f"There is no example '{name}'; there are {', '.join(names)}.{did_you_mean(name, names)}")
    return (resources.files("termgauge.engine") / "examples" / f"{name}.toml").read_text(encoding="utf-8")


def line_of(text: str, where: Where) -> int | None:
    r"""Return the line on which a key, or else its table, stands.

    Examples
    --------
    >>> line_of('title = "x"\n[[model]]\nspec = "a"\n[[model]]\nspec = "b"', ("model", 1, "spec"))
    5
    """
    names = [part for part in where if isinstance(part, str)]
    number = next((part for part in where if isinstance(part, int)), 0)
    inside, seen, header = "", Counter[str](), None
    for at, line in enumerate(text.split("\n"), 1):
        if match := _HEADER.match(line):
            inside = match[1]
            seen[inside] += 1
            if names and inside == names[0] and seen[inside] == number + 1:
                header = at
        elif match := _KEY.match(line):
            if inside == "" and names and match[1] == names[0]:
                return at
            if len(names) > 1 and inside == names[0] and seen[inside] == number + 1 and match[1] == names[1]:
                return at
    return header


def _texts(value: Any, where: Where = ()) -> Iterator[tuple[Where, str]]:  # noqa: ANN401
    """Yield all texts of a file, and where each stands."""
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts(item, (*where, key))


def _renamed(raw: dict[str, Any]) -> dict[str, Any]:
    """Return what a file says with the names of today for keys that were called otherwise before."""

    def today(content: Any, table: type[Options]) -> Any:  # noqa: ANN401
        if isinstance(content, list):
            return [today(item, table) for item in content]
        if not isinstance(content, dict):
            return content
        former = {old: new for old, new in table.former_names.items() if old not in table.model_fields}
        return {former.get(key, key): value for key, value in content.items()}

    return {name: today(content, tables()[name]) if name in tables() else content for name, content in raw.items()}


def _where(error: ErrorDetails) -> Where:
    """Return where an error stands, without what pydantic adds for the members of a union."""
    location = error["loc"]
    if not location or str(location[0]) not in tables():
        return location[:1]
    inner = location[2:] if isinstance(location[1:2] and location[1], int) else location[1:]
    return (*location[: len(location) - len(inner)], *inner[:1])


def _sentence(errors: list[ErrorDetails]) -> str:
    """Say what is wrong at a place: of a key with several forms, one error for each form that it has not."""
    error = errors[0]
    where = _where(error)
    key, table = str(where[-1]), str(where[0])
    model = tables()[table] if table in tables() and len(where) > 1 else experiment_model()
    fields = fields_for(model, "file")
    home = shown(where[:-1]) if len(where) > 1 else "an experiment"
    if error["type"] == "extra_forbidden" or key not in fields:
        return f"{home} has no key '{key}'; it has {', '.join(fields)}.{did_you_mean(key, fields)}"
    if error["type"] == "missing":
        if len(where) == 1:
            return f"no {key} is named; add a table [[{key}]]"
        return f"{home} lacks '{key}': {fields[key].description}"
    if len(where) == 1 and key in tables():
        form = f"[{key}]" if is_single(key) else f"[[{key}]]"
        return f"'{key}' is written as a table {form} with its keys below it"
    return f"'{key}' of {home} {said_of(errors, fields[key].description)}"


_COLUMN, _WIDTH = 46, 140
_HEAD = """\
# An experiment for termgauge. Run it with `termgauge run {name}`; `--dry-run` says what that would do.
# Paths are relative to this file; ~ and ${{VARIABLES}} in them are replaced. Lines that begin with #: are what else
# could be said: what holds anyway, or an example.
"""
_OFF = "#: "


def init(path: str | os.PathLike[str], *, example: str = "default", force: bool = False) -> Path:
    """Write a commented experiment file.

    Parameters
    ----------
    path
        The file to write.
    example
        ``default`` (what `termgauge run` does without a file), ``obo``, ``own-vectors``, ``snomed`` or ``umls``.
    force
        Replace a file that is there.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    TermgaugeError
        If there is no such example, or the file is there.
    """
    file = expanded(path)
    text = commented(example_text(example), file.name)
    if file.is_dir():
        raise TermgaugeError(f"{file}: is a folder; name a file, such as {file / 'experiment.toml'}.")
    if file.exists() and not force:
        raise TermgaugeError(f"{file}: is there already; name another file, or replace it with --force.")
    write_text(file, text)
    if VARIABLE.search(text):
        with suppress(TermgaugeError):  # then the user is asked when it is run
            remember(file, text)
    return file


def commented(text: str, name: str = "experiment.toml") -> str:
    """Return the text of an experiment with what each key means, and with the keys that it does not set."""
    blocks = [block.splitlines() for block in text.strip().split("\n\n") if block.strip()]
    headers = [next((match[1] for line in block if (match := _HEADER.match(line))), "") for block in blocks]
    unset = [table for table in tables() if table not in headers]
    blocks += [[_OFF + (f"[{table}]" if is_single(table) else f"[[{table}]]")] for table in unset]
    parts, explained = [_HEAD.format(name=name)], set[str]()
    for block, table in zip(blocks, [*headers, *unset], strict=True):
        parts.append("\n".join(block if table in explained else _explained(block, table)) + "\n")
        explained.add(table)
    return "\n".join(parts)


def _explained(block: list[str], table: str) -> Iterator[str]:
    """Return a table of the example with what it and its keys mean, and with the keys that it does not set."""
    if table:
        fields = fields_for(tables()[table], "file")
        yield f"# {(tables()[table].__doc__ or '').strip()}"
    else:
        fields = {name: field for name, field in experiment_model().model_fields.items() if name not in tables()}
    for line in block:
        match = _KEY.match(line)
        yield _with(line, fields.pop(match[1])) if match else line
    for name, field in fields.items():
        value = field.examples[0] if field.examples else field.get_default()
        yield _with(f"{_OFF}{name} = {json.dumps(value, ensure_ascii=False)}", field)


def _with(line: str, field: FieldInfo) -> str:
    """Return a line with what its key means, on further lines where that is long."""
    below = f"{'':{_COLUMN}} # "
    return textwrap.fill(
        field.description or "",
        _WIDTH,
        initial_indent=f"{line.ljust(_COLUMN)} # ",
        subsequent_indent=below,
        break_long_words=False,
        break_on_hyphens=False,
    )
