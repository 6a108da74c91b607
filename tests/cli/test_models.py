"""Commands about models."""

from __future__ import annotations

import json

import numpy as np
import pytest

import termgauge as tg
from termgauge.embeddings.schemes import all_schemes
from tests.samples import write_obo


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


def test_neighbours_of_an_encoder_are_sought_in_a_terminology(run, tmp_path):
    status, _out, err = run("neighbours", "baseline:random", "heart attack")
    assert status == 2
    assert "has no vocabulary to search; name a terminology, or a file of terms, to choose from with --among" in err
    source = write_obo(tmp_path)
    terminology = tg.read_terminology(source)
    active = terminology.concepts.filter("active")["concept"].to_list()
    terms = terminology.terms.filter("active").to_dicts()
    wanted = {each["text"] for each in terms if each["concept"] in active and each["kind"] != "definition"}
    query = min(wanted)
    status, out, err = run("neighbours", "baseline:random", query, "--among", source, "--k", 100, "--json")
    assert (status, err) == (0, "")
    assert {each["text"] for each in json.loads(out)["neighbours"][query]} == wanted - {query}
    for among in (source, str(source), terminology, sorted(wanted)):
        assert {each.text for each in tg.neighbours("baseline:random", query, 100, among=among)} == wanted - {query}
    status, _out, err = run("neighbours", "baseline:random", query, "--among", tmp_path / "missing.obo")
    assert (status, "there is no such file" in err) == (2, True)


def test_concepts_are_sought_among_those_of_a_terminology(tmp_path):
    source = write_obo(tmp_path)
    ids = tg.read_terminology(source).concepts.filter("active")["concept"].to_list()
    vectors = {concept: [1.0, at / 10] for at, concept in enumerate([*ids, "X:1"])}
    model = tg.as_model(vectors, kind="concepts", name="concepts")
    assert [each.text for each in tg.neighbours(model, "X:1", 100, among=source)] == ids[::-1]


def test_convert_writes_what_opens_again(run, vectors, tmp_path):
    status, out, err = run("convert", vectors, tmp_path / "words.bin")
    assert (status, out) == (0, "")
    assert "words.bin" in err
    first, second = (run("neighbours", path, "heart", "--json")[1] for path in (vectors, tmp_path / "words.bin"))
    assert json.loads(first) == json.loads(second)
