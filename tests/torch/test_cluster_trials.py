"""Trials on a cluster are those of one machine, though a worker is killed while it trains."""

from __future__ import annotations

import json

import pytest

import termgauge as tg
from tests.cluster.clusters import processes
from tests.tasks.ner.made_corpus import write_corpus, write_vectors

pytest.importorskip("torch")


def trials(folder):
    """Return what each trial found, without how long it took."""
    found = {}
    for path in sorted((folder / "ner").rglob("*.json")):
        document = json.loads(path.read_text())
        if "measured" in document:
            for trial in document["measured"]["trials"]:
                for epoch in trial["curve"]:
                    del epoch["seconds"]
                found[path.relative_to(folder).as_posix()] = trial
    return found


def test_trials_are_the_same_wherever_they_are_trained(tmp_path, monkeypatch):
    from termgauge.cluster.connect import on_cluster

    write_corpus(tmp_path / "made")
    models = [str(write_vectors(tmp_path / "knows.txt")), str(write_vectors(tmp_path / "drawn.txt", knows=False))]
    asked = {"epochs": 3, "trials": 2, "device": "cpu"}
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    tg.ner(tmp_path / "made", models, out=tmp_path / "one", **asked)
    with processes(tmp_path / "cluster", 2) as cluster:
        cluster.arrange("ner", "kill")
        with on_cluster(cluster.address):
            tg.ner(tmp_path / "made", models, out=tmp_path / "many", **asked)
        assert cluster.happened("ner") == 1
    one, many = trials(tmp_path / "one"), trials(tmp_path / "many")
    assert len(one) == 4
    assert many == one
