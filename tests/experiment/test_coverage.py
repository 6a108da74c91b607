from __future__ import annotations

import json
import re

import numpy as np
import pytest
from termgauge.experiment.coverage import coverage

import termgauge as tg
from termgauge.cli import main
from termgauge.domain.neighbourhood import neighbourhood_of
from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from tests.domain.tables import Concepts, Words
from tests.embeddings.vector_files import word2vec_binary
from tests.experiment.toy_models import ToyPairs, ToyTerms
from tests.samples import write_obo

TERMS = "concept\tterm\tkind\n" + "".join(f"{place}\tw{place}\tfsn\n" for place in range(30))
RELATIONS = "source\ttype\ttarget\n" + "".join(f"0\tsite\t{place}\n" for place in range(1, 12)) + "1\tis_a\t0\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "terms.tsv").write_text(TERMS)
    (tmp_path / "relations.tsv").write_text(RELATIONS)
    vectors = np.random.default_rng(0).normal(size=(28, 6))
    (tmp_path / "vectors.bin").write_bytes(word2vec_binary([f"w{place}" for place in range(2, 30)], vectors))
    return tmp_path


@pytest.fixture
def source(folder):
    return tg.read_terminology(folder / "terms.tsv", relations=folder / "relations.tsv")


def words(name="words", seed=0):
    return Words([f"w{place}" for place in range(25)], np.random.default_rng(seed).normal(size=(25, 4)), name=name)


def test_models_side_by_side(source):
    concepts = Concepts(
        [f"{place}" for place in range(5, 30)], np.random.default_rng(3).normal(size=(25, 4)), name="ids"
    )
    found = coverage(source, [words(), concepts, ToyTerms()], concepts=["0"], ks=[3])
    assert list(found.models) == ["words", "ids", "encoder"]
    document = found.as_dict()
    assert [model["neighbourhood"] for model in document["models"].values()] == ["vocabulary"] * 2 + ["terminology"]
    assert [model["in_vocabulary"] for model in document["models"].values()] == [11, 7, 11]
    assert document["models"]["ids"]["missing"] == ["1", "2", "3", "4"]
    assert {(each["one"], each["other"]) for each in document["differences"]} == {("words", "ids")}  # not the encoder
    assert document["left_out"] == []


def test_a_failing_model_does_not_stop_the_others(source, folder):
    with pytest.warns(TermgaugeWarning) as told:
        found = coverage(source, [f"{folder}/none.bin", ToyPairs(), words()], concepts=["0"], ks=[3])
    assert list(found.models) == ["words"]
    assert len(told) == 2
    assert [re.split(":| ", problem)[0] for problem in found.left_out][1] == "own"
    assert "no vectors, only similarities" in found.as_dict()["left_out"][1]
    with pytest.raises(TermgaugeError, match="no vectors"):
        coverage(source, [ToyPairs()], concepts=["0"])


def test_a_domain_is_given_or_made(source, folder):
    made = tg.make_domain(source, concepts=["0"])
    made.write(folder / "domain.json")
    reports = [
        coverage(source, [words()], domain=made, ks=[3]),
        coverage(source, [words()], domain=folder / "domain.json", ks=[3]),
        coverage(folder / "terms.tsv", [words()], concepts=["0"], ks=[3], relations=folder / "relations.tsv"),
    ]
    assert reports[0].as_dict() == reports[1].as_dict() == reports[2].as_dict()
    with pytest.raises(TermgaugeError, match="also how to make one"):
        coverage(source, [words()], domain=made, concepts=["0"])
    with pytest.raises(TermgaugeError, match="No domain was named"):
        coverage(source, [words()])
    other = tg.read_terminology(write_obo(folder / "other"))
    with pytest.warns(TermgaugeWarning, match="was made from terms as it was read then, not from toy"):
        coverage(other, [Concepts(["1", "2"])], domain=made, ks=[1])


def test_bad_options(source):
    for options, message in (
        ({"ks": [0]}, "at least 1"),
        ({"alpha": 2.0}, "significance level"),
        ({"correction": "bonferoni"}, "Did you mean 'bonferroni'"),
        ({"labels": "some"}, "'first' or 'all'"),
        ({"concepts": ["99"]}, "has no concept '99'"),
    ):
        with pytest.raises(TermgaugeError, match=message):
            coverage(source, [words()], **({"concepts": ["0"]} | options))


def test_tokens_are_no_words(source):
    model = load_model("wordllama:")
    among = neighbourhood_of(model, source, ["1", "2"])
    assert among.kind == "terminology"
    assert len(among) == 30
    np.testing.assert_array_equal(among.gather(np.array([4])), model.words_of(["w4"]).means)


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as done:
        main([str(argument) for argument in arguments])
    return done.value.code, *capsys.readouterr()


def test_the_command(folder, capsys):
    given = [folder / "terms.tsv", "--relations", folder / "relations.tsv", "-m", f"toy={folder / 'vectors.bin'}"]
    status, out, _err = run(
        capsys, "coverage", *given, "--concept", "0", "--k", 10, "--k", 5, "--json", "--save-domain", folder / "d.json"
    )
    assert status == 0
    document = json.loads(out)
    model = document["models"]["toy"]
    assert (model["seeds"], model["in_vocabulary"], model["out_of_vocabulary"]) == (11, 10, 1)
    assert list(model["k"]) == ["5", "10"]
    assert {"cg", "posdcg"} <= set(model["k"]["10"])
    status, out, err = run(capsys, "coverage", *given, "--domain", folder / "d.json", "--k", 10)
    assert (status, err) == (0, "")
    assert f"{model['k']['10']['cg']:.3f}" in out
    assert "one relation away from w0" in out
    assert "90.9" in out
    status, _out, err = run(capsys, "coverage", *given, "--concept", "w77")
    assert status == 2
    assert "w7" in err


def test_the_command_asks_for_a_domain(folder, capsys):
    status, _out, err = run(capsys, "coverage", folder / "terms.tsv", "-m", folder / "vectors.bin")
    assert status == 2
    assert "No domain was named" in err


def test_air_and_copd(shared, capsys):
    if shared is None:
        pytest.skip("needs the AIR sample, MetaMap's output and the word2vec file")
    data = shared / "data"
    status, out, err = run(
        capsys,
        "coverage",
        data / "rrf" / "sample-air",
        "--concept",
        "C0150840",
        "--text",
        data / "mmi" / "copd.mmi",
        "-m",
        f"w2v={data / 'vectors' / 'w2v_medline_100d.bin'}",
        "--lowercase",
        "--json",
    )
    assert status == 0
    assert "16 lines that are not MMI" in " ".join(err.split())
    model = json.loads(out)["models"]["w2v"]
    assert model["seeds"] == model["in_vocabulary"] + model["out_of_vocabulary"] > 2231
    assert list(model["k"]) == ["5", "10", "20", "30", "40"]
    assert model["in_vocabulary"] > 3
