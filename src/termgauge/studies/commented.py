"""The study file of a new study: the texts of its kind, in which every key stands below what it means.

The comments are the descriptions of the declared keys, so that the file is also their reference.
"""

from __future__ import annotations

import json
import textwrap
import tomllib
from importlib import resources
from typing import TYPE_CHECKING, Any

from termgauge.studies.study_file import FIXED, KINDS, RELATEDNESS, TABLES, StudyFile, Texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic.fields import FieldInfo

_WIDTH = 118
_OFF = "#: "
_HEAD = """\
# A study of termgauge. All that people read can be written anew here, also after the study has begun: the server shows
# the new texts when it is started again. Two things stay as they are: keys whose comment ends with "Fixed." tell of the
# order of pairs, which was drawn when the study was begun, and the values of answers stay once somebody has answered.
# Lines that begin with #: are what else could be said."""
_FIXED_HEAD = "# Who sees which pair when. To change any of these, begin another study with `termgauge study new`."
_QUALIFICATION = (
    ("stroke", "cerebrovascular accident", KINDS),
    ("hospital", "earwax", ()),
    ("dilation", "constriction", (RELATEDNESS,)),
)
"""Pairs with a known end of the scale, as an example, and in which kinds of study it is the upper one."""


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
    for name in ("answers", "examples"):
        blocks.append("\n".join(_about(name)))
        blocks[-1] += "\n" + "\n\n".join(_table(name, row.model_dump()) for row in getattr(study, name))
    blocks.append("\n".join(_about("qualification")))
    rows = [_table("qualification", row.model_dump()) for row in study.qualification]
    if not rows:
        examples = (_table("qualification", row) for row in _example_qualification(study))
        rows = [textwrap.indent(each, _OFF) for each in examples]
    blocks[-1] += "\n" + "\n\n".join(rows)
    texts = [f"# {Texts.__doc__}", "[texts]"]
    for name, field in Texts.model_fields.items():
        texts += _key(name, field, getattr(study.texts, name))
    return "\n\n".join([*blocks, "\n".join(texts)]) + "\n"


def _example_qualification(study: StudyFile) -> Iterator[dict[str, Any]]:
    """Yield pairs to which one of the two answers at an end of the scale is right; of two answers, one is."""
    few = 1 if len(study.values) == 2 else 2
    for word1, word2, upper in _QUALIFICATION:
        right = study.values[-few:] if study.kind in upper else study.values[:few]
        yield {"word1": word1, "word2": word2, "low": right[0], "high": right[-1]}


def _key(name: str, field: FieldInfo, value: object) -> Iterator[str]:
    """Yield a key below what it means; one that is not set as an example."""
    yield textwrap.fill(
        field.description or "", _WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False
    )
    yield f"{_OFF}{name} = {_toml((field.examples or [None])[0])}" if value is None else f"{name} = {_toml(value)}"


def _about(name: str) -> Iterator[str]:
    """Yield what a table and its keys mean."""
    yield f"# {(TABLES[name].__doc__ or '').strip()}"
    yield from (f"# {key}: {field.description}" for key, field in TABLES[name].model_fields.items())


def _table(name: str, row: dict[str, Any]) -> str:
    return "\n".join([f"[[{name}]]", *(f"{key} = {_toml(value)}" for key, value in row.items())])


def _toml(value: object) -> str:
    """Return a value as TOML has it; a whole number without a point."""
    if isinstance(value, list):
        return "[\n" + "".join(f"  {_toml(each)},\n" for each in value) + "]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
