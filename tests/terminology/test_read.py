"""Finding out what a source is, and what is said when that fails."""

from __future__ import annotations

import inspect

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.terminology import read_terminology
from termgauge.terminology.formats.registry import formats
from termgauge.terminology.options import ReadingOptions
from tests.samples import OBO, TABLE, write_obo, write_rf2, write_rrf, write_table, zipped

NAMES_OF_RELATIONS = ("relations", "relation_table")

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")


def refused(*arguments, **options):
    with pytest.raises(TermgaugeError) as caught:
        read_terminology(*arguments, **options)
    return str(caught.value)


@pytest.mark.parametrize("name", ["ontology.obo", "ontology.txt", "ontology", "ONTOLOGY.OBO"])
def test_obo_by_name_or_content(tmp_path, name):
    (tmp_path / name).write_text(OBO)
    assert read_terminology(tmp_path / name).identity.format == "obo"
    (tmp_path / name).write_text("[Term]\nid: A:1\nname: x\n")
    found = read_terminology(tmp_path / name, format="obo")
    assert found.concepts.height == 1


@pytest.mark.parametrize("name", ["words.tsv", "words.csv", "words.txt", "words.dat", "words"])
def test_table_by_its_columns(tmp_path, name):
    (tmp_path / name).write_text(TABLE)
    assert read_terminology(tmp_path / name).identity.format == "table"


def test_text_and_path_are_the_same(tmp_path, monkeypatch):
    path = write_obo(tmp_path)
    assert read_terminology(str(path)).identity == read_terminology(path).identity == read_terminology([path]).identity
    monkeypatch.chdir(tmp_path)
    assert read_terminology("toy.obo").identity == read_terminology(path).identity


def test_nothing_named():
    assert "No terminology was named" in refused([])


def test_missing_source_says_how_far_the_path_goes(tmp_path):
    said = refused(tmp_path / "a" / "b.obo")
    assert said == f"{tmp_path / 'a' / 'b.obo'}: there is no such file or folder. (The folder {tmp_path} is there.)"


def test_empty_folder_and_empty_zip(tmp_path):
    (tmp_path / "empty").mkdir()
    assert refused(tmp_path / "empty").startswith(f"{tmp_path / 'empty'}: holds no files")
    assert "holds no files" in refused(zipped(tmp_path / "empty", tmp_path / "e.zip"))
    assert "holds no files" in refused(tmp_path / "empty", format="rf2")
    path = write_table(tmp_path / "t") / "words.tsv"
    assert "holds no files" in refused(path, relation_table=tmp_path / "empty")


def test_unknown_format():
    assert "Did you mean 'table'?" in refused(".", format="tables")
    *known, last = map(repr, formats())
    assert f"must be {', '.join(known)} or {last}, not 'docx'" in refused(".", format="docx")


@pytest.mark.parametrize("data", [b"", b"hello\n", b"\0\1\2", b"%PDF-1.4", b"PAR1xxxx"])
def test_a_file_of_the_wrong_kind(tmp_path, data):
    (tmp_path / "file.bin").write_bytes(data)
    said = refused(tmp_path / "file.bin")
    assert said.startswith(str(tmp_path / "file.bin"))
    assert "is no terminology that termgauge knows" in said


def test_several_ontologies(tmp_path):
    write_obo(tmp_path)
    (tmp_path / "other.obo").write_text(OBO)
    assert "several terminologies (other.obo, toy.obo); name one" in refused(tmp_path)
    assert "several terminologies" in refused([tmp_path / "toy.obo", tmp_path / "other.obo"])


def test_several_tables(tmp_path):
    write_table(tmp_path)
    (tmp_path / "more.tsv").write_text(TABLE)
    assert "found more.tsv, words.tsv; name one file" in refused(tmp_path)


def test_mixed_formats_are_asked_about(tmp_path):
    write_rf2(tmp_path)
    write_obo(tmp_path)
    said = refused(tmp_path)
    assert "formats rf2 and obo" in said
    assert "--source-format rf2" in said
    assert read_terminology(tmp_path, format="obo").identity.edition == "toy"
    assert read_terminology(tmp_path, format="rf2").identity.edition == "INT"


def test_other_files_beside_do_not_matter(tmp_path):
    write_rrf(tmp_path)
    before = read_terminology(tmp_path).identity
    (tmp_path / "readme.txt").write_text("concept\tterm\n")
    (tmp_path / ".DS_Store").write_bytes(b"\0")
    assert read_terminology(tmp_path).identity == before


def test_two_relations_tables(tmp_path):
    write_table(tmp_path / "a")
    (tmp_path / "many").mkdir()
    for name in ("one.tsv", "two.tsv"):
        (tmp_path / "many" / name).write_text("source\ttarget\n")
    assert "holds 2 files" in refused(tmp_path / "a" / "words.tsv", relation_table=tmp_path / "many")


def test_file_name_that_is_no_text(tmp_path):
    path = tmp_path / "caf\udce9.obo"
    path.write_text("[Term]\nid: A:1\nname: x\n")
    assert read_terminology(path).concepts.height == 1
    assert read_terminology(path).concepts.height == 1


@pytest.mark.parametrize("read_before", [False, True])
def test_misspelt_options_never_vanish(tmp_path, read_before):
    source = write_obo(tmp_path)
    if read_before:
        source = read_terminology(source)
    said = refused(source, hop=2)
    assert said.startswith("There is no option 'hop'; there are format, language, dialect, ")
    assert refused(source, langage="en").endswith("Did you mean 'language'?")
    assert "'cache' must be true or false" in refused(source, cache="no")


def test_a_terminology_that_is_read_is_returned_as_it_is(tmp_path):
    read = read_terminology(write_obo(tmp_path))
    assert read_terminology(read) is read
    assert read_terminology(read, cache=False, vocabularies=(), language=None) is read
    for options in ({"language": "en"}, {"format": "obo"}, {"relations": "links.tsv"}):
        assert "has no effect on a terminology that is read already" in refused(read, **options)


def test_the_former_name_of_the_table_of_relations(tmp_path):
    folder = write_table(tmp_path)
    one, other = (read_terminology(folder / "words.tsv", **{name: folder / "links.tsv"}) for name in NAMES_OF_RELATIONS)
    assert one.relations.height == 1
    assert one.identity == other.identity


def test_the_signature_shows_the_options():
    shown = inspect.signature(read_terminology).parameters
    assert set(shown) == {"source", *ReadingOptions.model_fields}
    assert shown["suppressed"].default is True
    for field in ReadingOptions.model_fields.values():
        assert field.description in read_terminology.__doc__
