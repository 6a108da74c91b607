"""How results show themselves; what each of them shows is in tests/common/test_results.py."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.display import LONGEST, Showing, shortened
from termgauge.reporting.blocks import Document, Prose, Section


def as_section(result):
    return Section("s", "Title", (Prose((result.text,)),))


def as_document(result):
    return Document("Whole", ("Told.",), (), (as_section(result),))


def as_sections(result):
    return iter([as_section(result), as_section(result)])


@dataclass(frozen=True, repr=False)
class Sample(Showing):
    text: str

    def _brief(self):
        return f"sample {self.text}"

    def to_frame(self):
        return pl.DataFrame({"text": [self.text]})


@given(st.text(max_size=400))
def test_a_line_is_one_line_of_its_length_whatever_is_in_it(text):
    line = repr(Sample(text))
    assert len(line) <= LONGEST
    assert (line[0], line[-1]) == ("<", ">")
    assert len(line.splitlines()) == 1
    assert line == f"<sample {text}>" or len(text) > LONGEST - 12 or not text.isprintable()


@given(st.text(max_size=100), st.integers(2, 60))
def test_what_is_shortened_keeps_its_end(text, longest):
    short = shortened(text, longest)
    assert len(short) <= longest
    assert short == shortened(text, 200) or short == f"…{shortened(text, 200)[1 - longest :]}"


@pytest.mark.parametrize(("made", "count"), [(as_section, 1), (as_document, 1), (as_sections, 2)])
def test_a_notebook_shows_a_document_or_a_section_or_several(made, count):
    class Shown(Sample):
        _shown = made

    html = Shown("<script>alert(1)</script>")._repr_html_()
    assert html.count("&lt;script&gt;") == count
    assert "<script" not in html
    assert ("Whole" in html) == ("Told." in html) == (made is as_document)


def test_the_table_is_there_for_pandas():
    pandas = pytest.importorskip("pandas")
    assert isinstance(Sample("a").to_pandas(), pandas.DataFrame)


def test_who_forgets_to_say_what_it_is_is_told():
    class Bare(Showing):
        pass

    for lacking in (Bare.__repr__, Bare.to_frame):
        with pytest.raises(NotImplementedError):
            lacking(Bare())
