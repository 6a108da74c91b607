"""Tables of resources: columns by name, whatever their order, and tables that are not what they should be."""

from __future__ import annotations

import pytest

from termgauge.corpus.relations.resource import RELATIONS
from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of
from termgauge.io.tables import open_table, peek_table


def file_of(folder, data):
    (folder / "t.tsv").write_bytes(data)
    return files_of(folder / "t.tsv")[0]


def test_columns_are_found_by_name(tmp_path):
    file = file_of(tmp_path, "\ufeffOther\t B \tA\r\n1\t two \tone\r\n\r\n2\t4\t3".encode())
    assert peek_table(file.head()).first == ["Other", "B", "A"]
    assert open_table(file).select(("a",), ("b", "c")).rows() == [("one", "two"), ("3", "4")]


def test_the_closest_relation_comes_first():
    assert RELATIONS == ("synonym", "sibling", "class", "associated")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"a\tb\n1\t2\t3\n", "line 2: has 3 columns"),
        (b"a\tb\n\xff\t2\n", "line 2: is not UTF-8"),
        (b"a\tb\n1\t\0\n", "zero byte"),
        (b"b\tc\n1\t2\n", "has no column 'a'"),
        (b"a\ta\n1\t2\n", "two columns named 'a'"),
        (b"", "is empty"),
    ],
)
def test_tables_that_are_refused(tmp_path, data, why):
    with pytest.raises(TermgaugeError, match=why):
        open_table(file_of(tmp_path, data)).select(("a",))
