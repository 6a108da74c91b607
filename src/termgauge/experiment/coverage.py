"""How well do models cover a domain? The terminology is read, the domain made or read, each model measured on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from termgauge.domain.domain import Domain, make_domain, read_domain
from termgauge.domain.labels import checked_labels
from termgauge.exceptions import TermgaugeError, warn
from termgauge.experiment.evaluate import open_models
from termgauge.statistics.bootstrap import SEED
from termgauge.statistics.corrections import checked_correction
from termgauge.statistics.inputs import checked_level
from termgauge.tasks.coverage.measure import KS, ModelCoverage, checked_ks, cover, coverage_statistics
from termgauge.tasks.coverage.result import CoverageReport
from termgauge.terminology.model import Terminology

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Sequence

    from termgauge.embeddings.model import Model

_Found = TypeVar("_Found")
_WAYS = ("concepts", "branches", "lists", "mmi", "texts")
_CHOICES = ("hops", "include_relations", "exclude_relations", "best", "semantic_types")


def coverage(
    source: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Terminology,
    models: Iterable[str | Model],
    *,
    domain: Domain | str | os.PathLike[str] | None = None,
    ks: Sequence[int] = KS,
    labels: str = "first",
    join: str | None = None,
    lowercase: bool = False,
    alpha: float = 0.05,
    correction: str = "bonferroni",
    seed: int = SEED,
    **options: Any,  # noqa: ANN401
) -> CoverageReport:
    """Measure how well models cover a domain.

    Parameters
    ----------
    source
        A terminology, or where to read it.
    models
        Specs or models. One that cannot be used is left out, with a warning; the others go on.
    domain
        A domain, or the file of one; if not given, it is made as `options` say.
    ks
        Numbers of neighbours to look at.
    labels
        What stands for a concept under models of words: the ``first`` of its labels that is in the vocabulary, in the
        terminology's rank order, or ``all`` that are.
    join, lowercase
        Other ways to look labels up, as for :func:`~termgauge.domain.labels.concept_rows`. By default labels are
        looked up as they are written, and not otherwise.
    alpha, correction, seed
        Of intervals over seeds and of tests between models.
    **options
        How to make the domain: see :func:`~termgauge.domain.domain.domain` (`concepts`, `branches`, `lists`,
        `mmi`, `texts`, `hops` and so on); and options of :func:`~termgauge.terminology.read_terminology`.

    Raises
    ------
    TermgaugeError
        If the domain cannot be made, or no model can be used.
    """
    checked_level(alpha)
    checked_correction(correction)
    checked_labels(labels)
    ks = checked_ks(ks)
    opened, left_out = open_models(models, ())
    terminology, chosen = terminology_and_domain(source, domain, options)

    def measured(model: Model) -> ModelCoverage:
        return cover(model, terminology, chosen, ks, labels=labels, join=join, lowercase=lowercase)

    found, problems = measure_each(opened, measured)
    statistics = coverage_statistics(list(found.values()), ks, alpha=alpha, correction=correction, seed=seed)
    return CoverageReport(chosen, ks, labels, found, statistics, (*left_out, *problems))


def measure_each(models: Iterable[Model], measured: Callable[[Model], _Found]) -> tuple[dict[str, _Found], list[str]]:
    """Measure models one after another; return what was found, and a sentence for each that could not be measured.

    Raises
    ------
    TermgaugeError
        If none could be measured.
    """
    found: dict[str, _Found] = {}
    problems: list[str] = []
    for model in models:
        try:
            found[model.name] = measured(model)
        except TermgaugeError as error:
            problems.append(f"{model.name}: {error}")
    if not found:
        raise TermgaugeError(problems[0])
    for problem in problems:
        warn(f"A model cannot be used and is left out: {problem}")
    return found, problems


def terminology_and_domain(
    source: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Terminology,
    given: Domain | str | os.PathLike[str] | None,
    options: dict[str, Any],
) -> tuple[Terminology, Domain]:
    """Read a terminology and make or read a domain of it.

    Parameters
    ----------
    source
        A terminology, or where to read it.
    given
        A domain, or the file of one; None to make it.
    options
        How to make it, and how to read the terminology.

    Raises
    ------
    TermgaugeError
        If there is both a domain and how to make one, or neither.
    """
    ways = {name: options[name] for name in (*_WAYS, *_CHOICES) if name in options}
    reading = {name: value for name, value in options.items() if name not in ways}
    wanted = [name for name in _WAYS if ways.get(name)]
    if given is not None and wanted:
        raise TermgaugeError(f"A domain is given and also how to make one ({wanted[0]}); leave one of them out.")
    if given is None and not wanted:
        raise TermgaugeError(
            "No domain was named; name a concept with --concept, a branch with --branch, ids with --list, a text with "
            "--text, or the file of a domain with --domain."
        )
    made = read_domain(given) if given is not None and not isinstance(given, Domain) else given
    from termgauge.terminology import read_terminology

    terminology = source if isinstance(source, Terminology) else read_terminology(source, **reading)
    if made is None:
        return terminology, make_domain(terminology, **ways)
    _say_if_of_another(made, terminology)
    return terminology, made


def _say_if_of_another(made: Domain, terminology: Terminology) -> None:
    of = made.terminology
    if of.get("sha256", terminology.identity.sha256) != terminology.identity.sha256:
        name = " ".join(filter(None, (of.get("edition"), of.get("version")))) or "another terminology"
        warn(
            f"The domain was made from {name} as it was read then, not from {terminology.identity.slug} as it is read "
            "now; labels are those of the latter."
        )
