"""What a study knows of its raters: who they are, what they answered, and what became of them and why.

Answers are only ever added. A changed answer is a new revision, and the name that the browser gave to an answer makes
its repeat harmless; so a rating that was sent twice counts once, and one that was acknowledged is on the disk. Only a
rater's own wish takes answers away: all of them, with a record of it. Of the secret links only hashes are kept.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal, TypeVar, get_args

from termgauge.exceptions import CannotWriteError, TermgaugeError
from termgauge.studies.database import BusyError, Database, now, time_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

T = TypeVar("T")
State = Literal["active", "paused", "left_out", "finished", "revoked"]
STATES: tuple[State, ...] = get_args(State)
FROM_PAGE = "page"
"""The source of answers that were given on the page; others name a file."""
MOST_DAYS = 3650
"""For so long a link can be made to work that does not work for ever."""
TOKEN_BYTES = 32
MOST_NAME, MOST_REASON, MOST_CLIENT_ID, MOST_PAGE = 200, 1000, 64, 200
SAME_VISIT = timedelta(minutes=30)
ERASED = "erased"


@dataclass(frozen=True)
class Rater:
    """Somebody who rates; times are UTC."""

    id: str
    group: int
    name: str | None
    state: State
    reason: str | None
    """Why the rater is in this state, where the administrator said so."""
    invited: str
    last_seen: str | None = None
    begun: str | None = None
    """When the rater had read the instructions, after the last qualification that was missed."""
    qualified: str | None = None
    attempts: int = 0


@dataclass(frozen=True)
class Answer:
    """What a rater said to a showing; a rating that is None means "I do not know"."""

    rater: str
    page: int
    position: int
    revision: int
    rating: float | None
    seconds: float | None
    client_id: str
    given: str
    source: str = FROM_PAGE

    @property
    def slot(self) -> tuple[int, int]:
        """Page and position."""
        return self.page, self.position


@dataclass(frozen=True)
class Adjudication:
    """What the administrator decided about a pair on which raters disagree; a rating that is None means "not known"."""

    pair: int
    rating: float | None
    reason: str
    decided: str


@dataclass(frozen=True)
class Event:
    """Something that happened to a rater: a new state, an invitation, a new link, a qualification."""

    time: str
    rater: str | None
    what: str
    reason: str | None


@dataclass(frozen=True)
class Link:
    """A secret link, by which a rater or the administrator (None) comes; times are UTC."""

    rater: str | None
    issued: str
    expires: str | None
    revoked: str | None

    def end(self, days: int | None = None) -> str | None:
        """Return when it stops working, at the latest so many days after it was made; None for never."""
        ends = (self.expires, None if days is None else days_after(self.issued, days))
        return min((end for end in ends if end is not None), default=None)

    def works(self, days: int | None = None) -> bool:
        """Say whether it works now."""
        end = self.end(days)
        return self.revoked is None and (end is None or now() < end)


@dataclass(frozen=True)
class AdminVisit:
    """A page that the administrator used, once or several times within half an hour each; times are UTC."""

    link: str
    """When the link was made that they came by."""
    address: str
    page: str
    first: str
    last: str
    times: int


class AnswerRefusedError(TermgaugeError):
    """An answer that is not stored, because another one was there first."""

    def __init__(self, sentence: str, current: Answer | None) -> None:
        super().__init__(sentence)
        self.current = current


class NotActiveError(TermgaugeError):
    """The rater may not answer now: paused, finished, left out or revoked."""

    def __init__(self, sentence: str, state: State) -> None:
        super().__init__(sentence)
        self.state = state


def days_after(time: str, days: int) -> str:
    """Return the time so many days later, written alike.

    >>> days_after("2026-02-27T10:00:00.000Z", 2)
    '2026-03-01T10:00:00.000Z'
    """
    if not 1 <= days <= MOST_DAYS:
        raise TermgaugeError(f"A link expires after 1 to {MOST_DAYS:,} days, not after {days:,}.")
    return time_text(datetime.fromisoformat(time) + timedelta(days=days))


def number_of(rater: str) -> int:
    """Return the number in the id of a rater."""
    digits = rater.removeprefix("r")
    number = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else 0
    if rater != f"r{number}":
        raise TermgaugeError(f"'{rater}' is no id of a rater; they look like r1.")
    return number


# The columns of records, in the order of their fields.
_RATER = "'r' || number, \"group\", name, state, reason, invited, last_seen, begun, qualified, attempts FROM raters"
_ANSWER = "'r' || rater, page, position, revision, rating, seconds, client_id, given, source FROM answers"
_CURRENT = _ANSWER.replace("revision", "MAX(revision)")
_LINK = "'r' || rater, issued, expires, revoked FROM tokens"


class Store(Database):
    """The database of a study. Several processes may use one at once."""

    @property
    def study_id(self) -> str:
        """The id of the study that it belongs to."""
        return str(self.value("SELECT id FROM study"))

    def _all(self, kind: Callable[..., T], query: str, *values: object) -> list[T]:
        """Return the rows of a query, each as a record whose fields are the columns."""
        return [kind(*row) for row in self.rows(f"SELECT {query}", *values)]

    def _first(self, kind: Callable[..., T], query: str, *values: object) -> T | None:
        return next(iter(self._all(kind, query, *values)), None)

    def together(self, pieces: Sequence[Callable[[], T]]) -> list[T | Exception]:
        """Do several pieces of work with one COMMIT; one that fails by its own fault leaves the others alone.

        If the disk fails, nothing of all of them is stored, and the error says so.
        """
        done: list[T | Exception] = []
        with self.transaction():
            for piece in pieces:
                try:
                    with self.transaction():
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
        with self.transaction():
            number = self._insert("raters", group=group, name=name, state="active", invited=now())
            token = self._issue(number, days)
            self._note(number, "invited")
        return self.rater(f"r{number}"), token

    def reissue(self, rater: str, days: int | None = None) -> str:
        """Return the secret of a new link; the former one no longer works."""
        state = self.rater(rater).state
        with self.transaction():
            token = self._replace_link(number_of(rater), "reissued", days)
            if state == "revoked":
                self.set_state(rater, self._state_before(rater, "revoked"), None)
        return token

    def new_admin_token(self, days: int | None = None) -> str:
        """Return the secret of a new link for the administrator; the former one no longer works."""
        with self.transaction():
            return self._replace_link(None, "administrator", days)

    def further_link(self, rater: str | None, days: int | None = None) -> str | None:
        """Return the secret of one more link of a rater, or of the administrator (None); the others go on working.

        It ends when the newest of the others does, at the latest so many days after that one was made; so it prolongs
        nothing. None if no other works.
        """
        number = None if rater is None else number_of(rater)
        with self.transaction():
            links = self._all(Link, f"{_LINK} WHERE rater IS ? ORDER BY rowid DESC", number)
            newest = next((link for link in links if link.works(days)), None)
            if newest is None:
                return None
            self._note(number, "linked")
            return self._issue(number, expires=newest.end(days))

    def link_of(self, token: str) -> Link | None:
        """Return the link that a secret is of, also one that no longer works; None for a wrong secret."""
        # Found by its hash, which says nothing about how much of a guess was right; compared in constant time.
        wanted = _hash(token)
        row = self.row(f"SELECT hash, {_LINK} WHERE hash = ?", wanted)
        return Link(*row[1:]) if row and hmac.compare_digest(row[0], wanted) else None

    def rater(self, rater: str) -> Rater:
        """Return a rater by id."""
        record = self._first(Rater, f"{_RATER} WHERE number = ?", number_of(rater))
        if record is None:
            raise TermgaugeError(f"{self.path.parent}: there is no rater '{rater}'; termgauge study status names all.")
        return record

    def raters(self) -> list[Rater]:
        """Return all raters in the order in which they were invited."""
        return self._all(Rater, f"{_RATER} ORDER BY number")

    # What becomes of raters.

    def set_state(self, rater: str, state: State, reason: str | None) -> None:
        """Change the state of a rater; the reason is kept, and needed to pause them or to leave them out."""
        reason = _text(reason, MOST_REASON, "reason")
        if state in ("paused", "left_out") and not reason:
            raise TermgaugeError("Say why: a rater is paused or left out with a reason, which is kept.")
        with self.transaction():
            self._require_answers_wanted(rater)
            if self.rater(rater).state == state:
                return
            number = number_of(rater)
            self.run("UPDATE raters SET state = ?, reason = ? WHERE number = ?", state, reason, number)
            if state == "revoked":
                self._revoke(number)
            self._note(number, state, reason)

    def take_back(self, rater: str, reason: str | None = None) -> None:
        """Let a rater who was left out be what they were before."""
        with self.transaction():
            if self.rater(rater).state == "left_out":
                self.set_state(rater, self._state_before(rater, "left_out"), reason or "taken back")

    def erase(self, rater: str, by: str, reason: str | None = None) -> None:
        """Delete a rater's answers and name for good; that it was done, when and by whom is kept.

        It may be done again: what could not be cleaned then, because the disk was full or somebody was reading, is.
        """
        why, number = _text(": ".join(filter(None, (f"by {by}", reason))), MOST_REASON, "reason"), number_of(rater)
        with self.transaction():
            if not self._is_erased(rater):
                self.set_state(rater, "revoked", None)
                self._note(number, ERASED, why)
            self.run("DELETE FROM answers WHERE rater = ?", number)
            self.run(
                "UPDATE raters SET name = NULL, reason = 'answers erased', last_seen = NULL, begun = NULL, "
                "qualified = NULL, attempts = 0 WHERE number = ?", number,
            )  # fmt: skip
        self.run("VACUUM")  # the files are written anew, so that nothing of what was deleted is left in them
        if self.value("PRAGMA wal_checkpoint(TRUNCATE)"):
            raise BusyError(f"{self.path}: another program reads what was deleted just now; try again in a moment.")

    def begin(self, rater: str) -> None:
        """Note that a rater has read the instructions."""
        with self.transaction():
            self.run("UPDATE raters SET begun = ?, last_seen = ? WHERE number = ?", now(), now(), number_of(rater))
            self._note(number_of(rater), "begun")

    def qualify(self, rater: str, *, passed: bool) -> None:
        """Note how a qualification ended; who missed it starts again at the instructions."""
        change = "qualified = ?" if passed else "begun = NULL, attempts = attempts + 1, last_seen = ?"
        with self.transaction():
            self.run(f"UPDATE raters SET {change} WHERE number = ?", now(), number_of(rater))  # noqa: S608
            self._note(number_of(rater), "qualified" if passed else "missed")

    def history(self) -> list[Event]:
        """Return all that happened, in order."""
        return self._all(Event, "time, 'r' || rater, what, reason FROM events ORDER BY number")

    def note_visit(self, link: str, address: str, page: str) -> None:
        """Note that the administrator uses a page; doing so again soon belongs to the same visit."""
        visit = {"link": link, "address": address[:MOST_PAGE], "page": page[:MOST_PAGE]}
        with self.transaction():
            number = self.value(
                "SELECT MAX(number) FROM visits WHERE link = ? AND address = ? AND page = ? AND last > ?",
                *visit.values(), now(SAME_VISIT),
            )  # fmt: skip
            if number is None:
                self._insert("visits", **visit, first=now(), last=now(), times=1)
            else:
                self.run("UPDATE visits SET last = ?, times = times + 1 WHERE number = ?", now(), number)

    def visits(self) -> list[AdminVisit]:
        """Return the visits of the administrator, in order."""
        return self._all(AdminVisit, "link, address, page, first, last, times FROM visits ORDER BY number")

    def adjudicate(self, pair: int, rating: float | None, reason: str | None) -> None:
        """Keep what was decided about a pair, with the reason; a former decision stays, and the last one counts."""
        reason = _text(reason, MOST_REASON, "reason")
        if not reason:
            raise TermgaugeError("Say why: a pair is decided with a reason, which is kept.")
        self._insert("adjudications", pair=pair, rating=rating, reason=reason, decided=now())

    def adjudications(self) -> list[Adjudication]:
        """Return all decisions about pairs, former ones too, in order."""
        return self._all(Adjudication, "pair, rating, reason, decided FROM adjudications ORDER BY number")

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
        client_ids: Iterable[str] = (),
    ) -> Answer:
        """Store what a rater says to a showing, None for "I do not know", and return what is then the answer.

        The browser gives each answer a name (`client_id`): the same one again changes nothing. `revision` is that of
        the answer that the rater saw when they gave this one, 0 if there was none; `known` are names of answers that
        the same browser has sent before, which it therefore knows. If another answer was given meanwhile, in another
        window, AnswerRefusedError holds it.
        """
        if not 0 < len(client_id) <= MOST_CLIENT_ID:
            raise AnswerRefusedError(f"The name of an answer has 1 to {MOST_CLIENT_ID} characters.", None)
        with self.transaction():
            query = f"{_ANSWER} WHERE rater = ? AND client_id = ?"
            repeat = self._first(Answer, query, number_of(rater), client_id)
            current = self.current(rater, page, position)
            if repeat is not None:
                if (*repeat.slot, repeat.rating) != (page, position, rating):
                    raise AnswerRefusedError("Another answer was sent under the same name before.", current)
                return repeat
            state = self.rater(rater).state
            if state != "active":
                raise NotActiveError(f"The rater {rater} is {state.replace('_', ' ')} and gives no answers.", state)
            if current is not None and current.rating == rating:
                return current
            if current is not None and current.revision != revision and current.client_id not in client_ids:
                raise AnswerRefusedError("This pair was answered meanwhile, in another window or tab.", current)
            newer = current.revision + 1 if current else 1
            return self._add(Answer(rater, page, position, newer, rating, seconds, client_id, now()))

    def import_answers(
        self, rater: str, rows: Iterable[tuple[int, int, float | None, float | None]], source: str
    ) -> int:
        """Store answers that were given elsewhere (page, position, rating, seconds), all or none; return how many.

        What says the same as the answer that is there adds nothing.
        """
        added = 0
        with self.transaction():
            self._require_answers_wanted(rater)
            stored = {answer.slot: answer for answer in self.answers(rater)}
            for page, position, rating, seconds in rows:
                current = stored.get((page, position))
                if current is None or current.rating != rating:
                    revision, name = current.revision + 1 if current else 1, secrets.token_urlsafe(16)
                    self._add(Answer(rater, page, position, revision, rating, seconds, name, now(), source))
                    added += 1
        return added

    def answers(self, rater: str | None = None, page: int | None = None) -> list[Answer]:
        """Return the answers that count, by rater, page and position: all, or those of a rater, or of one page."""
        wanted = {"rater": None if rater is None else number_of(rater), "page": page}
        limits = {name: value for name, value in wanted.items() if value is not None}
        where = " AND ".join(f"{name} = ?" for name in limits) or "TRUE"
        grouped = f"{_CURRENT} WHERE {where} GROUP BY rater, page, position ORDER BY rater, page, position"
        return self._all(Answer, grouped, *limits.values())

    def version(self) -> tuple[int, int]:
        """Return what is another one after each new answer, and after answers were erased."""
        count, last = self.rows("SELECT COUNT(*), MAX(number) FROM answers")[0]
        return count, last or 0

    def current(self, rater: str, page: int, position: int) -> Answer | None:
        """Return the answer to a showing that counts; None without one."""
        where = "WHERE rater = ? AND page = ? AND position = ? ORDER BY revision DESC LIMIT 1"
        return self._first(Answer, f"{_ANSWER} {where}", number_of(rater), page, position)

    def all_answers(self) -> list[Answer]:
        """Return all answers ever given, former ones too, in the order in which they were stored."""
        return self._all(Answer, f"{_ANSWER} ORDER BY number")

    def _add(self, answer: Answer) -> Answer:
        number = number_of(answer.rater)
        self._insert("answers", **{**vars(answer), "rater": number})
        self.run("UPDATE raters SET last_seen = ? WHERE number = ?", answer.given, number)
        return answer

    # Tokens and events.

    def _issue(self, number: int | None, days: int | None = None, expires: str | None = None) -> str:
        token, issued = secrets.token_urlsafe(TOKEN_BYTES), now()
        expires = expires if days is None else days_after(issued, days)
        self._insert("tokens", hash=_hash(token), rater=number, issued=issued, expires=expires)
        return token

    def _revoke(self, number: int | None) -> None:
        self.run("UPDATE tokens SET revoked = ? WHERE rater IS ? AND revoked IS NULL", now(), number)

    def _replace_link(self, number: int | None, what: str, days: int | None) -> str:
        self._revoke(number)
        self._note(number, what)
        return self._issue(number, days)

    def _note(self, number: int | None, what: str, reason: str | None = None) -> None:
        """Keep that something happened to a rater, or to the administrator (None)."""
        self._insert("events", time=now(), rater=number, what=what, reason=reason)

    def _insert(self, table: str, **row: object) -> int:
        """Add a row and return its number."""
        columns, marks = ", ".join(f'"{name}"' for name in row), ", ".join("?" * len(row))
        return self.run(f"INSERT INTO {table} ({columns}) VALUES ({marks})", *row.values())  # noqa: S608

    def _is_erased(self, rater: str) -> bool:
        query = "SELECT COUNT(*) FROM events WHERE rater = ? AND what = ?"
        return bool(self.value(query, number_of(rater), ERASED))

    def _require_answers_wanted(self, rater: str) -> None:
        if self._is_erased(rater):
            raise TermgaugeError(f"The answers of {rater} were erased; if they take part again, invite them anew.")

    def _state_before(self, rater: str, state: State) -> State:
        """Return what a rater was before they got their present state."""
        states = [event.what for event in self.history() if event.rater == rater and event.what in STATES]
        return next((former for former in reversed(states) if former != state), "active")


def _text(text: str | None, most: int, what: str) -> str | None:
    text = " ".join((text or "").encode("utf-8", "replace").decode("utf-8").split())
    if len(text) > most:
        raise TermgaugeError(f"The {what} is longer than {most} characters; shorten it.")
    return text or None


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
