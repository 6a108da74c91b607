"""The command `export`."""

from __future__ import annotations

import json

from tests.integrations import small_sets


def test_every_form_is_written(run, tmp_path):
    status, out, err = run("export", small_sets.benchmark(tmp_path).folder, "--to", "mteb", "--out", tmp_path / "mteb")
    assert (status, err) == (0, f"Written: {tmp_path / 'mteb'}\n")
    assert "fsn-syn__hard__random" in out
    triplets = ["export", tmp_path / "benchmark", "--to", "triplets", "--out", tmp_path / "triplets"]
    status, out, _err = run(*triplets, "--split", "6,2,2", "--negatives", "random", "--per-positive", "2", "--json")
    assert status == 0
    assert set(json.loads(out)["contents"]) == {"train", "validation", "test"}
    small_sets.run(tmp_path)
    status, out, _err = run("export", tmp_path / "run", "--to", "model-card", "-m", "all", "-o", tmp_path / "a.yaml")
    assert status == 0
    assert (tmp_path / "a.yaml").read_text().startswith('model-index:\n- name: "all"\n')


def test_what_is_wrong_is_said(run, tmp_path):
    status, _out, err = run("export", tmp_path / "none", "--to", "hf", "--out", tmp_path / "out")
    assert status == 2
    assert "no such file or folder" in err
    status, _out, err = run("export", tmp_path, "--to", "model-card", "--seed", "3", "--out", tmp_path / "out")
    assert status == 2
    assert "'seed' is for exports to triplets, not to model-card" in err
