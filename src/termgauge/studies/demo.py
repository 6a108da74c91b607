"""A whole study with simulated raters, who come over HTTP as a browser would.

Most judge as people do, each a little stricter or milder than the others and seldom twice quite the same. One taps
along without reading, and one does not know rare words, so that a demonstration shows how such raters are found.
"""

from __future__ import annotations

import json
import math
import random
import re
import secrets
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from termgauge.exceptions import TermgaugeError
from termgauge.progress import track
from termgauge.studies.study_file import QUALITY
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator
    from typing import Self

    from termgauge.benchmark.pairset import PairSet
    from termgauge.studies.folder import Study
    from termgauge.studies.results.compute import StudyResults

MADE_UP = "made rater"
"""What the names of simulated raters begin with."""
SCALE = 6
_DECIDED = 4.7
"""From this score on they say that two terms are the same."""
_DOUBT = 0.2
"""So near to it they do not know."""
_SECONDS = 30
_MOST_ANSWERS = 20


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
    """A rater who does not exist: what they say scatters about a score that only the simulation knows."""

    name: str
    group: int
    mildness: float
    """How much higher than others they rate."""
    scatter: float
    """How far from their own opinion a rating falls, as a standard deviation."""
    careless: bool
    unsure: bool
    """Whether they do not know rare words."""
    chance: random.Random
    _opinions: dict[tuple[str, str], float] = field(default_factory=dict)

    def rates(self, pair: ScoredPair, *, quality: bool = False) -> tuple[float | None, float]:
        """Return what they say to a pair, None for "I do not know", and how many seconds they take."""
        if self.careless:
            tapped = self.chance.choice((0, 1, 1) if quality else (2, 3, 3, 3, 4))
            return float(tapped), round(self.chance.uniform(0.4, 1.2), 1)
        seconds = round(math.exp(self.chance.gauss(1.4, 0.5)), 1)
        if self.unsure and pair.rare:
            return None, seconds
        judged = pair.score + self.mildness
        opinion = self._opinions.setdefault(pair[:2], judged + self.chance.gauss(0, self.scatter))
        if quality:
            return (None if abs(opinion - _DECIDED) < _DOUBT else float(opinion > _DECIDED)), seconds
        return float(min(SCALE, max(0, round(opinion + self.chance.gauss(0, 0.25))))), seconds


def simulated_raters(count: int, groups: int, seed: int) -> list[SimulatedRater]:
    """Return so many raters, in turn of each group; the second is careless, the third does not know rare words."""
    chance = random.Random(seed)  # noqa: S311
    return [
        SimulatedRater(
            name=f"{MADE_UP} {at + 1}",
            group=at % groups + 1,
            mildness=round(chance.gauss(0, 0.4), 3),
            scatter=round(chance.uniform(0.8, 1.3), 3),
            careless=at == 1,
            unsure=at == 2,
            chance=random.Random(chance.getrandbits(64)),  # noqa: S311
        )
        for at in range(count)
    ]


class Visitor:
    """A visit of one rater, who goes the way of the page's script and knows no more than a browser would."""

    def __init__(self, link: str) -> None:
        import requests
        from urllib3 import Retry

        self._base, _, token = link.rpartition("/r/")
        self._path = f"/r/{token}"
        self._session = requests.Session()
        self._session.trust_env = False
        # The same answers may be sent again: none counts twice.
        retries = Retry(2, allowed_methods=None)
        self._session.mount("http://", requests.adapters.HTTPAdapter(max_retries=retries))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._session.close()

    def rate_all(self, says: Callable[[str, str], tuple[float | None, float]]) -> int:
        """Answer all pairs by what `says` says to two words, a rating and seconds; return how many there were."""
        self._ask("GET", self._path)
        form = re.search('name="csrf" value="([^"]+)"', self._ask("GET", "/instructions"))
        if form is None:
            raise TermgaugeError("The server of the demonstration gave a page without its form.")
        self._ask("POST", "/begin", data={"csrf": form[1]})
        page, pages, answered = 1, 1, 0
        while page <= pages:
            shown = json.loads(self._ask("GET", f"/api/pages/{page}"))
            pages = shown["pages"]
            answers = []
            for showing in (candidate for candidate in shown["showings"] if candidate["answer"] is None):
                rating, seconds = says(showing["word1"], showing["word2"])
                slot = {"page": page, "position": showing["position"], "revision": 0}
                answers.append({**slot, "client_id": secrets.token_urlsafe(16), "rating": rating, "seconds": seconds})
            for start in range(0, len(answers), _MOST_ANSWERS):
                batch = {"answers": answers[start : start + _MOST_ANSWERS]}
                reply = json.loads(self._ask("POST", "/api/answers", json=batch, headers={"X-CSRF-Token": form[1]}))
                if len(reply["saved"]) != len(batch["answers"]):
                    why = next((refused["why"] for refused in reply["refused"]), "it gave no reason")
                    raise TermgaugeError(f"The server of the demonstration refused an answer: {why}")
            answered += len(answers)
            page += 1
        self._ask("POST", "/finish", data={"csrf": form[1]})
        return answered

    def _ask(self, method: str, path: str, **content: Any) -> str:  # noqa: ANN401
        import requests

        try:
            answer = self._session.request(
                method, self._base + path, allow_redirects=False, timeout=_SECONDS, **content
            )
        except requests.RequestException as error:
            raise TermgaugeError(f"The server of the demonstration cannot be reached ({error}).") from error
        if answer.status_code >= 400:
            raise TermgaugeError(f"The server of the demonstration answered {path} with status {answer.status_code}.")
        return str(answer.text)


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
    """A study that simulated raters have finished."""

    study: Study
    results: StudyResults
    answers: int
    careless: str


def demonstrate(
    folder: str | os.PathLike[str] | None = None, *, kind: str = "similarity", raters: int | None = None, seed: int = 42
) -> Demonstration:
    """Make a study, let simulated raters rate over HTTP, and write the results; the same seed gives the same ratings.

    Without a folder it is a temporary one, which stays.
    """
    from termgauge.studies.results.compute import study_results

    if kind not in TITLES:
        raise TermgaugeError(f"--kind is {' or '.join(TITLES)}, not '{kind}'.")
    raters = RATERS[kind] if raters is None else raters
    if not LEAST_RATERS <= raters <= MOST_RATERS:
        raise TermgaugeError(f"A demonstration has {LEAST_RATERS} to {MOST_RATERS} raters, not {raters}.")
    path = Path(tempfile.mkdtemp(prefix="termgauge-demo-")) / "study" if folder is None else Path(folder)
    study = demo_study(path, kind, seed)
    made = simulated_raters(raters, study.file.groups, seed)
    with study.store() as store:
        invited = [store.invite(rater.group, rater.name) for rater in made]
    scores = {pair[:2]: pair for pair in demo_pairs()}

    def visit(rater: SimulatedRater, link: str) -> int:
        with Visitor(link) as visitor:
            return visitor.rate_all(lambda one, other: rater.rates(scores[one, other], quality=kind == QUALITY))

    answers = 0
    with (
        serving(study) as address,
        track("Made raters", total=len(made), unit="raters") as advance,
        ThreadPool(_AT_ONCE) as pool,
    ):
        for count in pool.map(visit, made, [f"{address}/r/{token}" for _rater, token in invited]):
            answers += count
            advance(1)
    return Demonstration(study, study_results(study), answers, invited[1][0].id)


def demo_sets() -> list[PairSet]:
    """Return the pairs as two labelled sets with some wrong labels, for a quality study."""
    from termgauge.benchmark.pairset import PairSet

    pairs = demo_pairs()
    easy = [(*pair[:2], int(pair.score > 3)) for pair in pairs if pair.score > 5.5 or pair.score < 1]
    hard = [pair for pair in pairs if 1 <= pair.score <= 5.8]
    partly_wrong = [(*pair[:2], int((pair.score >= 4) != (at % 9 == 4))) for at, pair in enumerate(hard)]
    return [
        PairSet(name, pl.DataFrame(rows, ["term_1", "term_2", "label"], orient="row"))
        for name, rows in (("demo-easy", easy), ("demo-hard", partly_wrong))
    ]


def demo_study(place: Path, kind: str = "similarity", seed: int = 42) -> Study:
    """Begin the study of a demonstration; nobody is invited yet."""
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
                ended = process.poll() is not None
                message = process.communicate(timeout=1)[1].decode("utf-8", "replace").strip() if ended else ""
                raise TermgaugeError(f"The server of the demonstration did not start. {message[-300:]}".strip())
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
