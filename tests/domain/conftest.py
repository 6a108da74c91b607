"""A small terminology with relations for the tests of domains."""

from __future__ import annotations

import pytest

from termgauge.terminology import read_terminology

TERMS = (
    "concept\tterm\tkind\n1\tAsthma\tfsn\n2\tLung\tfsn\n3\tAir\tfsn\n4\tCold\tfsn\n5\tCold\tfsn\n6\tLobe\tfsn\n"
    "1\tAsthma bronchiale\tsynonym\n7\tAlone\tfsn\n"
)
RELATIONS = (
    "source\ttype\ttarget\n1\tsite\t2\n3\tenters\t2\n4\tmakes_worse\t1\n6\tis_a\t2\n5\tsite\t5\n5\tsite\t6\n"
    "1\tsite\t2\n"
)


@pytest.fixture
def terminology(tmp_path):
    (tmp_path / "terms.tsv").write_text(TERMS)
    (tmp_path / "relations.tsv").write_text(RELATIONS)
    return read_terminology(tmp_path / "terms.tsv", relations=tmp_path / "relations.tsv")
