"""Scores of pairs on disk: the sets as they were scored, every score, and the values made from them.

    sets/NAME.parquet           the pairs, as they were when they were scored
    sets/ratings/NAME.parquet   what each rater said to them, where that is known
    scores/MODEL/NAME.parquet   a score per pair and measure
    results.parquet, results.csv

Every file is written whole or not at all and says what it belongs to, so that scores of a set or a model that has
changed are noticed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import numpy as np
import polars as pl

from termgauge.benchmark.human.sets import human_sets, load_human
from termgauge.benchmark.pairset import SET_KEY, PairSet, read_parquet
from termgauge.benchmark.sets import Origin
from termgauge.exceptions import TermgaugeError, did_you_mean, warn_skipped
from termgauge.formulas import harmless_table
from termgauge.io.atomic import whole_file
from termgauge.io.identity import file_name
from termgauge.io.parquet_sandbox import read_table, sum_of, write_table
from termgauge.progress import track
from termgauge.similarity.measures import all_measures, select_measures
from termgauge.similarity.scoring import score_pairs
from termgauge.tasks.records import RunView, SetRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet
    from termgauge.embeddings.model import ConceptModel, Model

    Scores = dict[str, NDArray[np.float64]]
    """By measure, NaN where there is none."""


def score_model(
    scored: ScoredSets,
    model: Model,
    sets: Sequence[PairSet],
    measures: Sequence[str],
    *,
    overwrite: str = "missing",
    data_dir: Path | None = None,
) -> dict[str, str]:
    """Score a model on sets, as far as that is missing; return which concept ids each set was scored with, if any."""
    jobs = list(scores_to_make(scored, model, sets, measures, overwrite))
    systems = {}
    with track(f"Scoring {model.name}", total=sum(len(pairs) for pairs, *_ in jobs), unit="pairs") as advance:
        for pairs, wanted, kept in jobs:
            same, system = pairs, ""
            if model.kind == "concepts":
                same, system = best_concept_ids(cast("ConceptModel", model), pairs, data_dir)
            scores = score_pairs(model, same, wanted, advance)
            scored.write_scores(model.name, model.identity.key, same, {**kept, **scores})
            if system:
                systems[pairs.id] = system
    return systems


def scores_to_make(
    scored: ScoredSets, model: Model, sets: Iterable[PairSet], measures: Sequence[str], overwrite: str
) -> Iterator[tuple[PairSet, tuple[str, ...], Scores]]:
    """Yield the sets on which scores of a model are to be made, by which measures, and those by others, which stay."""
    chosen = select_measures(model.kind, measures)
    if not chosen:
        raise TermgaugeError(f"It has none of the measures that were named ({', '.join(measures)}).")
    for pairs in sets:
        try:
            there = scored.stored_scores(model.name, model.identity.key, pairs.id, SetRecord.of(pairs))
        except TermgaugeError:  # of another version, or damaged: made anew
            there = {}
        wanted = chosen
        if overwrite != "always":
            wanted = () if overwrite == "never" and there else tuple(name for name in chosen if name not in there)
        if wanted:
            yield pairs, wanted, {name: values for name, values in there.items() if name not in wanted}


def best_concept_ids(model: ConceptModel, pairs: PairSet, data_dir: Path | None) -> tuple[PairSet, str]:
    """Return a human-rated set with the system of concept ids that a model knows most of, and the system's name.

    The files of some sets name each concept in several systems, such as UMLS and MeSH. The pairs are the same whatever
    the system. Sets from elsewhere come back as they are, with no name.
    """
    entry = next((entry for entry in human_sets() if entry.id == pairs.id), None)
    if entry is None or len(entry.layout.concepts) < 2:
        return pairs, next(iter(entry.layout.concepts), "") if entry else ""
    candidates: list[tuple[int, PairSet, str]] = []
    for system in entry.layout.concepts:
        try:
            same = load_human(entry.id, data_dir=data_dir, download=False, concepts=system)
        except TermgaugeError:  # the set came from elsewhere
            return pairs, ""
        if same.sha256 == pairs.sha256:
            both = [model.find(same.frame[name].fill_null("").to_list()) >= 0 for name in ("concept_1", "concept_2")]
            candidates.append((int((both[0] & both[1]).sum()), same, system))
    if not candidates:
        return pairs, ""
    _covered, best, system = max(candidates, key=lambda entry: entry[0])  # the first of equals
    return best, system


RESULTS = "results"
SCHEMA: dict[str, type[pl.DataType]] = {
    "model": pl.String,
    "set": pl.String,
    "measure": pl.String,
    "statistic": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n": pl.Int64,
    "subset": pl.String,
}
_META = "termgauge.scores"
_ADVICE = "delete it and score again with termgauge evaluate"


class ScoredSets(RunView):
    """The sets of a run and their scores. Scores by measures that do not count any more are kept, but not given."""

    def write_set(self, pairs: PairSet) -> None:
        """Keep a copy of a set, and of what raters said."""
        pairs.write_parquet(self.set_file(pairs.id))
        beside = self._ratings_file(pairs.id)
        if pairs.ratings is None:
            beside.unlink(missing_ok=True)
            return
        with whole_file(beside) as temporary:
            write_table(pairs.ratings, temporary, {SET_KEY: pairs.sha256})

    def read_set(self, name: str) -> PairSet:
        """Return a set by its id."""
        if name not in self.sets:
            raise TermgaugeError(f"{self.path}: has no set '{name}'.{did_you_mean(name, self.sets)}")
        file = self.set_file(name)
        record = self.sets[name]
        pairs = read_parquet(file, id=name, origin=record.origin or Origin.from_id(name))
        if pairs.sha256 != record.sha256:
            raise TermgaugeError(f"{file}: is not the set that run.json names; score it again with termgauge evaluate.")
        return pairs

    def ratings(self, name: str) -> pl.DataFrame | None:
        """Return what each rater said to the pairs of a set; None if that is not known, as in runs of older versions.

        Ratings are no part of a set's identity, so that runs that lack them are as good as others for all else.
        """
        file = self._ratings_file(name)
        if not file.is_file():
            return None
        table = read_table(file, _ADVICE)
        return table.frame if table.metadata.get(SET_KEY) == self.sets[name].sha256 else None

    def set_file(self, name: str) -> Path:
        """Return where the copy of a set is."""
        return self.path / "sets" / f"{file_name(name)}.parquet"

    def _ratings_file(self, name: str) -> Path:
        return self.path / "sets" / "ratings" / f"{file_name(name)}.parquet"

    def write_scores(self, model: str, key: str, pairs: PairSet, scores: Scores) -> None:
        """Keep the scores of a set by the model whose identity has a key."""
        order = {name: number for number, name in enumerate(all_measures())}
        ordered = sorted(scores, key=lambda name: order.get(name, len(order)))  # however the measures came together
        frame = pl.DataFrame({name: pl.Series(scores[name]).fill_nan(None) for name in ordered})
        meta = {"model": model, "identity": key, "set": pairs.id, "sha256": pairs.sha256, "crc32": sum_of(frame)}
        with whole_file(self.scores_file(model, pairs.id)) as temporary:
            frame.write_parquet(temporary, metadata={_META: json.dumps(meta)})

    def scores(self, model: str, set_id: str) -> Scores:
        """Return a model's scores of a set by measure; nothing if they are not there."""
        about = self.models.get(model)
        there = self.stored_scores(model, about.key if about else "", set_id, self.sets.get(set_id))
        if not there or not self.measures or about is None:
            return there
        asked = select_measures(about.kind, self.measures)
        return {name: values for name, values in there.items() if name in asked}

    def readable_scores(self, model: str, set_id: str, left_out_of: str) -> Scores:
        """Return what :meth:`scores` does; nothing, and a warning, if they cannot be read or are of something else."""
        try:
            return self.scores(model, set_id)
        except TermgaugeError as error:
            warn_skipped(f"the scores of '{model}' on '{set_id}'", f"Left out of the {left_out_of}: {error}")
            return {}

    def all_scores(self, set_id: str) -> dict[tuple[str, str], NDArray[np.float64]]:
        """Return the scores of a set by model and measure."""
        return {
            (model, measure): values for model in self.models for measure, values in self.scores(model, set_id).items()
        }

    def stored_scores(self, model: str, key: str, set_id: str, about: SetRecord | None) -> Scores:
        """Return the scores that are kept, if they are those of a certain model and set; nothing if there are none."""
        file = self.scores_file(model, set_id)
        if not file.is_file():
            return {}
        table = read_table(file, _ADVICE)
        scores = _numbers(table.frame, file)
        try:
            meta = json.loads(table.metadata[_META])
            of = {"set": meta["sha256"], "model": meta["identity"]}
            damaged = meta.get("crc32", "") not in ("", sum_of(table.frame))  # former versions wrote none
        except (KeyError, ValueError, TypeError, AttributeError):
            damaged = True
        if damaged:
            raise TermgaugeError(f"{file}: is damaged; {_ADVICE}.")
        for what, wanted, name in (("set", about and about.sha256, set_id), ("model", key, model)):
            if of[what] != wanted:
                raise TermgaugeError(
                    f"{file}: its scores are of another version of the {what} '{name}'; score the model on that set "
                    "again with termgauge evaluate."
                )
        count = len(next(iter(scores.values()), ()))
        if about is not None and count != about.pairs:
            raise TermgaugeError(
                f"{file}: has {count:,} scores for the {about.pairs:,} pairs of '{set_id}'; {_ADVICE}."
            )
        return scores

    def scores_file(self, model: str, set_id: str) -> Path:
        """Return where a model's scores of a set are."""
        return self.path / "scores" / file_name(model) / f"{file_name(set_id)}.parquet"

    def write_results(self, results: pl.DataFrame) -> None:
        """Write the values as Parquet and as CSV."""
        with whole_file(self.path / f"{RESULTS}.parquet") as temporary:
            write_table(results, temporary)
        with whole_file(self.path / f"{RESULTS}.csv") as temporary:
            harmless_table(results).write_csv(temporary)

    def results(self) -> pl.DataFrame:
        """Return the values."""
        file = self.path / f"{RESULTS}.parquet"
        if not file.is_file():
            raise TermgaugeError(
                f"{self.path}: holds no results; make them with termgauge run or evaluate, which go on where they "
                "stopped."
            )
        advice = "score again with termgauge evaluate"
        results = read_table(file, advice).frame
        if dict(results.schema) != SCHEMA:
            raise TermgaugeError(f"{file}: does not have the columns of results; {advice}.")
        return results


def scores_in(file: Path) -> Scores:
    """Read a file of scores."""
    return _numbers(read_table(file, _ADVICE).frame, file)


def _numbers(frame: pl.DataFrame, file: Path) -> Scores:
    if not all(dtype.is_numeric() for dtype in frame.dtypes):
        raise TermgaugeError(f"{file}: is damaged, since scores are numbers; {_ADVICE}.")
    return {name: frame[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in frame.columns}
