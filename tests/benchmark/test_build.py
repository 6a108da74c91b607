from __future__ import annotations

import errno
import json
import random
from collections import defaultdict
from pathlib import Path

import polars as pl
import pytest
from benchmarks.synthetic_rf2 import write_release
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

import termgauge as tg
from termgauge.benchmark import build as builder
from termgauge.benchmark.load import load_sets
from termgauge.benchmark.manifest import MANIFEST, PARTIAL
from termgauge.benchmark.sets import ALL_SETS
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from tests.benchmark import plain_builder

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")

PUBLISHED = {"fsn-syn": "FSN_SYN", "syn-syn": "SYN_SYN"}


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """A small RF2 release with history, retired concepts and everything else that must be left out."""
    folder = tmp_path_factory.mktemp("release")
    write_release(folder, concepts=160, seed=3, retired=0.3, shuffled=True, terms=plain_builder.concepts_of_hpo(120))
    return folder


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.tsv")}


def test_the_published_sets_come_out_byte_for_byte(shared, tmp_path, release):
    if shared is None:
        expected = plain_builder.build(release)
        source = release
    else:
        source = shared / "reference" / "medisim" / "rf2"
        published = shared / "reference" / "medisim" / "expected"
        expected = {}
        for name in ALL_SETS:
            kind = PUBLISHED.get(name.kind, name.kind.replace("-", "_"))
            way = "simple" if name.strategy == "random" else "advanced"
            file = published / f"{kind}_{name.difficulty}_distance5_with_neg_{way}.txt"
            expected[str(name)] = file.read_bytes()
        assert len(expected) == 20
    tg.build(source, tmp_path / "out")
    assert {f"{name}.tsv": data for name, data in expected.items()} == files_of(tmp_path / "out")


@pytest.mark.parametrize("seed", range(4))
def test_a_synthetic_release_gives_what_the_plain_program_gives(tmp_path, seed):
    write_release(
        tmp_path / "in", concepts=70 + 30 * seed, seed=seed, retired=0.35, terms=plain_builder.concepts_of_hpo(80, seed)
    )
    expected = plain_builder.build(tmp_path / "in", seed=seed, limit=4 + seed)
    tg.build(tmp_path / "in", tmp_path / "out", seed=seed, split_distance=4 + seed)
    assert {f"{name}.tsv": data for name, data in expected.items()} == files_of(tmp_path / "out")


def test_the_manifest_says_what_is_there(release, tmp_path):
    made = tg.build(release, tmp_path / "out")
    document = json.loads((tmp_path / "out" / MANIFEST).read_text("utf-8"))
    assert document["terminology"]["version"] == made.manifest.terminology["version"]
    assert (document["seed"], document["options"]["split_distance"]) == (42, 5)
    assert len(document["files"]) == 20
    files = files_of(tmp_path / "out")
    for file, record in document["files"].items():
        assert (file in files) == (record["pairs"] > 0)
        if not record["pairs"]:
            assert record["sha256"] is None
            continue
        rows = [line.split("\t") for line in files[file].decode("utf-8").splitlines()]
        labels = [row[2] for row in rows]
        assert record["pairs"] == len(rows)
        assert record["positives"] == labels.count("1")
        assert record["negatives"] == labels.count("0") == record["positives"] - record["shortfall"]
        for label, key in (("1", "mean_distance_positives"), ("0", "mean_distance_negatives")):
            distances = [plain_builder.distance(row[0], row[1]) for row in rows if row[2] == label]
            assert record["statistics"][key] == pytest.approx(sum(distances) / len(distances), abs=1e-6)
        terms = {term for row in rows for term in row[:2]}
        share = sum(" " in term for term in terms) / len(terms)
        assert record["statistics"]["multi_word"] == pytest.approx(share, abs=1e-6)
    assert made["fsn-syn.hard.random"].sha256 == document["files"]["fsn-syn.hard.random.tsv"]["sha256"]
    assert len(list(made)) == len(files)


def test_two_builds_are_the_same_to_the_byte(release, tmp_path):
    for name in ("one", "two"):
        tg.build(release, tmp_path / name)
    one, two = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("one", "two"))
    assert one == two


def test_a_set_built_alone_is_the_same_as_built_with_all(release, tmp_path):
    tg.build(release, tmp_path / "all")
    for name in ALL_SETS[::3]:
        tg.build(release, tmp_path / str(name), only=str(name))
        found = files_of(tmp_path / str(name))
        assert set(found) <= {f"{name}.tsv"}
        assert all(files_of(tmp_path / "all")[file] == data for file, data in found.items())


def test_a_stopped_build_goes_on_where_it_stopped(release, tmp_path, monkeypatch):
    tg.build(release, tmp_path / "whole")
    real, calls = builder.levenshtein_negatives, []

    def stops(*arguments, **options):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*arguments, **options)

    monkeypatch.setattr(builder, "levenshtein_negatives", stops)
    with pytest.raises(KeyboardInterrupt):
        tg.build(release, tmp_path / "out")
    assert (tmp_path / "out" / PARTIAL).exists()
    assert not (tmp_path / "out" / MANIFEST).exists()
    made = len(files_of(tmp_path / "out"))
    assert made > 0
    monkeypatch.setattr(builder, "random_negatives", None)  # all of these were done, so none is made again
    tg.build(release, tmp_path / "out")
    assert files_of(tmp_path / "out") == files_of(tmp_path / "whole")
    assert (tmp_path / "out" / MANIFEST).read_bytes() == (tmp_path / "whole" / MANIFEST).read_bytes()
    assert not (tmp_path / "out" / PARTIAL).exists()


def test_a_second_build_makes_only_what_is_missing(release, tmp_path, monkeypatch):
    tg.build(release, tmp_path / "out")
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    (tmp_path / "out" / "syn-syn.easy.random.tsv").unlink()
    monkeypatch.setattr(builder, "levenshtein_negatives", None)
    tg.build(release, tmp_path / "out")
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before


def test_a_damaged_file_of_a_stopped_build_is_made_again(release, tmp_path, monkeypatch):
    tg.build(release, tmp_path / "whole")
    monkeypatch.setattr(builder, "levenshtein_negatives", lambda *_arguments, **_options: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        tg.build(release, tmp_path / "out")
    monkeypatch.undo()
    (tmp_path / "out" / "fsn-syn.hard.random.tsv").write_text("cut o")
    tg.build(release, tmp_path / "out")
    assert files_of(tmp_path / "out") == files_of(tmp_path / "whole")


def test_another_benchmark_is_replaced_only_when_told(release, tmp_path):
    tg.build(release, tmp_path / "out")
    before = files_of(tmp_path / "out")
    with pytest.raises(TermgaugeError, match=r"holds another benchmark.*--force"):
        tg.build(release, tmp_path / "out", seed=7)
    assert files_of(tmp_path / "out") == before
    tg.build(release, tmp_path / "out", seed=7, only="same-as", force=True)
    assert all(name.startswith("same-as") for name in files_of(tmp_path / "out"))


def test_a_full_disk_leaves_no_half_file(release, tmp_path, monkeypatch):
    def full(_self, _data):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(TermgaugeError, match="No space left"):
        tg.build(release, tmp_path / "out")
    assert not list((tmp_path / "out").glob("*"))


def test_parquet_holds_the_same_pairs_with_their_concepts(release, tmp_path):
    text = tg.build(release, tmp_path / "tsv", only="same-as")
    binary = tg.build(release, tmp_path / "parquet", only="same-as", format="parquet")
    for one, two in zip(text, binary, strict=True):
        assert (one.id, one.sha256) == (two.id, two.sha256)
        names = dict(tg.read_terminology(release).concepts.select("concept", "name").iter_rows())
        for row in two.frame.iter_rows(named=True):
            assert plain_builder.without_marks(names[row["concept_1"]]) == row["term_1"]
            assert plain_builder.without_marks(names[row["concept_2"]]) == row["term_2"]


def test_a_folder_for_the_datasets_library(release, tmp_path):
    tg.build(release, tmp_path / "hf", format="hf", licence="cc-by-4.0", only="fsn-syn")
    assert (tmp_path / "hf" / "README.md").read_text("utf-8").startswith("---\n")
    assert len(list((tmp_path / "hf").rglob("*.parquet"))) == 4


def test_a_subsample_is_seeded_and_stated(release, tmp_path):
    whole = tg.build(release, tmp_path / "whole")
    made = tg.build(release, tmp_path / "out", max_pairs=20)
    for file, record in made.manifest.files.items():
        positives = whole.manifest.files[file].positives
        assert record.positives == min(positives, 10)
        assert record.subsampled_from == (positives if positives > 10 else None)
    assert made.manifest.options["max_pairs"] == 20


def test_a_branch_or_a_tag_chooses_concepts(hpo, tmp_path):
    branch = tg.build(hpo, tmp_path / "branch", under="HP:0001626", only="fsn-syn random", format="parquet")
    below = set(tg.read_terminology(hpo).descendants("HP:0001626").to_list())
    found = pl.concat([each.frame for each in branch]).filter(pl.col("label") == 1)
    assert set(found["concept_1"]) <= below
    assert found.height > 300
    with pytest.raises(TermgaugeError, match="no concept 'HP:9'"):
        tg.build(hpo, tmp_path / "x", under="HP:9")
    with pytest.raises(TermgaugeError, match="no concept tagged 'finding'"):
        tg.build(hpo, tmp_path / "x", tag="finding")


def test_since_needs_history_and_is_stated(release, hpo, tmp_path):
    with pytest.raises(TermgaugeError, match="no history"):
        tg.build(hpo, tmp_path / "x", since="20190101")
    made = tg.build(release, tmp_path / "new", since="20150101", only="syn-syn")
    everything = tg.build(release, tmp_path / "all", only="syn-syn")
    assert 0 < sum(len(each) for each in made) < sum(len(each) for each in everything)
    with pytest.raises(TermgaugeError, match=r"left by --since 20990101 \(its newest term is of 20\d\d-.*choose more"):
        tg.build(release, tmp_path / "none", since="20990101")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"since": "soon"}, "'since' must be a day"),
        ({"max_pairs": 1}, "'max_pairs' must be at least 2, not 1"),
        ({"split_distance": -1}, "'split_distance' must be at least 0"),
        ({"scope": "narow"}, "Did you mean 'narrow'"),
        ({"only": "hardest"}, "Did you mean 'hard'"),
        ({"splitdistance": 3}, "Did you mean 'split_distance'"),
        ({"format": "xlsx"}, "no form of benchmarks"),
        ({"language": "xx"}, "xx"),
    ],
)
def test_bad_options_get_a_sentence(release, tmp_path, options, sentence):
    with pytest.raises(TermgaugeError, match=sentence):
        tg.build(release, tmp_path / "out", **options)
    assert not list(tmp_path.glob("out/*.tsv"))


def test_a_terminology_without_pairs_gives_a_manifest_and_a_note(tmp_path):
    (tmp_path / "t.tsv").write_text("concept\tterm\nA\talone\n")
    with pytest.warns(TermgaugeWarning, match="Without positives"):
        made = tg.build(tmp_path / "t.tsv", tmp_path / "out")
    assert list(made) == []
    assert all(record.pairs == 0 for record in made.manifest.files.values())
    with pytest.raises(TermgaugeError, match="none of the sets of this benchmark has a pair"):
        load_sets([tmp_path / "out"])


def test_a_set_of_one_pair_is_written_with_its_shortfall(tmp_path):
    (tmp_path / "t.tsv").write_text("concept\tterm\nA\theart attack\nA\tmyocardial infarction\n")
    with pytest.warns(TermgaugeWarning, match="1 of 1 positive has no negative"):
        made = tg.build(tmp_path / "t.tsv", tmp_path / "out")
    assert (tmp_path / "out" / "fsn-syn.hard.levenshtein.tsv").read_text() == "heart attack\tmyocardial infarction\t1\n"
    assert made.manifest.files["fsn-syn.hard.levenshtein.tsv"].shortfall == 1


def ontologies(shared, hpo):
    found = {"hp": hpo}
    if shared is not None:
        folder = shared / "data" / "ontologies"
        found |= {"symp": folder / "symp.obo", "maxo": folder / "maxo.obo", "doid": folder / "doid-2016-07-29.obo"}
    return found


LONG = pytest.mark.long


@pytest.mark.parametrize("name", ["symp", *(pytest.param(name, marks=LONG) for name in ("hp", "maxo", "doid"))])
def test_negatives_of_real_ontologies_are_no_synonyms_and_as_near_as_can_be(shared, hpo, tmp_path, name):
    source = ontologies(shared, hpo).get(name, hpo)
    branches = {"symp": "HP:0001626", "maxo": "HP:0000707", "doid": "HP:0000478"}
    under = None if shared is not None else branches.get(name)
    made = tg.build(source, tmp_path / "out", under=under)
    terms = tg.read_terminology(source).terms.filter(pl.col("kind").is_in(["fsn", "synonym"]))
    concepts = defaultdict(set)
    for concept, text in terms.select("concept", "text").iter_rows():
        concepts[text].add(concept)
    positives = {
        frozenset(row)
        for pairs in made
        for row in pairs.frame.filter(pl.col("label") == 1).select("term_1", "term_2").iter_rows()
    }
    for pairs in made:
        negatives = pairs.frame.filter(pl.col("label") == 0).select("term_1", "term_2").rows()
        assert len({frozenset(row) for row in negatives}) == len(negatives)
        for one, two in negatives:
            assert frozenset((one, two)) not in positives
            assert one.lower() != two.lower()
            if pairs.id.endswith("levenshtein"):
                assert not concepts[one] & concepts[two], "a negative shares no concept with its partner"
    check_nearest(made["syn-syn.hard.levenshtein"].frame, positives, made)


def test_negatives_of_a_larger_synthetic_release_are_as_near_as_can_be(tmp_path):
    write_release(tmp_path / "in", concepts=3000, seed=9, terms=plain_builder.concepts_of_hpo(2500))
    made = tg.build(tmp_path / "in", tmp_path / "out")
    positives = {
        frozenset(row)
        for pairs in made
        for row in pairs.frame.filter(pl.col("label") == 1).select("term_1", "term_2").iter_rows()
    }
    assert sum(len(pairs) for pairs in made) > 20_000
    check_nearest(made["syn-syn.hard.levenshtein"].frame, positives, made)


def check_nearest(frame, positives, made):
    """See by brute force, for a sample, that no nearer candidate was passed over without a reason."""
    rows = frame.filter(pl.col("label") == 1).select("term_1", "term_2").rows()
    chosen = defaultdict(list)
    chooses = set()
    for one, two in frame.filter(pl.col("label") == 0).select("term_1", "term_2").iter_rows():
        chosen[one].append(two)
        chooses.add((one, two))
    known = set(positives)
    for pairs in made:
        if pairs.id.endswith("levenshtein") and "fsn-syn" not in pairs.id and "syn-syn/hard" not in pairs.id:
            negatives = pairs.frame.filter(pl.col("label") == 0).select("term_1", "term_2")
            known |= {frozenset(row) for row in negatives.iter_rows()}
    for term in random.Random(5).sample(sorted(chosen), min(25, len(chosen))):
        _group, candidates = plain_builder.candidates_of(term, rows)
        allowed = [
            each
            for each in candidates
            if frozenset((term, each)) not in known
            and not (each < term and (each, term) in chooses)
            and each.lower() != term.lower()
        ]
        lowered = [each.lower() for each in allowed]
        distances = sorted(process.cdist([term.lower()], lowered, scorer=Levenshtein.distance)[0].tolist())
        found = sorted(plain_builder.distance(term, each) for each in chosen[term])
        assert found == distances[: len(found)]
