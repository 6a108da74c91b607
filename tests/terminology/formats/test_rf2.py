"""RF2 against a plain re-reading, and against releases that show one thing each."""

from __future__ import annotations

import random
from collections import Counter
from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.terminology import read_terminology
from tests.samples import write_rf2, zipped
from tests.terminology.rf2_factory import (
    ACCEPTABLE,
    CORE,
    DEFINITION_TYPE,
    FSN_TYPE,
    GB,
    MODEL,
    POSSIBLY,
    PREFERRED,
    REPLACED_BY,
    SAME_AS,
    STATED,
    SYNONYM_TYPE,
    US,
    Release,
)

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")

REASONS = {SAME_AS: "same-as", REPLACED_BY: "replaced-by", POSSIBLY: "possibly-equivalent-to"}
KINDS = {FSN_TYPE: "fsn", SYNONYM_TYPE: "synonym", DEFINITION_TYPE: "definition"}


# The plain re-reading: what the protocol says, row by row.


def rows_of(folder, start):
    (path,) = [path for path in folder.rglob("*.txt") if path.name.startswith(start)]
    lines = path.read_text(encoding="utf-8").split("\n")
    header = lines[0].rstrip("\r").split("\t")
    return [dict(zip(header, line.rstrip("\r").split("\t"), strict=True)) for line in lines[1:] if line]


def current_of(rows):
    """Return the current row of each id, in the order of first appearance, and the first time it was active."""
    current, since = {}, {}
    for row in rows:
        id_ = row["id"]
        if id_ not in current or row["effectiveTime"] >= current[id_]["effectiveTime"]:
            current[id_] = row
        if row["active"] == "1":
            since[id_] = min(since.get(id_, row["effectiveTime"]), row["effectiveTime"])
    return current, {id_: datetime.strptime(time, "%Y%m%d").date() for id_, time in since.items()}  # noqa: DTZ007


def plain_replacements(rows):
    own = [row for row in rows if row["moduleId"] != MODEL]
    newest = {}
    for row in own:
        key = row["referencedComponentId"], row["targetComponentId"], row["refsetId"]
        if key not in newest or row["effectiveTime"] >= newest[key]["effectiveTime"]:
            newest[key] = row
    found, taken = [], set()
    for row in own:
        ends = row["referencedComponentId"], row["targetComponentId"]
        if ends in taken:
            continue
        taken.add(ends)
        if row["refsetId"] in REASONS and newest[*ends, row["refsetId"]]["active"] == "1":
            found.append((*ends, REASONS[row["refsetId"]]))
    return found


def assert_equals_plain_reading(found, folder):
    concepts, since = current_of(rows_of(folder, "sct2_Concept_"))
    assert found.concepts.select("concept", "module", "active", "since").rows() == [
        (id_, row["moduleId"], row["active"] == "1", since.get(id_)) for id_, row in concepts.items()
    ]
    terms, since = current_of(rows_of(folder, "sct2_Description_"))
    assert found.terms.select("concept", "text", "kind", "language", "active", "since").rows() == [
        (row["conceptId"], row["term"], KINDS[row["typeId"]], row["languageCode"], row["active"] == "1", since.get(id_))
        for id_, row in terms.items()
        if row["typeId"] in KINDS
    ]
    assert found.replacements.rows() == plain_replacements(rows_of(folder, "der2_cRefset_Association"))
    relations, _ = current_of(rows_of(folder, "sct2_Relationship_"))
    assert found.relations.rows() == [
        (row["sourceId"], "is_a" if row["typeId"] == "116680003" else row["typeId"], row["destinationId"])
        for row in relations.values()
        if row["active"] == "1" and row["characteristicTypeId"] != STATED
    ]
    for concept, name, tag in found.concepts.select("concept", "name", "tag").iter_rows():
        full = [
            row["term"]
            for row in terms.values()
            if row["conceptId"] == concept and row["typeId"] == FSN_TYPE and row["active"] == "1"
        ]
        if full:
            assert full[0] == (f"{name} ({tag})" if tag is not None else name)


def random_release(seed: int, *, size: int = 40) -> Release:
    """Make a history in which everything happens that a history can hold."""
    chance = random.Random(seed)
    times = ["20170131", "20170731", "20180131", "20180731", "20190131"]
    release = Release()
    concepts = [str(1000 + n) for n in range(size)]
    for concept in concepts:
        for time in sorted(chance.sample(times, chance.randint(1, 3))):
            module = MODEL if chance.random() < 0.1 else CORE
            release.concept(concept, time, active=chance.random() < 0.7, module=module)
    for n in range(3 * size):
        concept, type_ = chance.choice(concepts), chance.choice([FSN_TYPE, SYNONYM_TYPE, SYNONYM_TYPE, DEFINITION_TYPE])
        for time in chance.sample(times, chance.randint(1, 3)):  # versions of a component need not stand in order
            text = f'Term "{n}" {chance.choice(["old", "new"])} ({chance.choice(["disorder", "finding"])})'
            release.description(concept, f"d{n}", text, time, active=chance.random() < 0.7, type_=type_)
    for n in range(2 * size):
        ends = chance.choice(concepts), chance.choice(["116680003", "363698007"]), chance.choice(concepts)
        kind = {"characteristic": STATED} if chance.random() < 0.2 else {}
        for time in chance.sample(times, chance.randint(1, 2)):
            release.relationship(*ends, time, id_=f"r{n}", active=chance.random() < 0.7, **kind)
    refsets = [SAME_AS, REPLACED_BY, POSSIBLY, "900000000000528000"]
    for n in range(3 * size):
        ends = chance.choice(concepts[:8]), chance.choice(concepts[:8])
        refset, module = chance.choice(refsets), MODEL if chance.random() < 0.1 else CORE
        for time in chance.sample(times, chance.randint(1, 2)):
            release.association(*ends, time, id_=f"a{n}", active=chance.random() < 0.6, refset=refset, module=module)
    chance.shuffle(release.rows["description"])
    return release


@pytest.fixture
def real(shared, tmp_path):
    """Return a real release folder where there is one, else one made here."""
    return shared / "reference" / "medisim" / "rf2" if shared else random_release(7, size=300).write(tmp_path / "made")


def test_real_release_equals_plain_reading(real):
    assert_equals_plain_reading(read_terminology(real), real)


def test_real_release_zipped(real, tmp_path):
    found = read_terminology(zipped(real, tmp_path / "release.zip"))
    assert_equals_plain_reading(found, real)
    assert found.identity == read_terminology(real).identity


def test_summary_of_real_release(real):
    concepts, _ = current_of(rows_of(real, "sct2_Concept_"))
    terms, _ = current_of(rows_of(real, "sct2_Description_"))
    reasons = Counter(reason for *_, reason in plain_replacements(rows_of(real, "der2_cRefset_Association")))
    summary = read_terminology(real).summary()
    assert summary["concepts"] == len(concepts)
    assert summary["active_concepts"] == sum(row["active"] == "1" for row in concepts.values())
    assert summary["terms"] == len(terms)
    assert summary["active_terms"] == sum(row["active"] == "1" for row in terms.values())
    assert summary["replacements"] == {reason: reasons[reason] for reason in REASONS.values()}
    assert summary["kinds"] == Counter(KINDS[row["typeId"]] for row in terms.values())
    assert summary["version"] == "20190131"


@given(seed=st.integers(0, 1 << 32))
def test_random_history_equals_plain_reading(tmp_path_factory, seed):
    folder = random_release(seed, size=12).write(tmp_path_factory.mktemp("release"))
    assert_equals_plain_reading(read_terminology(folder, cache=False), folder)


# One thing each.


def small(kind="Full", **identity) -> Release:
    release = Release(kind=kind, **identity)
    release.concept("1", "20180131")
    release.name("1", "11", "Heart attack (disorder)", "20180131")
    release.synonym("1", "12", "MI", "20180131")
    return release


@pytest.mark.parametrize("content", ["Relationship", "Language", "Association"])
def test_a_file_that_is_empty_is_left_out_with_a_note(tmp_path, content):
    folder = write_rf2(tmp_path / "whole")
    whole = read_terminology(folder, cache=False)
    (path,) = folder.rglob(f"*{content}*")
    path.write_bytes(b"\xef\xbb\xbf\r\n")
    found = read_terminology(folder, cache=False)
    assert f"{path.name}: is empty, so the release was read without it." in found.notes
    path.unlink()
    without = read_terminology(folder, cache=False)
    assert found.terms.equals(without.terms)
    assert found.relations.equals(without.relations)
    assert found.replacements.equals(without.replacements)
    assert found.concepts.equals(whole.concepts)


def test_names_of_columns_in_any_case(tmp_path):
    folder = write_rf2(tmp_path)
    plain = read_terminology(folder, cache=False)
    for path in folder.rglob("*.txt"):
        first, rest = path.read_text("utf-8").split("\n", 1)
        path.write_text(f"{first.upper()}\n{rest}", "utf-8")
    found = read_terminology(folder, cache=False)
    assert found.terms.equals(plain.terms)
    assert found.replacements.equals(plain.replacements)


def test_revived_retired_and_corrected_descriptions(tmp_path):
    release = small()
    release.synonym("1", "13", "revived", "20170131")
    release.synonym("1", "13", "revived", "20170731", active=False)
    release.synonym("1", "13", "revived", "20180131")
    release.synonym("1", "14", "retired", "20170731")
    release.synonym("1", "14", "retired", "20180131", active=False)
    release.synonym("1", "15", "corected", "20170731", active=False)
    release.synonym("1", "15", "corrected", "20180131")
    release.synonym("1", "16", "never", "20180131", active=False)
    terms = read_terminology(release.write(tmp_path)).terms
    history = {text: (active, since) for text, active, since in terms.select("text", "active", "since").iter_rows()}
    assert history == {
        "Heart attack (disorder)": (True, date(2018, 1, 31)),
        "MI": (True, date(2018, 1, 31)),
        "revived": (True, date(2017, 1, 31)),
        "retired": (False, date(2017, 7, 31)),
        "corrected": (True, date(2018, 1, 31)),
        "never": (False, None),
    }


def test_snapshot_has_no_history(tmp_path):
    found = read_terminology(small("Snapshot").write(tmp_path))
    assert found.terms["since"].null_count() == found.terms.height == 2
    assert found.concepts["name"].to_list() == ["Heart attack"]


def test_full_is_taken_before_snapshot_and_delta(tmp_path):
    small().write(tmp_path)
    for kind in ("Snapshot", "Delta"):
        other = small(kind)
        other.synonym("1", "99", f"only in {kind}", "20190131")
        other.write(tmp_path)
    found = read_terminology(tmp_path)
    assert found.terms["text"].to_list() == ["Heart attack (disorder)", "MI"]
    assert found.terms["since"].null_count() == 0


def test_stated_relationships_and_concrete_values_are_ignored(tmp_path):
    release = small()
    release.relationship("1", "116680003", "2", "20180131")
    release.write(tmp_path)
    there = next(tmp_path.rglob("sct2_Relationship_*"))
    for other in ("sct2_StatedRelationship_", "sct2_RelationshipConcreteValues_"):
        (there.parent / there.name.replace("sct2_Relationship_", other)).write_text("anything\n")
    assert read_terminology(tmp_path).relations.rows() == [("1", "is_a", "2")]


@pytest.mark.parametrize(
    ("prefix", "edition", "language", "summary"),
    [
        ("x", "INT", "en", ""),
        ("", "US1000124", "en", ""),
        ("", "INT", "es", "SpanishExtension"),
        ("", "GB1000000", "en-GB", "UKCL"),
        ("x", "CH1000195", "de", ""),
        ("", "11000172109", "fr", ""),
    ],
)
def test_editions_by_their_names(tmp_path, prefix, edition, language, summary):
    folder = small(edition=edition).write(tmp_path, prefix=prefix, language=language, summary=summary)
    found = read_terminology(folder)
    assert found.terms.height == 2
    assert found.identity.edition == f"{edition} {summary}".strip()
    assert found.identity.version == "20190131"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_line_ends(tmp_path, newline):
    release = small()
    release.association("1", "2", "20180131")
    found = read_terminology(release.write(tmp_path, newline=newline))
    assert found.terms["text"].to_list() == ["Heart attack (disorder)", "MI"]
    assert found.replacements.rows() == [("1", "2", "same-as")]


def test_several_languages_of_one_edition(tmp_path):
    small().write(tmp_path, language="en")
    german = Release()
    german.synonym("1", "21", "Herzinfarkt", "20180131", language="de")
    german.write(tmp_path, language="de", without=("concept", "relationship", "association"))
    assert set(read_terminology(tmp_path).summary()["languages"]) == {"de", "en"}
    assert read_terminology(tmp_path, language="de").terms["text"].to_list() == ["Herzinfarkt"]
    with pytest.raises(TermgaugeError, match=r"'xx' \(there are: de, en\)"):
        read_terminology(tmp_path, language="xx")


def test_extension_on_top_of_the_international_edition(tmp_path):
    international = small()
    international.synonym("1", "13", "stays", "20180131")
    international.write(tmp_path / "int")
    extension = Release(edition="US1000124", date="20190301")
    extension.concept("5", "20190301", module="731000124108")
    extension.name("5", "51", "Local thing (finding)", "20190301")
    extension.synonym("1", "12", "MI", "20190301", active=False)
    extension.association("1", "5", "20190301")
    extension.write(tmp_path / "us")
    both = [tmp_path / "int", tmp_path / "us"]
    found = read_terminology(both)
    assert found.concepts["concept"].to_list() == ["1", "5"]
    assert found.terms.select("text", "active").rows() == [
        ("Heart attack (disorder)", True),
        ("MI", False),
        ("stays", True),
        ("Local thing (finding)", True),
    ]
    assert found.identity.edition == "INT+US1000124"
    assert found.identity.version == "20190131+20190301"
    assert found.identity.slug == "int-us1000124-20190131-20190301"
    zips = [zipped(place, tmp_path / f"{place.name}.zip") for place in both]
    assert read_terminology(zips).identity == found.identity
    assert read_terminology(tmp_path).concepts.equals(found.concepts)  # one folder that holds both


def test_at_the_same_time_the_extension_has_the_last_word(tmp_path):
    small().write(tmp_path / "int")
    extension = Release(edition="US1000124")
    extension.synonym("1", "12", "MI (US)", "20180131")
    extension.write(tmp_path / "us", without=("concept",))
    assert "MI (US)" in read_terminology([tmp_path / "int", tmp_path / "us"]).terms["text"].to_list()


def test_dialects_rank_labels(tmp_path):
    release = small()
    release.synonym("1", "13", "Anaemia", "20180131")
    release.synonym("1", "14", "in no reference set", "20180131")
    release.prefer("12", "20180131", refset=US)
    release.prefer("12", "20180131", refset=GB, how=ACCEPTABLE)
    release.prefer("13", "20180131", refset=GB)
    release.prefer("14", "20170131", id_="m", refset=US)
    release.prefer("14", "20180131", id_="m", refset=US, active=False)
    release.description("1", "15", "A definition", "20180131", type_=DEFINITION_TYPE)
    release.write(tmp_path)

    def ranks(**options):
        return dict(read_terminology(tmp_path, **options).terms.select("text", "rank").iter_rows())

    assert ranks() == {
        "Heart attack (disorder)": 3,
        "MI": 0,
        "Anaemia": 0,
        "in no reference set": 2,
        "A definition": 4,
    }
    assert ranks(dialect="us")["Anaemia"] == 2
    assert ranks(dialect="GB")["MI"] == 1
    assert ranks(dialect=GB)["Anaemia"] == 0
    with pytest.raises(TermgaugeError, match=rf"no language reference set 'uk'; it has: {GB} \(gb\), {US} \(us\)"):
        read_terminology(tmp_path, dialect="uk")


def test_acceptability_that_changed(tmp_path):
    release = small()
    release.prefer("12", "20170131", id_="m", how=PREFERRED)
    release.prefer("12", "20180131", id_="m", how=ACCEPTABLE)
    found = read_terminology(release.write(tmp_path))
    assert found.terms["rank"].to_list() == [3, 1]


def test_name_falls_back_to_the_preferred_synonym(tmp_path):
    release = Release()
    release.concept("1", "20180131")
    release.name("1", "11", "Gone (disorder)", "20180131", active=False)
    release.synonym("1", "12", "other (thing)", "20180131")
    release.synonym("1", "13", "preferred (thing)", "20180131")
    release.prefer("13", "20180131")
    release.concept("2", "20180131")
    found = read_terminology(release.write(tmp_path)).concepts
    assert found.select("concept", "name", "tag").rows() == [("1", "preferred (thing)", None), ("2", None, None)]


def test_associations_first_row_and_newest_row(tmp_path):
    release = small()
    release.association("1", "2", "20170131", id_="a", refset=REPLACED_BY)
    release.association("1", "2", "20180131", id_="b", refset=SAME_AS)  # the first row's reason is taken
    release.association("1", "3", "20180131", id_="c", active=False)  # a newer row, first in the file
    release.association("1", "3", "20170131", id_="c")
    release.association("1", "4", "20170131", id_="d", active=False)
    release.association("1", "4", "20180131", id_="e")  # another member revives the pair
    release.association("1", "5", "20180131", module=MODEL)
    release.association("1", "6", "20170131", refset="900000000000528000")  # was a
    release.association("1", "6", "20180131", refset=SAME_AS)
    release.association("1", "7", "20170131", id_="f", refset=SAME_AS)
    release.association("1", "7", "20180131", id_="f", refset=SAME_AS, active=False)
    release.association("1", "7", "20180131", id_="g", refset=POSSIBLY)
    found = read_terminology(release.write(tmp_path)).replacements
    assert found.rows() == [("1", "2", "replaced-by"), ("1", "4", "same-as")]


# Bad input.


def test_two_dates_in_one_folder(tmp_path):
    small().write(tmp_path / "old")
    newer = small(date="20190731")
    newer.synonym("1", "13", "newer", "20190731")
    newer.write(tmp_path / "new")
    with pytest.raises(TermgaugeError, match=r"releases of 20190131 and 20190731 of edition INT.*--release 20190731"):
        read_terminology(tmp_path)
    with pytest.raises(TermgaugeError, match="there is none of 20200131"):
        read_terminology(tmp_path, release="20200131")
    assert read_terminology(tmp_path, release="20190131").terms.height == 2
    assert read_terminology(tmp_path, release="20190731").terms.height == 3


def test_a_release_that_is_not_there(tmp_path):
    small().write(tmp_path)
    with pytest.raises(TermgaugeError, match="no release of 20200131; it has 20190131"):
        read_terminology(tmp_path, release="20200131")


@pytest.mark.parametrize("content", ["concept", "description"])
def test_missing_file_names_pattern_and_place(tmp_path, content):
    small().write(tmp_path, without=(content,))
    with pytest.raises(TermgaugeError) as caught:
        read_terminology(tmp_path)
    assert str(tmp_path) in str(caught.value)
    assert f"x?sct2_{content.capitalize()}_*Full" in str(caught.value)


def test_delta_alone_is_not_enough(tmp_path):
    small("Delta").write(tmp_path)
    with pytest.raises(TermgaugeError, match="no RF2 concept file found; looked for"):
        read_terminology(tmp_path)


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        (["2", "2018013", "1", CORE, "x"], "effectiveTime '2018013'"),
        (["2", "", "1", CORE, "x"], "effectiveTime ''"),
        (["2", "20180131", "2", CORE, "x"], "active '2'"),
        (["", "20180131", "1", CORE, "x"], "id ''"),
        (["2", "20180131", "1", CORE], "has 4 columns separated by tab where 5 were expected"),
        (["2", "20180131", "1", CORE, "x", "y"], "has 6 columns"),
    ],
)
def test_bad_row_is_named(tmp_path, row, wrong):
    release = small()
    release.rows["concept"] += [[], row]  # after a blank line
    with pytest.raises(TermgaugeError) as caught:
        read_terminology(release.write(tmp_path))
    assert "sct2_Concept_Full_INT_20190131.txt, line 4: " in str(caught.value)
    assert wrong in str(caught.value)


def test_missing_column_is_named(tmp_path):
    folder = small().write(tmp_path)
    path = next(folder.rglob("sct2_Concept*"))
    path.write_text(path.read_text().replace("moduleId", "module"))
    with pytest.raises(TermgaugeError, match=r"sct2_Concept_Full_INT_20190131.txt: lacks the columns moduleId"):
        read_terminology(folder)


def test_column_order_is_that_of_the_header(tmp_path):
    folder = small().write(tmp_path)
    path = next(folder.rglob("sct2_Concept*"))
    lines = [line.split("\t")[::-1] for line in path.read_text().splitlines()]
    path.write_text("".join("\t".join(line) + "\n" for line in lines))
    assert read_terminology(folder).concepts.select("concept", "module").rows() == [("1", CORE)]


def test_former_name_of_the_target_column(tmp_path):
    release = small()
    release.association("1", "2", "20180131")
    folder = release.write(tmp_path)
    path = next(folder.rglob("der2_cRefset_Association*"))
    path.write_text(path.read_text().replace("targetComponentId", "targetComponent"))
    assert read_terminology(folder).replacements.rows() == [("1", "2", "same-as")]
