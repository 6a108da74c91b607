"""Commands about models."""

from __future__ import annotations

import json

import numpy as np
import pytest

from termgauge.embeddings.schemes import all_schemes


@pytest.fixture
def vectors(tmp_path):
    """Return a file of four words, two of them near each other."""
    path = tmp_path / "words.txt"
    path.write_text("4 2\nheart 1 0\ncardiac 0.9 0.1\nskin 0 1\nrash -1 0.2\n")
    return path


def test_every_scheme_is_listed_and_one_can_be_asked_for(run):
    status, out, err = run("models", "--json")
    assert (status, err) == (0, "")
    assert {each["name"].split(":")[0] for each in json.loads(out)["schemes"]} >= {
        name.split(":")[0] for name in all_schemes()
    }
    status, out, _err = run("models", "onnx")
    assert status == 0
    assert "pooling" in out
    status, _out, err = run("models", "onx")
    assert status == 2
    assert "onnx" in err


def test_neighbours_are_the_nearest_first(run, vectors, tmp_path):
    status, out, _err = run("neighbours", vectors, "heart", "--k", 2, "--json")
    assert status == 0
    near = json.loads(out)["neighbours"]["heart"]
    assert [(each["rank"], each["text"]) for each in near] == [(1, "cardiac"), (2, "skin")]
    assert near[0]["similarity"] == pytest.approx(0.9 / np.hypot(0.9, 0.1))
    (tmp_path / "terms.txt").write_text("skin rash\nrash\n")
    status, out, _err = run("neighbours", vectors, "heart", "--among", tmp_path / "terms.txt")
    assert status == 0
    assert "skin rash" in out


def test_convert_writes_what_opens_again(run, vectors, tmp_path):
    status, out, err = run("convert", vectors, tmp_path / "words.bin")
    assert (status, out) == (0, "")
    assert "words.bin" in err
    first, second = (run("neighbours", path, "heart", "--json")[1] for path in (vectors, tmp_path / "words.bin"))
    assert json.loads(first) == json.loads(second)
