"""A whole study with simulated raters.

Most judge as people do, each a little stricter or milder than the others and seldom twice quite the same. One taps
along without reading, and one does not know rare words, so that a demonstration shows how such raters are found.
"""

from __future__ import annotations

import math
import random
import tempfile
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from termgauge.exceptions import TermgaugeError
from termgauge.progress import track
from termgauge.studies.design import showings_of
from termgauge.studies.store import FROM_PAGE
from termgauge.studies.study_file import QUALITY

if TYPE_CHECKING:
    import os

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


class ScoredPair(NamedTuple):
    """A pair, and what the simulation takes for the truth about it."""

    word1: str
    word2: str
    score: float
    rare: bool


def demo_pairs() -> list[ScoredPair]:
    """Return the pairs of the demonstration."""
    content = (resources.files("termgauge.studies") / "demo_pairs.tsv").read_bytes()
    return [ScoredPair(*row) for row in pl.read_csv(content, separator="\t").cast({"rare": pl.Boolean}).rows()]


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


RATERS = {"similarity": 12, QUALITY: 5}
LEAST_RATERS, MOST_RATERS = 3, 200
GROUPS, CONSISTENCY, DUPLICATES, PER_LABEL = 2, 12, 8, 12
TITLES = {
    "similarity": "Demonstration: how similar are these terms? (made raters)",
    QUALITY: "Demonstration: do these terms mean the same? (made raters)",
}


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
    """Make a study, let simulated raters rate, and write the results; the same seed gives the same ratings.

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
    scores = {pair[:2]: pair for pair in demo_pairs()}
    courses = {group: showings_of(study, group) for group in range(1, study.file.groups + 1)}
    answers = 0
    with study.store() as store, track("Made raters", total=len(made), unit="raters") as advance:
        for rater in made:
            invited, _token = store.invite(rater.group, rater.name)
            rows = [
                (*showing.slot, *rater.rates(scores[showing.word1, showing.word2], quality=kind == QUALITY))
                for showing in courses[rater.group]
            ]
            with store.transaction():
                store.begin(invited.id)
                answers += store.import_answers(invited.id, rows, FROM_PAGE)
                store.set_state(invited.id, "finished", None)
            advance(1)
    return Demonstration(study, study_results(study), answers, "r2")


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


def demo_study(folder: Path, kind: str = "similarity", seed: int = 42) -> Study:
    """Begin the study of a demonstration; nobody is invited yet."""
    from termgauge.benchmark.pairset import PairSet
    from termgauge.studies.folder import new_study

    if kind == QUALITY:
        return new_study(folder, demo_sets(), kind=kind, seed=seed, title=TITLES[kind], per_label=PER_LABEL)
    rows = [(pair.word1, pair.word2, 0.0) for pair in demo_pairs()]  # the study never sees the made scores
    pairs = PairSet("demo", pl.DataFrame(rows, ["term_1", "term_2", "score"], orient="row"))
    return new_study(
        folder, pairs, kind=kind, seed=seed, title=TITLES[kind], groups=GROUPS, pages=2,
        consistency=CONSISTENCY, duplicates=DUPLICATES,
    )  # fmt: skip
