"""What kinds of models there are, for people: each scheme, its options, and what must be installed for it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from termgauge.embeddings.schemes import EXTRAS, all_schemes, find_scheme
from termgauge.io.identity import library_versions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from termgauge.embeddings.schemes import Extra, Option, Scheme


@dataclass(frozen=True)
class SchemeDescription:
    """One scheme, or one baseline."""

    name: str
    kinds: str
    about: str
    options: Mapping[str, str]
    """What each option may be, the default first; in brackets if it has none or the model's own files say it."""
    meanings: Mapping[str, str]
    """What each option means."""
    extra: str
    installed: bool
    """Whether the packages of its extra are there."""
    default_location: str
    """What it opens when no location is given; empty if one must be."""


@dataclass(frozen=True)
class ExtraDescription:
    """One extra, and which of its packages are there."""

    name: str
    packages: Mapping[str, str | None]
    """The version of each package, None where it is not installed."""
    megabytes: int

    @property
    def installed(self) -> bool:
        """Whether nothing is missing."""
        return None not in self.packages.values()


@dataclass(frozen=True)
class Catalogue:
    """All schemes and extras."""

    schemes: tuple[SchemeDescription, ...]
    extras: tuple[ExtraDescription, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-like values."""
        extras = [{**asdict(extra), "installed": extra.installed} for extra in self.extras]
        return {"schemes": [asdict(scheme) for scheme in self.schemes], "extras": extras}


def describe_schemes(scheme: str | None = None) -> Catalogue:
    """Return what models can be opened here, or only one scheme."""
    wanted = (scheme or "").rstrip(":")
    chosen = {name: known for name, known in all_schemes().items() if wanted in ("", name, name.partition(":")[0])}
    if not chosen:
        find_scheme(wanted)
    needed = {known.extra for known in chosen.values()}
    extras = {name: _extra(name, extra) for name, extra in EXTRAS.items() if name in needed}
    return Catalogue(tuple(_scheme(known, extras) for known in chosen.values()), tuple(extras.values()))


def _scheme(known: Scheme, extras: Mapping[str, ExtraDescription]) -> SchemeDescription:
    return SchemeDescription(
        known.name,
        ", ".join(known.kinds),
        known.about,
        {each: _values(option) for each, option in known.options.items()},
        {each: option.about for each, option in known.options.items()},
        known.extra,
        not known.extra or extras[known.extra].installed,
        known.default_location,
    )


def _values(option: Option) -> str:
    choices = ("true", "false") if option.kind == "flag" else option.choices
    if not choices:
        return option.default or ("[NUMBER]" if option.kind == "integer" else "[TEXT]")
    listed = " | ".join(sorted(choices, key=lambda choice: choice != option.default))
    return listed if option.default else f"[{listed}]"


def _extra(name: str, extra: Extra) -> ExtraDescription:
    versions = library_versions(extra.packages)
    return ExtraDescription(name, {package: versions.get(package) for package in extra.packages}, extra.megabytes)
