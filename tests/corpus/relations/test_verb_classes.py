"""Classes of verbs: BioVerbNet's published figures, several classes in one field, and tables without classes."""

from __future__ import annotations

import pytest

from termgauge.corpus.options import PairOptions
from termgauge.corpus.pools import Pool
from termgauge.corpus.relations.resource import NO_VARIANTS
from termgauge.corpus.relations.tables import CLASSES
from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of


def read(path):
    return CLASSES.read(files_of(path), lambda words: words, PairOptions.of())


def pairs_of(classes, word_class="verb", words=None):
    pool = Pool(word_class, "biomedical", tuple(sorted(words or set(classes.words))))
    return {pool.pair(code) for code in classes.related(pool, NO_VARIANTS)["class"]}


def test_bioverbnet(shared):
    if shared is None:
        pytest.skip("BioVerbNet is not at hand")
    classes = read(shared / "data" / "verbs" / "bioverbnet.tsv")
    known = set(classes.words)
    assert len(known) == 680
    assert classes.members["group"].n_unique() == 113
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
    classes = read(tmp_path / "v.tsv")
    assert pairs_of(classes) == {("run", "walk"), ("drip", "run")}
    assert pairs_of(classes, "noun") == set(), "verbs are no nouns"
    (tmp_path / "w.tsv").write_text("word\tclass\nrun\tA\nwalk\tA\n")
    assert pairs_of(read(tmp_path / "w.tsv"), "noun") == {("run", "walk")}


def test_tables_that_are_none(tmp_path):
    (tmp_path / "v.tsv").write_text("verb\tcount\nrun\t3\n")
    assert not CLASSES.recognised(files_of(tmp_path / "v.tsv")[0])
    with pytest.raises(TermgaugeError, match="is no table of classes"):
        read(tmp_path / "v.tsv")
    (tmp_path / "v.tsv").write_text("verb\tclass\nrun\t\nwalk\tN/A\n")
    with pytest.raises(TermgaugeError, match="no word has a class in the column 'class'"):
        read(tmp_path / "v.tsv")
