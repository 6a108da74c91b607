"""Encoding at an executor gives the bytes that this machine would."""

from __future__ import annotations

import os
import re
import tempfile
from contextlib import contextmanager
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.embeddings import schemes, sending
from termgauge.embeddings.load import load_model
from termgauge.embeddings.schemes import Option
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.executor import RetryElsewhereError, retry_reason, use_executor
from termgauge.io.store import entry_path
from tests.common.executors import FarExecutor, SmallExecutor
from tests.embeddings import onnx_files
from tests.embeddings.toy_encoders import company_scheme

TERMS = [f"term {'x' * (number % 7)} {number}" for number in range(101)]
pytestmark = pytest.mark.filterwarnings("ignore:.*cut there")


@pytest.fixture(autouse=True)
def opened(monkeypatch):
    """Return the list of encoders that are opened by the scheme ``company:``, here and by workers."""
    encoders = []
    own = dict(schemes._built_in())
    monkeypatch.setattr(schemes, "_built_in", lambda: own | {"company": company_scheme(encoders)})
    sending._opened.cache_clear()
    yield encoders
    sending._opened.cache_clear()


@pytest.fixture
def file(tmp_path):
    place = tmp_path / "toy.txt"
    place.write_text("version 1")
    return place


@pytest.fixture
def place(tmp_path):
    return SmallExecutor(tmp_path / "place")


@contextmanager
def _another_cache():
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, TERMGAUGE_CACHE_DIR=folder):
        yield


def _here(spec, terms):
    with _another_cache():
        return load_model(spec).encode(terms)


def _there(spec, terms, place):
    with use_executor(place):
        return load_model(spec).encode(terms)


words = st.lists(st.text("abc ", max_size=9), max_size=60)


@given(words, st.integers(1, 9), st.integers(1, 5))
def test_vectors_are_the_same_bytes(file, tmp_path, terms, batch, slots):
    spec = f"company:{file}?batch={batch}"
    with _another_cache():
        there = _there(spec, terms, SmallExecutor(tmp_path / "place", slots))
    np.testing.assert_array_equal(there, _here(spec, terms))


def test_batches_are_those_of_one_machine_and_each_is_encoded_once(opened, file, place):
    expected = _here(f"company:{file}", TERMS)
    (alone,) = opened
    there = _there(f"company:{file}", TERMS, place)
    np.testing.assert_array_equal(there, expected)
    _, sender, worker = opened
    assert sender.batches == []
    assert sorted(worker.batches) == sorted(alone.batches)
    assert place.called.count("encoding") == 7  # of 4 batches of 4
    assert place.with_gpu == [False] * len(place.called)
    assert place.called.count("lengths of texts") == 1


def test_what_is_there_is_not_encoded_again(file, place):
    with use_executor(place):
        model = load_model(f"company:{file}")
        first = model.encode(TERMS)
        asked = len(place.called)
        np.testing.assert_array_equal(model.encode(TERMS[::-1]), first[::-1])
    assert len(place.called) == asked


def test_damaged_vectors_are_made_again_by_workers(file, place):
    expected = _here(f"company:{file}", TERMS)
    _there(f"company:{file}", TERMS, place)
    model = load_model(f"company:{file}")
    chunk = min(entry_path("encodings", model.identity.key).glob("*.chunk/vectors.npy"))
    content = bytearray(chunk.read_bytes())
    content[-1] ^= 1
    chunk.write_bytes(content)
    asked = len(place.called)
    with use_executor(place), pytest.warns(TermgaugeWarning, match="is damaged and left out"):
        again = model.encode(TERMS)
    assert len(place.called) > asked
    assert again.shape == expected.shape
    assert np.isfinite(again).all()


def test_no_more_is_left_in_the_store_than_vectors(file, place):
    _there(f"company:{file}", TERMS, place)
    names = {path.name for path in entry_path("encodings", load_model(f"company:{file}").identity.key).iterdir()}
    assert "about.json" in names
    assert all(name == "about.json" or name.endswith(".chunk") for name in names)


def test_a_block_that_fails_raises_its_error_and_the_rest_is_kept(opened, file, tmp_path):
    place = SmallExecutor(tmp_path / "place", slots=1)
    terms = [*TERMS, "spoilt"]  # the shortest, so that it is in the last batch
    with pytest.raises(TermgaugeError, match=r"toy: cannot encode that\."):
        _there(f"company:{file}", terms, place)
    done = {text for encoder in opened for text in encoder.asked}
    opened.clear()
    sending._opened.cache_clear()
    _there(f"company:{file}", TERMS, place)
    again = {text for encoder in opened for text in encoder.asked}
    assert done
    assert len(again) < len(TERMS)  # what a block that failed had made is lost
    assert done | again >= set(TERMS)


def test_several_models_are_kept_apart(file, place):
    names = ["company:{}", "Other=company:{}?toy=2", "Half=company:{}?store=float16"]
    specs = [name.format(file) for name in names]
    with use_executor(place):
        models = [load_model(spec) for spec in specs]
        there = [model.encode(TERMS[start:]) for start in (0, 50) for model in models]
    here = []
    with _another_cache():
        alone = [load_model(spec) for spec in specs]
        here = [model.encode(TERMS[start:]) for start in (0, 50) for model in alone]
    assert len({model.identity.key for model in models}) == 3
    for one, other in zip(there, here, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_model_with_other_libraries_is_refused(file, place, monkeypatch):
    real = sending.relocated
    monkeypatch.setattr(sending, "relocated", lambda *given: real(*given).with_options({"toy": "2"}))
    with pytest.raises(
        RetryElsewhereError, match=r"^toy: the worker on .* has toy 2 instead of 1 and would make other"
    ) as told:
        _there(f"company:{file}", TERMS, place)
    assert retry_reason(told.value)  # another worker is asked


def test_a_model_of_other_files_is_refused(file, place):
    with use_executor(place):
        model = load_model(f"company:{file}")
        file.write_text("version 2")
        with pytest.raises(RetryElsewhereError, match="finds other files under this name"):
            model.encode(TERMS)


def test_a_model_is_opened_from_its_artifacts(file, tmp_path, cache_folder):
    place = FarExecutor(tmp_path / "far")
    read = []
    with mock.patch.object(sending, "load_model", lambda spec: read.append(spec) or load_model(spec)):
        there = _there(f"Mine=company:{file}", TERMS, place)
    (spec,) = read
    assert spec.name == "Mine"
    assert str(cache_folder) in spec.location
    np.testing.assert_array_equal(there, _here(f"company:{file}", TERMS))


@pytest.mark.parametrize(
    ("device", "gpus", "terms", "shared", "blocks_asked"),
    [
        ("cpu", 0, 4, False, 0),  # one batch
        ("cpu", 2, 4, False, 0),
        ("cuda", 0, 4, False, 0),
        ("cuda", 2, 4, True, 1),
        ("cuda:0,cuda:1", 1, 4, True, 1),
        ("cpu", 2, 8, True, 2),
        ("cuda", 1, 101, True, 3),  # of 12 batches
    ],
)
def test_when_texts_are_shared_out(file, tmp_path, device, gpus, terms, shared, blocks_asked):
    place = SmallExecutor(tmp_path / "place", gpus=gpus)
    _there(f"company:{file}?device={device}", TERMS[:terms], place)
    assert place.called.count("encoding") == blocks_asked
    assert bool(place.called) == shared
    assert set(place.with_gpu) == ({device != "cpu"} if shared else set())


def test_a_long_text_list_makes_blocks_of_some_seconds(file, tmp_path, monkeypatch):
    monkeypatch.setattr(sending, "USUAL_RATE", 2)
    place = SmallExecutor(tmp_path / "place", slots=1)
    _there(f"company:{file}", TERMS, place)
    assert place.called.count("encoding") == 6  # of 20 texts


def test_a_service_is_asked_from_here(opened, file, place, monkeypatch):
    keyed = company_scheme(opened, key=Option("Its key.", "text", "KEY", names_variable=True))
    monkeypatch.setattr(schemes, "_built_in", lambda: {"company": keyed})
    _there(f"company:{file}", TERMS, place)
    assert place.called == []


def test_a_model_without_a_spec_stays_here(file, place):
    model = load_model(f"company:{file}")
    model.spec = None
    with use_executor(place):
        there = model.encode(TERMS)
    assert place.called == []
    np.testing.assert_array_equal(there, _here(f"company:{file}", TERMS))


def test_terms_that_were_cut_are_told_of_without_opening_the_encoder_here(opened, file, place, monkeypatch):
    model = load_model(f"company:{file}")
    (sender,) = opened
    monkeypatch.setattr(type(sender), "max_length", property(lambda self: None if self is sender else 3))
    message = re.escape("toy: 1 of 102 terms is longer than the 3 tokens that it takes")
    with use_executor(place), pytest.warns(TermgaugeWarning, match=message):
        model.encode([*TERMS, "one two three four"])


@pytest.mark.parametrize("options", ["pooling=mean", "pooling=cls&store=float16&prompt=acute "])
def test_an_encoder_of_real_files(tmp_path, options):
    pytest.importorskip("onnxruntime")
    terms = [f"{one} {other} {number}" for number, one in enumerate(onnx_files.WORDS) for other in onnx_files.WORDS]
    spec = f"onnx:{onnx_files.write(tmp_path / 'home')}?{options}"
    place = FarExecutor(tmp_path / "far")
    with mock.patch("termgauge.embeddings.encoders.onnx.OnnxEncoder.batch_size", 8):
        there = _there(spec, terms, place)
        assert place.called.count("encoding") > 3
        np.testing.assert_array_equal(there, _here(spec, terms))
