"""Coverage from a terminology to a result: as a verb, with models of every kind, and from a table of an experiment."""

from __future__ import annotations

import re

import numpy as np
import pytest

import termgauge as tg
from termgauge.domain.domain import Domain
from termgauge.domain.neighbourhood import neighbourhood_of
from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.tasks.coverage.task import TASK
from tests.domain.tables import Concepts, Words
from tests.domain.terminologies import terminology_of
from tests.engine.toy_models import ToyPairs, ToyTerms
from tests.samples import write_obo

TERMS = "concept\tterm\tkind\n" + "".join(f"{place}\tw{place}\tfsn\n" for place in range(30))
RELATIONS = "source\ttype\ttarget\n" + "".join(f"0\tsite\t{place}\n" for place in range(1, 12)) + "1\tis_a\t0\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "terms.tsv").write_text(TERMS)
    (tmp_path / "relations.tsv").write_text(RELATIONS)
    return tmp_path


@pytest.fixture
def source(folder):
    return tg.read_terminology(folder / "terms.tsv", relation_table=folder / "relations.tsv")


def words(name="words", seed=0):
    return Words([f"w{place}" for place in range(25)], np.random.default_rng(seed).normal(size=(25, 4)), name=name)


def test_models_side_by_side(source):
    concepts = Concepts(
        [f"{place}" for place in range(5, 30)], np.random.default_rng(3).normal(size=(25, 4)), name="ids"
    )
    result = tg.coverage(source, [words(), concepts, ToyTerms()], concepts=["0"], k=[3])
    assert list(result.models) == ["words", "ids", "encoder"]
    assert [model.neighbourhood for model in result.models.values()] == ["vocabulary"] * 2 + ["terminology"]
    assert [model.in_vocabulary for model in result.models.values()] == [11, 7, 11]
    assert result.models["ids"].missing == ["1", "2", "3", "4"]
    assert {(each.one, each.other) for each in result.differences} == {("words", "ids")}  # not the encoder
    assert result.left_out == []


def test_a_failing_model_does_not_stop_the_others(source, folder):
    with pytest.warns(TermgaugeWarning) as told:
        result = tg.coverage(source, [f"{folder}/none.bin", ToyPairs(), words()], concepts=["0"], k=[3])
    assert list(result.models) == ["words"]
    assert len(told) == 2
    assert [re.split(":| ", problem)[0] for problem in result.left_out][1] == "own"
    assert "no vectors, only similarities" in result.as_dict()["left_out"][1]
    with pytest.raises(TermgaugeError, match="no vectors"):  # one sentence, and no warning that says the same
        tg.coverage(source, [ToyPairs()], concepts=["0"])


def test_a_domain_is_given_or_made(source, folder):
    made = tg.make_domain(source, concepts=["0"])
    made.write(folder / "domain.json")
    results = [
        tg.coverage(source, [words()], domain=made, k=[3]),
        tg.coverage(source, [words()], domain=folder / "domain.json", k=[3]),
        tg.coverage(folder / "terms.tsv", [words()], concepts=["0"], ks=[3], relations=folder / "relations.tsv"),
    ]
    assert results[0] == results[1] == results[2]
    with pytest.raises(TermgaugeError, match="also how to make one"):
        tg.coverage(source, [words()], domain=made, concepts=["0"])
    with pytest.raises(TermgaugeError, match="No domain was named"):
        tg.coverage(source, [words()])
    other = tg.read_terminology(write_obo(folder / "other"))
    with pytest.warns(TermgaugeWarning, match="was made from terms as it was read then, not from toy"):
        tg.coverage(other, [Concepts(["1", "2"])], domain=made, k=[1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": [0]}, "at least 1"),
        ({"alpha": 2.0}, "must be less than 1, not 2.0. It means: The probability of any false claim"),
        ({"correction": "bonferoni"}, "Did you mean 'bonferroni'"),
        ({"labels": "some"}, "'first', 'all', 'max' or 'medoid'"),
        ({"concepts": ["99"]}, "has no concept '99'"),
    ],
)
def test_bad_options(source, options, message):
    with pytest.raises(TermgaugeError, match=message):
        tg.coverage(source, [words()], **({"concepts": ["0"]} | options))


def test_tokens_are_no_words(source):
    model = load_model("wordllama:")
    among = neighbourhood_of(model, source, ["1", "2"])
    assert among.kind == "terminology"
    assert len(among) == 30
    np.testing.assert_array_equal(among.gather(np.array([4])), model.words_of(["w4"]).means)


def test_it_asks_for_analogies_too_unless_told_not_to():
    options = TASK.options.of(branches=["0"], k=[3], relations=["site"], method="mul", lowercase=True)
    ((name, same),) = TASK.companions(options).items()
    assert name == "analogies"
    assert (same.branches, same.relations, same.method, same.lowercase) == (["0"], ["site"], "mul", True)
    assert same.k == [10]
    assert TASK.companions(TASK.options.of(branches=["0"], analogies=False)) == {}


def test_baselines_do_not_fit():
    assert TASK.fits("words", "word2vec")
    assert not TASK.fits("words", "baseline")


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_real_data_of_lungs(shared):
    if shared is None:
        pytest.skip("needs the AIR sample, MetaMap's output and the word2vec file")
    data = shared / "data"
    with pytest.warns(TermgaugeWarning, match="16 lines that are not MMI"):
        result = tg.coverage(
            data / "rrf" / "sample-air",
            [f"w2v={data / 'vectors' / 'w2v_medline_100d.bin'}"],
            concepts=["C0150840"],
            texts=[data / "mmi" / "copd.mmi"],
            lowercase=True,
        )
    model = result.models["w2v"]
    assert model.seeds == model.in_vocabulary + model.out_of_vocabulary > 2231
    assert list(model.k) == ["5", "10", "20", "30", "40"]
    assert model.in_vocabulary > 3


def test_seeds_without_a_label_may_be_left_out():
    terminology = terminology_of({"A": ["a"], "B": ["b"]})
    domain = Domain(("A", "B", "unknown"), related=("unknown", "B"))
    model = Words(["a", "b", "c"], name="model")
    kept = tg.coverage(terminology, [model], domain=domain, k=[1])
    assert kept.models["model"].seeds == 3
    with pytest.warns(TermgaugeWarning, match="1 of 3 seeds has no label and is left out"):
        dropped = tg.coverage(terminology, [model], domain=domain, k=[1], drop_unlabelled=True)
    assert dropped.models["model"].seeds == 2
    assert dropped.domain.related == ("B",)
    with pytest.raises(TermgaugeError, match="None of the seeds has a label"):
        tg.coverage(terminology, [model], domain=Domain(("unknown",)), k=[1], drop_unlabelled=True)


def test_analogies_beside_take_all_labels_where_coverage_takes_one_of_them():
    asked = TASK.companions(TASK.options.of(concepts=["A"], labels="medoid", drop_unlabelled=True))["analogies"]
    assert asked.labels == "all"
    assert TASK.companions(TASK.options.of(concepts=["A"], labels_order="file"))["analogies"].labels_order == "file"
