"""What a study knows of its raters: who they are, what they answered, and what became of them and why.

Answers are only ever added. A changed answer is a new revision, and the name that the browser gave to an answer makes
its repeat harmless; so a rating that was sent twice counts once, and one that was acknowledged is on the disk. Only a
rater's own wish takes answers away: all of them, with a record of it. Of the secret links only hashes are kept.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar, cast

from termgauge.exceptions import CannotWriteError, TermgaugeError
from termgauge.studies.database import Database
from termgauge.studies.raters import (
    FROM_PAGE,
    STATES,
    Adjudication,
    AdminVisit,
    Answer,
    AnswerRefusedError,
    Event,
    Link,
    NotActiveError,
    Rater,
    days_after,
    now,
    number_of,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from termgauge.studies.raters import State

T = TypeVar("T")
TOKEN_BYTES = 32
MOST_NAME = 200
MOST_REASON = 1000
MOST_CLIENT_ID = 64
MOST_PAGE = 200
SAME_VISIT = timedelta(minutes=30)
ERASED = "erased"
_NEEDS_REASON = ("paused", "left_out")
_RATER = 'number, "group", name, state, reason, invited, last_seen, begun, qualified, attempts'
_ANSWER = "rater, page, position, revision, rating, seconds, client_id, given, source"
_CURRENT = "SELECT rater, page, position, MAX(revision), rating, seconds, client_id, given, source FROM answers"


class Store:
    """The database of a study. Several processes may use one at once."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.path = database.path
        self.study_id = str(database.value("SELECT id FROM study"))

    @classmethod
    def create(cls, path: str | os.PathLike[str], study_id: str) -> Store:
        """Make the database of a new study."""
        return cls(Database.create(Path(path), study_id, now()))

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Store:
        """Open the database of a study, after a look whether it is whole."""
        return cls(Database.open(Path(path)))

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_what: object) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Do all of the block or nothing of it."""
        with self._database.transaction():
            yield

    def together(self, pieces: Sequence[Callable[[], T]]) -> list[T | Exception]:
        """Do several pieces of work with one COMMIT; one that fails by its own fault leaves the others alone.

        If the disk fails, nothing of all of them is stored, and the error says so.
        """
        done: list[T | Exception] = []
        with self._database.transaction():
            for piece in pieces:
                try:
                    with self._database.transaction():
                        done.append(piece())
                except CannotWriteError:
                    raise
                except Exception as error:  # noqa: BLE001 - it is that piece's answer
                    done.append(error)
        return done

    # Raters and their links.

    def invite(self, group: int, name: str | None = None, days: int | None = None) -> tuple[Rater, str]:
        """Add a rater; return them with the secret of their link, which is nowhere else and may work for some days."""
        name = _text(name, MOST_NAME, "name of a rater")
        with self._database.transaction():
            number = self._database.run(
                'INSERT INTO raters ("group", name, state, invited) VALUES (?, ?, ?, ?)', group, name, "active", now()
            )
            token = self._issue(number, days)
            self._event(number, "invited", None)
        return self.rater(f"r{number}"), token

    def reissue(self, rater: str, days: int | None = None) -> str:
        """Return the secret of a new link; the former one no longer works."""
        known = self.rater(rater)
        with self._database.transaction():
            self._revoke(number_of(rater))
            token = self._issue(number_of(rater), days)
            self._event(number_of(rater), "reissued", None)
            if known.state == "revoked":
                self.set_state(rater, self._state_before(rater, "revoked"), None)
        return token

    def new_admin_token(self, days: int | None = None) -> str:
        """Return the secret of a new link for the administrator; the former one no longer works."""
        with self._database.transaction():
            self._revoke(None)
            token = self._issue(None, days)
            self._event(None, "administrator", None)
        return token

    def further_link(self, rater: str | None, days: int | None = None) -> str | None:
        """Return the secret of one more link of a rater, or of the administrator (None); the others go on working.

        It ends when the newest of the others does, at the latest so many days after that one was made; so it prolongs
        nothing. None if no other works.
        """
        number = None if rater is None else number_of(rater)
        query = "SELECT issued, expires, revoked FROM tokens WHERE rater IS ? ORDER BY rowid DESC"
        with self._database.transaction():
            links = (Link(rater, *row) for row in self._database.rows(query, number))
            newest = next((link for link in links if link.works(days)), None)
            if newest is None:
                return None
            self._event(number, "linked", None)
            return self._issue(number, expires=newest.end(days))

    def link_of(self, token: str) -> Link | None:
        """Return the link that a secret is of, also one that no longer works; None for a wrong secret."""
        # Found by its hash, which says nothing about how much of a guess was right; compared in constant time.
        wanted = _hash(token)
        row = self._database.row("SELECT hash, rater, issued, expires, revoked FROM tokens WHERE hash = ?", wanted)
        if row is None or not hmac.compare_digest(cast("bytes", row[0]), wanted):
            return None
        return Link(row[1] and f"r{row[1]}", *row[2:])

    def rater(self, rater: str) -> Rater:
        """Return a rater by id."""
        row = self._database.row(f"SELECT {_RATER} FROM raters WHERE number = ?", number_of(rater))  # noqa: S608
        if row is None:
            raise TermgaugeError(f"{self.path.parent}: there is no rater '{rater}'; termgauge study status names all.")
        return _rater(row)

    def raters(self) -> list[Rater]:
        """Return all raters in the order in which they were invited."""
        return [_rater(row) for row in self._database.rows(f"SELECT {_RATER} FROM raters ORDER BY number")]  # noqa: S608

    # What becomes of raters.

    def set_state(self, rater: str, state: State, reason: str | None) -> None:
        """Change the state of a rater; the reason is kept, and needed to pause them or to leave them out."""
        reason = _text(reason, MOST_REASON, "reason")
        if state in _NEEDS_REASON and not reason:
            raise TermgaugeError("Say why: a rater is paused or left out with a reason, which is kept.")
        with self._database.transaction():
            self._require_answers_wanted(rater)
            before = self.rater(rater)
            if before.state == state:
                return
            self._database.run(
                "UPDATE raters SET state = ?, reason = ? WHERE number = ?", state, reason, number_of(rater)
            )
            if state == "revoked":
                self._revoke(number_of(rater))
            self._event(number_of(rater), state, reason)

    def take_back(self, rater: str, reason: str | None = None) -> None:
        """Let a rater who was left out be what they were before."""
        with self._database.transaction():
            if self.rater(rater).state == "left_out":
                self.set_state(rater, self._state_before(rater, "left_out"), reason or "taken back")

    def erase(self, rater: str, by: str, reason: str | None = None) -> None:
        """Delete a rater's answers and name for good; that it was done, when and by whom is kept.

        It may be done again: what could not be cleaned then, because the disk was full or somebody was reading, is.
        """
        said = _text(": ".join(filter(None, (f"by {by}", reason))), MOST_REASON, "reason")
        with self._database.transaction():
            if not self._is_erased(rater):
                self.set_state(rater, "revoked", None)
                self._event(number_of(rater), ERASED, said)
            self._database.run("DELETE FROM answers WHERE rater = ?", number_of(rater))
            self._database.run(
                "UPDATE raters SET name = NULL, reason = 'answers erased', last_seen = NULL, begun = NULL, "
                "qualified = NULL, attempts = 0 WHERE number = ?", number_of(rater),
            )  # fmt: skip
        self._database.leave_no_trace()

    def begin(self, rater: str) -> None:
        """Note that a rater has read the instructions."""
        with self._database.transaction():
            self._note(rater, "begun", "begun = ?, last_seen = ?", now(), now())

    def qualify(self, rater: str, *, passed: bool) -> None:
        """Note how a qualification ended; who missed it starts again at the instructions."""
        change = "qualified = ?" if passed else "begun = NULL, attempts = attempts + 1, last_seen = ?"
        with self._database.transaction():
            self._note(rater, "qualified" if passed else "missed", change, now())

    def history(self) -> list[Event]:
        """Return all that happened, in order."""
        rows = self._database.rows("SELECT time, rater, what, reason FROM events ORDER BY number")
        return [Event(time, rater and f"r{rater}", what, reason) for time, rater, what, reason in rows]

    def note_visit(self, link: str, address: str, page: str) -> None:
        """Note that the administrator uses a page; doing so again soon belongs to the same visit."""
        visit = link, address[:MOST_PAGE], page[:MOST_PAGE]
        with self._database.transaction():
            number = self._database.value(
                "SELECT MAX(number) FROM visits WHERE link = ? AND address = ? AND page = ? AND last > ?",
                *visit, now(SAME_VISIT),
            )  # fmt: skip
            if number is None:
                self._database.run(
                    "INSERT INTO visits (link, address, page, first, last, times) VALUES (?, ?, ?, ?, ?, 1)",
                    *visit, now(), now(),
                )  # fmt: skip
            else:
                self._database.run("UPDATE visits SET last = ?, times = times + 1 WHERE number = ?", now(), number)

    def visits(self) -> list[AdminVisit]:
        """Return the visits of the administrator, in order."""
        rows = self._database.rows("SELECT link, address, page, first, last, times FROM visits ORDER BY number")
        return [AdminVisit(*row) for row in rows]

    def adjudicate(self, pair: int, rating: float | None, reason: str | None) -> None:
        """Keep what was decided about a pair, with the reason; a former decision stays, and the last one counts."""
        reason = _text(reason, MOST_REASON, "reason")
        if not reason:
            raise TermgaugeError("Say why: a pair is decided with a reason, which is kept.")
        self._database.run(
            "INSERT INTO adjudications (pair, rating, reason, decided) VALUES (?, ?, ?, ?)", pair, rating, reason, now()
        )

    def adjudications(self) -> list[Adjudication]:
        """Return all decisions about pairs, former ones too, in order."""
        rows = self._database.rows("SELECT pair, rating, reason, decided FROM adjudications ORDER BY number")
        return [Adjudication(*row) for row in rows]

    # Answers.

    def answer(
        self,
        rater: str,
        page: int,
        position: int,
        rating: float | None,
        *,
        seconds: float | None,
        client_id: str,
        revision: int,
        known: Iterable[str] = (),
    ) -> Answer:
        """Store what a rater says to a showing, None for "I do not know", and return what is then the answer.

        The browser gives each answer a name (`client_id`): the same one again changes nothing. `revision` is that of
        the answer that the rater saw when they gave this one, 0 if there was none; `known` are names of answers that
        the same browser has sent before, which it therefore knows. If another answer was given meanwhile, in another
        window, AnswerRefusedError holds it.
        """
        if not 0 < len(client_id) <= MOST_CLIENT_ID:
            raise AnswerRefusedError(f"The name of an answer has 1 to {MOST_CLIENT_ID} characters.", None)
        with self._database.transaction():
            if (repeat := self._repeat(rater, page, position, rating, client_id)) is not None:
                return repeat
            state = self.rater(rater).state
            if state != "active":
                raise NotActiveError(f"The rater {rater} is {state.replace('_', ' ')} and gives no answers.", state)
            current = self.current(rater, page, position)
            if current is not None and current.rating == rating:
                return current
            if current is not None and current.revision != revision and current.client_id not in known:
                raise AnswerRefusedError("This pair was answered meanwhile, in another window or tab.", current)
            return self._add(rater, page, position, rating, seconds, client_id, current, FROM_PAGE)

    def import_answers(
        self, rater: str, rows: Iterable[tuple[int, int, float | None, float | None]], source: str
    ) -> int:
        """Store answers that were given elsewhere (page, position, rating, seconds), all or none; return how many.

        What says the same as the answer that is there adds nothing.
        """
        added = 0
        with self._database.transaction():
            self._require_answers_wanted(rater)
            there = {(each.page, each.position): each for each in self.answers(rater)}
            for page, position, rating, seconds in rows:
                current = there.get((page, position))
                if current is None or current.rating != rating:
                    self._add(rater, page, position, rating, seconds, secrets.token_urlsafe(16), current, source)
                    added += 1
        return added

    def answers(self, rater: str | None = None, page: int | None = None) -> list[Answer]:
        """Return the answers that count, by rater, page and position: all, or those of a rater, or of one page."""
        wanted = {"rater": None if rater is None else number_of(rater), "page": page}
        given = {name: value for name, value in wanted.items() if value is not None}
        where = " AND ".join(f"{name} = ?" for name in given) or "TRUE"
        grouped = f"{_CURRENT} WHERE {where} GROUP BY rater, page, position ORDER BY rater, page, position"
        return [_answer(row) for row in self._database.rows(grouped, *given.values())]

    def version(self) -> tuple[int, int]:
        """Return what is another one after each new answer, and after answers were erased."""
        count, last = self._database.rows("SELECT COUNT(*), MAX(number) FROM answers")[0]
        return count, last or 0

    def current(self, rater: str, page: int, position: int) -> Answer | None:
        """Return the answer to a showing that counts; None without one."""
        row = self._database.row(
            f"SELECT {_ANSWER} FROM answers WHERE rater = ? AND page = ? AND position = ? "  # noqa: S608
            "ORDER BY revision DESC LIMIT 1",
            number_of(rater), page, position,
        )  # fmt: skip
        return None if row is None else _answer(row)

    def all_answers(self) -> list[Answer]:
        """Return all answers ever given, former ones too, in the order in which they were stored."""
        return [_answer(row) for row in self._database.rows(f"SELECT {_ANSWER} FROM answers ORDER BY number")]  # noqa: S608

    def _repeat(self, rater: str, page: int, position: int, rating: float | None, client_id: str) -> Answer | None:
        row = self._database.row(
            f"SELECT {_ANSWER} FROM answers WHERE rater = ? AND client_id = ?",  # noqa: S608
            number_of(rater), client_id,
        )  # fmt: skip
        if row is None:
            return None
        stored = _answer(row)
        if (stored.page, stored.position, stored.rating) != (page, position, rating):
            current = self.current(rater, page, position)
            raise AnswerRefusedError("Another answer was sent under the same name before.", current)
        return stored

    def _add(
        self,
        rater: str,
        page: int,
        position: int,
        rating: float | None,
        seconds: float | None,
        client_id: str,
        current: Answer | None,
        source: str,
    ) -> Answer:
        revision = 1 if current is None else current.revision + 1
        made = Answer(rater, page, position, revision, rating, seconds, client_id, now(), source)
        self._database.run(
            f"INSERT INTO answers ({_ANSWER}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
            number_of(rater), page, position, revision, rating, seconds, client_id, made.given, source,
        )  # fmt: skip
        self._database.run("UPDATE raters SET last_seen = ? WHERE number = ?", made.given, number_of(rater))
        return made

    # Tokens and events.

    def _issue(self, number: int | None, days: int | None = None, expires: str | None = None) -> str:
        token, issued = secrets.token_urlsafe(TOKEN_BYTES), now()
        self._database.run(
            "INSERT INTO tokens (hash, rater, issued, expires) VALUES (?, ?, ?, ?)",
            _hash(token), number, issued, expires if days is None else days_after(issued, days),
        )  # fmt: skip
        return token

    def _revoke(self, number: int | None) -> None:
        self._database.run("UPDATE tokens SET revoked = ? WHERE rater IS ? AND revoked IS NULL", now(), number)

    def _note(self, rater: str, what: str, change: str, *values: object) -> None:
        self._database.run(f"UPDATE raters SET {change} WHERE number = ?", *values, number_of(rater))  # noqa: S608
        self._event(number_of(rater), what, None)

    def _event(self, number: int | None, what: str, reason: str | None) -> None:
        self._database.run(
            "INSERT INTO events (time, rater, what, reason) VALUES (?, ?, ?, ?)", now(), number, what, reason
        )

    def _is_erased(self, rater: str) -> bool:
        query = "SELECT COUNT(*) FROM events WHERE rater = ? AND what = ?"
        return bool(self._database.value(query, number_of(rater), ERASED))

    def _require_answers_wanted(self, rater: str) -> None:
        if self._is_erased(rater):
            raise TermgaugeError(f"The answers of {rater} were erased; if they take part again, invite them anew.")

    def _state_before(self, rater: str, state: State) -> State:
        """Return what a rater was before they got their present state."""
        states = [event.what for event in self.history() if event.rater == rater and event.what in STATES]
        return next((each for each in reversed(states) if each != state), "active")


def _rater(row: Sequence[object]) -> Rater:
    number, *rest = row
    return Rater(f"r{number}", *rest)  # type: ignore[arg-type]


def _answer(row: Sequence[object]) -> Answer:
    number, *rest = row
    return Answer(f"r{number}", *rest)  # type: ignore[arg-type]


def _text(text: str | None, most: int, what: str) -> str | None:
    text = " ".join((text or "").encode("utf-8", "replace").decode("utf-8").split())
    if len(text) > most:
        raise TermgaugeError(f"The {what} is longer than {most} characters; shorten it.")
    return text or None


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
