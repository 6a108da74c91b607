"""Every part of the cache is checked in full."""

from __future__ import annotations

import os

import numpy as np
import pytest

from termgauge.cli.data import damage
from termgauge.embeddings.encoders.encoding import CachedTermModel
from termgauge.embeddings.load import load_model
from termgauge.io.store import entries
from tests.embeddings.toy_encoders import CountingEncoder


@pytest.fixture
def filled(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text("fever 1 2\ncough 2 1\n")
    os.utime(path, (0, 0))
    load_model(f"glove:{path}")
    CachedTermModel(CountingEncoder()).encode(["heart", "lung"])
    return {entry.namespace: entry for entry in entries()}


def test_what_is_whole(filled):
    assert set(filled) >= {"vectors", "encodings"}
    assert all(damage(entry) == [] for entry in filled.values())


@pytest.mark.parametrize(
    ("namespace", "pattern"), [("vectors", "*.npy"), ("vectors", "*.json"), ("encodings", "*.chunk/*")]
)
def test_one_bit(filled, namespace, pattern):
    for path in filled[namespace].path.glob(pattern):
        data = path.read_bytes()
        if not data:
            continue
        places = [at for at in np.linspace(0, len(data) - 3, 12).astype(int).tolist() if data[at]]  # not the padding
        for at in places:
            path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
            assert damage(filled[namespace]) == [path.parent.name if namespace == "encodings" else path.name], at
        path.write_bytes(data)
    assert damage(filled[namespace]) == []


def test_entries_of_former_versions_have_nothing_to_tell_by(filled):
    (filled["vectors"].path / "checksums.json").unlink()
    assert damage(filled["vectors"]) is None
