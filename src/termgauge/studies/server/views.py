"""What pages are made from: small records that hold only what may reach the browser they are for.

No record for a rater has a field for a label, a set, a kind of pair, its number, or anything about other raters.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    import jinja2

    from termgauge.studies.raters import Answer
    from termgauge.studies.server.showings import Course, Place, Showing
    from termgauge.studies.study_file import StudyFile, Texts

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
class RaterPage(Page):
    """What every page of a rater needs who takes part."""

    csrf: str
    keep: str
    """Under which the script of the page may keep answers that could not be sent; of this rater and study only."""


@dataclass(frozen=True)
class Message(Page):
    """A page with a heading and a sentence: an error, a pause, thanks."""

    heading: str
    sentence: str


@dataclass(frozen=True)
class Closed(Message):
    """A page for a rater who rates no more, or not now."""

    csrf: str


@dataclass(frozen=True)
class WorkedExample:
    """A pair in the instructions, and the answer that fits."""

    word1: str
    word2: str
    answer: Stop
    why: str


@dataclass(frozen=True)
class Instructions(RaterPage):
    """What raters read first."""

    question: str
    widget: str
    answers: tuple[Stop, ...]
    unknown: str
    paragraphs: tuple[str, ...]
    examples: tuple[WorkedExample, ...]
    privacy: str
    missed: bool
    """Whether the rater comes back from a qualification that was missed."""
    begun: bool


@dataclass(frozen=True)
class Qualification(RaterPage):
    """Pairs with a known answer, which is not here."""

    question: str
    widget: str
    answers: tuple[Stop, ...]
    unknown: str
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Rate(RaterPage):
    """One pair and its answer so far."""

    question: str
    widget: str
    answers: tuple[Stop, ...]
    unknown: str
    client_id: str
    revision: int
    page: int
    pages: int
    position: int
    positions: int
    done: int
    elsewhere: int
    """How many of those done stand on other pages."""
    all: int
    word1: str
    word2: str
    answer: str | None
    """The value that was chosen, ``unknown``, or None."""
    before: str
    """Where to go from the first pair of the page, and from its last one."""
    after: str
    notice: str | None


@dataclass(frozen=True)
class Break(RaterPage):
    """Between two pages."""

    page: int
    pages: int
    done: int
    all: int
    before: str
    after: str
    notice: str | None


@dataclass(frozen=True)
class Finish(RaterPage):
    """After the last pair."""

    all: int
    before: str
    notice: str | None


def common(file: StudyFile) -> tuple[str, str, str, Texts]:
    """Return what every page of a study shows."""
    return file.title, file.language, file.direction, file.texts


def asked(file: StudyFile) -> tuple[str, str, tuple[Stop, ...], str]:
    """Return the question, how it is answered, the answers, and that of who cannot say."""
    stops = tuple(Stop(f"{each.value:g}", each.label) for each in file.answers)
    return file.question, file.widget, stops, file.unknown


def instructions(file: StudyFile, csrf: str, keep: str, *, missed: bool, begun: bool) -> Instructions:
    """Return the page of instructions."""
    stops = {each.value: Stop(f"{each.value:g}", each.label) for each in file.answers}
    examples = tuple(WorkedExample(each.word1, each.word2, stops[each.rating], each.why) for each in file.examples)
    return Instructions(
        *common(file), csrf, keep, *asked(file), tuple(file.instructions), examples, file.privacy, missed, begun
    )


def qualification(file: StudyFile, csrf: str, keep: str) -> Qualification:
    """Return the page of the qualification."""
    pairs = tuple((each.word1, each.word2) for each in file.qualification)
    return Qualification(*common(file), csrf, keep, *asked(file), pairs)


def rate(
    file: StudyFile, course: Course, showing: Showing, answer: Answer | None, *, answered: Collection[Place], csrf: str,
    keep: str, chosen: str | None = None, notice: str | None = None,
) -> Rate:  # fmt: skip
    """Return the page of one pair; `chosen` is an answer that is not stored yet."""
    if chosen is None and answer is not None:
        chosen = "unknown" if answer.rating is None else f"{answer.rating:g}"
    page, positions = showing.page, len(course.by_page[showing.page])
    first = course.before((page, 1))
    return Rate(
        *common(file), csrf, keep, *asked(file), secrets.token_urlsafe(16), 0 if answer is None else answer.revision,
        page, course.pages, showing.position, positions, len(answered), sum(place[0] != page for place in answered),
        len(course.showings), showing.word1, showing.word2, chosen,
        "/instructions" if first is None else address(first.place),
        f"/break/{page}" if page < course.pages else "/finish", notice,
    )  # fmt: skip


def address(place: Place) -> str:
    """Return the address of a pair.

    >>> address((2, 14))
    '/rate/2/14'
    """
    return f"/rate/{place[0]}/{place[1]}"


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
