"""Tables of related words, and of classes of verbs."""

from __future__ import annotations

import polars as pl
import pytest

from termgauge.corpus.options import PairOptions
from termgauge.corpus.pools import Pool
from termgauge.corpus.relations import CLOSEST_FIRST, is_classes, is_table, read_classes, text_frame
from termgauge.corpus.relations import read_table as read_files
from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of
from tests.corpus.plain_pairs import by_relation

NO_VARIANTS = text_frame(("word", "variant"))


def read_table(folder, text):
    (folder / "t.tsv").write_text(text)
    files = files_of(folder / "t.tsv")
    assert is_table(files[0]) or "relation" not in text
    return read_files(files, lambda words: words, PairOptions.of())


def test_a_pair_has_its_closest_relation(tmp_path):
    table = read_table(
        tmp_path, "word1\tword2\trelation\nB\ta\tmade up\nb\tA\tsibling\na\tb\tsynonym\na\tc\tlike\na\ta\tlike\n"
    )
    pool = Pool("verb", "general", ("a", "b", "c"))
    assert by_relation(pool, table.related(pool, NO_VARIANTS)) == {"synonym": {("a", "b")}, "like": {("a", "c")}}
    names = pl.DataFrame({"relation": ["like", "class", "synonym", "zz"]})
    assert names.sort(CLOSEST_FIRST)["relation"].to_list() == ["synonym", "class", "like", "zz"]
    assert set(table.words) == {"a", "b", "c"}
    assert table.listed.is_empty()


@pytest.mark.parametrize("row", ["\tb\tx", "a\t\tx", "a\tb\t"])
def test_what_is_missing(tmp_path, row):
    with pytest.raises(TermgaugeError, match=r"row 3 .*is missing"):
        read_table(tmp_path, f"word1\tword2\trelation\na\tb\tx\n{row}\n")


def test_another_table(tmp_path):
    with pytest.raises(TermgaugeError, match="has no column 'relation'"):
        read_table(tmp_path, "word1\tword2\na\tb\n")


def classes_of(path):
    return read_classes(files_of(path), lambda words: words, PairOptions.of())


def pairs_of(classes, word_class="verb", words=None):
    pool = Pool(word_class, "biomedical", tuple(sorted(words or set(classes.words))))
    return by_relation(pool, classes.related(pool, NO_VARIANTS)).get("class", set())


def test_bioverbnet(shared):
    if shared is None:
        pytest.skip("BioVerbNet is not at hand")
    classes = classes_of(shared / "data" / "verbs" / "bioverbnet.tsv")
    known = set(classes.words)
    assert len(known) == 680
    assert classes.groups["group"].n_unique() == 113
    rows = [line.split("\t") for line in (shared / "data/similarity/Bio-SimVerb.txt").read_text().splitlines()]
    rated = {tuple(sorted((a.lower(), b.lower()))): float(score) for a, b, score in rows}
    both = {pair: score for pair, score in rated.items() if set(pair) <= known}
    same = {pair: score for pair, score in both.items() if pair in pairs_of(classes)}
    assert (len(both), len(same)) == (370, 70)
    assert sum(same.values()) / 70 == pytest.approx(5.441714, abs=1e-6)
    assert (sum(both.values()) - sum(same.values())) / 300 == pytest.approx(1.6772, abs=1e-6)


def test_several_classes_in_one_field(tmp_path):
    (tmp_path / "v.tsv").write_text(
        "verb\tfrequency\tverbnet_classes\nRun\t3\t51; 47\nwalk\t2\t51\ndrip\t1\t47\nbe\t9\tN/A\n"
    )
    classes = classes_of(tmp_path / "v.tsv")
    assert pairs_of(classes) == {("run", "walk"), ("drip", "run")}
    assert pairs_of(classes, "noun") == set(), "verbs are no nouns"
    (tmp_path / "w.tsv").write_text("word\tclass\nrun\tA\nwalk\tA\n")
    assert pairs_of(classes_of(tmp_path / "w.tsv"), "noun") == {("run", "walk")}


def test_tables_that_are_none(tmp_path):
    (tmp_path / "v.tsv").write_text("verb\tcount\nrun\t3\n")
    assert not is_classes(files_of(tmp_path / "v.tsv")[0])
    with pytest.raises(TermgaugeError, match="is no table of classes"):
        classes_of(tmp_path / "v.tsv")
    (tmp_path / "v.tsv").write_text("verb\tclass\nrun\t\nwalk\tN/A\n")
    with pytest.raises(TermgaugeError, match="no word has a class in the column 'class'"):
        classes_of(tmp_path / "v.tsv")
