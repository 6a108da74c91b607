from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.embeddings.encoders.encoding import CachedTermModel
from termgauge.embeddings.load import load_model
from termgauge.embeddings.store.vocabulary import Vocabulary
from termgauge.exceptions import TermgaugeError
from termgauge.tasks.ner.vectors import ONE_BY_ONE, token_vectors
from tests.embeddings import vector_files as files
from tests.embeddings.toy_encoders import CountingEncoder, vector_of

WORDS = ["fever", "Fever", "dna", "cough", "IL-2"]
ROWS = np.array([[3.0, 4.0], [6, 8], [-1, 5], [20, 0], [0.5, 7]], np.float32)


@pytest.fixture
def model(tmp_path):
    """A file of five words whose vectors have many lengths."""
    (tmp_path / "vectors.bin").write_bytes(files.word2vec_binary(WORDS, ROWS))
    return load_model(tmp_path / "vectors.bin")


def test_a_word_as_written_else_in_lower_case_else_unknown(model):
    found = token_vectors(model, ["Fever", "FEVER", "DNA", "il-2", "IL-2", "rash", "Fever"])
    rows = found.rows[found.rows_of(["Fever", "FEVER", "DNA", "IL-2"])]
    np.testing.assert_array_equal(rows, ROWS[[1, 0, 2, 4]])  # as in the file, not normalised
    assert found.rows_of(["il-2", "rash", "never seen"]).tolist() == [found.unknown_row] * 3
    assert len(found.rows) == 4 + 2  # cough is not of the corpus
    assert np.isnan(found.rows[[found.unknown_row, found.padding_row]]).all()
    assert found.share_known(["Fever", "rash", "rash", "DNA"]) == 0.5
    assert (found.note, found.dimension, found.share_known([])) == ("", 2, 0)


def test_files_have_rows_of_their_own_for_unknown_and_padding(tmp_path):
    (tmp_path / "vectors.txt").write_bytes(files.glove([*WORDS[:3], "UNKNOWN", "PADDING"], ROWS))
    found = token_vectors(load_model(tmp_path / "vectors.txt"), ["fever", "UNKNOWN", "rash"])
    assert found.rows.tolist() == ROWS[[0, 3, 4]].tolist()
    assert found.rows_of(["rash", "UNKNOWN"]).tolist() == [1, 1]
    assert found.padding_row == 2
    assert found.share_known(["UNKNOWN", "rash"]) == 0.5


def test_only_the_first_words_of_a_file(model):
    found = token_vectors(model, ["Fever", "DNA", "IL-2"], max_words=3)
    assert found.share_known(["Fever", "DNA", "IL-2"]) == pytest.approx(2 / 3)
    assert token_vectors(model, ["Fever", "DNA"], max_words=1).rows[:1].tolist() == ROWS[:1].tolist()
    with pytest.raises(TermgaugeError, match="leave out max_words"):
        token_vectors(CachedTermModel(CountingEncoder()), ["fever"], max_words=3)
    with pytest.raises(TermgaugeError, match="no vector for any of the 1 different tokens of the corpus"):
        token_vectors(model, ["IL-2"], max_words=2)


def test_who_asks_for_lower_case_gets_nothing_else(tmp_path):
    (tmp_path / "vectors.bin").write_bytes(files.word2vec_binary(WORDS, ROWS))
    found = token_vectors(load_model(f"{tmp_path / 'vectors.bin'}?lowercase=true"), ["Fever", "IL-2"])
    assert found.rows[:1].tolist() == ROWS[:1].tolist()
    assert found.share_known(["IL-2"]) == 0


def test_a_model_of_subwords_makes_what_its_dictionary_lacks(tmp_path):
    matrix = np.random.default_rng(1).normal(size=(2 + 20, 4)).astype(np.float32)
    (tmp_path / "model.bin").write_bytes(files.fasttext(["fever", "cough"], matrix, buckets=20))
    model = load_model(tmp_path / "model.bin")
    found = token_vectors(model, ["Fever", "feverish", "x", "PADDING"])
    wanted = model.vectors(["fever", "feverish"])
    np.testing.assert_array_equal(found.rows[found.rows_of(["Fever", "feverish"])], wanted)
    assert found.share_known(["Fever", "feverish", "x"]) == 1  # <x> is an n-gram of three
    assert np.isnan(found.rows[found.unknown_row]).all()


def test_encoders_of_terms_are_given_each_token_once():
    encoder = CountingEncoder()
    found = token_vectors(CachedTermModel(encoder), ["Fever", "fever", "Fever", "\t"])
    assert sorted(encoder.asked) == ["Fever", "fever"]
    assert found.note == ONE_BY_ONE
    np.testing.assert_array_equal(found.rows[found.rows_of(["fever"])[0]], vector_of("fever"))
    assert found.rows_of(["\t"])[0] == found.unknown_row


def test_a_word_in_pieces_is_the_mean_of_them(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    tokens = ["[UNK]", "fever", "##ish"]
    pieces = tokenizers.models.WordPiece({token: number for number, token in enumerate(tokens)}, unk_token="[UNK]")
    tokenizers.Tokenizer(pieces).save(str(tmp_path / "tokenizer.json"))
    rows = np.array([[9, 9], [1, 2], [3, 6]], np.float32)
    (tmp_path / "model.safetensors").write_bytes(files.safetensors({"embeddings": rows}))
    found = token_vectors(load_model(tmp_path), ["feverish", "fever", "rash"])
    assert found.rows[found.rows_of(["feverish", "fever"])].tolist() == [[2, 4], [1, 2]]
    assert (found.note, found.rows_of(["rash"])[0]) == (ONE_BY_ONE, found.unknown_row)


def test_models_that_cannot_serve(tmp_path):
    with pytest.raises(TermgaugeError, match="no vectors; named entities need a model of words or of terms"):
        token_vectors(load_model("baseline:levenshtein"), ["fever"])
    ids = [f"C{number:07}" for number in range(5)]
    (tmp_path / "ids.txt").write_bytes(files.word2vec_text(ids, ROWS))
    with pytest.raises(TermgaugeError, match="'ids' has vectors of concepts"):
        token_vectors(load_model(tmp_path / "ids.txt"), ["fever"])


def test_vectors_that_are_no_numbers_name_the_word(tmp_path, model):
    with pytest.raises(TermgaugeError, match="no vector for any of the 2 different tokens"):
        token_vectors(model, ["Fieber", "Husten", "Fieber"])
    spoiled = ROWS.copy()
    spoiled[2, 1] = np.nan
    (tmp_path / "spoiled.bin").write_bytes(files.word2vec_binary(WORDS, spoiled))
    with pytest.raises(TermgaugeError, match="vector of 'dna' holds nan"):
        load_model(tmp_path / "spoiled.bin")
    made = SimpleNamespace(
        name="made", kind="words", composes=False, dimension=2, vocabulary=Vocabulary.from_words(WORDS), known=None,
        vectors=lambda words: spoiled[[WORDS.index(word) for word in words]],
    )  # fmt: skip
    with pytest.raises(TermgaugeError, match="'made': the vector of 'dna' holds something that is no finite number"):
        token_vectors(made, ["fever", "DNA"])


@given(st.lists(st.sampled_from(["fever", "Fever", "FEVER", "dNA", "dna", "rash", "Rash", "", "ß", "İL-2", "PADDING"])))
def test_equals_the_definition(tokens):
    table = dict(zip([*WORDS, "UNKNOWN"], [*ROWS.tolist(), [9.0, 9.0]], strict=True))
    made = SimpleNamespace(
        name="made", kind="words", composes=False, dimension=2, vocabulary=Vocabulary.from_words(list(table)),
        vectors=lambda words: np.array([table[word] for word in words], np.float32).reshape(-1, 2),
    )  # fmt: skip
    found = token_vectors(made, [*tokens, "fever"])
    wanted = [table.get(token, table.get(token.lower(), table["UNKNOWN"])) for token in tokens]
    assert found.rows[found.rows_of(tokens)].tolist() == np.array(wanted, np.float32).reshape(-1, 2).tolist()
    known = sum(token in table or token.lower() in table for token in tokens)
    assert found.share_known(tokens) == known / max(1, len(tokens))
