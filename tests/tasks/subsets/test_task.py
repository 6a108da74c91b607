"""Subsets from end to end: by the command, in an experiment, and with the figures of the protocol on real sets."""

from __future__ import annotations

import json
import shutil

import pytest

import termgauge as tg
from termgauge.engine.file import load_experiment
from termgauge.engine.report import run_document
from termgauge.engine.runner import plan
from termgauge.tasks.subsets.task import TASK, SubsetOptions
from tests.samples import write_obo
from tests.tasks.subsets.banded_run import counts, labelled_pairs, model_of, rated_pairs, run_of


@pytest.fixture
def files(tmp_path):
    run_of(tmp_path, rated_pairs())
    counts(tmp_path)
    return tmp_path


def test_the_command_prints_one_document(run, files):
    status, out, err = run(
        "subsets", files / "run", "--property", files / "counts.tsv", "--bands", "1,10,100", "--json"
    )
    assert status == 0, err
    document = json.loads(out)
    assert {"bands", "outside"} <= set(document)
    assert [band["pairs"] for band in document["bands"]] == [50, 50, 50]
    status, out, _err = run("subsets", files / "run", "--property", files / "counts.tsv", "--bands", "1,10,100")
    assert status == 0
    assert "Values of knows rise from the first band" in " ".join(out.split())


def test_what_was_tested_in_the_run_is_as_it_says(run, files):
    alike = [
        json.loads(run("subsets", files / "run", "--by", "score", "--json", *more)[1])
        for more in ([], ["--alpha", "0.05"], ["--alpha", "0.5"])
    ]
    assert alike[0] == alike[1]
    wide, narrow = (each["bands"][0]["models"]["knows"]["interval"] for each in alike[1:])
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--by", "nothing"], "'nothing'"),
        (["--by", "words", "--bands", "3,2"], "greater than the one before"),
        (["--property", "{tmp}/gone.tsv"], "gone.tsv"),
        (["--property", "{tmp}/counts.tsv", "--column", "cuont"], "Did you mean 'count'"),
        (["--property", "{tmp}/counts.tsv", "--missing", "zero"], "'auto' or 'none'"),
        (["--by", "depth"], "needs a terminology"),
        (["--by", "words", "--model", "knwos"], "has no model 'knwos'"),
        (["--by", "words", "--set", "rate"], "has no set 'rate'"),
        ([], "name a property"),
    ],
)
def test_bad_input_is_one_sentence(run, files, more, said):
    status, out, err = run("subsets", files / "run", *(each.format(tmp=files) for each in more))
    assert (status, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_a_folder_that_is_no_run(run, tmp_path):
    (tmp_path / "empty").mkdir()
    for place in ("empty", "gone"):
        status, _out, err = run("subsets", tmp_path / place, "--by", "words")
        assert status == 2
        assert "is no run folder" in err


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")  # so small a terminology lacks much
def test_an_experiment_can_ask_for_it(files):
    write_obo(files / "toy.obo")
    labelled_pairs().write_tsv(files / "labelled.tsv")
    (files / "experiment.toml").write_text(
        '[[terminology]]\nname = "toy"\nsource = "toy.obo"\n[[benchmark]]\nterminology = "toy"\n'
        '[[model]]\nspec = "baseline:levenshtein"\n[[model]]\nspec = "baseline:char-ngrams"\n'
        '[[subsets]]\nname = "long terms"\nby = "words"\nbands = [1, 2]\n[[subsets]]\nname = "deep"\nby = "depth"\n'
    )
    ran = tg.run(files / "experiment.toml", out=files / "ran", report=False)
    result = TASK.load(ran.scored(), "long terms")
    assert result.sets
    assert TASK.load(ran.scored(), "deep").sets
    document = run_document(ran)
    assert any(section.title == "Subsets by words: long terms" for section in document.sections)
    steps = {step.name: step for step in plan(load_experiment(files / "experiment.toml"), out=files / "ran").steps}
    assert [item.there for item in steps["Subsets"].items] == [True, True]


def test_what_it_was_made_from_is_known(files, tmp_path):
    scored = tg.evaluate([rated_pairs()], [model_of(rated_pairs())], tmp_path / "run").scored()

    def identity(**options):
        asked = SubsetOptions.of(**options)
        material = type("Material", (), {"run": scored, "terminology": None})()
        return TASK.identity(TASK.inputs(asked, material), asked)

    first = identity(property=files / "counts.tsv")
    shutil.copy(files / "counts.tsv", files / "same.tsv")
    assert identity(property=files / "same.tsv") == first
    (files / "counts.tsv").write_text("a1\t3\n")
    assert identity(property=files / "counts.tsv") != first


@pytest.fixture(scope="module")
def real(shared, tmp_path_factory):
    """Return a run of the MEDLINE vectors on Bio-SimLex and on SimVerb-3500 with its ratings."""
    if shared is None:
        pytest.skip("the sets are not at hand")
    data, folder = shared / "data", tmp_path_factory.mktemp("real")
    lines = (data / "ratings" / "SimVerb-3500.txt").read_text().splitlines()
    rows = [line.split("\t") for line in lines]
    pairs = "".join(f"{row[0]}\t{row[1]}\t{row[3]}\n" for row in rows)
    (folder / "simverb.tsv").write_text(f"word1\tword2\tscore\n{pairs}")
    shutil.copy(data / "ratings" / "SimVerb-3500-ratings.txt", folder / "simverb.ratings.tsv")
    vectors = f"w2v=word2vec:{data / 'vectors' / 'w2v_medline_100d.bin'}"
    sets = [folder / "simverb.tsv", "human/bio-simlex"]
    run = tg.evaluate(sets, vectors, folder / "run", measures=["avg_cos"], data_dir=data / "similarity")
    return data / "words", run


@pytest.mark.parametrize("missing", ["auto", "0"])
def test_simverb_by_its_frequency(real, missing):
    words, run = real
    table = words / "simverb_bnc_frequency.tsv"
    found = tg.subsets(run, property=table, bands=[0, 1000, 10000], sets=["simverb"], missing=missing).sets["simverb"]
    assert [band.pairs for band in found.bands] == [256, 637, 431]
    assert found.outside == 2176
    assert [band.spread for band in found.bands] == pytest.approx([1.369159, 1.314131, 1.312060], abs=1e-6)
    assert found.spread == pytest.approx(1.331784, abs=1e-6)
    assert [band.score for band in found.bands] == pytest.approx([4.705430, 4.394615, 3.871508], abs=1e-6)


def test_bio_simlex_by_its_frequency_in_medquad(real):
    words, run = real
    table, name = words / "freq_medquad_Bio-SimLex.tsv", "human/bio-simlex"
    found = tg.subsets(run, property=table, bands=[1, 50, 500], sets=[name]).sets[name]
    assert [band.pairs for band in found.bands] == [193, 104, 20]
    assert [band.models["w2v"].n for band in found.bands] == [183, 104, 20]
    values = [band.models["w2v"].value for band in found.bands]
    assert values == pytest.approx([0.697426, 0.614179, 0.545323], abs=1e-6)
    assert found.outside == 671
    tertiles = tg.subsets(run, property=table, sets=[name]).sets[name]
    assert [(band.low, band.high, band.pairs) for band in tertiles.bands] == [
        (None, 5, 115),
        (5, 70, 134),
        (70, None, 144),
    ]
