"""Write the hashes of all files of each pinned package: ``python -m release.make_locks``, in a development environment.

``constraints.txt`` says which version of each package is used, for people to change. The locks beside it also say what
the files of these versions hold, on all platforms, for pip to check: ``locked.txt`` all packages, ``locked-run.txt``
what ``make run`` needs. Packages are looked up on pip's default index.
"""

from __future__ import annotations

import re
import sys
import time
import tomllib
import urllib.error
import urllib.request

from pip._internal.models.index import PyPI

from release.licences import ROOT, needed, plain_name

EXTRAS = ("examples",)
"""What ``make run`` installs."""
BUILDS = (
    *("editables", "hatch-vcs", "hatchling", "packaging", "pathspec", "pluggy", "setuptools", "setuptools-scm"),
    *("tomlkit", "trove-classifiers", "typing-extensions", "vcs-versioning"),
)
"""What builds the package, and is in no environment otherwise."""
ELSEWHERE = ("colorama",)
"""What the default run needs on other platforms alone; it is installed on all."""
_PIN = re.compile(r"([A-Za-z0-9._-]+)==(\S+)")
_FILE = re.compile(r'href="[^"#]*/([^"/#]+)#sha256=([0-9a-f]{64})"')
_TRIES = 4


def hashes(name: str, version: str) -> list[str]:
    """Return the SHA-256 of each file of a version of a package."""
    plain = plain_name(name)
    page = _page(f"{PyPI.simple_url}/{plain}/")
    stem = re.escape(plain).replace("\\-", "[-_.]+")
    mine = re.compile(rf"{stem}-{re.escape(version)}(-.+\.whl|\.tar\.gz|\.zip)", re.IGNORECASE)
    found = sorted({sha256 for file, sha256 in _FILE.findall(page) if mine.fullmatch(file)})
    if not found:
        sys.exit(f"{name}=={version}: the index has no file of it.")
    return found


def _page(address: str) -> str:
    for again in range(_TRIES):
        try:
            with urllib.request.urlopen(address, timeout=60) as answer:  # noqa: S310 - pip's own index
                text: str = answer.read().decode("utf-8")
                return text
        except urllib.error.URLError:
            if again + 1 == _TRIES:
                raise
            time.sleep(2**again)
    raise AssertionError


def of_default_run() -> set[str]:
    """Return the packages that the default run needs, by what the installed ones say they need."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [*project["dependencies"], *(each for extra in EXTRAS for each in project["optional-dependencies"][extra])]
    return {*needed(*asked), *ELSEWHERE, *BUILDS}


def main() -> None:
    """Write both locks."""
    pins = _PIN.findall((ROOT / "constraints.txt").read_text(encoding="utf-8"))
    entries = {}
    for name, version in pins:
        sums = [f"--hash=sha256:{each}" for each in hashes(name, version)]
        entries[plain_name(name)] = " \\\n    ".join([f"{name}=={version}", *sums])
    run = of_default_run()
    if missing := sorted(run - set(entries)):
        sys.exit(f"constraints.txt has no version of {', '.join(missing)}.")
    for lock, names in (("locked.txt", set(entries)), ("locked-run.txt", run)):
        lines = ["# Written by release/make_locks.py; change constraints.txt, not this file."]
        lines += [entry for name, entry in entries.items() if name in names]
        (ROOT / lock).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
