"""A user's own table: what is taken, what is refused, and which row is blamed."""

from __future__ import annotations

import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.terminology import read_terminology
from tests.samples import RELATIONS, TABLE

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")


def table(tmp_path, text, name="t.tsv", **options):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return read_terminology(path, format="table", cache=False, **options)


def test_tsv(tmp_path):
    found = table(tmp_path, TABLE)
    assert found.concepts.select("concept", "name", "tag", "active").rows() == [
        ("C1", "Heart attack", "disorder", True),
        ("C2", "Herz", "organ", True),
        ("C3", "Old heart", None, True),
    ]
    assert found.terms.select("concept", "text", "kind", "language").rows() == [
        ("C1", "Heart attack", "fsn", "en"),
        ("C1", 'MI, "acute"', "synonym", "en"),
        ("C2", "Herz", "fsn", "de"),
        ("C2", "Cœur", "synonym", "fr"),
        ("C3", "Old heart", "fsn", "en"),
    ]


def test_relations_and_replacements(tmp_path):
    (tmp_path / "r.csv").write_text(RELATIONS.replace("\t", ","))
    found = table(tmp_path, TABLE, relations=tmp_path / "r.csv")
    assert found.relations.rows() == [("C1", "finding_site", "C2")]
    assert found.replacements.rows() == [("C3", "C2", "replaced-by")]
    assert found.concepts["active"].to_list() == [True, True, False]


def test_relations_without_type(tmp_path):
    (tmp_path / "r.tsv").write_text("source\ttarget\nC1\tC2\n\tC2\n")
    assert table(tmp_path, TABLE, relations=tmp_path / "r.tsv").relations.rows() == [("C1", "related", "C2")]


def test_relations_of_the_same_name_in_another_folder_count(tmp_path):
    """Two files called alike must not be taken for one another when the cache is asked."""
    (tmp_path / "sub").mkdir()
    terms, links = tmp_path / "data.tsv", tmp_path / "sub" / "data.tsv"
    terms.write_text(TABLE)
    links.write_text(RELATIONS)
    first = read_terminology(terms, relation_table=links)
    terms.write_text(TABLE.replace("Herz", "HERZ"))
    second = read_terminology(terms, relation_table=links)
    assert second.identity.sha256 != first.identity.sha256
    assert "HERZ" in second.terms["text"].to_list()


def test_without_kinds_the_first_term_is_the_name(tmp_path):
    found = table(tmp_path, "term,concept\na,1\nb,2\nc,1\n")
    assert found.terms.select("concept", "text", "kind").rows() == [
        ("1", "a", "fsn"),
        ("2", "b", "fsn"),
        ("1", "c", "synonym"),
    ]
    assert found.summary()["languages"] == ["en"]


@pytest.mark.parametrize("separator", ["\t", ",", ";"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_separators_line_ends_and_byte_order_mark(tmp_path, separator, newline, mark):
    text = mark + newline.join(separator.join(row) for row in [("Concept", " TERM "), ("1", "ä"), ("2", "b"), ("", "")])
    assert table(tmp_path, text + newline).terms.select("concept", "text").rows() == [("1", "ä"), ("2", "b")]


def test_quotes_in_csv(tmp_path):
    text = '"concept","term"\n1,"a, b"\n2,"say ""ah"""\n3,"two\nlines"\n4,in"side\n'
    assert table(tmp_path, text).terms["text"].to_list() == ["a, b", 'say "ah"', "two\nlines", 'in"side']


def test_quotes_in_tsv_are_ordinary(tmp_path):
    assert table(tmp_path, 'concept\tterm\n1\t"a\n2\tb"\n').terms["text"].to_list() == ['"a', 'b"']


def test_spaces_around_fields_do_not_count(tmp_path):
    found = table(tmp_path, "concept, term, kind\n 1 , heart , FSN \n1, cor , exact\n")
    assert found.terms.select("concept", "text", "kind").rows() == [("1", "heart", "fsn"), ("1", "cor", "synonym")]


def test_blank_rows_are_noted_and_blank_lines_are_not(tmp_path):
    found = table(tmp_path, "concept\tterm\n1\ta\n\n\tx\n2\t \n\n3\tb\n\n")
    assert found.terms["text"].to_list() == ["a", "b"]
    assert found.notes == ("t.tsv: 2 rows without concept or term were passed over.",)


def test_languages(tmp_path):
    text = "concept\tterm\tlanguage\n1\ta\ten\n1\tb\tde\n1\tc\t\n"
    assert table(tmp_path, text).terms["language"].to_list() == ["en", "de", "en"]
    assert table(tmp_path, text, language="en").terms["text"].to_list() == ["a", "c"]
    with pytest.raises(TermgaugeError, match="no terms in the language 'fr'; its languages are de, en"):
        table(tmp_path, text, language="fr")
    assert table(tmp_path, "concept\tterm\n1\ta\n", language="fr").summary()["languages"] == ["fr"]


def test_a_tag_in_any_row_of_a_concept(tmp_path):
    found = table(tmp_path, "concept\tterm\ttag\n1\ta\t\n1\tb\torgan\n2\tc\t\n")
    assert found.concepts["tag"].to_list() == ["organ", None]


def test_unknown_kind_is_named_with_its_row(tmp_path):
    text = "concept\tterm\tkind\tlanguage\n\tblank\t\t\n1\ta\tfsn\tde\n1\tb\tsynonim\ten\n"
    with pytest.raises(TermgaugeError, match=r"t.tsv, row 4 .*'synonim' is no kind.*Did you mean 'synonym'"):
        table(tmp_path, text, language="en")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "is empty; a table has one line for each row"),
        ("\n \n", "is empty"),
        ("concept\tname\n1\ta\n", r"no column 'term' \(its columns are concept, name\)"),
        ("a,b\n1,2\n", "no column 'concept' and no column 'term'"),
        ("concept\tterm\tterm\n1\ta\tb\n", "two columns named 'term'"),
        ("concept\tterm\n", "holds no terms; put a concept"),
        ("concept\tterm\n\t\n", "holds no terms"),
        ("concept\tterm\n1\ta\n2\n", "line 3: has 1 columns separated by tab where 2"),
        ("concept\tterm\n1\ta\tb\n", "line 2: has 3 columns"),
        (
            'concept,term\n1,"a"\n2,b,c\n',
            "line 3: has 3 columns instead of 2",
        ),
        ('concept,term\n1,"' + "a" * 140000, "line 2: cannot be read .*every quote is closed"),
        (b"concept\tterm\n1\t\xff\n", "line 2: is not UTF-8"),
        (b'concept,term\n1,"a"\n1,\xff\n', "line 3: is not UTF-8"),
        (b"conc\xffept,term\n1,a\n", "line 1: is not UTF-8"),
        (b"PAR1", "no readable Parquet file"),
        (b"PAR1" + b"\0" * 50 + b"PAR1", "no readable Parquet file"),
    ],
)
def test_bad_tables(tmp_path, text, wrong):
    with pytest.raises(TermgaugeError, match=rf"t\.tsv.*{wrong}"):
        table(tmp_path, text)


def written(frame, **options):
    buffer = io.BytesIO()
    frame.write_parquet(buffer, **options)
    return buffer.getvalue()


FRAME = pl.DataFrame({"Concept": [1, 2], "term": ["a", "b"], "vector": [[1.0], [2.0]], "tag": ["x", None]})


def test_parquet_takes_only_what_is_wanted(tmp_path):
    found = table(tmp_path, written(FRAME), "t.parquet")
    assert found.concepts.select("concept", "name", "tag").rows() == [("1", "a", "x"), ("2", "b", None)]


def test_parquet_pair_in_a_folder(tmp_path):
    (tmp_path / "terms.parquet").write_bytes(written(FRAME))
    links = pl.DataFrame({"source": ["1"], "type": ["part_of"], "target": ["2"]})
    (tmp_path / "links.parquet").write_bytes(written(links))
    assert read_terminology(tmp_path).relations.rows() == [("1", "part_of", "2")]


# Python alone takes the four separators from 1C to 1F for spaces; zero bytes are refused.
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00\x1c\x1d\x1e\x1f"), min_size=1, max_size=8).filter(
    lambda text: text.strip()
)


@given(
    rows=st.lists(
        st.tuples(
            TEXTS,
            TEXTS,
        ),
        min_size=1,
        max_size=8,
    )
)
def test_csv_as_the_csv_module_writes_it(tmp_path_factory, rows):
    import csv

    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerow(["concept", "term"])
    writer.writerows(rows)
    found = table(tmp_path_factory.mktemp("csv"), text.getvalue(), "t.csv")
    assert found.terms.select("concept", "text").rows() == [(a.strip(), b.strip()) for a, b in rows]
