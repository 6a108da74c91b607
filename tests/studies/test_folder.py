"""Studies on disk: begun whole or not at all, opened as they were begun, and what raters said comes out of them."""

from __future__ import annotations

import polars as pl
import pytest

import termgauge as tg
from termgauge.benchmark.pairset import PairSet
from termgauge.display import shortened
from termgauge.exceptions import SkippedWarning, TermgaugeError, TermgaugeWarning
from termgauge.studies.design import layout
from termgauge.studies.folder import new_study, open_study
from termgauge.studies.pairs import quality_sample
from tests.studies.small_study import labelled, pair_table, quality, similarity


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_similarity_study(tmp_path):
    study = similarity(tmp_path, 120, pages=5, seed=3, title="Nouns & verbs <1>")
    assert names(study.folder) == ["design.json", "layout.tsv", "pairs.tsv", "study.sqlite", "study.toml"]
    assert study.layout.equals(layout(120, 3, groups=2, consistency=12, duplicates=12, pages=5))
    assert study.file.title == "Nouns & verbs <1>"
    head = (study.folder / "layout.tsv").read_bytes().splitlines()[0]
    assert head == b"group\tpage\tposition\tpair\tkind"
    assert (study.folder / "pairs.tsv").read_bytes().startswith(b"pair\tword1\tword2\n1\tleft 0\tright 0\n")
    again = open_study(study.folder)
    assert again.pairs.equals(study.pairs)
    assert again.id == study.id
    assert again.key is None
    assert repr(again) == f"<similarity study '{shortened(study.folder)}': 120 pairs, 2 groups>"
    with again.store() as store:
        assert store.study_id == study.id


def test_a_quality_study_asks_without_the_key(tmp_path):
    study = quality(tmp_path)
    assert study.pairs.height == 18
    assert study.layout["pair"].to_list() == list(range(1, 19))
    assert set(study.layout["group"]) == {1}
    assert study.key.columns == ["row", "set", "line", "label"]
    assert study.key.group_by("set", "label").len()["len"].to_list() == [3] * 6
    sheet = (study.folder / "sheet.tsv").read_text(encoding="utf-8").splitlines()
    assert sheet[0] == "row\tterm1\tterm2\tanswer"
    assert sheet[1] == "\t".join(["1", *study.pairs.row(0)[1:], ""])
    for name in ("pairs.tsv", "layout.tsv", "sheet.tsv"):
        assert "label" not in (study.folder / name).read_text()


def test_the_sample_of_a_benchmark_comes_in_portions(tmp_path):
    study = new_study(tmp_path / "s", [labelled(f"set {at}", 40, 40) for at in range(20)], kind="quality")
    assert study.pairs.height == 1200
    assert study.file.pages == 20
    assert study.file.per_label == 30


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_a_benchmark_on_disk(tmp_path):
    terms = "".join(f"{at}\tdisease {at}\n{at}\tcondition {at}\n" for at in range(9))
    (tmp_path / "terms.tsv").write_text(f"concept\tterm\n{terms}")
    benchmark = tg.build(tmp_path / "terms.tsv", tmp_path / "benchmark")
    study = new_study(tmp_path / "check", tmp_path / "benchmark", kind="quality", per_label=4)
    _sheet, key = quality_sample(list(benchmark), 42, 4)
    assert study.key.equals(key)
    assert study.key["set"].n_unique() == len(list(benchmark)) > 1
    for row, name, line, label in study.key.rows():
        pair = benchmark[name].frame.row(line - 1, named=True)
        assert (pair["term_1"], pair["term_2"], pair["label"]) == (*study.pairs.row(row - 1)[1:], label)
    with pytest.raises(TermgaugeError, match="name one of their files"):
        new_study(tmp_path / "no", tmp_path / "benchmark")


def test_pairs_of_a_set(tmp_path):
    assert new_study(tmp_path / "s", labelled(), pages=1).pairs.height == 11
    twice = PairSet("twice", pl.DataFrame({"term_1": ["a", "b"], "term_2": ["b", "a"], "label": [1, 1]}))
    with pytest.warns(TermgaugeWarning, match=r"the set 'twice': row 2 repeats row 1 \('b' / 'a'\)"):
        assert new_study(tmp_path / "t", twice).pairs.height == 2


def test_a_study_is_never_overwritten(tmp_path):
    study = similarity(tmp_path)
    before = {path.name: path.read_bytes() for path in study.folder.iterdir()}
    with pytest.raises(TermgaugeError, match="holds a study already; name a new folder"):
        similarity(tmp_path, seed=9)
    assert {path.name: path.read_bytes() for path in study.folder.iterdir()} == before
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    with pytest.raises(TermgaugeError, match="is not empty"):
        new_study(tmp_path / "full", pair_table(tmp_path))
    with pytest.raises(TermgaugeError, match="is a file; name a new folder"):
        new_study(tmp_path / "pairs.tsv", pair_table(tmp_path))


def test_the_folder_one_is_in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TermgaugeError, match="the folder you are in"):
        new_study(".", pair_table(tmp_path.parent))


def test_nothing_is_left_of_a_study_that_could_not_be_begun(tmp_path):
    (tmp_path / "bad.tsv").write_text("a\tb\n\tb\n")
    with pytest.raises(TermgaugeError, match=r"bad.tsv, line 2: a term is empty"):
        new_study(tmp_path / "study", tmp_path / "bad.tsv")
    with pytest.raises(TermgaugeError, match="too few for 40 pages"):
        similarity(tmp_path, pages=40)
    assert names(tmp_path) == ["bad.tsv", "pairs.tsv"]


def test_an_empty_folder_will_do(tmp_path):
    (tmp_path / "study").mkdir()
    assert similarity(tmp_path).pairs.height == 24
    assert names(tmp_path) == ["pairs.tsv", "study"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"kind": "similarty"}, "'kind' must be .* Did you mean 'similarity'"),
        ({"kind": "quality", "groups": 2, "duplicates": 1}, "leave out groups, duplicates"),
        ({"per_label": 3}, "leave out per_label"),
        ({"groups": 0}, "'groups' must be at least 1, not 0"),
        ({"consistency": -1}, "'consistency' must be at least 0, not -1"),
        ({"pages": 0}, "'pages' must be at least 1, not 0"),
        ({"title": " "}, "'title' must be some text"),
    ],
)
def test_options_that_make_no_sense(tmp_path, options, said):
    with pytest.raises(TermgaugeError, match=said):
        new_study(tmp_path / "study", pair_table(tmp_path), **options)


def test_tiny_studies(tmp_path):
    """Three pairs: one group of two and one of one, on one page, nothing in common."""
    study = new_study(tmp_path / "s", pair_table(tmp_path, 3))
    assert (study.file.pages, study.file.consistency, study.file.duplicates) == (1, 0, 0)
    assert study.layout.height == 3


@pytest.mark.parametrize("place", ["none", "."])
def test_folders_without_a_study(tmp_path, place):
    with pytest.raises(TermgaugeError, match="begin"):
        open_study(tmp_path / place)


def test_the_database_of_another_study(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one, other = similarity(tmp_path / "a"), similarity(tmp_path / "b")
    (one.folder / "study.sqlite").write_bytes((other.folder / "study.sqlite").read_bytes())
    with pytest.raises(TermgaugeError, match="is the database of another study"):
        open_study(one.folder)
    (one.folder / "study.sqlite").unlink()
    with pytest.raises(TermgaugeError, match=r"study.sqlite: there is no such file"):
        open_study(one.folder)


def test_ratings_of_all_but_those_left_out(tmp_path):
    study = similarity(tmp_path)
    with study.store() as store:
        for group, rating in ((1, 2.0), (2, None), (1, 6.0)):
            rater, _token = store.invite(group, f"name {group}")
            store.answer(rater.id, 2, 1, 0.0, seconds=1, client_id="a", revision=0)
            store.answer(rater.id, 1, 2, 1.0, seconds=1, client_id="b", revision=0)
            store.answer(rater.id, 1, 2, rating, seconds=2.5, client_id="c", revision=1)
        store.set_state("r3", "left_out", "did not read")
    ratings = study.ratings()
    shown = {(group, page, at): (str(pair), kind) for group, page, at, pair, kind in study.layout.rows()}
    assert ratings.answers.rows() == [
        ("r1", "1", 1, 2, shown[1, 1, 2][0], 2.0, shown[1, 1, 2][1], 2.5),
        ("r1", "1", 2, 1, shown[1, 2, 1][0], 0.0, shown[1, 2, 1][1], 1.0),
        ("r2", "2", 1, 2, shown[2, 1, 2][0], None, shown[2, 1, 2][1], 2.5),
        ("r2", "2", 2, 1, shown[2, 2, 1][0], 0.0, shown[2, 2, 1][1], 1.0),
    ]
    assert ratings.scale == (0.0, 6.0)
    assert ratings.pairs.schema == {"pair": pl.String, "word1": pl.String, "word2": pl.String}
    assert study.ratings(include_left_out=True).raters == ["r1", "r2", "r3"]


def test_ratings_of_a_study_that_nobody_has_answered(tmp_path):
    assert similarity(tmp_path).ratings().answers.is_empty()


def test_answers_of_another_scale(tmp_path):
    """A server that was started before the file was changed may still store former values."""
    study = similarity(tmp_path)
    with study.store() as store:
        store.invite(1)
        store.answer("r1", 1, 1, 6.5, seconds=1, client_id="a", revision=0)
    with pytest.raises(TermgaugeError, match=r"study.toml: raters gave answers with the value 6.5"):
        study.ratings()


def test_pages_that_are_too_small_for_the_duplicates_asked_for(tmp_path):
    with pytest.warns(SkippedWarning, match="Only 0 of 5 pairs can be shown twice"):
        study = similarity(tmp_path, 4, groups=1, pages=4, duplicates=5)
    assert set(study.layout["kind"]) == {"unique"}


def test_pairs_of_real_sets(shared, tmp_path):
    if shared is None:
        pytest.skip("the folder with real data is not there")
    with pytest.warns(TermgaugeWarning, match="repeats"):
        study = new_study(tmp_path / "verbs", shared / "data" / "ratings" / "simverb_pairs.tsv")
    assert study.pairs.height == 3520
    assert study.layout.equals(layout(3520, 42))
    nouns = new_study(tmp_path / "nouns", "human/bio-simlex", data_dir=shared / "data" / "similarity")
    assert nouns.pairs.height == 988
