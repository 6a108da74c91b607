"""Tables of pairs: their forms, and what is refused with its line."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.studies.pairs import read_pair_table

TERMS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf", "Z"]), min_size=1, max_size=8)


def written(folder, text, name="pairs.tsv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


@pytest.mark.parametrize(
    "text",
    [
        "word1\tword2\nflu\tinfluenza\ncough\ttoe\n",
        "term_1\tterm_2\tlabel\nflu\tinfluenza\t1\ncough\ttoe\t0\n",
        "Term 2\tTerm 1\ninfluenza\tflu\ntoe\tcough\n",
        "word1\tword2\tclass\tquarter\tsource\trelation\nflu\tinfluenza\tn\tq\ts\tr\ncough\ttoe\tn\tq\ts\tr\n",
        "flu\tinfluenza\ncough\ttoe\n",
        "flu\tinfluenza\t0.5\ncough\ttoe\t1",
        "\ufeffpair\tword1\tword2\r\n1\tflu\tinfluenza\r\n\r\n2\tcough\ttoe\r\n",
    ],
)
def test_the_forms_of_a_table(tmp_path, text):
    assert read_pair_table(written(tmp_path, text)) == [("flu", "influenza"), ("cough", "toe")]


def test_spreadsheets_and_compressed_files(tmp_path):
    assert read_pair_table(written(tmp_path, 'word1;word2\n"a;b";c\n', "p.csv")) == [("a;b", "c")]
    assert read_pair_table(written(tmp_path, gzip.compress(b"a\tb\n"), "p.tsv.gz")) == [("a", "b")]


def test_quotes_and_markup_are_kept_as_they_are(tmp_path):
    text = '5" needle\t<b>bold</b>\n"quoted"\t=1+1\n'
    assert read_pair_table(written(tmp_path, text)) == [('5" needle', "<b>bold</b>"), ('"quoted"', "=1+1")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("word1\tword2\n", "holds no pairs"),
        ("flu influenza\n", "line 1: has 1 of 2 columns; the table is two terms in columns of their own"),
        ("a\tb\nc\n", "line 2: has 1 of 2 columns"),
        ("word1\tother\na\tb\n", "line 1: a header must name one column word1"),
        ("word1\tterm1\tword2\na\tb\tc\n", "line 1: a header must name one column word1"),
        ("a\tb\n\tc\n", "line 2: a term is empty"),
        ("a\tb\n   \tc\n", "line 2: a term is empty"),
        ("a\x07\tb\n", r"line 1: a term holds a character that cannot be shown \(U\+0007"),
        ("a\u202eb\tc\n", r"U\+202E"),
        ("a" * 5001 + "\tb\n", "more than 5,000 characters"),
        (b"a\tb\n\xff\tc\n", "line 2: is not UTF-8"),
        (b"a\tb\n\0\tc\n", "line 2: holds a zero byte"),
    ],
)
def test_what_raters_could_make_no_sense_of(tmp_path, text, said):
    with pytest.raises(TermgaugeError, match=said) as error:
        read_pair_table(written(tmp_path, text))
    assert "pairs.tsv" in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\ta\n", "line 1 pairs 'a' with itself. All are kept"),
        ("a\tb\nc\td\nb\ta\n", r"line 3 repeats line 1 \('b' / 'a'\)"),
        ("a\tb\na \tb\n", "line 2 repeats line 1"),
        ("e\u0301\tb\n\u00e9\tb\n", "line 2 repeats line 1"),
        ("a\tb\n" * 6, "line 4 repeats line 1 .*, and 2 more such rows"),
    ],
)
def test_pairs_that_are_there_twice_are_told_and_kept(tmp_path, text, said):
    with pytest.warns(TermgaugeWarning, match=said):
        pairs = read_pair_table(written(tmp_path, text))
    assert len(pairs) == text.count("\n")


def test_cells_of_spreadsheets_may_not_break_lines(tmp_path):
    with pytest.raises(TermgaugeError, match=r"line 3: a term holds a character that cannot be shown \(U\+000A"):
        read_pair_table(written(tmp_path, 'word1,word2\n"a\nb",c\n', "p.csv"))


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(TermgaugeError):
        read_pair_table(tmp_path / "none.tsv")


@given(st.lists(st.tuples(TERMS, TERMS), min_size=1, max_size=8, unique_by=frozenset))
def test_pairs_come_back_in_order(tmp_path, pairs):
    import unicodedata

    pairs = [tuple(unicodedata.normalize("NFC", term) for term in pair) for pair in pairs]
    pairs = list({frozenset(pair): pair for pair in pairs if pair[0] != pair[1]}.values())
    text = "word1\tword2\n" + "".join(f"{one}\t{two}\n" for one, two in pairs)
    if pairs:
        assert read_pair_table(written(tmp_path, text)) == pairs


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
@given(st.binary(max_size=60))
def test_any_bytes_are_pairs_or_bad_input(tmp_path, content):
    try:
        pairs = read_pair_table(written(tmp_path, content))
    except TermgaugeError:
        return
    assert all(one and two for one, two in pairs)
