from __future__ import annotations

import numpy as np
import pytest

from termgauge.embeddings.load import load_model
from termgauge.embeddings.store.vocabulary import Vocabulary
from termgauge.tasks.vocabulary.measure import overlaps, vocabulary_of, whole_words
from tests.embeddings import vector_files as files
from tests.tasks.vocabulary.known_words import SETS, pairs, write_models


@pytest.fixture
def models(tmp_path):
    return write_models(tmp_path)


def test_coverage_and_its_range(models):
    one, two, random, edit = (vocabulary_of(model, SETS, unknown=2) for model in models)
    assert one.coverage == {"human/one": 2 / 3, "hp/fsn-syn": 0.0, "hp/syn-syn": 1.0}
    assert one.ranges == {"human": (2 / 3, 2 / 3), "built": (0.0, 1.0)}
    assert two.coverage == {"human/one": 0.0, "hp/fsn-syn": 0.5, "hp/syn-syn": 1.0}
    assert set(random.coverage.values()) == {1.0}
    assert edit.coverage == {}
    assert (one.size, one.dimension, random.size, edit.dimension) == (4, 3, None, None)
    assert (one.any_word, random.any_word) == (False, True)
    assert [(each.word, each.terms) for each in one.unknown] == [("burn", 3), ("rash", 3)]
    assert [(each.word, each.terms) for each in two.unknown] == [("burn", 3), ("attack", 1)]


def test_a_set_without_pairs_has_no_coverage(models):
    found = vocabulary_of(models[0], [*SETS, pairs("none", [], [])])
    assert found.coverage["none"] is None
    assert found.ranges["built"] == (0.0, 1.0)
    assert found.unknown == []


def test_coverage_counts_unknown_words_whatever_the_policy(models):
    lenient = load_model(f"{models[0].source}?missing=available")
    assert vocabulary_of(models[0], SETS).coverage == vocabulary_of(lenient, SETS).coverage


def test_overlap_is_the_share_of_the_column_that_the_row_has(models):
    matrix = overlaps(models)
    assert matrix[0, 1] == 0.5  # A has "fever" of B's two words
    assert matrix[1, 0] == 0.25
    assert np.isnan(matrix[[0, 0, 2], [0, 2, 0]]).all()


def test_words_are_found_in_lower_case_too(tmp_path, models):
    (tmp_path / "D.txt").write_bytes(files.word2vec_text(["Fever", "Cough", "Rash"], np.ones((3, 2), np.float32)))
    matrix = overlaps([models[0], load_model(tmp_path / "D.txt")])
    assert matrix[0, 1] == 2 / 3
    assert matrix[1, 0] == 0


def test_repeated_words_count_once(tmp_path, models):
    (tmp_path / "C.txt").write_bytes(files.word2vec_text(["fever", "fever", "x"], np.ones((3, 2), np.float32)))
    with pytest.warns(UserWarning, match="more than once"):
        third = load_model(tmp_path / "C.txt")
    assert overlaps([models[0], third])[0, 1] == 0.5


@pytest.mark.parametrize(
    "tokens",
    [
        ["▁fever", "▁cough", "▁burn", "er", "heart"],
        ["Ġfever", "Ġcough", "Ġburn", "er", "heart"],
        ["fever", "cough", "burn", "##er", "##heart"],
    ],
)
def test_marks_of_tokenizers_are_no_part_of_a_word(tmp_path, models, tokens):
    (tmp_path / "tokens.txt").write_bytes(files.word2vec_text(tokens, np.ones((5, 2), np.float32)))
    matrix = overlaps([models[0], load_model(tmp_path / "tokens.txt")])
    assert matrix[0, 1] == 2 / 3  # fever and cough of three words; pieces are none
    assert matrix[1, 0] == 2 / 4


def test_a_few_odd_words_make_no_tokenizer():
    words = [f"word{place}" for place in range(40)] + ["##", "▁x"]
    assert list(whole_words(Vocabulary.from_words(words))) == words
    assert list(whole_words(Vocabulary.from_words([]))) == []
