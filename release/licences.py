"""The licences of installed packages, as their own metadata say."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
UNKNOWN = "not stated"
_LONGEST = 60
_GPL = re.compile(r"(?<!L)GPL|(?<!Lesser )(?<!Library )General Public Licen[sc]e", re.IGNORECASE)


@dataclass(frozen=True)
class Licence:
    """The licence of one package."""

    name: str
    version: str
    licence: str

    @property
    def is_gpl(self) -> bool:
        """Whether it is the GPL or the AGPL, and not the LGPL; a package under Apache-2.0 must not need these."""
        return bool(_GPL.search(self.licence))


def licence_of(package: metadata.Distribution) -> Licence:
    """Return what a package says of its licence: an expression, else classifiers, else a short text."""
    about = package.metadata
    classifiers = [
        each.split(" :: ")[-1] for each in about.get_all("Classifier") or () if each.startswith("License ::")
    ]
    named = "; ".join(each for each in classifiers if each != "OSI Approved")
    expression, text = ((about.get_all(field) or [""])[0] for field in ("License-Expression", "License"))
    return Licence(about["Name"], package.version, expression or named or text.split("\n")[0][:_LONGEST] or UNKNOWN)


def plain_name(name: str) -> str:
    """Return the one spelling of a package's name that indexes go by."""
    return re.sub(r"[-_.]+", "-", name).lower()


def needed(*requirements: str) -> dict[str, metadata.Distribution]:
    """Return the installed packages that some requirements bring, by their plain names."""
    waiting, found = [Requirement(each) for each in requirements], dict[str, metadata.Distribution]()
    seen = set[tuple[str, str]]()
    while waiting:
        requirement = waiting.pop()
        name = plain_name(requirement.name)
        for extra in {"", *requirement.extras}:
            if (name, extra) in seen:
                continue
            seen.add((name, extra))
            found[name] = package = metadata.distribution(name)
            each_needs = [Requirement(each) for each in package.requires or ()]
            waiting += [each for each in each_needs if each.marker is None or each.marker.evaluate({"extra": extra})]
    return dict(sorted(found.items()))


def core() -> list[Licence]:
    """Return the licences of what termgauge needs without any extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [licence_of(package) for package in needed(*project["dependencies"]).values()]
