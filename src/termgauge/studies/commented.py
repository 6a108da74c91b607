"""The study file of a new study: the texts of its kind, in which every key stands below what it means.

The comments are the descriptions of the declared keys, so that the file is also their reference.
"""

from __future__ import annotations

import json
import textwrap
import tomllib
from importlib import resources
from typing import TYPE_CHECKING, Any

from termgauge.studies.study_file import FIXED, TABLES, StudyFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic.fields import FieldInfo

    from termgauge.options import Options

_WIDTH = 118
_HEAD = """\
# A study of termgauge. All that people read can be written anew here, also after the study has begun: the server shows
# the new texts when it is started again. Two things stay as they are: keys whose comment ends with "Fixed." tell of the
# order of pairs, which was drawn when the study was begun, and the values of answers stay once somebody has answered.
# Lines that begin with #: are what else could be said."""
_FIXED_HEAD = "# Who sees which pair when. To change any of these, begin another study with `termgauge study new`."
_QUALIFICATION: tuple[Mapping[str, Any], ...] = (
    {"word1": "stroke", "word2": "cerebrovascular accident", "low": 5, "high": 6},
    {"word1": "hospital", "word2": "earwax", "low": 0, "high": 1},
    {"word1": "dilation", "word2": "constriction", "low": 0, "high": 1},
)
"""Pairs with a known end of the scale, as an example."""


def new_study_file(kind: str, **given: Any) -> StudyFile:  # noqa: ANN401
    """Return the study file of a new study of a kind; `given` are its title and its design."""
    text = (resources.files("termgauge.studies") / "kinds" / f"{kind}.toml").read_text(encoding="utf-8")
    said = {name: value for name, value in given.items() if value is not None}
    return StudyFile.of(**{"kind": kind, **tomllib.loads(text), **said})


def commented(study: StudyFile) -> str:
    """Return the text of a study file with what each key means."""
    blocks = [_HEAD]
    plain = {name: field for name, field in StudyFile.model_fields.items() if name not in TABLES}
    for name, field in plain.items():
        if name == next(each for each in FIXED if each != "kind"):
            blocks.append(_FIXED_HEAD)
        blocks.append("\n".join(_key(name, field, getattr(study, name))))
    for name, table in TABLES.items():
        blocks.append("\n".join(_tables(name, table, getattr(study, name))))
    return "\n\n".join(blocks) + "\n"


def _key(name: str, field: FieldInfo, value: object) -> Iterator[str]:
    yield textwrap.fill(
        field.description or "", _WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False
    )
    off = value is None
    yield f"{'#: ' if off else ''}{name} = {_toml((field.examples or [None])[0] if off else value)}"


def _tables(name: str, table: type[Options], given: Options | list[Options]) -> Iterator[str]:
    yield f"# {(table.__doc__ or '').strip()}"
    if isinstance(given, list):
        off = not given
        rows = [each.model_dump() for each in given] or list(_QUALIFICATION)
        yield from (f"# {key}: {field.description}" for key, field in table.model_fields.items())
        for at, row in enumerate(rows):
            yield from [""] if at else []
            lines = [f"[[{name}]]", *(f"{key} = {_toml(value)}" for key, value in row.items())]
            yield from (f"{'#: ' if off else ''}{line}" for line in lines)
        return
    yield f"[{name}]"
    for key, field in table.model_fields.items():
        yield from _key(key, field, getattr(given, key))


def _toml(value: object) -> str:
    """Return a value as TOML has it; a whole number without a point."""
    if isinstance(value, list):
        return "[\n" + "".join(f"  {_toml(each)},\n" for each in value) + "]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
