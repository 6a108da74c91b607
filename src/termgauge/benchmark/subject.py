"""What a benchmark is about: a terminology in one language, in two, or two terminologies and what joins them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

from termgauge.benchmark.positives import Positives, find_positives, find_positives_across
from termgauge.benchmark.sets import FSN_SYN, SYN_SYN, select_sets
from termgauge.exceptions import TermgaugeError
from termgauge.io.identity import sha256_of_value
from termgauge.terminology.languages import ENGLISH, code_of
from termgauge.terminology.mappings import read_links
from termgauge.terminology.model import Terminology, TerminologyIdentity, in_language
from termgauge.terminology.read import read_with

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl

    from termgauge.benchmark.options import BuildOptions
    from termgauge.benchmark.sets import SetName
    from termgauge.terminology.mappings import Links
    from termgauge.terminology.options import MappingOptions, ReadingOptions


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What a benchmark is about."""

    name: str
    """How the ids of its sets begin: ``hp-2025-01-16``, ``hp-2025-01-16-en-es``."""
    identity: TerminologyIdentity
    first: Terminology
    second: Terminology
    """Where the second terms of pairs are from; the same as the first unless pairs go across."""
    links: pl.DataFrame | None = None
    """Which concepts of the first and the second are the same, where pairs go across; else None."""
    notes: tuple[str, ...] = ()
    options: dict[str, Any]
    """What the manifest says besides the other options of the build."""

    def positives(self, options: BuildOptions) -> Positives:
        """Find its positive pairs."""
        if self.links is None:
            return find_positives(self.first, options)
        positives = find_positives_across((self.first, self.second), self.links, options)
        return replace(positives, notes=(*self.notes, *positives.notes))

    def sets(self, only: Iterable[str]) -> tuple[SetName, ...]:
        """Return which of its sets some words choose; pairs that go across are of two kinds alone."""
        chosen = select_sets(only)
        if self.links is None:
            return chosen
        if left := tuple(name for name in chosen if name.kind in (FSN_SYN, SYN_SYN)):
            return left
        raise TermgaugeError(f"Pairs across languages or terminologies are of the kinds {FSN_SYN} and {SYN_SYN} alone.")


def read_subject(
    source: Any,  # noqa: ANN401
    options: BuildOptions,
    mapping: MappingOptions | None,
    reading: ReadingOptions,
) -> Subject:
    """Read what is built: a terminology, or two that a mapping joins; in a language, if they are not read yet."""

    def read(source: Any, language: str | None) -> Terminology:  # noqa: ANN401
        is_read = isinstance(source, Terminology)
        return read_with(source, reading if is_read else reading.model_copy(update={"language": language}))

    if mapping is None:
        return subject_of(read(source, None if options.languages else options.language), options)
    sources = [source] if isinstance(source, Terminology | str | PathLike) else list(source)
    if len(sources) != 2:
        raise TermgaugeError(f"Pairs go across two terminologies, but {len(sources)} were named; name two.")
    if options.without is not None:
        raise TermgaugeError("An audit is of one terminology, so --without has no effect across two; leave it out.")
    languages = options.languages or [options.language]
    first, second = read(sources[0], languages[0]), read(sources[1], languages[-1])
    return subject_across(first, second, read_links(first, second, mapping), options, mapping)


def subject_of(terminology: Terminology, options: BuildOptions) -> Subject:
    """Return what is built from one terminology: in its one language, or across two."""
    languages = options.languages or [options.language]
    sides = [in_language(terminology, language) for language in languages]
    return Subject(
        name=f"{terminology.identity.slug}{_suffix(languages)}",
        identity=terminology.identity,
        first=sides[0],
        second=sides[-1],
        links=terminology.concepts.select(first="concept", second="concept") if options.languages else None,
        options={"languages": list(languages)} if options.languages else {},
    )


def subject_across(
    first: Terminology, second: Terminology, links: Links, options: BuildOptions, mapping: MappingOptions
) -> Subject:
    """Return what is built from two terminologies that mappings join; each may be in a language of its own."""
    languages = options.languages or [options.language]
    joined = {
        "across": [asdict(terminology.identity) for terminology in (first, second)],
        "mapping": list(links.identity),
        "mapping_relation": sorted(mapping.mapping_relation),
    }
    one, other = first.identity, second.identity
    return Subject(
        name=f"across/{one.slug}/{other.slug}{_suffix(languages)}",
        identity=TerminologyIdentity(
            format=f"{one.format}+{other.format}",
            edition=f"{one.edition}+{other.edition}",
            version=f"{one.version}+{other.version}",
            sha256=sha256_of_value(joined),
        ),
        first=in_language(first, languages[0]),
        second=in_language(second, languages[-1]),
        links=links.pairs,
        notes=links.notes,
        options=joined | ({"languages": list(languages)} if options.languages else {"language": languages[0]}),
    )


def _suffix(languages: Iterable[str]) -> str:
    """Return what languages add to the name of a benchmark: nothing if English is the only one."""
    codes = list(dict.fromkeys(map(code_of, languages)))
    return "" if codes == [ENGLISH] else "".join(f"-{code}" for code in codes)
