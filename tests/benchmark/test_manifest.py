"""What a benchmark says of itself comes back as it was written, and nothing else is taken for it."""

from __future__ import annotations

import json

import pytest

from termgauge.benchmark.manifest import MANIFEST, PARTIAL, Manifest, SetRecord, Statistics, read_manifest
from termgauge.exceptions import TermgaugeError

RECORD = SetRecord(
    id="toy-1/fsn-syn/hard/random",
    kind="fsn-syn",
    difficulty="hard",
    strategy="random",
    pairs=3,
    positives=2,
    negatives=1,
    shortfall=1,
    sha256="0" * 64,
    statistics=Statistics(mean_distance_positives=7.5, mean_distance_negatives=None, multi_word=0.25),
)
WHOLE = Manifest(
    termgauge="0.1.0",
    terminology={"format": "obo", "edition": "toy", "version": "1", "sha256": "1" * 64},
    seed=42,
    options={"only": ["hard"], "since": None},
    files={"fsn-syn.hard.random.tsv": RECORD},
    notes=["Œdème: one term held tabs."],
)


@pytest.mark.parametrize("name", [MANIFEST, PARTIAL])
def test_what_is_written_is_read(tmp_path, name):
    assert read_manifest(tmp_path, name) is None
    WHOLE.write(tmp_path, name)
    assert read_manifest(tmp_path, name) == WHOLE
    text = (tmp_path / name).read_text("utf-8")
    assert "Œdème" in text
    assert text.endswith("}\n")
    assert list(json.loads(text)) == ["layout", "termgauge", "terminology", "seed", "options", "files", "notes"]


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 7},
        {"options": {"only": ["easy"], "since": None}},
        {"terminology": {**WHOLE.terminology, "sha256": "2" * 64}},
        {"layout": 2},
    ],
)
def test_the_key_covers_what_decides_the_files(change):
    assert WHOLE.model_copy(update=change).key != WHOLE.key


def test_the_key_covers_nothing_else():
    changes = {"termgauge": "9.9", "files": {}, "notes": [], "terminology": {**WHOLE.terminology, "edition": "other"}}
    assert WHOLE.model_copy(update=changes).key == WHOLE.key
    assert WHOLE.model_copy(update={"options": {"since": None, "only": ("hard",)}}).key == WHOLE.key


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"layout": 1, "what": 2}', "\udcff"])
def test_anything_else_is_refused(tmp_path, text):
    (tmp_path / MANIFEST).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(TermgaugeError, match=rf"{MANIFEST}: is no manifest of a benchmark .* build it again"):
        read_manifest(tmp_path)
