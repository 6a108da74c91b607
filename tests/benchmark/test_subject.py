"""Benchmarks in another language, across two, and across two terminologies: built, stored, scored."""

from __future__ import annotations

import json
import shutil

import numpy as np
import polars as pl
import pytest

import termgauge as tg
from termgauge.benchmark.options import BuildOptions
from termgauge.benchmark.pairset import PairSet
from termgauge.benchmark.subject import subject_of
from termgauge.exceptions import TermgaugeError
from termgauge.terminology import read_terminology
from tests.domain.tables import Words
from tests.terminology.bilingual import CONCEPTS, write_both

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
ENGLISH = {concept: [row[0], *row[1]] for concept, row in CONCEPTS.items()}
SPANISH = {concept: [row[2], *row[3]] for concept, row in CONCEPTS.items()}


def positives(pairs):
    frame = pairs.frame.filter(pl.col("label") == 1)
    return set(frame.select("term_1", "term_2", "concept_1").iter_rows())


def all_positives(benchmark, kind):
    return set().union(*(positives(pairs) for pairs in benchmark if pairs.origin.kind == kind))


@pytest.mark.parametrize("read_before", [True, False])
@pytest.mark.parametrize("full_names", [True, False])
def test_a_benchmark_in_spanish(tmp_path, read_before, full_names):
    places = write_both(tmp_path, full_names=full_names)
    source = read_terminology(places) if read_before else places
    made = tg.build(source, tmp_path / "es", language="es")
    expected = {
        (row[0], other, concept)
        for concept, row in SPANISH.items()
        for other in row[1:]
        if other.lower() != row[0].lower()
    }
    assert all_positives(made, "fsn-syn") == expected
    assert {pairs.id.split("/")[0] for pairs in made} == {"int-int-spanishextension-20190131-20190430-es"}
    assert made.manifest.options["language"] == "es"
    spanish = {text for texts in SPANISH.values() for text in texts}
    assert {text for pairs in made for name in ("term_1", "term_2") for text in pairs.frame[name]} <= spanish


def test_english_is_as_if_there_were_no_extension(tmp_path):
    international, extension = write_both(tmp_path)
    alone = tg.build(international, tmp_path / "alone")
    beside = tg.build([international, extension], tmp_path / "beside")
    assert [pairs.sha256 for pairs in alone] == [pairs.sha256 for pairs in beside]
    assert len(list(alone)) > 4
    assert {pairs.id.split("/")[0] for pairs in alone} == {"int-20190131"}
    assert "languages" not in alone.manifest.options


def test_across_two_languages(tmp_path):
    places = write_both(tmp_path)
    made = tg.build(places, tmp_path / "both", languages=("en", "es"))
    expected = {
        kind: {
            (one, other, concept)
            for concept, texts in ENGLISH.items()
            for one in (texts[:1] if kind == "fsn-syn" else texts[1:])
            for other in SPANISH[concept]
            if one.lower() != other.lower()
        }
        for kind in ("fsn-syn", "syn-syn")
    }
    for kind, pairs in expected.items():
        assert all_positives(made, kind) == pairs
    assert made.manifest.options["languages"] == ["en", "es"]
    assert "1 pair written alike on both sides was left out." in made.manifest.notes
    for pairs in made:
        assert pairs.id.startswith("int-int-spanishextension-20190131-20190430-en-es/")
        assert set(pairs.frame["term_1"]) <= {text for texts in ENGLISH.values() for text in texts}
        assert set(pairs.frame["term_2"]) <= {text for texts in SPANISH.values() for text in texts}
        negatives = pairs.frame.filter(pl.col("label") == 0)
        assert (negatives["concept_1"] != negatives["concept_2"]).all()
    turned = tg.build(places, tmp_path / "turned", languages="es,en")
    assert next(iter(turned)).id.startswith("int-int-spanishextension-20190131-20190430-es-en/")


def test_a_stopped_build_goes_on(tmp_path, monkeypatch):
    places = write_both(tmp_path)
    whole = tg.build(places, tmp_path / "whole", languages=["en", "es"])
    tg.build(places, tmp_path / "part", languages=["en", "es"])
    manifest = json.loads((tmp_path / "part" / "benchmark.json").read_text())
    last = [file for file, record in manifest["files"].items() if record["pairs"]][-1]
    del manifest["files"][last]
    (tmp_path / "part" / last).unlink()
    (tmp_path / "part" / "benchmark.json").unlink()
    (tmp_path / "part" / ".benchmark.partial.json").write_text(json.dumps(manifest))
    made = []
    monkeypatch.setattr(
        PairSet, "write_tsv", lambda self, path, write=PairSet.write_tsv: (made.append(path.name), write(self, path))
    )
    again = tg.build(places, tmp_path / "part", languages=["en", "es"])
    assert made == [last]
    assert [pairs.sha256 for pairs in again] == [pairs.sha256 for pairs in whole]


def write_tables(folder):
    """Write an English and a Spanish vocabulary with ids of their own, and what maps them."""
    folder.mkdir()
    english = [f"{concept}\t{text}\ten" for concept, texts in ENGLISH.items() for text in texts]
    spanish = [f"E{concept}\t{text}\tes" for concept, texts in SPANISH.items() for text in texts]
    (folder / "here.tsv").write_text("\n".join(["concept\tterm\tlanguage", *english, ""]), "utf-8")
    (folder / "there.tsv").write_text("\n".join(["concept\tterm\tlanguage", *spanish, ""]), "utf-8")
    rows = [f"{concept}\tskos:exactMatch\tES:E{concept}" for concept in list(CONCEPTS)[:-1]]
    last = list(CONCEPTS)[-1]
    rows += [f"{last}\tskos:closeMatch\tE{last}", "999\tskos:exactMatch\tE1"]
    (folder / "map.sssom.tsv").write_text("\n".join(["subject_id\tpredicate_id\tobject_id", *rows, ""]))
    return folder / "here.tsv", folder / "there.tsv", folder / "map.sssom.tsv"


def test_across_two_terminologies(tmp_path):
    here, there, mapping = write_tables(tmp_path / "in")
    options = {"across": True, "mapping": mapping, "languages": ["en", "es"]}
    made = tg.build((here, there), tmp_path / "out", **options)
    mapped = list(CONCEPTS)[:-1]
    expected = {
        (texts[0], other, concept)
        for concept, texts in ENGLISH.items()
        for other in SPANISH[concept]
        if concept in mapped and texts[0].lower() != other.lower()
    }
    assert all_positives(made, "fsn-syn") == expected
    for pairs in made:
        assert pairs.id.startswith("across/here/there-en-es/")
        assert pairs.origin.terminology == "across/here/there-en-es"
        rows = pairs.frame.filter(pl.col("label") == 1)
        assert (rows["concept_2"] == "E" + rows["concept_1"]).all()
    assert any("1 row names a concept that" in note for note in made.manifest.notes)
    assert [each["edition"] for each in made.manifest.options["across"]] == ["here", "there"]
    wider = tg.build((here, there), tmp_path / "wider", **options, mapping_relation="exact,close")
    assert len(all_positives(wider, "fsn-syn")) > len(expected)
    assert [pairs.sha256 for pairs in tg.load_benchmark(tmp_path / "out")] == [pairs.sha256 for pairs in made]


def test_what_makes_no_sense(tmp_path):
    here, there, mapping = write_tables(tmp_path / "in")
    with pytest.raises(TermgaugeError, match="1 were named; name two"):
        tg.build(here, tmp_path / "out", across=True, mapping=mapping)
    with pytest.raises(TermgaugeError, match="name both, with --across"):
        tg.build(here, tmp_path / "out", mapping=mapping)
    with pytest.raises(TermgaugeError, match="No mapping was named"):
        tg.build((here, there), tmp_path / "out", across=True, languages="en,es")
    with pytest.raises(TermgaugeError, match="must be two different languages"):
        tg.build(here, tmp_path / "out", languages="en,EN")
    with pytest.raises(TermgaugeError, match="has no terms in 'es', only in en"):
        tg.build(here, tmp_path / "out", languages="en,es")
    with pytest.raises(TermgaugeError, match="kinds fsn-syn and syn-syn alone"):
        tg.build(write_both(tmp_path), tmp_path / "out", languages="en,es", only="same-as")
    (tmp_path / "same.tsv").write_text("concept\tterm\tlanguage\nA\tcoma\ten\nA\tComa\tes\n")
    with pytest.raises(TermgaugeError, match="same-en-es: no concept has two names"):
        tg.build(tmp_path / "same.tsv", tmp_path / "out", languages="en,es")


def test_scored_and_shown_end_to_end(tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the leaderboard is written where one is
    places = write_both(tmp_path)
    words = sorted(
        {word for texts in (*ENGLISH.values(), *SPANISH.values()) for text in texts for word in text.split()}
    )
    vectors = np.random.default_rng(1).normal(size=(len(words), 8))
    lines = [
        f"{len(words)} 8",
        *(f"{word} {' '.join(map(str, row))}" for word, row in zip(words, vectors, strict=True)),
    ]
    (tmp_path / "words.txt").write_text("\n".join(lines) + "\n", "utf-8")
    status, out, err = run("build", *places, "--languages", "en,es", "--out", tmp_path / "en-es", "--json")
    assert status == 0, err
    assert json.loads(out)["options"]["languages"] == ["en", "es"]
    status, out, err = run("build", *places, "--language", "es", "--out", tmp_path / "es")
    assert status == 0, err
    assert "20190131+20190430 in es" in out
    runs = []
    for name, model in (("one", f"w2v=word2vec:{tmp_path / 'words.txt'}"), ("two", "edit=baseline:levenshtein")):
        runs.append(tmp_path / name)
        sets = ("--benchmark", tmp_path / "es", "--benchmark", tmp_path / "en-es")
        status, _out, err = run("evaluate", *sets, "--model", model, "--out", runs[-1])
        assert status == 0, err
    shown = tg.evaluate([tmp_path / "es", tmp_path / "en-es"], Words(words, vectors, name="w"), tmp_path / "python")
    ids = set(shown.results()["set"])
    assert {set_id.split("/")[0].rsplit("20190430")[1] for set_id in ids} == {"-es", "-en-es"}
    assert run("report", runs[0])[0] == 0
    page = (runs[0] / "report.html").read_text("utf-8")
    assert "20190430-en-es" in page
    status, out, err = run("leaderboard", *runs, "--json")
    assert status == 0, err
    assert "20190430-en-es" in out
    status, out, err = run("diff", *runs, "--map", "w2v=edit", "--json")
    assert status == 0, err


def test_the_command_across(tmp_path, run):
    here, there, mapping = write_tables(tmp_path / "in")
    out = tmp_path / "out"
    status, said, err = run(
        "build", "--across", here, there, "--mapping", mapping, "--languages", "en,es", "--mapping-relation",
        "exact,close", "--out", out, "--json",
    )  # fmt: skip
    assert status == 0, err
    assert {record["kind"] for record in json.loads(said)["files"].values()} == {"fsn-syn", "syn-syn"}
    status, said, err = run("build", "--across", here, "--mapping", mapping, "--out", tmp_path / "other")
    assert status == 2
    assert "name two" in err


def test_for_the_hugging_face_library(tmp_path):
    tg.build(write_both(tmp_path), tmp_path / "hf", languages="en,es", format="hf")
    card = (tmp_path / "hf" / "README.md").read_text("utf-8")
    assert 'language:\n- "en"\n- "es"\n' in card
    shutil.rmtree(tmp_path / "hf")
    tg.build(write_both(tmp_path), tmp_path / "hf", language="es", format="hf")
    assert 'language:\n- "es"\n' in (tmp_path / "hf" / "README.md").read_text("utf-8")


def test_a_set_is_the_same_alone(tmp_path):
    source = read_terminology(write_both(tmp_path))
    whole = {pairs.id: pairs.sha256 for pairs in tg.build(source, tmp_path / "whole", languages="en,es")}
    some = {
        pairs.id: pairs.sha256
        for pairs in tg.build(source, tmp_path / "some", languages="en,es", only="levenshtein hard")
    }
    assert some
    assert some.items() <= whole.items()


def test_subject_of_one_language():
    from tests.domain.terminologies import terminology_of

    made = terminology_of({"A": ["fever"]})
    assert subject_of(made, BuildOptions()).name == "made"
    assert subject_of(made, BuildOptions.of(language="de")).name == "made-de"


def test_in_an_experiment(tmp_path):
    from termgauge.engine.file import load_experiment
    from termgauge.engine.runner import plan

    places = ", ".join(f'"{place}"' for place in write_both(tmp_path))
    (tmp_path / "experiment.toml").write_text(
        f'output = "run"\n[[terminology]]\nname = "small"\nsource = [{places}]\n'
        '[[benchmark]]\nterminology = "small"\nname = "spanish"\nlanguage = "es"\n'
        '[[benchmark]]\nterminology = "small"\nname = "across"\nlanguages = ["en", "es"]\n'
        '[[model]]\nname = "edit"\nspec = "baseline:levenshtein"\n',
        "utf-8",
    )

    def planned():
        found = plan(load_experiment(tmp_path / "experiment.toml"))
        return {item.name: item for step in found.steps for item in step.items if step.name == "Build benchmarks"}

    before = planned()
    assert not before["across"].problem
    assert not before["across"].there
    done = tg.run(tmp_path / "experiment.toml")
    named = {pairs.split("/")[0].rpartition("20190430")[2] for pairs in done.results()["set"].unique()}
    assert named == {"-es", "-en-es"}
    assert planned()["across"].there
    assert planned()["spanish"].there
