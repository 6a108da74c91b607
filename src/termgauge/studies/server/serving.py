"""The server of a study: its routes, where it listens, and that only one serves a study."""

from __future__ import annotations

import ipaddress
import os
import signal
import socket
from contextlib import asynccontextmanager, closing, contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.routing import Route

from termgauge.exceptions import CannotWriteError, TermgaugeError
from termgauge.io.atomic import open_lock, try_lock
from termgauge.studies.database import now
from termgauge.studies.server import admin, rating
from termgauge.studies.server.protection import HeaderTimeoutProtocol, Protection
from termgauge.studies.server.site import ADMIN, HANDLERS, RATER, Site, arrival, departure, static
from termgauge.studies.store import days_after

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence
    from pathlib import Path

    import uvicorn
    from starlette.requests import Request

    from termgauge.studies.folder import Study

ROUTES = (
    ("/", rating.home, "GET"),
    ("/r/{token}", arrival(RATER, "/"), "GET"),
    ("/instructions", rating.instructions, "GET"),
    ("/begin", rating.begin, "POST"),
    ("/qualification", rating.qualification, "GET"),
    ("/qualification", rating.qualify, "POST"),
    ("/rate/{page:int}/{position:int}", rating.rate, "GET"),
    ("/rate/{page:int}/{position:int}", rating.rated, "POST"),
    ("/break/{page:int}", rating.pause, "GET"),
    ("/finish", rating.finish, "GET"),
    ("/finish", rating.finished, "POST"),
    ("/sign-out", departure(RATER), "POST"),
    ("/api/pages/{page:int}", rating.page, "GET"),
    ("/api/answers", rating.answers, "POST"),
    ("/admin", admin.overview, "GET"),
    ("/admin/data", admin.data, "GET"),
    ("/admin/answers.tsv", admin.download, "GET"),
    ("/admin/invite", admin.invite, "POST"),
    ("/admin/raters/{rater}", admin.rater, "POST"),
    ("/admin/adjudication", admin.adjudication, "GET"),
    ("/admin/adjudication/{pair:int}", admin.decide, "POST"),
    ("/admin/sign-out", departure(ADMIN), "POST"),
    ("/admin/{token}", arrival(ADMIN, "/admin"), "GET"),
)


def application(
    study: Study, *, loopback: bool = True, public_url: str | None = None, expire_after: int | None = None
) -> Starlette:
    """Return the application that serves a study; with `loopback` it answers only under names of this machine."""

    @asynccontextmanager
    async def open_while_serving(app: Starlette) -> AsyncIterator[None]:
        app.state.site = Site(study, public_url, expire_after)
        try:
            yield
        finally:
            app.state.site.close()

    routes = [Route(path, handler, methods=[method]) for path, handler, method in ROUTES]
    app = Starlette(
        routes=[*routes, Route("/static/{name}", give_static)],
        middleware=[Middleware(Protection, loopback=loopback, public_url=public_url)],
        exception_handlers=HANDLERS,
        lifespan=open_while_serving,
    )
    app.router.redirect_slashes = False  # what is not there is not there
    return app


async def give_static(request: Request) -> Response:
    """Give one of the few files that pages load; there is no path to be joined."""
    resource = static(request.path_params["name"])
    if resource is None:
        raise HTTPException(404)
    content, kind, mark = resource
    headers = {"etag": mark, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == mark:
        return Response(b"", 304, headers)
    return Response(content, 200, headers, kind)


LOCK = ".serving"
"""Held by the server of a study; it says where the study is served."""
MOST_CONNECTIONS = 900
IDLE_SECONDS = 20
END_SECONDS = 5
MOST_HEADERS = 32 * 1024


def serve(
    study: Study,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    public_url: str | None = None,
    proxies: Sequence[str] = (),
    expire_after: int | None = None,
    ready: Callable[[str], None] = lambda _address: None,
) -> None:
    """Serve a study until the process is told to end; `ready` is called with the address once it can be reached.

    Of `proxies` alone is it believed for whom they ask (``X-Forwarded-For``). After so many days (`expire_after`) no
    link works any more, whatever it was made for.
    """
    import uvicorn

    public_url, proxies = checked_url(public_url), checked_proxies(proxies)
    if expire_after is not None:
        days_after(now(), expire_after)  # says so if there is no such number of days
    with _alone(study.folder) as lock, closing(_listening(host, port)) as listener:
        loopback = ipaddress.ip_address(listener.getsockname()[0].partition("%")[0]).is_loopback
        address = public_url or _address(host, listener)
        config = uvicorn.Config(
            application(study, loopback=loopback, public_url=public_url, expire_after=expire_after),
            http=HeaderTimeoutProtocol, ws="none", loop="asyncio", lifespan="on", log_config=None, log_level="critical",
            access_log=False, proxy_headers=bool(proxies), forwarded_allow_ips=proxies, server_header=False,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=IDLE_SECONDS, timeout_graceful_shutdown=END_SECONDS,
            h11_max_incomplete_event_size=MOST_HEADERS,
        )  # fmt: skip
        lock(address)
        _server(config, lambda: ready(address)).run(sockets=[listener])


def address_of(folder: Path, *, or_last: bool = False) -> str | None:
    """Return where a study is being served; None if it is not, unless the last address is asked for."""
    try:
        with (folder / LOCK).open("rb+") as file:
            is_known = or_last or try_lock(file) is False
            return file.read(2000).decode("utf-8", "replace").strip() or None if is_known else None
    except OSError:
        return None


def checked_url(url: str | None) -> str | None:
    """Return an address that links may begin with, without a slash at its end."""
    if url is None:
        return None
    try:
        parts = urlsplit(url)
        more = parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and not more and parts.port != 0
    except ValueError:
        fits = False
    if not fits:
        raise TermgaugeError(f"'{url}' is no address for links; write it like https://study.example.org.")
    return url.rstrip("/")


def checked_proxies(addresses: Sequence[str]) -> list[str]:
    """Return addresses, or networks, of web servers that pass requests on."""
    for address in addresses:
        try:
            ipaddress.ip_network(address)
        except ValueError:
            raise TermgaugeError(
                f"'{address}' is no address of a web server that passes requests on; write it like 127.0.0.1."
            ) from None
    return list(addresses)


def _server(config: uvicorn.Config, ready: Callable[[], None]) -> uvicorn.Server:
    import uvicorn

    class Server(uvicorn.Server):
        """Tells when it can be reached, and ends in peace when it is told to."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                ready()

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            before = {signum: signal.signal(signum, self.handle_exit) for signum in (signal.SIGINT, signal.SIGTERM)}
            try:
                yield
            finally:
                for signal_number, handler in before.items():
                    signal.signal(signal_number, handler)
            if signal.SIGINT in self._captured_signals:
                raise KeyboardInterrupt

    return Server(config)


@contextmanager
def _alone(folder: Path) -> Iterator[Callable[[str], None]]:
    """Hold a study, so that no other server takes it; what is yielded is told the address."""
    path = folder / LOCK
    try:
        file = open_lock(path)
    except OSError as error:
        raise CannotWriteError(f"{path}: cannot be written ({error.strerror or error}).") from error
    with file:
        if try_lock(file) is False:
            file.seek(0)
            where = file.read(2000).decode("utf-8", "replace").strip()
            at = f" at {where}" if where else ""
            raise TermgaugeError(f"{folder}: is being served already{at}; end that server before you start another.")

        def tell(address: str) -> None:
            file.truncate(0)
            file.write(address.encode())
            file.flush()

        yield tell


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
        return socket.create_server((host, port), family=family, backlog=1024, dualstack_ipv6=both)
    except (socket.gaierror, UnicodeError):
        raise TermgaugeError(f"'{host}' is no address of this machine; use --host 127.0.0.1 or 0.0.0.0.") from None
    except OSError as error:
        raise TermgaugeError(
            f"The server cannot listen on port {port} of {host} ({os.strerror(error.errno or 0)}); choose another port "
            "with --port (0 for a free one), or --host 127.0.0.1 or 0.0.0.0."
        ) from None


def _address(host: str, listener: socket.socket) -> str:
    anywhere = ipaddress.ip_address(listener.getsockname()[0].partition("%")[0]).is_unspecified
    name = socket.gethostname() if anywhere else f"[{host}]" if ":" in host else host
    return f"http://{name}:{listener.getsockname()[1]}"
