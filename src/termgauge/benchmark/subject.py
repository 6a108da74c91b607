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
    languages: tuple[str, ...]
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
    if not options.languages:
        mine = in_language(terminology, options.language)
        code = code_of(options.language)
        return Subject(
            name=terminology.identity.slug + (f"-{code}" if code != ENGLISH else ""),
            identity=terminology.identity,
            languages=(options.language,),
            first=mine,
            second=mine,
            options={},
        )
    here, there = options.languages
    ids = terminology.concepts.select(first="concept", second="concept")
    return Subject(
        name="-".join((terminology.identity.slug, *map(code_of, options.languages))),
        identity=terminology.identity,
        languages=tuple(options.languages),
        first=in_language(terminology, here),
        second=in_language(terminology, there),
        links=ids,
        options={"languages": list(options.languages)},
    )


def subject_across(
    first: Terminology, second: Terminology, links: Links, options: BuildOptions, mapping: MappingOptions
) -> Subject:
    """Return what is built from two terminologies that mappings join; each may be in a language of its own."""
    languages = options.languages or [options.language]
    here, there = languages[0], languages[-1]
    pair = (first.identity, second.identity)
    relations = sorted(mapping.mapping_relation)
    joined = {
        "across": [asdict(identity) for identity in pair],
        "mapping": list(links.identity),
        "mapping_relation": relations,
    }
    codes = list(dict.fromkeys(map(code_of, languages)))
    suffix = "" if codes == [ENGLISH] else "".join(f"-{code}" for code in codes)
    return Subject(
        name=f"across/{first.identity.slug}/{second.identity.slug}{suffix}",
        identity=TerminologyIdentity(
            format="+".join(identity.format for identity in pair),
            edition="+".join(identity.edition for identity in pair),
            version="+".join(identity.version for identity in pair),
            sha256=sha256_of_value(joined),
        ),
        languages=tuple(dict.fromkeys(languages)),
        first=in_language(first, here),
        second=in_language(second, there),
        links=links.pairs,
        notes=links.notes,
        options=joined | ({"languages": list(languages)} if options.languages else {"language": here}),
    )
