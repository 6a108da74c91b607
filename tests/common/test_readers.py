"""What every reader must meet, whatever its format and however its files are wrapped."""

# ruff: noqa: PT017 - for arbitrary bytes both outcomes are right, and the sentence is looked at
from __future__ import annotations

import re
import shutil
import warnings

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.terminology import Terminology, read, read_terminology
from termgauge.terminology.formats.registry import formats
from termgauge.terminology.model import KINDS, REASONS, SCHEMAS
from termgauge.terminology.options import ReadingOptions
from tests.samples import SAMPLES, WRITERS, gzipped, zipped

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")

OPTIONS = {
    "language": "en",
    "dialect": "us",
    "release": "20190131",
    "vocabularies": ["MSH"],
    "suppressed": False,
    "resource": "x",
    "relation_table": "links.tsv",
}


@pytest.fixture(params=formats())
def kind(request):
    return request.param


@pytest.fixture
def source(kind, tmp_path):
    return WRITERS[kind](tmp_path / "made")


def main_file(kind, source):
    return SAMPLES[kind].main_path(source)


def assert_same(one: Terminology, other: Terminology) -> None:
    for table in SCHEMAS:
        assert_frame_equal(getattr(one, table), getattr(other, table))
    assert one.identity == other.identity
    assert one.notes == other.notes


def test_every_format_and_option_is_covered():
    assert set(SAMPLES) == set(formats()), "a format has a sample in tests/samples.py, so that all of this is tested"
    assert {"format", "cache", *OPTIONS} == set(ReadingOptions.model_fields)


def test_a_format_says_what_it_is(kind):
    said = formats()[kind]
    assert said.name == kind
    assert said.title
    assert said.signs
    assert said.origin.endswith(".")
    assert said.licence.endswith(".")
    assert said.options <= set(OPTIONS) - {"language"}


def test_options_are_used_or_refused(kind, source):
    for option, value in OPTIONS.items():
        if option in {"language", *formats()[kind].options}:
            assert "is for the format" not in str(outcome(source, kind, **{option: value}))
        else:
            sentence = rf"'{option}' is for the formats? [\w ]+, but the source is {kind}"
            with pytest.raises(TermgaugeError, match=sentence):
                read_terminology(source, **{option: value})


def test_sniffed_format_is_the_right_one(kind, source):
    found = read_terminology(source)
    assert found.identity.format == kind
    assert_same(found, read_terminology(source, format=kind, cache=False))


def test_tables_hang_together(kind, source):
    found = read_terminology(source)
    assert found.concepts["concept"].is_unique().all()
    assert found.concepts["active"].null_count() == 0
    assert found.terms["active"].null_count() == found.terms["rank"].null_count() == 0
    assert set(found.terms["kind"]) <= set(KINDS)
    assert set(found.replacements["reason"]) <= set(REASONS)
    assert set(found.terms["concept"]) <= set(found.concepts["concept"])
    assert (found.terms["text"].str.len_bytes() > 0).all()
    assert (found.terms["rank"] >= 0).all()
    for table in SCHEMAS:
        assert getattr(found, table).is_empty() == (table in SAMPLES[kind].without)


def test_cache_gives_what_a_fresh_reading_gives(source):
    fresh = read_terminology(source, cache=False)
    kept = read_terminology(source)
    assert_same(fresh, kept)
    assert_same(fresh, read_terminology(source))


def test_second_opening_does_not_read_again(source, monkeypatch):
    first = read_terminology(source)

    def refuse(*_):
        raise AssertionError("the source was read again")

    monkeypatch.setattr(read, "_read", refuse)
    assert_same(first, read_terminology(source))
    with pytest.raises(AssertionError):
        read_terminology(source, cache=False)


def test_wrapping_and_place_change_nothing(source, tmp_path):
    plain = read_terminology(source)
    wrapped = [zipped(source, tmp_path / "release.zip"), gzipped(source, tmp_path / "gz")]
    folder = tmp_path / "in" / "a" / "folder"
    if source.is_file():
        folder.mkdir(parents=True)
        shutil.copy(source, folder)
    else:
        shutil.copytree(source, folder)
    for place in (*wrapped, folder, zipped(folder, tmp_path / "stored.zip", 0)):
        assert_same(plain, read_terminology(place, cache=False))
        assert_same(plain, read_terminology(place))


def test_another_name_has_the_same_hash(kind, source, tmp_path):
    plain = read_terminology(source)
    found = read_terminology(SAMPLES[kind].renamed(source, tmp_path))
    assert found.identity.sha256 == plain.identity.sha256
    assert_frame_equal(found.terms, plain.terms)


def test_a_table_renamed_is_not_served_under_its_old_name(tmp_path):
    folder = WRITERS["table"](tmp_path)
    assert read_terminology(folder).identity.edition == "words"
    (folder / "words.tsv").rename(folder / "other.tsv")
    assert read_terminology(folder).identity.edition == "other"


def test_every_byte_counts(kind, source):
    before = read_terminology(source)
    path = main_file(kind, source)
    path.write_bytes(path.read_bytes().replace(b"eart", b"EART"))
    after = read_terminology(source)
    assert before.identity.sha256 != after.identity.sha256
    assert not before.terms.equals(after.terms)


def test_options_are_part_of_the_hash(source):
    assert read_terminology(source).identity.sha256 != read_terminology(source, language="en").identity.sha256


def test_empty_file(kind, source, cache_folder):
    path = main_file(kind, source)
    path.write_bytes(b"")
    with pytest.raises(TermgaugeError, match=path.name):
        read_terminology(path if path.parent == source else source, format=kind)
    assert not list(cache_folder.glob("terminology/*"))


def test_damaged_cache_is_read_again(source, cache_folder):
    first = read_terminology(source)
    for damage in (b"", b"PAR1", b"PAR1" + b"\0" * 100 + b"PAR1"):
        (entry,) = cache_folder.glob("terminology/*")
        (entry / "terms.parquet").write_bytes(damage)
        assert_same(first, read_terminology(source))
    assert_same(first, read_terminology(source))


def test_unwritable_cache_is_mentioned(source, cache_folder, monkeypatch):
    (cache_folder / "a file").write_text("")
    monkeypatch.setenv("TERMGAUGE_CACHE_DIR", str(cache_folder / "a file" / "cache"))
    with pytest.warns(TermgaugeWarning, match="could not be kept in the cache"):
        assert read_terminology(source).concepts.height


def test_disk_full_while_keeping(source, cache_folder, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    with pytest.warns(TermgaugeWarning, match="No space left"):
        assert read_terminology(source).concepts.height
    assert not list(cache_folder.glob("terminology/*"))


def test_notes_are_warned_of_every_time(kind, source):
    if SAMPLES[kind].lessened is None:
        pytest.skip(f"{kind} has nothing to note")
    SAMPLES[kind].lessened(source)
    seen = []
    for _ in range(3):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = read_terminology(source)
        seen.append([str(each.message) for each in caught])
    assert seen[0]
    assert seen[0] == seen[1] == seen[2] == list(found.notes)
    assert not any(str(source) in note for note in found.notes)


def outcome(source, kind, **options) -> Terminology | TermgaugeError:
    """Read; anything but a terminology or a sentence escapes and fails the test."""
    try:
        return read_terminology(source, format=kind, cache=False, **options)
    except TermgaugeError as error:
        assert len(str(error)) > 20
        assert "\n" not in str(error)
        return error


def test_cut_anywhere(kind, source):
    path = main_file(kind, source)
    whole = path.read_bytes()
    for at in range(0, len(whole), max(len(whole) // 60, 1)):
        path.write_bytes(whole[:at])
        outcome(source, kind)


def test_cut_archive(kind, source, tmp_path):
    for archive in (zipped(source, tmp_path / "a.zip"), gzipped(main_file(kind, source), tmp_path / "gz")):
        whole = archive.read_bytes()
        for at in range(0, len(whole), max(len(whole) // 40, 1)):
            archive.write_bytes(whole[:at])
            assert isinstance(outcome(archive, kind), TermgaugeError)


def test_bad_bytes(kind, source):
    path = main_file(kind, source)
    whole = path.read_bytes()
    for slip in (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x00", b"\xf8\x88\x80\x80\x80"):
        path.write_bytes(whole.replace(b"eart", b"e" + slip + b"rt", 1))
        found = outcome(source, kind)
        if slip != b"\x00" and not SAMPLES[kind].tolerant:
            assert isinstance(found, TermgaugeError), slip
            assert re.search(r"line \d+: is (?:not UTF-8|broken XML)", str(found))
        if SAMPLES[kind].tolerant:
            assert isinstance(found, Terminology), slip
            assert found.notes or slip == b"\x00"


@given(data=st.binary(max_size=400))
def test_any_bytes(kind, tmp_path_factory, data):
    source = WRITERS[kind](tmp_path_factory.mktemp("fuzz"))
    main_file(kind, source).write_bytes(data)
    outcome(source, kind)


@st.composite
def mutations(draw):
    """Describe a few changes to a file: as functions of its bytes."""
    changes = draw(st.lists(st.tuples(st.integers(0, 5), st.floats(0, 1), st.floats(0, 1), st.binary(max_size=6))))

    def change(data: bytes) -> bytes:
        for what, one, other, extra in changes:
            start, end = sorted((int(one * len(data)), int(other * len(data))))
            lines = data.split(b"\n")
            match what:
                case 0:
                    data = data[:start] + extra + data[start + len(extra) :]
                case 1:
                    data = data[:start] + data[end:]
                case 2:
                    data = data[:start] + extra + data[start:]
                case 3:
                    at = int(one * (len(lines) - 1))
                    data = b"\n".join([*lines[:at], *([lines[at]] * 3), *lines[at:]])
                case 4:
                    data = data[:end]
                case 5:
                    data = b"\n".join(reversed(lines))
        return data

    return change


@given(change=mutations(), which=st.integers(0, 20))
def test_mutated_files(kind, tmp_path_factory, change, which):
    source = WRITERS[kind](tmp_path_factory.mktemp("fuzz"))
    paths = [source] if source.is_file() else [path for path in sorted(source.rglob("*")) if path.is_file()]
    path = paths[which % len(paths)]
    path.write_bytes(change(path.read_bytes()))
    outcome(source, kind)


@given(change=mutations())
def test_mutated_archives(kind, tmp_path_factory, change):
    folder = tmp_path_factory.mktemp("fuzz")
    archive = zipped(WRITERS[kind](folder / "made"), folder / "a.zip")
    archive.write_bytes(change(archive.read_bytes()))
    outcome(archive, kind)
