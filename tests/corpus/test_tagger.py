"""The tagger, and the file that it is kept in."""

from __future__ import annotations

import io
import json
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.corpus import tagger as tagger_module
from termgauge.corpus.sentences import sentences
from termgauge.corpus.tagger import SHIPPED, Tagger, read_tagger
from termgauge.corpus.tagger_kernel import Perceptron
from termgauge.exceptions import TermgaugeError
from termgauge.io.documents import Document, DocumentMetadata

TAGGED = "The\tDT\ncells\tNNS\ngrow\tVBP\n.\t.\n\nA\tDT\ngene\tNN\nactivates\tVBZ\nit\tPRP\n.\t.\n\n" * 25
TEXT = "The protein activates two genes. Human T cells were isolated (n=5) and cultured with IL-2."


@pytest.fixture(scope="module")
def shipped():
    return Tagger.load()


def test_the_shipped_tagger_knows_biomedical_words(shipped):
    found = shipped.tag(sentences([TEXT]))
    assert found[0] == ["DT", "NN", "VBZ", "CD", "NNS", "."]
    assert found[1][:5] == ["JJ", "NN", "NNS", "VBD", "VBN"]
    assert shipped.training["tokens"] == 397_690
    assert set(shipped.about()["tags"]) >= {"NN", "VBZ"}


def test_training_saving_and_opening(tmp_path):
    (tmp_path / "train.tsv").write_text(TAGGED)
    made = Tagger.train([tmp_path / "train.tsv"], epochs=2, seed=7)
    made.save(tmp_path / "my.npz")
    opened = Tagger.load(tmp_path / "my.npz")
    assert opened.training == {"files": ["train.tsv"], "sentences": 50, "tokens": 225, "epochs": 2, "seed": 7}
    assert opened.tag([["The", "cells", "grow", "."], [], ["A", "gene"]]) == [
        ["DT", "NNS", "VBP", "."],
        [],
        ["DT", "NN"],
    ]
    Tagger.train([tmp_path / "train.tsv"], epochs=2, seed=7).save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "my.npz").read_bytes()


def documents():
    yield Document(DocumentMetadata("1", "J1"), ("A title", "An abstract.", "It has two parts."))
    yield Document(DocumentMetadata("2"))
    yield Document(DocumentMetadata("3"), (TEXT,))
    yield Document(DocumentMetadata("3"), ("The text goes on.",), continues=True)
    yield Document(DocumentMetadata("4"), ("The end.",))


@pytest.mark.parametrize("letters", [1, 30, 1 << 20])
def test_portions_make_no_difference(shipped, monkeypatch, letters):
    monkeypatch.setattr(tagger_module, "_BLOCK_LETTERS", letters)
    blocks = list(shipped.tagged(documents()))
    assert (len(blocks) > 2) == (letters < 100)
    about = [(at, metadata.id) for block in blocks for at, metadata in block.about]
    assert [name for _at, name in about] == ["1", "2", "3", "4"]
    tokens, number = [], -1
    for block in blocks:
        for at, (form, tag) in enumerate(zip(block.forms, block.tags, strict=True)):
            number += sum(begin == at for begin, _metadata in block.about)
            tokens.append((form, shipped.tags[tag], number))
        number += sum(begin >= len(block.forms) for begin, _metadata in block.about)
    rows = []
    texts = {0: ["A title", "An abstract.", "It has two parts."], 2: [TEXT, "The text goes on."], 3: ["The end."]}
    for number, paragraphs in texts.items():
        for sentence in sentences(paragraphs):
            rows += [(form, tag, number) for form, tag in zip(sentence, shipped.tag([sentence])[0], strict=True)]
    assert tokens == rows


def test_nothing_gives_nothing(shipped):
    assert list(shipped.tagged([])) == []
    assert shipped.tag([]) == []
    assert shipped.counts(shipped.numbers([], [])) == {}


def test_an_error_of_a_reader_comes_through(shipped):
    def broken():
        yield Document(DocumentMetadata("1"), ("A title",))
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        list(shipped.tagged(broken()))


LEARNED = Perceptron(
    ["DT", "NN"],
    {"the": 0, "cellé": 1},
    np.array([3, 70_000, 2**32 - 1], np.uint32),
    np.array([1, 2, 1], np.uint8),
    np.array([0, 0, 1, 1], np.uint8),
    np.array([5, -7, 300, 1], np.int16),
)
TRAINING = {"files": ["a.tsv"], "seed": 1}


def same(one, other):
    return one[:2] == other[:2] and all(np.array_equal(a, b) for a, b in zip(one[2:], other[2:], strict=True))


@pytest.fixture
def path(tmp_path):
    Tagger(LEARNED, TRAINING).save(tmp_path / "t.npz")
    return tmp_path / "t.npz"


def test_what_was_written_is_read(path, tmp_path):
    learned, training = read_tagger(path)
    assert same(learned, LEARNED)
    assert training == TRAINING
    Tagger(learned, training).save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()


def test_the_shipped_tagger_is_small_and_its_source_is_named():
    assert SHIPPED.stat().st_size < 3_000_000
    note = SHIPPED.with_suffix(".txt").read_text("utf-8")
    assert "CC BY 4.0" in note
    assert f"{len(Tagger.load().perceptron.known):,} of its frequent words" in " ".join(note.split())


def changed(path, **changes):
    """Write the file again with some of its arrays changed, and the checksum as it was or as it should be."""
    with np.load(path) as stored:
        arrays = {name: stored[name] for name in stored.files}
    about = json.loads(arrays.pop("about").tobytes())
    about.update(changes.pop("about", {}))
    arrays.update(changes)
    del about["sha256"]
    about["sha256"] = tagger_module._checksum(about, arrays)
    text = np.frombuffer(json.dumps(about, ensure_ascii=False, sort_keys=True).encode(), np.uint8)
    np.savez_compressed(path, about=text, **arrays)
    return path


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"weight_tags": np.array([0, 0, 1, 2], np.uint8)}, "one that is damaged"),
        ({"counts": np.array([1, 2, 2], np.uint8)}, "one that is damaged"),
        ({"counts": np.array([1, 3], np.uint8)}, "one that is damaged"),
        ({"keys": np.array([3, 2**32 - 1, 1], np.uint32)}, "one that is damaged"),
        ({"weights": np.array([5, -7, 300], np.int16)}, "one that is damaged"),
        ({"weights": np.array([5.0, -7, 300, 1])}, "is no tagger"),
        ({"weights": np.zeros((2, 2), np.int16)}, "is no tagger"),
        ({"about": {"tags": []}}, "one that is damaged"),
        ({"about": {"tags": ["T"] * 251}}, "one that is damaged"),
        ({"about": {"known": {"the": 2}}}, "one that is damaged"),
        ({"about": {"known": ["the"]}}, "one that is damaged"),
        ({"about": {"training": "much"}}, "one that is damaged"),
        ({"about": {"version": 2}}, "another version"),
        ({"about": {"format": "other"}}, "is no tagger"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(path, changes, said):
    with pytest.raises(TermgaugeError, match=said):
        read_tagger(changed(path, **changes))


def test_a_right_checksum_alone_is_accepted(path):
    assert same(read_tagger(changed(path))[0], LEARNED)


def test_foreign_files_are_refused(tmp_path):
    place = tmp_path / "x.npz"
    for data in (b"", b"PK\x03\x04", b"The\tDT\n", pickle.dumps({"a": 1}), SHIPPED.read_bytes()[:-1000]):
        place.write_bytes(data)
        with pytest.raises(TermgaugeError, match="is no tagger, or one that is damaged"):
            read_tagger(place)
    np.savez(place, vectors=np.zeros(3))
    with pytest.raises(TermgaugeError, match="is no tagger"):
        read_tagger(place)
    np.savez(place, about=np.array([{"format": "termgauge tagger"}], dtype=object), allow_pickle=True)
    with pytest.raises(TermgaugeError, match="is no tagger"):
        read_tagger(place)
    with pytest.raises(TermgaugeError, match="cannot be read"):
        read_tagger(tmp_path / "none.npz")


def test_an_archive_that_would_fill_memory_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(tagger_module, "_MOST_BYTES", 1 << 16)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("keys.npy", bytes(1 << 20))
    (tmp_path / "bomb.npz").write_bytes(data.getvalue())
    with pytest.raises(TermgaugeError, match="is no tagger"):
        read_tagger(tmp_path / "bomb.npz")


@given(st.data())
def test_a_changed_byte_is_noticed_or_harmless(path, data):
    """A byte of the archive that nothing depends on may change; whatever is read is what was written."""
    whole = path.read_bytes()
    at, value = data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(0, 255))
    other = path.with_name("changed.npz")
    other.write_bytes(whole[:at] + bytes([value]) + whole[at + 1 :])
    try:
        learned, _training = read_tagger(other)
    except TermgaugeError as error:
        assert str(other) in str(error)  # noqa: PT017
    else:
        assert same(learned, LEARNED)
