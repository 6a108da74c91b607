"""Empty environments outside of this checkout, in which a wheel is installed at the pinned versions."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[1]
_OF_A_CHECKOUT = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
_SHOWN = 4000


class StepError(Exception):
    """A step of a release that did not do what it should."""


@dataclass(frozen=True)
class Environment:
    """A virtual environment, and the empty folder in which its commands are run."""

    place: Path
    work: Path

    @classmethod
    def empty(cls, folder: Path) -> Environment:
        """Make an environment in a folder, with nothing in it but pip."""
        environment = cls(folder / "environment", folder / "work")
        environment.work.mkdir(parents=True)
        venv.create(environment.place, with_pip=True)
        return environment

    @property
    def programs(self) -> Path:
        """Where ``python`` and ``termgauge`` are."""
        return self.place / ("Scripts" if os.name == "nt" else "bin")

    def run(self, command: str | Sequence[str], status: int = 0) -> str:
        """Run a command, or a line for bash, and return what it said; another exit status than wanted is an error."""
        said = command if isinstance(command, str) else " ".join(command)
        print(f"  $ {said}", flush=True)
        began = time.monotonic()
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command] if isinstance(command, str) else [*command],
            cwd=self.work,
            env=self._variables(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode != status:
            print(done.stdout[-_SHOWN:])
            raise StepError(f"'{said}' ended with status {done.returncode} where {status} was expected.")
        print(f"    {time.monotonic() - began:.0f} s", flush=True)
        return done.stdout

    def install(self, wheel: Path, extra: str = "") -> None:
        """Install a wheel with an extra at the pinned versions, and see that what is installed fits together."""
        pip = ("python", "-m", "pip", "--disable-pip-version-check")
        wanted = f"{wheel}[{extra}]" if extra else str(wheel)
        # What is never imported need not be compiled, which is most of the time that an install takes.
        options = ("--quiet", "--no-compile", "--constraint", str(ROOT / "constraints.txt"))
        self.run([*pip, "install", *options, wanted])
        self.run([*pip, "check"])

    def _variables(self) -> dict[str, str]:
        """Return the variables of a shell in which the environment is active, with caches of its own."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TERMGAUGE_")}
        for name in _OF_A_CHECKOUT:
            kept.pop(name, None)
        path = os.pathsep.join([str(self.programs), kept.get("PATH", os.defpath)])
        return {
            **kept,
            "PATH": path,
            "TERMGAUGE_CACHE_DIR": str(self.place / "termgauge-cache"),
            "XDG_STATE_HOME": str(self.place / "state"),
        }


def built(folder: Path) -> tuple[Path, Path]:
    """Build the sdist, and the wheel from it, into a folder; return where they are."""
    build_into(folder)
    return next(folder.glob("*.tar.gz")), next(folder.glob("*.whl"))


def build_into(folder: Path, *options: str, source: Path = ROOT) -> None:
    """Build a release of a source tree with the tools of this environment, so nothing is downloaded."""
    command = [sys.executable, "-m", "build", "--no-isolation", *options, "--outdir", str(folder), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise StepError(f"The release cannot be built.\n{(done.stdout + done.stderr)[-_SHOWN:]}")
