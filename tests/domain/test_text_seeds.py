from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from termgauge.domain.domain import make_domain
from termgauge.domain.seeds import _mentions_in, from_mmi, from_text, is_mmi
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.terminology import read_terminology
from tests.samples import write_rrf

MMI = """a.txt|AA|MI|myocardial infarct|1|3|7|27|211:3
a.txt|MMI|3.2|Muscle|C0000003|[tisu]|x|TX|1/2|A|
a.txt|MMI|9.1|Heart attack|C0000001|[dsyn,fndg]|x|TX|1/2|A|

b.txt|MMI|12.5|Heart|C0000002|[bpoc]|x|TX|1/2|A|
b.txt|MMI|3.2|Heart, other|C0000077|[bpoc]|x|TX|1/2|A|
b.txt|MMI|10.0|Muscle|C0000003|[tisu]|x|TX|1/2|A|
b.txt|UA|X|Y|1|3|7|27|211:3
"""
TERMS = (
    "concept\tterm\tkind\ttag\n1\tHeart attack\tfsn\tdisorder\n1\tinfarct, acute\tsynonym\t\n2\tHeart\tfsn\torgan\n"
    "3\tbeta-blocker\tfsn\tdrug\n4\tbeta\tfsn\tletter\n5\tcold\tfsn\tdisorder\n6\tCold\tfsn\tstate\n"
    "7\tattack of the heart muscle\tfsn\tdisorder\n8\tMI\tfsn\tdisorder\n9\ta sudden noise\tdefinition\t\n"
)


@pytest.fixture
def umls(tmp_path):
    return read_terminology(write_rrf(tmp_path))


@pytest.fixture
def terminology(tmp_path):
    (tmp_path / "terms.tsv").write_text(TERMS)
    return read_terminology(tmp_path / "terms.tsv")


@pytest.fixture
def mmi(tmp_path):
    (tmp_path / "found.mmi").write_text(MMI)
    return tmp_path / "found.mmi"


def seeds_in(terminology, folder, text, **options):
    (folder / "text.txt").write_text(text, encoding="utf-8")
    return from_text(terminology, folder / "text.txt", **options).seeds


def test_the_best_scored_come_first(umls, mmi):
    with pytest.warns(TermgaugeWarning) as told:
        found = from_mmi(umls, mmi)
    assert found.seeds == ("C0000002", "C0000003", "C0000001", "C0000077")
    assert found.related == ()
    assert found.names["C0000077"] == "Heart, other"
    assert found.names["C0000002"] == "Heart"
    messages = [str(each.message) for each in told]
    assert any("2 lines that are not MMI were passed over (AA 1, UA 1)" in each for each in messages)
    assert any("1 of its concepts, such as C0000077, is not in" in each for each in messages)


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_so_many_and_of_some_types(umls, mmi):
    assert from_mmi(umls, mmi, best=2).seeds == ("C0000002", "C0000003")
    assert from_mmi(umls, mmi, best=2, semantic_types=["fndg", "tisu"]).seeds == ("C0000003", "C0000001")
    with pytest.raises(TermgaugeError, match=r"no concept has the semantic type 'dsym'. Did you mean 'dsyn'"):
        from_mmi(umls, mmi, semantic_types=["dsym"])
    with pytest.raises(TermgaugeError, match="at least 1, not 0"):
        make_domain(umls, mmi=[mmi], best=0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a|AA|x|y", "holds no MMI lines"),
        ("a|MMI|3.2|Muscle|C0000003|[tisu]|\na|MMI|3.2|Muscle\n", "line 2: is no whole MMI line"),
        ("a|MMI|nan|Muscle|C0000003|[tisu]|", "line 1: is no whole MMI line"),
        ("a|MMI|much|Muscle|C0000003|[tisu]|", "line 1: is no whole MMI line"),
        ("\na|MMI|3.2|Muscle|tissue|C0000003|[tisu]|", "line 2: is no whole MMI line .*a CUI is"),
    ],
)
def test_bad_mmi(text, message, umls, tmp_path):
    (tmp_path / "bad.mmi").write_text(text)
    with pytest.raises(TermgaugeError, match=message):
        from_mmi(umls, tmp_path / "bad.mmi")


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_cuis_need_umls(terminology, mmi):
    with pytest.raises(TermgaugeError, match="CUIs of UMLS"):
        from_mmi(terminology, mmi)


def test_what_kind_of_text_it_is(tmp_path, mmi):
    (tmp_path / "plain.txt").write_text("A heart|attack")
    assert is_mmi(mmi)
    assert not is_mmi(tmp_path / "plain.txt")


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_metamap_says_who_it_is_first(umls, tmp_path):
    banner = "/opt/metamap16.BINARY.Linux (2016)\n\nControl options:\n  fielded_mmi_output=true\nProcessing a.txt\n"
    (tmp_path / "loud.mmi").write_text(banner + MMI)
    assert is_mmi(tmp_path / "loud.mmi")
    with pytest.warns(TermgaugeWarning, match=r"6 lines that are not MMI were passed over \(no kind 4, AA 1, UA 1\)"):
        assert len(make_domain(umls, texts=[tmp_path / "loud.mmi"])) == 4


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_mmi_with_the_line_ends_of_windows(umls, tmp_path):
    (tmp_path / "short.mmi").write_bytes(b"a|MMI|3.2|Muscle|C0000003|[tisu,bpoc]\r\na|MMI|3|Heart|C0000002|[bpoc]\r\n")
    assert from_mmi(umls, tmp_path / "short.mmi", semantic_types=["bpoc"]).seeds == ("C0000003", "C0000002")


MMI_PARTS = [
    "a",
    "MMI",
    "|",
    "3.2",
    "nan",
    "inf",
    "C0000003",
    "[tisu]",
    "\n",
    "\r\n",
    "\r",
    "é",
    "\0",
    "AA",
    "1e999",
    " ",
    "]",
]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
@given(
    st.binary(max_size=200)
    | st.lists(st.sampled_from(MMI_PARTS)).map(lambda parts: "".join(parts).encode())
    | st.integers(0, len(MMI)).map(lambda end: MMI.encode()[:end])
)
def test_whatever_the_bytes_there_is_a_domain_or_a_sentence(umls, tmp_path, content):
    place = tmp_path / "any"
    place.write_bytes(content)
    for read in (from_mmi, from_text):
        try:
            found = str(len(read(umls, place)))
        except TermgaugeError as error:
            found = str(error)
        assert found != "0"
        assert "\n" not in found


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_the_verb_tells_them_apart(umls, mmi, tmp_path):
    (tmp_path / "plain.txt").write_text("a muscle")
    assert make_domain(umls, texts=[mmi, tmp_path / "plain.txt"], best=1).seeds == ("C0000002", "C0000003")
    assert make_domain(umls, mmi=[mmi], best=1).seeds == ("C0000002",)


def test_the_longest_label_counts_and_only_whole_words(terminology, tmp_path):
    assert seeds_in(terminology, tmp_path, "A HEART\nattack, hearts and scold") == ("1",)
    assert seeds_in(terminology, tmp_path, "attack of the heart") == ("2",)
    assert seeds_in(terminology, tmp_path, "Heart attack of the heart muscle") == ("1", "2")
    assert seeds_in(terminology, tmp_path, "beta-blocker") == ("3",)
    assert seeds_in(terminology, tmp_path, "beta blocker") == ("4",)
    assert seeds_in(terminology, tmp_path, "Infarct, acute; infarct acute") == ("1",)


def test_labels_side_by_side(terminology, tmp_path):
    assert seeds_in(terminology, tmp_path, "heart heart heart beta heart") == ("2", "4")


def test_all_concepts_of_a_label_are_meant(terminology, tmp_path):
    assert seeds_in(terminology, tmp_path, "beta, a cold") == ("4", "5", "6")
    assert seeds_in(terminology, tmp_path, "heart, a cold", semantic_types=["disorder"]) == ("5",)
    assert seeds_in(terminology, tmp_path, "beta cold cold", best=1) == ("5",)


def test_short_labels_are_not_sought(terminology, tmp_path, monkeypatch):
    assert seeds_in(terminology, tmp_path, "an mi of the heart") == ("2",)
    monkeypatch.setattr("termgauge.domain.seeds.SHORTEST_LABEL", 2)
    assert seeds_in(terminology, tmp_path, "an mi of the heart") == ("8", "2")


def test_accents_however_typed(tmp_path):
    (tmp_path / "terms.tsv").write_text(
        "concept\tterm\n1\tMe\u0301nie\u0300re disease\n2\tÉtat fébrile\n3\t½ dose\n", encoding="utf-8"
    )
    terminology = read_terminology(tmp_path / "terms.tsv")
    assert seeds_in(terminology, tmp_path, "a MÉNIÈRE disease, e\u0301tat fe\u0301brile, ½ dose") == ("1", "2", "3")


def test_a_text_without_concepts(terminology, tmp_path):
    for text in ("", "nothing here", "a sudden noise"):
        with pytest.raises(TermgaugeError, match="mentions no concept"):
            seeds_in(terminology, tmp_path, text)
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(TermgaugeError, match="not UTF-8"):
        from_text(terminology, tmp_path / "bytes.txt")


WORDS = st.sampled_from(["a", "b", "c", "d"])


@given(st.lists(WORDS, max_size=12), st.sets(st.lists(WORDS, min_size=1, max_size=4).map(" ".join), max_size=8))
def test_mentions_are_those_of_a_regular_expression(words, labels):
    longest_first = sorted(labels, key=lambda label: -len(label.split()))
    pattern = "|".join(rf"(?<!\S){re.escape(label)}(?!\S)" for label in longest_first) or r"(?!)"
    expected = re.findall(pattern, " ".join(words))
    assert [owners[0] for owners in _mentions_in(words, {label: [label] for label in labels})] == expected


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_copd(shared):
    if shared is None:
        pytest.skip("needs MetaMap's output for a review of COPD")
    terminology = read_terminology(shared / "data" / "rrf" / "sample-air")
    with pytest.warns(TermgaugeWarning, match=r"16 lines that are not MMI were passed over \(AA 16\)"):
        found = from_mmi(terminology, shared / "data" / "mmi" / "copd.mmi", best=500)
    assert found.seeds[:2] == ("C0030705", "C0024117")
    assert found.name("C0024117") == "Chronic Obstructive Airway Disease"
    assert len(found) == 500
