from __future__ import annotations

import gzip
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from termgauge.benchmark.pairset import PairSet, parse_score, read_parquet, read_tsv
from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Callable

SHARED = Path(os.environ.get("TERMGAUGE_SHARED", Path(__file__).resolve().parents[3] / "shared"))
PUBLISHED = SHARED / "reference" / "medisim" / "expected"

# Hypothesis gives every example the same folder; each writes the file anew.
SAME_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)

terms = st.text(st.characters(exclude_characters="\0\t\n\r", exclude_categories=["Cs"]), min_size=1).filter(
    lambda term: term.strip() and not term.startswith("\ufeff")
)
concepts = st.none() | st.text("CD0123456789", min_size=1)
CONCEPTS = dict.fromkeys(["concept_1", "concept_2"], pl.String)
scores = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def pair_sets(draw: st.DrawFn, *, with_concepts: bool = False) -> PairSet:
    value = ("label", st.integers(0, 1)) if draw(st.booleans()) else ("score", scores)
    rows = draw(st.lists(st.tuples(terms, terms, value[1], concepts, concepts), min_size=1, max_size=8))
    types = {"label": pl.Int8, "score": pl.Float64}
    schema = {"term_1": pl.String, "term_2": pl.String, value[0]: types[value[0]]}
    frame = pl.DataFrame([row[:3] for row in rows], schema=schema, orient="row")
    if with_concepts:
        ids = pl.DataFrame([row[3:] for row in rows], schema=CONCEPTS, orient="row")
        frame = frame.hstack(ids)
    return PairSet("some/set", frame)


def binary(*rows: tuple[str, str, int]) -> PairSet:
    return PairSet("demo", pl.DataFrame(rows, schema=["term_1", "term_2", "label"], orient="row"))


def attempt(read: Callable[[Path], PairSet], path: Path) -> PairSet | TermgaugeError:
    """Read, or return the one kind of exception that bad input may raise."""
    try:
        return read(path)
    except TermgaugeError as error:
        return error


def test_tsv_is_the_published_layout_to_the_byte() -> None:
    pairs = binary(("Grippe", "grippé", 1), ('a "b"', "c, d", 0))
    expected = 'Grippe\tgrippé\t1\na "b"\tc, d\t0\n'.encode()
    assert pairs.to_tsv_bytes() == expected
    assert pairs.sha256 == hashlib.sha256(expected).hexdigest()
    assert (len(pairs), pairs.graded, pairs.positives) == (2, False, 1)
    assert pairs.frame.schema == {"term_1": pl.String, "term_2": pl.String, "label": pl.Int8}


def test_scores_are_written_in_their_shortest_form() -> None:
    frame = pl.DataFrame({"term_1": ["a", "b", "c"], "term_2": ["d", "e", "f"], "score": [0.1 + 0.2, 1.0, 1e-7]})
    pairs = PairSet("demo", frame)
    assert pairs.to_tsv_bytes() == b"a\td\t0.30000000000000004\nb\te\t1.0\nc\tf\t1e-07\n"
    assert pairs.graded
    assert pairs.positives is None


@SAME_FOLDER
@given(pairs=pair_sets())
def test_tsv_round_trip(tmp_path: Path, pairs: PairSet) -> None:
    pairs.write_tsv(tmp_path / "set.tsv")
    assert (tmp_path / "set.tsv").read_bytes() == pairs.to_tsv_bytes()
    again = read_tsv(tmp_path / "set.tsv", id=pairs.id)
    assert again == pairs
    assert again.sha256 == pairs.sha256
    assert hash(again) == hash(pairs)


@SAME_FOLDER
@given(pairs=pair_sets(with_concepts=True))
def test_parquet_round_trip_keeps_id_and_concepts(tmp_path: Path, pairs: PairSet) -> None:
    pairs.write_parquet(tmp_path / "set.parquet")
    assert read_parquet(tmp_path / "set.parquet") == pairs
    assert read_parquet(tmp_path / "set.parquet", id="other").id == "other"


@SAME_FOLDER
@given(content=st.binary(max_size=200) | st.text("ab01.\t\n\r-en \ufeffé", max_size=60).map(str.encode))
@example(content=b"\xef\xbb\xbfa\tb\t1\n")
@example(content=b"a\tb\t" + b"9" * 10_000)
def test_any_bytes_give_pairs_or_a_sentence(tmp_path: Path, content: bytes) -> None:
    for name, read in (("set.tsv", read_tsv), ("set.parquet", read_parquet)):
        (tmp_path / name).write_bytes(content)
        result = attempt(read, tmp_path / name)
        if isinstance(result, TermgaugeError):
            assert str(tmp_path / name) in str(result)
            assert "\n" not in str(result)
        else:
            assert len(result) > 0
            result.write_tsv(tmp_path / "again.tsv")
            assert read_tsv(tmp_path / "again.tsv", id=result.id, graded=result.graded).sha256 == result.sha256


@SAME_FOLDER
@given(cut=st.integers(0, 400), flip=st.integers(0, 400), value=st.integers(0, 255))
def test_damaged_parquet_gives_pairs_or_a_sentence(tmp_path: Path, cut: int, flip: int, value: int) -> None:
    binary(("a", "b", 1), ("c", "d", 0)).write_parquet(tmp_path / "good.parquet")
    content = bytearray((tmp_path / "good.parquet").read_bytes())
    content[flip % len(content)] = value
    (tmp_path / "bad.parquet").write_bytes(content[: len(content) - (cut % 3)])
    result = attempt(read_parquet, tmp_path / "bad.parquet")
    assert isinstance(result, PairSet) or "bad.parquet" in str(result)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"a\tb\t1\na\tb\n", "line 2: has 2 columns instead of 3"),
        (b"a\tb\t1\n\nc\td\t0\n", "line 2: has 1 column instead of 3"),
        (b"a\tb\t1\tx\n", "line 1: has 4 columns instead of 3"),
        (b"a\tb\t1\nc\td\tnan\n", "line 2: the score is 'nan', and must be a finite number"),
        (b"a\tb\t1\nc\td\t1e999\n", "line 2: the score is '1e999'"),
        (b"a\tb\tinf\n", "line 1: the score is 'inf'"),
        (b"a\tb\t1_0\n", "line 1: the score is '1_0'"),
        ("a\tb\t٣\n".encode(), "line 1: the score is '٣'"),
        (b"a\tb\t1\n\xff\td\t1\n", "line 2: is not UTF-8 text"),
        (b"a\t\t1\n", "Row 1 of the pairs of 'set' cannot be used: term_2 is empty"),
        (b"a\rb\tc\t1\n", "term_1 holds a tab, a line end or a zero byte"),
    ],
)
def test_bad_files_get_one_sentence(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "set.tsv").write_bytes(content)
    with pytest.raises(TermgaugeError) as caught:
        read_tsv(tmp_path / "set.tsv")
    assert says in str(caught.value)
    assert str(tmp_path / "set.tsv") in str(caught.value)


def test_binary_or_graded_is_decided_by_the_third_column_or_by_the_caller(tmp_path: Path) -> None:
    file = tmp_path / "set.tsv"
    file.write_bytes(b"a\tb\t1\nc\td\t0\n")
    assert not read_tsv(file).graded
    assert read_tsv(file, graded=True).frame["score"].to_list() == [1.0, 0.0]
    file.write_bytes(b"a\tb\t1\nc\td\t0.5\n")
    assert read_tsv(file).graded
    with pytest.raises(TermgaugeError, match=r"line 2: the label is '0\.5', and must be 0 or 1"):
        read_tsv(file, graded=False)


def test_crlf_missing_last_line_end_and_compression_do_not_change_the_set(tmp_path: Path) -> None:
    plain, other = tmp_path / "a.tsv", tmp_path / "b.tsv.gz"
    plain.write_bytes(b"a\x85b\tc\t1\nd\te\t0\n")
    with pytest.raises(TermgaugeError, match="not UTF-8"):
        read_tsv(plain)
    plain.write_bytes("a\x85b\tc\t1\nd\te\t0\n".encode())
    other.write_bytes(gzip.compress("\ufeffa\x85b\tc\t1\r\nd\te\t0".encode()))
    assert read_tsv(plain).sha256 == read_tsv(other).sha256
    assert read_tsv(plain).id == "a"
    assert read_tsv(other).id == "b"


def test_a_folder_with_two_files_is_refused(tmp_path: Path) -> None:
    for name in ("a.tsv", "b.tsv"):
        binary(("a", "b", 1)).write_tsv(tmp_path / name)
    with pytest.raises(TermgaugeError, match="holds 2 files"):
        read_tsv(tmp_path)


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"term_1": ["a"], "term_2": ["b"]}, "have the columns term_1, term_2;"),
        ({"term_1": ["a"], "term_2": ["b"], "label": [1], "score": [0.5]}, "have the columns"),
        ({"term_1": ["a"], "term_2": ["b"], "label": [1], "concept_1": ["C1"]}, "have the columns"),
        ({"term_1": ["a"], "term_2": ["b"], "label": [2]}, "the label is not 0 or 1"),
        ({"term_1": ["a"], "term_2": ["b"], "label": [300]}, "wrong type"),
        ({"term_1": ["a"], "term_2": ["b"], "label": [None]}, "the label is not 0 or 1"),
        ({"term_1": ["a"], "term_2": ["b"], "score": [float("nan")]}, "the score is no finite number"),
        ({"term_1": ["a", "b\tc", "d\n"], "term_2": ["b"] * 3, "score": [1.0] * 3}, "Row 2.*and 1 more such rows"),
        ({"term_1": [None], "term_2": ["b"], "score": [1.0]}, "term_1 is empty"),
    ],
)
def test_bad_frames_are_refused(columns: dict[str, list[object]], says: str) -> None:
    with pytest.raises(TermgaugeError, match=says):
        PairSet("demo", pl.DataFrame(columns))


@pytest.mark.parametrize("bad", ["", "a\nb", "a\tb"])
def test_bad_ids_are_refused(bad: str) -> None:
    with pytest.raises(TermgaugeError, match="The id"):
        PairSet(bad, pl.DataFrame({"term_1": ["a"], "term_2": ["b"], "label": [1]}))


def test_sets_differ_by_id_and_content() -> None:
    pairs = binary(("a", "b", 1))
    assert pairs != binary(("a", "b", 0))
    assert pairs != PairSet("other", pairs.frame)
    assert pairs != "demo"
    assert pairs.sha256 == PairSet("other", pairs.frame).sha256


def test_an_unwritable_place_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(TermgaugeError, match="cannot be written"):
        binary(("a", "b", 1)).write_tsv(tmp_path / "file" / "set.tsv")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@given(scores)
def test_parse_score_reads_what_is_written(value: float) -> None:
    assert repr(parse_score(repr(value))) == repr(value)


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published program's files are not here")
def test_published_files_are_read_and_written_to_the_byte() -> None:
    files = sorted(PUBLISHED.glob("*.txt"))
    assert len(files) == 20
    for file in files:
        content = file.read_bytes()
        pairs = read_tsv(file, id="demo")
        assert pairs.to_tsv_bytes() == content
        assert pairs.sha256 == hashlib.sha256(content).hexdigest()
        assert not pairs.graded


def test_a_header_may_name_the_columns(tmp_path: Path) -> None:
    plain, named = tmp_path / "plain.tsv", tmp_path / "named.tsv"
    plain.write_text("a\tb\t1.5\nc\td\t2.0\n")
    for header, rows in (
        ("word1\tword2\tscore\tn\tsd", ["a\tb\t1.5\t3\t0.5", "c\td\t2.0\t1\t"]),
        ("term_1\tterm_2\tscore", ["a\tb\t1.5", "c\td\t2.0"]),
        ("n\tScore\tWord2\tWord1", ["3\t1.5\tb\ta", "1\t2.0\td\tc"]),
    ):
        named.write_text("\r\n".join([header, *rows, ""]))
        assert read_tsv(named).frame.equals(read_tsv(plain).frame)
    named.write_text("term_1\tterm_2\tlabel\na\tb\t1\nc\td\t0\n")
    assert read_tsv(named).positives == 1


def test_what_is_wrong_below_a_header(tmp_path: Path) -> None:
    path = tmp_path / "named.tsv"
    for text, said in (
        ("word1\tword2\tscore\n", "a header and no pair"),
        ("word1\tword2\tscore\tn\na\tb\t1.5\n", "line 2: has 3 columns instead of 4"),
        ("word1\tword2\tscore\na\tb\t1.5\nc\td\tx\n", "line 3: the score is 'x'"),
        ("word1\tword2\tlabel\na\tb\t1\nc\td\t0.5.\n", "line 3: the score is"),
    ):
        path.write_text(text)
        with pytest.raises(TermgaugeError, match=said):
            read_tsv(path)


def test_ratings_are_one_row_for_each_pair() -> None:
    frame = pl.DataFrame({"term_1": ["a"], "term_2": ["b"], "score": [1.0]})
    with pytest.raises(TermgaugeError, match="2 rows of ratings for 1 pairs"):
        PairSet("demo", frame, ratings=pl.DataFrame({"r1": [1.0, 2.0]}))
    kept = PairSet("demo", frame, ratings=pl.DataFrame({"r1": [1.0]}))
    concepts = pl.DataFrame({"concept_1": ["C1"], "concept_2": ["C2"]})
    assert kept.with_concepts(concepts).ratings is kept.ratings
    assert kept == PairSet("demo", frame)
