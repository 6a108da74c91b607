"""A whole study with simulated raters, who come over HTTP as a browser would.

Most judge as people do, each a little stricter or milder than the others and seldom twice quite the same. One taps
along without reading, and one does not know rare words, so that a demonstration shows how such raters are found.
"""

from __future__ import annotations

import http.client
import json
import math
import random
import secrets
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from termgauge.exceptions import TermgaugeError
from termgauge.progress import track
from termgauge.studies.study_file import QUALITY
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence
    from types import TracebackType
    from typing import Self

    from termgauge.benchmark.pairset import PairSet
    from termgauge.studies.folder import Study
    from termgauge.studies.results.result import StudyResults

MADE_UP = "made rater"
"""What the names of made raters begin with."""
SCALE = 6
"""Made scores go from 0 to this."""
_DECIDED = 4.7
"""From this score on made raters say that two terms are the same."""
_DOUBT = 0.2
"""So near to it they do not know."""


class ScoredPair(NamedTuple):
    """A pair, and what the simulation takes for the truth about it."""

    word1: str
    word2: str
    score: float
    rare: bool


def demo_pairs() -> list[ScoredPair]:
    """Return the pairs of the demonstration."""
    text = (resources.files("termgauge.studies") / "demo_pairs.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines()[1:]]
    return [ScoredPair(word1, word2, float(score), rare == "1") for word1, word2, score, rare in rows]


@dataclass
class SimulatedRater:
    """A made rater."""

    name: str
    group: int
    mildness: float
    """How much higher than others they rate."""
    scatter: float
    """How far from their own opinion a rating falls, as a standard deviation."""
    careless: bool = False
    unsure: bool = False
    """Whether they do not know rare words."""
    chance: random.Random = field(default_factory=random.Random, repr=False)
    _opinions: dict[tuple[str, str], float] = field(default_factory=dict, repr=False)

    def rates(self, pair: ScoredPair, *, quality: bool = False) -> tuple[float | None, float]:
        """Return what they say to a pair, None for "I do not know", and how many seconds they take.

        On the scale from 0 to 6, or 1 for "same" and 0 for "not same".
        """
        if self.careless:
            return self._taps(quality=quality), round(self.chance.uniform(0.4, 1.2), 1)
        seconds = round(math.exp(self.chance.gauss(1.4, 0.5)), 1)
        if self.unsure and pair.rare:
            return None, seconds
        own = pair.score + self.mildness
        opinion = self._opinions.setdefault(pair[:2], own + self.chance.gauss(0, self.scatter))
        if quality:
            return (None if abs(opinion - _DECIDED) < _DOUBT else float(opinion > _DECIDED)), seconds
        return float(min(SCALE, max(0, round(opinion + self.chance.gauss(0, 0.25))))), seconds

    def _taps(self, *, quality: bool) -> float:
        return float(self.chance.choice((0, 1, 1) if quality else (2, 3, 3, 3, 4)))


def simulated_raters(count: int, groups: int, seed: int) -> list[SimulatedRater]:
    """Return so many made raters, in turn of each group; the second is careless, the third does not know rare words."""
    chance = random.Random(seed)  # noqa: S311
    names = _names(count)
    return [
        SimulatedRater(
            name=names[place],
            group=place % groups + 1,
            mildness=round(chance.gauss(0, 0.4), 3),
            scatter=round(chance.uniform(0.8, 1.3), 3),
            careless=place == 1,
            unsure=place == 2,
            chance=random.Random(chance.getrandbits(64)),  # noqa: S311
        )
        for place in range(count)
    ]


def _names(count: int) -> Sequence[str]:
    """Return names that say that nobody stands behind them."""
    return [f"{MADE_UP} {place}" for place in range(1, count + 1)]


_SECONDS = 30
_MOST_ANSWERS = 20
"""Answers that are sent at once."""
_TRIES = 3


class Visitor:
    """A visit of one rater."""

    def __init__(self, link: str) -> None:
        parts = urlsplit(link)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=_SECONDS)
        self._path, self._cookie = parts.path, ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._connection.close()

    def rate_all(self, says: Callable[[str, str], tuple[float | None, float]]) -> int:
        """Answer all pairs by what `says` says to two words, a rating and seconds; return how many there were."""
        self._get(self._path)
        csrf = _Csrf.of(self._get("/instructions"))
        self._post("/begin", urlencode({"csrf": csrf}), "application/x-www-form-urlencoded")
        page, pages, answered = 1, 1, 0
        while page <= pages:
            shown = json.loads(self._get(f"/api/pages/{page}"))
            pages = shown["pages"]
            answers = [self._answer(page, each, says) for each in shown["showings"] if each["answer"] is None]
            for start in range(0, len(answers), _MOST_ANSWERS):
                self._send(answers[start : start + _MOST_ANSWERS], csrf)
            answered += len(answers)
            page += 1
        self._post("/finish", urlencode({"csrf": csrf}), "application/x-www-form-urlencoded")
        return answered

    def _answer(
        self, page: int, showing: dict[str, Any], says: Callable[[str, str], tuple[float | None, float]]
    ) -> dict[str, Any]:
        rating, seconds = says(showing["word1"], showing["word2"])
        place = {"page": page, "position": showing["position"], "revision": 0}
        return {**place, "client_id": secrets.token_urlsafe(16), "rating": rating, "seconds": seconds}

    def _send(self, answers: list[dict[str, Any]], csrf: str) -> None:
        sent = self._post("/api/answers", json.dumps({"answers": answers}), "application/json", csrf=csrf)
        said = json.loads(sent)
        if len(said["saved"]) != len(answers):
            why = next((each["why"] for each in said["refused"]), "it gave no reason")
            raise TermgaugeError(f"The server of the demonstration refused an answer: {why}")

    def _get(self, path: str) -> str:
        return self._ask("GET", path)

    def _post(self, path: str, body: str, kind: str, *, csrf: str = "") -> str:
        headers = {"Content-Type": kind, **({"X-CSRF-Token": csrf} if csrf else {})}
        return self._ask("POST", path, body, headers)

    def _ask(self, method: str, path: str, body: str | None = None, headers: dict[str, str] | None = None) -> str:
        cookie = {"Cookie": self._cookie} if self._cookie else {}
        for attempt in range(1, _TRIES + 1):
            try:
                self._connection.request(method, path, body, {**(headers or {}), **cookie})
                answer = self._connection.getresponse()
                text = answer.read().decode("utf-8")
                break
            except (
                OSError,
                http.client.HTTPException,
            ) as error:  # the same answers may be sent again: none counts twice
                self._connection.close()
                if attempt == _TRIES:
                    raise TermgaugeError(f"The server of the demonstration cannot be reached ({error}).") from error
        if given := answer.getheader("Set-Cookie"):
            self._cookie = given.partition(";")[0]
        if answer.status >= 400:
            raise TermgaugeError(f"The server of the demonstration answered {path} with status {answer.status}.")
        return text


class _Csrf(HTMLParser):
    """Finds what a form has to send along."""

    found = ""

    @classmethod
    def of(cls, page: str) -> str:
        parser = cls()
        parser.feed(page)
        if not parser.found:
            raise TermgaugeError("The server of the demonstration gave a page without its form.")
        return parser.found

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at a tag."""
        given = dict(attrs)
        if tag == "input" and given.get("name") == "csrf":
            self.found = given.get("value") or ""


RATERS = {"similarity": 12, QUALITY: 5}
LEAST_RATERS, MOST_RATERS = 3, 200
GROUPS, CONSISTENCY, DUPLICATES, PER_LABEL = 2, 12, 8, 12
TITLES = {
    "similarity": "Demonstration: how similar are these terms? (made raters)",
    QUALITY: "Demonstration: do these terms mean the same? (made raters)",
}
_SERVER = "import sys; from termgauge.studies.folder import open_study; from termgauge.studies.server.serving import serve; serve(open_study(sys.argv[1]), port=0)"  # noqa: E501
_START_SECONDS, _END_SECONDS, _AT_ONCE = 60, 15, 4


@dataclass(frozen=True)
class Demonstration:
    """A study that made raters have finished."""

    study: Study
    results: StudyResults
    answers: int
    """How many were given over HTTP."""
    careless: str
    """The id of the rater who did not read."""


def demonstrate(
    folder: str | os.PathLike[str] | None = None, *, kind: str = "similarity", raters: int | None = None, seed: int = 42
) -> Demonstration:
    """Make a study, let simulated raters rate over HTTP, and write the results; the same seed gives the same ratings.

    A folder that is not given is a temporary one, which stays; there are 12 raters if not given, or 5 in a quality
    study.
    """
    from termgauge.studies.results.compute import study_results

    if kind not in TITLES:
        raise TermgaugeError(f"--kind is {' or '.join(TITLES)}, not '{kind}'.")
    raters = RATERS[kind] if raters is None else raters
    if not LEAST_RATERS <= raters <= MOST_RATERS:
        raise TermgaugeError(f"A demonstration has {LEAST_RATERS} to {MOST_RATERS} raters, not {raters}.")
    place = Path(tempfile.mkdtemp(prefix="termgauge-demo-")) / "study" if folder is None else Path(folder)
    study = demo_study(place, kind, seed)
    made = simulated_raters(raters, study.file.groups, seed)
    with study.store() as store:
        invited = [store.invite(rater.group, rater.name) for rater in made]
    scores = {pair[:2]: pair for pair in demo_pairs()}
    with serving(study) as address:
        links = [f"{address}/r/{token}" for _rater, token in invited]
        answers = _rate_all(made, links, scores, quality=kind == QUALITY)
    return Demonstration(study, study_results(study), answers, invited[1][0].id)


def guest_links(study: Study, address: str) -> tuple[str, str]:
    """Return links for whoever wants to see the pages: as a rater, and as the administrator."""
    with study.store() as store:
        _rater, token = store.invite(1, "guest")
        return f"{address}/r/{token}", f"{address}/admin/{store.new_admin_token()}"


def demo_sets() -> list[PairSet]:
    """Return the pairs as two labelled sets with some wrong labels, for a quality study."""
    import polars as pl

    from termgauge.benchmark.pairset import PairSet

    pairs = demo_pairs()
    easy = [(pair, pair.score > 3) for pair in pairs if pair.score > 5.5 or pair.score < 1]
    hard = [(pair, pair.score >= 4) for pair in pairs if 1 <= pair.score <= 5.8]
    hard = [(pair, label != (at % 9 == 4)) for at, (pair, label) in enumerate(hard)]  # some are wrong

    def made(name: str, some: list[tuple[ScoredPair, bool]]) -> PairSet:
        rows = [(pair.word1, pair.word2, int(label)) for pair, label in some]
        return PairSet(name, pl.DataFrame(rows, ["term_1", "term_2", "label"], orient="row"))

    return [made("demo-easy", easy), made("demo-hard", hard)]


def demo_study(place: Path, kind: str = "similarity", seed: int = 42) -> Study:
    """Begin the study of a demonstration; nobody is invited yet."""
    import polars as pl

    from termgauge.benchmark.pairset import PairSet
    from termgauge.studies.folder import new_study

    if kind == QUALITY:
        return new_study(place, demo_sets(), kind=kind, seed=seed, title=TITLES[kind], per_label=PER_LABEL)
    rows = [(pair.word1, pair.word2, 0.0) for pair in demo_pairs()]  # the study never sees the made scores
    pairs = PairSet("demo", pl.DataFrame(rows, ["term_1", "term_2", "score"], orient="row"))
    return new_study(
        place, pairs, kind=kind, seed=seed, title=TITLES[kind], groups=GROUPS, pages=2,
        consistency=CONSISTENCY, duplicates=DUPLICATES,
    )  # fmt: skip


@contextmanager
def serving(study: Study) -> Iterator[str]:
    """Serve a study in a process of its own, on a free port that only this machine reaches; yield the address."""
    from termgauge.studies.server.serving import address_of

    process = subprocess.Popen(  # noqa: S603 - this Python and a text of our own
        [sys.executable, "-P", "-c", _SERVER, str(study.folder.resolve())],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + _START_SECONDS
        while (address := address_of(study.folder)) is None:
            if process.poll() is not None or time.monotonic() > deadline:
                said = (
                    process.communicate(timeout=1)[1].decode("utf-8", "replace") if process.poll() is not None else ""
                )
                raise TermgaugeError(f"The server of the demonstration did not start. {said.strip()[-300:]}".strip())
            time.sleep(0.05)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stderr is not None:
            process.stderr.close()


def _rate_all(
    raters: list[SimulatedRater], links: list[str], scores: dict[tuple[str, str], ScoredPair], *, quality: bool
) -> int:
    """Let all raters rate, several at once; return how many answers they gave."""

    def visit(rater: SimulatedRater, link: str) -> int:
        with Visitor(link) as visitor:
            return visitor.rate_all(lambda one, other: rater.rates(scores[one, other], quality=quality))

    answers = 0
    with track("Made raters", total=len(raters), unit="raters") as advance, ThreadPool(_AT_ONCE) as pool:
        for given in pool.map(visit, raters, links):
            answers += given
            advance(1)
    return answers
