"""docs/clusters/two-laptops.sh, on two machines that have nothing in common but a cable."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import ExitStack, contextmanager

import pytest

from tests.docs.machines import (
    FILES,
    SCORED,
    background,
    environment,
    finished,
    same_results,
    wait_until,
    workers_of,
)
from tests.engine.small_experiment import write_experiment

SCRIPT = str(FILES / "two-laptops.sh")
ADDRESSES = ("10.213.7.1", "10.213.7.2")


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


@contextmanager
def two_machines():
    """Give the names of two network namespaces that are joined by a cable and see nothing else."""
    names = [f"tg{os.getpid()}-{end}" for end in "ab"]
    made = []
    try:
        for name in names:
            ip("netns", "add", name)
            made.append(name)
        ip("link", "add", "end-a", "netns", names[0], "type", "veth", "peer", "name", "end-b", "netns", names[1])
        for name, end, address in zip(names, "ab", ADDRESSES, strict=True):
            ip("-n", name, "address", "add", f"{address}/24", "dev", f"end-{end}")
            ip("-n", name, "link", "set", f"end-{end}", "up")
            ip("-n", name, "link", "set", "lo", "up")
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"network namespaces cannot be made here: {error}")
    else:
        yield names
    finally:
        for name in made:
            subprocess.run(["ip", "netns", "delete", name], check=False)


def test_it_says_how_it_is_used(tmp_path):
    done = subprocess.run(["bash", SCRIPT], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "bash two-laptops.sh worker 192.168.1.10" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_keys_are_for_their_owner_alone(tmp_path):
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    subprocess.run(["bash", SCRIPT, "keys"], cwd=tmp_path, check=True)
    assert sorted(path.name for path in (tmp_path / "keys").iterdir()) == ["certificate.pem", "key.pem"]
    for path in (tmp_path / "keys", tmp_path / "keys" / "key.pem"):
        assert path.stat().st_mode & 0o077 == 0


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("ip") is None, reason="only root makes network namespaces")
def test_two_laptops(tmp_path, run_alone):
    first, second = tmp_path / "first", tmp_path / "second"
    path = write_experiment(first, SCORED)
    finished(["bash", SCRIPT, "keys"], environment(first / "cache"), first)
    shutil.copytree(first / "keys", second / "keys")
    with two_machines() as (one, two), ExitStack() as stack:
        for name, folder, words in (
            (one, first, ["scheduler"]),
            (one, first, ["worker", ADDRESSES[0]]),
            (two, second, ["worker", ADDRESSES[0]]),
        ):
            inside = ["ip", "netns", "exec", name, "bash", SCRIPT, *words]
            stack.enter_context(background(inside, environment(folder / "cache", MEMORY="1GB"), folder))
        wait_until(lambda: "Registered to" in (second / "output.txt").read_text(), "the second laptop's worker")
        inside = ["ip", "netns", "exec", one, "bash", SCRIPT, "run", ADDRESSES[0], path.name]
        finished(inside, environment(first / "cache"), first)
    same_results(first / "run", run_alone)
    assert any(ADDRESSES[1] in worker for worker in workers_of(first / "run"))
