"""What pages are made from: small records that hold only what may reach the browser they are for.

No record for a rater has a field for a label, a set, a kind of pair, its number, or anything about other raters.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import jinja2

    from termgauge.studies.raters import Answer
    from termgauge.studies.server.course import Course, Showing
    from termgauge.studies.study_file import Example, StudyFile, Texts

STATIC = {"style.css": "text/css", "rate.js": "text/javascript", "admin.js": "text/javascript"}
"""All files that pages load, and their types."""


@dataclass(frozen=True)
class Stop:
    """An answer that can be given."""

    value: str
    label: str


@dataclass(frozen=True)
class Page:
    """What every page of a study shows."""

    title: str
    language: str
    direction: str
    texts: Texts


@dataclass(frozen=True)
class Message(Page):
    """A page with a heading and a sentence: an error, a pause, thanks."""

    heading: str
    sentence: str


@dataclass(frozen=True)
class Instructions(Page):
    """What raters read first."""

    question: str
    paragraphs: tuple[str, ...]
    examples: tuple[Example, ...]
    answers: tuple[Stop, ...]
    unknown: str
    privacy: str
    csrf: str
    missed: bool
    """Whether the rater comes back from a qualification that was missed."""
    begun: bool


@dataclass(frozen=True)
class Qualification(Page):
    """Pairs with a known answer, which is not here."""

    question: str
    widget: str
    answers: tuple[Stop, ...]
    unknown: str
    csrf: str
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Rate(Page):
    """One pair and its answer so far."""

    question: str
    widget: str
    answers: tuple[Stop, ...]
    unknown: str
    csrf: str
    client_id: str
    revision: int
    page: int
    pages: int
    position: int
    positions: int
    done: int
    all: int
    word1: str
    word2: str
    answer: str | None
    """The value that was chosen, ``unknown``, or None."""
    first: bool
    notice: str | None
    keep: str
    """Under which the script of the page may keep answers that could not be sent; of this rater and study only."""


@dataclass(frozen=True)
class Break(Page):
    """Between two pages."""

    page: int
    pages: int
    done: int
    all: int
    notice: str | None


@dataclass(frozen=True)
class Finish(Page):
    """After the last pair."""

    csrf: str
    last: tuple[int, int]
    notice: str | None


@dataclass(frozen=True)
class Admin(Page):
    """All that the administrator sees."""

    csrf: str
    raters: tuple[dict[str, Any], ...]
    groups: tuple[int, ...]
    link: tuple[str, str] | None
    """A rater and their new link, which is shown once."""
    notice: str | None


def common(file: StudyFile) -> tuple[str, str, str, Texts]:
    """Return what every page of a study shows."""
    return file.title, file.language, file.direction, file.texts


def asked(file: StudyFile) -> tuple[str, str, tuple[Stop, ...], str]:
    """Return the question, how it is answered, the answers, and that of who cannot say."""
    stops = tuple(Stop(f"{each.value:g}", each.label) for each in file.answers)
    return file.question, file.widget, stops, file.unknown


def instructions(file: StudyFile, csrf: str, *, missed: bool, begun: bool) -> Instructions:
    """Return the page of instructions."""
    question, _widget, stops, unknown = asked(file)
    return Instructions(
        *common(file), question, tuple(file.instructions), tuple(file.examples), stops, unknown, file.privacy, csrf,
        missed, begun,
    )  # fmt: skip


def qualification(file: StudyFile, csrf: str) -> Qualification:
    """Return the page of the qualification."""
    return Qualification(
        *common(file), *asked(file), csrf, tuple((each.word1, each.word2) for each in file.qualification)
    )


def rate(
    file: StudyFile, course: Course, showing: Showing, answer: Answer | None, *, done: int, csrf: str, keep: str,
    chosen: str | None = None, notice: str | None = None,
) -> Rate:  # fmt: skip
    """Return the page of one pair; `chosen` is an answer that is not stored yet."""
    if chosen is None and answer is not None:
        chosen = "unknown" if answer.rating is None else f"{answer.rating:g}"
    return Rate(
        *common(file), *asked(file), csrf, secrets.token_urlsafe(16), 0 if answer is None else answer.revision,
        showing.page, course.pages, showing.position, len(course.by_page[showing.page]), done, len(course.showings),
        showing.word1, showing.word2, chosen, course.before(showing.place) is None, notice, keep,
    )  # fmt: skip


def rendered(name: str, view: object) -> str:
    """Return a page as HTML; all that comes from people is escaped."""
    return _templates().get_template(f"{name}.html.jinja").render(view=view)


@cache
def static(name: str) -> tuple[bytes, str, str] | None:
    """Return a file that pages load, its type, and a mark that changes with it; None if there is none of that name."""
    if name not in STATIC:
        return None
    content = (resources.files("termgauge.studies") / "page" / name).read_bytes()
    return content, f"{STATIC[name]}; charset=utf-8", f'"{hashlib.sha256(content).hexdigest()[:32]}"'


@cache
def _templates() -> jinja2.Environment:
    import jinja2

    def source(name: str) -> str | None:
        try:
            return (resources.files("termgauge.studies") / "page" / name).read_text("utf-8")
        except FileNotFoundError:
            return None

    return jinja2.Environment(
        loader=jinja2.FunctionLoader(source), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
