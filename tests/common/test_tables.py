"""Every reader of tables, with tables as the csv module writes them: whatever the dialect, the same cells are read."""

from __future__ import annotations

import csv
import io
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import termgauge as tg
from termgauge.io.tables import open_table, parse_table, peek_table, table_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
Rows = list[tuple[str, str, int]]
SEPARATORS = st.sampled_from("\t;,|")
QUOTING = st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])
LINE_ENDS = st.sampled_from(["\n", "\r\n"])
CELLS = (
    st.text(st.sampled_from('abcäΩ7\'#-"",;| ') | st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=9)
    .map(lambda text: unicodedata.normalize("NFC", " ".join(text.split())))
    .filter(lambda text: text.upper() not in ("", "NA", "N/A"))
)
ROWS = st.lists(
    st.tuples(CELLS, CELLS, st.integers(0, 6)),
    min_size=1,
    max_size=5,
    unique_by=(lambda r: r[0].lower(), lambda r: r[1]),
)


def written(
    path: Path, rows: Sequence[Sequence[object]], separator: str, quoting: int, encoding: str, line_end: str
) -> Path:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=line_end).writerows(rows)
    path.write_bytes(text.getvalue().encode(encoding))
    return path


def _pairs(path: Path) -> object:
    return tg.read_pairs(path).frame.select("term_1", "term_2", "score").rows()


def _study(path: Path) -> object:
    from termgauge.studies.pairs import read_pair_table

    return read_pair_table(path)


def _scores(path: Path) -> object:
    from termgauge.tasks.prediction.scores import read_scores
    from termgauge.tasks.prediction.task import PredictionOptions

    found = read_scores(path, PredictionOptions.of(extrinsic=["ner"]))
    return [(model, found.intrinsic["a; b, c"][model], found.extrinsic["ner"][model]) for model in found.models]


def _queries(path: Path) -> object:
    from termgauge.tasks.linking.questions import _own_queries

    concepts = open_table(path).rows(header=True).column(0)
    meant, _lacking = _own_queries(str(path), pl.DataFrame({"concept": concepts, "number": range(len(concepts))}))
    return [(text, concepts[number]) for number, text in meant.select("number", "text").rows()]


def _long(path: Path) -> object:
    answers = tg.read_ratings(path, scale=(0, 6)).answers
    return sorted(answers.select("pair", "rater", "rating").rows())


def _matrix(path: Path) -> object:
    ratings = tg.read_ratings(path, scale=(0, 6))
    return [(*pair, rating) for pair, rating in zip(ratings.pairs.select("word1", "word2").rows(),
            ratings.answers.filter(pl.col("rater") == "ann")["rating"], strict=True)]  # fmt: skip


def _audited(path: Path) -> object:
    from termgauge.benchmark.exclusions import read_exclusions

    return read_exclusions(path).terms


def _words(path: Path) -> object:
    from termgauge.corpus.tables import read_words

    return read_words(path).select("word", "count").rows()


def _lemmas(path: Path) -> object:
    from termgauge.corpus.counting import read_lemmas

    return [(form, lemma) for (form, _kind), lemma in read_lemmas(path).items()]


def _tags(path: Path) -> object:
    from termgauge.corpus.tagsets import read_tag_table

    return len(read_tag_table(path).classes)


def _counts(path: Path) -> object:
    from termgauge.corpus.words import table_counts

    words = [row.cells[0].lower() for row in open_table(path).content[1:]]
    return list(zip(words, table_counts(words, path)[0], strict=True))


def _american(path: Path) -> object:
    from termgauge.corpus.counting import american_list

    british = [row.cells[0].lower() for row in open_table(path).content]
    return [american_list(path)[word] for word in british[1:]]


def _related(path: Path) -> object:
    from termgauge.corpus.options import PairOptions
    from termgauge.corpus.resources import read_resources

    (found,) = read_resources([f"table={path}"], lambda words: words, PairOptions.of())
    return found.relations.pairs.select("first", "second", "relation").rows()


def _property(path: Path) -> object:
    from termgauge.tasks.subsets.properties import read_property

    return read_property(path, column="n").values


def _terms(path: Path) -> object:
    return tg.read_terminology(path, format="table", cache=False).terms.select("concept", "text").rows()


def _mapped(path: Path) -> object:
    from termgauge.io.source import files_of
    from termgauge.terminology.mappings import looks_like_sssom, read_sssom

    (file,) = files_of(path)
    assert looks_like_sssom(file)
    return read_sssom(file, pl.Series([""]), pl.Series([""]))[0].rows()


def _rated(path: Path) -> object:
    from termgauge.benchmark.human.catalogue import Layout
    from termgauge.benchmark.human.sets import read_rated_table

    layout = Layout(("Term1", "Term2"), ("mean",))
    return read_rated_table(path.read_bytes(), layout, name="t", id="t").frame.rows()


class Reader(NamedTuple):
    """A reader: the header of its tables, how a row is made of two texts and a number, and what should be read."""

    header: tuple[str, ...]
    row: Callable[[str, str, int], tuple[object, ...]]
    read: Callable[[Path], object]
    wanted: Callable[[Rows], object]


def each(make: Callable[[str, str, int], tuple[object, ...]]) -> Callable[[Rows], object]:
    return lambda rows: [make(*row) for row in rows]


READERS = {
    "any table": Reader(
        ("a; b", "c, d", "n"),
        lambda a, b, n: (a, b, n),
        lambda path: tg.read_table(path).rows(),
        each(lambda a, b, n: (a, b, str(n))),
    ),
    "pairs": Reader(
        ("word1", "Term 2", "rating"),
        lambda a, b, n: (a, b, n + 0.5),
        _pairs,
        each(lambda a, b, n: (a, b, n + 0.5)),
    ),
    "study": Reader(("x", "term_1", "term_2"), lambda a, b, n: (n, a, b), _study, each(lambda a, b, _n: (a, b))),
    "scores": Reader(
        ("model", "a; b, c", "ner"), lambda a, _b, n: (a, n, n), _scores, each(lambda a, _b, n: (a, n, n))
    ),
    "queries": Reader(("Concept ID", "text"), lambda a, b, _n: (a, b), _queries, each(lambda a, b, _n: (b, a))),
    "ratings": Reader(
        ("rater", "pair", "rating"),
        lambda a, b, n: (a, b, n),
        _long,
        lambda rows: sorted((b, a, n) for a, b, n in rows),
    ),
    "matrix": Reader(("word1", "word2", "ann", "bob"), lambda a, b, n: (a, b, n, 6), _matrix, list),
    "audit": Reader(
        ("list", "concept1", "term1", "concept2", "term2", "verdict"),
        lambda a, b, n: ("missed", n, a, 7, b, "right"),
        _audited,
        lambda rows: {(a.lower(), b.lower()) for a, b, _n in rows},
    ),
    "words": Reader(("count", "word", "class"), lambda a, _b, n: (n, a, "noun"), _words, each(lambda a, _b, n: (a, n))),
    "lemmas": Reader(
        ("form", "class", "lemma"), lambda a, b, _n: (a, "noun", b), _lemmas, each(lambda a, b, _n: (a.lower(), b))
    ),
    "general": Reader(
        ("word", "count"), lambda a, _b, n: (a, n + 1), _counts, each(lambda a, _b, n: (a.lower(), n + 1))
    ),
    "tags": Reader(
        ("tag", "class"), lambda a, _b, n: (f"T{n}{a}"[:2], "noun"), _tags, lambda rows: len({n for *_, n in rows})
    ),
    "spelling": Reader(("British", "American"), lambda a, b, _n: (a, b), _american, each(lambda _a, b, _n: b.lower())),
    "related words": Reader(
        ("word1", "word2", "relation"),
        lambda a, b, n: (a, b, f"r{n}"),
        _related,
        each(lambda a, b, n: (a.lower(), b.lower(), f"r{n}")),
    ),
    "terminology": Reader(("concept", "term", "tag"), lambda a, b, n: (a, b, n), _terms, each(lambda a, b, _n: (a, b))),
    "mapping": Reader(
        ("source", "relation", "target"),
        lambda a, b, _n: (a, "exact", b),
        _mapped,
        each(lambda a, b, _n: (a, b, "exact")),
    ),
    "rated": Reader(("mean", "term1", "TERM2"), lambda a, b, n: (n, a, b), _rated, each(lambda a, b, n: (a, b, n))),
    "property": Reader(
        ("x, y", "n"), lambda a, _b, n: (a, n), _property, lambda rows: {a.lower(): n for a, _b, n in rows}
    ),
}


@pytest.mark.parametrize("name", READERS)
@given(ROWS, SEPARATORS, QUOTING, ENCODINGS, LINE_ENDS)
@example([('5" needle', '"heart"', 1)], "\t", csv.QUOTE_MINIMAL, "utf-8", "\n")
@example([("a; b; c", "x, y", 1), ("e", "f", 2)], ",", csv.QUOTE_MINIMAL, "utf-8", "\n")
def test_whatever_the_dialect_the_same_is_read(tmp_path_factory, name, rows, separator, quoting, encoding, line_end):
    reader = READERS[name]
    path = tmp_path_factory.mktemp("table") / "table.csv"
    written(path, [reader.header, *(reader.row(*row) for row in rows)], separator, quoting, encoding, line_end)
    assert reader.read(path) == reader.wanted(rows)


@given(
    st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8), min_size=2, max_size=2)),
    SEPARATORS,
)
def test_cells_may_hold_anything_but_line_ends(rows, separator):
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator).writerows([["row", "answer"], *rows])
    read = [row.cells for row in parse_table(text.getvalue(), "t", ["row", "answer"]).content[1:]]
    stripped = [[cell.strip() for cell in row] for row in rows]
    assert read == [row for row in stripped if any(row)]


@given(st.lists(st.tuples(st.sampled_from(['"', 'a"', '"a', '"a"', "b"]), st.sampled_from(['5" b', "c"])), min_size=1))
def test_quotes_between_tabs_that_no_program_wrote_are_ordinary(rows):
    rows = [["word", "remark"], *map(list, rows)]
    text = "".join("\t".join(row) + "\n" for row in rows)
    assert [row.cells for row in parse_table(text, "t").content] == rows


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('model,"a; b; c",ner\nx,1,2\n', [["model", "a; b; c", "ner"], ["x", "1", "2"]]),
        ('model;"a, b, c";ner\n', [["model", "a, b, c", "ner"]]),
        ("heart attack, acute, left;C1\nflu;C2\n", [["heart attack, acute, left", "C1"], ["flu", "C2"]]),
        ("1,2-dichloroethane, liquid\t5\n", [["1,2-dichloroethane, liquid", "5"]]),
        ("model;a\nm;0,5\n", [["model", "a"], ["m", "0,5"]]),
        ('"\t5\nflu\t7\n5"\t3\n', [['"', "5"], ["flu", "7"], ['5"', "3"]]),
        ('a\tb\n"x\ny"\tz\n', [["a", "b"], ["x\ny", "z"]]),
        ('"quoted"\tplain\n"a, b"\tc\n"all"\t"texts"\n', [['"quoted"', "plain"], ["a, b", "c"], ["all", "texts"]]),
        ('a,b\r\n\r\n"x\r\ny",2\r\n3,4', [["a", "b"], ["x\r\ny", "2"], ["3", "4"]]),
        ("one\n", [["one"]]),
    ],
)
def test_separators_and_quotes(text, rows):
    assert [row.cells for row in parse_table(text, "t").content] == rows
    assert peek_table(text.encode()).first == rows[0]


def test_lines_are_those_of_the_file():
    assert [row.line for row in parse_table('a,b\r\n\r\n"x\r\ny",2\r\n3,4', "t").content] == [1, 4, 5]


@given(st.binary(max_size=80))
def test_any_bytes_are_a_table_or_bad_input(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("bytes") / "t"
    path.write_bytes(content)
    peek_table(content)
    try:
        table = parse_table(table_text(path.read_bytes(), "t", western=True), "t")
    except tg.TermgaugeError:
        return
    assert all(row.line >= 1 and any(row.cells) for row in table.content)
