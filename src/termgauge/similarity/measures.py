"""The measures of similarity by name: what each compares, its range and where it comes from.

A measure is declared here and nowhere else. Its name is what is typed on the command line, what stands in the files of
a run and what the report shows. What it means is defined in :mod:`termgauge.similarity.reference`; it is computed by
:mod:`termgauge.similarity.kernels`.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from termgauge.exceptions import TermgaugeError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Family = Literal["cosine", "pearson", "spearman", "kendall", "jaccard"]
Kind = Literal["words", "terms", "concepts"]

_CORRELATIONS = (
    "Zhelezniak V, Savkov A, Shen A, Hammerla N. Correlation coefficients and semantic textual similarity. "
    "NAACL-HLT 2019:951-962."
)
_FUZZY_SETS = (
    "Zhelezniak V, Savkov A, Shen A, Moramarco F, Flann J, Hammerla NY. Don't settle for average, go for the max: "
    "fuzzy sets and max-pooled word vectors. ICLR 2019."
)
_TERM_SIMILARITY = (
    "Schulz C, Juric D. Can embeddings adequately represent medical terminology? New large-scale medical term "
    "similarity datasets have the answer! AAAI 2020, 34(5):8775-8782."
)


@dataclass(frozen=True)
class Measure:
    """A similarity of two terms.

    Attributes
    ----------
    name
        The name it has everywhere.
    family
        What it computes with: cosine, Pearson's, Spearman's or Kendall's correlation, or a Jaccard ratio.
    of
        ``"words"`` if it compares the word vectors of two terms, ``"terms"`` if it compares one vector with another
        (of a term or of a concept).
    range
        The lowest and the highest value it can take.
    citation
        Where it was proposed.
    description
        What it is, in one line.
    """

    name: str
    family: Family
    of: Literal["words", "terms"]
    range: tuple[float, float]
    citation: str
    description: str

    def __str__(self) -> str:
        """Return the name, so that a measure prints as it is typed."""
        return self.name


_COEFFICIENTS: dict[str, tuple[Family, str, str]] = {
    "cos": ("cosine", "cosine", _TERM_SIMILARITY),
    "pearson": ("pearson", "Pearson's r", _CORRELATIONS),
    "spearman": ("spearman", "Spearman's rho (ties get average ranks)", _CORRELATIONS),
    "kendall": ("kendall", "Kendall's tau-b", _CORRELATIONS),
}


def _declared() -> list[Measure]:
    between = (-1.0, 1.0)
    average = [
        Measure(f"avg_{name}", family, "words", between, citation, f"{what} of the two means of the word vectors")
        for name, (family, what, citation) in _COEFFICIENTS.items()
    ]
    pairwise = [
        Measure(f"pair_{name}", family, "words", between, citation, f"mean {what} over all pairs of words")
        for name, (family, what, citation) in _COEFFICIENTS.items()
    ]
    jaccard = [
        Measure(
            "fuzzy_jaccard",
            "jaccard",
            "words",
            (0.0, 1.0),
            _FUZZY_SETS,
            "Jaccard ratio of the two terms as fuzzy sets over the words of both",
        ),
        Measure(
            "max_jaccard",
            "jaccard",
            "words",
            (0.0, 1.0),
            _FUZZY_SETS,
            "Jaccard ratio of the two component-wise maxima of the word vectors",
        ),
    ]
    of_terms = [
        Measure(name, family, "terms", between, citation, f"{what} of the two vectors")
        for name, (family, what, citation) in _COEFFICIENTS.items()
    ]
    return [*average, *pairwise, *jaccard, *of_terms]


MEASURES: Mapping[str, Measure] = MappingProxyType({measure.name: measure for measure in _declared()})
"""Every measure by its name, those of word vectors first."""


def measures_for(kind: Kind) -> tuple[Measure, ...]:
    """Return the measures that can be used with a kind of model.

    Parameters
    ----------
    kind
        ``"words"``, ``"terms"`` or ``"concepts"``.

    Examples
    --------
    >>> [measure.name for measure in measures_for("terms")]
    ['cos', 'pearson', 'spearman', 'kendall']
    >>> len(measures_for("words"))
    10
    """
    if kind not in ("words", "terms", "concepts"):
        kinds = ["words", "terms", "concepts"]
        raise TermgaugeError(f"There is no kind of model '{kind}'; take one of {_listed(kinds)}.")
    of = "words" if kind == "words" else "terms"
    return tuple(measure for measure in MEASURES.values() if measure.of == of)


def find_measure(name: str) -> Measure:
    """Return the measure of a name.

    Raises
    ------
    TermgaugeError
        If there is none; the message names the closest one, or all.

    Examples
    --------
    >>> find_measure("avg_cos").range
    (-1.0, 1.0)
    """
    if name in MEASURES:
        return MEASURES[name]
    hint = did_you_mean(name, MEASURES) or f" Take one of {_listed(MEASURES)}."
    raise TermgaugeError(f"There is no measure '{name}'.{hint}")


def find_measures(names: Iterable[str], kind: Kind) -> tuple[Measure, ...]:
    """Return the measures of some names, all of which must fit a kind of model.

    Raises
    ------
    TermgaugeError
        If a name is unknown, or if its measure is made for another kind of vectors.

    Examples
    --------
    >>> [measure.name for measure in find_measures(["avg_cos", "max_jaccard"], "words")]
    ['avg_cos', 'max_jaccard']
    """
    fitting = measures_for(kind)
    found = tuple(find_measure(name) for name in names)
    for measure in found:
        if measure not in fitting:
            raise TermgaugeError(
                f"The measure '{measure}' compares vectors of {measure.of}, not of {kind}; "
                f"take one of {_listed(map(str, fitting))}."
            )
    return found


def _listed(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}"
