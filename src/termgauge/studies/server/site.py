"""What all requests share: the study that is served, who asks, forms, and pages about problems."""

from __future__ import annotations

import hashlib
import hmac
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse

from termgauge.exceptions import CannotWriteError, TermgaugeError, warn
from termgauge.studies.database import BusyError
from termgauge.studies.raters import NotActiveError
from termgauge.studies.server import views
from termgauge.studies.server.overview import Observer
from termgauge.studies.server.protection import Throttle, sender_of
from termgauge.studies.server.showings import Course, courses_of
from termgauge.studies.server.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from termgauge.studies.folder import Study
    from termgauge.studies.raters import Link, Rater, State
    from termgauge.studies.store import Store

COOKIE_SECONDS = 60 * 24 * 3600
REQUESTS_A_SECOND, REQUESTS_AT_ONCE = 20.0, 200
WRONG_A_SECOND, WRONG_AT_ONCE = 1 / 6, 20
RATER, ADMIN = "rater", "admin"
MOST_TOKEN = 128
NO_LINK = "Please open the link that you were sent; this page is only reached by it. If the link does not work, ask "
NO_LINK += "the person who sent it for a new one."


@dataclass
class Site:
    """A study that is being served."""

    study: Study
    store: Store
    """For reading; all is written by the writer."""
    writer: Writer
    public_url: str | None
    courses: Mapping[int, Course]
    observer: Observer
    """Makes the figures that the administrator sees."""
    expire_after: int | None = None
    """So many days after it was made no link works any more."""
    link_throttle: Throttle = field(default_factory=lambda: Throttle(REQUESTS_A_SECOND, REQUESTS_AT_ONCE))
    """So often may one link be used from one address; people never meet it."""
    guess_throttle: Throttle = field(default_factory=lambda: Throttle(WRONG_A_SECOND, WRONG_AT_ONCE))
    """So often may an address try links that do not exist."""

    warning_throttle: Throttle = field(default_factory=lambda: Throttle(1 / 60, 1))
    """So often is whoever runs the server told of the same trouble."""

    @classmethod
    def from_study(cls, study: Study, public_url: str | None, expire_after: int | None = None) -> Site:
        """Open the database of a study for reading and for writing."""
        store, writer = study.store(), Writer(study.store())
        return cls(study, store, writer, public_url, courses_of(study), Observer(study), expire_after)

    def close(self) -> None:
        """Write what waits and close the database."""
        self.writer.close()
        self.store.close()

    @property
    def secure(self) -> bool:
        """Whether raters reach the server by https only."""
        return urlsplit(self.public_url or "").scheme == "https"

    def cookie(self, role: str) -> str:
        """Return the name of the cookie of raters or of the administrator; another study has others."""
        study = re.sub("[^A-Za-z0-9_-]", "", self.study.id)
        return f"{'__Host-' if self.secure else ''}termgauge-{study}-{role}"

    def base_url(self, request: Request) -> str:
        """Return the address that links begin with."""
        return (self.public_url or f"http://{request.headers['host']}").rstrip("/")

    def enter(self, response: Response, role: str, token: str) -> Response:
        """Let a browser keep the secret of its link, out of reach of scripts and of other sites."""
        response.set_cookie(
            self.cookie(role), token, max_age=COOKIE_SECONDS, path="/", secure=self.secure, httponly=True,
            samesite="lax",
        )  # fmt: skip
        return response

    def leave(self, response: Response, role: str) -> Response:
        """Let a browser forget the secret of its link."""
        response.delete_cookie(self.cookie(role), path="/", secure=self.secure, httponly=True, samesite="lax")
        return response

    def csrf(self, token: str) -> str:
        """Return the proof that a form was made for whoever holds a link; it does not give the link away."""
        return hmac.new(token.encode("utf-8", "replace"), f"form:{self.study.id}".encode(), hashlib.sha256).hexdigest()


@dataclass(frozen=True)
class Visit:
    """A request of somebody who came by a link that is valid."""

    site: Site
    token: str
    rater: Rater | None
    """None: the administrator."""

    @property
    def csrf(self) -> str:
        """What forms and scripts have to send along."""
        return self.site.csrf(self.token)

    @property
    def keep(self) -> str:
        """Under which the script of a rater's pages may keep answers on the rater's device."""
        return f"{self.site.study.id}-{self.rater.id if self.rater else ''}"

    def require_csrf(self, given: object) -> None:
        """Refuse what was not sent by a form made for this visitor."""
        if not isinstance(given, str) or not hmac.compare_digest(given.encode("utf-8", "replace"), self.csrf.encode()):
            raise HTTPException(403, "This was not sent by a page that was made for you; open the page again.")


def site_of(request: Request) -> Site:
    """Return the site that a request is made to."""
    site = request.app.state.site
    assert isinstance(site, Site)
    return site


def rater_visit(request: Request) -> tuple[Visit, Rater]:
    """Return who is asking, if it is a rater."""
    site = site_of(request)
    token = _token(request, site.cookie(RATER))
    rater = site.store.rater(_valid_link(request, token, RATER).rater or "")
    return Visit(site, token, rater), rater


async def admin_visit(request: Request) -> Visit:
    """Return who is asking, if it is the administrator, whose visits are logged."""
    site = site_of(request)
    token = _token(request, site.cookie(ADMIN))
    await _log_visit(request, _valid_link(request, token, ADMIN), request.url.path)
    return Visit(site, token, None)


async def token_of_link(request: Request, role: str) -> str:
    """Return the secret in the address, if it is one of a link that is valid."""
    token = str(request.path_params["token"])[: MOST_TOKEN + 1]
    link = _valid_link(request, token, role)
    if role == ADMIN:
        await _log_visit(request, link, "by the link")
    return token


def _token(request: Request, cookie: str) -> str:
    token = request.cookies.get(cookie, "")
    if not token:
        raise HTTPException(401, NO_LINK)
    return token


def _valid_link(request: Request, token: str, role: str) -> Link:
    """Return the link of a token, if it works.

    Who tries many that never existed has to wait. Who has a link that no longer works is told so, whatever others at
    the same address try.
    """
    site, address = site_of(request), sender_of(address_of(request))
    link = site.store.link_of(token) if len(token) <= MOST_TOKEN else None
    if link is None:
        refuse_for_now(site.guess_throttle.seconds_to_wait(address))
        raise HTTPException(401, NO_LINK)
    refuse_for_now(site.link_throttle.seconds_to_wait((token, address)))
    if (link.rater is None) != (role == ADMIN) or link.revoked is not None:
        raise HTTPException(401, NO_LINK)
    if not link.works(site.expire_after):
        raise HTTPException(401, site.study.file.texts.expired)
    return link


async def _log_visit(request: Request, link: Link, page: str) -> None:
    """Keep that the administrator uses a page; without that they do not see it."""
    address = address_of(request)
    await site_of(request).writer.do(lambda store: store.note_visit(link.issued, address, page))


def address_of(request: Request) -> str:
    """Return where a request comes from."""
    return request.client.host if request.client else ""


def refuse_for_now(seconds: float) -> None:
    """Refuse for now, if there is something to wait for."""
    if seconds > 0:
        headers = {"retry-after": str(math.ceil(seconds))}
        raise HTTPException(429, "There are too many requests; wait a moment.", headers)


async def form_of(request: Request) -> dict[str, str]:
    """Return the fields of a form that was sent; of one that stands twice, the last."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise HTTPException(415, "Forms are sent as application/x-www-form-urlencoded.")
    try:
        return dict(parse_qsl((await request.body()).decode("utf-8"), keep_blank_values=True, max_num_fields=100))
    except ValueError:
        raise HTTPException(400, "The form cannot be read.") from None


DISK_FULL = (
    "The answer could not be stored because the server has no room left. It is still on this page; please tell the "
    "person who sent you the link, and try again later."
)
BUSY = "The server is busy; please try again in a moment."
SENTENCES = {404: "There is no such page.", 405: "This cannot be done here."}


def state_sentence(state: State) -> str:
    """Return what raters are told who may not answer now."""
    if state == "finished":
        return "You have finished; your answers can no longer be changed."
    return "The study is paused for you at the moment. Please ask the person who sent you the link."


def not_stored(request: Request, error: CannotWriteError) -> tuple[int, str]:
    """Return the status and the sentence for something that could not be stored; tell whoever runs the server."""
    if isinstance(error, BusyError):
        return 503, BUSY
    if not site_of(request).warning_throttle.seconds_to_wait("disk"):
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
        return _problem(request, 409, state_sentence(error.state), {})
    return _problem(request, 400, str(error), {})


HANDLERS = {HTTPException: refused, TermgaugeError: not_done}


def _problem(request: Request, status: int, sentence: str, headers: dict[str, str]) -> Response:
    if request.url.path.startswith(("/api/", "/admin/data")):
        return JSONResponse({"error": sentence}, status, headers)
    file = site_of(request).study.file
    page = views.study_page("message", file, heading=file.title, sentence=sentence)
    return HTMLResponse(page, status, headers)


def _phrase(status: int) -> str:
    from http import HTTPStatus

    return HTTPStatus(status).phrase
