"""Do a domain's relations hold as analogies? The terminology is read, the domain made or read, and each model asked."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from termgauge.domain.labels import checked_labels
from termgauge.domain.relations import chosen_relations
from termgauge.exceptions import warn
from termgauge.experiment.coverage import measure_each, terminology_and_domain
from termgauge.experiment.evaluate import open_models
from termgauge.statistics.bootstrap import SEED
from termgauge.statistics.corrections import checked_correction
from termgauge.statistics.inputs import checked_level
from termgauge.tasks.analogies.measure import K, ModelAnalogies, analogies_of, checked_ks, checked_method
from termgauge.tasks.analogies.outcomes import outcomes_to
from termgauge.tasks.analogies.result import AnalogyReport

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from termgauge.domain.domain import Domain
    from termgauge.embeddings.model import Model
    from termgauge.tasks.analogies.search import Method
    from termgauge.terminology.model import Terminology


def analogies(
    source: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Terminology,
    models: Iterable[str | Model],
    *,
    domain: Domain | str | os.PathLike[str] | None = None,
    relation: Sequence[str] = (),
    inverse: bool | None = None,
    ks: Sequence[int] = (K,),
    method: str = "add",
    labels: str = "first",
    join: str | None = None,
    lowercase: bool = False,
    alpha: float = 0.05,
    correction: str = "bonferroni",
    seed: int = SEED,
    outcomes: str | os.PathLike[str] | None = None,
    **options: Any,  # noqa: ANN401
) -> AnalogyReport:
    """Measure how well models cover the relations of a domain as analogies.

    Parameters
    ----------
    source
        A terminology, or where to read it.
    models
        Specs or models. One that cannot be used is left out, with a warning; the others go on.
    domain
        A domain, or the file of one; if not given, it is made as `options` say.
    relation, inverse
        Which relations, and whether with their inverses: see
        :func:`~termgauge.domain.relations.chosen_relations`.
    ks
        The answer is to be among so many nearest words; plain figures are for the first.
    method, labels, join, lowercase
        See :func:`~termgauge.tasks.analogies.measure.analogies_of`.
    alpha, correction, seed
        Of intervals over pairs and of tests between models.
    outcomes
        Write the outcome of every single analogy to this Parquet file
        (:data:`~termgauge.tasks.analogies.outcomes.SCHEMA`).
    **options
        How to make the domain: see :func:`~termgauge.domain.domain.domain` (`concepts`, `branches`, `lists`,
        `mmi`, `texts`, `hops` and so on); and options of :func:`~termgauge.terminology.read_terminology`.

    Raises
    ------
    TermgaugeError
        If the domain cannot be made, a relation is not known, or no model can be used.
    """
    checked_level(alpha)
    checked_correction(correction)
    checked_labels(labels)
    checked_method(method)
    ks = checked_ks(ks)
    opened, left_out = open_models(models, ())
    terminology, about = terminology_and_domain(source, domain, options)
    chosen = chosen_relations(terminology, about, relation, inverse=inverse)
    for note in chosen.notes:
        warn(note)
    with outcomes_to(None if outcomes is None else Path(outcomes), chosen.relations) as kept:

        def measured(model: Model) -> ModelAnalogies:
            return analogies_of(
                model,
                terminology,
                chosen.relations,
                ks,
                method=cast("Method", method),
                labels=labels,
                join=join,
                lowercase=lowercase,
                keep=None if kept is None else partial(kept.add, model.name),
            )

        found, problems = measure_each(opened, measured)
    return AnalogyReport.of(
        about,
        terminology.identity,
        chosen.relations,
        ks,
        found,
        method=method,
        labels=labels,
        alpha=alpha,
        correction=correction,
        seed=seed,
        notes=chosen.notes,
        left_out=(*left_out, *problems),
    )
