"""The real server of a study, as a process of its own that can be killed."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import contextmanager

COMMAND = [sys.executable, "-c", "from termgauge.cli import main; main()", "study"]


def start(folder, *options, port=0):
    """Start the server and wait until it tells its address; return the process and the address."""
    process = subprocess.Popen(
        [*COMMAND, "serve", str(folder), "--port", str(port), *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ.copy(),
    )  # fmt: skip
    given_up = threading.Timer(60, process.kill)
    given_up.start()
    address = process.stdout.readline().strip()
    given_up.cancel()
    if not address:
        raise RuntimeError(process.communicate()[1])
    return process, address


@contextmanager
def running(folder, *options, port=0):
    """Run the server; what is left of it is killed at the end."""
    process, address = start(folder, *options, port=port)
    try:
        yield process, address
    finally:
        process.kill()
        process.communicate()
