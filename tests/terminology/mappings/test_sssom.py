"""SSSOM tables."""

from __future__ import annotations

import polars as pl
import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of
from termgauge.terminology.mappings import MAPPING_FORMS

FORM = MAPPING_FORMS["sssom"]

NONE = pl.Series([], dtype=pl.String)
METADATA = "#mapping_set_id: https://example.org/set\n#curie_map:\n#  HP: http://purl.obolibrary.org/obo/HP_\n"
TABLE = (
    "subject_id\tsubject_label\tpredicate_id\tpredicate_modifier\tobject_id\tmapping_justification\n"
    "HP:1\tone\tskos:exactMatch\t\tMP:1\tsemapv:ManualMappingCuration\n"
    'HP:2\t"a ""quoted"" label"\tskos:closeMatch\t\tMP:2\tx\n'
    "HP:3\tthree\tskos:broadMatch\t\tMP:3\tx\n"
    "HP:4\tfour\thttp://www.w3.org/2004/02/skos/core#narrowMatch\t\tMP:4\tx\n"
    "HP:5\tfive\tskos:exactMatch\tNot\tMP:5\tx\n"
    "HP:6\tsix\tsemapv:crossSpeciesExactMatch\t\tMP:6\tx\n"
    "HP:7\tseven\towl:equivalentClass\t\tMP:7\tx\n"
)


def read(tmp_path, text, name="map.sssom.tsv"):
    (tmp_path / name).write_text(text, "utf-8")
    (file,) = files_of(tmp_path / name)
    assert FORM.sniff(file)
    return FORM.read(file, NONE, NONE)


@pytest.mark.parametrize("text", [TABLE, METADATA + TABLE, "\ufeff" + METADATA + TABLE, TABLE.replace("\n", "\r\n")])
def test_with_and_without_metadata(tmp_path, text):
    rows, passed = read(tmp_path, text)
    assert rows.rows() == [
        ("HP:1", "MP:1", "exact"),
        ("HP:2", "MP:2", "close"),
        ("HP:3", "MP:3", "broad"),
        ("HP:4", "MP:4", "narrow"),
        ("HP:7", "MP:7", "exact"),
    ]
    assert passed == 2


def test_a_plain_table(tmp_path):
    rows, passed = read(tmp_path, "source,target\nA,B\nC,\n", "map.csv")
    assert rows.rows() == [("A", "B", "exact")]
    assert passed == 1
    assert read(tmp_path, "source;target;relation\nA;B;broad\n")[0].rows() == [("A", "B", "broad")]


def test_a_table_that_breaks_off(tmp_path):
    with pytest.raises(TermgaugeError, match=r"map\.sssom\.tsv, line 3: cannot be read"):
        read(tmp_path, 'source,target\nA,B\nC,"D')
    assert read(tmp_path, 'source\ttarget\nA\tB\nC\t"D')[0].rows()[1] == ("C", '"D', "exact")
