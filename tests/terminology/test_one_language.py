"""A terminology in one of its languages."""

from __future__ import annotations

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.terminology import read_terminology
from termgauge.terminology.model import in_language
from tests.samples import WRITERS
from tests.terminology.bilingual import CONCEPTS, write_both

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")


def names(terminology):
    return dict(terminology.concepts.select("concept", "name").iter_rows())


def preferred(terminology):
    """Return the texts that are called names, by concept."""
    return dict(terminology.terms.filter(terminology.terms["kind"] == "fsn").select("concept", "text").iter_rows())


@pytest.mark.parametrize("full_names", [True, False])
def test_names_are_those_of_the_language(tmp_path, full_names):
    places = write_both(tmp_path, full_names=full_names)
    english = {concept: row[0] for concept, row in CONCEPTS.items()}
    spanish = {concept: row[2] for concept, row in CONCEPTS.items()}
    whole = read_terminology(places)
    assert set(whole.terms["language"]) == {"en", "es"}
    assert names(whole) == names(in_language(whole, "en")) == names(read_terminology(places, language="en")) == english
    for found in (in_language(whole, "es"), read_terminology(places, language="es")):
        assert names(found) == spanish
        assert set(found.terms["language"]) == {"es"}
        assert set(found.concepts["tag"]) == {"disorder"}  # tags are those of the first full name in any language
        ends = " (trastorno)" if full_names else ""
        assert preferred(found) == {concept: name + ends for concept, name in spanish.items()}


def test_english_without_names_stays_nameless(tmp_path):
    (tmp_path / "words.tsv").write_text(
        "concept\tterm\tkind\tlanguage\nA\tfever\tsynonym\ten\nA\tFieber\tsynonym\tde\n"
    )
    found = read_terminology(tmp_path / "words.tsv")
    assert preferred(in_language(found, "en")) == {}
    assert preferred(in_language(found, "de")) == {"A": "Fieber"}


def test_one_language_alone_is_returned_as_it_is(tmp_path):
    found = read_terminology(WRITERS["obo"](tmp_path))
    assert in_language(found, "en") is found


def test_a_language_that_is_not_there(tmp_path):
    found = read_terminology(write_both(tmp_path))
    with pytest.raises(TermgaugeError, match="has no terms in 'fr', only in en, es"):
        in_language(found, "fr")
    with pytest.raises(TermgaugeError, match=r"none in the language 'fr' \(there are: en, es\)"):
        read_terminology(write_both(tmp_path), language="fr")


def test_dialects_go_by_code_or_id(tmp_path):
    places = write_both(tmp_path)
    for dialect in ("es", "ES", "448879004"):
        found = read_terminology(places, dialect=dialect)
        best = found.terms.filter((found.terms["rank"] == 0) & (found.terms["language"] == "es"))
        assert dict(best.select("concept", "text").iter_rows()) == {
            concept: row[2] for concept, row in CONCEPTS.items()
        }
        assert (found.terms.filter(found.terms["language"] == "en")["rank"] > 0).all()
    with pytest.raises(TermgaugeError, match=r"no language reference set 'de'; it has: 448879004 \(es\), \d+ \(us\)"):
        read_terminology(places, dialect="de")


def test_languages_of_one_edition_in_different_kinds_of_files(tmp_path):
    english, spanish = write_both(tmp_path)
    for path in sorted(spanish.rglob("*.txt")):
        target = english / path.name.replace("SpanishExtension", "").replace("20190430", "20190131")
        path.rename(target)
    assert set(read_terminology(english).terms["language"]) == {"en", "es"}
