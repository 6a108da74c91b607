"""A small terminology with three categories: what hangs on heart, on infection, and on skin."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from termgauge.terminology import read_terminology

TABLE = """concept\tterm\tkind\ttag
1\theart\tfsn\torgan
2\theart attack\tfsn\tdisorder
2\tcardiac infarct\tsynonym\t
3\theart failure\tfsn\tdisorder
4\tlung infection\tfsn\tinfection
4\tpneumonia\tsynonym\t
5\tacute pneumonia\tfsn\tinfection
6\tskin\tfsn\tsurface
7\tskin rash\tfsn\tsurface
7\trash\tsynonym\t
7\theart\tsynonym\t
8\tunheard of\tfsn\tsurface
"""
RELATIONS = "source\ttype\ttarget\n2\tis_a\t1\n3\tis_a\t2\n5\tis_a\t4\n7\tis_a\t6\n8\tis_a\t7\n"
TERMS = {
    "A": ["heart", "heart attack", "heart failure", "cardiac infarct"],
    "B": ["lung infection", "acute pneumonia", "pneumonia"],
    "C": ["skin", "skin rash", "unheard of", "rash", "heart"],
}
"""What the categories 1, 4 and 6 hold."""


def read_source(folder):
    """Write the terminology and read it."""
    (folder / "terms.tsv").write_text(TABLE)
    (folder / "relations.tsv").write_text(RELATIONS)
    return read_terminology(folder / "terms.tsv", relation_table=folder / "relations.tsv")


def by_triples(similarity, terms):
    """Return overlap and means as they are defined."""
    triples = list(product(*(terms[letter] for letter in "ABC")))
    overlap = np.mean([similarity(a, b) <= similarity(a, c) for a, b, c in triples])
    means = {
        "AB": np.mean([similarity(a, b) for a, b in product(terms["A"], terms["B"])]),
        "AC": np.mean([similarity(a, c) for a, c in product(terms["A"], terms["C"])]),
    }
    for letter in "ABC":
        means[2 * letter] = np.mean([similarity(one, two) for one, two in combinations(terms[letter], 2)])
    return overlap, means
