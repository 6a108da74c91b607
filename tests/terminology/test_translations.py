"""Tables of translations that are named after a terminology."""

from __future__ import annotations

import pytest

from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.terminology import read_terminology
from tests.samples import WRITERS, zipped

BABELON = (
    "source_language\tsource_value\tsubject_id\tpredicate_id\ttranslation_language\ttranslation_value\t"
    "translation_status\n"
    "en\theart attack\tT:2\trdfs:label\tde\tHerzinfarkt\tOFFICIAL\n"
    "en\tMI\tT:2\toboInOwl:hasExactSynonym\tde\tMyokardinfarkt\tCANDIDATE\n"
    "en\tMI\tT:2\thttp://www.geneontology.org/formats/oboInOwl#hasRelatedSynonym\tde\tInfarkt\tCANDIDATE\n"
    "en\tA heart\tT:3\tIAO:0000115\tde\tEin Organ.\tOFFICIAL\n"
    "en\theart\tT:3\trdfs:label\tde\t\tNOT_TRANSLATED\n"
    "en\tx\tT:3\trdfs:comment\tde\tnichts\tOFFICIAL\n"
    "en\theart\tT:3\trdfs:label\tde\t\tOFFICIAL\n"
)
PLAIN = "concept\ttext\tlanguage\nT:2\tinfarto\tes\nT:2\tataque al corazón\tes\nT:3\tcorazón\tes\n"


@pytest.fixture
def obo(tmp_path):
    return WRITERS["obo"](tmp_path / "made")


def write(folder, text, name="toy-de.babelon.tsv"):
    (folder / name).write_text(text, "utf-8")
    return folder / name


def rows(terminology, language):
    own = terminology.terms.filter(terminology.terms["language"] == language)
    return own.select("concept", "text", "kind").rows()


def test_babelon(obo, tmp_path):
    found = read_terminology([obo, write(tmp_path, BABELON)])
    assert rows(found, "de") == [
        ("T:2", "Herzinfarkt", "fsn"),
        ("T:2", "Myokardinfarkt", "synonym"),
        ("T:2", "Infarkt", "related"),
        ("T:3", "Ein Organ.", "definition"),
    ]
    assert rows(found, "en") == rows(read_terminology(obo), "en")
    assert found.concepts.equals(read_terminology(obo).concepts)
    told = {each.what: (each.count, each.examples) for each in found.skipped}
    assert told["translations marked NOT_TRANSLATED"] == (1, ("toy-de.babelon.tsv, row 6: T:3",))
    assert told["translations of properties that are no terms"][0] == 1
    assert told["translations without text or language"][0] == 1


def test_plain_tables(obo, tmp_path):
    found = read_terminology([obo, write(tmp_path, BABELON), write(tmp_path, PLAIN, "toy-es.tsv")])
    assert rows(found, "es") == [
        ("T:2", "infarto", "fsn"),
        ("T:2", "ataque al corazón", "synonym"),
        ("T:3", "corazón", "fsn"),
    ]
    kinds = PLAIN.replace("language", "language\tkind").replace("\tes\n", "\tes\tsynonym\n")
    found = read_terminology([obo, write(tmp_path, kinds, "toy-es.tsv")])
    assert {kind for _concept, _text, kind in rows(found, "es")} == {"synonym"}


def test_a_language_of_a_translation(obo, tmp_path):
    found = read_terminology([obo, write(tmp_path, BABELON)], language="de")
    assert set(found.terms["language"]) == {"de"}
    assert dict(found.concepts.select("concept", "name").iter_rows())["T:2"] == "Herzinfarkt"
    english = read_terminology([obo, write(tmp_path, BABELON)], language="en")
    assert english.terms.equals(read_terminology(obo, language="en").terms)


def test_every_format_takes_translations(tmp_path):
    ids = {"rf2": "100", "rrf": "C0000001", "obo": "T:2", "table": "C1"}
    for kind, concept in ids.items():
        table = write(tmp_path, f"concept\tterm\tlanguage\n{concept}\tInfarkt\tde-CH\n", "more.tsv")
        found = read_terminology([WRITERS[kind](tmp_path / kind), table])
        assert (concept, "Infarkt", "fsn") in rows(found, "de-CH")
        assert set(read_terminology([tmp_path / kind, table], language="de").terms["language"]) >= {"de-CH"}


def test_a_translation_is_part_of_the_identity(obo, tmp_path):
    one = read_terminology([obo, write(tmp_path, BABELON)]).identity
    other = read_terminology([obo, write(tmp_path, BABELON.replace("Herzinfarkt", "Infarkt"))]).identity
    assert len({one.sha256, other.sha256, read_terminology(obo).identity.sha256}) == 3


def test_decomposed_letters_are_composed(obo, tmp_path):
    found = read_terminology([obo, write(tmp_path, PLAIN.replace("ó", "o\u0301"), "toy-es.tsv")])
    assert ("T:3", "corazón", "fsn") in rows(found, "es")
    (told,) = [each for each in found.skipped if "normal form C" in each.what]
    assert told.count == 2


def test_concepts_that_are_not_there(obo, tmp_path):
    table = write(tmp_path, PLAIN + "T:77\tnada\tes\n", "toy-es.tsv")
    with pytest.warns(TermgaugeWarning, match="1 translation is of a concept that the terminology does not have"):
        found = read_terminology([obo, table])
    assert "T:77" not in set(found.terms["concept"])
    with pytest.raises(TermgaugeError, match="no translation of a concept of this terminology"):
        read_terminology([obo, write(tmp_path, "concept\tterm\tlanguage\nX\ty\tde\n", "other.tsv")])


def test_a_table_alone_is_a_terminology(tmp_path):
    assert read_terminology(write(tmp_path, PLAIN.replace("text", "term"), "toy-es.tsv")).identity.format == "table"


def test_wrapped_tables(obo, tmp_path):
    table = write(tmp_path, BABELON)
    assert rows(read_terminology([obo, zipped(table, tmp_path / "t.zip")]), "de") == rows(
        read_terminology([obo, table]), "de"
    )
