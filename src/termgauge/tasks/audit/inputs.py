"""What all models of an audit read, and what rules find without any model."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from termgauge.tasks.audit.contrasts import Contrasts
from termgauge.tasks.audit.entries import Entries, read_entries
from termgauge.tasks.audit.forms import difference, forms
from termgauge.tasks.audit.hierarchy import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from termgauge.embeddings.model import Model
    from termgauge.terminology.model import Terminology

    Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]

EXCHANGED = "synonymous words"
"""The kind of terms that differ by words which the terminology uses for each other."""
_RANDOM = 20_000
_MOST_ALIKE = 50
"""Of so many terms that have one form, more are not compared with each other."""


@dataclass(frozen=True)
class AuditInputs:
    """A terminology, ready to be read."""

    entries: Entries
    hierarchy: Hierarchy
    contrasts: Contrasts
    identity: Mapping[str, str]
    stated: list[tuple[int, str, str]]
    """Replacements: the number of a retired concept, the id of the new one, the reason."""
    drawn: Pairs
    """Random pairs of terms of different concepts."""
    models: Mapping[str, Callable[[], Model]]
    rules: dict[tuple[int, int], str] = field(default_factory=dict)
    """Terms that differ by rules alone, the lesser number first, and by which."""
    renamed: dict[int, list[int]] = field(default_factory=dict)
    """Retired names that differ from active terms by rules alone: by number the entries."""


def read_inputs(terminology: Terminology, models: Mapping[str, Callable[[], Model]], seed: int) -> AuditInputs:
    """Read a terminology for an audit."""
    entries = read_entries(terminology)
    retired = {concept: at for at, concept in enumerate(entries.retired)}
    replacements = terminology.replacements.select("old", "new", "reason").unique(["old", "new"], maintain_order=True)
    contrasts = Contrasts(entries)
    rules, renamed = _by_rules(entries)
    rules = dict.fromkeys(contrasts.synonymous, EXCHANGED) | rules
    return AuditInputs(
        entries=entries,
        hierarchy=Hierarchy(terminology),
        contrasts=contrasts,
        identity={"edition": terminology.identity.edition, "version": terminology.identity.version},
        stated=[(retired[old], new, reason) for old, new, reason in replacements.iter_rows() if old in retired],
        drawn=_random_pairs(entries, seed),
        models=models,
        rules=rules,
        renamed=renamed,
    )


def _by_rules(entries: Entries) -> tuple[dict[tuple[int, int], str], dict[int, list[int]]]:
    """Return the terms of different concepts, and the retired names, that differ from others by rules alone."""
    alike: dict[str, list[int]] = {}
    for number, text in enumerate(entries.texts):
        for each in forms(text):
            alike.setdefault(each, []).append(number)
    rules: dict[tuple[int, int], str] = {}
    renamed: dict[int, list[int]] = {}
    active, concepts = len(entries), entries.concepts
    for numbers in alike.values():
        for one, other in combinations(numbers[:_MOST_ALIKE], 2):  # in order, so `one` is the lesser
            if other >= active:
                if one < active and one not in renamed.get(other - active, ()):
                    renamed.setdefault(other - active, []).append(one)
            elif concepts[one] != concepts[other] and (one, other) not in rules:
                rules[one, other] = difference(entries.texts[one], entries.texts[other])
    return rules, renamed


def _random_pairs(entries: Entries, seed: int) -> Pairs:
    draw = np.random.default_rng(seed)
    first, second = draw.integers(len(entries), size=(2, _RANDOM))
    different = entries.concepts[first] != entries.concepts[second]
    return first[different], second[different]
