from __future__ import annotations

import os
import shutil
import subprocess
import sys
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.embeddings.encoders import encoding
from termgauge.embeddings.encoders.encoding import CachedTermModel, TextEncoder
from termgauge.embeddings.model import TermModel
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.io.store import entry_path
from tests.conftest import REPOSITORY
from tests.embeddings.toy_encoders import CountingEncoder, MeasuringCounter, vector_of

TERMS = [f"term {'x' * (number % 7)} {number}" for number in range(50)]


def _chunks(model):
    return sorted(entry_path("encodings", model.identity.key).glob("*.chunk"))


def _expected(terms):
    return np.vstack([vector_of(term) if term.strip() else np.full(6, np.nan, np.float32) for term in terms])


@given(st.lists(st.text(max_size=12), max_size=40), st.integers(1, 9))
def test_each_term_has_its_own_vector_and_is_asked_for_once(terms, batch):
    terms = [term.encode("utf-8", "replace").decode() for term in terms]
    encoder = CountingEncoder(batch_size=batch)
    model = CachedTermModel(encoder)
    np.testing.assert_array_equal(model.encode(terms), _expected(terms) if terms else np.empty((0, 6), np.float32))
    assert len(encoder.asked) == len(set(encoder.asked))
    assert set(encoder.asked) <= {term for term in terms if term.strip()}
    assert all(len(texts) <= batch for texts in encoder.batches)
    again = CachedTermModel(CountingEncoder(fail_after=0))
    np.testing.assert_array_equal(again.encode(terms[::-1]), model.encode(terms)[::-1])


def test_it_is_a_term_model_and_its_encoder_an_encoder():
    assert isinstance(CachedTermModel(CountingEncoder()), TermModel)
    assert isinstance(CountingEncoder(), TextEncoder)


def test_the_longest_terms_go_first():
    encoder = CountingEncoder()
    CachedTermModel(encoder).encode(["aa", "a", "aaaa", "aaa", "aaaaa"])
    assert encoder.batches == [["aaaaa", "aaaa", "aaa", "aa"], ["a"]]


def test_after_a_kill_only_the_rest_is_encoded(monkeypatch):
    monkeypatch.setattr(encoding, "CHUNK_ROWS", 8)
    killed = CountingEncoder(fail_after=5)
    with pytest.raises(KeyboardInterrupt):
        CachedTermModel(killed).encode(TERMS)
    assert len(killed.asked) == 20
    second = CountingEncoder()
    model = CachedTermModel(second)
    np.testing.assert_array_equal(model.encode(TERMS), _expected(TERMS))
    assert sorted(second.asked + killed.asked) == sorted(TERMS)
    assert len(_chunks(model)) > 2


def test_a_process_that_is_killed_outright_loses_no_more_than_a_chunk():
    script = """
import os, sys
from tests.embeddings.toy_encoders import CountingEncoder
from termgauge.embeddings.encoders import encoding
encoding.CHUNK_ROWS = 8

class Dying(CountingEncoder):
    def encode_batch(self, texts):
        if len(self.batches) == 7:
            os._exit(9)
        return super().encode_batch(texts)

encoding.CachedTermModel(Dying()).encode([f"term {'x' * (number % 7)} {number}" for number in range(50)])
"""
    path = os.pathsep.join([str(REPOSITORY / "src"), str(REPOSITORY)])
    done = subprocess.run([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": path}, check=False)
    assert done.returncode == 9
    encoder = CountingEncoder()
    np.testing.assert_array_equal(CachedTermModel(encoder).encode(TERMS), _expected(TERMS))
    assert len(encoder.asked) == 50 - 24  # 28 were made, 4 of them not yet on disk


def test_processes_that_encode_at_once_do_not_disturb_one_another():
    script = """
import sys
import numpy as np
from tests.embeddings.toy_encoders import CountingEncoder, vector_of
from termgauge.embeddings.encoders import encoding
encoding.CHUNK_ROWS = 16
first = int(sys.argv[1])
terms = [f"t{number}" for number in range(first, first + 400)]
vectors = encoding.CachedTermModel(CountingEncoder()).encode(terms)
assert (vectors == np.vstack([vector_of(term) for term in terms])).all()
"""
    path = os.pathsep.join([str(REPOSITORY / "src"), str(REPOSITORY)])
    environment = {**os.environ, "PYTHONPATH": path}
    running = [subprocess.Popen([sys.executable, "-c", script, str(first)], env=environment) for first in (0, 0, 200)]
    assert [process.wait() for process in running] == [0, 0, 0]
    model = CachedTermModel(CountingEncoder(fail_after=0))
    terms = [f"t{number}" for number in range(600)]
    np.testing.assert_array_equal(model.encode(terms), _expected(terms))


def test_two_models_in_one_process_see_what_the_other_adds():
    one, two = CachedTermModel(CountingEncoder()), CachedTermModel(CountingEncoder())
    one.encode(TERMS[:10])
    two.encode(TERMS[:20])
    one.encode(TERMS[:20])
    assert sorted(two.encoder.asked) == sorted(TERMS[10:20])
    assert sorted(one.encoder.asked) == sorted(TERMS[:10])


@pytest.mark.parametrize(
    "change",
    [{"source": "v2"}, {"options": (("pooling", "cls"),)}, {"words": "prompt"}, {"libraries": (("torch", "2"),)}],
)
def test_another_identity_never_gets_old_vectors(change):
    one = CountingEncoder()
    CachedTermModel(one).encode(TERMS)
    other = CountingEncoder(identity=replace(one.identity, **change))
    CachedTermModel(other).encode(TERMS)
    assert len(other.asked) == len(TERMS)


def test_half_precision_is_kept_apart_and_takes_half_the_room():
    full, half = CachedTermModel(CountingEncoder(64)), CachedTermModel(CountingEncoder(64), "float16")
    np.testing.assert_allclose(half.encode(TERMS), full.encode(TERMS), rtol=1e-3, atol=1e-3)
    assert half.encode(TERMS).dtype == np.float32
    assert half.identity.key != full.identity.key
    sizes = [sum((path / "vectors.npy").stat().st_size for path in _chunks(model)) for model in (half, full)]
    assert sizes[0] < 0.6 * sizes[1]


def test_numbers_that_half_precision_cannot_hold_are_refused():
    encoder = CountingEncoder(spoil=lambda vectors, _: vectors * 1e6)
    with pytest.raises(TermgaugeError, match="store=float32"):
        CachedTermModel(encoder, "float16").encode(TERMS)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_none_are_refused_and_what_came_before_is_kept(bad):
    def spoil(vectors, batch):
        if batch == 3:
            vectors[1, 2] = bad
        return vectors

    with pytest.raises(TermgaugeError, match=r"counting: gave a vector that holds NaN .* for 'term"):
        CachedTermModel(CountingEncoder(spoil=spoil)).encode(TERMS)
    encoder = CountingEncoder()
    CachedTermModel(encoder).encode(TERMS)
    assert len(encoder.asked) == 50 - 8


def test_a_dimension_that_changes_half_way_is_refused():
    encoder = CountingEncoder(spoil=lambda vectors, batch: vectors[:, :5] if batch == 3 else vectors)
    with pytest.raises(TermgaugeError, match=r"5 numbers .* after vectors of 6"):
        CachedTermModel(encoder).encode(TERMS)


def test_a_dimension_that_changed_since_the_last_run_is_refused():
    CachedTermModel(CountingEncoder()).encode(TERMS[:4])
    with pytest.raises(TermgaugeError, match=r"7 numbers .* after vectors of 6"):
        CachedTermModel(CountingEncoder(7)).encode(TERMS)


def test_too_few_vectors_are_refused():
    with pytest.raises(TermgaugeError, match="3 vectors for 4 terms"):
        CachedTermModel(CountingEncoder(spoil=lambda vectors, _: vectors[1:])).encode(TERMS)


def test_cut_terms_are_counted_and_told_of_once_in_every_run():
    terms = ["a", "a b c", "a b c d", "e f g h i", "e f g h i"]
    for fail_after in (None, 0):  # the second time from disk
        model = CachedTermModel(MeasuringCounter(fail_after=fail_after))
        with pytest.warns(TermgaugeWarning, match=r"2 of 4 terms are longer than the 3 tokens"):
            model.encode(terms)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.encode(terms)


@pytest.mark.parametrize("name", ["hashes.npy", "cut.npy", "vectors.npy", "checksums.json"])
@pytest.mark.parametrize("at", [None, 0, 9, 70, -1, -60, "gone"])
def test_a_damaged_chunk_is_left_out_and_made_again(name, at):
    model = CachedTermModel(CountingEncoder())
    model.encode(TERMS)
    [chunk] = _chunks(model)
    data = bytearray((chunk / name).read_bytes())
    if at == "gone":
        (chunk / name).unlink()
    else:
        if at is None:
            del data[-1]
        else:
            data[at] ^= 1
        (chunk / name).write_bytes(data)
    encoder = CountingEncoder()
    with pytest.warns(TermgaugeWarning, match="damaged"):
        np.testing.assert_array_equal(CachedTermModel(encoder).encode(TERMS), _expected(TERMS))
    assert len(encoder.asked) == 50
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is gone
        CachedTermModel(CountingEncoder(fail_after=0)).encode(TERMS)


def test_what_a_killed_process_was_writing_goes_away_in_time():
    model = CachedTermModel(CountingEncoder())
    model.encode(TERMS[:5])
    folder = entry_path("encodings", model.identity.key)
    old, young = (folder / f".tmp-00000000-{n}-{0:016x}.chunk" for n in "12")
    for left in (old, young):
        left.write_bytes(b"half a chunk")
    os.utime(old, (0, 0))
    np.testing.assert_array_equal(model.encode(TERMS), _expected(TERMS))
    assert not old.exists()
    assert young.exists()


def test_a_cleared_cache_is_filled_again():
    model = CachedTermModel(CountingEncoder())
    model.encode(TERMS)
    for chunk in _chunks(model):
        shutil.rmtree(chunk)
    np.testing.assert_array_equal(model.encode(TERMS), _expected(TERMS))
    assert len(model.encoder.asked) == 100


def test_a_large_result_is_mapped_and_right(monkeypatch):
    monkeypatch.setattr(encoding, "LARGE_BYTES", 100)
    vectors = CachedTermModel(CountingEncoder()).encode([*TERMS, " "])
    assert isinstance(vectors.base, np.memmap)
    np.testing.assert_array_equal(vectors, _expected([*TERMS, " "]))


def test_encoders_are_told_of_the_work_before_it_begins():
    class Announced(CountingEncoder):
        told = ()

        def announce(self, texts):
            assert not self.batches
            self.told = sorted(texts)

    encoder = Announced()
    model = CachedTermModel(encoder)
    model.encode(TERMS)
    assert encoder.told == sorted(TERMS)
    encoder.announce = None  # nothing is left to announce
    model.encode(TERMS)


def test_the_folder_says_whose_vectors_it_holds():
    model = CachedTermModel(CountingEncoder())
    model.encode(TERMS[:1])
    about = (entry_path("encodings", model.identity.key) / "about.json").read_text()
    assert '"scheme": "counting"' in about
    assert model.identity.key in about
