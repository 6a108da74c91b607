"""Resources as users name them: kinds by content, kinds by force, all wrappings, and what is no resource."""

from __future__ import annotations

import gzip
import lzma
import zipfile

import polars as pl
import pytest

from termgauge.corpus.options import PairOptions
from termgauge.corpus.pools import Pool
from termgauge.corpus.resources import KINDS, american_speller, parse_resource, read_resources, related_pairs
from termgauge.exceptions import TermgaugeError

TEXTS = {
    "ontology": "format-version: 1.2\nontology: toy\n\n[Term]\nid: T:1\nname: fever\nsynonym: \"pyrexia\" EXACT []\n",
    "lexicon": "{base=treat\nentry=E1\n\tcat=verb\n\tnominalization=treatment|noun|E2\n}\n",
    "norms": "<HTML>\nCUE, TARGET, NORMED?, #G, #P, FSG, BSG\nDOG, CAT, YES, 150, 9, .2, .1\n",
    "classes": "verb\tclass\nrun\t1.1\nwalk\t1.1\n",
    "table": "word1\tword2\trelation\nfever\tpyrexia\tmade\n",
}  # fmt: skip


def read(*given):
    return read_resources([str(each) for each in given], lambda words: words, PairOptions.of())


def test_all_kinds_are_known_by_their_contents(tmp_path):
    assert list(TEXTS) == list(KINDS)
    for kind, text in TEXTS.items():
        data = text.encode()
        (tmp_path / f"{kind}.dat").write_bytes(data)
        (tmp_path / f"{kind}.dat.gz").write_bytes(gzip.compress(data))
        (tmp_path / f"{kind}.dat.xz").write_bytes(lzma.compress(data))
        with zipfile.ZipFile(tmp_path / f"{kind}.zip", "w") as archive:
            archive.writestr(f"inner/{kind}.dat", text)
        for suffix in ("dat", "dat.gz", "dat.xz", "zip"):
            (resource,) = read(tmp_path / f"{kind}.{suffix}")
            assert resource.kind == kind
            assert resource.relations.words.n_unique() == 2 or kind == "norms"
        (forced,) = read(f"{kind}:general={tmp_path / kind}.dat")
        assert (forced.kind, forced.domains) == (kind, ("general",))
        assert repr(forced).startswith(f"<resource '{kind}.dat' ({kind}): 2 words>")


def test_names_are_those_of_the_files(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "my.table.tsv").write_text(TEXTS["table"])
    assert [each.name for each in read(tmp_path / "a/my.table.tsv", tmp_path / "b/my.table.tsv")] == [
        "my.table", "my.table-2",
    ]  # fmt: skip


def test_several_files_of_one_kind_are_one_resource(tmp_path):
    with zipfile.ZipFile(tmp_path / "usf.zip", "w") as archive:
        archive.writestr("Cue_Target_Pairs.A-B", TEXTS["norms"])
        archive.writestr("Cue_Target_Pairs.C", TEXTS["norms"].replace("DOG", "COW"))
    (norms,) = read(tmp_path / "usf.zip")
    assert (norms.kind, norms.name, set(norms.relations.words)) == ("norms", "usf", {"dog", "cat", "cow"})


def test_an_equals_sign_in_a_name_is_no_kind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table=x.tsv").write_text(TEXTS["table"])
    assert parse_resource("table=x.tsv") == ("table=x.tsv", None, None)
    assert parse_resource("table=y.tsv") == ("y.tsv", "table", None)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("norm=x.tsv", "no resource of the kind or domain 'norm'.*Did you mean 'norms'"),
        ("norms:medical=x.tsv", "'medical'.*domains biomedical, general"),
        ("norms=gone.tsv", "gone.tsv: there is no such file"),
    ],
)
def test_names_that_are_refused(given, why):
    with pytest.raises(TermgaugeError, match=why):
        read(given)


def test_what_is_no_resource(tmp_path):
    (tmp_path / "x.txt").write_text("Dear colleague,\n")
    with pytest.raises(TermgaugeError, match="is no resource that termgauge knows"):
        read(tmp_path / "x.txt")
    for kind in KINDS:
        with pytest.raises(TermgaugeError):
            read(f"{kind}={tmp_path / 'x.txt'}")
    with pytest.raises(TermgaugeError, match="No resource was named"):
        read()
    (tmp_path / "empty").mkdir()
    with pytest.raises(TermgaugeError, match="holds no files"):
        read(tmp_path / "empty")


def test_a_resource_is_asked_about_its_domains_alone(tmp_path):
    (tmp_path / "t.tsv").write_text(TEXTS["table"])
    pools = {domain: Pool("noun", domain, ("fever", "pyrexia")) for domain in ("biomedical", "general")}
    for given, expected in ((tmp_path / "t.tsv", (1, 1)), (f"table:general={tmp_path / 't.tsv'}", (0, 1))):
        found = [related_pairs(pool, read(given)) for pool in pools.values()]
        assert tuple(len(each.candidates) for each in found) == expected
        assert tuple(len(each.closed) for each in found) == expected


def test_words_are_spelled_as_the_corpus_does():
    spelled = american_speller(frozenset({"tumor", "haematology", "anaerobic", "hemorrhage"}))
    words = pl.Series(["tumour", "haematology", "anaerobic", "haemorrhage", "fibre", "michael"])
    assert spelled(words).to_list() == ["tumor", "haematology", "anaerobic", "hemorrhage", "fiber", "michael"]
