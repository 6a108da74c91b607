"""What can go wrong for a user, each as one sentence that says what to do.

Everything a user can cause raises :class:`TermgaugeError`; the command line turns it into one line and exit
status 2. Any other exception is a defect of termgauge itself (exit status 1), and is called so wherever work goes on
without what failed.

Messages quote what came from outside: terms, file names, answers of servers. Each goes through :func:`one_line`, so
that none holds a line break, a control character or a secret.
"""

from __future__ import annotations

import inspect
import re
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_PACKAGE = Path(__file__).parent
_BREAKS = re.compile("[\t-\r\x1c-\x1f\x85\u2028\u2029]+")
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, marks that turn the direction of what follows, and halves of characters."""
HIDDEN = "[hidden]"
_PART = 8
"""So many letters of a secret in a row are not shown either: servers cut what they quote."""
_secrets: dict[str, frozenset[str]] = {}


def keep_secret(secret: str) -> None:
    """Never show a text in a message, nor a longer part of it."""
    if secret:
        _secrets[secret] = frozenset(secret[at : at + _PART] for at in range(max(len(secret) - _PART, 0) + 1))


def one_line(text: str) -> str:
    r"""Return a text that may be shown anywhere: in one line, without control characters, without secrets.

    >>> one_line("two\nlines, \x1b[31mred")
    'two lines, \ufffd[31mred'
    """
    if not _secrets and text.isprintable():
        return text
    for secret, parts in _secrets.items():
        # A short one may be a part of any word.
        text = re.sub(rf"\b{re.escape(secret)}\b", HIDDEN, text) if len(secret) < _PART else _hidden(text, parts)
    return _UNSEEN.sub("\ufffd", _BREAKS.sub(" ", text))


def _hidden(text: str, parts: frozenset[str]) -> str:
    """Return a text with each run of letters that belong to parts of a secret replaced by one word."""
    pieces, shown, at = [], 0, 0
    while at <= len(text) - _PART:
        end = at
        while text[end : end + _PART] in parts:
            end += 1
        if end > at:
            pieces += [text[shown:at], HIDDEN]
            shown = end = end + _PART - 1
        at = max(end, at + 1)
    return "".join([*pieces, text[shown:]])


class TermgaugeError(Exception):
    """Bad input or usage: each sentence names what is wrong, where, and what to do."""

    def __init__(self, *sentences: object) -> None:
        super().__init__(*(one_line(str(sentence)) for sentence in sentences))

    def __str__(self) -> str:
        return "\n".join(self.args)


class CannotWriteError(TermgaugeError):
    """A file cannot be written: the disk is full, or the folder is not the user's to write to."""


class ClusterLostError(TermgaugeError):
    """The scheduler of the cluster is gone, and with it all that is still to be done there."""


class ModelGivenUpError(TermgaugeError):
    """A model gives no vectors now, whatever it is asked: there is no use in asking it again in this run."""


class TermgaugeWarning(UserWarning):
    """Something the user should know that does not stop the work."""


class SkippedWarning(TermgaugeWarning):
    """Something that was asked for had to be left out; the command line then ends with status 4."""

    def __init__(self, message: str, what: str) -> None:
        super().__init__(one_line(message))
        self.what = one_line(what)
        """In a few words."""


def warn_skipped(what: str, message: str) -> None:
    """Tell the user that something had to be left out: in a few words what, and in a sentence why."""
    warn(SkippedWarning(message, what))


def warn(message: str | TermgaugeWarning) -> None:
    """Tell the user, in one sentence, something that does not stop the work; it points at the user's own line.

    A line says the same once, as usual: unless the user's filters say otherwise, or its cell of a notebook runs again.
    """
    at, level, outermost, caller = inspect.currentframe(), 1, 1, None
    while at is not None:
        level += 1
        if _PACKAGE in Path(at.f_code.co_filename).parents:
            outermost, caller = level, at.f_back
        at = at.f_back
    told = message if isinstance(message, TermgaugeWarning) else TermgaugeWarning(one_line(message))
    where = (caller.f_globals.get("__name__", ""), caller.f_lineno) if caller else ("", 0)
    if _filtered(told, *where) in ("always", "all", "error", "ignore"):
        warnings.warn(told, stacklevel=outermost)
    elif (key := (str(told), _cell(), caller and caller.f_code.co_filename, where)) not in _told:
        # What Python itself remembers it forgets whenever filters change for a while, as inside of this package.
        _told.add(key)
        with warnings.catch_warnings():
            warnings.simplefilter("always", TermgaugeWarning)
            warnings.warn(told, stacklevel=outermost)


_told: set[object] = set()


def _filtered(told: TermgaugeWarning, module: str, line: int) -> str:
    """Return what the user's filters do with a warning."""
    for action, text, category, pattern, number in warnings.filters:
        if (
            issubclass(type(told), category)
            and (text is None or text.match(str(told)))
            and (pattern is None or pattern.match(module))
            and number in (0, line)
        ):
            return action
    return "default"


def _cell() -> int:
    """Return which run of a cell this is, in a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "execution_count", 0)


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return `` Did you mean 'x'?`` for the closest of the known words, else an empty string.

    >>> did_you_mean("lavenshtein", ["random", "levenshtein"])
    " Did you mean 'levenshtein'?"
    >>> did_you_mean("zebra", ["random"])
    ''
    """
    from rapidfuzz import fuzz, process

    # The plain ratio: the default scorer favours short words inside the one asked for ('cos' for 'avg_cosine').
    close = process.extractOne(word, list(words), scorer=fuzz.ratio, score_cutoff=60, processor=str.lower)
    return f" Did you mean '{close[0]}'?" if close else ""


def sentence_of(error: BaseException) -> str:
    """Return what went wrong as one sentence for people, whatever raised it.

    >>> sentence_of(FileNotFoundError(2, "No such file or directory", "vectors.bin"))
    'vectors.bin: no such file or directory.'
    """
    if isinstance(error, TermgaugeError):
        return str(error)
    if isinstance(error, MemoryError):
        return "There is not enough memory; close other programs, or use smaller files."
    if isinstance(error, OSError):
        reason = error.strerror or str(error) or type(error).__name__
        if error.filename is not None:
            return one_line(f"{error.filename}: {reason[:1].lower()}{reason[1:]}.")
        return one_line(f"The system says: {reason}.")
    return f"This is a defect of termgauge ({defect_of(error)}); please report it, with what was run."


def defect_of(error: BaseException) -> str:
    """Return what is to be known of an error that no user can cause: its kind, its text, and where it was raised.

    >>> defect_of(KeyError("overlap"))
    "KeyError: 'overlap'"
    """
    import traceback

    text = f"{type(error).__name__}: {one_line(str(error))[:200]}".rstrip(": .")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _PACKAGE in Path(frame.filename).parents]
    if not frames:
        return text
    return f"{text}, in {Path(frames[-1].filename).relative_to(_PACKAGE).as_posix()}, line {frames[-1].lineno}"
