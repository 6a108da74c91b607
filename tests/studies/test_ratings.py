from __future__ import annotations

import gzip

import numpy as np
import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.studies.ratings import checked_scale, read_ratings
from tests.studies.raters import answers_text, drawn, long_text, matrix_text

FORMS = {"answers": answers_text, "long": long_text, "matrix": matrix_text}


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a table and returns where."""

    def write(text, name="ratings.tsv"):
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


def table_of(ratings, raters):
    """Return ratings as a table again."""
    found = np.full((ratings.pairs.height, raters), np.nan)
    places = {pair: at for at, pair in enumerate(ratings.pairs["pair"])}
    for rater, pair, rating in ratings.first_showings().select("rater", "pair", "rating").iter_rows():
        if rating is not None:
            found[places[pair], int(rater[1:]) - 1] = rating
    return found


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_three_forms_hold_the_same(form, ends, written):
    table = drawn(8, 4, missing=0.2)
    text = FORMS[form](table).replace("\n", ends)
    found = read_ratings(written(text), scale=(0, 6))
    np.testing.assert_array_equal(table_of(found, 4), table)
    assert found.scale == (0.0, 6.0)
    assert sorted(found.raters) == ["r1", "r2", "r3", "r4"]
    assert found.count == int((~np.isnan(table)).sum())
    assert repr(found).startswith("<ratings: ")
    again = read_ratings(written(gzip.compress(text.encode()), "ratings.tsv.gz"), scale=(0, 6))
    assert again.answers.equals(found.answers)
    marked = read_ratings(written("\ufeff" + text, "marked.tsv"), scale=(0, 6))
    assert marked.answers.equals(found.answers)


def test_answers_come_in_the_order_of_pages(written):
    text = answers_text(drawn(5, 2), duplicates={(2, 1): 6, (1, 2): 0})
    header, *rows = text.splitlines()
    found = read_ratings(written("\n".join([header, *reversed(rows)]) + "\n"), scale=(0, 6))
    assert found.answers.filter(found.answers["rater"] == "r1")["position"].to_list() == [1, 2, 3, 4, 5, 6]
    assert found.answers["kind"].to_list().count("duplicate") == 2
    assert found.answers["seconds"].null_count() == 0
    assert found.pairs.sort("pair").row(0) == ("1", "a1", "b1")


def test_a_pair_that_is_seen_again_is_a_duplicate(written):
    found = read_ratings(written("pair\trater\trating\n1\ta\t2\n2\ta\t3\n1\ta\t5\n"))
    assert found.answers["kind"].to_list() == ["unique", "unique", "duplicate"]
    assert found.first_showings()["rating"].to_list() == [2, 3]
    assert found.of_raters(["b"]).count == 0


def test_the_scale_is_found_if_it_is_not_named(written):
    path = written("pair\trater\trating\n1\ta\t2\n2\ta\t-1\n3\tb\t5\n")
    found = read_ratings(path)
    assert found.scale == (2.0, 5.0)
    assert found.answers["rating"].to_list() == [2.0, None, 5.0]
    assert "2 to 5" in found.notes[-1]
    assert read_ratings(path, scale=(-3, 5)).answers["rating"].to_list() == [2.0, -1.0, 5.0]
    assert read_ratings(path, scale=(0, 6)).notes == ()


def test_words_may_stand_for_the_pair(written):
    found = read_ratings(written("rater\tword1\tword2\trating\na\tflu\tcold\t2\nb\tflu\tcold\t3\n"))
    assert found.pairs.row(0) == ("flu / cold", "flu", "cold")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pair\trater\trating\n", "has a header and no row"),
        ("pair\trater\trating\n1\ta\t7\n", r"line 2: the rating lies outside the scale 0 to 6"),
        ("pair\trater\trating\n1\ta\t1\n1\tb\t-2\n2\tb\t9\n", r"line 3: .* \(and 1 more such rows\)"),
        ("pair\trater\trating\n1\ta\tmany\n", "line 2: the rating is no number"),
        ("pair\trater\trating\n1\ta\tNaN\n", "line 2: the rating is no number"),
        ("pair\trater\trating\n\n1\ta\tinf\n", "line 3: the rating is no number"),
        ("pair\trater\trating\n1\ta\n", "line 2: has 2 columns instead of 3"),
        ("pair\trater\trating\n1\t\t2\n", "line 2: the rater is missing"),
        ("pair\trater\trating\n1\ta\t\n", "holds no rating at all"),
        ("pair\trater\trating\tkind\n1\ta\t2\tother\n", "line 2: the kind must be"),
        ("pair\trater\trating\tpage\n1\ta\t2\tx\n", "line 2: the page is no whole number"),
        ("pair\trater\trating\tgroup\n1\ta\t2\t1\n2\ta\t2\t2\n", "line 3: puts the rater 'a' into another group"),
        (b"pair\trater\trating\n1\t\xff\t2\n", "line 2: is not UTF-8"),
        (b"p\0air\trater\trating\n", "zero byte"),
        ("word1\tword2\tr1\nflu\tcold\t7\n", "line 2: the rating lies outside the scale"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(text, said, written):
    with pytest.raises(TermgaugeError, match=said) as caught:
        read_ratings(written(text), scale=(0, 6))
    assert "ratings.tsv" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_scales():
    assert checked_scale(None) is None
    assert checked_scale([0, 6]) == (0.0, 6.0)
    for wrong in ([0], [6, 0], [1, 1], [0, float("inf")]):
        with pytest.raises(TermgaugeError, match="such as 0,6"):
            checked_scale(wrong)


def test_a_folder_is_no_table(tmp_path):
    (tmp_path / "a.tsv").write_text("x")
    (tmp_path / "b.tsv").write_text("x")
    with pytest.raises(TermgaugeError, match="holds 2 files"):
        read_ratings(tmp_path)


@pytest.mark.parametrize(
    ("file", "count", "pairs", "raters", "scale"),
    [
        ("ratings/simverb_ratings_long.tsv", 49_140, 3520, 702, (0, 6)),
        ("ratings/SimVerb-3500-ratings.txt", 35_202, 3500, 11, (0, 6)),
        ("ratings/simverb_group1_ratings.tsv", 630, 70, 9, (0, 6)),
        ("ratings/krippendorff_4x12.tsv", 41, 12, 4, (1, 5)),
        ("similarity/EHR-RelA.tsv", 555, 111, 5, (0, 3)),
        ("similarity/EHR-RelB.tsv", 10_890, 3630, 5, (0, 3)),
    ],
)
def test_published_ratings(shared, file, count, pairs, raters, scale):
    if shared is None:
        pytest.skip("the published ratings are not at hand")
    found = read_ratings(shared / "data" / file)
    assert (found.count, found.pairs.height, len(found.raters), found.scale) == (count, pairs, raters, scale)
