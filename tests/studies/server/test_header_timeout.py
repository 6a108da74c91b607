"""Tests of how long the server waits: slow clients are hung up on, others are not."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import uvicorn

from termgauge.studies.server import protection
from termgauge.studies.server.protection import HeaderTimeoutProtocol

REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def app(_scope, _receive, send):
    await asyncio.sleep(0.3)
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def visited(visit):
    """Serve, and let a visitor use a connection."""

    async def run():
        config = uvicorn.Config(app, http=HeaderTimeoutProtocol, log_config=None, log_level="critical", lifespan="off")
        config.load()
        server = uvicorn.Server(config)
        loop = asyncio.get_running_loop()
        listening = await loop.create_server(
            lambda: HeaderTimeoutProtocol(config=config, server_state=server.server_state, app_state={}), "127.0.0.1", 0
        )
        reader, writer = await asyncio.open_connection(*listening.sockets[0].getsockname())
        try:
            return await visit(reader, writer)
        finally:
            writer.close()
            listening.close()

    return asyncio.run(run())


def test_who_says_nothing_or_half_a_request_is_hung_up_on(monkeypatch):
    monkeypatch.setattr(protection, "HEADER_SECONDS", 0.1)

    async def silent(reader, _writer):
        return await asyncio.wait_for(reader.read(), 10)

    async def slow(reader, writer):
        for letter in REQUEST[:-2].decode():
            writer.write(letter.encode())
            await writer.drain()
            await asyncio.sleep(0.01)
        return await asyncio.wait_for(reader.read(), 10)

    assert visited(silent) == b""
    with suppress(ConnectionError):
        assert visited(slow) == b""


def test_who_waits_for_an_answer_is_not(monkeypatch):
    monkeypatch.setattr(protection, "HEADER_SECONDS", 0.1)

    async def patient(reader, writer):
        answers = []
        for _ in range(2):
            writer.write(REQUEST)
            answers.append(await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10))
        return answers

    assert [answer.split(b" ")[1] for answer in visited(patient)] == [b"204", b"204"]


def test_a_slow_second_request_is_hung_up_on_too(monkeypatch):
    monkeypatch.setattr(protection, "HEADER_SECONDS", 0.1)

    async def slow_later(reader, writer):
        writer.write(REQUEST)
        await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
        writer.write(REQUEST[:10])
        return await asyncio.wait_for(reader.read(), 10)

    assert visited(slow_later) == b""
