"""Norms of association: USF's files with all their oddities, tables, and files that are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.corpus.options import PairOptions
from termgauge.corpus.pools import Pool
from termgauge.corpus.relations import is_norms, read_norms, text_frame
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.io.source import files_of

HEADER = "CUE, TARGET, NORMED?, #G, #P, FSG, BSG, MSG, OSG"
ROWS = [
    "RIVER, BANK, YES, 152, 30, .197, .100, .01, 0.0",
    "HOUSE, HOME, YES, 148, 66, 0.446, 0.000, ,",
    "DOG, CAT, YES, 148, 66, .446, \xa5, \xa5, ",
    "SUN, MOON, YES, 10, 5, .5, .5, 0, 0",
    "A LOT, MANY, YES, 150, 3, .02, .02, 0, 0",
    "TREE, LEAF, YES, 150, 1, .007, .2, 0, 0",
]
USF = "\n".join(["<HTML>", "<BODY>", "<pre>", HEADER, *ROWS, "</pre>", "</BODY>", "</HTML>"])
NO_VARIANTS = text_frame(("word", "variant"))
POOL = Pool("noun", "general", ("bank", "cat", "dog", "home", "house", "leaf", "moon", "river", "sun", "tree"))


def read(folder, data, **options):
    (folder / "norms").write_bytes(data)
    return read_norms(files_of(folder / "norms"), lambda words: words, PairOptions.of(**options))


def pairs(table):
    return {POOL.pair(code) for code in table["pair"]}


def test_usf_files(tmp_path):
    norms = read(tmp_path, USF.encode("latin-1"))
    assert is_norms(files_of(tmp_path / "norms")[0])
    assert pairs(norms.related(POOL, NO_VARIANTS)) == {("bank", "river"), ("leaf", "tree")}
    assert pairs(POOL.pairs_of(norms.listed)) == {
        ("bank", "river"), ("home", "house"), ("cat", "dog"), ("moon", "sun"), ("leaf", "tree"),
    }  # fmt: skip
    assert "a lot" in set(norms.words)


def test_producers_instead_of_those_asked(tmp_path):
    norms = read(tmp_path, USF.encode("latin-1"), min_producers=5)
    assert pairs(norms.related(POOL, NO_VARIANTS)) == {("bank", "river"), ("moon", "sun")}


def test_a_table_in_any_order(tmp_path):
    rows = "bsg\tfsg\tp\tg\ttarget\tcue\n0.1\t0.2\t9\t150\tBank\triver\n\t0.2\t9\t150\tcat\tdog\n"
    norms = read(tmp_path, rows.encode())
    assert is_norms(files_of(tmp_path / "norms")[0])
    assert pairs(norms.related(POOL, NO_VARIANTS)) == {("bank", "river")}
    assert pairs(POOL.pairs_of(norms.listed)) == {("bank", "river"), ("cat", "dog")}


def test_lines_that_are_no_rows_are_counted(tmp_path):
    with pytest.warns(TermgaugeWarning, match=r"norms: 2 lines that are no rows were passed over .*line 3"):
        norms = read(tmp_path, f"{HEADER}\n{ROWS[0]}\nsome remark\n, CAT, YES, 1, 1, 1, 1\n".encode())
    assert pairs(POOL.pairs_of(norms.listed)) == {("bank", "river")}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "has no header"),
        (b"DOG, CAT, YES, 148, 66, .446, .1\n", "has no header that names the columns CUE, TARGET"),
        (f"<pre>\n{HEADER}\n</pre>\n".encode(), "holds no row after its header"),
    ],
)
def test_files_that_are_refused(tmp_path, data, why):
    with pytest.raises(TermgaugeError, match=why):
        read(tmp_path, data)


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
@given(st.lists(st.binary(max_size=40), max_size=6))
def test_whatever_stands_in_the_file_is_read_or_refused(tmp_path_factory, lines):
    folder = tmp_path_factory.mktemp("norms")
    try:
        norms = read(folder, b"\n".join([HEADER.encode(), ROWS[0].encode(), *lines]))
    except TermgaugeError:
        return
    assert ("bank", "river") in pairs(POOL.pairs_of(norms.listed))
