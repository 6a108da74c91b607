"""The application: which address is answered by what."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.routing import Route

from termgauge.studies.server import adjudication, admin, rating, views
from termgauge.studies.server.problems import HANDLERS
from termgauge.studies.server.protection import Protection
from termgauge.studies.server.site import Site

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from termgauge.studies.folder import Study

ROUTES = (
    ("/", rating.home, "GET"),
    ("/r/{token}", rating.arrive, "GET"),
    ("/instructions", rating.instructions, "GET"),
    ("/begin", rating.begin, "POST"),
    ("/qualification", rating.qualification, "GET", "POST"),
    ("/rate/{page:int}/{position:int}", rating.rate, "GET", "POST"),
    ("/break/{page:int}", rating.pause, "GET"),
    ("/finish", rating.finish, "GET", "POST"),
    ("/sign-out", rating.sign_out, "POST"),
    ("/api/pages/{page:int}", rating.page, "GET"),
    ("/api/answers", rating.answers, "POST"),
    ("/admin", admin.overview, "GET"),
    ("/admin/data", admin.data, "GET"),
    ("/admin/answers.tsv", admin.download, "GET"),
    ("/admin/invite", admin.invite, "POST"),
    ("/admin/raters/{rater}", admin.rater, "POST"),
    ("/admin/adjudication", adjudication.show, "GET"),
    ("/admin/adjudication/{pair:int}", adjudication.decide, "POST"),
    ("/admin/sign-out", admin.sign_out, "POST"),
    ("/admin/{token}", admin.arrive, "GET"),
)


def application(
    study: Study, *, loopback: bool = True, public_url: str | None = None, expire_after: int | None = None
) -> Starlette:
    """Return the application that serves a study.

    Parameters
    ----------
    study
        The study.
    loopback
        Whether only this machine can reach the server; then it is answered only under names of this machine.
    public_url
        The address that raters use, if something stands between them and the server.
    expire_after
        So many days after it was made no link works any more.
    """

    @asynccontextmanager
    async def open_while_serving(app: Starlette) -> AsyncIterator[None]:
        app.state.site = Site.of(study, public_url, expire_after)
        try:
            yield
        finally:
            app.state.site.close()

    routes = [Route(path, handler, methods=list(methods)) for path, handler, *methods in ROUTES]
    app = Starlette(
        routes=[*routes, Route("/static/{name}", static)],
        middleware=[Middleware(Protection, loopback=loopback, public_url=public_url)],
        exception_handlers=HANDLERS,
        lifespan=open_while_serving,
    )
    app.router.redirect_slashes = False  # what is not there is not there
    return app


async def static(request: Request) -> Response:
    """Give one of the few files that pages load; there is no path to be joined."""
    found = views.static(request.path_params["name"])
    if found is None:
        raise HTTPException(404)
    content, kind, mark = found
    headers = {"etag": mark, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == mark:
        return Response(b"", 304, headers)
    return Response(content, 200, headers, kind)
