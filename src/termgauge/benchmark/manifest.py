"""``benchmark.json``: what a benchmark was built from and how, and what is in each of its files.

It holds nothing that changes from run to run, so the same inputs give the same bytes. While a benchmark is being
built, the sets that are finished stand in ``.benchmark.partial.json``; a build that was stopped goes on from there.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from termgauge.exceptions import TermgaugeError
from termgauge.io.atomic import write_text
from termgauge.io.identity import sha256_of_value

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    from termgauge.benchmark.pairset import PairSet

MANIFEST, PARTIAL = "benchmark.json", ".benchmark.partial.json"
LAYOUT = 1


class Statistics(BaseModel):
    """What the paper's Table 2 shows of a set, and the share of multi-word terms."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    mean_distance_positives: float | None
    mean_distance_negatives: float | None
    multi_word: float | None
    """Share of the set's distinct terms that have more than one word."""


class SetRecord(BaseModel):
    """One set of the benchmark."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    id: str
    kind: str
    difficulty: str
    strategy: str
    pairs: int
    positives: int
    negatives: int
    shortfall: int
    """How many positives have no negative, because the set ran out of terms."""
    subsampled_from: int | None = None
    """How many positives there were before a subsample was taken."""
    sha256: str | None
    """Of the file; None if there is none, since the set has no positives."""
    concepts: str | None = None
    """The SHA-256 of the concept ids that stand beside a TSV file; None if there are none."""
    statistics: Statistics

    @property
    def subject(self) -> str:
        """What the benchmark is about, as the id begins: ``hp-2025-01-16``."""
        return self.id.rsplit("/", 3)[0]


class Manifest(BaseModel):
    """What a benchmark is."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    layout: int = LAYOUT
    termgauge: str
    terminology: dict[str, str]
    seed: int
    options: dict[str, Any]
    files: dict[str, SetRecord]
    notes: list[str] = []

    @property
    def languages(self) -> list[str]:
        """The language of its terms, or the two of them."""
        return list(self.options.get("languages") or [self.options["language"]])

    @property
    def key(self) -> str:
        """A hash of everything that decides what is in the files."""
        return sha256_of_value([self.layout, self.terminology["sha256"], self.seed, self.options])

    @property
    def text(self) -> str:
        """What stands in its file."""
        return json.dumps(self.model_dump(), ensure_ascii=False, indent=2) + "\n"

    def write(self, folder: Path, name: str = MANIFEST) -> None:
        """Write it into a benchmark's folder."""
        write_text(folder / name, self.text)


def read_manifest(folder: Path, name: str = MANIFEST) -> Manifest | None:
    """Read a benchmark's manifest; None if the folder has none."""
    path = folder / name
    if not path.is_file():
        return None
    try:
        manifest = Manifest.model_validate_json(path.read_bytes())
    except (ValidationError, OSError) as error:
        why = str(error).splitlines()[0]
        raise TermgaugeError(
            f"{path}: is no manifest of a benchmark that this version of termgauge reads ({why}); build it again."
        ) from None
    for file in manifest.files:
        if file in ("", ".", "..") or any(sign in file for sign in "/\\:\0"):
            raise TermgaugeError(
                f"{path}: names a file {file!r}, which is not in the folder of the benchmark; build it again."
            )
    return manifest


def statistics_of(pairs: PairSet | None) -> Statistics:
    """Return the statistics of a set: edit distances of lower-cased terms, words of distinct terms."""
    if pairs is None:
        return Statistics(mean_distance_positives=None, mean_distance_negatives=None, multi_word=None)
    from termgauge.benchmark.nearest import edit_distances

    terms = [pairs.frame[name].to_list() for name in ("term_1", "term_2")]
    distances = edit_distances(*([text.lower() for text in texts] for texts in terms))
    positive = pairs.frame["label"].to_numpy() == 1
    distinct = set().union(*terms)
    multiple = sum(len(term.split(None, 1)) > 1 for term in distinct)
    return Statistics(
        mean_distance_positives=_mean(distances[positive]),
        mean_distance_negatives=_mean(distances[~positive]),
        multi_word=round(multiple / len(distinct), 6),
    )


def _mean(values: np.ndarray[Any, Any]) -> float | None:
    return round(float(values.mean()), 6) if len(values) else None
