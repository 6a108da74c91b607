from __future__ import annotations

import numpy as np
import pytest

from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError
from tests.embeddings import vector_files as files


def test_glove_words_with_spaces_and_numbers(tmp_path):
    words = [". . .", "2010", "at name@domain.com", "1 1/2", "in 2010", "-0.5", ","]
    vectors = np.random.default_rng(4).normal(size=(len(words), 6)).astype(np.float32)
    (tmp_path / "a.txt").write_bytes(files.glove(words, vectors))
    model = load_model(tmp_path / "a.txt")
    assert list(model.vocabulary) == words
    np.testing.assert_array_equal(model.vectors(words), vectors)


def test_a_file_without_numbers_is_none(tmp_path):
    (tmp_path / "a.txt").write_text("fever and cough\nheart\n")
    with pytest.raises(TermgaugeError, match=r"a\.txt: its first lines hold no word followed by numbers"):
        load_model(f"glove:{tmp_path / 'a.txt'}")
