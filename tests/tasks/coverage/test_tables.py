from __future__ import annotations

import io

import numpy as np
from rich.console import Console

from termgauge.domain.concept_seeds import listed
from termgauge.experiment.coverage import coverage
from termgauge.tasks.coverage.tables import coverage_tables
from tests.domain.tables import Words
from tests.domain.terminologies import terminology_of
from tests.experiment.toy_models import ToyTerms


def shown(found):
    console = Console(width=160, file=io.StringIO())
    console.print(coverage_tables(found))
    return console.file.getvalue()


def test_tables_show_the_figures():
    terminology = terminology_of({f"c{place}": [f"w{place}"] for place in range(60)})
    names = [f"w{place}" for place in range(60)]
    full = Words(names, np.random.default_rng(0).normal(size=(60, 3)), name="full")
    half = Words(names[:10], np.random.default_rng(0).normal(size=(10, 3)), name="half")
    domain = listed(terminology, [f"c{place}" for place in range(30)])
    found = coverage(terminology, [full, half, ToyTerms()], domain=domain, ks=[5])
    text = shown(found)
    assert "30 seeds: a list" in text
    assert "100.00 %⁺¹" in text
    assert "33.33 %⁻¹" in text
    assert f"{found.value('full', 'cg', 5):.3f}" in text
    assert "concepts of the terminology" in text
    assert "another question" in text
    assert "c10" in text
    assert "(5 more)" in text
    lines = [line.split() for line in text.splitlines() if line.startswith("c10")]
    assert lines == [["c10", "w10", "✓", "✓"]]
