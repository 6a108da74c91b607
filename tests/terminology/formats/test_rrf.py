"""RRF against a plain re-reading of a real sample, and one thing each."""

from __future__ import annotations

import shutil

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.terminology import read_terminology
from tests.samples import RRF, write_rrf, zipped

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
COLUMNS = "CUI,LAT,TS,LUI,STT,SUI,ISPREF,AUI,SAUI,SCUI,SDUI,SAB,TTY,CODE,STR,SRL,SUPPRESS,CVF"
"""Of MRCONSO."""


@pytest.fixture
def meta(tmp_path):
    return write_rrf(tmp_path / "made")


@pytest.fixture
def real(shared, meta):
    """Return a real META folder where there is one, else the one made here."""
    return shared / "data" / "rrf" / "sample-air" if shared else meta


def plain(folder, name):
    path = next(iter(folder.rglob(name)), None)
    return [line.split("|") for line in path.read_text(encoding="utf-8").splitlines()] if path else []


def assert_equals_plain_reading(found, folder):
    atoms, relations = plain(folder, "MRCONSO.RRF"), plain(folder, "MRREL.RRF")
    names = {old: name for old, name, _ in plain(folder, "DELETEDCUI.RRF")}
    retired = [row[0] for row in plain(folder, "MRCUI.RRF") if row[5] and row[0] in names]
    assert found.concepts["concept"].to_list() == [*dict.fromkeys(row[0] for row in atoms), *retired]
    active = {row[0] for row in atoms if row[16] == "N"}
    assert found.concepts["active"].to_list() == [concept in active for concept in found.concepts["concept"]]
    assert found.terms.select("concept", "text", "active").rows() == [
        *((row[0], row[14], row[16] == "N") for row in atoms),
        *((old, names[old], True) for old in retired),
    ]
    assert found.relations.rows() == [
        (row[4], row[7] or row[3], row[0]) for row in relations if row[14] == "N" and row[0] and row[4]
    ]
    tags = {}
    for row in plain(folder, "MRSTY.RRF"):
        tags.setdefault(row[0], set()).add(row[3])
    assert found.concepts["tag"].to_list() == [
        "; ".join(sorted(tags[concept])) if concept in tags else None for concept in found.concepts["concept"]
    ]
    of_language = {(row[0], row[1]) for row in atoms}
    assert found.summary()["kinds"]["fsn"] == len(of_language) + len(retired)


def test_real_folder_equals_plain_reading(real):
    assert_equals_plain_reading(read_terminology(real), real)


def test_real_zip_equals_plain_reading(real, tmp_path):
    found = read_terminology(zipped(real, tmp_path / "meta.zip"))
    assert_equals_plain_reading(found, real)
    assert found.identity == read_terminology(real).identity


def test_made_folder_equals_plain_reading(meta):
    assert_equals_plain_reading(read_terminology(meta), meta)


def test_real_name_is_the_atom_with_the_best_flags(real, tmp_path):
    """Without MRRANK: TS=P before STT=PF before ISPREF=Y, the first of equals."""
    real = shutil.copytree(real, tmp_path / "copy", ignore=shutil.ignore_patterns("MRRANK.RRF"))
    best = {}
    for row in plain(real, "MRCONSO.RRF"):
        order = (row[16] != "N", row[2] != "P", row[4] != "PF", row[6] != "Y")
        key = row[0], row[1]
        if key not in best or order < best[key][0]:
            best[key] = order, row[14]
    found = read_terminology(real)
    retired = found.concepts.height - len({concept for concept, _ in best})
    names = found.terms.filter(kind="fsn")["text"].to_list()
    assert sorted(names[: len(names) - retired]) == sorted(name for _, name in best.values())


def test_names_are_ranked_by_mrrank(meta):
    found = read_terminology(meta)
    assert found.concepts["name"].to_list() == ["Heart attack", "Heart", "Muscle", "Cardiac infarct"]
    path = next(meta.rglob("MRRANK.RRF"))
    path.write_text(path.read_text().replace("0399", "0500"))
    assert read_terminology(meta).concepts["name"][0] == "Infarct, heart"
    path.write_text(path.read_text().replace("0300", "0900"))
    assert read_terminology(meta).concepts["name"][0] == "Infarct, heart"  # a suppressed atom is never the name
    ranks = read_terminology(meta).terms.sort("rank")
    assert ranks.filter(concept="C0000001", language="en", active=True)["text"].to_list() == [
        "Infarct, heart",
        "Heart attack",
    ]


def test_filters(meta):
    assert read_terminology(meta, language="es").terms["text"].to_list()[:1] == ["Infarto"]
    assert read_terminology(meta, language="SPA").terms["text"].to_list()[:1] == ["Infarto"]
    found = read_terminology(meta, vocabularies=["SNOMEDCT_US"])
    assert found.terms["text"].to_list()[:1] == ["Infarct, heart"]
    assert found.relations.rows() == [("C0000002", "RB", "C0000003")]
    assert "attack of the heart" in read_terminology(meta).terms["text"].to_list()
    assert "attack of the heart" not in read_terminology(meta, suppressed=False).terms["text"].to_list()
    assert read_terminology(meta).terms.filter(text="attack of the heart")["active"].to_list() == [False]


def test_order_of_vocabularies_does_not_matter(meta):
    one = read_terminology(meta, vocabularies=["MSH", "SCTSPA"])
    assert one.identity == read_terminology(meta, vocabularies=["SCTSPA", "MSH"]).identity


def test_nothing_left_says_what_there_is(meta):
    with pytest.raises(TermgaugeError, match=r"META/MRCONSO.RRF: no atom is left of de; its languages are ENG, SPA"):
        read_terminology(meta, language="de")
    with pytest.raises(TermgaugeError, match="Did you mean 'SNOMEDCT_US'"):
        read_terminology(meta, vocabularies=["SNOMEDCT"])


def test_relations_read_from_second_to_first(meta):
    found = read_terminology(meta)
    assert ("C0000001", "finding_site_of", "C0000002") in found.relations.rows()
    assert sorted(found.descendants("C0000003")) == ["C0000002", "C0000003"]


def test_replacements(meta):
    found = read_terminology(meta)
    assert found.replacements.rows() == [
        ("C0000009", "C0000001", "replaced-by"),
        ("C0000008", "C0000002", "possibly-equivalent-to"),
    ]
    assert found.concepts.filter(concept="C0000009").select("name", "active").rows() == [("Cardiac infarct", False)]


def test_semantic_types_are_tags(meta):
    found = read_terminology(meta)
    assert found.tagged("Anatomical Structure").to_list() == ["C0000002"]
    assert found.tagged("Body Part, Organ, or Organ Component").to_list() == ["C0000002"]


def test_version(meta):
    assert read_terminology(meta).identity.slug == "umls-2020ab"
    next(meta.rglob("release.dat")).unlink()
    assert read_terminology(meta).identity.version == ""
    (meta / "META" / "MRSAB.RRF").write_text("C1|C2|A|A|x|A|1|||2011AB|\nC1|C2|A|A|x|A|1|||2009AA|\n")
    assert read_terminology(meta).identity.version == "2011AB"


def test_columns_as_the_release_documents_them(meta):
    """A subset whose MRCONSO has other columns in another order says so in MRFILES."""
    columns = "STR,CUI,LAT,TS,STT,ISPREF,SAB,TTY,SUPPRESS"
    documented = COLUMNS.split(",")
    before = read_terminology(meta)
    places = [documented.index(name) for name in columns.split(",")]
    path = next(meta.rglob("MRCONSO.RRF"))
    rows = [line.split("|") for line in path.read_text().splitlines()]
    path.write_text("".join("|".join(row[place] for place in places) + "|\n" for row in rows))
    (path.parent / "MRFILES.RRF").write_text(f"MRCONSO.RRF|Names|{columns}|9|6|0|\n")
    after = read_terminology(meta)
    assert after.terms.equals(before.terms)
    assert after.concepts.equals(before.concepts)
    (path.parent / "MRFILES.RRF").write_text("MRCONSO.RRF|Names|STR,CUI|9|6|0|\n")
    with pytest.raises(TermgaugeError, match="has no columns LAT, TS"):
        read_terminology(meta)


def test_columns_left_out_according_to_mrcols(meta):
    before = read_terminology(meta)
    path = next(meta.rglob("MRCONSO.RRF"))
    rows = [line.split("|") for line in path.read_text().splitlines()]
    path.write_text("".join("|".join([*row[:9], *row[11:]]) + "\n" for row in rows))  # no SCUI, no SDUI
    names = [name for name in COLUMNS.split(",") if name not in ("SCUI", "SDUI")]
    text = "".join(f"{name}|x||0|0|0|MRCONSO.RRF|char(1)|\n" for name in reversed(names))
    (path.parent / "MRCOLS.RRF").write_text(text)
    assert read_terminology(meta).terms.equals(before.terms)


def test_several_releases(meta):
    other = meta / "other"
    other.mkdir()
    (other / "MRCONSO.RRF").write_text(RRF["MRCONSO.RRF"])
    with pytest.raises(TermgaugeError, match="holds several releases"):
        read_terminology(meta)


def test_missing_mrconso(tmp_path):
    (tmp_path / "MRREL.RRF").write_text(RRF["MRREL.RRF"])
    with pytest.raises(TermgaugeError, match=r"no MRCONSO.RRF found"):
        read_terminology(tmp_path, format="rrf")


@pytest.mark.parametrize("name", ["MRCONSO.RRF", "MRREL.RRF", "MRSTY.RRF", "MRRANK.RRF", "MRCUI.RRF", "DELETEDCUI.RRF"])
def test_short_row_is_named(meta, name):
    path = next(meta.rglob(name))
    lines = path.read_text().splitlines()
    lines[1] = lines[1].rsplit("|", 2)[0] + "|"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(TermgaugeError, match=rf"{name}, line 2: has \d+ columns separated by '\|' where"):
        read_terminology(meta)


def test_missing_files_are_noted(meta):
    for name in ("MRREL.RRF", "MRSTY.RRF", "MRCUI.RRF", "MRRANK.RRF"):
        next(meta.rglob(name)).unlink()
    found = read_terminology(meta)
    assert len(found.notes) == 4
    assert found.relations.is_empty()
    assert found.replacements.is_empty()


def test_lower_case_names(meta):
    for path in list(meta.rglob("*.RRF")):
        path.rename(path.with_name(path.name.lower()))
    assert read_terminology(meta).concepts.height == 4
