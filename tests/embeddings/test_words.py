from __future__ import annotations

import numpy as np
import pytest

from termgauge.embeddings.load import load_model
from termgauge.embeddings.store.vocabulary import Vocabulary
from termgauge.embeddings.table_models import rows_of
from tests.embeddings import vector_files as files


def test_a_word_is_a_row_and_no_other_word_has_one(tmp_path, table):
    words, vectors = table
    (tmp_path / "a.bin").write_bytes(files.word2vec_binary(words, vectors))
    model = load_model(tmp_path / "a.bin")
    assert not model.composes
    assert model.dimension == vectors.shape[1]
    np.testing.assert_array_equal(model.vectors(words[::-1]), vectors[::-1])
    assert model.known([words[0], "Fever", ""]).tolist() == [True, False, False]
    with pytest.raises(KeyError, match="'Fever'"):
        model.vectors([words[0], "Fever", "zzz"])


def test_rows_of_words():
    vocabulary = Vocabulary.from_words(["b", "a", "b"])
    assert rows_of(vocabulary, ["a", "b", "a"]).tolist() == [1, 0, 1]
    assert rows_of(vocabulary, []).tolist() == []
    with pytest.raises(KeyError, match="'c'"):
        rows_of(vocabulary, ["a", "c", "d"])
