"""Small studies for tests: pairs of made-up words, a benchmark of three sets, and sheets that are filled in."""

from __future__ import annotations

import csv
import io

import polars as pl

from termgauge.benchmark.pairset import PairSet
from termgauge.studies.folder import new_study

PAIRS = 24


def pair_table(folder, n=PAIRS):
    """Write a table of pairs and return its path."""
    path = folder / "pairs.tsv"
    path.write_text("word1\tword2\n" + "".join(f"left {at}\tright {at}\n" for at in range(n)), encoding="utf-8")
    return path


def similarity(folder, n=PAIRS, **options):
    """Begin a similarity study in a folder."""
    return new_study(folder / "study", pair_table(folder, n), **{"pages": 2, **options})


def labelled(name="set", positives=6, negatives=5):
    """Return a set of pairs with labels."""
    count = positives + negatives
    terms = {"term_1": [f"{name} a{at}" for at in range(count)], "term_2": [f"{name} b{at}" for at in range(count)]}
    return PairSet(name, pl.DataFrame({**terms, "label": [1] * positives + [0] * negatives}))


def quality(folder, **options):
    """Begin a quality study of three sets in a folder."""
    sets = [labelled("one"), labelled("two"), labelled("three", 9, 9)]
    return new_study(folder / "study", sets, kind="quality", **{"per_label": 3, "seed": 7, **options})


def let_in(store, token):
    """Return whom a link lets in: the id of a rater or "admin"; None if it does not work."""
    link = store.link_of(token)
    return (link.rater or "admin") if link is not None and link.works() else None


def rows_of(path):
    """Return the rows of a sheet."""
    return list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))


def filled(rows, answer):
    """Return the rows of a sheet with answers, which a function gives for each row's number, from 0."""
    return [rows[0], *([*row[:3], answer(at)] for at, row in enumerate(rows[1:]))]


def saved(path, rows, *, separator=",", encoding="utf-8-sig", line_end="\r\n", quoting=csv.QUOTE_MINIMAL):
    """Save rows as a spreadsheet program does, and return the path."""
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator=line_end, quoting=quoting).writerows(rows)
    path.write_bytes(out.getvalue().encode(encoding))
    return path
