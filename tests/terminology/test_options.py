"""The declaration of how a terminology is read: what every way to give an option relies on."""

from __future__ import annotations

from pathlib import Path

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.options import Flag, metadata_of
from termgauge.terminology.formats.registry import OWN, formats
from termgauge.terminology.options import ReadingOptions

FIELDS = ReadingOptions.model_fields


@pytest.mark.parametrize("name", FIELDS)
def test_every_option_is_described(name):
    field = FIELDS[name]
    assert field.description.endswith(".")
    assert not field.is_required()
    assert isinstance(field.default, bool) or field.examples, "an example is what `termgauge init` writes"
    if field.examples:
        assert ReadingOptions.of(**{name: field.examples[0]}).changed() == {name: field.examples[0]}


def test_the_flags():
    flags = {name: metadata_of(field, Flag) for name, field in FIELDS.items()}
    assert {name: flag.names for name, flag in flags.items() if flag and flag.names} == {
        "format": ("--source-format",),
        "vocabularies": ("--vocabulary",),
        "suppressed": ("--suppressed/--no-suppressed",),
        "cache": ("--cache/--no-cache",),
    }
    assert {name: flag.metavar for name, flag in flags.items() if flag and flag.metavar} == {
        "release": "YYYYMMDD",
        "vocabularies": "SAB",
        "resource": "ID",
    }


def test_a_format_is_one_of_the_registry():
    assert set(OWN) <= set(formats())
    for name in formats():
        assert ReadingOptions.of(format=name).format == name
    assert "terminology --list" in FIELDS["format"].description
    with pytest.raises(TermgaugeError, match=r"'format' must be 'rf2', .* or 'table', not 'tabel'.*mean 'table'\?"):
        ReadingOptions.of(format="tabel")


def test_vocabularies_have_no_order_and_one_may_stand_alone():
    assert ReadingOptions.of(vocabularies="MSH").vocabularies == ["MSH"]
    assert ReadingOptions.of(vocabularies=("SNOMEDCT_US", "MSH")) == ReadingOptions.of(
        vocabularies=["MSH", "SNOMEDCT_US"]
    )
    with pytest.raises(TermgaugeError, match="'vocabularies' must be a list, not 7"):
        ReadingOptions.of(vocabularies=7)


def test_the_table_of_relations_is_a_place_and_had_another_name():
    given = ReadingOptions.of(relations=Path("links.tsv"))
    assert given.relation_table == "links.tsv"
    assert given.located(lambda place: f"there/{place}").relation_table == "there/links.tsv"
