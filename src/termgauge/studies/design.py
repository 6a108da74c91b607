"""The design of a study: who sees which pair when, what is fixed by it, and how much work it asks of a rater.

Pairs are shared out over groups of raters and over pages, all by one seed. All raters of a group see the same pages.
Consistency pairs are rated by every group; duplicates are shown a second time at the end of a page, so that a rater's
answers can be compared with themselves. The record of the design stands beside the study file: texts may change at any
time; the order of pairs may not, and the values of answers only as long as nobody has answered.
"""

from __future__ import annotations

import json
import math
import random
from dataclasses import dataclass
from itertools import groupby, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl
from pydantic import BaseModel, ConfigDict

from termgauge.exceptions import TermgaugeError
from termgauge.io.atomic import write_text
from termgauge.io.identity import sha256_of_bytes
from termgauge.io.source import read_small
from termgauge.plurals import numbered
from termgauge.reporting.blocks import Prose, Section
from termgauge.statistics.planning import rho_width
from termgauge.statistics.separation import wilson
from termgauge.studies.study_file import STUDY_FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence
    from pathlib import Path

    from termgauge.studies.folder import Study
    from termgauge.studies.study_file import StudyFile

UNIQUE, CONSISTENCY, DUPLICATE = "unique", "consistency", "duplicate"
_SCHEMA = {**dict.fromkeys(("group", "page", "position", "pair"), pl.Int64), "kind": pl.String}


def layout(
    n: int, seed: int, groups: int = 2, consistency: int = 50, duplicates: int = 50, pages: int = 5
) -> pl.DataFrame:
    """Return which of `n` pairs, numbered from 1, every group sees at which position of which page.

    All groups rate `consistency`; each rater sees `duplicates` twice, fewer where pages have too few pairs.
    """
    if consistency > n:
        raise TermgaugeError(
            f"There are {n:,} pairs, so {consistency:,} of them cannot be consistency pairs; ask for fewer."
        )
    smallest = (n - consistency) // groups
    if smallest + consistency < 1:
        raise TermgaugeError(f"There are {n:,} pairs, too few for {groups:,} groups; ask for fewer groups.")
    if most_pages(n, groups, consistency) < pages:
        raise TermgaugeError(
            f"A group sees only {smallest + consistency:,} different pairs, too few for {pages:,} pages; ask for fewer "
            "pages or groups."
        )
    rng = random.Random(seed)  # noqa: S311
    common = sorted(rng.sample(range(1, n + 1), consistency))
    shared = set(common)
    rest = [pair for pair in range(1, n + 1) if pair not in shared]
    rng.shuffle(rest)
    rows: list[tuple[int, int, int, int, str]] = []
    for group in range(groups):
        mixed = common.copy()
        rng.shuffle(mixed)
        for page in range(pages):
            items = rest[group::groups][page::pages] + mixed[page::pages]
            rng.shuffle(items)
            candidates = [pair for pair in items[: len(items) // 2] if pair not in shared]
            wanted = duplicates // pages + (page < duplicates % pages)
            again = rng.sample(candidates, min(wanted, len(candidates)))
            kinds = [CONSISTENCY if pair in shared else UNIQUE for pair in items] + [DUPLICATE] * len(again)
            rows += [
                (group + 1, page + 1, position, pair, kind)
                for position, (pair, kind) in enumerate(zip(items + again, kinds, strict=True), 1)
            ]
    return pl.DataFrame(rows, _SCHEMA, orient="row")


def most_pages(n: int, groups: int, consistency: int) -> int:
    """Return how many pages there can be if none is to be empty."""
    return max((n - consistency) // groups, consistency)


def in_order(n: int, pages: int) -> pl.DataFrame:
    """Return a layout for one group that sees all pairs in their order, on pages of about the same size."""
    rows = []
    for page in range(pages):
        first, end = n * page // pages, n * (page + 1) // pages
        rows += [(1, page + 1, at - first + 1, at + 1, UNIQUE) for at in range(first, end)]
    return pl.DataFrame(rows, _SCHEMA, orient="row")


Slot = tuple[int, int]
"""Page and position."""


class Showing(NamedTuple):
    """A pair as a rater sees it."""

    page: int
    position: int
    word1: str
    word2: str

    @property
    def slot(self) -> Slot:
        """Where it stands."""
        return self.page, self.position


def showings_of(study: Study, group: int) -> list[Showing]:
    """Return what the raters of a group see, in order."""
    rows = study.to_frame().filter(group=group).sort("page", "position")
    return [Showing(*row) for row in rows.select(Showing._fields).rows()]


class Course:
    """All that the raters of a group see, in order."""

    def __init__(self, showings: Sequence[Showing]) -> None:
        self.showings = showings
        self.by_page = {page: tuple(group) for page, group in groupby(showings, key=lambda showing: showing.page)}
        self._order = {showing.slot: at for at, showing in enumerate(showings)}

    def __contains__(self, slot: Slot) -> bool:
        return slot in self._order

    def __getitem__(self, slot: Slot) -> Showing:
        return self.showings[self._order[slot]]

    def neighbour(self, slot: Slot, step: int) -> Showing | None:
        """Return what comes so many steps after a slot, or before it; None beyond both ends."""
        at = self._order[slot] + step
        return self.showings[at] if 0 <= at < len(self.showings) else None

    def first_open(self, answered: Container[Slot]) -> Showing | None:
        """Return the first showing without an answer, None if all have one."""
        return next((showing for showing in self.showings if showing.slot not in answered), None)

    def equal_run(self, slot: Slot, rating_at: Callable[[Slot], float | None]) -> int:
        """Return how many equal ratings in a row end at a slot; one that is missing ends a row."""
        if (rating := rating_at(slot)) is None:
            return 0
        before = reversed(self.showings[: self._order[slot]])
        return 1 + len(list(takewhile(lambda showing: rating_at(showing.slot) == rating, before)))


DESIGN_FILE = "design.json"


class Design(BaseModel):
    """What was fixed when a study was begun."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    study: str
    """The id of the study, which its database has too."""
    termgauge: str
    """The version that drew the layout."""
    source: str
    fixed: dict[str, Any]
    """The keys of the study file that tell of the layout."""
    values: list[float]
    sha256: dict[str, str]

    def write(self, folder: Path) -> None:
        """Write the record into the folder of a study."""
        write_text(folder / DESIGN_FILE, json.dumps(self.model_dump(), ensure_ascii=False, indent=2) + "\n")

    def require_same(self, folder: Path, file: StudyFile) -> None:
        """Refuse a study file that tells of another layout."""
        for key, value in self.fixed.items():
            if getattr(file, key, None) != value:
                raise TermgaugeError(
                    f"{folder / STUDY_FILE}: '{key}' is {getattr(file, key, None)!r}, but the order of pairs was drawn "
                    f"with {value!r}; write that again, or begin another study with termgauge study new."
                )

    def table(self, folder: Path, name: str) -> bytes:
        """Return the bytes of a table, which must be as they were written."""
        try:
            content = (folder / name).read_bytes()
        except FileNotFoundError:
            raise TermgaugeError(f"{folder / name}: is missing; put it back from a copy of the study.") from None
        if sha256_of_bytes(content) != self.sha256[name]:
            raise TermgaugeError(
                f"{folder / name}: was changed after the study was begun, so that answers would no longer belong to "
                "their pairs; put it back from a copy, or begin another study with termgauge study new."
            )
        return content


def read_design(folder: Path) -> Design:
    """Return what is fixed in the study in a folder."""
    path = folder / DESIGN_FILE
    try:
        return Design.model_validate_json(read_small(path))
    except FileNotFoundError:
        raise TermgaugeError(
            f"{folder}: holds no study ({DESIGN_FILE} is missing); begin one with termgauge study new."
        ) from None
    except ValueError:
        raise TermgaugeError(f"{path}: is damaged; put it back from a copy of the study.") from None
    except OSError as error:
        raise TermgaugeError(f"{path}: cannot be read ({error.strerror or error}).") from None


SECONDS = 10
"""What a rater is assumed to take for a pair."""
CORRELATION = 0.7
"""By how much two raters of similarity are assumed to correlate."""
EQUAL = 0.9
"""On which share of the pairs two raters of quality are assumed to give the same answer."""


@dataclass(frozen=True)
class Workload:
    """What a study asks of a rater of its largest group, and what it will tell about agreement."""

    raters: int | None
    groups: int
    pairs: int
    """Different pairs that a rater sees."""
    showings: int
    """Those, and pairs that are shown again."""
    minutes: int
    margin: float | None
    """Half the 95 % interval of the agreement of two raters; None where no two rate the same pairs."""
    assumed: str

    def sentences(self) -> tuple[str, str]:
        """Return the plan in a sentence, and what it assumes in another."""
        again = self.showings - self.pairs
        precision = "not known" if self.margin is None else f"known to ± {f'{self.margin:.2f}'.removeprefix('0')}"
        parts = [
            "" if self.raters is None else numbered(self.raters, "rater"),
            "" if self.groups == 1 else f"{self.groups:,} groups",
            f"{numbered(self.pairs, 'pair')} each{f' ({again:,} of them twice)' if again else ''}",
            f"about {numbered(self.minutes, 'minute')} per rater",
            f"agreement {precision}",
        ]
        return f"Plan: {', '.join(filter(None, parts))}.", self.assumed

    def section(self) -> Section:
        """Return it as a part of a document."""
        return Section("plan", "", (Prose(self.sentences()),))


def workload(layout: pl.DataFrame, raters: int | None, *, rated: bool) -> Workload:
    """Return what a layout asks of raters, who use a scale (`rated`) or else say whether terms mean the same."""
    sizes = layout.group_by("group").agg(pairs=pl.col("pair").n_unique(), showings=pl.len())
    groups, pairs, showings = sizes.height, int(sizes["pairs"].max()), int(sizes["showings"].max())  # type: ignore[arg-type]
    minutes = showings * SECONDS / 60
    # Where a group has but one rater, raters can be compared only on the pairs that all groups rate.
    alone = raters is not None and raters < 2 * groups
    compared = layout.filter(kind="consistency")["pair"].n_unique() if alone and groups > 1 else pairs
    return Workload(
        raters=raters,
        groups=groups,
        pairs=pairs,
        showings=showings,
        minutes=max(1, math.ceil(minutes) if minutes < 10 else 5 * round(minutes / 5)),
        margin=None if raters == 1 else _margin(compared, rated=rated),
        assumed=f"This assumes {SECONDS} seconds for a pair, and two raters who "
        + (
            f"correlate by {CORRELATION} (Spearman's rho, 95 % interval); the mean over more raters is known better."
            if rated
            else f"give the same answer to {EQUAL:.0%} of the pairs (95 % interval of that share)."
        ),
    )


def _margin(pairs: int, *, rated: bool) -> float | None:
    if pairs < 4:
        return None
    if rated:
        return rho_width(CORRELATION, pairs) / 2
    low, high = wilson(EQUAL * pairs, pairs)
    return (high - low) / 2
