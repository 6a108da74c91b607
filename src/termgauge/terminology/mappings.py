"""Which concepts of two terminologies some mappings say are the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import content_hashes, files_of
from termgauge.plurals import numbered, plural
from termgauge.terminology.identifiers import Identifiers
from termgauge.terminology.mapping_forms import MAPPING_FORMS, RELATIONS, REVERSED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.io.source import SourceFile
    from termgauge.terminology.mapping_forms import MappingForm
    from termgauge.terminology.model import Terminology
    from termgauge.terminology.options import MappingOptions


@dataclass(frozen=True)
class Links:
    """Pairs of concepts that are the same."""

    pairs: pl.DataFrame
    """``first`` and ``second``: ids of the two terminologies, in the order of the mappings, each pair once."""
    identity: tuple[dict[str, Any], ...]
    """What each file is: its form and its hash."""
    notes: tuple[str, ...]


def read_links(first: Terminology, second: Terminology, options: MappingOptions) -> Links:
    """Read the mappings between two terminologies, in whichever direction they are written."""
    chosen = [each for place in options.mapping for each in _mappings(place)]
    if not chosen:
        raise TermgaugeError("No mapping was named; name a file that says which concepts are the same with --mapping.")
    names = [terminology.identity.slug for terminology in (first, second)]
    ids = [terminology.concepts["concept"] for terminology in (first, second)]
    known = [Identifiers(own) for own in ids]
    parts, notes = [], []
    for form, file in chosen:
        rows, passed_over = form.read(file, *ids)
        oriented, lost = _oriented(rows, *known)
        wanted = oriented.filter(pl.col("relation").is_in(options.mapping_relation))
        notes += _notes(file, names, wanted.height, oriented, lost, passed_over)
        parts.append(wanted)
    pairs = pl.concat(parts).select("first", "second").unique(maintain_order=True)
    if pairs.is_empty():
        raise TermgaugeError(
            f"No pair of concepts of {names[0]} and {names[1]} is left by the mapping. {' '.join(notes)} Name other "
            "relations with --mapping-relation, or another mapping."
        )
    hashes = content_hashes([file for _form, file in chosen])
    identity = tuple(
        {"form": form.name, "sha256": sha256} for (form, _file), sha256 in zip(chosen, hashes, strict=True)
    )
    return Links(pairs, identity, tuple(notes))


def _mappings(place: str) -> list[tuple[MappingForm, SourceFile]]:
    files = files_of(place)
    found = [(form, file) for file in files if (form := _form_of(file)) is not None]
    if not found:
        known = "; ".join(form.title for form in MAPPING_FORMS.values())
        raise TermgaugeError(f"{place}: is no mapping that termgauge knows; known are {known}.")
    return found


def _form_of(file: SourceFile) -> MappingForm | None:
    return next((form for form in MAPPING_FORMS.values() if form.sniff(file)), None)


def _oriented(rows: pl.DataFrame, first: Identifiers, second: Identifiers) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows with ids of the first terminology before those of the second, and the rows that have none."""
    rows = rows.with_columns(
        first=first.find_all(rows["source"]),
        second=second.find_all(rows["target"]),
        first_back=first.find_all(rows["target"]),
        second_back=second.find_all(rows["source"]),
    )
    forth = pl.col("first").is_not_null() & pl.col("second").is_not_null()
    back = ~forth & pl.col("first_back").is_not_null() & pl.col("second_back").is_not_null()
    oriented = rows.filter(forth | back).with_columns(
        first=pl.when(forth).then("first").otherwise("first_back"),
        second=pl.when(forth).then("second").otherwise("second_back"),
        relation=pl.when(forth).then("relation").otherwise(pl.col("relation").replace(REVERSED)),
    )
    return oriented.select("first", "second", "relation"), rows.filter(~(forth | back))


def _notes(
    file: SourceFile, names: Sequence[str], taken: int, oriented: pl.DataFrame, lost: pl.DataFrame, passed_over: int
) -> list[str]:
    tally = Counter(oriented["relation"].to_list())
    relations = ", ".join(f"{tally[each]:,} {each}" for each in RELATIONS if tally[each]) or "none"
    both = f"{names[0]} and {names[1]}"
    found = f"{numbered(oriented.height, 'row maps', 'rows map')} concepts of {both} ({relations})"
    notes = [f"{file.base}: {found}; {numbered(taken, 'is', 'are')} taken."]
    if lost.height:
        example = f"{lost['source'][0]} to {lost['target'][0]}"
        notes.append(
            f"{file.base}: {numbered(lost.height, 'row names', 'rows name')} a concept that {names[0]} or {names[1]} "
            f"lacks, such as {example}."
        )
    if passed_over:
        notes.append(
            f"{file.base}: {numbered(passed_over, 'row says', 'rows say')} nothing that holds in any case, and "
            f"{plural(passed_over, 'was', 'were')} passed over."
        )
    return notes
