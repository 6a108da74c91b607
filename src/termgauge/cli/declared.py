"""Command lines from declared options: a flag for each field, with its description, its choices and its default."""

from __future__ import annotations

import inspect
from functools import partial
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar, Union, get_args, get_origin

import typer
from annotated_types import MaxLen, MinLen
from typer import Option

from termgauge.cli.completion import choices, measures
from termgauge.exceptions import TermgaugeError
from termgauge.options import Flag, Options, choices_of, fields_for, metadata_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pydantic.fields import FieldInfo

_Options = TypeVar("_Options", bound=Options)
_KEYWORD = inspect.Parameter.KEYWORD_ONLY


class Only(NamedTuple):
    """Which fields of a declaration a command has: what the annotation of a parameter says beside its type."""

    fields: Iterable[str]


LATER = "later"
"""Stands in the annotation of options that a command may do without: it gets a function that makes them."""


def parameters_of(kind: type[Options], only: Iterable[str] | None = None) -> list[inspect.Parameter]:
    """Return the parameters of a command for declared options: for all of them, or `only` some."""
    fields = fields_for(kind, "command").items()
    return [_parameter(name, field) for name, field in fields if only is None or name in only]


def with_flags(
    verb: Callable[..., Any],
    *,
    as_json: Any = None,  # noqa: ANN401
) -> Callable[..., None]:
    """Return a function with the signature of a command: a parameter that is a declaration becomes its flags.

    `verb` is called with options in which only what the command line said is set. Of two declarations with a flag of
    one name the first has it. The answer that `verb` returns is given, with whether the flag `as_json` was said.
    """
    signature = inspect.signature(verb, eval_str=True)
    parameters, homes = [inspect.Parameter("context", _KEYWORD, annotation=typer.Context)], dict[str, str]()
    kinds: dict[str, type[Options]] = {}
    later: set[str] = set()
    for parameter in signature.parameters.values():
        kind, *marks = get_args(parameter.annotation) or (parameter.annotation,)
        if not (inspect.isclass(kind) and issubclass(kind, Options)):
            parameters.append(parameter.replace(kind=_KEYWORD))
            homes[parameter.name] = ""
            continue
        kinds[parameter.name] = kind
        later |= {parameter.name} if LATER in marks else set()
        only = next((mark.fields for mark in marks if isinstance(mark, Only)), None)
        flags = [flag for flag in parameters_of(kind, only) if flag.name not in homes]
        parameters += flags
        homes |= dict.fromkeys((flag.name for flag in flags), parameter.name)
    answers = as_json is not None and signature.return_annotation not in (None, signature.empty)
    if answers:
        parameters.append(inspect.Parameter("as_json", _KEYWORD, annotation=as_json, default=False))

    def function(context: typer.Context, **values: Any) -> None:  # noqa: ANN401
        form = values.pop("as_json", False)
        named = {name for name in values if str(context.get_parameter_source(name)).endswith("COMMANDLINE")}
        made: dict[str, Any] = {}
        for name, kind in kinds.items():
            make = partial(options_of, {flag: values[flag] for flag in named if homes[flag] == name}, kind)
            made[name] = make if name in later else make()
        fixed = {name: value for name, value in {**values, "context": context}.items() if homes.get(name) == ""}
        result = verb(**fixed, **made)
        if answers:
            result.give(as_json=form)

    ordered = {parameter.name: parameter for parameter in parameters}.values()
    function.__signature__ = inspect.Signature(list(ordered))  # type: ignore[attr-defined]
    function.__annotations__ = {parameter.name: parameter.annotation for parameter in ordered}
    return function


def options_of(values: dict[str, Any], kind: type[_Options]) -> _Options:
    """Return declared options as a command line gave them."""
    fields = kind.model_fields
    return kind.of(**{name: _converted(name, value, fields[name]) for name, value in values.items()})


def _parameter(name: str, field: FieldInfo) -> inspect.Parameter:
    flag = metadata_of(field, Flag) or Flag()
    members = _members(field.annotation)
    default = field.get_default(call_default_factory=True)
    lengths = {type(mark): mark.min_length if isinstance(mark, MinLen) else mark.max_length
               for mark in field.metadata if isinstance(mark, MinLen | MaxLen)}  # fmt: skip
    several = flag.repeated or any(get_origin(member) is list for member in members)
    help_text = field.description or ""
    # Numbers, texts, yes or no; several of them, or just so many.
    kind: Any = next((kind for kind in (bool, int, float) if kind in members), str)
    if len(lengths) == 2 and len({*lengths.values()}) == 1:
        annotation: Any = tuple[(str,) * lengths[MinLen]]  # type: ignore[misc]
    elif several:
        annotation, help_text = list[str] | None, f"{help_text.rstrip('.')}; may be repeated."
    else:
        annotation = kind | None if default is None else kind
    switch = f"--{name.replace('_', '-')}"
    if kind is bool and not several and default is not False:
        switch = f"{switch}/--no-{switch[2:]}"
    words = choices_of(field.annotation)
    usual = ", ".join(map(str, default)) if isinstance(default, list) else default if flag.repeated else ""
    option = Option(
        *(flag.names or (switch,)),
        metavar=flag.metavar or "|".join(words) or None,
        autocompletion=choices(words) if words else measures if name == "measures" else None,
        help=help_text,
        show_default=usual or (not several and not field.is_required() and default not in (None, False)),
    )
    parameter = inspect.Parameter(name, _KEYWORD, annotation=Annotated[annotation, option])
    if several and get_origin(annotation) is not tuple:
        return parameter.replace(default=None)
    return parameter if field.is_required() else parameter.replace(default=default)


def _members(annotation: Any) -> list[Any]:  # noqa: ANN401
    """Return the types that a value may have, without what their annotations add."""
    if get_origin(annotation) is Annotated:
        return _members(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return [part for member in get_args(annotation) for part in _members(member)]
    return [annotation]


def _converted(name: str, value: Any, field: FieldInfo) -> Any:  # noqa: ANN401
    """Return a value as the declaration has it; numbers may be separated by commas."""
    if not isinstance(value, list) or not any(get_args(part) == (int,) for part in _members(field.annotation)):
        return value
    words = [word for item in value for word in str(item).split(",") if word.strip()]
    try:
        return [int(word) for word in words]
    except ValueError:
        raise TermgaugeError(f"--{name} takes whole numbers, not '{', '.join(map(str, value))}'.") from None
