"""An endpoint for vectors on this machine that misbehaves as a test wants."""

from __future__ import annotations

import gzip
import json
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any

from tests.common.local_server import listening
from tests.embeddings.toy_encoders import vector_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Trouble = bytes | Callable[[Callable[[bytes], object]], None]


class EmbeddingServer:
    """Answers as OpenAI's /embeddings does, unless told otherwise."""

    def __init__(self) -> None:
        self.base_url = ""
        self.requests: list[dict[str, Any]] = []
        """The bodies of the requests so far."""
        self.headers: list[dict[str, str]] = []
        self.troubles: list[tuple[int, dict[str, str] | None, Trouble] | str] = []
        """What comes instead of each of the next answers: status, headers and body, or ``cut``, or ``""`` for none.

        A body may be a function that writes piece by piece; without headers it writes from the first byte on.
        """
        self.packed = False
        self.spoil: Callable[[list[dict[str, Any]], int], Any] | None = None
        """Changes the data of an answer, given its number from 1."""
        self.answers = 0

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        self.requests.append(body)
        self.headers.append(dict(handler.headers))
        trouble = self.troubles.pop(0) if self.troubles else ""
        if trouble == "cut":
            handler.send_response(200)
            handler.send_header("Content-Length", "1000")
            handler.end_headers()
            handler.wfile.write(b'{"data": [')
            handler.close_connection = True
            return
        if trouble:
            status, headers, text = trouble
            if callable(text):
                self._pour(handler, status, headers, text)
            else:
                self._send(handler, status, text, headers or {})
            return
        self.answers += 1
        dimension = body.get("dimensions", 6)
        data = [
            {"object": "embedding", "index": at, "embedding": vector_of(text, dimension).tolist()}
            for at, text in enumerate(body["input"])
        ]
        changed = self.spoil(data, self.answers) if self.spoil else data
        text = json.dumps({"object": "list", "data": changed, "model": body["model"]}).encode()
        if self.packed:
            self._send(handler, 200, gzip.compress(text), {"Content-Encoding": "gzip"})
        else:
            self._send(handler, 200, text, {})

    def _pour(
        self, handler: BaseHTTPRequestHandler, status: int, headers: dict[str, str] | None, pour: Callable[..., None]
    ) -> None:
        handler.close_connection = True
        if headers is not None:
            handler.send_response(status)
            for name, value in headers.items():
                handler.send_header(name, value)
            handler.end_headers()
        with suppress(OSError):  # nobody reads on
            pour(handler.wfile.write)

    def _send(self, handler: BaseHTTPRequestHandler, status: int, text: bytes, headers: dict[str, str]) -> None:
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(text)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(text)


@contextmanager
def serving_embeddings() -> Iterator[EmbeddingServer]:
    server = EmbeddingServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            if self.path == "/v1/embeddings":
                server.answer(self)
            else:
                self.send_error(404)

        def log_message(self, *_: object) -> None:
            return

    with listening(Handler) as address:
        server.base_url = f"{address}/v1"
        yield server
