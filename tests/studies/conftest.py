"""What tests of studies share: a disk that is soon full."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest


@pytest.fixture
def small_disk(tmp_path):
    """Return a folder on a disk of less than a megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = shutil.which("mount")
    if mount is None or os.name == "nt" or os.geteuid():
        pytest.skip("only root can mount a small disk")
    done = subprocess.run([mount, "-t", "tmpfs", "-o", "size=768k", "tmpfs", place], check=False, capture_output=True)
    if done.returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield place
    subprocess.run(["umount", place], check=True)
