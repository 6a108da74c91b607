"""Tests of the store: links, states, answers and their repeats, against a plain model of what it should know."""

from __future__ import annotations

import multiprocessing
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, precondition, rule

from termgauge.exceptions import CannotWriteError, TermgaugeError
from termgauge.studies.store import STATES, AnswerRefusedError, NotActiveError, Store
from tests.studies.small_study import let_in

RATINGS = st.sampled_from([None, 0.0, 1.0, 6.0])


@pytest.fixture
def store(tmp_path):
    with Store.create(tmp_path / "study.sqlite", "s1") as made:
        yield made


def say(store, rating, *, rater="r1", page=1, position=1, client_id=None, revision=0, **more):
    name = client_id or f"{page}-{position}-{rating}-{revision}"
    return store.answer(rater, page, position, rating, seconds=2.5, client_id=name, revision=revision, **more)


class Against(RuleBasedStateMachine):
    """The store beside dictionaries; it is closed and opened again at any time."""

    tokens = Bundle("tokens")
    sent = Bundle("sent")

    @initialize()
    def begin(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "study.sqlite"
        self.store = Store.create(self.path, "s1")
        self.states: dict[str, list[str]] = {}
        self.owners: dict[str, str] = {}
        self.answers: dict[tuple[str, int, int], list[tuple[float | None, str]]] = {}
        self.client_ids: dict[tuple[str, str], tuple[int, int, float | None, int]] = {}
        self.admin: str | None = None

    def teardown(self):
        if hasattr(self, "store"):
            self.store.close()
            self.folder.cleanup()

    @rule(target=tokens, group=st.integers(1, 3), name=st.one_of(st.none(), st.text(max_size=20)))
    def invite(self, group, name):
        rater, token = self.store.invite(group, name)
        assert rater.id not in self.states
        assert (rater.group, rater.state) == (group, "active")
        self.states[rater.id] = ["active"]
        self.owners[token] = rater.id
        return token

    @rule(target=tokens, former=consumes(tokens))
    def reissue(self, former):
        rater = self.owners.get(former)
        if rater is None:
            return former
        token = self.store.reissue(rater)
        del self.owners[former]
        if self.states[rater][-1] == "revoked":
            before = [state for state in self.states[rater] if state != "revoked"]
            self.states[rater].append(before[-1])
        self.owners[token] = rater
        return token

    @rule()
    def new_admin(self):
        former, self.admin = self.admin, self.store.new_admin_token()
        assert former is None or let_in(self.store, former) is None

    @precondition(lambda self: self.states)
    @rule(data=st.data(), state=st.sampled_from(STATES), reason=st.sampled_from([None, "", "slow", "a  b"]))
    def set_state(self, data, state, reason):
        rater = data.draw(st.sampled_from(sorted(self.states)))
        if state in ("paused", "left_out") and not reason:
            with pytest.raises(TermgaugeError, match="Say why"):
                self.store.set_state(rater, state, reason)
            return
        self.store.set_state(rater, state, reason)
        if self.states[rater][-1] != state:
            self.states[rater].append(state)
            if state == "revoked":
                self.owners = {token: each for token, each in self.owners.items() if each != rater}

    @precondition(lambda self: self.states)
    @rule(
        target=sent, data=st.data(), position=st.integers(1, 2), rating=RATINGS, client_id=st.sampled_from("abcdefgh"),
        seen=st.integers(0, 2),
    )  # fmt: skip
    def answer(self, data, position, rating, client_id, seen):
        rater = data.draw(st.sampled_from(sorted(self.states)))
        message = rater, position, rating, client_id, seen
        self.send(message)
        return message

    @rule(message=sent)
    def answer_again(self, message):
        self.send(message)

    def send(self, message):
        rater, position, rating, client_id, seen = message
        given = self.answers.setdefault((rater, 1, position), [])
        former = self.client_ids.get((rater, client_id))
        options = {"seconds": 1.0, "client_id": client_id, "revision": seen}
        if former is not None and former[:3] == (1, position, rating):
            assert self.store.answer(rater, 1, position, rating, **options).revision == former[3]
        elif former is not None:
            with pytest.raises(AnswerRefusedError):
                self.store.answer(rater, 1, position, rating, **options)
        elif self.states[rater][-1] != "active":
            with pytest.raises(NotActiveError):
                self.store.answer(rater, 1, position, rating, **options)
        elif given and given[-1][0] == rating:
            assert self.store.answer(rater, 1, position, rating, **options).revision == len(given)
        elif given and seen != len(given):
            with pytest.raises(AnswerRefusedError) as refused:
                self.store.answer(rater, 1, position, rating, **options)
            assert (refused.value.current.rating, refused.value.current.revision) == (given[-1][0], len(given))
        else:
            assert self.store.answer(rater, 1, position, rating, **options).revision == len(given) + 1
            given.append((rating, client_id))
            self.client_ids[rater, client_id] = (1, position, rating, len(given))

    @rule()
    def open_again(self):
        self.store.close()
        self.store = Store.open(self.path)

    @invariant()
    def knows_the_same(self):
        if not hasattr(self, "store"):
            return
        assert [rater.id for rater in self.store.raters()] == [f"r{at + 1}" for at in range(len(self.states))]
        assert {rater.id: rater.state for rater in self.store.raters()} == {
            rater: states[-1] for rater, states in self.states.items()
        }
        for token, rater in self.owners.items():
            assert let_in(self.store, token) == rater
        assert self.admin is None or let_in(self.store, self.admin) == "admin"
        current = {(each.rater, each.page, each.position): each.rating for each in self.store.answers()}
        assert current == {place: given[-1][0] for place, given in self.answers.items() if given}
        assert len(self.store.all_answers()) == sum(map(len, self.answers.values()))
        changes = [(event.rater, event.what) for event in self.store.history() if event.what in STATES]
        assert sorted(changes) == sorted(
            (rater, state) for rater, states in self.states.items() for state in states[1:]
        )


TestAgainstAPlainModel = Against.TestCase
TestAgainstAPlainModel.settings = settings(max_examples=25, stateful_step_count=30)


def test_links_are_unguessable_and_only_their_hashes_are_kept(store):
    tokens = [store.invite(1, None)[1] for _ in range(20)] + [store.new_admin_token()]
    assert len(set(tokens)) == 21
    assert all(len(token) >= 43 for token in tokens)
    store.close()
    content = store.path.read_bytes()
    assert not any(token.encode() in content for token in tokens)


@given(guess=st.text(max_size=60))
def test_a_guess_is_nobodys_link(store, guess):
    rater, token = store.invite(1, None)
    admin = store.new_admin_token()
    for wrong in (guess, token[:-1], token + "A", token.swapcase(), admin[:-1], "\ud800"):
        assert let_in(store, wrong) is None
    assert let_in(store, token) == rater.id


def test_a_revoked_link_works_no_more_and_a_new_one_brings_the_rater_back(store):
    _rater, token = store.invite(1, "Ann")
    store.set_state("r1", "revoked", "link was posted")
    assert let_in(store, token) is None
    again = store.reissue("r1")
    assert let_in(store, token) is None
    assert let_in(store, again) == "r1"
    assert store.rater("r1").state == "active"
    assert [(event.what, event.reason) for event in store.history()] == [
        ("invited", None), ("revoked", "link was posted"), ("reissued", None), ("active", None),
    ]  # fmt: skip


@pytest.mark.parametrize("before", ["active", "paused", "finished"])
def test_who_is_taken_back_is_what_they_were(store, before):
    store.invite(1, None)
    store.set_state("r1", before, "so")
    store.set_state("r1", "left_out", "same answer throughout")
    assert (store.rater("r1").state, store.rater("r1").reason) == ("left_out", "same answer throughout")
    store.take_back("r1")
    assert store.rater("r1").state == before
    store.take_back("r1")
    assert store.rater("r1").state == before


def test_the_qualification_leads_back_to_the_instructions(store):
    store.invite(1, None)
    store.begin("r1")
    store.qualify("r1", passed=False)
    missed = store.rater("r1")
    assert (missed.begun, missed.qualified, missed.attempts) == (None, None, 1)
    store.begin("r1")
    store.qualify("r1", passed=True)
    assert store.rater("r1").begun is not None
    assert store.rater("r1").qualified is not None


def test_names_and_reasons_are_one_line_and_not_endless(store):
    assert store.invite(1, "  Ann\n\tB.  ")[0].name == "Ann B."
    assert store.invite(1, " ")[0].name is None
    with pytest.raises(TermgaugeError, match="longer than"):
        store.invite(1, "x" * 1000)
    with pytest.raises(TermgaugeError, match="longer than"):
        store.set_state("r1", "paused", "x" * 5000)
    assert len(store.raters()) == 2


def test_an_unknown_rater_is_named(store):
    with pytest.raises(TermgaugeError, match="no rater 'r7'"):
        store.set_state("r7", "active", None)


def test_a_browser_that_sent_the_answer_before_may_change_it(store):
    store.invite(1, None)
    say(store, 3.0, client_id="a")
    with pytest.raises(AnswerRefusedError):
        say(store, 4.0, client_id="b")
    assert say(store, 4.0, client_id="b", client_ids={"a", "b"}).revision == 2


def test_two_raters_may_use_the_same_name_for_an_answer(store):
    store.invite(1, None)
    store.invite(1, None)
    say(store, 3.0, client_id="a")
    say(store, 5.0, client_id="a", rater="r2")
    assert [answer.rating for answer in store.answers()] == [3.0, 5.0]


@pytest.mark.parametrize("client_id", ["", "x" * 65])
def test_an_answer_needs_a_name(store, client_id):
    store.invite(1, None)
    with pytest.raises(AnswerRefusedError, match="characters"):
        store.answer("r1", 1, 1, 3.0, seconds=None, client_id=client_id, revision=0)


def test_imported_answers_are_all_stored_or_none(store):
    store.invite(1, None)
    say(store, 3.0)

    def rows():
        yield (1, 1, 3.0, None)
        yield (1, 2, None, 4.0)
        yield (1, 3, 6.0, None)

    def broken():
        yield (1, 4, 1.0, None)
        raise ZeroDivisionError

    assert store.import_answers("r1", rows(), "sheet.csv") == 2
    with pytest.raises(ZeroDivisionError):
        store.import_answers("r1", broken(), "sheet.csv")
    stored = [(each.position, each.rating, each.source) for each in store.answers("r1", 1)]
    assert stored == [(1, 3.0, "page"), (2, None, "sheet.csv"), (3, 6.0, "sheet.csv")]
    assert store.import_answers("r1", rows(), "sheet.csv") == 0


def test_pieces_of_work_share_a_commit_and_fail_alone(store):
    store.invite(1, None)
    done = store.together([
        lambda: say(store, 1.0, position=1), lambda: say(store, 2.0, position=1, client_id="other"),
        lambda: say(store, 3.0, position=2), lambda: 1 / 0,
    ])  # fmt: skip
    assert [type(each).__name__ for each in done] == ["Answer", "AnswerRefusedError", "Answer", "ZeroDivisionError"]
    assert [each.rating for each in store.answers()] == [1.0, 3.0]


def test_without_room_none_of_the_pieces_is_stored(store):
    store.invite(1, None)
    database = store
    database.run(f"PRAGMA max_page_count = {database.value('PRAGMA page_count')}")

    def pieces(first):
        return [
            lambda at=at: say(store, 1.0, page=at, client_id=f"{at}-{'x' * 50}") for at in range(first, first + 200)
        ]

    stored = 0
    with suppress(CannotWriteError):
        while True:
            store.together(pieces(stored))
            stored += 200
    with pytest.raises(CannotWriteError, match="disk is full"):
        store.together(pieces(stored))
    assert len(store.answers()) == stored
    database.run("PRAGMA max_page_count = 100000")
    assert not any(isinstance(each, Exception) for each in store.together(pieces(stored)))
    assert len(store.answers()) == stored + 200


def _rate(path, rater, answers):
    with Store.open(path) as opened:
        for at in range(answers):
            say(opened, float(at % 7), rater=rater, position=at)


@pytest.mark.integration
def test_several_processes_use_one_store(tmp_path):
    path = tmp_path / "study.sqlite"
    with Store.create(path, "s1") as store:
        for _ in range(3):
            store.invite(1, None)
        context = multiprocessing.get_context("spawn")
        processes = [context.Process(target=_rate, args=(path, f"r{at}", 30)) for at in (1, 2, 3)]
        for process in processes:
            process.start()
        for _ in range(10):
            store.invite(2, None)
        for process in processes:
            process.join()
        assert [process.exitcode for process in processes] == [0, 0, 0]
        assert len(store.answers()) == 90
        assert len(store.raters()) == 13


def _invite_elsewhere(path):
    with Store.open(path) as opened:
        opened.invite(1, None)


@pytest.mark.integration
def test_what_another_process_stores_is_seen_at_once_and_survives(tmp_path):
    """A process that opens and closes the file beside SQLite would lose its locks, and with them what others write."""
    path = tmp_path / "study.sqlite"
    Store.create(path, "s1").close()
    context = multiprocessing.get_context("spawn")
    with Store.open(path) as first, Store.open(path) as second:
        for count in (1, 2):
            process = context.Process(target=_invite_elsewhere, args=(path,))
            process.start()
            process.join()
            assert [len(each.raters()) for each in (first, second)] == [count, count]
        Store.open(path).close()
        first.invite(1, None)
        assert len(second.raters()) == 3
    with Store.open(path) as again:
        assert len(again.raters()) == 3
