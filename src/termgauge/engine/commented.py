"""Experiment files to begin with: an example, in which every key that there is stands with what it means.

An example is a plain TOML file that names what it needs. The comments are the descriptions of the tables themselves,
and keys that the example does not set follow each table, commented out, so the file is also the reference.
"""

from __future__ import annotations

import json
import re
import textwrap
from contextlib import suppress
from typing import TYPE_CHECKING

from termgauge.engine.file import example_text
from termgauge.engine.tables import experiment_model, is_single, tables
from termgauge.engine.trust import VARIABLE, remember
from termgauge.exceptions import TermgaugeError
from termgauge.io.atomic import write_text
from termgauge.io.paths import expanded
from termgauge.options import fields_for

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from pathlib import Path

    from pydantic.fields import FieldInfo

_HEADER = re.compile(r"\[\[?([\w-]+)\]\]?\s*$")
_KEY = re.compile(r"([\w-]+)\s*=")
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
    place = expanded(path)
    text = commented(example_text(example), place.name)
    if place.is_dir():
        raise TermgaugeError(f"{place}: is a folder; name a file, such as {place / 'experiment.toml'}.")
    if place.exists() and not force:
        raise TermgaugeError(f"{place}: is there already; name another file, or replace it with --force.")
    write_text(place, text)
    if VARIABLE.search(text):
        with suppress(TermgaugeError):  # then the user is asked when it is run
            remember(place, text)
    return place


def commented(text: str, name: str = "experiment.toml") -> str:
    """Return the text of an experiment with what each key means, and with the keys that it does not set."""
    blocks = [block for block in text.strip().split("\n\n") if block.strip()]
    explained: set[str] = set()
    parts = [_HEAD.format(name=name)]
    for block in blocks:
        table = next((match[1] for line in block.splitlines() if (match := _HEADER.match(line))), "")
        parts.append("\n".join(_explained(block, table, first=table not in explained)) + "\n")
        explained.add(table)
    parts += ["\n".join(_unset_keys(table)) + "\n" for table in tables() if table not in explained]
    return "\n".join(parts)


def _explained(block: str, table: str, *, first: bool) -> Iterator[str]:
    """Return a block of the example with comments, which the first table of its kind gets."""
    fields = _fields(table)
    if first and table:
        yield f"# {_docstring(table)}"
    seen: set[str] = set()
    for line in block.splitlines():
        match = _KEY.match(line)
        yield _with(line, fields[match[1]]) if match and first else line
        seen.update(match.groups() if match else ())
    if first:
        yield from (_off(name, field) for name, field in fields.items() if name not in seen)


def _unset_keys(table: str) -> Iterator[str]:
    """Return a table that the example has not."""
    yield f"# {_docstring(table)}"
    yield f"{_OFF}[{table}]" if is_single(table) else f"{_OFF}[[{table}]]"
    yield from (_off(name, field) for name, field in _fields(table).items())


def _fields(table: str) -> dict[str, FieldInfo]:
    if table:
        return fields_for(tables()[table], "file")
    return {name: each for name, each in experiment_model().model_fields.items() if name not in tables()}


def _docstring(table: str) -> str:
    return (tables()[table].__doc__ or "").strip()


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


def _off(name: str, field: FieldInfo) -> str:
    """Return a key that is not set: an example, else what holds anyway."""
    value = field.examples[0] if field.examples else field.get_default()
    return _with(f"{_OFF}{name} = {json.dumps(value, ensure_ascii=False)}", field)
