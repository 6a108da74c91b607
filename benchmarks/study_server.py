"""The server of a study under 200 raters at once, beside a plain server that commits each rating by itself.

Raters are a process of their own: each has a connection and sends a rating every two seconds, and then as many as it
can. Every rating that was acknowledged is looked up in the database afterwards. The other side is what is quickly
written: threads of the standard library, SQLite as it comes, a COMMIT for each request.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import secrets
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

import psutil

from benchmarks.measure import Row, measured, noted, print_table, quick
from termgauge.studies.folder import new_study
from termgauge.studies.server.site import RATER, Site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.studies.folder import Study

RATERS = 200
EVERY_SECONDS = 2.0
SECONDS, QUICK_SECONDS = 120, 6
FLAT_OUT_SECONDS, QUICK_FLAT_OUT_SECONDS = 15, 3
MOST_MS = 100
PAIRS = 2000
HERE = "benchmarks.study_server"
SERVE = "from termgauge.cli import main; main()"
PLAIN = f"from {HERE} import plain_server; import sys; plain_server(sys.argv[1])"


def main() -> None:
    """Print how long raters wait, and whether anything was lost."""
    seconds, flat_out = (QUICK_SECONDS, QUICK_FLAT_OUT_SECONDS) if quick() else (SECONDS, FLAT_OUT_SECONDS)
    with tempfile.TemporaryDirectory(prefix="termgauge-bench-") as place:
        ours, theirs = _ours(Path(place), seconds, flat_out), _theirs(Path(place), seconds, flat_out)
    paced, other = ours["paced"], theirs["paced"]
    rows = [
        noted("ratings stored", f"{paced['acknowledged']:,}", f"{other['acknowledged']:,}"),
        noted("median", _ms(paced["median"]), _ms(other["median"])),
        Row(
            "99th percentile", _ms(paced["p99"]), _ms(other["p99"]), other["p99"] / paced["p99"], f"< {MOST_MS} ms",
            paced["p99"] < MOST_MS,
        ),
        noted("longest", _ms(paced["longest"]), _ms(other["longest"])),
        noted("requests that failed", f"{paced['failed']:,}", f"{other['failed']:,}"),
        Row("acknowledged, and not there", f"{ours['lost']:,}", target="0", met=not ours["lost"]),
        Row("there twice", f"{ours['double']:,}", target="0", met=not ours["double"]),
        Row(
            "ratings in a second, if all send as fast as they can", f"{ours['flat out']['a_second']:,.0f}",
            f"{theirs['flat out']['a_second']:,.0f}", ours["flat out"]["a_second"] / theirs["flat out"]["a_second"],
        ),
        noted("99th percentile then", _ms(ours["flat out"]["p99"]), _ms(theirs["flat out"]["p99"])),
        noted("memory of the server", f"{ours['mb']:,.0f} MB", f"{theirs['mb']:,.0f} MB"),
    ]  # fmt: skip
    title = f"{RATERS} raters, each a rating every {EVERY_SECONDS:g} s for {seconds} s, on {os.cpu_count()} cores"
    print_table(title, rows, theirs="a COMMIT for each rating")


def _ms(milliseconds: float) -> str:
    return f"{milliseconds:,.1f} ms"


def _ours(folder: Path, seconds: float, flat_out: float) -> dict[str, Any]:
    study = made_study(folder)
    tokens = _invited(study)
    with _running([sys.executable, "-c", SERVE, "study", "serve", str(study.folder), "--port", "0"]) as (server, port):
        paced = _load(study, tokens, port, seconds, EVERY_SECONDS, 0)
        fast = _load(study, tokens, port, flat_out, 0.0, paced["next"])
        mb = server.memory_info().rss / 1e6
    with study.store() as store:
        stored = Counter((answer.rater, answer.client_id) for answer in store.all_answers())
    names = Counter(name for _rater, name in stored.elements())
    acknowledged = {*paced["names"], *fast["names"]}
    double = sum(count > 1 for count in names.values())
    return {"paced": paced, "flat out": fast, "mb": mb, "lost": len(acknowledged - names.keys()), "double": double}


def _theirs(folder: Path, seconds: float, flat_out: float) -> dict[str, Any]:
    place = folder / "plain.sqlite"
    with _running([sys.executable, "-c", PLAIN, str(place)]) as (server, port):
        tokens = [f"t{at}" for at in range(RATERS)]
        paced = _load(None, tokens, port, seconds, EVERY_SECONDS, 0)
        fast = _load(None, tokens, port, flat_out, 0.0, paced["next"])
        return {"paced": paced, "flat out": fast, "mb": server.memory_info().rss / 1e6}


def made_study(folder: Path) -> Study:
    """Begin a study in which a rater sees many pairs."""
    (folder / "pairs.tsv").write_text("".join(f"left {at}\tright {at}\n" for at in range(PAIRS)), encoding="ascii")
    return new_study(folder / "study", folder / "pairs.tsv", groups=1, pages=1, consistency=0, duplicates=0)


def _invited(study: Study) -> list[str]:
    tokens = []
    with study.store() as store, store.transaction():
        for _ in range(RATERS):
            rater, token = store.invite(1, None)
            store.begin(rater.id)
            tokens.append(token)
    return tokens


@contextmanager
def _running(command: list[str]) -> Iterator[tuple[psutil.Process, int]]:
    """Run a server that prints its address, and end it."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        yield psutil.Process(process.pid), cast("int", urlsplit(process.stdout.readline().strip()).port)
    finally:
        process.terminate()
        process.wait()


def _load(
    study: Study | None, tokens: list[str], port: int, seconds: float, every: float, first: int
) -> dict[str, Any]:
    heads = [_head(study, token) for token in tokens]
    return cast("dict[str, Any]", measured(f"{HERE}:rated", heads, port, seconds, every, first).result)


def _head(study: Study | None, token: str) -> str:
    """Return what a rater's requests begin with."""
    head = "POST /api/answers HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    if study is None:
        return f"{head}X-Rater: {token}\r\n"
    site = cast("Site", SimpleNamespace(study=study, secure=False))
    return f"{head}Cookie: {Site.cookie(site, RATER)}={token}\r\nX-CSRF-Token: {Site.csrf(site, token)}\r\n"


def rated(heads: list[str], port: int, seconds: float, every: float, first: int) -> dict[str, Any]:
    """Let all raters rate at once, each over a connection of its own; return how long they waited."""
    return asyncio.run(_rated(heads, port, seconds, every, first))


async def _rated(heads: list[str], port: int, seconds: float, every: float, first: int) -> dict[str, Any]:
    waits: list[float] = []
    names: list[str] = []
    failed = 0
    furthest = first
    begin = time.monotonic() + 1

    async def rater(head: str) -> None:
        nonlocal failed, furthest
        rng = random.Random(head)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        due, position = begin + rng.uniform(0, every), first
        while (now := time.monotonic()) < begin + seconds and position < PAIRS:
            await asyncio.sleep(max(0.0, due - now))
            position += 1
            name = secrets.token_urlsafe(12)
            sent = time.perf_counter()
            status, answer = await _asked(reader, writer, head, _body(name, position, rng))
            waits.append(time.perf_counter() - sent)
            if status == 200 and [each["client_id"] for each in answer["saved"]] == [name]:
                names.append(name)
            else:
                failed += 1
            due += every
        furthest = max(furthest, position)
        writer.close()

    await asyncio.gather(*map(rater, heads))
    took = time.monotonic() - begin
    waits.sort()
    return {
        "median": 1000 * waits[len(waits) // 2],
        "p99": 1000 * waits[int(0.99 * (len(waits) - 1))],
        "longest": 1000 * waits[-1],
        "acknowledged": len(names),
        "a_second": len(names) / took,
        "failed": failed,
        "names": names,
        "next": furthest,
    }


def _body(name: str, position: int, rng: random.Random) -> bytes:
    answer = {"client_id": name, "page": 1, "position": position, "revision": 0}
    return json.dumps({"answers": [{**answer, "rating": rng.randrange(7), "seconds": 2.0}]}).encode()


async def _asked(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: str, body: bytes
) -> tuple[int, dict[str, Any]]:
    writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    answer = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = cast("re.Match[str]", re.search(r"content-length: (\d+)", answer))
    return int(answer.split()[1]), json.loads(await reader.readexactly(int(length[1])))


class _Plain(BaseHTTPRequestHandler):
    """What is quickly written: a connection and a COMMIT for each request."""

    protocol_version = "HTTP/1.1"
    place = ""

    def do_POST(self) -> None:
        """Store the ratings of a request."""
        answers = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["answers"]
        connection = sqlite3.connect(self.place, timeout=60)
        with connection:
            for each in answers:
                connection.execute(
                    "INSERT INTO answers VALUES (?, ?, ?, ?)",
                    (self.headers["X-Rater"], each["client_id"], each["position"], each["rating"]),
                )
        connection.close()
        body = json.dumps({"saved": answers}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_what: object) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True


def plain_server(place: str) -> None:
    """Serve until killed."""
    with sqlite3.connect(place) as connection:
        connection.execute("CREATE TABLE answers (rater TEXT, client_id TEXT UNIQUE, position INTEGER, rating REAL)")
    _Plain.place = place
    server = _Server(("127.0.0.1", 0), _Plain)
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
