"""A whole study in under a minute, with raters who are made up: from the first pair to the page of results.

Made raters come to the real server over HTTP, as people would; one of them taps along without reading, and the rule for
leaving raters out finds them. Everything that is shown says that nobody stands behind these ratings.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.progress import track
from termgauge.studies.study_file import QUALITY

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from termgauge.benchmark.pairset import PairSet
    from termgauge.studies.folder import Study
    from termgauge.studies.made_raters import MadeRater, ScoredPair
    from termgauge.studies.records import StudyResults

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
    """Make a study, let made raters rate over HTTP, and write the results.

    Parameters
    ----------
    folder
        The folder to make; a temporary one if not given, which stays.
    kind
        ``similarity`` or ``quality``.
    raters
        How many made raters there are; 12 if not given, or 5 in a quality study.
    seed
        Seed for all random choices; the same seed gives the same ratings.
    """
    from termgauge.studies.made_raters import demo_pairs, made_raters
    from termgauge.studies.results import study_results

    if kind not in TITLES:
        raise TermgaugeError(f"--kind is {' or '.join(TITLES)}, not '{kind}'.")
    raters = RATERS[kind] if raters is None else raters
    if not LEAST_RATERS <= raters <= MOST_RATERS:
        raise TermgaugeError(f"A demonstration has {LEAST_RATERS} to {MOST_RATERS} raters, not {raters}.")
    place = Path(tempfile.mkdtemp(prefix="termgauge-demo-")) / "study" if folder is None else Path(folder)
    study = demo_study(place, kind, seed)
    made = made_raters(raters, study.file.groups, seed)
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
    from termgauge.studies.made_raters import demo_pairs

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
    from termgauge.studies.made_raters import demo_pairs

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
    raters: list[MadeRater], links: list[str], scores: dict[tuple[str, str], ScoredPair], *, quality: bool
) -> int:
    """Let all raters rate, several at once; return how many answers they gave."""
    from termgauge.studies.demo_visitor import Visitor

    def visit(rater: MadeRater, link: str) -> int:
        with Visitor(link) as visitor:
            return visitor.rate_all(lambda one, other: rater.rates(scores[one, other], quality=quality))

    answers = 0
    with track("Made raters", total=len(raters), unit="raters") as advance, ThreadPoolExecutor(_AT_ONCE) as pool:
        for given in pool.map(visit, raters, links):
            answers += given
            advance(1)
    return answers
