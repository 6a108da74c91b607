from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.benchmark.human.catalogue import CATALOGUE, Layout
from termgauge.benchmark.human.sets import read_rated_table
from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from termgauge.benchmark.pairset import PairSet

PLAIN = Layout(
    terms=("a", "b"),
    ratings=("one", "two", "three"),
    concepts={"umls": ("u1", "u2"), "mesh": ("m1", "m2")},
)
HEADER = "a,b,one,two,three,u1,u2,m1,m2\n"
LAYOUTS = {entry.id: entry.layout for entry in CATALOGUE}


def read(text: str | bytes, layout: Layout = PLAIN, system: str | None = None) -> PairSet:
    content = text.encode() if isinstance(text, str) else text
    return read_rated_table(content, layout, name="file.csv", id="demo", system=system)


def test_the_score_is_the_mean_of_the_ratings_that_are_there() -> None:
    pairs = read(HEADER + "flu,influenza,3,2,2,C1,C2,None,D2\nx,y,,1.5,,C3,,D3,None\n")
    assert pairs.frame.rows() == [("flu", "influenza", 7 / 3, "C1", "C2"), ("x", "y", 1.5, "C3", None)]
    pairs = read(HEADER + "flu,influenza,3,2,2,C1,C2,None,D2\n", system="mesh")
    assert pairs.frame.rows() == [("flu", "influenza", 7 / 3, None, "D2")]


def test_equal_means_are_equal_numbers() -> None:
    # In binary, (1.7 + 1.4) / 2 and (2 + 1.1) / 2 differ in the last bit, and a tie would be lost.
    assert (1.7 + 1.4) / 2 != (2 + 1.1) / 2
    layout = dataclasses.replace(PLAIN, ratings=("one", "two"))
    pairs = read(HEADER + "a,b,1.7,1.4,,,,,\nc,d,2,1.1,,,,,\n", layout)
    assert pairs.frame["score"].to_list() == [1.55, 1.55]


@given(st.lists(st.integers(0, 3), min_size=3, max_size=3), st.permutations(range(3)))
def test_the_order_of_the_raters_does_not_matter(ratings: list[int], order: list[int]) -> None:
    shuffled = [ratings[place] for place in order]
    pairs = read(HEADER + "".join(f"a,b,{','.join(map(str, row))},,,,\n" for row in (ratings, shuffled)))
    one, two = pairs.frame["score"]
    assert one == two == pytest.approx(sum(ratings) / 3)


def test_quotes_line_ends_blank_lines_and_spaces() -> None:
    header = '\ufeff"a","b","one","two","three","u1","u2","m1","m2"\r\n\r\n'
    text = header + '" C/O - ""tired\n all, the time""",b  c,1,2,3,,,,\r\n'
    assert read(text).frame.rows() == [('C/O - "tired all, the time"', "b c", 2.0, None, None)]
    layout = Layout(("a", "b"), ("s",), columns=("a", "b", "s"))
    assert read('"x\tyz" \t0.50', layout).frame.rows() == [('"x', 'yz"', 0.5)]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "file.csv: is empty"),
        ("<html>", "line 1: has no column 'a' (it has <html>); this is another file than its name says"),
        (HEADER, "file.csv: holds no pairs"),
        (HEADER + "a,b,1,2\n", "line 2: has 4 columns instead of 9"),
        (HEADER + "a,,1,2,3,,,,\n", "line 2: a term is missing"),
        (HEADER + "a,b,,,,,,,\n", "line 2: has no rating"),
        (HEADER + "a,b,1,2,3,,,,\na,b,1,NaN,3,,,,\n", "line 3: the rating 'NaN' is no finite number"),
        (HEADER + "a,b,1,1e999,3,,,,\n", "the rating '1e999' is no finite number"),
        (HEADER + 'a,"b,1,2,3,,,,\n', "cannot be read as a table"),
        (HEADER.encode() + b"a\xff,b,1,2,3,,,,\n", "line 2: is not UTF-8"),
        (HEADER + "a," + "b" * 200_000 + ",1,2,3,,,,\n", "cannot be read as a table"),
    ],
)
def test_bad_tables_get_one_sentence(text: str | bytes, says: str) -> None:
    with pytest.raises(TermgaugeError) as caught:
        read(text)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unknown_concept_systems_are_refused() -> None:
    with pytest.raises(TermgaugeError, match=r"no 'mash' concept ids, only umls, mesh\. Did you mean 'mesh'\?"):
        read(HEADER, system="mash")
    with pytest.raises(TermgaugeError, match="no 'mesh' concept ids, none"):
        read("x", dataclasses.replace(PLAIN, concepts={}), system="mesh")


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@given(content=st.binary(max_size=100) | st.text('ab1.,\t\n\r" ', max_size=80).map(str.encode))
def test_any_bytes_give_pairs_or_a_sentence(layout: Layout, content: bytes) -> None:
    header = "" if layout.columns else "\t".join([*layout.terms, *layout.ratings]) + "\n"
    layout = dataclasses.replace(layout, concepts={})
    for text in (content, header.encode() + content):
        try:
            assert len(read(text, layout)) > 0
        except TermgaugeError:
            continue


def test_what_each_rater_said_is_kept_where_there_are_several() -> None:
    pairs = read(HEADER + "flu,cold,1,,3,,,,\nflu,grippe,2,2,None,,,,\n")
    assert pairs.ratings.to_dict(as_series=False) == {"one": [1, 2], "two": [None, 2], "three": [3, None]}
    assert read("a,b,one\nflu,cold,1\n", Layout(terms=("a", "b"), ratings=("one",))).ratings is None
