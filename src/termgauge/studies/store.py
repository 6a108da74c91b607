"""What a study knows of its raters: who they are, what they answered, and what became of them and why.

Answers are only ever added. A changed answer is a new revision, and the name that the browser gave to an answer makes
its repeat harmless; so a rating that was sent twice counts once, and one that was acknowledged is on the disk. Of the
secret links only hashes are kept.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar, cast

from termgauge.exceptions import CannotWriteError, TermgaugeError
from termgauge.studies.database import Database
from termgauge.studies.raters import (
    FROM_PAGE,
    STATES,
    Answer,
    AnswerRefusedError,
    Event,
    NotActiveError,
    Rater,
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
        return cls(Database.create(Path(path), study_id, _now()))

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

    def invite(self, group: int, name: str | None = None) -> tuple[Rater, str]:
        """Add a rater; return them with the secret of their link, which is nowhere else."""
        name = _text(name, MOST_NAME, "name of a rater")
        with self._database.transaction():
            number = self._database.run(
                'INSERT INTO raters ("group", name, state, invited) VALUES (?, ?, ?, ?)', group, name, "active", _now()
            )
            token = self._issue(number)
            self._event(number, "invited", None)
        return self.rater(f"r{number}"), token

    def reissue(self, rater: str) -> str:
        """Return the secret of a new link; the former one no longer works."""
        known = self.rater(rater)
        with self._database.transaction():
            self._revoke(number_of(rater))
            token = self._issue(number_of(rater))
            self._event(number_of(rater), "reissued", None)
            if known.state == "revoked":
                self.set_state(rater, self._state_before(rater, "revoked"), None)
        return token

    def new_admin_token(self) -> str:
        """Return the secret of a new link for the administrator; the former one no longer works."""
        with self._database.transaction():
            self._revoke(None)
            token = self._issue(None)
            self._event(None, "administrator", None)
        return token

    def rater_of(self, token: str) -> Rater | None:
        """Return whose link a secret is of; None for a wrong or a revoked one."""
        row = self._token(token)
        return None if row is None or row[1] is None else self.rater(f"r{row[1]}")

    def is_admin(self, token: str) -> bool:
        """Say whether a secret is that of the administrator's link."""
        row = self._token(token)
        return row is not None and row[1] is None

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

    def begin(self, rater: str) -> None:
        """Note that a rater has read the instructions."""
        with self._database.transaction():
            self._note(rater, "begun", "begun = ?, last_seen = ?", _now(), _now())

    def qualify(self, rater: str, *, passed: bool) -> None:
        """Note how a qualification ended; who missed it starts again at the instructions."""
        change = "qualified = ?" if passed else "begun = NULL, attempts = attempts + 1, last_seen = ?"
        with self._database.transaction():
            self._note(rater, "qualified" if passed else "missed", change, _now())

    def history(self) -> list[Event]:
        """Return all that happened, in order."""
        rows = self._database.rows("SELECT time, rater, what, reason FROM events ORDER BY number")
        return [Event(time, rater and f"r{rater}", what, reason) for time, rater, what, reason in rows]

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
        """Store what a rater says to a showing, and return what is then the answer.

        Parameters
        ----------
        rater, page, position
            Who, and to which showing.
        rating
            None: "I do not know".
        seconds
            How long the rater took.
        client_id
            A name that the browser gave to this answer: the same one again changes nothing.
        revision
            That of the answer that the rater saw when they gave this one; 0 if there was none.
        known
            Names of answers that the same browser has sent before, which it therefore knows.

        Raises
        ------
        AnswerRefusedError
            Another answer was given meanwhile, in another window; it is in the error.
        NotActiveError
            The rater is paused, finished, left out or revoked.
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

    def count(self) -> int:
        """Return how many answers were ever stored, former ones too; it changes with every new one."""
        return int(self._database.value("SELECT COUNT(*) FROM answers"))

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
        made = Answer(rater, page, position, revision, rating, seconds, client_id, _now(), source)
        self._database.run(
            f"INSERT INTO answers ({_ANSWER}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
            number_of(rater), page, position, revision, rating, seconds, client_id, made.given, source,
        )  # fmt: skip
        self._database.run("UPDATE raters SET last_seen = ? WHERE number = ?", made.given, number_of(rater))
        return made

    # Tokens and events.

    def _issue(self, number: int | None) -> str:
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._database.run("INSERT INTO tokens (hash, rater, issued) VALUES (?, ?, ?)", _hash(token), number, _now())
        return token

    def _revoke(self, number: int | None) -> None:
        self._database.run("UPDATE tokens SET revoked = ? WHERE rater IS ? AND revoked IS NULL", _now(), number)

    def _token(self, token: str) -> Sequence[object] | None:
        # Found by its hash, which says nothing about how much of a guess was right; compared in constant time.
        wanted = _hash(token)
        row = self._database.row("SELECT hash, rater FROM tokens WHERE hash = ? AND revoked IS NULL", wanted)
        return row if row is not None and hmac.compare_digest(cast("bytes", row[0]), wanted) else None

    def _note(self, rater: str, what: str, change: str, *values: object) -> None:
        self._database.run(f"UPDATE raters SET {change} WHERE number = ?", *values, number_of(rater))  # noqa: S608
        self._event(number_of(rater), what, None)

    def _event(self, number: int | None, what: str, reason: str | None) -> None:
        self._database.run(
            "INSERT INTO events (time, rater, what, reason) VALUES (?, ?, ?, ?)", _now(), number, what, reason
        )

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


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
