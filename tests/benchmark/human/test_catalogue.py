"""What is said of the human-rated sets hangs together; tests of their files are in test_sets."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest

from termgauge.benchmark.human.catalogue import CATALOGUE


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.id)
def test_an_entry_is_whole(entry):
    assert re.fullmatch(r"human/[a-z0-9-]+", entry.id)
    assert entry.home.startswith("https://")
    assert re.fullmatch(r"[0-9a-f]{64}", entry.sha256)
    assert entry.title
    assert entry.score
    assert entry.citation.endswith(".")
    assert entry.licence.endswith(".")
    assert entry.size > entry.pairs > 0
    low, high = entry.scale
    assert low < high
    assert entry.file_name in entry.by_hand
    assert entry.address in entry.by_hand


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.id)
def test_an_address_names_a_commit_so_that_its_file_cannot_change(entry):
    assert re.fullmatch(r"https://raw\.githubusercontent\.com/[^/]+/[^/]+/[0-9a-f]{40}/.+", entry.address)
    assert entry.address.endswith("/" + entry.file_name)


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.id)
def test_a_layout_names_each_column_once(entry):
    layout = entry.layout
    columns = [*layout.terms, *layout.ratings, *(column for pair in layout.concepts.values() for column in pair)]
    assert len({column.lower() for column in columns}) == len(columns)
    assert not layout.columns or set(columns) <= set(layout.columns)
    assert set(layout.concepts) <= {"umls", "mesh", "snomed"}


def test_sets_differ_and_one_file_is_one_file():
    assert len({entry.id for entry in CATALOGUE}) == len({entry.title for entry in CATALOGUE}) == len(CATALOGUE) == 14
    files = defaultdict(set)
    for entry in CATALOGUE:
        files[entry.file_name].add((entry.sha256, entry.size, entry.address))
    assert all(len(each) == 1 for each in files.values())
