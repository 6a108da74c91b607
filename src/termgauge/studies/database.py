"""The SQLite file of a study: opened with checks, written in transactions that hold whole or not at all.

Every COMMIT reaches the disk before it returns (WAL with synchronous=FULL). A transaction inside another is a savepoint
of it, so that several pieces of work can share one COMMIT and still fail alone. Only the owner of the files may read
them.
"""

from __future__ import annotations

import sqlite3
import stat
import threading
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from importlib import resources
from typing import TYPE_CHECKING, Any, Self

from termgauge.exceptions import CannotWriteError, TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

APPLICATION_ID = 0x7467_7374
"""``tgst`` in the header of the file."""
BUSY_SECONDS = 10.0
_SCHEMA = resources.files("termgauge.studies") / "schema"
FORMS = tuple((_SCHEMA / f"{form}.sql").read_text("utf-8") for form in (1, 2, 3))
"""What each form of the database adds to the one before it; a database of a former form gets the rest when opened."""
SCHEMA_VERSION = len(FORMS)
_SHAPE = """
SELECT it.type, it.name, part.name, part.type, part."notnull" FROM sqlite_master AS it
LEFT JOIN pragma_table_info(it.name) AS part ON it.type <> 'trigger' WHERE it.name NOT LIKE 'sqlite_%'
"""
"""What is in a database: tables with their columns, and triggers."""


def now(ago: timedelta = timedelta()) -> str:
    """Return the time (UTC), or what it was so long ago, as it is stored."""
    return time_text(datetime.now(UTC) - ago)


def time_text(time: datetime) -> str:
    """Return a time as it is stored."""
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class BusyError(CannotWriteError):
    """Another process holds the database for long; the same thing may succeed in a moment."""


class Database:
    """An open database; threads may share it, and each transaction is of one of them."""

    def __init__(self, path: Path, *, new: bool = False) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._depth = 0
        self._connection = _connected(path, new=new)

    @classmethod
    def create(cls, path: Path, study_id: str) -> Self:
        """Make the file of a new study."""
        try:
            path.touch(0o600, exist_ok=False)
        except FileExistsError:
            raise TermgaugeError(f"{path}: is there already; a new study needs a folder of its own.") from None
        except OSError as error:
            raise CannotWriteError(f"{path}: cannot be written ({error.strerror or error}).") from error
        made = cls(path, new=True)
        with made.transaction():
            made._bring_up_to_date()
            made.run("INSERT INTO study VALUES (?, ?)", study_id, now())
            made.run(f"PRAGMA application_id = {APPLICATION_ID}")
        made.run("PRAGMA wal_checkpoint(TRUNCATE)")  # so that the file itself says what it is
        return made

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the file of a study that is there, after a look whether it is whole."""
        if not path.is_file():
            raise TermgaugeError(f"{path}: there is no such file; begin a study with termgauge study new.")
        if not path.stat().st_size:
            raise _damaged(path, "it is empty")
        there = cls(path)
        try:
            there._check()
        except BaseException:
            there.close()
            raise
        return there

    def _check(self) -> None:
        if (version := self.value("PRAGMA user_version")) > SCHEMA_VERSION:
            raise TermgaugeError(
                f"{self.path}: was written by a newer termgauge (form {version}, known here: {SCHEMA_VERSION}); "
                "update termgauge."
            )
        if (finding := f"form {version}" if version < 1 else self.value("PRAGMA quick_check(1)")) != "ok":
            raise _damaged(self.path, finding)
        self._check_tables(version)
        if version < SCHEMA_VERSION:
            self._bring_up_to_date()

    def _bring_up_to_date(self) -> None:
        """Add what a former form of the database lacks; another process may have done so meanwhile."""
        with self.transaction():
            for form in FORMS[self.value("PRAGMA user_version") :]:
                for statement in form.strip().removesuffix(";").split(";\n"):
                    self.run(statement)
            self.run(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def _check_tables(self, version: int) -> None:
        """Refuse tables that somebody altered: SQLite takes any text for a number, and any statement for a trigger."""
        with closing(sqlite3.connect(":memory:")) as plain:
            plain.executescript("".join(FORMS[:version]))
            wanted = set(plain.execute(_SHAPE).fetchall())
        if changed := {str(name) for _type, name, *_column in wanted ^ set(self.rows(_SHAPE))}:
            raise _damaged(self.path, f"'{min(changed)}' is not as in the database of a study")
        for _type, table, column, kind, _needed in sorted(item for item in wanted if item[2]):
            form = f"('{kind.lower()}', 'null')"
            if self.value(f'SELECT 1 FROM "{table}" WHERE typeof("{column}") NOT IN {form} LIMIT 1'):  # noqa: S608
                raise _damaged(self.path, f"'{column}' of '{table}' holds something that is no {kind}")

    def close(self) -> None:
        """Close the file; the last one who closes it leaves one file behind, without a journal."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Do all of the block or nothing of it; what was done is on the disk when the block is left."""
        with self._lock:
            name = f"depth_{self._depth}"
            begin, end, undo = (
                (f"SAVEPOINT {name}", f"RELEASE {name}", (f"ROLLBACK TO {name}", f"RELEASE {name}"))
                if self._depth
                else ("BEGIN IMMEDIATE", "COMMIT", ("ROLLBACK",))
            )
            self.run(begin)
            self._depth += 1
            try:
                yield
                self.run(end)
            except BaseException:
                # After some errors SQLite has already taken everything back by itself.
                with suppress(sqlite3.Error):
                    for statement in undo if self._connection.in_transaction else ():
                        self._connection.execute(statement)
                raise
            finally:
                self._depth -= 1
                if not self._depth and self._connection.in_transaction:
                    # It could not even take its work back; closing it does so.
                    self._connection.close()
                    self._connection = _connected(self.path)

    def run(self, statement: str, *values: object) -> int:
        """Run a statement and return the number of the row that it added, if it added one."""
        with self._lock, _sentences(self.path):
            return self._connection.execute(statement, values).lastrowid or 0

    def rows(self, query: str, *values: object) -> list[Any]:
        """Return the rows of a query."""
        with self._lock, _sentences(self.path):
            return self._connection.execute(query, values).fetchall()

    def row(self, query: str, *values: object) -> Sequence[Any] | None:
        """Return the first row of a query."""
        return next(iter(self.rows(query, *values)), None)

    def value(self, query: str, *values: object) -> Any:  # noqa: ANN401
        """Return the first value of the first row of a query, None without rows."""
        return (self.row(query, *values) or (None,))[0]


def _connected(path: Path, *, new: bool = False) -> sqlite3.Connection:
    # Only SQLite may open the file: a file that is closed takes the locks of the whole process on it along.
    with _sentences(path):
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            if not new:
                _take(connection, path)
            mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            for pragma in ("synchronous = FULL", "foreign_keys = ON", "trusted_schema = OFF"):
                connection.execute(f"PRAGMA {pragma}")
        except BaseException:
            connection.close()
            raise
    if mode != "wal":
        connection.close()
        raise TermgaugeError(f"{path}: this disk cannot keep a database for several programs; use a local disk.")
    return connection


def _take(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse the database of another program, and let only the owner read the files of ours; new ones follow it."""
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise TermgaugeError(f"{path}: is a database of something else, not of a study of termgauge.")
    for file in (path, *(path.with_name(f"{path.name}-{end}") for end in ("wal", "shm"))):
        with suppress(OSError):  # it is not there, or of somebody else; SQLite says what cannot be used
            mode = file.lstat().st_mode
            if stat.S_ISREG(mode) and mode & 0o077:
                file.chmod(0o600)


@contextmanager
def _sentences(path: Path) -> Iterator[None]:
    """Turn what SQLite says about the file and the disk into sentences; a wrong statement stays a defect."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise BusyError(f"{path}: another program holds the database; try again in a moment.") from error
        if code == sqlite3.SQLITE_FULL:
            raise CannotWriteError(f"{path}: the disk is full and nothing was stored; make room on it.") from error
        if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
            raise CannotWriteError(
                f"{path}: cannot be written or read ({error}) and nothing was stored; see to the disk and to who may "
                "write to the folder."
            ) from error
        if code in (0, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):  # 0: a text that is not UTF-8
            raise _damaged(path, error) from error
        raise


def _damaged(path: Path, finding: object) -> TermgaugeError:
    what = str(finding).splitlines()[0].removeprefix("*** in database main ***").strip()
    return TermgaugeError(
        f"{path}: is no database of a study, or a damaged or cut one ({what}); put the file back from a copy."
    )
