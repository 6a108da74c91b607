"""Starting is quick because nothing heavy is imported: modules are counted, not seconds."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from termgauge.cli.application import COMMANDS

HEAVY = ("polars", "numba", "numpy", "scipy", "pandas", "rapidfuzz", "pooch", "sklearn", "pyarrow", "torch")
REPORT = "import sys; print(*sorted({name.partition('.')[0] for name in sys.modules}))"


def imported(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize(
    "code",
    [
        "import termgauge",
        "import termgauge; termgauge.__version__; dir(termgauge); termgauge.TermgaugeError",
        "import termgauge.terminology.options, termgauge.benchmark.options",
        "import termgauge.cli",
        "import termgauge.cli\ntry: termgauge.cli.main(['--help'])\nexcept SystemExit: pass",
        "import termgauge.cli\ntry: termgauge.cli.main(['--version'])\nexcept SystemExit: pass",
        "import termgauge.cli\ntry: termgauge.cli.main(['terminology', '--help'])\nexcept SystemExit: pass",
    ],
)
def test_nothing_heavy(code):
    found = imported(f"{code}\n{REPORT}")
    assert "termgauge" in found
    assert found.isdisjoint(HEAVY)


def test_the_check_can_fail():
    assert "polars" in imported(f"import termgauge.terminology.model\n{REPORT}")


def test_names_of_the_package():
    import termgauge

    assert set(termgauge.__all__) < set(dir(termgauge))
    assert all(hasattr(termgauge, name) for name in dir(termgauge))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = termgauge.nonsense


@pytest.mark.parametrize(
    ("arguments", "homes"),
    [(["--version"], set()), (["models", "--help"], {"models"}), (["init", "--help"], {"run"}), (["nonsense"], None)],
)
def test_a_command_loads_its_own_declarations_alone(arguments, homes):
    """Those of all commands together take half a second."""
    loaded = "import sys; print(*(name for name in sys.modules if name.startswith('termgauge.')))"
    found = imported(f"import termgauge.cli\ntry: termgauge.cli.main({arguments})\nexcept SystemExit: pass\n{loaded}")
    every = {home for names in COMMANDS.values() for home in names.values()} | {"tasks"}
    wanted = every if homes is None else homes
    assert {home for home in every if f"termgauge.cli.{home}" in found} == wanted
    assert ("termgauge.tasks.registry" in found) == (homes is None)
    assert ("termgauge.options" in found) == (homes != set())
