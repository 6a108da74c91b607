"""Command lines from declared options: a flag for each field, with its description, its choices and its default."""

from __future__ import annotations

import inspect
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, Union, get_args, get_origin

import typer
from annotated_types import MaxLen, MinLen

from termgauge.cli.completion import choices, measures
from termgauge.exceptions import TermgaugeError
from termgauge.options import Flag, choices_of, fields_for, metadata_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pydantic.fields import FieldInfo

    from termgauge.options import Options

_Options = TypeVar("_Options", bound="Options")
_Verb = TypeVar("_Verb", bound="Callable[..., None]")


def parameters_of(kind: type[Options], only: Iterable[str] | None = None) -> list[inspect.Parameter]:
    """Return the parameters of a command for declared options: for all of them, or `only` some."""
    wanted = None if only is None else set(only)
    return [
        _parameter(name, field)
        for name, field in fields_for(kind, "command").items()
        if wanted is None or name in wanted
    ]


def with_options(*kinds: type[Options], only: Iterable[str] | None = None) -> Callable[[_Verb], _Verb]:
    """Give a command that takes ``**options`` a flag for each declared option."""

    def extended(verb: _Verb) -> _Verb:
        signature = inspect.signature(verb, eval_str=True)
        fixed = [
            parameter for parameter in signature.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD
        ]
        more = [parameter for kind in kinds for parameter in parameters_of(kind, only)]
        return with_signature(verb, [*fixed, *more])

    return extended


def with_signature(verb: _Verb, parameters: Iterable[inspect.Parameter]) -> _Verb:
    """Give a command parameters; those without a default come first, and the first of a name counts."""
    once = {parameter.name: parameter.replace(kind=parameter.KEYWORD_ONLY) for parameter in reversed(list(parameters))}
    ordered = [once[name] for name in dict.fromkeys(parameter.name for parameter in parameters)]
    verb.__signature__ = inspect.Signature(ordered)  # type: ignore[attr-defined]
    verb.__annotations__ = {parameter.name: parameter.annotation for parameter in ordered}
    return verb


def said(context: typer.Context, values: dict[str, Any]) -> dict[str, Any]:
    """Return only those values that the command line itself gave, not the defaults."""
    sources = {name: context.get_parameter_source(name) for name in values}
    return {name: value for name, value in values.items() if (by := sources[name]) and by.name == "COMMANDLINE"}


def given(values: dict[str, Any], kind: type[_Options]) -> _Options:
    """Return declared options as a command line gave them."""
    converted_values = {
        name: _converted(name, values[name], field) for name, field in kind.model_fields.items() if name in values
    }
    return kind.of(**{name: value for name, value in converted_values.items() if value not in (None, [])})


def _parameter(name: str, field: FieldInfo) -> inspect.Parameter:
    flag = metadata_of(field, Flag) or Flag()
    annotation, default = _kind_of(field)
    names = flag.names or (_switch(name, annotation, default=default),)
    help_text = field.description or ""
    if _several(field):
        help_text = f"{help_text.rstrip('.')}; may be repeated."
    usual = field.get_default(call_default_factory=True)
    listed = ", ".join(map(str, usual)) if isinstance(usual, list) else usual if flag.repeated else ""
    words = choices_of(field.annotation)
    offered = choices(words) if words else measures if name == "measures" else None
    option = typer.Option(
        *names,
        metavar=flag.metavar or "|".join(words) or None,
        autocompletion=offered,
        help=help_text,
        show_default=listed or default not in (None, False, ...),
    )
    parameter = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[annotation, option])
    return parameter if default is ... else parameter.replace(default=default)


def _switch(name: str, annotation: Any, *, default: Any) -> str:  # noqa: ANN401
    plain = f"--{name.replace('_', '-')}"
    both = annotation is not bool or default is True
    return f"{plain}/--no-{plain[2:]}" if both and bool in (annotation, *get_args(annotation)) else plain


def _kind_of(field: FieldInfo) -> tuple[Any, Any]:
    """Return the type that the command line reads, and the default; an ellipsis where there is none."""
    default = ... if field.is_required() else field.get_default(call_default_factory=True)
    if size := _fixed_length(field):
        return tuple[(str,) * size], default  # type: ignore[misc]
    if _several(field):
        return list[str] | None, None
    plain = _plain_type(field.annotation)
    return (plain | None if default is None else plain), default


def _several(field: FieldInfo) -> bool:
    if (flag := metadata_of(field, Flag)) and flag.repeated:
        return True
    return any(get_origin(_unwrapped(part)) is list for part in _members(field.annotation)) and not _fixed_length(field)


def _fixed_length(field: FieldInfo) -> int:
    least = next((constraint.min_length for constraint in field.metadata if isinstance(constraint, MinLen)), None)
    most = next((constraint.max_length for constraint in field.metadata if isinstance(constraint, MaxLen)), None)
    return least if least is not None and least == most else 0


def _members(annotation: Any) -> list[Any]:  # noqa: ANN401
    annotation = _unwrapped(annotation)
    if get_origin(annotation) in (Union, UnionType):
        return [part for member in get_args(annotation) for part in _members(member)]
    return [annotation]


def _unwrapped(annotation: Any) -> Any:  # noqa: ANN401
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _plain_type(annotation: Any) -> Any:  # noqa: ANN401
    """Return bool, int, float or str: what a flag of a field holds."""
    members = [member for member in _members(annotation) if member is not NoneType]
    return next((kind for kind in (bool, int, float) if kind in members), str)


def _converted(name: str, value: Any, field: FieldInfo) -> Any:  # noqa: ANN401
    """Return a value as the declaration has it; numbers may be separated by commas."""
    if not isinstance(value, list) or not any(get_args(part) == (int,) for part in _members(field.annotation)):
        return value
    words = [word for item in value for word in str(item).split(",") if word.strip()]
    try:
        return [int(word) for word in words]
    except ValueError:
        raise TermgaugeError(f"--{name} takes whole numbers, not '{', '.join(map(str, value))}'.") from None
