"""Equal things have equal hashes."""

from __future__ import annotations

import hashlib
import io
import re

from hypothesis import given
from hypothesis import strategies as st

from termgauge.io.identity import BLOCK, file_name, library_versions, sha256_of_stream, sha256_of_value, version


def test_stream():
    data = b"x" * (2 * BLOCK + 5)
    assert sha256_of_stream(io.BytesIO(data)) == hashlib.sha256(data).hexdigest()


@given(value=st.dictionaries(st.text(), st.one_of(st.integers(), st.text(), st.none()), max_size=5))
def test_order_of_keys_does_not_matter(value):
    assert sha256_of_value(value) == sha256_of_value(dict(reversed(value.items())))


def test_values_that_differ():
    values = [None, 0, "0", [], [[]], {}, "\udce9", "\ufffd", ["a", "b"], ["ab"], False]
    assert len({sha256_of_value(value) for value in values}) == len(values)


def test_versions():
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+)?", version())
    assert set(library_versions(["polars", "no-such-package"])) == {"polars"}


@given(st.lists(st.text(min_size=1, max_size=200), min_size=2, max_size=20, unique=True))
def test_file_names_differ_and_stay_in_their_folder(names):
    made = [file_name(name) for name in names]
    assert len(set(made)) == len(made)
    for name in made:
        assert "/" not in name
        assert not name.startswith(".")
        assert len(name) < 140
        assert name.isascii()
