"""The pages of the administrator: who is how far, what becomes of whom, and decisions, with reasons that are kept."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from termgauge.exceptions import CannotWriteError, TermgaugeError
from termgauge.studies.answers import answer_names, answer_table, answer_text, disagreements
from termgauge.studies.invitations import link_to
from termgauge.studies.server import views
from termgauge.studies.server.admin_view import admin_view
from termgauge.studies.server.rating import signed_out
from termgauge.studies.server.showings import UNKNOWN
from termgauge.studies.server.site import ADMIN, address_of, admin_visit, arriving, form_of, site_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request

    from termgauge.studies.answers import Disagreement
    from termgauge.studies.server.site import Visit
    from termgauge.studies.store import Store
    from termgauge.studies.study_file import StudyFile

SHOWN_ONCE = "This is the link of {}. It is shown only now, and a former link of theirs no longer works: copy it."


async def arrive(request: Request) -> Response:
    """Keep the secret of the administrator's link in a cookie of its own."""
    token = await arriving(request, ADMIN)
    return site_of(request).enter(RedirectResponse("/admin", 303), ADMIN, token)


async def overview(request: Request) -> Response:
    """Show the page."""
    return await _page(await admin_visit(request))


async def data(request: Request) -> Response:
    """Give the figures of the page to programs."""
    overview = await (await admin_visit(request)).site.observer.overview()
    return JSONResponse(overview.to_json())


async def rater(request: Request) -> Response:
    """Change what becomes of a rater."""
    visit = await admin_visit(request)
    form = await form_of(request)
    visit.require_csrf(form.get("csrf"))
    name, who, reason = form.get("action", ""), str(request.path_params["rater"]), form.get("reason") or None
    try:
        token = None
        if name == ERASE:
            await _erase(visit, who, address_of(request), reason, sure=form.get("sure") == "yes")
        elif (action := ACTIONS.get(name)) is not None:
            token = await visit.site.writer.do(lambda store: action(store, who, reason))
        else:
            raise HTTPException(400, f"There is no such action; there are {', '.join((*ACTIONS, ERASE))}.")
    except CannotWriteError:
        raise
    except TermgaugeError as error:
        return await _page(visit, notice=str(error), status=400)
    if token is None:
        return RedirectResponse("/admin", 303)
    return await _page(visit, link=link_to(visit.site.base_url(request), token), notice=SHOWN_ONCE.format(who))


async def invite(request: Request) -> Response:
    """Invite a rater; the link is shown once."""
    visit = await admin_visit(request)
    form = await form_of(request)
    visit.require_csrf(form.get("csrf"))
    group = form.get("group", "")
    if not (group.isascii() and group.isdecimal() and int(group[:9]) in visit.site.courses):
        raise HTTPException(400, f"There is no group '{group[:20]}' in this study.")
    invited, token = await visit.site.writer.do(lambda store: store.invite(int(group), form.get("name") or None))
    link = link_to(visit.site.base_url(request), token)
    return await _page(visit, link=link, notice=SHOWN_ONCE.format(invited.name or invited.id))


async def download(request: Request) -> Response:
    """Give all answers as a table."""
    study = (await admin_visit(request)).site.study
    text = await asyncio.to_thread(lambda: answer_text(answer_table(study, include_left_out=True)))
    headers = {"content-disposition": 'attachment; filename="answers.tsv"'}
    return Response(text, 200, headers, "text/tab-separated-values; charset=utf-8")


async def sign_out(request: Request) -> Response:
    """Let the browser forget the administrator, who comes back by the link."""
    visit = await admin_visit(request)
    visit.require_csrf((await form_of(request)).get("csrf"))
    return visit.site.leave(signed_out(visit.site), ADMIN)


async def _page(visit: Visit, *, link: str | None = None, notice: str | None = None, status: int = 200) -> Response:
    study = visit.site.study
    view = admin_view(study, await visit.site.observer.overview(), visit.csrf, link=link, notice=notice)
    return HTMLResponse(views.rendered("admin", view), status)


async def _erase(visit: Visit, rater: str, address: str, reason: str | None, *, sure: bool) -> None:
    """Erase a rater's answers; the database is written anew, which the writer cannot do between its answers."""
    if not sure:
        raise TermgaugeError(
            f"Nothing was erased. Tick the box to erase the answers of {rater}: they cannot come back."
        )
    by = f"the administrator from {address}"
    await asyncio.to_thread(visit.site.study.erase, rater, by=by, reason=reason)


def _pause(store: Store, rater: str, reason: str | None) -> None:
    _require(store, rater, "active")
    store.set_state(rater, "paused", reason)


def _resume(store: Store, rater: str, reason: str | None) -> None:
    _require(store, rater, "paused")
    store.set_state(rater, "active", reason)


def _reopen(store: Store, rater: str, reason: str | None) -> None:
    _require(store, rater, "finished")
    store.set_state(rater, "active", reason)


def _leave_out(store: Store, rater: str, reason: str | None) -> None:
    store.set_state(rater, "left_out", reason)


def _take_back(store: Store, rater: str, reason: str | None) -> None:
    _require(store, rater, "left_out")
    store.take_back(rater, reason)


def _reissue(store: Store, rater: str, _reason: str | None) -> str:
    return store.reissue(rater)


def _require(store: Store, rater: str, state: str) -> None:
    now = store.rater(rater).state
    if now != state:
        raise TermgaugeError(f"The rater {rater} is {now.replace('_', ' ')}, not {state.replace('_', ' ')}.")


ERASE = "erase"
ACTIONS: Mapping[str, Callable[[Store, str, str | None], str | None]] = {
    "pause": _pause, "resume": _resume, "leave_out": _leave_out, "take_back": _take_back, "reissue": _reissue,
    "reopen": _reopen,
}  # fmt: skip


MOST_PAIRS = 100
"""So many pairs are shown at once."""


@dataclass(frozen=True)
class PairRow:
    """A pair to decide about."""

    pair: int
    word1: str
    word2: str
    ratings: str
    chosen: str | None = None
    """The value that was decided on; None before."""
    decided: str = ""
    reason: str = ""


@dataclass(frozen=True)
class AdjudicationView:
    """What the page shows."""

    title: str
    question: str
    csrf: str
    notice: str | None
    answers: tuple[tuple[str, str], ...]
    """The value of each answer, and what it is called."""
    pairs: tuple[PairRow, ...]
    all: int
    open: int
    """How many pairs are not decided yet."""


async def adjudication(request: Request) -> Response:
    """Show the pairs, those first that are not decided yet."""
    return await _adjudication_page(await admin_visit(request))


async def decide(request: Request) -> Response:
    """Keep a decision."""
    visit = await admin_visit(request)
    form = await form_of(request)
    visit.require_csrf(form.get("csrf"))
    file, pair = visit.site.study.file, int(request.path_params["pair"])
    known = {_answer_value(rating): rating for rating in answer_names(file)}
    if not 1 <= pair <= visit.site.study.pairs.height or form.get("rating") not in known:
        raise HTTPException(400, "There is no such pair or no such answer in this study.")
    rating, reason = known[form["rating"]], form.get("reason")
    try:
        await visit.site.writer.do(lambda store: store.adjudicate(pair, rating, reason))
    except CannotWriteError:
        raise
    except TermgaugeError as error:
        return await _adjudication_page(visit, str(error), 400)
    return RedirectResponse("/admin/adjudication", 303)


async def _adjudication_page(visit: Visit, notice: str | None = None, status: int = 200) -> Response:
    file = visit.site.study.file
    found = await asyncio.to_thread(disagreements, visit.site.study)
    view = AdjudicationView(
        title=file.title,
        question=file.question,
        csrf=visit.csrf,
        notice=notice,
        answers=tuple((_answer_value(rating), name) for rating, name in answer_names(file).items()),
        pairs=tuple(_pair_row(each, file) for each in found[:MOST_PAIRS]),
        all=len(found),
        open=sum(each.decision is None for each in found),
    )
    return HTMLResponse(views.rendered("adjudication", view), status)


def _pair_row(each: Disagreement, file: StudyFile) -> PairRow:
    names = answer_names(file)
    said = ", ".join(names[rating] if file.widget == "choices" else f"{rating:g}" for rating in each.ratings)
    row = PairRow(each.pair, each.word1, each.word2, said)
    if each.decision is None:
        return row
    rating = each.decision.rating
    return replace(row, chosen=_answer_value(rating), decided=names.get(rating, ""), reason=each.decision.reason)


def _answer_value(rating: float | None) -> str:
    return UNKNOWN if rating is None else f"{rating:g}"
