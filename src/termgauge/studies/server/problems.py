"""What visitors read when something does not work: a sentence, and a status that their script understands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse

from termgauge.exceptions import CannotWriteError, TermgaugeError, warn
from termgauge.studies.database import BusyError
from termgauge.studies.raters import NotActiveError
from termgauge.studies.server import views
from termgauge.studies.server.site import site_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from termgauge.studies.raters import State

DISK_FULL = (
    "The answer could not be stored because the server has no room left. It is still on this page; please tell the "
    "person who sent you the link, and try again later."
)
BUSY = "The server is busy; please try again in a moment."
SENTENCES = {404: "There is no such page.", 405: "This cannot be done here."}


def said_of_state(state: State) -> str:
    """Return what raters are told who may not answer now."""
    if state == "finished":
        return "You have finished; your answers can no longer be changed."
    return "The study is paused for you at the moment. Please ask the person who sent you the link."


def not_stored(request: Request, error: CannotWriteError) -> tuple[int, str]:
    """Return the status and the sentence for something that could not be stored; tell whoever runs the server."""
    if isinstance(error, BusyError):
        return 503, BUSY
    if not site_of(request).told.seconds_to_wait("disk"):
        warn(str(error))
    return 507, DISK_FULL


async def refused(request: Request, error: Exception) -> Response:
    """Answer a request that the server refuses."""
    assert isinstance(error, HTTPException)
    status = error.status_code
    sentence = SENTENCES.get(status) if error.detail == _phrase(status) else error.detail
    return _problem(request, status, sentence or error.detail, dict(error.headers or {}))


async def not_done(request: Request, error: Exception) -> Response:
    """Answer a request that the store did not carry out."""
    if isinstance(error, CannotWriteError):
        status, sentence = not_stored(request, error)
        return _problem(request, status, sentence, {"retry-after": "5"})
    if isinstance(error, NotActiveError):
        return _problem(request, 409, said_of_state(error.state), {})
    return _problem(request, 400, str(error), {})


HANDLERS = {HTTPException: refused, TermgaugeError: not_done}


def _problem(request: Request, status: int, sentence: str, headers: dict[str, str]) -> Response:
    if request.url.path.startswith(("/api/", "/admin/data")):
        return JSONResponse({"error": sentence}, status, headers)
    file = site_of(request).study.file
    view = views.Message(*views.common(file), file.title, sentence)
    return HTMLResponse(views.rendered("message", view), status, headers)


def _phrase(status: int) -> str:
    from http import HTTPStatus

    return HTTPStatus(status).phrase
