"""The server is killed again and again while people rate: every rating that was acknowledged is there, none twice."""

from __future__ import annotations

import asyncio
import json
import random
import re
import secrets
from collections import Counter
from urllib.parse import urlsplit

import pytest

from tests.studies.server.process import start
from tests.studies.server.served import cookie_name, csrf_of, invited, small_study

pytestmark = pytest.mark.integration
PAIRS = 400
SEED = 11


class Rater:
    """A client that behaves as the script of the page: what was not acknowledged is sent again, under its name."""

    def __init__(self, study, places, rng):
        token = invited(study, begun=True)
        self.rng, self.unsent = rng, list(places)
        self.waiting, self.acknowledged = {}, {}
        self.head = (
            f"POST /api/answers HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie_name(study)}={token}\r\n"
            f"X-CSRF-Token: {csrf_of(study, token)}\r\nContent-Type: application/json\r\n"
        )

    async def rate(self, port, done):
        """Rate until told to end, over connections that break."""
        while not done.is_set() or self.waiting:
            try:
                await self._over_a_connection(port, done)
            except (OSError, EOFError):
                await asyncio.sleep(0.02)

    async def _over_a_connection(self, port, done):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            while not done.is_set() or self.waiting:
                while self.unsent and len(self.waiting) < 3 and not done.is_set():
                    self._decide(*self.unsent.pop(0))
                status, document = await self._sent(reader, writer)
                if status == 429:
                    await asyncio.sleep(0.2)
                    continue
                assert (status, document.get("refused")) == (200, []), document
                for each in document["saved"]:
                    self.acknowledged[each["client_id"]] = self.waiting.pop(each["client_id"])
                await asyncio.sleep(self.rng.uniform(0, 0.01))
        finally:
            writer.close()

    def _decide(self, page, position):
        name, rating = secrets.token_urlsafe(12), self.rng.choice([None, 0, 1, 2, 3, 4, 5, 6])
        self.waiting[name] = {
            "client_id": name, "page": page, "position": position, "rating": rating, "seconds": 1.0, "revision": 0,
        }  # fmt: skip

    async def _sent(self, reader, writer):
        body = json.dumps({"answers": list(self.waiting.values())}).encode()
        writer.write(f"{self.head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
        head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 30)).decode()
        length = int(re.search(r"content-length: (\d+)", head)[1])
        return int(head.split()[1]), json.loads(await reader.readexactly(length))


async def rated_under_fire(folder, raters, kills, rng):
    """Let all rate while the server is killed; the last server ends after all has been acknowledged."""
    done = asyncio.Event()
    process, address = await asyncio.to_thread(start, folder)
    port = urlsplit(address).port
    clients = [asyncio.create_task(rater.rate(port, done)) for rater in raters]
    killed_with_work = 0
    try:
        for _ in range(kills):
            await asyncio.sleep(rng.uniform(0.05, 0.3))
            killed_with_work += any(rater.waiting for rater in raters)
            process.kill()
            await asyncio.to_thread(process.communicate)
            process, _address = await asyncio.to_thread(start, folder, port=port)
        await asyncio.sleep(0.5)
        done.set()
        await asyncio.wait_for(asyncio.gather(*clients), 60)
    finally:
        process.kill()
        await asyncio.to_thread(process.communicate)
    return killed_with_work


def check(tmp_path, people, kills):
    study = small_study(tmp_path, words=[(f"left {at}", f"right {at}") for at in range(PAIRS)], groups=1, pages=4)
    places = list(study.layout.select("page", "position").iter_rows())
    rng = random.Random(SEED)
    raters = [Rater(study, places, random.Random(SEED + at)) for at in range(people)]
    met = asyncio.run(rated_under_fire(study.folder, raters, kills, rng))
    assert met > 0 or not kills, "no kill met a rating on its way"
    with study.store() as store:
        everything = store.all_answers()
    by_name = {each.client_id: each for each in everything}
    assert len(by_name) == len(everything), "a rating is there twice"
    assert max(Counter((each.rater, each.page, each.position) for each in everything).values()) == 1
    acknowledged = {name: sent for rater in raters for name, sent in rater.acknowledged.items()}
    assert len(acknowledged) >= people * max(kills, 1)
    for name, sent in acknowledged.items():
        stored = by_name[name]
        assert (stored.page, stored.position, stored.rating) == (sent["page"], sent["position"], sent["rating"])
    waiting = {name for rater in raters for name in rater.waiting}
    assert set(by_name) <= set(acknowledged) | waiting, "something is there that nobody said"


def test_many_raters_at_once_lose_and_double_nothing(tmp_path):
    check(tmp_path, people=80, kills=0)


def test_a_server_that_is_killed_a_few_times_loses_and_doubles_nothing(tmp_path):
    check(tmp_path, people=6, kills=3)


def test_a_server_that_is_killed_twenty_times_while_twenty_rate_loses_and_doubles_nothing(tmp_path):
    check(tmp_path, people=20, kills=20)
