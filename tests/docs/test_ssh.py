"""docs/clusters/ssh.py, with a server of SSH that runs commands here."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import threading
from contextlib import contextmanager, suppress

import pytest
from dask.config import deserialize

from tests.docs.machines import FILES, SCORED, environment, finished, same_results, workers_of
from tests.engine.small_experiment import write_experiment

asyncssh = pytest.importorskip("asyncssh")


@contextmanager
def loop_in_thread():
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def copy(source, target):
    while line := await source.readline():
        target.write(line.decode())


async def signalled(process):
    """Wait until the client sends a signal; that it says no more is none."""
    with suppress(asyncssh.SignalReceived, asyncssh.BreakReceived):
        await process.stdin.read()
        await asyncio.Event().wait()


@contextmanager
def machine(home, env, asked):
    """Give a machine that one may log into with the key in a home folder."""
    ours, theirs = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    (home / ".ssh").mkdir(parents=True)
    ours.write_private_key(home / ".ssh" / "id_ed25519")
    ours.write_public_key(home / ".ssh" / "authorized_keys")

    async def work(process):
        asked.append(process.command)
        program = await asyncio.create_subprocess_shell(
            process.command,
            env=env,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        copied = asyncio.gather(copy(program.stdout, process.stdout), copy(program.stderr, process.stderr))
        ended = [asyncio.ensure_future(each) for each in (copied, signalled(process), process.wait_closed())]
        try:
            await asyncio.wait(ended, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in ended:
                each.cancel()
            with suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGTERM)
            process.exit(await program.wait())

    async def served():
        return await asyncssh.listen(
            "127.0.0.1",
            0,
            server_host_keys=[theirs],
            authorized_client_keys=str(home / ".ssh" / "authorized_keys"),
            process_factory=work,
        )

    with loop_in_thread() as loop:
        server = asyncio.run_coroutine_threadsafe(served(), loop).result(30)
        port = server.sockets[0].getsockname()[1]
        (home / ".ssh" / "known_hosts").write_text(f"[127.0.0.1]:{port} {theirs.export_public_key().decode()}")
        (home / ".ssh" / "config").write_text(f"Host node1 node2\n  HostName 127.0.0.1\n  Port {port}\n")
        yield
        server.close()
        asyncio.run_coroutine_threadsafe(server.wait_closed(), loop).result(30)


def test_machines_that_are_reached_by_ssh(tmp_path, run_alone):
    asked = []
    path = write_experiment(tmp_path / "work", SCORED)
    home = tmp_path / "home"
    words = [sys.executable, str(FILES / "ssh.py"), path.name, "node1", "node2", "--workers", "1", "--memory", "1GB"]
    with machine(home, environment(tmp_path / "their-cache"), asked):
        finished(words, environment(tmp_path / "cache", HOME=str(home)), path.parent)
    same_results(path.parent / "run", run_alone)
    assert workers_of(path.parent / "run")
    started = [each for each in asked if "dask_spec" in each]
    assert len(started) == 3
    for each in started[1:]:
        assert '"nthreads": 1, "memory_limit": "1GB"' in each
        config = deserialize(re.search(r'DASK_INTERNAL_INHERIT_CONFIG="?([^"\s]+)', each)[1])
        assert config["distributed"]["nanny"]["pre-spawn-environ"]["NUMBA_NUM_THREADS"] == 1
