"""The pages of raters: they come by a link, read, qualify, answer pair by pair, and finish.

Every page works as a plain form; the script of the page uses the two addresses under ``/api``.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse

from termgauge.exceptions import CannotWriteError
from termgauge.studies.server.site import (
    RATER,
    UNKNOWN,
    Visit,
    link_of,
    message,
    not_stored,
    question,
    site_of,
    state_sentence,
    study_page,
)
from termgauge.studies.store import AnswerRefusedError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from termgauge.studies.design import Course, Slot
    from termgauge.studies.folder import Study
    from termgauge.studies.server.site import Handler
    from termgauge.studies.store import Answer, Rater, Store
    from termgauge.studies.study_file import StudyFile

RUN = "run"
"""In the address of a page that warns of equal answers in a row."""
ELSEWHERE = (
    "This pair was answered in another window meanwhile. Here is the answer that is stored; change it if needed."
)


MOST_ANSWERS = 400
MOST_SECONDS = 3600.0
"""Longer times are stored as this: somebody had left the page open."""
MOST_NUMBER = 1_000_000_000
Number = Annotated[int, Field(ge=0, le=MOST_NUMBER)]
Seconds = Annotated[float, Field(ge=0, le=MOST_NUMBER), AfterValidator(lambda seconds: min(seconds, MOST_SECONDS))]


class Incoming(BaseModel):
    """An answer that somebody wants stored."""

    model_config = ConfigDict(strict=True, frozen=True, allow_inf_nan=False)

    client_id: str = Field(min_length=1, max_length=64)
    page: Number
    position: Number
    rating: Annotated[float, Field(ge=-MOST_NUMBER, le=MOST_NUMBER)] | None
    seconds: Seconds | None = None
    revision: Number = 0

    @field_validator("client_id")
    @classmethod
    def _printable(cls, client_id: str) -> str:
        if not client_id.isprintable():
            raise ValueError
        return client_id

    def why_not(self, study: Study, course: Course) -> str | None:
        """Return in a sentence why it cannot be stored; None if it can."""
        if (self.page, self.position) not in course:
            return "There is no such pair for you in this study."
        if self.rating is not None and self.rating not in study.file.values:
            low, high = study.file.scale
            return f"The rating is none of those on the scale from {low:g} to {high:g}."
        return None


class _Batch(BaseModel):
    answers: list[Incoming] = Field(max_length=MOST_ANSWERS)


def answers_in(body: bytes) -> list[Incoming]:
    """Read what the script of the page sends."""
    try:
        return _Batch.model_validate_json(body).answers
    except ValidationError:
        raise HTTPException(400, "The answers cannot be read.") from None


def answer_in(form: Mapping[str, str], page: int, position: int) -> Incoming | None:
    """Read what the form of the page sends; None if no answer was chosen."""
    values: dict[str, Any] = {name: form[name] for name in Incoming.model_fields if form.get(name)}
    if "rating" not in values:
        return None
    rating = None if values["rating"] == UNKNOWN else values["rating"]
    try:
        return Incoming.model_validate({**values, "rating": rating, "page": page, "position": position}, strict=False)
    except ValidationError:
        raise HTTPException(400, "The answer cannot be read.") from None


@dataclass(frozen=True)
class RaterVisit(Visit):
    """A request of a rater."""

    rater: Rater

    @property
    def file(self) -> StudyFile:
        """What raters read."""
        return self.site.study.file

    @property
    def course(self) -> Course:
        """What this rater sees."""
        return self.site.courses[self.rater.group]

    @property
    def is_ready(self) -> bool:
        """Whether the rater has read the instructions, and passed the qualification if there is one."""
        return self.rater.begun is not None and (self.rater.qualified is not None or not self.file.qualification)

    @property
    def warning(self) -> str:
        """What is said after many equal answers in a row."""
        return str(self.file.texts.warning.replace("{count}", str(self.file.warn_after)))

    @property
    def notice(self) -> str | None:
        """The warning, on a page that is to show it."""
        return self.warning if self.request.query_params.get("notice") == RUN else None

    def answered(self) -> set[Slot]:
        """Return where there is an answer."""
        return {answer.slot for answer in self.site.store.answers(self.rater.id)}

    def next_step(self) -> str:
        """Return the address where the rater goes on."""
        if self.rater.begun is None:
            return "/instructions"
        if not self.is_ready:
            return "/qualification"
        showing = self.course.first_open(self.answered())
        return "/finish" if showing is None else address(showing.slot)

    def may_see(self, slot: Slot) -> bool:
        """Say whether all before a slot is done: no pair is left without an answer."""
        showing = self.course.first_open(self.answered())
        return self.is_ready and (showing is None or slot <= showing.slot)

    def require_active(self) -> None:
        """Refuse somebody who rates no more, or not now."""
        if self.rater.state != "active":
            raise HTTPException(409, state_sentence(self.rater.state))

    def require_ready(self) -> None:
        """Refuse answers of somebody who has not read the instructions."""
        if not self.is_ready:
            raise HTTPException(409, "Please read the instructions first, and answer the pairs that follow them.")

    def page(self, name: str, status: int = 200, /, **values: object) -> Response:
        """Return a page, whose script may keep answers on the rater's device."""
        keep = f"{self.site.study.id}-{self.rater.id}"
        return study_page(name, self.file, status, csrf=self.csrf, keep=keep, **values)


async def rater_visit(request: Request) -> RaterVisit:
    """Return who is asking, if it is a rater."""
    site = site_of(request)
    token, link = await link_of(request, RATER)
    return RaterVisit(request, site, token, site.store.rater(link.rater or ""))


def shown(page: Callable[[RaterVisit], Response]) -> Handler:
    """Make a handler that shows a page to raters who take part, and their thanks or a sentence to others."""

    async def handle(request: Request) -> Response:
        visit = await rater_visit(request)
        if visit.rater.state == "active":
            return page(visit)
        texts, finished = visit.file.texts, visit.rater.state == "finished"
        heading, sentence = (texts.thanks_title, texts.thanks) if finished else (visit.file.title, texts.paused)
        return message(visit.file, sentence, heading=heading, csrf=visit.csrf)

    return handle


def sent(work: Callable[[RaterVisit, dict[str, str]], Awaitable[Response]]) -> Handler:
    """Make a handler that does what a form asks for, if it was made for the rater, who must take part."""

    async def handle(request: Request) -> Response:
        visit = await rater_visit(request)
        form = await visit.form()
        visit.require_active()
        return await work(visit, form)

    return handle


@shown
def home(visit: RaterVisit) -> Response:
    """Lead a rater to where they left."""
    return _to(visit.next_step())


@shown
def instructions(visit: RaterVisit) -> Response:
    """Show the instructions."""
    file, asked, begun = visit.file, question(visit.file), visit.rater.begun is not None
    answers = {choice.value: shown for choice, shown in zip(file.answers, asked["answers"], strict=True)}
    examples = [{**dict(example), "answer": answers[example.rating]} for example in file.examples]
    return visit.page(
        "instructions", missed=not begun and visit.rater.attempts > 0, begun=begun, paragraphs=file.instructions,
        examples=examples, privacy=file.privacy, **asked,
    )  # fmt: skip


@sent
async def begin(visit: RaterVisit, _form: dict[str, str]) -> Response:
    """Note that a rater has read the instructions."""
    if visit.rater.begun is None:
        await visit.site.writer.do(lambda store: store.begin(visit.rater.id))
    return _to("/")


@shown
def qualification(visit: RaterVisit) -> Response:
    """Show pairs with a known answer."""
    if (step := visit.next_step()) != "/qualification":
        return _to(step)
    pairs = [(pair.word1, pair.word2) for pair in visit.file.qualification]
    return visit.page("qualification", pairs=pairs, **question(visit.file))


@sent
async def qualify(visit: RaterVisit, form: dict[str, str]) -> Response:
    """Look whether the answers are right; who misses one starts again at the instructions."""
    if visit.rater.begun is not None and visit.rater.qualified is None:
        pairs = enumerate(visit.file.qualification, 1)
        passed = all(_lies_between(form.get(f"q{at}", ""), pair.low, pair.high) for at, pair in pairs)
        await visit.site.writer.do(lambda store: store.qualify(visit.rater.id, passed=passed))
    return _to("/")


@shown
def rate(visit: RaterVisit) -> Response:
    """Show a pair."""
    slot = _slot(visit)
    return _showing(visit, slot, notice=visit.notice) if visit.may_see(slot) else _to(visit.next_step())


@sent
async def rated(visit: RaterVisit, form: dict[str, str]) -> Response:
    """Store the answer to a pair."""
    slot = _slot(visit)
    visit.require_ready()
    answer, back, warn = answer_in(form, *slot), form.get("go") == "back", False
    if answer is not None:
        try:
            _saved, refused, warn = await visit.site.writer.do(lambda store: _store(store, visit, [answer]))
        except CannotWriteError as error:
            status, sentence = not_stored(visit.request, error)
            return _showing(visit, slot, status, notice=sentence, chosen=form["rating"])
        if refused:
            elsewhere = refused[0]["current"] is not None
            status, sentence = (409, ELSEWHERE) if elsewhere else (400, refused[0]["why"])
            return _showing(visit, slot, status, notice=sentence)
    elif not back:
        return _showing(visit, slot, 400, notice=visit.file.texts.choose_first)
    return _to(f"{_back(visit, slot) if back else _onward(visit, slot)}{f'?notice={RUN}' if warn else ''}")


async def page(request: Request) -> Response:
    """Give the script of the page all pairs of a page and the answers so far."""
    visit = await rater_visit(request)
    visit.require_active()
    number, course = request.path_params["page"], visit.course
    if number not in course.by_page or not visit.may_see((number, 1)):
        raise HTTPException(404, "There is no such page, or pairs before it are not answered.")
    answers = {answer.slot: answer for answer in visit.site.store.answers(visit.rater.id, number)}
    showings = [
        {
            "position": showing.position, "word1": showing.word1, "word2": showing.word2,
            "answer": _current(answers.get(showing.slot)),
        }
        for showing in course.by_page[number]
    ]  # fmt: skip
    return JSONResponse({"page": number, "pages": len(course.by_page), "showings": showings})


async def answers(request: Request) -> Response:
    """Store what the script of the page sends: each answer whole, and acknowledged once it is on the disk."""
    visit = await rater_visit(request)
    visit.require_csrf(request.headers.get("x-csrf-token"))
    visit.require_ready()
    incoming = answers_in(await request.body())
    saved, refused, warn = await visit.site.writer.do(lambda store: _store(store, visit, incoming))
    return JSONResponse({"saved": saved, "refused": refused, "warning": visit.warning if warn else None})


@shown
def pause(visit: RaterVisit) -> Response:
    """Show that a page is done, and let the rater rest."""
    number, answered, course = visit.request.path_params["page"], visit.answered(), visit.course
    if number not in course.by_page:
        raise HTTPException(404)
    pages = len(course.by_page)
    if number == pages or any(showing.slot not in answered for showing in course.by_page[number]):
        return _to(visit.next_step())
    return visit.page(
        "break", notice=visit.notice, page=number, pages=pages, done=len(answered), all=len(course.showings),
        before=address(course.by_page[number][-1].slot), after=address((number + 1, 1)),
    )  # fmt: skip


@shown
def finish(visit: RaterVisit) -> Response:
    """Let a rater who has answered all say that this is so."""
    if (step := visit.next_step()) != "/finish":
        return _to(step)
    showings = visit.course.showings
    return visit.page("finish", notice=visit.notice, all=len(showings), before=address(showings[-1].slot))


@sent
async def finished(visit: RaterVisit, _form: dict[str, str]) -> Response:
    """Note that a rater has finished, if all is answered."""

    def note(store: Store) -> None:
        answered = {answer.slot for answer in store.answers(visit.rater.id)}
        if visit.course.first_open(answered) is None and store.rater(visit.rater.id).state == "active":
            store.set_state(visit.rater.id, "finished", None)

    await visit.site.writer.do(note)
    return _to("/")


def _store(
    store: Store, visit: RaterVisit, incoming: Sequence[Incoming]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], bool]:
    """Store answers one by one; return what was saved, what was refused and why, and whether to warn."""
    saved: list[dict[str, Any]] = []
    new: set[Slot] = set()
    refused: list[dict[str, Any]] = []
    client_ids = {answer.client_id for answer in incoming}
    for answer in incoming:
        if (why := answer.why_not(visit.site.study, visit.course)) is not None:
            refused.append({"client_id": answer.client_id, "why": why, "current": None})
            continue
        try:
            stored = store.answer(visit.rater.id, **answer.model_dump(), client_ids=client_ids)
        except AnswerRefusedError as error:
            refused.append({"client_id": answer.client_id, "why": str(error), "current": _current(error.current)})
            continue
        location = {"client_id": answer.client_id, "page": answer.page, "position": answer.position}
        saved.append({**location, "rating": stored.rating, "revision": stored.revision})
        if stored.client_id == answer.client_id:  # else it says what was said before
            new.add(stored.slot)
    return saved, refused, _is_run(store, visit, new)


def _is_run(store: Store, visit: RaterVisit, slots: set[Slot]) -> bool:
    """Say whether a row of equal ratings ends at one of the slots, each ten (or as the study says) one more time."""

    def rating_at(slot: Slot) -> float | None:
        current = store.current(visit.rater.id, *slot)
        return None if current is None else current.rating

    many = visit.file.warn_after
    return many > 0 and any((run := visit.course.equal_run(slot, rating_at)) and run % many == 0 for slot in slots)


def _slot(visit: RaterVisit) -> Slot:
    slot = visit.request.path_params["page"], visit.request.path_params["position"]
    if slot not in visit.course:
        raise HTTPException(404)
    return slot


def _back(visit: RaterVisit, slot: Slot) -> str:
    before = visit.course.neighbour(slot, -1)
    return "/instructions" if before is None else address(before.slot)


def _onward(visit: RaterVisit, slot: Slot) -> str:
    after = visit.course.neighbour(slot, 1)
    if after is None:
        return visit.next_step()
    return address(after.slot) if after.page == slot[0] else f"/break/{slot[0]}"


def _showing(
    visit: RaterVisit, slot: Slot, status: int = 200, *, notice: str | None, chosen: str | None = None
) -> Response:
    """Return the page of one pair; `chosen` is an answer that is not stored yet."""
    course, number, showing, answered = visit.course, slot[0], visit.course[slot], visit.answered()
    answer = visit.site.store.current(visit.rater.id, *slot)
    if chosen is None and answer is not None:
        chosen = UNKNOWN if answer.rating is None else f"{answer.rating:g}"
    return visit.page(
        "rate", status, notice=notice, **question(visit.file), client_id=secrets.token_urlsafe(16),
        revision=0 if answer is None else answer.revision, page=number, pages=len(course.by_page),
        position=showing.position, positions=len(course.by_page[number]), done=len(answered),
        elsewhere=sum(page != number for page, _position in answered), all=len(course.showings),
        word1=showing.word1, word2=showing.word2, answer=chosen, before=_back(visit, (number, 1)),
        after=f"/break/{number}" if number < len(course.by_page) else "/finish",
    )  # fmt: skip


def address(slot: Slot) -> str:
    """Return the address of a showing.

    >>> address((2, 14))
    '/rate/2/14'
    """
    return f"/rate/{slot[0]}/{slot[1]}"


def _current(answer: Answer | None) -> dict[str, Any] | None:
    return None if answer is None else {"rating": answer.rating, "revision": answer.revision}


def _lies_between(text: str, low: float, high: float) -> bool:
    try:
        return low <= float(text) <= high
    except ValueError:
        return False


def _to(address: str) -> Response:
    return RedirectResponse(address, 303)
