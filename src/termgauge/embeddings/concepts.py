"""Concept vectors: looked up by the concept's id in its terminology, never split into words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from termgauge.embeddings.words import StoredVectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from termgauge.embeddings.model import Kind
    from termgauge.embeddings.store.vocabulary import Vocabulary

_CONCEPT_ID = re.compile(
    rb"C\d{7}"  # UMLS
    rb"|\d{6,18}"  # SNOMED CT
    rb"|[A-Za-z][A-Za-z0-9]*[:_]\d{3,}"  # HP:0000118, SCTID_…
    rb"|[CD]\d{6,9}"  # MeSH
)
_SAMPLE = 1000
_SHARE = 0.9


@dataclass(frozen=True, repr=False)
class ConceptVectors(StoredVectors):
    """A model that has a vector for each concept id of its table."""

    kind: ClassVar[Kind] = "concepts"

    def find(self, concepts: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each concept, -1 where it has none."""
        return self.vocabulary.find(concepts)


def looks_like_concepts(vocabulary: Vocabulary) -> bool:
    """Say whether most of the first words are concept ids."""
    sample = [vocabulary.words.raw(row) for row in range(min(_SAMPLE, len(vocabulary.words)))]
    alike = sum(1 for word in sample if _CONCEPT_ID.fullmatch(word))
    return bool(sample) and alike >= _SHARE * len(sample)
