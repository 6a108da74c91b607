"""The pages of raters: they come by a link, read, qualify, answer pair by pair, and finish.

Every page works as a plain form; the script of the page uses the two addresses under ``/api``.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse

from termgauge.exceptions import CannotWriteError
from termgauge.studies.raters import AnswerRefusedError
from termgauge.studies.server import views
from termgauge.studies.server.showings import UNKNOWN, Incoming, address, answer_in, answers_in
from termgauge.studies.server.site import (
    RATER,
    form_of,
    not_stored,
    rater_visit,
    site_of,
    state_sentence,
    token_of_link,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from termgauge.studies.raters import Answer, Rater
    from termgauge.studies.server.showings import Course
    from termgauge.studies.server.site import Site, Visit
    from termgauge.studies.sheets import Slot
    from termgauge.studies.store import Store

RUN = "run"
"""In the address of a page that warns of equal answers in a row."""
ELSEWHERE = (
    "This pair was answered in another window meanwhile. Here is the answer that is stored; change it if needed."
)


async def arrive(request: Request) -> Response:
    """Keep the secret of a link in a cookie, so that it leaves the address bar."""
    token = await token_of_link(request, RATER)
    return site_of(request).enter(_to("/"), RATER, token)


async def home(request: Request) -> Response:
    """Lead a rater to where they left."""
    visit, rater, course = _visitor(request)
    if rater.state != "active":
        return _closed(visit, rater)
    return _to(_next_step(visit.site, rater, course))


async def instructions(request: Request) -> Response:
    """Show the instructions."""
    visit, rater, _course = _visitor(request)
    if rater.state != "active":
        return _closed(visit, rater)
    begun = rater.begun is not None
    missed = not begun and rater.attempts > 0
    file = visit.site.study.file
    question = views.question(file)
    answers = {choice.value: shown for choice, shown in zip(file.answers, question["answers"], strict=True)}
    examples = [{**dict(example), "answer": answers[example.rating]} for example in file.examples]
    return _page(
        visit, "instructions", missed=missed, begun=begun, paragraphs=file.instructions, examples=examples,
        privacy=file.privacy, **question,
    )  # fmt: skip


async def begin(request: Request) -> Response:
    """Note that a rater has read the instructions."""
    visit, rater, _course = _visitor(request)
    visit.require_csrf((await form_of(request)).get("csrf"))
    _require_active(rater)
    if rater.begun is None:
        await visit.site.writer.do(lambda store: store.begin(rater.id))
    return _to("/")


async def qualification(request: Request) -> Response:
    """Show pairs with a known answer; who misses one starts again at the instructions."""
    visit, rater, course = _visitor(request)
    file = visit.site.study.file
    if request.method == "POST":
        form = await form_of(request)
        visit.require_csrf(form.get("csrf"))
        _require_active(rater)
        if rater.begun is not None and rater.qualified is None:
            passed = all(
                _lies_between(form.get(f"q{at}", ""), pair.low, pair.high)
                for at, pair in enumerate(file.qualification, 1)
            )
            await visit.site.writer.do(lambda store: store.qualify(rater.id, passed=passed))
        return _to("/")
    if rater.state != "active":
        return _closed(visit, rater)
    if (step := _next_step(visit.site, rater, course)) != "/qualification":
        return _to(step)
    pairs = [(pair.word1, pair.word2) for pair in file.qualification]
    return _page(visit, "qualification", pairs=pairs, **views.question(file))


async def rate(request: Request) -> Response:
    """Show a pair, and store the answer to it."""
    visit, rater, course = _visitor(request)
    slot = request.path_params["page"], request.path_params["position"]
    if slot not in course:
        raise HTTPException(404)
    if request.method == "POST":
        return await _rated(request, visit, rater, course, slot)
    if rater.state != "active":
        return _closed(visit, rater)
    if not _may_see(visit.site, rater, course, slot):
        return _to(_next_step(visit.site, rater, course))
    return _showing(visit, rater, course, slot, notice=_notice(request, visit.site))


async def page(request: Request) -> Response:
    """Give the script of the page all pairs of a page and the answers so far."""
    visit, rater, course = _visitor(request)
    _require_active(rater)
    number = request.path_params["page"]
    if number not in course.by_page or not _may_see(visit.site, rater, course, (number, 1)):
        raise HTTPException(404, "There is no such page, or pairs before it are not answered.")
    given = {answer.position: answer for answer in visit.site.store.answers(rater.id, number)}
    return JSONResponse({
        "page": number,
        "pages": course.pages,
        "showings": [
            {
                "position": showing.position, "word1": showing.word1, "word2": showing.word2,
                "answer": _current(given.get(showing.position)),
            }
            for showing in course.by_page[number]
        ],
    })  # fmt: skip


async def answers(request: Request) -> Response:
    """Store what the script of the page sends: each answer whole, and acknowledged once it is on the disk."""
    visit, rater, course = _visitor(request)
    visit.require_csrf(request.headers.get("x-csrf-token"))
    _require_ready(visit.site, rater)
    incoming = answers_in(await request.body())
    saved, refused, warn = await visit.site.writer.do(lambda store: _store(store, visit.site, rater, course, incoming))
    return JSONResponse({"saved": saved, "refused": refused, "warning": _warning(visit.site) if warn else None})


async def pause(request: Request) -> Response:
    """Show that a page is done, and let the rater rest."""
    visit, rater, course = _visitor(request)
    if rater.state != "active":
        return _closed(visit, rater)
    number, answered = request.path_params["page"], _answered(visit.site, rater)
    if number not in course.by_page:
        raise HTTPException(404)
    if number == course.pages or any(showing.slot not in answered for showing in course.by_page[number]):
        return _to(_next_step(visit.site, rater, course))
    return _page(
        visit, "break", notice=_notice(request, visit.site), page=number, pages=course.pages, done=len(answered),
        all=len(course.showings), before=address(course.by_page[number][-1].slot), after=address((number + 1, 1)),
    )  # fmt: skip


async def finish(request: Request) -> Response:
    """Let a rater who has answered all say that this is so."""
    visit, rater, course = _visitor(request)
    if request.method == "POST":
        visit.require_csrf((await form_of(request)).get("csrf"))
        _require_active(rater)
        await visit.site.writer.do(lambda store: _finish(store, rater, course))
        return _to("/")
    if rater.state != "active":
        return _closed(visit, rater)
    if (step := _next_step(visit.site, rater, course)) != "/finish":
        return _to(step)
    before = address(course.showings[-1].slot)
    return _page(visit, "finish", notice=_notice(request, visit.site), all=len(course.showings), before=before)


async def sign_out(request: Request) -> Response:
    """Let the browser forget a rater, who comes back by the link."""
    visit, _rater = rater_visit(request)
    visit.require_csrf((await form_of(request)).get("csrf"))
    return visit.site.leave(signed_out(visit.site), RATER)


def signed_out(site: Site) -> Response:
    """Return the page for somebody who has signed out."""
    file = site.study.file
    return HTMLResponse(views.study_page("message", file, heading=file.title, sentence=file.texts.signed_out))


async def _rated(request: Request, visit: Visit, rater: Rater, course: Course, slot: Slot) -> Response:
    form = await form_of(request)
    visit.require_csrf(form.get("csrf"))
    _require_active(rater)
    _require_ready(visit.site, rater)
    given, back = answer_in(form, *slot), form.get("go") == "back"
    warn = False
    if given is not None:
        try:
            _saved, refused, warn = await visit.site.writer.do(
                lambda store: _store(store, visit.site, rater, course, [given])
            )
        except CannotWriteError as error:
            status, sentence = not_stored(request, error)
            return _showing(visit, rater, course, slot, notice=sentence, chosen=form["rating"], status=status)
        if refused:
            current = refused[0]["current"]
            notice = ELSEWHERE if current is not None else refused[0]["why"]
            return _showing(visit, rater, course, slot, notice=notice, status=409 if current is not None else 400)
    elif not back:
        choose = visit.site.study.file.texts.choose_first
        return _showing(visit, rater, course, slot, notice=choose, status=400)
    query = f"?notice={RUN}" if warn else ""
    return _to(f"{_back(course, slot) if back else _onward(visit.site, rater, course, slot)}{query}")


def _store(
    store: Store, site: Site, rater: Rater, course: Course, incoming: Sequence[Incoming]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], bool]:
    """Store answers one by one; return what was saved, what was refused and why, and whether to warn."""
    saved: list[dict[str, Any]] = []
    new: set[Slot] = set()
    refused: list[dict[str, Any]] = []
    for each in incoming:
        if (why := each.why_not(site.study, course)) is not None:
            refused.append({"client_id": each.client_id, "why": why, "current": None})
            continue
        try:
            stored = store.answer(
                rater.id, each.page, each.position, each.rating, seconds=each.seconds, client_id=each.client_id,
                revision=each.revision, known={before.client_id for before in incoming},
            )  # fmt: skip
        except AnswerRefusedError as error:
            refused.append({"client_id": each.client_id, "why": str(error), "current": _current(error.current)})
            continue
        saved.append({
            "client_id": each.client_id, "page": each.page, "position": each.position, "rating": stored.rating,
            "revision": stored.revision,
        })  # fmt: skip
        if stored.client_id == each.client_id:  # else it says what was said before
            new.add((each.page, each.position))
    return saved, refused, _is_run(store, site, rater, course, new)


def _is_run(store: Store, site: Site, rater: Rater, course: Course, slots: set[Slot]) -> bool:
    """Say whether a row of equal ratings ends at one of the slots, each ten (or as the study says) one more time."""

    def rating_at(slot: Slot) -> float | None:
        current = store.current(rater.id, *slot)
        return None if current is None else current.rating

    many = site.study.file.warn_after
    return many > 0 and any((run := course.equal_run(slot, rating_at)) and run % many == 0 for slot in slots)


def _finish(store: Store, rater: Rater, course: Course) -> None:
    answered = {(answer.page, answer.position) for answer in store.answers(rater.id)}
    if course.first_open(answered) is None and store.rater(rater.id).state == "active":
        store.set_state(rater.id, "finished", None)


def _visitor(request: Request) -> tuple[Visit, Rater, Course]:
    visit, rater = rater_visit(request)
    return visit, rater, visit.site.courses[rater.group]


def _require_active(rater: Rater) -> None:
    if rater.state != "active":
        raise HTTPException(409, state_sentence(rater.state))


def _require_ready(site: Site, rater: Rater) -> None:
    if not _is_ready(site, rater):
        raise HTTPException(409, "Please read the instructions first, and answer the pairs that follow them.")


def _is_ready(site: Site, rater: Rater) -> bool:
    """Say whether a rater has read the instructions, and passed the qualification if there is one."""
    return rater.begun is not None and (rater.qualified is not None or not site.study.file.qualification)


def _closed(visit: Visit, rater: Rater) -> Response:
    """Return the page for somebody who rates no more, or not now."""
    file = visit.site.study.file
    thanks = (file.texts.thanks_title, file.texts.thanks)
    heading, sentence = thanks if rater.state == "finished" else (file.title, file.texts.paused)
    return HTMLResponse(views.study_page("message", file, heading=heading, sentence=sentence, csrf=visit.csrf))


def _page(visit: Visit, name: str, *, status: int = 200, **values: Any) -> Response:  # noqa: ANN401
    """Return a page for a rater who takes part."""
    file = visit.site.study.file
    return HTMLResponse(views.study_page(name, file, csrf=visit.csrf, keep=visit.keep, **values), status)


def _answered(site: Site, rater: Rater) -> set[Slot]:
    return {(answer.page, answer.position) for answer in site.store.answers(rater.id)}


def _next_step(site: Site, rater: Rater, course: Course) -> str:
    """Return the address where a rater goes on."""
    if rater.begun is None:
        return "/instructions"
    if site.study.file.qualification and rater.qualified is None:
        return "/qualification"
    showing = course.first_open(_answered(site, rater))
    return "/finish" if showing is None else address(showing.slot)


def _may_see(site: Site, rater: Rater, course: Course, slot: Slot) -> bool:
    """Say whether all before a slot is done: no pair is left without an answer."""
    if not _is_ready(site, rater):
        return False
    showing = course.first_open(_answered(site, rater))
    return showing is None or slot <= showing.slot


def _back(course: Course, slot: Slot) -> str:
    before = course.before(slot)
    return "/instructions" if before is None else address(before.slot)


def _onward(site: Site, rater: Rater, course: Course, slot: Slot) -> str:
    after = course.after(slot)
    if after is None:
        return _next_step(site, rater, course)
    return address(after.slot) if after.page == slot[0] else f"/break/{slot[0]}"


def _showing(
    visit: Visit, rater: Rater, course: Course, slot: Slot, *, notice: str | None, chosen: str | None = None,
    status: int = 200,
) -> Response:  # fmt: skip
    """Return the page of one pair; `chosen` is an answer that is not stored yet."""
    site, page, showing = visit.site, slot[0], course[slot]
    answer, answered = site.store.current(rater.id, *slot), _answered(site, rater)
    if chosen is None and answer is not None:
        chosen = UNKNOWN if answer.rating is None else f"{answer.rating:g}"
    return _page(
        visit, "rate", status=status, notice=notice, **views.question(site.study.file),
        client_id=secrets.token_urlsafe(16), revision=0 if answer is None else answer.revision, page=page,
        pages=course.pages, position=showing.position, positions=len(course.by_page[page]), done=len(answered),
        elsewhere=sum(other[0] != page for other in answered), all=len(course.showings), word1=showing.word1,
        word2=showing.word2, answer=chosen, before=_back(course, (page, 1)),
        after=f"/break/{page}" if page < course.pages else "/finish",
    )  # fmt: skip


def _current(answer: Answer | None) -> dict[str, Any] | None:
    return None if answer is None else {"rating": answer.rating, "revision": answer.revision}


def _notice(request: Request, site: Site) -> str | None:
    return _warning(site) if request.query_params.get("notice") == RUN else None


def _warning(site: Site) -> str:
    return site.study.file.texts.warning.replace("{count}", str(site.study.file.warn_after))


def _lies_between(given: str, low: float, high: float) -> bool:
    try:
        return low <= float(given) <= high
    except ValueError:
        return False


def _to(address: str) -> Response:
    return RedirectResponse(address, 303)
