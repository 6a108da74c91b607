"""One model of an experiment, scored on all sets: a task that any worker can do who sees the run folder.

What goes in and comes out is plain, so that a task may run in this process, in another, or on another machine behind
any ``concurrent.futures.Executor``. A model that fails says so in what it returns; only a folder that cannot be written
ends the whole.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termgauge.exceptions import CannotWriteError, TermgaugeError, TermgaugeWarning, sentence_of
from termgauge.experiment.evaluate import jobs_of, score_job
from termgauge.experiment.run_folder import RunFolder
from termgauge.progress import track
from termgauge.similarity.measures import chosen_measures

if TYPE_CHECKING:
    from termgauge.embeddings.model import Model

OPENING, SCORING = "opening", "scoring"


@dataclass(frozen=True)
class Failure:
    """Why a model is not in all results."""

    step: str
    reason: str

    def as_dict(self) -> dict[str, str]:
        """Return it as JSON-like values."""
        return {"step": self.step, "reason": self.reason}


@dataclass(frozen=True)
class ScoringTask:
    """What is to be scored."""

    run: str
    """The run folder, which holds the sets."""
    name: str
    spec: str
    sets: tuple[str, ...]
    measures: tuple[str, ...]
    data_dir: str | None = None


@dataclass(frozen=True)
class ScoredModel:
    """What became of a task."""

    name: str
    entry: dict[str, Any] | None
    """What ``run.json`` says of the model; None if it did not open."""
    pairs: int = 0
    """How many pairs were scored; those that had been scored before do not count."""
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    """What would have been warned of."""
    failure: Failure | None = None
    concept_ids: dict[str, str] = field(default_factory=dict)


def open_named(name: str, spec: str) -> Model:
    """Open a model under a name.

    Raises
    ------
    TermgaugeError
        If it cannot be opened.
    """
    from termgauge.embeddings.load import load_model
    from termgauge.embeddings.spec import ModelSpec

    return load_model(replace(ModelSpec.parse(spec), given_name=name))


def score_model(task: ScoringTask) -> ScoredModel:
    """Open a model and score it on the sets of a run; what is there already is not scored again.

    Raises
    ------
    CannotWriteError
        If the run folder or the cache cannot be written.
    """
    began = time.monotonic()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TermgaugeWarning)
        found = _scored(task)
    notes = tuple(str(each.message) for each in caught if issubclass(each.category, TermgaugeWarning))
    return replace(found, seconds=time.monotonic() - began, notes=notes)


def _opened(task: ScoringTask) -> Model:
    model = open_named(task.name, task.spec)
    if not chosen_measures(model.kind, task.measures):
        raise TermgaugeError(f"It has none of the measures that were named ({', '.join(task.measures)}).")
    return model


def _scored(task: ScoringTask) -> ScoredModel:
    try:
        model = _opened(task)
        entry = {**model.identity.as_dict(), "from": model.source}
    except CannotWriteError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever is wrong with one model must not stop the others
        return ScoredModel(task.name, None, failure=Failure(OPENING, sentence_of(error)))
    run = RunFolder(Path(task.run))
    sets = [run.read_set(name) for name in task.sets]
    systems: dict[str, str] = {}
    done = 0
    failure = None
    try:
        jobs = jobs_of(run, model, sets, task.measures)
        with track(f"Scoring {task.name}", total=sum(len(job.pairs) for job in jobs), unit="pairs") as advance:
            for job in jobs:
                system = score_job(run, job, Path(task.data_dir) if task.data_dir else None, advance)
                done += len(job.pairs)
                if system:
                    systems[job.pairs.id] = system
    except CannotWriteError:
        raise
    except Exception as error:  # noqa: BLE001 - as above
        failure = Failure(SCORING, sentence_of(error))
    return ScoredModel(task.name, entry, done, failure=failure, concept_ids=systems)
