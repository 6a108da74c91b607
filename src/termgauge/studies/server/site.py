"""What all requests share: the study that is served, who asks, forms, pages, and what is said about problems.

No page for a rater is given a label, a set, a kind of pair, its number, or anything about other raters.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import math
import re
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from http import HTTPStatus
from importlib import resources
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

import jinja2
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse

from termgauge.exceptions import CannotWriteError, TermgaugeError, warn
from termgauge.studies.database import BusyError
from termgauge.studies.design import Course, showings_of
from termgauge.studies.server.overview import Observer
from termgauge.studies.server.protection import Throttle, sender_of
from termgauge.studies.store import NotActiveError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from starlette.requests import Request
    from starlette.responses import Response

    from termgauge.studies.folder import Study
    from termgauge.studies.store import Link, State, Store
    from termgauge.studies.study_file import StudyFile

    Handler = Callable[[Request], Coroutine[Any, Any, Response]]


T = TypeVar("T")
MOST_AT_ONCE = 256
MOST_WAITING = 4096


class Writer:
    """One thread, and the store that only it writes to; what waits meanwhile shares a COMMIT."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: deque[tuple[Callable[[Store], Any], Future[Any]]] = deque()
        self._thread = ThreadPoolExecutor(1, "termgauge-study-writer")

    async def do(self, work: Callable[[Store], T]) -> T:
        """Do some work on the store; when this returns, it is on the disk."""
        if len(self._waiting) >= MOST_WAITING:
            raise BusyError(f"{self._store.path}: too many answers wait to be written; try again in a moment.")
        future: Future[T] = Future()
        self._waiting.append((work, future))
        self._thread.submit(self._write)
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Write what waits, and end."""
        self._thread.shutdown()
        self._store.close()

    def _write(self) -> None:
        batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), MOST_AT_ONCE))]
        wanted = [(work, future) for work, future in batch if future.set_running_or_notify_cancel()]
        if not wanted:
            return
        try:
            results = self._store.together([partial(work, self._store) for work, _future in wanted])
        except Exception as error:  # noqa: BLE001 - whoever asked is told; the thread goes on
            results = [error] * len(wanted)
        for (_work, future), result in zip(wanted, results, strict=True):
            if isinstance(result, Exception):
                future.set_exception(result)
            else:
                future.set_result(result)


COOKIE_SECONDS = 60 * 24 * 3600
REQUESTS_A_SECOND, REQUESTS_AT_ONCE = 20.0, 200
WRONG_A_SECOND, WRONG_AT_ONCE = 1 / 6, 20
RATER, ADMIN = "rater", "admin"
MOST_TOKEN = 128
UNKNOWN = "unknown"
"""What pages send where a rater does not know."""
STATIC = {"style.css": "text/css", "rate.js": "text/javascript", "admin.js": "text/javascript"}
"""All files that pages load, and their types."""
NO_LINK = "Please open the link that you were sent; this page is only reached by it. If the link does not work, ask "
NO_LINK += "the person who sent it for a new one."
DISK_FULL = (
    "The answer could not be stored because the server has no room left. It is still on this page; please tell the "
    "person who sent you the link, and try again later."
)
BUSY = "The server is busy; please try again in a moment."
SENTENCES = {404: "There is no such page.", 405: "This cannot be done here."}


class Site:
    """A study that is being served."""

    def __init__(self, study: Study, public_url: str | None, expire_after: int | None = None) -> None:
        self.study, self.public_url = study, public_url
        self.expire_after = expire_after
        """So many days after it was made no link works any more."""
        self.store, self.writer = study.store(), Writer(study.store())
        """For reading, and for all that is written."""
        self.courses = {group: Course(showings_of(study, group)) for group in range(1, study.file.groups + 1)}
        self.observer = Observer(study)
        self.link_throttle = Throttle(REQUESTS_A_SECOND, REQUESTS_AT_ONCE)
        """So often may one link be used from one address; people never meet it."""
        self.guess_throttle = Throttle(WRONG_A_SECOND, WRONG_AT_ONCE)
        """So often may an address try links that do not exist."""
        self.warning_throttle = Throttle(1 / 60, 1)
        """So often is whoever runs the server told of the same trouble."""

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

    def csrf(self, token: str) -> str:
        """Return the proof that a form was made for whoever holds a link; it does not give the link away."""
        return hmac.new(token.encode("utf-8", "replace"), f"form:{self.study.id}".encode(), hashlib.sha256).hexdigest()


@dataclass(frozen=True)
class Visit:
    """A request of somebody who came by a link that is valid: a rater, or the administrator."""

    request: Request
    site: Site
    token: str

    @property
    def csrf(self) -> str:
        """What forms and scripts have to send along."""
        return self.site.csrf(self.token)

    @property
    def base_url(self) -> str:
        """The address that links begin with."""
        return (self.site.public_url or f"http://{self.request.headers['host']}").rstrip("/")

    def require_csrf(self, proof: object) -> None:
        """Refuse what was not sent by a form made for this visitor."""
        if not isinstance(proof, str) or not hmac.compare_digest(proof.encode("utf-8", "replace"), self.csrf.encode()):
            raise HTTPException(403, "This was not sent by a page that was made for you; open the page again.")

    async def form(self) -> dict[str, str]:
        """Return the fields of a form that was made for this visitor; of one that stands twice, the last."""
        kind = self.request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/x-www-form-urlencoded":
            raise HTTPException(415, "Forms are sent as application/x-www-form-urlencoded.")
        try:
            text = (await self.request.body()).decode("utf-8")
            fields = dict(parse_qsl(text, keep_blank_values=True, max_num_fields=100))
        except ValueError:
            raise HTTPException(400, "The form cannot be read.") from None
        self.require_csrf(fields.get("csrf"))
        return fields


def site_of(request: Request) -> Site:
    """Return the site that a request is made to."""
    site = request.app.state.site
    assert isinstance(site, Site)
    return site


def address_of(request: Request) -> str:
    """Return where a request comes from."""
    return request.client.host if request.client else ""


async def link_of(request: Request, role: str) -> tuple[str, Link]:
    """Return the secret that stands in the address, or else in the cookie, and its link, if it works.

    Who tries many that never existed has to wait. Who has a link that no longer works is told so, whatever others at
    the same address try. The visits of the administrator are logged; without that they see nothing.
    """
    site, address, page = site_of(request), address_of(request), request.url.path
    token = str(request.path_params.get("token") or request.cookies.get(site.cookie(role), ""))
    if not token:
        raise HTTPException(401, NO_LINK)
    link = site.store.link_of(token) if len(token) <= MOST_TOKEN else None
    if link is None:
        _refuse_for_now(site.guess_throttle.seconds_to_wait(sender_of(address)))
        raise HTTPException(401, NO_LINK)
    _refuse_for_now(site.link_throttle.seconds_to_wait((token, sender_of(address))))
    if (link.rater is None) != (role == ADMIN) or link.revoked is not None:
        raise HTTPException(401, NO_LINK)
    if not link.works(site.expire_after):
        raise HTTPException(401, site.study.file.texts.expired)
    if role == ADMIN:
        page = "by the link" if "token" in request.path_params else page
        await site.writer.do(lambda store: store.note_visit(link.issued, address, page))
    return token, link


def arrival(role: str, home: str) -> Handler:
    """Make a handler that keeps the secret of a link in a cookie, so that it leaves the address bar."""

    async def arrive(request: Request) -> Response:
        token, _link = await link_of(request, role)
        response, name = RedirectResponse(home, 303), site_of(request).cookie(role)
        # Out of reach of scripts and of other sites.
        response.set_cookie(name, token, COOKIE_SECONDS, secure=site_of(request).secure, httponly=True, samesite="lax")
        return response

    return arrive


def departure(role: str) -> Handler:
    """Make a handler that lets the browser forget who came, until they come back by their link."""

    async def leave(request: Request) -> Response:
        site, (token, _link) = site_of(request), await link_of(request, role)
        await Visit(request, site, token).form()
        response = message(site.study.file, site.study.file.texts.signed_out)
        response.delete_cookie(site.cookie(role), secure=site.secure, httponly=True, samesite="lax")
        return response

    return leave


def _refuse_for_now(seconds: float) -> None:
    if seconds > 0:
        headers = {"retry-after": str(math.ceil(seconds))}
        raise HTTPException(429, "There are too many requests; wait a moment.", headers)


# Pages.


def study_page(name: str, file: StudyFile, status: int = 200, /, **values: object) -> HTMLResponse:
    """Return a page for raters; the script of the page works where it is told under which name to `keep`."""
    common = {"title": file.title, "language": file.language, "direction": file.direction, "texts": file.texts}
    return HTMLResponse(rendered(name, **common, **values), status)


def message(file: StudyFile, sentence: str, status: int = 200, /, **values: object) -> HTMLResponse:
    """Return a page that says one sentence."""
    return study_page("message", file, status, **{"heading": file.title, "sentence": sentence, **values})


def question(file: StudyFile) -> dict[str, Any]:
    """Return the question, how it is answered, the answers, and that of who cannot say."""
    answers = [{"value": f"{choice.value:g}", "label": choice.label} for choice in file.answers]
    return {"question": file.question, "widget": file.widget, "answers": answers, "unknown": file.unknown}


def rendered(name: str, /, **view: object) -> str:
    """Return a page as HTML; all that comes from people is escaped."""
    return _templates().get_template(f"{name}.html.jinja").render(view=SimpleNamespace(**view))


@cache
def _templates() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("termgauge.studies", "page"),
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip


@cache
def static(name: str) -> tuple[bytes, str, str] | None:
    """Return a file that pages load, its type, and a mark that changes with it; None if there is none of that name."""
    if name not in STATIC:
        return None
    content = (resources.files("termgauge.studies") / "page" / name).read_bytes()
    return content, f"{STATIC[name]}; charset=utf-8", f'"{hashlib.sha256(content).hexdigest()[:32]}"'


# Problems.


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


async def problem(request: Request, error: Exception) -> Response:
    """Answer a request that the server refuses, or that the store did not carry out."""
    headers: dict[str, str] = {}
    if isinstance(error, HTTPException):
        status, sentence, headers = error.status_code, error.detail, dict(error.headers or {})
        if sentence == HTTPStatus(status).phrase:
            sentence = SENTENCES.get(status, sentence)
    elif isinstance(error, CannotWriteError):
        status, sentence = not_stored(request, error)
        headers = {"retry-after": "5"}
    elif isinstance(error, NotActiveError):
        status, sentence = 409, state_sentence(error.state)
    else:
        status, sentence = 400, str(error)
    if request.url.path.startswith(("/api/", "/admin/data")):
        return JSONResponse({"error": sentence}, status, headers)
    page = message(site_of(request).study.file, sentence, status)
    page.headers.update(headers)
    return page


HANDLERS = {HTTPException: problem, TermgaugeError: problem}
