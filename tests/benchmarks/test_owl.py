"""The ontology that is made large has each class once in each copy, and the readers beside ours find them."""

from __future__ import annotations

import pytest

from benchmarks import owl
from termgauge.terminology import read_terminology

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")


def test_copies_have_ids_of_their_own(tmp_path):
    path = tmp_path / "made.owl"
    assert owl.write_owl(path, 1_200_000) == 4
    assert path.stat().st_size >= 1_200_000
    one = read_terminology(owl.REAL)
    found = read_terminology(path)
    assert found.concepts.height == 4 * one.concepts.height
    assert found.terms.height == 4 * one.terms.height
    assert found.relations.height == 4 * one.relations.height
    for read in (owl.read_with_horned_owl, owl.read_with_rdflib, owl.read_with_pronto):
        assert read(str(path)) >= found.concepts.height
