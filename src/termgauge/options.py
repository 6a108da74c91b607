"""Options, declared once: an experiment's table, a command's flags, Python's keywords and the docs come from one model.

A declaration is a strict pydantic model; each field has a description, and may say in its annotation what its flag is
called (:class:`Flag`) and that it names a file (:class:`Place`). Whatever is wrong with a value is said in one
sentence, in the words of whoever gave it.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeVar, Union, get_args, get_origin

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic_core import PydanticCustomError

from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.frames import is_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails

_PLAIN_WORDS = {
    "a valid list": "a list",
    "a valid integer": "a whole number",
    "a valid number": "a number",
    "a valid string": "text",
    "a valid boolean": "true or false",
    "greater than or equal to": "at least",
}
_Metadata = TypeVar("_Metadata")
_Returned = TypeVar("_Returned")
_Kind = TypeVar("_Kind", bound="Options")
_Function = TypeVar("_Function", bound="Callable[..., Any]")

as_list = BeforeValidator(lambda value: [value] if isinstance(value, str) else value)
"""Lets one text stand alone where several may be given."""
Names = Annotated[list[str], as_list]


def several(values: object) -> list[Any]:
    """Return what was given as a list; one thing that stands alone is a list of one.

    >>> several("hp-benchmark"), several(["a", "b"]), several(None)
    (['hp-benchmark'], ['a', 'b'], [None])
    """
    if isinstance(values, Iterable) and not isinstance(values, str | bytes | os.PathLike) and not is_frame(values):
        return list(values)
    return [values]


@dataclass(frozen=True)
class Flag:
    """How a field is given on the command line, where its name alone does not say it."""

    names: tuple[str, ...] = ()
    """Such as ``("--concept", "-c")``; made from the field's name if there are none."""
    metavar: str | None = None
    where: Literal["everywhere", "command", "file"] = "everywhere"
    """Whether the field is for commands and Python's keywords alone, or for experiment files alone."""
    repeated: bool = False
    """Whether the flag may be given several times, though the field is no list: it makes one value of them."""


@dataclass(frozen=True)
class Place:
    """Says that a field names files or folders; in an experiment file they are relative to that file."""

    prefix: str = ""
    """What marks a value as a file, where it need not be one: ``@`` in ``@terms.txt``."""
    named: bool = False
    """Whether a name may stand before it, as in ``NAME=FOLDER``; a name has no slash."""


class Options(BaseModel):
    """Options of something that termgauge does; unknown names are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)

    former_names: ClassVar[Mapping[str, str]] = {}
    """Names that were in use before, and what they are called now."""

    @classmethod
    def of(cls, **keywords: Any) -> Self:  # noqa: ANN401
        """Make options from Python keywords; None means that nothing was said.

        >>> class Neighbours(Options):
        ...     k: int = 10
        >>> Neighbours.of(k=5).k
        5
        >>> Neighbours.of(kk=5)
        Traceback (most recent call last):
        termgauge.exceptions.TermgaugeError: There is no option 'kk'; there are k. Did you mean 'k'?
        """
        values: dict[str, Any] = {}
        for name, value in keywords.items():
            current = cls.field_of(name)
            if current not in cls.model_fields:
                raise TermgaugeError(_no_option(name, cls.model_fields))
            if current in values and value is not None:
                raise TermgaugeError(f"The option '{current}' was given twice, under this name and another one.")
            if value is not None:
                values[current] = _plain(value)
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise TermgaugeError(_keyword_sentence(cls, error.errors())) from None

    @classmethod
    def field_of(cls, keyword: str) -> str:
        """Return the field that a keyword means: its own name, that of its flag, or a former one.

        A word of Python's has an underscore after it: ``class_`` is ``--class``.
        """
        word = keyword.rstrip("_")
        if keyword in cls.model_fields or word in cls.former_names:
            return cls.former_names.get(word, keyword)
        flags = {
            _word(flag.names[0]): name
            for name, field in cls.model_fields.items()
            if (flag := metadata_of(field, Flag)) and flag.names
        }
        return flags.get(word, keyword)

    def problems(self) -> list[tuple[str, str]]:
        """Return what no option shows by itself, such as two that contradict: an option, and a sentence about it."""
        return []

    def changed(self) -> dict[str, Any]:
        """Return what is not as it would be if nothing had been said, as JSON has it."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def said(self) -> dict[str, Any]:
        """Return what was said, whether or not it would have been so anyway."""
        return self.model_dump(exclude_unset=True)

    def part(self, kind: type[_Kind]) -> _Kind:
        """Return those options that another declaration has, too; what was not said stays unsaid."""
        return kind.model_validate(self.model_dump(include=set(kind.model_fields), exclude_unset=True))

    def located(self, at: Callable[[str], str]) -> Self:
        """Return the options with every place that they, or options within them, name moved by a function."""
        fields = type(self).model_fields.items()
        moved = {name: _moved(getattr(self, name), metadata_of(field, Place), at) for name, field in fields}
        update = {name: value for name, value in moved.items() if value != getattr(self, name)}
        return self.model_copy(update=update) if update else self


def metadata_of(field: FieldInfo, kind: type[_Metadata]) -> _Metadata | None:
    """Return what a field's annotation says in terms of a class such as :class:`Flag`."""
    return next((entry for entry in field.metadata if isinstance(entry, kind)), None)


def _word(flag: str) -> str:
    """Return the keyword of a flag.

    >>> _word("--min-coverage"), _word("--cache/--no-cache")
    ('min_coverage', 'cache')
    """
    return flag.partition("/")[0].lstrip("-").replace("-", "_")


def renamed(keywords: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return keywords, of which some may be given under other names: those of flags, where a keyword is a plural."""
    for other, name in names.items():
        if other in keywords and name in keywords:
            raise TermgaugeError(f"'{name}' was given twice, also as '{other}'; leave one of them out.")
    return {names.get(keyword, keyword): value for keyword, value in keywords.items()}


def also_called(**names: str) -> Callable[[Callable[..., _Returned]], Callable[..., _Returned]]:
    """Let a function take keywords under other names as well: those that flags of its command have.

    >>> @also_called(measure="measures")
    ... def score(measures=()):
    ...     return measures
    >>> score(measure="avg_cos"), score(measures="avg_cos")
    ('avg_cos', 'avg_cos')
    """

    def completed(function: Callable[..., _Returned]) -> Callable[..., _Returned]:
        @wraps(function)
        def called(*arguments: Any, **keywords: Any) -> _Returned:  # noqa: ANN401
            return function(*arguments, **renamed(keywords, names))

        return called

    return completed


def fields_for(kind: type[Options], where: Literal["command", "file"]) -> dict[str, FieldInfo]:
    """Return the fields that a command, or an experiment file, has."""
    return {
        name: field
        for name, field in kind.model_fields.items()
        if (flag := metadata_of(field, Flag)) is None or flag.where in ("everywhere", where)
    }


def split(
    keywords: Mapping[str, Any],
    *kinds: type[Options],
    fields: Callable[[type[Options]], Iterable[str]] = lambda kind: kind.model_fields,
) -> list[dict[str, Any]]:
    """Share keywords out over several declarations, each to the first that has it among its `fields`; one must."""
    shares: list[dict[str, Any]] = [{} for _ in kinds]
    names = [list(fields(kind)) for kind in kinds]
    for name, value in keywords.items():
        homes = [at for at, words in enumerate(names) if name in words]
        homes += [at for at, kind in enumerate(kinds) if kind.field_of(name) in names[at]]
        if not homes:
            raise TermgaugeError(_no_option(name, dict.fromkeys(word for words in names for word in words)))
        shares[homes[0]][name] = value
    return shares


def one_of(choices: Callable[[], Iterable[str]]) -> AfterValidator:
    """Return what a ``Literal`` is, for names that are known only when they are looked at: those of a registry.

    >>> class Drawing(Options):
    ...     colour: Annotated[str, one_of(lambda: ["red", "blue"])] = "red"
    >>> Drawing.of(colour="bleu")
    Traceback (most recent call last):
    termgauge.exceptions.TermgaugeError: The option 'colour' must be 'red' or 'blue', not 'bleu'. Did you mean 'blue'?
    """

    def check(value: str | None) -> str | None:
        if value is not None and value not in (names := list(choices())):
            raise not_one_of(names)
        return value

    return AfterValidator(check)


def not_one_of(names: Sequence[str]) -> PydanticCustomError:
    """Return what a validator raises for a value that is none of some names; the closest one is suggested."""
    *most, last = (f"'{name}'" for name in names)
    expected = f"{', '.join(most)} or {last}" if most else last
    return PydanticCustomError("literal_error", "Input should be {expected}", {"expected": expected})


def takes(
    *kinds: type[Options], fields: Callable[[type[Options]], Mapping[str, FieldInfo]] = lambda kind: kind.model_fields
) -> Callable[[_Function], _Function]:
    """Show the `fields` of declarations as keywords of a function that takes them as ``**options``.

    Its signature and the parameters in its docstring are completed, for ``help`` and for notebooks.

    >>> class Neighbours(Options):
    ...     k: int = 10
    >>> @takes(Neighbours)
    ... def search(word, **options):
    ...     return Neighbours.of(**options)
    >>> print(inspect.signature(search))
    (word, *, k: int = 10)
    """

    def completed(function: _Function) -> _Function:
        signature = inspect.signature(function)
        parameters = {
            name: parameter
            for name, parameter in signature.parameters.items()
            if parameter.kind is not parameter.VAR_KEYWORD
        }
        shown: dict[str, FieldInfo] = {}
        for name, field in (item for kind in kinds for item in fields(kind).items()):
            if name not in parameters:
                default, annotation = field.get_default(call_default_factory=True), plain_type(field.annotation)
                added = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
                shown[name], parameters[name] = field, added
        function.__signature__ = signature.replace(parameters=[*parameters.values()])  # type: ignore[attr-defined]
        words = "".join(f"{name}\n    {field.description}\n" for name, field in shown.items())
        parts = re.split(r"\n(?=\n(?:Returns|Raises)\n---)", inspect.cleandoc(function.__doc__ or ""), maxsplit=1)
        function.__doc__ = "\n".join([parts[0], words.rstrip(), *parts[1:]])
        return function

    return completed


def plain_type(annotation: Any) -> Any:  # noqa: ANN401
    """Return a type without what its annotation adds for pydantic."""
    if get_origin(annotation) is Annotated:
        return plain_type(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return Union[tuple(map(plain_type, get_args(annotation)))]  # noqa: UP007
    return annotation


def said_of(errors: Sequence[ErrorDetails], description: str | None) -> str:
    """Say what a value must be, and what it is for: one error for each form that it might have had."""
    error = errors[0]
    demands = " or ".join(_must(detail) for detail in errors).replace(" or must ", " or ")
    guess = ""
    if error["type"] == "literal_error" and isinstance(error["input"], str):
        guess = did_you_mean(error["input"], re.findall(r"'([^']+)'", error["msg"]))
    meaning = f" It means: {description}" if description else ""
    return f"{demands}, not {_brief(error['input'])}.{meaning}{guess}"


def choices_of(annotation: object) -> list[str]:
    """Return the values that a field may have, where its annotation lists them.

    >>> choices_of(Literal["first", "all"]), choices_of(Literal["a"] | None), choices_of(str)
    (['first', 'all'], ['a'], [])
    """
    if get_origin(annotation) is Literal:
        return [str(value) for value in get_args(annotation)]
    return [choice for part in get_args(annotation) for choice in choices_of(part)]


def _no_option(name: str, names: Iterable[str]) -> str:
    names = list(names)
    return f"There is no option '{name}'; there are {', '.join(names)}.{did_you_mean(name, names)}"


def _keyword_sentence(cls: type[Options], errors: Sequence[ErrorDetails]) -> str:
    first = errors[0]
    name = str(first["loc"][0]) if first["loc"] else ""
    field = cls.model_fields.get(name)
    if first["type"] == "missing":
        meaning = f": {field.description}" if field and field.description else "."
        return f"The option '{name}' is needed{meaning}"
    if field is None:  # a contradiction between several options
        return str(first["msg"]).removeprefix("Value error, ")
    same = [error for error in errors if error["loc"][:1] == first["loc"][:1]]
    return f"The option '{name}' {said_of(same, field.description)}"


def _must(error: ErrorDetails) -> str:
    """Return what a value must be, in plain words."""
    text = re.sub(r"^(Input|Value|List|String) should ", "must ", error["msg"]).partition(" after validation")[0]
    text = text.removeprefix("Value error, ")
    if error["type"] == "string_too_short":
        return "must be some text"
    for word, plain in _PLAIN_WORDS.items():
        text = text.replace(word, plain)
    return text


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _plain(value: Any) -> Any:  # noqa: ANN401
    """Return a value as a file would have it: lists for sequences, text for paths."""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, set | frozenset):
        return sorted(_plain(item) for item in value)
    if isinstance(value, tuple | list | range):
        return [_plain(item) for item in value]
    return value


def named_place(value: str) -> tuple[str, str]:
    """Return the name that stands before a place, if any, and the place.

    >>> named_place("diseases=corpora/NCBI"), named_place("corpora/a=b")
    (('diseases', 'corpora/NCBI'), ('', 'corpora/a=b'))
    """
    name, equals, path = value.partition("=")
    return (name, path) if equals and name and not set(name) & set("/\\") else ("", value)


def _moved(value: Any, mark: Place | None, at: Callable[[str], str]) -> Any:  # noqa: ANN401
    if isinstance(value, Options):
        return value.located(at)
    if isinstance(value, list):
        return [_moved(item, mark, at) for item in value]
    if mark is None or not isinstance(value, str):
        return value
    if mark.named:
        name, path = named_place(value)
        return f"{name}={at(path)}" if name else at(path)
    if not mark.prefix:
        return at(value)
    return mark.prefix + at(value.removeprefix(mark.prefix)) if value.startswith(mark.prefix) else value
