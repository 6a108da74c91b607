"""The page of the administrator: who is how far, and what becomes of whom, with reasons that are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from termgauge.exceptions import CannotWriteError, TermgaugeError
from termgauge.studies.server import views
from termgauge.studies.server.site import ADMIN, admin_visit, arriving, form_of, site_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request

    from termgauge.studies.server.site import Site, Visit
    from termgauge.studies.store import Store


async def arrive(request: Request) -> Response:
    """Keep the secret of the administrator's link in a cookie of its own."""
    token = arriving(request, ADMIN)
    return site_of(request).enter(RedirectResponse("/admin", 303), ADMIN, token)


async def overview(request: Request) -> Response:
    """Show the page."""
    visit = admin_visit(request)
    return _page(visit)


async def data(request: Request) -> Response:
    """Give the script of the page what the page shows."""
    return JSONResponse(progress_of(admin_visit(request).site))


async def rater(request: Request) -> Response:
    """Change what becomes of a rater."""
    visit = admin_visit(request)
    form = await form_of(request)
    visit.require_csrf(form.get("csrf"))
    action = ACTIONS.get(form.get("action", ""))
    if action is None:
        raise HTTPException(400, f"There is no such action; there are {', '.join(ACTIONS)}.")
    who, reason = str(request.path_params["rater"]), form.get("reason") or None
    try:
        token = await visit.site.writer.do(lambda store: action(store, who, reason))
    except CannotWriteError:
        raise
    except TermgaugeError as error:
        return _page(visit, notice=str(error), status=400)
    if token is None:
        return RedirectResponse("/admin", 303)
    return _page(visit, link=(who, link_to(visit.site.base_url(request), token)))


async def invite(request: Request) -> Response:
    """Invite a rater; the link is shown once."""
    visit = admin_visit(request)
    form = await form_of(request)
    visit.require_csrf(form.get("csrf"))
    group = form.get("group", "")
    if not (group.isascii() and group.isdecimal() and int(group[:9]) in visit.site.courses):
        raise HTTPException(400, f"There is no group '{group[:20]}' in this study.")
    invited, token = await visit.site.writer.do(lambda store: store.invite(int(group), form.get("name") or None))
    return _page(visit, link=(invited.id, link_to(visit.site.base_url(request), token)))


async def download(request: Request) -> Response:
    """Give all answers as a table."""
    site = admin_visit(request).site
    headers = {"content-disposition": 'attachment; filename="answers.tsv"'}
    return Response(answers_table(site), 200, headers, "text/tab-separated-values; charset=utf-8")


def link_to(base: str, token: str) -> str:
    """Return the link of a rater."""
    return f"{base}/r/{token}"


def answers_table(site: Site) -> str:
    """Return the answers that count, as ``answers.tsv``."""
    import polars as pl

    columns = ["rater", "group", "page", "position", "pair", "word1", "word2", "rating", "kind", "seconds"]
    groups = {each.id: each.group for each in site.store.raters()}
    rows = [
        (each.rater, groups[each.rater], each.page, each.position, each.rating, each.seconds)
        for each in site.store.answers()
    ]
    given = pl.DataFrame(
        rows,
        schema={"rater": pl.String, **dict.fromkeys(("group", "page", "position"), pl.Int64), "rating": pl.Float64,
                "seconds": pl.Float64},
        orient="row",
    )  # fmt: skip
    shown = site.study.layout.join(site.study.pairs, on="pair")
    table = given.join(shown, on=["group", "page", "position"], maintain_order="left").select(columns)
    return table.write_csv(separator="\t", quote_style="never")


def progress_of(site: Site) -> dict[str, Any]:
    """Return who is how far."""
    done: dict[str, int] = {}
    for answer in site.store.answers():
        done[answer.rater] = done.get(answer.rater, 0) + 1
    return {
        "raters": [
            {
                "rater": each.id, "group": each.group, "name": each.name, "state": each.state, "reason": each.reason,
                "invited": each.invited, "last_seen": each.last_seen, "answered": done.get(each.id, 0),
                "all": len(site.courses[each.group].showings),
            }
            for each in site.store.raters()
        ]
    }  # fmt: skip


def _page(
    visit: Visit, *, link: tuple[str, str] | None = None, notice: str | None = None, status: int = 200
) -> Response:
    site = visit.site
    view = views.Admin(
        *views.common(site.study.file),
        visit.csrf,
        tuple(progress_of(site)["raters"]),
        tuple(site.courses),
        link,
        notice,
    )
    return HTMLResponse(views.rendered("admin", view), status)


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


ACTIONS: Mapping[str, Callable[[Store, str, str | None], str | None]] = {
    "pause": _pause, "resume": _resume, "leave_out": _leave_out, "take_back": _take_back, "reissue": _reissue,
    "reopen": _reopen,
}  # fmt: skip
