"""The pages of the administrator: who is how far, what becomes of whom, and decisions, with reasons that are kept."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from termgauge.exceptions import CannotWriteError, TermgaugeError
from termgauge.plurals import numbered
from termgauge.reporting.words import MISSING, decimal, share, with_minus
from termgauge.studies.agreement import screening
from termgauge.studies.invitations import link_to, qr_svg
from termgauge.studies.server.site import ADMIN, UNKNOWN, Visit, address_of, link_of, rendered, site_of
from termgauge.studies.status import answer_names, answer_text, disagreements
from termgauge.studies.store import ERASED
from termgauge.studies.study_file import QUALITY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request

    from termgauge.studies.folder import Study
    from termgauge.studies.server.overview import Overview
    from termgauge.studies.store import State, Store
    from termgauge.studies.study_file import StudyFile

SHOWN_ONCE = "This is the link of {}. It is shown only now, and a former link of theirs no longer works: copy it."
MOST_EVENTS = 200
"""How many of the things that happened, and of the visits, are shown; ``study status --json`` has all."""
MOST_PAIRS = 100
STATES: Mapping[str, str] = {
    "active": "active", "paused": "paused", "left_out": "left out", "finished": "finished", "revoked": "link revoked",
}  # fmt: skip
EVENTS: Mapping[str, str] = {
    **STATES, "active": "active again", "invited": "invited", "reissued": "got a new link",
    "linked": "got a further link", "begun": "began",
    "qualified": "qualified", "missed": "missed the qualification", "administrator": "new link for the administrator",
    ERASED: "answers erased",
}  # fmt: skip
ERASE = "erase"
_THERE: tuple[State, ...] = ("active", "paused", "finished", "revoked")
ACTIONS: Mapping[str, tuple[str, tuple[State, ...], Callable[[Store, str, str | None], str | None]]] = {
    "pause": ("Pause", ("active",), lambda store, rater, reason: store.set_state(rater, "paused", reason)),
    "resume": ("Resume", ("paused",), lambda store, rater, reason: store.set_state(rater, "active", reason)),
    "reopen": ("Reopen", ("finished",), lambda store, rater, reason: store.set_state(rater, "active", reason)),
    "leave_out": ("Leave out", _THERE, lambda store, rater, reason: store.set_state(rater, "left_out", reason)),
    "take_back": ("Take back", ("left_out",), lambda store, rater, reason: store.take_back(rater, reason)),
    "reissue": ("New link", _THERE, lambda store, rater, _reason: store.reissue(rater)),
}
"""What each button says, in which states of a rater it is there, and what it does; a new link is returned."""
RULES = (
    f"Equal ratings: {screening.RUN} or more in a row.",
    f"Alternation: {screening.ALTERNATION} or more answers that alternate between two ratings.",
    f"Second ratings: they differ from the first of the same pair by more than {screening.DIFFERENCE:g} on average.",
    "IAA-1: the mean of Spearman's correlations of a rater with each other rater of the group.",
    "IAA-2: the correlation of a rater with the mean of the others. Raters who are left out are in neither.",
    f"Too fast: the median time for a pair is less than {screening.FASTEST:g} s.",
    f"Faster than others: it is less than {screening.FAST_SHARE:.0%} of that of the median rater.",
)
"""When a rater is flagged. A flag decides nothing by itself."""


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
    form = await visit.form()
    name, who, reason = form.get("action", ""), str(request.path_params["rater"]), form.get("reason") or None
    if name not in (*ACTIONS, ERASE):
        raise HTTPException(400, f"There is no such action; there are {', '.join((*ACTIONS, ERASE))}.")
    if name == ERASE and form.get("sure") != "yes":
        notice = f"Nothing was erased. Tick the box to erase the answers of {who}: they cannot come back."
        return await _page(visit, notice=notice, status=400)
    try:
        token = None
        if name != ERASE:
            token = await visit.site.writer.do(lambda store: _act(store, name, who, reason))
        else:  # the database is written anew, which the writer cannot do between its answers
            by = f"the administrator from {address_of(request)}"
            await asyncio.to_thread(visit.site.study.erase, who, by=by, reason=reason)
    except CannotWriteError:
        raise
    except TermgaugeError as error:
        return await _page(visit, notice=str(error), status=400)
    if token is None:
        return RedirectResponse("/admin", 303)
    return await _page(visit, link=link_to(visit.base_url, token), notice=SHOWN_ONCE.format(who))


async def invite(request: Request) -> Response:
    """Invite a rater; the link is shown once."""
    visit = await admin_visit(request)
    form = await visit.form()
    group = form.get("group", "")
    if not (group.isascii() and group.isdecimal() and int(group[:9]) in visit.site.courses):
        raise HTTPException(400, f"There is no group '{group[:20]}' in this study.")
    invited, token = await visit.site.writer.do(lambda store: store.invite(int(group), form.get("name") or None))
    link = link_to(visit.base_url, token)
    return await _page(visit, link=link, notice=SHOWN_ONCE.format(invited.name or invited.id))


async def download(request: Request) -> Response:
    """Give all answers as a table."""
    study = (await admin_visit(request)).site.study
    text = await asyncio.to_thread(lambda: answer_text(study.export(include_left_out=True)))
    headers = {"content-disposition": 'attachment; filename="answers.tsv"'}
    return Response(text, 200, headers, "text/tab-separated-values; charset=utf-8")


async def adjudication(request: Request) -> Response:
    """Show the pairs on which raters disagree, those first that are not decided yet."""
    return await _adjudication_page(await admin_visit(request))


async def decide(request: Request) -> Response:
    """Keep a decision about a pair."""
    visit = await admin_visit(request)
    form = await visit.form()
    study, pair = visit.site.study, int(request.path_params["pair"])
    ratings = {_answer_value(rating): rating for rating in answer_names(study.file)}
    if not 1 <= pair <= study.pairs.height or form.get("rating") not in ratings:
        raise HTTPException(400, "There is no such pair or no such answer in this study.")
    try:
        await visit.site.writer.do(lambda store: store.adjudicate(pair, ratings[form["rating"]], form.get("reason")))
    except CannotWriteError:
        raise
    except TermgaugeError as error:
        return await _adjudication_page(visit, str(error), 400)
    return RedirectResponse("/admin/adjudication", 303)


async def admin_visit(request: Request) -> Visit:
    """Return who is asking, if it is the administrator."""
    token, _link = await link_of(request, ADMIN)
    return Visit(request, site_of(request), token)


def _act(store: Store, name: str, rater: str, reason: str | None) -> str | None:
    label, states, action = ACTIONS[name]
    if (state := store.rater(rater).state) not in states:
        raise TermgaugeError(f"The rater {rater} is {STATES[state]}, and '{label}' does not go with that.")
    return action(store, rater, reason)


async def _page(visit: Visit, *, link: str | None = None, notice: str | None = None, status: int = 200) -> Response:
    values = overview_values(visit.site.study, await visit.site.observer.overview())
    more = {"csrf": visit.csrf, "notice": notice, "link": link, "qr": qr_svg(link) if link else ""}
    return HTMLResponse(rendered("admin", **values, **more), status)


def overview_values(study: Study, overview: Overview) -> dict[str, Any]:
    """Return what the page of the administrator shows, and how it words figures, times and states."""
    file, raters, now = study.file, overview.raters, datetime.now(UTC)
    rated, agreement = file.kind != QUALITY, overview.agreement
    erased = {event.rater for event in overview.history if event.what == ERASED}
    states = Counter[str](rater.state for rater in raters)
    groups = Counter(rater.group for rater in raters if rater.state not in ("left_out", "revoked"))
    rows = [("Agreement", MISSING, "is being worked out")]
    if agreement is not None:
        rows = [
            ("IAA-1", _figure(agreement.iaa1), "each rater with each other one"),
            ("IAA-2", _figure(agreement.iaa2), "each rater with the mean of the others"),
            ("Krippendorff's alpha", _figure(agreement.alpha), f"{agreement.level} differences; 1 is full agreement"),
        ]
    return {
        "file": file,
        "rated": rated,
        "overview": overview,
        "next_group": min(range(1, file.groups + 1), key=lambda group: groups[group]),
        "states": ", ".join(f"{states[state]} {words}" for state, words in STATES.items() if states[state]),
        "agreement": rows if rated else rows[-1:],
        "iaa": agreement.raters if agreement else {},
        "actions": {
            rater.id: [(name, label) for name, (label, allowed, _action) in ACTIONS.items() if rater.state in allowed]
            for rater in raters if rater.id not in erased
        },
        "rules": RULES if rated else (*RULES[:2], *RULES[-2:]),
        "names": {rater.id: rater.name or rater.id for rater in raters},
        "state_names": STATES,
        "event_names": EVENTS,
        "most": MOST_EVENTS,
        "figure": _figure,
        "decimal": partial(decimal, digits=1, top=None),
        "share": share,
        "ago": partial(ago, now=now),
        "made": now.isoformat(timespec="seconds").replace("+00:00", "Z"),
    }  # fmt: skip


def ago(then: str, now: datetime) -> str:
    """Return how long ago something was.

    >>> ago("2026-03-01T10:00:00.000Z", datetime(2026, 3, 1, 12, 40, tzinfo=UTC))
    '2 hours ago'
    """
    seconds = (now - datetime.fromisoformat(then)).total_seconds()
    for length, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= length:
            return f"{numbered(int(seconds // length), unit)} ago"
    return "just now"


def _figure(value: float | None) -> str:
    return with_minus(decimal(value, 2))


async def _adjudication_page(visit: Visit, notice: str | None = None, status: int = 200) -> Response:
    file = visit.site.study.file
    pairs = await asyncio.to_thread(disagreements, visit.site.study)
    page = rendered(
        "adjudication",
        title=file.title,
        question=file.question,
        csrf=visit.csrf,
        notice=notice,
        answers=[(_answer_value(rating), name) for rating, name in answer_names(file).items()],
        pairs=[_pair_row(pair, file) for pair in pairs[:MOST_PAIRS]],
        all=len(pairs),
        open=sum(pair["decided"] is None for pair in pairs),
    )
    return HTMLResponse(page, status)


def _pair_row(pair: dict[str, Any], file: StudyFile) -> dict[str, Any]:
    names = answer_names(file)
    ratings = (names[rating] if file.widget == "choices" else f"{rating:g}" for rating in pair["ratings"])
    chosen = None if pair["decided"] is None else _answer_value(pair["rating"])
    return {**pair, "ratings": ", ".join(ratings), "chosen": chosen, "decided": pair["answer"]}


def _answer_value(rating: float | None) -> str:
    return UNKNOWN if rating is None else f"{rating:g}"
