"""Tables of related words."""

from __future__ import annotations

import pytest

from termgauge.corpus.options import PairOptions
from termgauge.corpus.pools import Pool
from termgauge.corpus.relations.resource import NO_VARIANTS
from termgauge.corpus.relations.tables import TABLE, closeness
from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of


def read(folder, text):
    (folder / "t.tsv").write_text(text)
    files = files_of(folder / "t.tsv")
    assert TABLE.recognised(files[0]) or "relation" not in text
    return TABLE.read(files, lambda words: words, PairOptions.of())


def test_a_pair_has_its_closest_relation(tmp_path):
    table = read(
        tmp_path, "word1\tword2\trelation\nB\ta\tmade up\nb\tA\tsibling\na\tb\tsynonym\na\tc\tlike\na\ta\tlike\n"
    )
    pool = Pool("verb", "general", ("a", "b", "c"))
    found = {name: [pool.pair(code) for code in codes] for name, codes in table.related(pool, NO_VARIANTS).items()}
    assert found == {"synonym": [("a", "b")], "sibling": [], "like": [("a", "c")], "made up": []}
    assert sorted(["like", "class", "synonym", "zz"], key=closeness) == ["synonym", "class", "like", "zz"]
    assert set(table.words) == {"a", "b", "c"}
    assert len(table.listed(pool)) == 0


@pytest.mark.parametrize("row", ["\tb\tx", "a\t\tx", "a\tb\t"])
def test_what_is_missing(tmp_path, row):
    with pytest.raises(TermgaugeError, match=r"row 3 .*is missing"):
        read(tmp_path, f"word1\tword2\trelation\na\tb\tx\n{row}\n")


def test_another_table(tmp_path):
    with pytest.raises(TermgaugeError, match="has no column 'relation'"):
        read(tmp_path, "word1\tword2\na\tb\n")
