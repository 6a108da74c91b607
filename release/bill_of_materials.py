"""Say what the wheel installs: ``make sbom`` writes a CycloneDX document and a table of licences into ``dist``.

Both are of an empty environment into which the wheel was installed with the extra ``examples``, at the pinned versions.
"""

from __future__ import annotations

import csv
import io
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from release.environments import ROOT, Environment, StepError, built
from release.licences import Licence, licence_of
from termgauge.io.atomic import write_text

if TYPE_CHECKING:
    from collections.abc import Iterable

EXTRA = "examples"


def bill_of(environment: Environment) -> str:
    """Return the CycloneDX document of an environment, as JSON."""
    place = str(environment.programs / "python")
    command = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible", place]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def licences_of(environment: Environment) -> list[Licence]:
    """Return the licences of what is installed in an environment."""
    folders = [str(each.parent) for each in environment.place.glob("**/site-packages/termgauge")]
    packages = metadata.distributions(path=folders)
    return sorted(map(licence_of, packages), key=lambda each: each.name.lower())


def as_csv(licences: Iterable[Licence]) -> str:
    """Return licences as a table."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["name", "version", "licence"])
    rows.writerows([each.name, each.version, each.licence] for each in licences)
    return text.getvalue()


def main() -> None:
    """Write both files."""
    with tempfile.TemporaryDirectory(prefix="termgauge-bill-") as folder:
        try:
            _, wheel = built(Path(folder, "dist"))
            environment = Environment.empty(Path(folder))
            environment.install(wheel, EXTRA)
            environment.run(["python", "-m", "pip", "uninstall", "--quiet", "--yes", "setuptools", "pip"])
        except StepError as error:
            sys.exit(str(error))
        release = "-".join(wheel.name.split("-")[:2])
        bill, licences = bill_of(environment), licences_of(environment)
    for name, text in ((f"{release}.cdx.json", bill), (f"{release}-licences.csv", as_csv(licences))):
        write_text(ROOT / "dist" / name, text)
        print(f"Written: dist/{name}")
    print(
        f"{len(licences)} packages; under the GPL: {', '.join(each.name for each in licences if each.is_gpl) or 'none'}"
    )


if __name__ == "__main__":
    main()
