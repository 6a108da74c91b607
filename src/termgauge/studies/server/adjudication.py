"""The page on which the administrator decides about pairs on which raters disagree, each with a reason."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse

from termgauge.exceptions import CannotWriteError, TermgaugeError
from termgauge.studies.adjudication import answer_names, disagreements
from termgauge.studies.server import views
from termgauge.studies.server.incoming import UNKNOWN
from termgauge.studies.server.site import admin_visit, form_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from termgauge.studies.adjudication import Disagreement
    from termgauge.studies.server.site import Visit
    from termgauge.studies.study_file import StudyFile

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


async def show(request: Request) -> Response:
    """Show the pairs, those first that are not decided yet."""
    return await _page(await admin_visit(request))


async def decide(request: Request) -> Response:
    """Keep a decision."""
    visit = await admin_visit(request)
    form = await form_of(request)
    visit.require_csrf(form.get("csrf"))
    file, pair = visit.site.study.file, int(request.path_params["pair"])
    known = {_value(rating): rating for rating in answer_names(file)}
    if not 1 <= pair <= visit.site.study.pairs.height or form.get("rating") not in known:
        raise HTTPException(400, "There is no such pair or no such answer in this study.")
    rating, reason = known[form["rating"]], form.get("reason")
    try:
        await visit.site.writer.do(lambda store: store.adjudicate(pair, rating, reason))
    except CannotWriteError:
        raise
    except TermgaugeError as error:
        return await _page(visit, str(error), 400)
    return RedirectResponse("/admin/adjudication", 303)


async def _page(visit: Visit, notice: str | None = None, status: int = 200) -> Response:
    file = visit.site.study.file
    found = await asyncio.to_thread(disagreements, visit.site.study)
    view = AdjudicationView(
        title=file.title,
        question=file.question,
        csrf=visit.csrf,
        notice=notice,
        answers=tuple((_value(rating), name) for rating, name in answer_names(file).items()),
        pairs=tuple(_row(each, file) for each in found[:MOST_PAIRS]),
        all=len(found),
        open=sum(each.decision is None for each in found),
    )
    return HTMLResponse(views.rendered("adjudication", view), status)


def _row(each: Disagreement, file: StudyFile) -> PairRow:
    names = answer_names(file)
    said = ", ".join(names[rating] if file.widget == "choices" else f"{rating:g}" for rating in each.ratings)
    row = PairRow(each.pair, each.word1, each.word2, said)
    if each.decision is None:
        return row
    rating = each.decision.rating
    return replace(row, chosen=_value(rating), decided=names.get(rating, ""), reason=each.decision.reason)


def _value(rating: float | None) -> str:
    return UNKNOWN if rating is None else f"{rating:g}"
