"""What is drawn on to the size of a release follows from what was measured."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.measure import Measurement
from benchmarks.synthetic_rrf import write_meta
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import umls

SIZES = (100, 200, 400)


@given(st.floats(0, 100), st.floats(0, 1))
def test_a_line_goes_through_what_lies_on_one(start, slope):
    line = umls.Line.through(SIZES, [start + slope * size for size in SIZES])
    assert line.at(10_000) == pytest.approx(start + slope * 10_000, abs=1e-6)


@given(st.floats(0.01, 100), st.floats(0, 2))
def test_a_power_law_goes_through_what_follows_one(factor, exponent):
    law = umls.Power.through(SIZES, [factor * size**exponent for size in SIZES])
    assert law.exponent == pytest.approx(exponent, abs=1e-9)
    assert law.at(10_000) == pytest.approx(factor * 10_000**exponent)


def test_a_release_ten_times_as_large_has_ten_times_the_queries_of_indexes_ten_times_as_large():
    read = [Measurement(0, 200, size / 100) for size in SIZES]
    built = [  # a query takes twice the milliseconds that its index has terms
        Measurement(
            0, 100 + size, {"cpu": 2 * size + size**2 / 1000, "search": size**2 / 1000, "queries": [(size // 2, size)]}
        )
        for size in SIZES
    ]
    indexes = (50, 100, 200)
    searched = [Measurement(0, 0, {"milliseconds": terms, "bytes": 1e6 * terms}) for terms in indexes]
    found = umls.forecast(4_000, SIZES, (read, built), indexes, searched)
    assert found.read == pytest.approx(40)
    assert found.rest == pytest.approx(8_000)
    assert found.harder == pytest.approx(2)
    assert found.search == pytest.approx(2 * 4_000 * 2_000 / 1000)  # queries times milliseconds, in seconds
    assert found.client_mb == pytest.approx(4_100)
    assert found.index_mb == pytest.approx(2_000)
    assert found.seconds(64) == pytest.approx(40 + 8_000 + 16_000 / 64)


def test_bytes_of_arrays_are_found_wherever_they_lie():
    array = np.zeros(10)
    assert umls.nbytes({"a": array, "b": ("text", (array, 3))}) == 160


def test_a_build_counts_its_queries(tmp_path, monkeypatch):
    from termgauge.benchmark.nearest import search

    monkeypatch.setattr(search, "MOST_COMPARED", 0)
    monkeypatch.setattr(search, "search_group", search.search_group)  # put back what is put in its place
    terms = [f"{kind} of the {organ}" for kind in ("pain", "ache", "cyst") for organ in ("ear", "eye", "arm", "leg")]
    write_meta(tmp_path / "meta", atoms=400, relations=20, terms=terms)
    found = umls.build(str(tmp_path / "meta"), None)
    assert found["pairs"] > 0
    assert sum(queries for _terms, queries in found["queries"]) > 0
    assert 0 < found["search"] <= found["cpu"]


@pytest.mark.long
@pytest.mark.usefixtures("small_sizes")
def test_small_sizes(capsys):
    umls.main()
    printed = capsys.readouterr().out
    assert "all sets, 64 workers" in printed
    assert "exponent" in printed
