"""Finding a cluster: by any of its names, in one sentence if there is none, and never with other versions."""

from __future__ import annotations

import asyncio
import http.client
import logging
import os
import re
import subprocess
import sys
import time

import dask
import psutil
import pytest
from distributed import Client, Security

from termgauge.cluster import connect
from termgauge.cluster.connect import executor_of, on_cluster, use_client
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.executor import current_executor
from termgauge.io.identity import version
from tests.cluster.clusters import double, sleep


def other_version(folder, theirs="9.9.9"):
    """Return the environment of a process in which termgauge says that it is of another version."""
    about = folder / f"termgauge-{theirs}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: termgauge\nVersion: {theirs}\n")
    return {"PYTHONPATH": os.pathsep.join([str(folder), os.environ["PYTHONPATH"]])}


def doubled_at(address, blocks):
    """Return how many workers a cluster has, and what they made of some blocks."""
    with on_cluster(address) as place:
        return len(place.workers), [each.value for each in place.map(double, [(2,)] * blocks, label="double")]


@pytest.mark.parametrize("form", ["address", "file", "home"])
def test_a_scheduler_is_found_by_address_or_file(three, form, monkeypatch):
    monkeypatch.setenv("HOME", str(three.folder))
    named = {"address": three.address, "file": str(three.file), "home": "~/scheduler.json"}[form]
    level = logging.getLogger("distributed").level
    with on_cluster(named) as place:
        deadline = time.monotonic() + 60
        while place.slots < 3 and time.monotonic() < deadline:  # one may have died in another test, and comes back
            time.sleep(0.1)
        assert len(place.workers) == place.slots == 3
        assert place.shared is False
        assert [each.value for each in place.map(double, [(2,)], label="double")] == [4]
    assert logging.getLogger("distributed").level == level


def test_processes_of_this_machine():
    with on_cluster("local:1") as place:
        assert current_executor() is place
        assert (place.slots, place.shared) == (1, True)
        assert place.client.dashboard_link.startswith("http://")
        assert [each.value for each in place.map(double, [(2,)], label="double")] == [4]
        setting = "distributed.worker.profile.enabled"
        (profiled,) = place.map(dask.config.get, [(setting,)], label="setting")
        assert (profiled.value, dask.config.get(setting)) == (False, True)
    assert current_executor() is None


OPEN = """
import termgauge as tg
if __name__ == "__main__":
    with tg.on_cluster("local:1"):
        print("open", flush=True)
        input()
"""


def answers_http(address):
    connection = http.client.HTTPConnection(*address, timeout=5)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except (http.client.HTTPException, OSError):
        return False
    finally:
        connection.close()


def test_processes_of_this_machine_answer_nobody_else():
    """No port is open to other machines, and no process takes orders from who lacks the key of the run."""
    with subprocess.Popen([sys.executable, "-c", OPEN], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started:
        assert started.stdout.readline() == b"open\n"
        own = psutil.Process(started.pid)
        places = [each for process in (own, *own.children(recursive=True)) for each in process.net_connections("inet")]
        listening = {place.laddr for place in places if place.status == psutil.CONN_LISTEN}
        assert {address for address, _port in listening} == {"127.0.0.1"}
        taking_orders = [address for address in listening if not answers_http(address)]
        assert len(taking_orders) == 3, "the scheduler, the worker, and who watches it"
        for address, port in taking_orders:
            for protocol, security in (("tcp", None), ("tls", Security.temporary())):
                with pytest.raises(OSError, match=r"reset|closed|certificate"):
                    Client(f"{protocol}://{address}:{port}", security=security, timeout=5, set_as_default=False)


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        (
            "tcp://127.0.0.1:9",
            "tcp://127.0.0.1:9: no Dask scheduler answers there (.*); start one with: dask scheduler.",
        ),
        ("gopher://127.0.0.1:9", "no Dask scheduler answers there"),
        (
            "no address at all",
            "'no address at all' is no address of a cluster, nor a file; name one as tcp://host:8786",
        ),
        ("gone.json", "'gone.json' is no address of a cluster, nor a file"),
        ("local:", "is no address of a cluster"),
        ("local:x", "is no address of a cluster"),
        ("local:0", "is no address of a cluster"),
        ("local:4000", "is no address of a cluster"),
        ("tcp://127.0.0.1", "is no address of a cluster"),
        ("", "is no address of a cluster"),
    ],
)
def test_what_is_no_cluster_is_said(address, sentence, monkeypatch):
    monkeypatch.setattr(connect, "CONNECT_SECONDS", 1.0)
    with pytest.raises(TermgaugeError, match=sentence.replace("(.*)", r"\(.*\)")) as raised, on_cluster(address):
        pass
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("content", ["", "no JSON", "[]", "{}", '{"address": 3}'])
def test_a_file_that_is_no_scheduler_file_is_said(tmp_path, content):
    (tmp_path / "scheduler.json").write_text(content)
    with (
        pytest.raises(TermgaugeError, match=r"scheduler.json: is no scheduler file; name one that dask scheduler"),
        on_cluster(str(tmp_path / "scheduler.json")),
    ):
        pass


def test_a_scheduler_file_whose_scheduler_has_gone_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(connect, "CONNECT_SECONDS", 1.0)
    (tmp_path / "scheduler.json").write_text('{"address": "tcp://127.0.0.1:9"}')
    with (
        pytest.raises(TermgaugeError, match=r"scheduler.json: no Dask scheduler answers there"),
        on_cluster(str(tmp_path / "scheduler.json")),
    ):
        pass


def test_without_cryptography_it_is_said_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(TermgaugeError, match=r"pip install 'termgauge\[cluster\]'"), on_cluster("local:1"):
        pass


def test_without_dask_it_is_said_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(TermgaugeError, match=r"pip install 'termgauge\[cluster\]'"), on_cluster("local:1"):
        pass
    with pytest.raises(TermgaugeError, match=r"pip install 'termgauge\[cluster\]'"), use_client(object()):
        pass


def test_a_worker_of_another_version_is_refused_and_named_whenever_it_comes(three, tmp_path):
    told = rf"The worker tcp://\S+ has termgauge 9.9.9, not {re.escape(version())}, and gets no work"
    with on_cluster(three.address) as place:
        three.add("other", **other_version(tmp_path))
        three.wait(4)
        try:
            with pytest.warns(TermgaugeWarning, match=told) as warned:
                done = list(place.map(sleep, [(0.05,)] * 40, label="sleep"))
            assert len(warned) == 1, "once"
            assert {each.value for each in done} == {0.05}
            assert len({each.worker for each in done}) == 3
            with pytest.warns(TermgaugeWarning, match=told):
                assert doubled_at(three.address, 12) == (3, [4] * 12)
        finally:
            three.remove("other")


def test_if_all_workers_are_of_another_version_there_is_no_cluster(client, monkeypatch):
    monkeypatch.setattr(connect, "version", lambda: "9.9.9")
    with pytest.raises(TermgaugeError, match=r"No worker of the cluster has termgauge") as raised:
        executor_of(client)
    assert f"has termgauge 9.9.9, but {version()};" in str(raised.value)


def test_other_versions_of_libraries_are_warned_of(client, monkeypatch):
    monkeypatch.setattr(connect, "_LIBRARIES", ("numpy", "polars", "no-such-library"))
    theirs = connect.library_versions(["numpy"])["numpy"]
    own = connect.library_versions(["polars"]) | {"numpy": "0.1", "no-such-library": "2"}
    monkeypatch.setattr(connect, "library_versions", lambda _names: own)
    with (
        pytest.warns(
            TermgaugeWarning, match=rf"numpy {theirs} \(here 0.1\); results may differ in their last digits"
        ) as warned,
    ):
        executor_of(client)
    assert len(warned) == 2
    assert "polars" not in str(warned[0].message)


def test_a_worker_that_does_not_say_its_version_keeps_nobody_waiting(client, monkeypatch):
    async def silent(**_asked):
        await asyncio.sleep(60)

    monkeypatch.setattr(client, "_get_versions", silent)
    monkeypatch.setattr(connect, "CONNECT_SECONDS", 0.2)
    assert [each.value for each in executor_of(client).map(double, [(2,)], label="double")] == [4]


@pytest.mark.parametrize("given", ["tcp://127.0.0.1:9", 3, object()])
def test_what_is_no_client_is_refused(given):
    with (
        pytest.raises(TermgaugeError, match="'client' must be a Dask client that is not asynchronous"),
        use_client(given),
    ):
        pass


def test_an_asynchronous_client_is_refused(client):
    async def refused():
        async with Client(client.scheduler.address, asynchronous=True, set_as_default=False) as made:
            with pytest.raises(TermgaugeError, match="not asynchronous"), use_client(made):
                pass

    asyncio.run_coroutine_threadsafe(refused(), client.loop.asyncio_loop).result(30)


def test_a_client_and_its_executor_are_executors(client):
    for given in (client, client.get_executor()):
        with use_client(given):
            assert [each.value for each in current_executor().map(double, [(2,)], label="double")] == [4]
        assert current_executor() is None
    with use_client(None):
        assert current_executor() is None
    assert client.status == "running"
