"""Tests of the file of a study: what is opened and refused, and transactions that hold whole or not at all."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from termgauge.exceptions import CannotWriteError, TermgaugeError
from termgauge.studies import database
from termgauge.studies.database import BusyError, Database
from tests.studies.small_study import similarity

FIRST_FORM = f"""
CREATE TABLE study (id TEXT NOT NULL, created TEXT NOT NULL);
CREATE TABLE raters (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    "group" INTEGER NOT NULL,
    name TEXT,
    state TEXT NOT NULL CHECK (state IN ('active', 'paused', 'left_out', 'finished', 'revoked')),
    reason TEXT,
    invited TEXT NOT NULL,
    last_seen TEXT,
    begun TEXT,
    qualified TEXT,
    attempts INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE tokens (
    hash BLOB PRIMARY KEY,
    rater INTEGER REFERENCES raters (number),
    issued TEXT NOT NULL,
    revoked TEXT
);
CREATE TABLE answers (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    rater INTEGER NOT NULL REFERENCES raters (number),
    page INTEGER NOT NULL,
    position INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    rating REAL,
    seconds REAL,
    client_id TEXT NOT NULL,
    given TEXT NOT NULL,
    source TEXT NOT NULL,
    UNIQUE (rater, client_id),
    UNIQUE (rater, page, position, revision)
);
CREATE TABLE events (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    time TEXT NOT NULL,
    rater INTEGER REFERENCES raters (number),
    what TEXT NOT NULL,
    reason TEXT
);
CREATE TRIGGER answers_stay BEFORE UPDATE ON answers BEGIN SELECT RAISE (ABORT, 'answers are never changed'); END;
CREATE TRIGGER answers_are_kept BEFORE DELETE ON answers BEGIN SELECT RAISE (ABORT, 'answers are never deleted'); END;
CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE (ABORT, 'events are never changed'); END;
CREATE TRIGGER events_are_kept BEFORE DELETE ON events BEGIN SELECT RAISE (ABORT, 'events are never deleted'); END;
PRAGMA application_id = {database.APPLICATION_ID};
PRAGMA user_version = 1;
PRAGMA journal_mode = WAL;
INSERT INTO study VALUES ('s1', 'then');
INSERT INTO raters ("group", name, state, invited) VALUES (1, 'Ann', 'active', 'then');
INSERT INTO tokens (hash, rater, issued) VALUES (x'00', 1, '2026-01-01T00:00:00.000Z');
INSERT INTO answers (rater, page, position, revision, rating, client_id, given, source)
VALUES (1, 1, 1, 1, 3, 'a', 'then', 'page');
INSERT INTO events (time, rater, what) VALUES ('then', 1, 'invited');
"""
"""A database as studies had it that were begun with termgauge 0.1.0."""
COUNT = "SELECT count(*) FROM events"


@pytest.fixture
def made(tmp_path):
    with closing(Database.create(tmp_path / "study.sqlite", "s1")) as opened:
        yield opened


def add(opened: Database, what: str) -> None:
    opened.run("INSERT INTO events (time, what) VALUES ('now', ?)", what)


def fill(opened: Database, answers: int) -> None:
    with opened.transaction():
        opened.run("INSERT INTO raters (\"group\", state, invited) VALUES (1, 'active', 'now')")
        for at in range(answers):
            opened.run(
                "INSERT INTO answers (rater, page, position, revision, rating, client_id, given, source) "
                "VALUES (1, 1, ?, 1, 3, ?, 'now', 'page')", at, f"client {at}",
            )  # fmt: skip


def until_full(opened: Database) -> tuple[int, CannotWriteError]:
    """Add rows, twenty at once, until the disk is full; return how many were stored, and what was said then."""
    stored = 0
    while True:
        try:
            with opened.transaction():
                for _ in range(20):
                    add(opened, "x" * 200)
        except CannotWriteError as error:
            return stored, error
        stored += 20


def test_every_commit_reaches_the_disk(made):
    assert made.value("PRAGMA journal_mode") == "wal"
    assert made.value("PRAGMA synchronous") == 2
    assert made.value("PRAGMA foreign_keys") == 1


def test_what_was_made_is_opened_again_and_leaves_one_file(tmp_path):
    place = tmp_path / "study.sqlite"
    Database.create(place, "s1").close()
    with closing(Database.open(place)) as again:
        assert again.value("SELECT id FROM study") == "s1"
    assert [file.name for file in tmp_path.iterdir()] == ["study.sqlite"]


def test_a_new_study_does_not_overwrite(made):
    with pytest.raises(TermgaugeError, match="there already"):
        Database.create(made.path, "s2")
    assert made.value("SELECT id FROM study") == "s1"


def test_no_file_and_no_database_are_refused_in_a_sentence(tmp_path):
    with pytest.raises(TermgaugeError, match="no such file"):
        Database.open(tmp_path / "gone.sqlite")
    assert not (tmp_path / "gone.sqlite").exists()
    for name, content in {"empty": b"", "text": b"word1\tword2\n" * 500, "short": b"SQLite format 3\x00"}.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(TermgaugeError, match="database of a study"):
            Database.open(tmp_path / name)
        assert (tmp_path / name).read_bytes() == content


def test_the_database_of_another_program_is_refused_and_stays_as_it_is(tmp_path):
    place = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(place)) as other:
        other.execute("CREATE TABLE t (x)")
    before = place.read_bytes()
    with pytest.raises(TermgaugeError, match="something else"):
        Database.open(place)
    assert place.read_bytes() == before


def test_the_first_form_is_opened_and_loses_nothing(tmp_path):
    place = tmp_path / "study.sqlite"
    with closing(sqlite3.connect(place)) as former:
        former.executescript(FIRST_FORM)
        tables = ("study", "raters", "answers", "events")
        before = [former.execute(f"SELECT * FROM {table}").fetchall() for table in tables]
    with closing(Database.open(place)) as first, closing(Database.open(place)) as second:
        assert [first.rows(f"SELECT * FROM {table}") for table in tables] == before
        assert first.value("PRAGMA user_version") == database.SCHEMA_VERSION
        assert second.rows("SELECT rater, issued, expires FROM tokens") == [(1, "2026-01-01T00:00:00.000Z", None)]
        new = Database.create(tmp_path / "new.sqlite", "s2")
        names = "SELECT type, name FROM sqlite_schema ORDER BY name"
        assert first.rows(names) == new.rows(names)
        new.close()


def modes(folder):
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


@pytest.mark.skipif(os.name == "nt", reason="modes of Unix")
def test_only_the_owner_may_read_the_files(tmp_path):
    private = {f"study.sqlite{end}": 0o600 for end in ("", "-wal", "-shm")}
    before = os.umask(0)
    try:
        with closing(Database.create(tmp_path / "study.sqlite", "s1")) as opened:
            add(opened, "x")
            assert modes(tmp_path) == private
            for name in private:
                (tmp_path / name).chmod(0o666)
            with closing(Database.open(tmp_path / "study.sqlite")):
                assert modes(tmp_path) == private
    finally:
        os.umask(before)


def test_a_newer_form_is_refused(made):
    made.run(f"PRAGMA user_version = {database.SCHEMA_VERSION + 1}")
    with pytest.raises(TermgaugeError, match=r"newer termgauge.*update"):
        Database.open(made.path)


@settings(max_examples=20)
@given(share=st.floats(0.01, 0.99))
def test_a_cut_file_is_refused_in_a_sentence(tmp_path_factory, share):
    place = tmp_path_factory.mktemp("cut") / "study.sqlite"
    with closing(Database.create(place, "s1")) as opened:
        fill(opened, 600)
    content = place.read_bytes()
    place.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(TermgaugeError, match="damaged or cut") as refused:
        Database.open(place)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "change",
    [
        "DROP TABLE events",
        "DROP TABLE tokens; CREATE TABLE tokens (hash TEXT)",
        "ALTER TABLE answers DROP COLUMN seconds",
        "ALTER TABLE answers ADD COLUMN more TEXT",
        "CREATE TABLE more (x)",
        "CREATE VIEW more AS SELECT 1",
        "DROP TRIGGER answers_stay",
        "CREATE TRIGGER more AFTER INSERT ON events BEGIN DELETE FROM tokens; END",
        "UPDATE raters SET attempts = 'many'",
        "UPDATE raters SET name = x'00ff'",
        "UPDATE raters SET name = CAST(x'c328' AS TEXT)",
        "INSERT INTO answers VALUES (9, 1, 1, 1, 1, 'high', 1.5, 'c', 'now', 'page')",
        "UPDATE tokens SET hash = 'text'",
    ],
)
def test_tables_that_were_altered_are_refused_in_a_sentence(tmp_path, run, change):
    study = similarity(tmp_path, n=6)
    with study.store() as store:
        store.invite(1, "Ann")
    assert run("study", "status", study.folder)[0] == 0
    with closing(sqlite3.connect(study.folder / "study.sqlite")) as altered:
        altered.executescript(change)
    status, _out, err = run("study", "status", study.folder)
    assert status == 2
    assert "is no database of a study, or a damaged or cut one" in err
    assert "Traceback" not in err


def test_a_transaction_holds_whole_or_not_at_all(made):
    def broken(what):
        with made.transaction():
            add(made, what)
            raise ZeroDivisionError

    with made.transaction():
        add(made, "one")
        with pytest.raises(ZeroDivisionError):
            broken("two")
        add(made, "three")
    with pytest.raises(ZeroDivisionError):
        broken("four")
    assert [row[0] for row in made.rows("SELECT what FROM events ORDER BY number")] == ["one", "three"]


def test_threads_do_not_mix_their_transactions(made):
    def work(name: str) -> None:
        for _ in range(50):
            with made.transaction():
                add(made, name)
                add(made, name)

    threads = [threading.Thread(target=work, args=(str(at),)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    written = [row[0] for row in made.rows("SELECT what FROM events ORDER BY number")]
    assert len(written) == 400
    assert written[::2] == written[1::2]


def test_answers_and_events_can_neither_be_changed_nor_deleted(made):
    fill(made, 1)
    add(made, "invited")
    for statement in (
        "UPDATE answers SET rating = 0", "DELETE FROM answers", "UPDATE events SET what = 'x'", "DELETE FROM events",
    ):  # fmt: skip
        with pytest.raises(sqlite3.IntegrityError, match="never"):
            made.run(statement)
    made.run("INSERT INTO raters (\"group\", state, invited) VALUES (1, 'active', 'now')")
    made.run("INSERT INTO events (time, rater, what) VALUES ('now', 2, 'erased')")
    with pytest.raises(sqlite3.IntegrityError, match="never"):
        made.run("DELETE FROM answers")


def test_who_waits_too_long_for_another_process_is_told(made, monkeypatch):
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    with (
        closing(Database.open(made.path)) as other,
        made.transaction(),
        pytest.raises(BusyError, match="another program"),
        other.transaction(),
    ):
        pass
    with closing(Database.open(made.path)) as other, other.transaction():
        add(other, "later")
    assert made.value(COUNT) == 1


def test_without_room_nothing_is_half_written_and_with_room_all_goes_on(made):
    fill(made, 100)
    made.run(f"PRAGMA max_page_count = {made.value('PRAGMA page_count')}")
    stored, refused = until_full(made)
    assert "disk is full" in str(refused)
    assert not isinstance(refused, BusyError)
    assert made.value(COUNT) == stored
    made.run("PRAGMA max_page_count = 1000000")
    before = made.value(COUNT)
    with made.transaction():
        add(made, "y")
    assert made.value(COUNT) == before + 1
    with closing(Database.open(made.path)) as again:
        assert again.value(COUNT) == before + 1


def test_a_full_disk_loses_nothing_that_was_stored(small_disk):
    opened = Database.create(small_disk / "study.sqlite", "s1")
    with closing(opened):
        (small_disk / "ballast").write_bytes(b"x" * 200_000)
        stored, _refused = until_full(opened)
        assert stored > 0
        assert opened.value(COUNT) == stored
        assert until_full(opened)[0] == 0
        assert opened.value(COUNT) == stored
        (small_disk / "ballast").unlink()
        with opened.transaction():
            add(opened, "y")
        assert opened.value(COUNT) == stored + 1
    with closing(Database.open(small_disk / "study.sqlite")) as again:
        assert again.value(COUNT) == stored + 1
