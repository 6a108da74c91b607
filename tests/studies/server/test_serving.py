"""Tests of the running server: its address, one for each study, how it ends, and what it keeps to itself."""

from __future__ import annotations

import http.client
import os
import select
import signal
import socket
import subprocess
import threading
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.studies.folder import open_study
from termgauge.studies.server.protection import MOST_OF_ONE_ADDRESS
from termgauge.studies.server.serving import LOCK, address_of, checked_url, serve
from tests.studies.server.process import COMMAND, running, start
from tests.studies.server.served import admin_token, invited, small_study

pytestmark = [pytest.mark.integration, pytest.mark.skipif(os.name == "nt", reason="signals of Unix")]


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return small_study(tmp_path_factory.mktemp("served"))


def connected(address):
    return http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)


def status_of(address, path, **headers):
    connection = connected(address)
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status


def test_one_server_for_each_study_and_the_next_one_after_a_kill(study):
    with running(study.folder) as (process, address):
        assert address_of(study.folder) == address
        second = subprocess.run(
            [*COMMAND, "serve", str(study.folder), "--port", "0"], check=False, capture_output=True, text=True
        )
        assert (second.returncode, second.stdout) == (2, "")
        assert f"is being served already at {address}" in second.stderr
        links = subprocess.run(
            [*COMMAND, "invite", str(study.folder)], check=True, capture_output=True, text=True
        ).stdout
        link = links.split("\t")[-1].strip()
        assert link.startswith(f"{address}/r/")
        assert status_of(address, urlsplit(link).path) == 303
        process.kill()
        process.wait()
    assert address_of(study.folder) is None
    with running(study.folder) as (_process, address):
        assert status_of(address, urlsplit(link).path) == 303


def test_it_prints_links_again_with_the_address_that_is_served(study):
    token, _admin = invited(study, name="Ann"), admin_token(study)
    with running(study.folder, "--links") as (process, address):
        rows = [
            process.stdout.readline().rstrip("\n").split("\t") for _rater in open_study(study.folder).status().raters
        ]
        lead = process.stdout.readline().strip()
        rater, _group, name, link = rows[-1]
        assert (rater[0], name) == ("r", "Ann")
        assert link.startswith(f"{address}/r/")
        assert lead.startswith(f"{address}/admin/")
        for each in (link, lead, f"{address}/r/{token}"):
            assert status_of(address, urlsplit(each).path) == 303


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_it_ends_in_peace_and_keeps_links_to_itself(study, number, status):
    token = invited(study)
    process, address = start(study.folder)
    assert status_of(address, f"/r/{token}") == 303
    assert status_of(address, "/r/wrong") == 401
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == status
    assert token not in out + err
    assert "Traceback" not in err
    assert "/r/" not in out + err
    assert sorted(path.name for path in study.folder.glob("study.sqlite*")) == ["study.sqlite"]


def test_a_hundred_megabytes_are_refused_early(study):
    with running(study.folder) as (_process, address):
        sent, piece = 0, b"x" * 65536
        with socket.create_connection((urlsplit(address).hostname, urlsplit(address).port), timeout=30) as connection:
            connection.sendall(b"POST /api/answers HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
            try:
                while sent < 100_000_000:
                    connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
                    sent += len(piece)
            except OSError:
                pass
        assert sent < 30_000_000
        connection = connected(address)
        connection.request("POST", "/api/answers", body=b"x" * 200_000)
        response = connection.getresponse()
        assert (response.status, b"64 kB" in response.read()) == (413, True)
        connection.close()


@pytest.mark.parametrize(("senders", "each"), [(1, 900), (4, 240)])
def test_half_open_connections_lock_nobody_out(study, senders, each):
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    token = invited(study)
    with ExitStack() as stack:
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        _process, address = stack.enter_context(running(study.folder))
        place = urlsplit(address)
        rater = connected(address)
        stack.callback(rater.close)
        rater.request("GET", f"/r/{token}")
        assert rater.getresponse().read() == b""
        half_open = []
        for at in range(senders * each):
            try:
                made = socket.create_connection((place.hostname, place.port), 30, (f"127.0.0.{2 + at % senders}", 0))
            except OSError as error:
                pytest.skip(f"this machine has one address of its own ({error})")
            half_open.append(stack.enter_context(made))
            made.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        assert status_of(address, f"/r/{token}") == 303, "somebody new"
        rater.request("GET", f"/r/{token}")
        assert rater.getresponse().status == 303, "somebody with a connection from before"
        watched = select.poll()
        by_number = {made.fileno(): made for made in half_open}
        for number in by_number:
            watched.register(number, select.POLLIN)
        ended = {by_number[number] for number, _what in watched.poll(0)}
        assert half_open[0] in ended
        assert half_open[-1] not in ended
        assert len(half_open) - len(ended) < 900
        half_open[-1].sendall(b"\r\n")
        assert half_open[-1].recv(12) == b"HTTP/1.1 401"


def test_somebody_new_takes_the_place_of_who_asks_nothing_any_more(study):
    token = invited(study)
    with ExitStack() as stack:
        _process, address = stack.enter_context(running(study.folder))
        for _ in range(MOST_OF_ONE_ADDRESS):
            asked = connected(address)
            stack.callback(asked.close)
            asked.request("GET", "/no-such-page")
            asked.getresponse().read()
        assert status_of(address, f"/r/{token}") == 303


@pytest.mark.parametrize("method", ["POST", "GET"])
def test_two_lengths_of_a_request_are_refused(study, method):
    with running(study.folder) as (_process, address):
        place = urlsplit(address)
        with socket.create_connection((place.hostname, place.port), timeout=30) as connection:
            head = f"{method} /api/answers HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n"
            connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /r/x HTTP/1.1\r\n\r\n".encode())
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        assert answer.startswith(b"HTTP/1.1 400 ")
        assert answer.count(b"HTTP/1.1 ") == 1
        assert b"Content-Length and Transfer-Encoding" in answer


def guesses(address, *forwarded):
    return [status_of(address, f"/r/{at}", **{"X-Forwarded-For": each}) for at, each in enumerate(forwarded)]


def test_whom_a_web_server_asks_for_is_believed_only_when_told(study):
    many = 40
    with running(study.folder) as (_process, address):
        anybody = guesses(address, *(f"198.51.100.{at}" for at in range(many)))
        assert set(anybody) == {401, 429}, "the header is one's own word"
    with running(study.folder, "--proxy", "127.0.0.1") as (_process, address):
        one = guesses(address, *(f"198.51.100.{at}, 203.0.113.1" for at in range(many)))
        assert set(one) == {401, 429}, "only the last word is that of the web server"
        assert guesses(address, "203.0.113.2") == [401]
        assert guesses(address, "2001:db8::1") == [401]
        of_a_network = guesses(address, *(f"2001:db8:0:9::{at}" for at in range(1, many)))
        assert set(of_a_network) == {401, 429}, "who has one IPv6 address has very many"


@pytest.mark.parametrize("proxy", ["nginx", "127.0.0.1:80", "10.0.0.1/8", ""])
def test_a_web_server_is_named_by_its_address(study, proxy):
    with pytest.raises(TermgaugeError, match="no address of a web server"):
        serve(study, port=0, proxies=[proxy])


def test_a_port_that_is_taken_is_named(study):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(TermgaugeError, match=rf"port {port} of 127.0.0.1 \(Address already in use\); .*--port"):
            serve(study, port=port)


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid", "a" * 300])
def test_an_address_of_another_machine_is_refused(study, host):
    with pytest.raises(TermgaugeError, match=r"is no address of this machine|Cannot assign requested address"):
        serve(study, host=host, port=0)


def test_a_folder_that_cannot_be_written_is_named(study):
    (study.folder / LOCK).unlink(missing_ok=True)
    (study.folder / LOCK).mkdir()
    try:
        with pytest.raises(TermgaugeError, match="cannot be written"):
            serve(study, port=0)
    finally:
        (study.folder / LOCK).rmdir()


def test_addresses_for_links():
    assert checked_url(None) is None
    assert checked_url("https://study.example.org/") == "https://study.example.org"
    for wrong in (
        "study.example.org",
        "https://x/y",
        "javascript:alert(1)",
        "https://",
        "https://x#y",
        "https://[",
        "https://x:y",
        "https://a@b",
    ):
        with pytest.raises(TermgaugeError, match="no address for links"):
            checked_url(wrong)


def test_in_a_thread_it_is_told_when_it_can_be_reached(study):
    told = threading.Event()
    addresses = []

    def ready(address):
        addresses.append(address)
        told.set()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        serve(study, port=0, ready=ready)
    assert told.is_set()
    assert addresses[0].startswith("http://127.0.0.1:")
