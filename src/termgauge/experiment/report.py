"""The report on a run: everything that is in a run folder, gathered into one document.

What is missing or damaged costs its section, and the report says so; only a run without results has no report. Scores
are read one group of sets after another, so that a large run does not fill the memory.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from termgauge.document.blocks import Document, Prose, Section
from termgauge.exceptions import TermgaugeError, defect_of, warn
from termgauge.experiment.comparison_store import stored_comparison
from termgauge.experiment.making import facts, failure_section, making_section
from termgauge.experiment.run_folder import EXPERIMENT, RunFolder, file_name, open_run
from termgauge.tasks.analogies.sections import analogy_sections
from termgauge.tasks.categories.sections import category_section
from termgauge.tasks.coverage.sections import coverage_sections
from termgauge.tasks.pairs.results import shared_pairs, truth_of
from termgauge.tasks.pairs.sections.groups import group_sections
from termgauge.tasks.pairs.sections.heatmap import heatmap_section
from termgauge.tasks.pairs.sections.measures import measure_section
from termgauge.tasks.pairs.sections.pictured import score_sections
from termgauge.tasks.pairs.sections.scored_pairs import scored_pairs_section
from termgauge.tasks.pairs.sections.scores import SetScores
from termgauge.tasks.pairs.sections.standings import Standings, standings
from termgauge.tasks.pairs.sections.summary import summary
from termgauge.tasks.pairs.sections.wrong_pairs import WrongMaterial, telling_sets, wrong_pairs_section

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet
    from termgauge.document.set_names import TitledSet
    from termgauge.tasks.pairs.run_comparison import RunComparison

TITLE = "How well do these embeddings know medical terminology?"
_ABOUT_THE_RUN = ("failures", "making")
_UNFIT = (LookupError, TypeError, ValueError, AttributeError, pl.exceptions.PolarsError)
"""What showing a JSON document may end in that is not as this version writes it; or what a defect may."""


def run_document(
    run: str | os.PathLike[str] | RunFolder, *, alpha: float | None = None, correction: str | None = None
) -> Document:
    """Gather the report on a run.

    Parameters
    ----------
    run
        A run folder, of ``termgauge run`` or of ``termgauge evaluate``.
    alpha
        The chance of any false claim on a set; the run's own if not given.
    correction
        ``bonferroni``, ``holm`` or ``none``; the run's own if not given.

    Raises
    ------
    TermgaugeError
        If there is no such run, or it has no results.
    """
    opened = open_run(run)
    document = opened.document()
    found, comparison, missing = run_standings(opened, document, alpha=alpha, correction=correction)
    gathered = _Gathered(opened, document, found, comparison, missing)
    sections = tuple(gathered.sections())
    reasons = {model: reason for model, (_, reason) in gathered.failures.items()}
    return _with_own_ids(
        Document(
            title=str(document.get("title") or TITLE),
            summary=summary(found, gathered.pairs, reasons) if document["sets"] else _without_sets(sections),
            facts=facts(found, document),
            sections=sections,
        )
    )


def _without_sets(sections: Iterable[Section]) -> tuple[str, ...]:
    """Return the summary of a run that scored no pairs: what its sections found, which follows what they ask."""
    begun = [section.blocks[0] for section in sections if section.level == 2 and section.id not in _ABOUT_THE_RUN]
    found = tuple(block.paragraphs[:2][-1] for block in begun if isinstance(block, Prose))
    return found or ("Nothing was measured.",)


def _there(section: Section | None) -> list[Section]:
    return [] if section is None else [section]


def run_standings(
    run: RunFolder,
    document: dict[str, Any],
    *,
    alpha: float | None = None,
    correction: str | None = None,
    statistic: str | None = None,
) -> tuple[Standings, RunComparison | None, list[str]]:
    """Return where each model of a run stands, the comparison, and a sentence for each set without one.

    Parameters
    ----------
    run, document
        The run, and its ``run.json``.
    alpha, correction, statistic
        Of the comparison; the run's own if not given.

    Raises
    ------
    TermgaugeError
        If the run has no results.
    """
    results = run.results()
    chosen = document.get("significance") or {}
    own = {"alpha": document.get("alpha", 0.05), "correction": document.get("correction", "bonferroni")}
    own |= {name: chosen[name] for name in ("measure", "statistic") if name in chosen}
    given = {"alpha": alpha, "correction": correction, "statistic": statistic}
    comparison, problems = stored_comparison(
        run, **own | {name: value for name, value in given.items() if value is not None}
    )
    compared = comparison if comparison.models else None
    graded = {name: bool(entry["graded"]) for name, entry in document["sets"].items() if "graded" in entry}
    found = standings(results, document["models"], graded, compared, alpha=document.get("alpha", 0.05))
    return found, compared, list(problems.values())


def pairs_of(document: dict[str, Any]) -> dict[str, int]:
    """Return how many pairs each set has."""
    return {name: int(entry.get("pairs", 0)) for name, entry in document["sets"].items()}


@dataclass
class _Gathered:
    """A run whose sections are made one after another."""

    run: RunFolder
    document: dict[str, Any]
    found: Standings
    comparison: RunComparison | None
    missing: list[str]
    """Sentences about what is not there."""
    _domains: bool = field(default=False, init=False)

    @property
    def pairs(self) -> dict[str, int]:
        """How many pairs each set has."""
        return pairs_of(self.document)

    @property
    def failures(self) -> dict[str, tuple[str, str]]:
        """For each model that failed, the step and the reason."""
        known = self.document.get("failures") or {}
        found = {name: (str(each.get("step", "")), str(each.get("reason", ""))) for name, each in known.items()}
        for sentence in self.document.get("left_out") or []:
            name, _, reason = str(sentence).partition(": ")
            short = re.sub(r"^([^=:/]+)=.*", r"\1", name)
            found.setdefault(short, ("", reason))
        return found

    def sections(self) -> Iterator[Section]:
        """Make all sections in order."""
        found = self.found
        heat = heatmap_section(found)
        yield from _there(heat)
        yield from group_sections(found)
        yield from score_sections(found, self._scores)
        yield from self._coverage_of_pairs()
        measures = measure_section(found, self.comparison.measures if self.comparison else ())
        yield from _there(measures)
        yield from self._documents("categories", lambda name, one: [category_section(name, one, found.baselines)])
        for part, make in (("coverage", coverage_sections), ("analogies", analogy_sections)):
            made = list(self._documents(part, make))
            self._domains = self._domains or bool(made)
            yield from made
        yield from self._errors()
        self.missing += [
            f"{name} is not there: {reason}" for name, reason in (self.document.get("section_failures") or {}).items()
        ]
        failed = failure_section(self.failures, self.missing)
        yield from _there(failed)
        yield making_section(found, self.document, self._experiment(), domains=self._domains)

    def _coverage_of_pairs(self) -> Iterator[Section]:
        path = self.run.path / "vocabulary.json"
        shown = self._shown(path, lambda _name, known: _there(scored_pairs_section(self.found, self.pairs, known)))
        yield from shown or _there(scored_pairs_section(self.found, self.pairs, None))

    def _documents(self, part: str, make: Callable[[str, dict[str, Any]], Iterable[Section]]) -> Iterator[Section]:
        """Make the sections of all JSON documents in a folder of the run, in the order of the experiment file."""
        named = self.document.get("categories" if part == "categories" else "coverage") or []
        order = {file_name(name): place for place, name in enumerate(named)}
        files = (self.run.path / part).glob("*.json")
        for path in sorted(files, key=lambda path: (order.get(path.stem, len(order)), path)):
            yield from self._shown(path, make)

    def _shown(self, path: Path, make: Callable[[str, dict[str, Any]], Iterable[Section]]) -> list[Section]:
        """Make the sections of a JSON document; none if it is not there, or cannot be read or shown."""
        if not path.is_file():
            return []
        name = path.relative_to(self.run.path).as_posix()
        try:
            one = _json(path)
            return list(make(str(one.get("name") or path.stem), one))
        except TermgaugeError as error:
            self.missing.append(f"{name} cannot be shown: {error}")
        except _UNFIT as error:
            reason = (
                f"{name} cannot be shown: it is not as this version of termgauge writes it, or this is a defect of "
                f"termgauge ({defect_of(error)}); delete it and run again, and report it if that does not help."
            )
            self.missing.append(reason)
            warn(reason)
        return []

    def _scores(self, each: TitledSet, models: Sequence[str]) -> SetScores | None:
        """Read the scores of some models on a labelled set."""
        try:
            pairs, scores = self._shared(each, models)
        except TermgaugeError as error:
            self.missing.append(f"The scores on “{each.title}” cannot be shown: {error}")
            return None
        usable = ~np.isnan(next(iter(scores.values()))) if scores else np.zeros(len(pairs), np.bool_)
        if not usable.any():
            return None
        return SetScores(each, truth_of(pairs)[usable] == 1, {model: own[usable] for model, own in scores.items()})

    def _shared(self, each: TitledSet, models: Sequence[str]) -> tuple[PairSet, dict[str, NDArray[np.float64]]]:
        """Return a set and the scores of some models, each by its measure, NaN but on the pairs that all can score.

        The files of the models are read one by one, so that only the scores asked for are in memory together.
        """
        pairs = self.run.read_set(each.id)
        usable = np.ones(len(pairs), np.bool_)
        kept: dict[str, NDArray[np.float64]] = {}
        for model in self.found.models:
            own = {(model, name): values for name, values in (self.run.read_scores(model, each.id) or {}).items()}
            if any(not np.isnan(values).all() for values in own.values()):
                usable &= shared_pairs(own, len(pairs))
            one = self.found.of(each, model)
            if model in models and one is not None and (model, one.measure) in own:
                kept[model] = own[model, one.measure]
        shared = {model: np.where(usable, values, np.nan) for model, values in kept.items()}
        return pairs, {model: values for model, values in shared.items() if not np.isnan(values).all()}

    def _errors(self) -> Iterator[Section]:
        materials = []
        for each in telling_sets(self.found):
            try:
                pairs, scores = self._shared(each, self.found.models)
            except TermgaugeError as error:
                self.missing.append(f"The errors on “{each.title}” cannot be shown: {error}")
                continue
            measures = {model: one.measure for model in scores if (one := self.found.of(each, model))}
            materials.append(WrongMaterial(each, pairs, scores, measures))
        made = wrong_pairs_section(self.found, materials)
        yield from [made] if made else []

    def _experiment(self) -> str | None:
        path = self.run.path / EXPERIMENT
        try:
            return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None
        except OSError:
            return None


def _json(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise TermgaugeError(f"{path}: cannot be read ({error}); delete it and run again.") from None
    if not isinstance(document, dict):
        raise TermgaugeError(f"{path}: does not hold what it should; delete it and run again.")
    return document


def _with_own_ids(document: Document) -> Document:
    """Return a document in which no two sections, tables or figures have the same id."""
    seen: set[str] = set()

    def own(name: str) -> str:
        number, fresh = 1, name
        while fresh in seen:
            number += 1
            fresh = f"{name}-{number}"
        seen.add(fresh)
        return fresh

    sections = []
    for section in document.sections:
        blocks = tuple(
            block if isinstance(block, Prose) else replace(block, id=own(block.id)) for block in section.blocks
        )
        sections.append(replace(section, id=own(f"section-{section.id}").removeprefix("section-"), blocks=blocks))
    return replace(document, sections=tuple(sections))
