"""The registry of formats, with one of another package: the one that the docs show, step by step."""

from __future__ import annotations

import json
import re
import tomllib
import warnings

import pytest

import termgauge as tg
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.io.source import files_of
from termgauge.terminology.formats.registry import (
    GROUP,
    OWN,
    files_with,
    formats,
    only_file,
    only_file_with,
    recognised,
)
from tests.conftest import REPOSITORY
from tests.other_package import install
from tests.samples import SAMPLES, gzipped, write_obo, write_table, zipped

PAGE = (REPOSITORY / "docs" / "adding-a-format.md").read_text("utf-8")
WORDS = "A1 = heart attack | myocardial infarction | MI\n\nA2 = lung\nA3 = kidney | ren\n"


def block(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[0]


@pytest.fixture(autouse=True)
def no_formats_of_other_tests():
    formats.cache_clear()
    yield
    formats.cache_clear()


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Return a function that installs a package with the format of the docs, changed as a test wants it."""
    ((group, entries),) = tomllib.loads(block("toml"))["project"]["entry-points"].items()
    assert group == GROUP

    def with_changes(old="", new=""):
        assert old in block("python")
        code = block("python").replace(old, new) if old else block("python")
        install(tmp_path / "site", monkeypatch, {"acme_names": code}, group, entries)

    return with_changes


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "organs.names"
    path.write_text(WORDS, encoding="utf-8")
    return path


def test_our_own_come_first_and_are_in_the_docs():
    assert tuple(formats()) == OWN
    page = (REPOSITORY / "docs" / "terminologies.md").read_text("utf-8")
    for each in formats().values():
        assert f"| `{each.name}` | {each.title} | {each.origin} | {each.licence} |" in page


def test_a_format_of_another_package_is_like_our_own(installed, words, tmp_path, cache_folder):
    installed()
    read = tg.read_terminology(words)
    assert read.identity.format == "names"
    assert read.identity.slug == "organs"
    assert read.concepts.select("concept", "name").rows() == [("A1", "heart attack"), ("A2", "lung"), ("A3", "kidney")]
    assert read.terms["text"].to_list() == ["heart attack", "myocardial infarction", "MI", "lung", "kidney", "ren"]
    assert read.terms["rank"].to_list() == [0, 1, 2, 0, 0, 1]
    assert set(read.terms["language"]) == {"en"}
    assert read.relations.is_empty()
    assert len(list(cache_folder.glob("terminology/*"))) == 1
    for place in (words, zipped(words, tmp_path / "a.zip"), gzipped(words, tmp_path / "gz")):
        again = tg.read_terminology(place, format="names")
        assert again.identity == read.identity
        assert again.terms.equals(read.terms)


def test_its_version_and_options_decide_what_the_cache_gives(installed, words, tmp_path, monkeypatch):
    installed()
    first = tg.read_terminology(words)
    assert tg.read_terminology(words, language="de").terms["language"].to_list() == ["de"] * 6
    formats.cache_clear()
    changed = (
        block("python")
        .replace('name="names",', 'name="names", version=2,')
        .replace('"active": True', '"active": False')
    )
    install(tmp_path / "later", monkeypatch, {"acme_names": changed}, GROUP, {"names": "acme_names:FORMAT"})
    second = tg.read_terminology(words)
    assert first.identity.sha256 != second.identity.sha256
    assert not second.terms["active"].any()


def test_what_is_wrong_gets_a_sentence(installed, words, tmp_path):
    installed()
    with pytest.raises(TermgaugeError, match="'release' is for the format rf2, but the source is names"):
        tg.read_terminology(words, release="20190131")
    with pytest.raises(TermgaugeError, match=r"'table' or 'names', not 'name'.*Did you mean 'names'"):
        tg.read_terminology(words, format="name")
    words.write_text("A1 = lung\nnonsense\n")
    with pytest.raises(TermgaugeError, match=r"organs\.names, line 2: is no concept with a name"):
        tg.read_terminology(words)
    words.write_bytes(b"A1 = lung\nA2 = c\xffur\n")
    with pytest.raises(TermgaugeError, match=r"organs\.names, line 2: is not UTF-8"):
        tg.read_terminology(words)
    words.write_text(WORDS)
    write_obo(tmp_path)
    with pytest.raises(TermgaugeError, match=r"formats obo and names; .* --source-format obo"):
        tg.read_terminology(tmp_path)
    (tmp_path / "file.bin").write_bytes(b"\0")
    with pytest.raises(TermgaugeError, match=r"nor a list of names \(\*\.names\)\."):
        tg.read_terminology(tmp_path / "file.bin")


def test_the_commands_know_it(installed, words, tmp_path, run):
    installed()
    status, out, _err = run("terminology", words, "--json")
    assert status == 0
    assert json.loads(out)["format"] == "names"
    status, _out, _err = run("build", words, "--out", tmp_path / "built")
    assert status == 0
    assert (tmp_path / "built" / "fsn-syn.hard.random.tsv").is_file()


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("import polars as pl", "import polars_of_acme", "No module named 'polars_of_acme'"),
        ('name="names"', 'name="obo"', "the name 'obo' is taken"),
        ("FORMAT = Format(", "FORMAT = dict(", "is no Format"),
        ('title="Names and synonyms, a concept on each line",', "", "missing 1 required keyword-only argument"),
    ],
)
def test_a_broken_format_costs_itself_alone(installed, tmp_path, old, new, why):
    installed(old, new)
    with pytest.warns(TermgaugeWarning, match=why):
        assert tuple(formats()) == OWN
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is said once
        assert tg.read_terminology(write_obo(tmp_path / "ontology")).identity.edition == "toy"


def test_a_format_that_cannot_sniff_costs_itself_alone(installed, tmp_path):
    installed("lambda file: file.base", "lambda file: file.bass")
    folder = write_table(tmp_path / "tables")
    with pytest.warns(TermgaugeWarning, match="The format 'names' fails to recognise files and is left out"):
        assert recognised([files_of(folder)]).name == "table"


def test_a_table_counts_only_where_nothing_else_is(tmp_path):
    write_table(tmp_path)
    assert recognised([files_of(tmp_path)]).name == "table"
    (tmp_path / "a first file").write_text("format-version: 1.2\n")
    assert recognised([files_of(tmp_path)]).name == "obo"
    (tmp_path / "MRCONSO.RRF").write_text("")
    with pytest.raises(TermgaugeError, match="formats rrf and obo; name the one you want"):
        recognised([files_of(tmp_path)])


def test_any_name_will_do(tmp_path):
    for kind, sample in SAMPLES.items():
        source = sample.write(tmp_path / kind)
        if source.is_file():
            for name in ("x.xml", "x.json", "x.txt", "x"):
                renamed = source.rename(source.with_name(name))
                assert recognised([files_of(renamed)]).name == kind
                source = renamed


def test_a_zip_of_all_formats_asks_which(tmp_path):
    for kind, sample in SAMPLES.items():
        sample.write(tmp_path / "all" / kind)
    archive = zipped(tmp_path / "all", tmp_path / "all.zip")
    told = [name for name in OWN if name != "table"]
    for place in (tmp_path / "all", archive):
        with pytest.raises(TermgaugeError) as caught:
            tg.read_terminology(place)
        assert f"formats {', '.join(told[:-1])} and {told[-1]}; name the one" in str(caught.value)
        for kind in SAMPLES:
            assert tg.read_terminology(place, format=kind).identity.format == kind


def test_what_cannot_be_read_does_not_hide_what_can(tmp_path):
    write_obo(tmp_path)
    (tmp_path / "damaged.xml.gz").write_bytes(b"\x1f\x8b\x08 no archive")
    assert recognised([files_of(tmp_path)]).name == "obo"
    with pytest.raises(TermgaugeError, match="is damaged or cut off"):
        recognised([files_of(tmp_path / "damaged.xml.gz")])


def test_files_by_their_first_bytes(tmp_path):
    for name in ("a.txt", "b.txt", "c.png"):
        (tmp_path / name).write_text("mine")
    files = [files_of(tmp_path)]
    assert [file.base for file in files_with(files, lambda head: head == b"mine")] == ["a.txt", "b.txt"]
    assert files_with([files_of(tmp_path / "c.png")], lambda _head: False)[0].base == "c.png"
    with pytest.raises(TermgaugeError, match=r"several terminologies \(a\.txt, b\.txt\); name one"):
        only_file_with(files, lambda head: head == b"mine")
    with pytest.raises(TermgaugeError, match="no file of this format"):
        only_file_with(files, lambda _head: False)


def test_the_list_of_formats(run):
    status, out, _err = run("terminology", "--list", "--json")
    assert status == 0
    listed = json.loads(out)["formats"]
    assert [each["name"] for each in listed] == list(OWN)
    assert all(each["origin"] and each["licence"] for each in listed)
    status, out, _err = run("terminology", "--list")
    assert status == 0
    assert all(name in out for name in OWN)
    status, out, err = run("terminology", "--list", "hp.obo")
    assert (status, out) == (2, "")
    assert "leave the source out" in err


def test_only_file(tmp_path):
    for name in ("a.obo", "b.txt"):
        (tmp_path / name).write_text("x")
    both = [files_of(tmp_path)]
    assert only_file(both, ".obo").base == "a.obo"
    with pytest.raises(TermgaugeError, match=r"holds several terminologies \(a\.obo, b\.txt\); name one of them"):
        only_file(both, ".owl")
    assert only_file([files_of(tmp_path / "b.txt")], ".owl").base == "b.txt"
