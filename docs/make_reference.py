"""Write what the documentation takes from the source: ``python docs/make_reference.py``.

The reference of the Python interface comes from docstrings and signatures, the tables of an experiment file from the
options that are declared. So do the signatures in ``src/termgauge/__init__.pyi``, which editors and type checkers see.
"""

from __future__ import annotations

import inspect
import json
import re
from functools import cached_property
from pathlib import Path
from types import GenericAlias, NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BeforeValidator

import termgauge
from termgauge.cli.application import COMMANDS
from termgauge.engine.tables import experiment_model, is_single, tables
from termgauge.engine.verbs import FLAGS, keywords_of, kinds_of, verb
from termgauge.options import Flag, Place, fields_for, metadata_of
from termgauge.tasks.registry import all_tasks
from termgauge.tasks.results import Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pydantic.fields import FieldInfo

WIDTH = 100
PAGE = Path(__file__).parent / "reference.md"
STUB = Path(termgauge.__file__).with_suffix(".pyi")
EXPERIMENTS = Path(__file__).parent / "experiments.md"
BEGIN, END = "<!-- Made by docs/make_reference.py from here", "<!-- to here -->"
PANELS = {
    "terminology": "Terminologies and sets",
    "benchmark": "Terminologies and sets",
    "embeddings": "Models",
    "studies": "People's ratings",
}
"""Under which heading of the command line a name stands that is no command, by its package."""
OTHERWISE, LAST = "Measurements", "Errors and warnings"
FIRST = ("name", "terminology", "source", "folder")
"""Keys of an experiment's tables that say what a table is about."""
INTRODUCTION = """# Reference

The Python interface: `import termgauge as tg`. The functions are those of the command line, under the same names and
with the same options. Made from the docstrings by `python docs/make_reference.py`.
"""
_STUB_NAMES = {"Any", "Iterable", "Literal", "None", "PathLike", "Sequence", "bool", "dict", "float", "int"}
_STUB_NAMES |= {"list", "os", "str", "tuple"}
RESULTS = """## Results

What `tg.coverage` and the other measurements return. In a notebook a result shows itself as tables and pictures.
"""


STUB_HEAD = '''"""How well does an embedding know medical terminology?"""

# Made by docs/make_reference.py.
import os
from collections.abc import Collection, Iterable, Sequence
from os import PathLike
from typing import Any, Literal

'''
FIXED_TYPES = {
    "run": "Any",
    "columns": "str | Collection[str | int]",
    "data_dir": "str | PathLike[str] | None",
    "out": "str | PathLike[str] | None",
    "jobs": "int",
    "shared": "bool",
}


def main() -> None:
    """Write both pages and the signatures."""
    PAGE.write_text(reference(), encoding="utf-8")
    STUB.write_text(stub(), encoding="utf-8")
    EXPERIMENTS.write_text(with_tables(EXPERIMENTS.read_text(encoding="utf-8")), encoding="utf-8")


def with_tables(page: str) -> str:
    """Return the page about experiments with the keys of all tables as they are declared now.

    Raises
    ------
    ValueError
        If the comments are missing between which they stand.
    """
    found = re.fullmatch(rf"(.*^{re.escape(BEGIN)}[^\n]*\n)(.*)(^{re.escape(END)}\n.*)", page, re.DOTALL | re.MULTILINE)
    if found is None:
        raise ValueError(f"{EXPERIMENTS}: the comments '{BEGIN} …' and '{END}' are missing.")
    whole = {name: field for name, field in experiment_model().model_fields.items() if name not in tables()}
    parts = [f"\nAt the top of the file, before all tables:\n\n{keys(whole)}"]
    for name, table in tables().items():
        heading = f"[{name}]" if is_single(name) else f"[[{name}]]"
        parts.append(f"### `{heading}`\n\n{inspect.getdoc(table)}\n\n{keys(fields_for(table, 'file'))}")
    return found[1] + "\n".join(parts) + "\n" + found[3]


def keys(fields: dict[str, FieldInfo]) -> str:
    """Return a table of keys: what each means, and what holds if it is not set."""
    order = sorted(fields, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
    rows = [f"| `{name}` | {fields[name].description} | {_if_not_set(fields[name])} |\n" for name in order]
    return "| key | what it means | default or example |\n|---|---|---|\n" + "".join(rows)


def _if_not_set(field: FieldInfo) -> str:
    example = f"e.g. `{json.dumps(field.examples[0], ensure_ascii=False)}`" if field.examples else ""
    if field.is_required():
        return ", ".join(filter(None, ("needed", example)))
    return example or f"`{json.dumps(field.get_default(call_default_factory=True), ensure_ascii=False)}`"


def reference() -> str:
    """Return the page: the commands in the order of the command line, then what else there is, by name."""
    grouped: dict[str, list[str]] = {title: [] for title in (*COMMANDS, LAST)}
    order = [name for names in COMMANDS.values() for name in names]
    for name in sorted(termgauge.__all__, key=lambda each: (order.index(each) if each in order else len(order), each)):
        grouped[panel_of(name)].append(name)
    parts = [INTRODUCTION]
    for title, names in grouped.items():
        if title == LAST:
            parts += [RESULTS, *results()]
        if names:
            parts += [f"## {title}\n", *(entry(name) for name in names)]
    return "\n".join(parts)


def stub() -> str:
    """Return the signatures of the package: those with declared options written out, the others imported."""
    tasks = {
        name: task for name, task in all_tasks().items() if task.command and task.__module__.startswith("termgauge.")
    }
    verbs = {name: getattr(termgauge, name) for name in termgauge.__all__ if name not in tasks}
    declared = {name: thing for name, thing in verbs.items() if "__signature__" in vars(thing)}
    homes = {name: home for home, names in vars(termgauge)["_HOMES"].items() for name in names}
    imports = {f"from termgauge.{homes[name]} import {name} as {name}" for name in homes if name not in declared}
    classes = {task.result_type for task in tasks.values()}
    classes |= {kind for thing in declared.values() if inspect.isclass(kind := _returned(thing))}
    imports |= {f"from {kind.__module__} import {kind.__name__} as {kind.__name__}" for kind in classes}
    known = {line.rpartition(" ")[2] for line in imports} | _STUB_NAMES
    signatures = {name: _task_signature(name) for name in tasks}
    for name, thing in declared.items():
        parameters = list(inspect.signature(thing).parameters.values())
        shown = [_stub_parameter(parameter, known) for parameter in parameters]
        keywords = (at for at, parameter in enumerate(parameters) if parameter.kind is parameter.KEYWORD_ONLY)
        shown.insert(next(keywords), "*")
        returned = type_name(_returned(thing))
        lines = "".join(f"    {line},\n" for line in shown)
        signatures[name] = f"def {name}(\n{lines}) -> {returned if returned in known else 'Any'}: ...\n"
    return (
        STUB_HEAD
        + "\n".join(sorted(imports))
        + "\n\n__version__: str\n\n"
        + "".join(text for _name, text in sorted(signatures.items()))
    )


def _returned(thing: Any) -> Any:  # noqa: ANN401
    hints = inspect.signature(thing).return_annotation
    module = inspect.getmodule(inspect.unwrap(thing))
    return vars(module).get(hints, hints) if isinstance(hints, str) else hints


def _stub_parameter(parameter: inspect.Parameter, known: set[str]) -> str:
    told = "Any" if parameter.annotation is parameter.empty else type_name(parameter.annotation)
    plain = re.sub(r"'[^']*'", "", told)
    told = told if set(re.findall(r"[A-Za-z_]\w*", plain)) <= known else "Any"
    return f"{parameter.name}: {told}" + ("" if parameter.default is parameter.empty else f" = {parameter.default!r}")


def results() -> Iterator[str]:
    """Yield what all results have, and the attributes of each kind of them."""
    yield "Every result has\n\n" + "\n".join(members_of(Result)) + "\n"
    for task in all_tasks().values():
        if task.command:
            kind = task.result_type
            own = (name for name in kind.model_fields if name not in Result.model_fields)
            yield f"- `{kind.__name__}` (`tg.{task.name}`): {inline(kind.__doc__ or '')} It has {_listed(own)}."
    yield ""


def _listed(names: Iterable[str]) -> str:
    *most, last = (f"`{name}`" for name in names)
    return f"{', '.join(most)} and {last}" if most else last


def panel_of(name: str) -> str:
    """Return the heading under which a name stands."""
    for title, names in COMMANDS.items():
        if name in names:
            return title
    package = getattr(termgauge, name).__module__.split(".")[1]
    return LAST if package == "exceptions" else PANELS.get(package, OTHERWISE)


def entry(name: str) -> str:
    """Return the part of the page that is about one name."""
    thing = getattr(termgauge, name)
    text = f"### `tg.{name}`\n\n"
    if not (inspect.isclass(thing) and issubclass(thing, Exception | Warning)):
        text += f"```\n{signature(f'tg.{name}', thing)}\n```\n\n"
    text += markdown(inspect.getdoc(thing) or "")
    if inspect.isclass(thing):
        members = list(members_of(thing))
        text += "\n" + "\n".join(members) + "\n" if members else ""
    return text


def signature(name: str, thing: object) -> str:
    """Return a call as it is written, on several lines if it is long."""
    found = inspect.signature(thing)  # type: ignore[arg-type]
    parameters = [each for each in found.parameters.values() if each.name not in ("self", "cls")]
    shown = [_parameter(each) for each in parameters]
    starred = any(each.kind is each.VAR_POSITIONAL for each in parameters)
    first = next((at for at, each in enumerate(parameters) if each.kind is each.KEYWORD_ONLY), None)
    if first is not None and not starred:
        shown.insert(first, "*")
    nothing = found.return_annotation in (None, "None", found.empty)
    returned = "" if nothing else f" -> {type_name(found.return_annotation)}"
    line = f"{name}({', '.join(shown)}){returned}"
    if len(line) <= WIDTH:
        return line
    inside = "".join(f"    {each},\n" for each in shown)
    return f"{name}(\n{inside}){returned}"


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    told = "" if parameter.annotation is parameter.empty else f": {type_name(parameter.annotation)}"
    default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
    return f"{stars}{parameter.name}{told}{default}".replace("<factory>", "…")


def type_name(annotation: Any) -> str:  # noqa: ANN401
    """Return a type as it is written: without modules, and without what pydantic is told."""
    if isinstance(annotation, str):
        return annotation
    if annotation is NoneType:
        return "None"
    inside, origin = get_args(annotation), get_origin(annotation)
    if origin in (Annotated, Union, UnionType):
        return " | ".join(map(type_name, inside[:1] if origin is Annotated else inside))
    if origin is Literal:
        return f"Literal[{', '.join(map(repr, inside))}]"
    if isinstance(annotation, GenericAlias):
        return f"{annotation.__name__}[{', '.join(map(type_name, inside))}]"
    return "None" if annotation is NoneType else getattr(annotation, "__name__", str(annotation))


def members_of(thing: type) -> Iterator[str]:
    """Yield a line for each public method and property that a class itself has."""
    for name, member in vars(thing).items():
        plain = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        about = inspect.getdoc(plain)
        if name.startswith("_") or not about or not (callable(plain) or isinstance(plain, property | cached_property)):
            continue
        call = signature(name, plain) if callable(plain) else name
        yield f"- `{' '.join(call.split())}`: {inline(about.partition(chr(10) * 2)[0])}"


def markdown(docstring: str) -> str:
    """Return a docstring in NumPy's layout as Markdown."""
    head, *sections = re.split(r"^(\w[\w ]*)\n-+\n", docstring, flags=re.MULTILINE)
    text = inline(head, keep_paragraphs=True)
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        if title == "Examples":
            text += f"\n```pycon\n{body.strip().replace('  # doctest: +SKIP', '')}\n```\n"
        elif title == "Notes":
            text += f"\n{inline(body, keep_paragraphs=True)}"
        else:
            items = re.findall(r"^(\S.*)\n((?:(?: .*)?\n?)*)", body, re.MULTILINE)
            text += f"\n**{title}**\n\n" + "".join(f"- `{name}`: {inline(about)}\n" for name, about in items)
    return text


def inline(text: str, *, keep_paragraphs: bool = False) -> str:
    """Return sentences with Markdown's marks, each paragraph, or all of them, on one line."""
    text = re.sub(r":\w+:`~?(?:[\w.]+\.)?(\w+)`", r"`\1`", text.strip()).replace("``", "`")
    paragraphs = [" ".join(each.split()) for each in text.split("\n\n")]
    return "\n\n".join(paragraphs) + "\n" if keep_paragraphs else " ".join(paragraphs)


def _task_signature(name: str) -> str:
    """Return the signature of a task's verb, whose keywords may have the names of their flags, too."""
    task = all_tasks()[name]
    fields = {key: field for kind in reversed(kinds_of(task)) for key, field in keywords_of(task, kind).items()}
    flags = {key: flag.names[0] for key, field in fields.items() if (flag := metadata_of(field, Flag)) and flag.names}
    words = {flag.partition("/")[0].lstrip("-").replace("-", "_"): key for key, flag in flags.items()}
    aliases = FLAGS | words
    positional, keywords = [], []
    parameters = inspect.signature(verb(name)).parameters
    for parameter in parameters.values():
        others = [flag for flag, keyword in aliases.items() if keyword == parameter.name and flag not in parameters]
        kind = (
            _keyword_type(fields[parameter.name])
            if parameter.name in fields
            else FIXED_TYPES.get(parameter.name, "Any")
        )
        home = keywords if parameter.kind is parameter.KEYWORD_ONLY else positional
        needed = not others and parameter.default is parameter.empty and not any("=" in line for line in home)
        optional = "" if needed else " = ..."
        home.append(f"{parameter.name}: {kind}{optional}")
        keywords += [f"{flag}: {kind} = ..." for flag in others]
    lines = "".join(f"    {line},\n" for line in [*positional, "*", *keywords])
    return f"def {name}(\n{lines}) -> {task.result_type.__name__}: ...\n"


def _keyword_type(field: FieldInfo) -> str:
    """Return what a keyword takes: None says nothing, a path is a text, and what is in a list may stand alone."""
    text = "str | PathLike[str]" if metadata_of(field, Place) else "str"

    def shown(annotation: Any) -> list[str]:  # noqa: ANN401
        if get_origin(annotation) is Annotated:
            return shown(get_args(annotation)[0])
        if annotation is str:
            return [text]
        if get_origin(annotation) is list:
            inner = shown(get_args(annotation)[0])
            alone = any(isinstance(note, BeforeValidator) for note in field.metadata)
            return [*(inner if alone else []), f"Collection[{' | '.join(inner)}]"]
        if isinstance(annotation, type) and annotation.__module__.startswith("termgauge."):
            return ["Any"]
        return [type_name(annotation)]

    annotation = field.annotation
    options = get_args(annotation) if "|" in type_name(annotation) else (annotation,)
    return " | ".join(dict.fromkeys([*(part for option in options for part in shown(option)), "None"]))


if __name__ == "__main__":
    main()
