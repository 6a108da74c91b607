"""The declaration of how a benchmark is built."""

from __future__ import annotations

import inspect
from datetime import date

import pytest

import termgauge as tg
from termgauge.benchmark.options import BuildOptions
from termgauge.exceptions import TermgaugeError
from termgauge.terminology.options import MappingOptions, ReadingOptions

FIELDS = BuildOptions.model_fields


def refused(**options):
    with pytest.raises(TermgaugeError) as caught:
        BuildOptions.of(**options)
    return str(caught.value)


@pytest.mark.parametrize("name", FIELDS)
def test_every_option_is_described(name):
    field = FIELDS[name]
    assert field.description.endswith(".")
    assert not field.is_required()
    assert field.default or field.examples
    if field.examples:
        assert BuildOptions.of(**{name: field.examples[0]}).changed() == {name: field.examples[0]}


def test_what_is_not_said_is_as_published():
    assert BuildOptions.of(since=None, only=(), max_pairs=None) == BuildOptions()
    assert BuildOptions().model_dump() == {
        "seed": 42,
        "split_distance": 5,
        "since": None,
        "language": "en",
        "languages": [],
        "only": [],
        "scope": [],
        "tag": None,
        "under": None,
        "max_pairs": None,
        "without": None,
    }


@pytest.mark.parametrize("day", ["20180731", "2018-07-31", date(2018, 7, 31)])
def test_days(day):
    assert BuildOptions.of(since=day).since_date == date(2018, 7, 31)
    assert BuildOptions().since_date is None


@pytest.mark.parametrize("day", ["soon", "2018", "20181331", "31.07.2018", ""])
def test_days_that_are_none(day):
    assert refused(since=day).startswith(f"The option 'since' must be a day such as 20180131, not '{day}'. It means: ")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"seed": -1}, "'seed' must be at least 0, not -1"),
        ({"seed": 1.5}, "'seed' must be a whole number, not 1.5"),
        ({"split_distance": -1}, "'split_distance' must be at least 0, not -1"),
        ({"max_pairs": 1}, "'max_pairs' must be at least 2, not 1"),
        ({"scope": ["related", "narow"]}, "not 'narow'. It means: OBO: also synonyms"),
        ({"scope": "narow"}, "Did you mean 'narrow'?"),
        ({"only": "hardest"}, "'random' or 'levenshtein', not 'hardest'. It means: Only sets of these kinds"),
        ({"only": ["fsn-syn", "hardest"]}, "Did you mean 'hard'?"),
        ({"splitdistance": 3}, "Did you mean 'split_distance'?"),
    ],
)
def test_what_makes_no_sense_gets_a_sentence(options, sentence):
    assert sentence in refused(**options)


def test_one_word_may_stand_alone_and_words_stay_as_given():
    assert BuildOptions.of(only="fsn-syn hard", scope="related").changed() == {
        "only": ["fsn-syn hard"],
        "scope": ["related"],
    }


def test_the_keywords_of_build():
    shown = set(inspect.signature(tg.build).parameters)
    assert shown == {
        *("source", "out", "across", "force", "licence", "source_format", "client", "shared"),
        *(*FIELDS, *MappingOptions.model_fields, *ReadingOptions.model_fields),
    }
    assert FIELDS["max_pairs"].description in tg.build.__doc__
    assert ReadingOptions.model_fields["release"].description in tg.build.__doc__


def test_options_for_reading_are_refused_with_a_terminology_that_is_read(tmp_path):
    (tmp_path / "t.tsv").write_text("concept\tterm\nA\theart attack\nA\tmyocardial infarction\n")
    read = tg.read_terminology(tmp_path / "t.tsv")
    for options in ({"release": "20190131"}, {"source_format": "table"}):
        with pytest.raises(TermgaugeError, match="has no effect on a terminology that is read already"):
            tg.build(read, tmp_path / "out", **options)
    with pytest.raises(TermgaugeError, match="'release' is for the format rf2, but the source is table"):
        tg.build(tmp_path / "t.tsv", tmp_path / "out", release="20190131")
    assert not (tmp_path / "out").exists()
