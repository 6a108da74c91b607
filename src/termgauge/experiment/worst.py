"""The most confident wrong pairs of a run, to see why a model fails: see :mod:`termgauge.tasks.pairs.worst`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.experiment.run_folder import RunFolder, open_run
from termgauge.similarity.measures import USUAL, alike, standing_measure
from termgauge.tasks.pairs.worst import WorstPairs, worst_pairs

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping


def errors(
    run: str | os.PathLike[str] | RunFolder,
    model: str,
    set: str,  # noqa: A002
    *,
    measure: str | None = None,
    n: int = 20,
    only: str | None = None,
) -> WorstPairs:
    """Return the most confident wrong pairs of a model on a set.

    Parameters
    ----------
    run
        A run folder.
    model, set
        Names in the run.
    measure
        Which scores to look at; the model's usual ones if not given.
    n
        How many pairs at most.
    only
        Only ``false positive`` or ``false negative`` ones (binary sets), only ``too high`` or ``too low`` ones (graded
        sets). Distances above and below a threshold are not always alike, so one kind may hide the other.

    Raises
    ------
    TermgaugeError
        If the run has no such model, set or scores, or the set has no right and wrong.
    """
    opened = open_run(run)
    document = opened.document()
    if model not in document["models"]:
        raise TermgaugeError(f"{opened.path}: has no model '{model}'.{did_you_mean(model, document['models'])}")
    pairs = opened.read_set(set)
    scores = opened.read_scores(model, set)
    if scores is None:
        raise TermgaugeError(f"{opened.path}: '{model}' has no scores on '{set}'; make them with termgauge evaluate.")
    name = _measure(scores, measure, document["models"][model]["kind"], model)
    return worst_pairs(pairs, scores[name], model=model, measure=name, n=n, only=only)


def _measure(scores: Mapping[str, object], wanted: str | None, kind: str, model: str) -> str:
    wanted = wanted or USUAL
    name = standing_measure(scores, kind, wanted)
    if name and (wanted == USUAL or alike(name, wanted)):
        return name
    raise TermgaugeError(
        f"'{model}' has no scores by '{wanted}', only by {', '.join(scores)}.{did_you_mean(wanted, scores)}"
    )
