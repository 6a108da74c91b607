from __future__ import annotations

import pytest

from termgauge.embeddings.store.vocabulary import Vocabulary
from termgauge.embeddings.table_models import looks_like_concepts

CUIS = [f"C{number:07}" for number in range(20)]


@pytest.mark.parametrize(
    ("words", "concepts"),
    [
        (CUIS, True),
        (["22298006", "404684003"], True),
        (["HP:0000118", "MONDO_0005148"], True),
        (["D009203", "C536897"], True),
        (["fever", "cough"], False),
        (["2010", "C1", "covid19", "1999"], False),
        ([*CUIS[:18], "fever", "</s>"], True),
        ([*CUIS[:17], "fever", "cough", "</s>"], False),
        ([], False),
    ],
)
def test_ids_look_like_ids(words, concepts):
    assert looks_like_concepts(Vocabulary.from_words(words)) == concepts
