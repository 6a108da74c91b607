"""The study file, study.toml: all that people read in a study, and the design that is fixed when it begins.

The file is checked against a strict model. What is wrong is said in a sentence that names the key and its line. In a
new one every key stands below its description, so that the file is also the reference of its keys.
"""

from __future__ import annotations

import json
import re
import textwrap
import tomllib
import unicodedata
from importlib import resources
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationError, create_model
from pydantic_core import PydanticCustomError

from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.io.decoding import decoded
from termgauge.io.source import read_small
from termgauge.options import Options, said_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails

STUDY_FILE = "study.toml"
SIMILARITY, RELATEDNESS, QUALITY = "similarity", "relatedness", "quality"
KINDS = (SIMILARITY, RELATEDNESS, QUALITY)
MOST_ANSWERS = 101
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_BLANK = re.compile(r"\{([^{}]*)\}")


def _text(value: str) -> str:
    """Return a text as a browser shows it: in one line, with single spaces."""
    words = " ".join(value.split())
    if not words:
        raise PydanticCustomError("empty", "must be some text")
    if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in words):
        raise PydanticCustomError("control", "must be text without control characters")
    return words


def _language(value: str) -> str:
    if not _LANGUAGE.fullmatch(value):
        raise PydanticCustomError("language", "must be a language tag such as 'en', 'de' or 'pt-BR'")
    return value


def _like(default: str) -> AfterValidator:
    """Allow in a text the ``{names}`` that the default has, which the page replaces, and no others."""
    names = _BLANK.findall(default)

    def check(value: str) -> str:
        unknown = set(_BLANK.findall(value)) - set(names)
        if names and (unknown or re.search("[{}]", _BLANK.sub("", value))):
            words = ", ".join(f"{{{name}}}" for name in names)
            raise PydanticCustomError("blanks", "must have no words in braces but {known}", {"known": words})
        return value

    return AfterValidator(check)


Text = Annotated[str, AfterValidator(_text)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


class AnswerChoice(Options):
    """An answer that raters can give: the number that is stored, and what they read."""

    value: Finite = Field(description="The number that is stored for this answer.")
    label: Text = Field(description="What raters read beside it.")


class Example(Options):
    """A worked example in the instructions."""

    word1: Text = Field(description="The first term.")
    word2: Text = Field(description="The second term.")
    rating: Finite = Field(description="The value of the answer that fits.")
    why: Text = Field(description="Why this answer fits.")


class QualificationPair(Options):
    """A pair with a known answer; who misses one is led back to the instructions before the study begins."""

    word1: Text = Field(description="The first term.")
    word2: Text = Field(description="The second term.")
    low: Finite = Field(description="The lowest answer that is right.")
    high: Finite = Field(description="The highest answer that is right.")


def _texts() -> type[Options]:
    """Return the model of the buttons and short texts of the pages, which stand in a file of their own."""
    text = (resources.files("termgauge.studies") / "texts.toml").read_text(encoding="utf-8")
    fields = {
        name: (Annotated[Text, _like(row["text"])], Field(default=row["text"], description=row["about"]))
        for name, row in tomllib.loads(text).items()
    }
    about = "Buttons and short texts of the pages. Words in braces are replaced by numbers."
    return create_model("Texts", __base__=Options, __module__=__name__, __doc__=about, **fields)  # type: ignore[call-overload, no-any-return]


if TYPE_CHECKING:
    Texts = Any
else:
    Texts = _texts()


class StudyFile(Options):
    """What is asked in a study, in which words, and of whom."""

    kind: Literal["similarity", "relatedness", "quality"] = Field(
        description="What people are asked: similarity (how similar two terms are), relatedness (how closely they are "
        "related) or quality (whether they mean the same). Fixed."
    )
    title: Text = Field(description="The title above every page.")
    language: Annotated[str, AfterValidator(_language)] = Field(
        default="en", description="The language of the texts below, for screen readers: en, de, pt-BR …"
    )
    direction: Literal["ltr", "rtl"] = Field(
        default="ltr", description="Whether that language is written from left to right (ltr) or right to left (rtl)."
    )
    question: Text = Field(description="The question above every pair.")
    widget: Literal["slider", "choices"] = Field(
        description="How people answer: with a slider, or by choosing one of several buttons."
    )
    unknown: Text = Field(
        description="The button for raters who cannot answer. It is stored as a missing rating, not as a low one."
    )
    instructions: Annotated[list[Text], Field(min_length=1)] = Field(
        description="What raters read first, a text for each paragraph."
    )
    privacy: Text = Field(description="Below the instructions: what is stored about raters. Keep it true.")
    warn_after: int = Field(
        default=10, ge=0, description="After so many equal answers in a row raters see a warning; 0 for never."
    )
    seed: int = Field(description="Seed of the order in which pairs are shown. Fixed.")
    groups: int = Field(ge=1, description="Into how many groups raters are split, each with pairs of its own. Fixed.")
    pages: int = Field(ge=1, description="In how many portions a rater sees the pairs. Fixed.")
    consistency: int = Field(ge=0, description="How many pairs all groups rate. Fixed.")
    duplicates: int = Field(ge=0, description="How many pairs a rater sees twice. Fixed.")
    per_label: int | None = Field(
        default=None,
        ge=1,
        examples=[30],
        description="Quality: how many positives, and how many negatives, were drawn from each set. Fixed.",
    )
    answers: Annotated[list[AnswerChoice], Field(min_length=2, max_length=MOST_ANSWERS)] = Field(
        description="The answers, in the order in which they are shown."
    )
    examples: list[Example] = Field(default=[], description="The worked examples in the instructions.")
    qualification: list[QualificationPair] = Field(
        default=[], description="Pairs with a known answer that raters see before the study."
    )
    texts: Texts = Field(default_factory=Texts, description="Buttons and short texts.")

    @property
    def values(self) -> tuple[float, ...]:
        """The ratings that there are, from the lowest to the highest."""
        return tuple(sorted(answer.value for answer in self.answers))

    @property
    def scale(self) -> tuple[float, float]:
        """The lowest and the highest rating."""
        return self.values[0], self.values[-1]

    def problems(self) -> list[tuple[str, str]]:
        """Return what no key shows by itself: a key, and a sentence about it."""
        values, ratings = [answer.value for answer in self.answers], self.values
        labels = {answer.label.casefold() for answer in self.answers} | {self.unknown.casefold()}
        conditions = {
            "two answers have the same value; give each its own": len(set(values)) < len(values),
            "two answers have the same label, or one has that of 'unknown'; rename one": len(labels) <= len(values),
            "the answers of a slider must stand from the lowest to the highest value": self.widget == "slider"
            and values != sorted(values),
            "a quality study needs two answers, with the values 1 (same) and 0 (not same)": self.kind == QUALITY
            and set(values) != {0.0, 1.0},
        }
        problems = [("answers", sentence) for sentence, holds in conditions.items() if holds]
        if self.kind == QUALITY and (self.groups, self.consistency, self.duplicates) != (1, 0, 0):
            problems.append(("groups", "a quality study has 1 group, no consistency pairs and no duplicates"))
        for example in self.examples:
            if example.rating not in ratings:
                pair = f"'{example.word1}' / '{example.word2}'"
                sentence = f"the example {pair} has the rating {example.rating:g}, which is none of the answers"
                problems.append(("examples", sentence))
        for asked in self.qualification:
            if not any(asked.low <= value <= asked.high for value in ratings):
                pair, span = f"'{asked.word1}' / '{asked.word2}'", f"from {asked.low:g} to {asked.high:g}"
                problems.append(("qualification", f"no answer to {pair} would be right, since none lies {span}"))
        return problems


TABLES: dict[str, type[Options]] = {
    "answers": AnswerChoice, "examples": Example, "qualification": QualificationPair, "texts": Texts,
}  # fmt: skip
"""The tables of a study file; all but the last may stand several times."""
FIXED = ("kind", "seed", "groups", "pages", "consistency", "duplicates", "per_label")
"""Keys that tell of the layout, which was drawn when the study was begun."""


def read_study_file(path: Path) -> StudyFile:
    """Read a study file."""
    try:
        text = decoded(read_small(path), str(path))
    except FileNotFoundError:
        raise TermgaugeError(f"{path}: there is no such file; `termgauge study new` begins a study.") from None
    except OSError as error:
        raise TermgaugeError(f"{path}: cannot be read ({error.strerror or error}).") from None
    return parse_study_file(text, str(path))


def parse_study_file(text: str, name: str = STUDY_FILE) -> StudyFile:
    """Read a study file from its text; messages call it `name`."""
    from termgauge.engine.file import refuse

    try:
        raw = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise TermgaugeError(f"{name}: is not valid TOML: {error}.") from None
    try:
        study = StudyFile.model_validate(raw)
    except ValidationError as error:
        together: dict[tuple[str | int, ...], list[ErrorDetails]] = {}
        for detail in error.errors():
            together.setdefault(_where(detail), []).append(detail)
        refuse(name, text, [(where, _sentence(where, errors)) for where, errors in together.items()])
    refuse(name, text, [((key,), sentence) for key, sentence in study.problems()])
    return study


def _where(error: ErrorDetails) -> tuple[str | int, ...]:
    """Return the key that an error is about: of a table, its number, if it has one, comes before the key."""
    location = error["loc"]
    if str(location[0]) not in TABLES:
        return location[:1]
    return location[:3] if isinstance(location[1:2] and location[1], int) else location[:2]


def _sentence(where: tuple[str | int, ...], errors: list[ErrorDetails]) -> str:
    error, key, table = errors[0], str(where[-1]), str(where[0])
    inside = len(where) > 1 and isinstance(where[-1], str)
    model: type[Options] = TABLES[table] if inside else StudyFile
    fields = model.model_fields
    home = f"[{table}]" if inside and table == "texts" else f"[[{table}]]" if inside else "a study"
    if error["type"] == "extra_forbidden":
        return f"{home} has no key '{key}'; it has {', '.join(fields)}.{did_you_mean(key, fields)}"
    if error["type"] == "missing":
        if key in TABLES and not inside:
            return f"the tables [[{key}]] are missing: {fields[key].description}"
        return f"{home} lacks the key '{key}': {fields[key].description}"
    if table in TABLES and not inside:
        if error["type"] in ("too_short", "too_long"):
            return f"a study needs 2 to {MOST_ANSWERS} tables [[{table}]]"
        return f"'{table}' is written as a table {'[texts]' if table == 'texts' else f'[[{table}]]'} with keys below it"
    return f"'{key}' of {home} {said_of(errors, fields[key].description)}"


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


def new_study_file(kind: str, **settings: Any) -> StudyFile:  # noqa: ANN401
    """Return the study file of a new study of a kind; `settings` are its title and its design."""
    text = (resources.files("termgauge.studies") / "kinds" / f"{kind}.toml").read_text(encoding="utf-8")
    values = {name: value for name, value in settings.items() if value is not None}
    return StudyFile.of(**{"kind": kind, **tomllib.loads(text), **values})


def commented(study: StudyFile) -> str:
    """Return the text of a study file with what each key means."""
    blocks = [_HEAD]
    plain = {name: field for name, field in StudyFile.model_fields.items() if name not in TABLES}
    for name, field in plain.items():
        if name == next(key for key in FIXED if key != "kind"):
            blocks.append(_FIXED_HEAD)
        blocks.append("\n".join(_key(name, field, getattr(study, name))))
    for name in ("answers", "examples", "qualification"):
        about = (f"# {key}: {field.description}" for key, field in TABLES[name].model_fields.items())
        rows = [_table(name, row.model_dump()) for row in getattr(study, name)]
        if not rows and name == "qualification":
            rows = [textwrap.indent(_table(name, row), _OFF) for row in _example_qualification(study)]
        blocks.append("\n".join([f"# {(TABLES[name].__doc__ or '').strip()}", *about, "\n\n".join(rows)]))
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


def _table(name: str, row: dict[str, Any]) -> str:
    return "\n".join([f"[[{name}]]", *(f"{key} = {_toml(value)}" for key, value in row.items())])


def _toml(value: object) -> str:
    """Return a value as TOML has it; a whole number without a point."""
    if isinstance(value, list):
        return "[\n" + "".join(f"  {_toml(item)},\n" for item in value) + "]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
