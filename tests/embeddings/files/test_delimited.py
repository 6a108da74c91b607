from __future__ import annotations

import numpy as np
import pytest

from termgauge.embeddings.files.readers import separator_of
from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError
from tests.embeddings import vector_files as files


@pytest.mark.parametrize("separator", [",", "\t", ";"])
@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("quote", ['"', ""])
def test_delimited(tmp_path, separator, header, quote):
    ids = ["C0000039", "C0000052", "C0000074"]
    vectors = np.random.default_rng(6).normal(size=(3, 4)).astype(np.float32)
    data = files.csv(ids, vectors, separator=separator, header=header, quote=quote)
    (tmp_path / "cui2vec.csv").write_bytes(data)
    model = load_model(tmp_path / "cui2vec.csv")
    assert model.kind == "concepts"
    assert model.find([*ids, "C9999999"]).tolist() == [0, 1, 2, -1]
    np.testing.assert_array_equal(model.gather(model.find(ids)), vectors)
    assert load_model(f"{tmp_path / 'cui2vec.csv'}?kind=words").kind == "words"


def test_quoted_words_with_commas_and_quotes(tmp_path):
    (tmp_path / "a.csv").write_bytes(b'word,x,y\n"a, b",1,2\n"say ""hi""",3,4\nplain, 5 , 6\n')
    model = load_model(tmp_path / "a.csv")
    assert list(model.vocabulary) == ["a, b", 'say "hi"', "plain"]
    np.testing.assert_array_equal(model.gather(np.arange(3)), [[1, 2], [3, 4], [5, 6]])


@pytest.mark.parametrize(
    ("head", "separator"),
    [
        (b"a,1,2\n", b","),
        (b"word\tx\ty\na\t1\t2\n", b"\t"),
        (b"a;1;-2e3\n", b";"),
        (b"a 1 2\n", None),
        (b"a,1\n", None),
    ],
)
def test_what_separates_the_columns(head, separator):
    assert separator_of(head) == separator


def test_a_file_without_rows_is_none(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\nz,w\n")
    with pytest.raises(TermgaugeError, match=r"a\.csv: neither of its first two lines has an id and then numbers"):
        load_model(f"delimited:{tmp_path / 'a.csv'}")
