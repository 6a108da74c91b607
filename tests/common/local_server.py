"""A web server on this machine that misbehaves as a test wants."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Server:
    """A local HTTP server whose answers a test can spoil."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.lengths = True
        self.cuts: list[int] = []
        """How many bytes of each of the next answers are sent before the connection is cut."""
        self.statuses: list[int] = []
        """The status of each of the next answers, instead of the content."""
        self.asked: list[str | None] = []
        """The Range of each request so far."""
        self.paths: list[str] = []
        """The path of each request so far."""
        self.address = ""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        asked = handler.headers.get("Range")
        self.asked.append(asked)
        self.paths.append(handler.path)
        if self.statuses:
            handler.send_error(self.statuses.pop(0))
            return
        handler.send_response(200)
        if self.lengths:
            handler.send_header("Content-Length", str(len(self.content)))
        handler.end_headers()
        handler.wfile.write(self.content[: self.cuts.pop(0)] if self.cuts else self.content)
        handler.close_connection = True


@contextmanager
def serving(content: bytes) -> Iterator[Server]:
    server = Server(content)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.answer(self)

        def log_message(self, *_: object) -> None:
            return

    with listening(Handler) as address:
        server.address = f"{address}/file.csv"
        yield server


@contextmanager
def listening(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Serve on this machine for the duration of the block, and give the address."""
    listener = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.server_port}"
    finally:
        listener.shutdown()
        listener.server_close()
        thread.join()
