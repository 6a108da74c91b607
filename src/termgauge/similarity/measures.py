"""The measures of similarity by name: what each compares, its range and where it comes from.

A measure is declared here and nowhere else. Its name is what is typed on the command line, what stands in the files of
a run and what the report shows. What it means is defined in :mod:`termgauge.similarity.reference`; it is computed by
:mod:`termgauge.similarity.kernels`. Which measures a kind of model has, which of them usually stands for it, and what a
measure is called for another kind is asked here too.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, get_args

from termgauge.embeddings.model import Kind
from termgauge.exceptions import TermgaugeError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Family = Literal["cosine", "pearson", "spearman", "kendall", "jaccard", "own"]
Pooling = Literal["mean", "pairs", "sets", "maxima", "none"]
USUAL = "usual"
"""The word for the measure that a kind of model is usually reported with."""
OWN_MEASURE = "similarity"
"""The one measure of models that score pairs by themselves, such as edit distance."""
_USUAL: Mapping[str, str] = {"words": "avg_cos", "terms": "cos", "concepts": "cos", "pairs": OWN_MEASURE}

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
        What it computes with: cosine, Pearson's, Spearman's or Kendall's correlation, a Jaccard ratio, or what the
        model itself says.
    pooling
        What becomes of several word vectors: their mean is compared, or all pairs of words are and the mean is of
        those similarities, or they are fuzzy sets, or their component-wise maxima are compared.
    of
        ``"words"`` if it compares the word vectors of two terms, ``"terms"`` if it compares one vector with another
        (of a term or of a concept), ``"pairs"`` if the model scores pairs by itself.
    range
        The lowest and the highest value it can take.
    citation
        Where it was proposed.
    description
        What it is, in one line.
    """

    name: str
    family: Family
    pooling: Pooling
    of: Literal["words", "terms", "pairs"]
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
        Measure(
            f"avg_{name}", family, "mean", "words", between, citation, f"{what} of the two means of the word vectors"
        )
        for name, (family, what, citation) in _COEFFICIENTS.items()
    ]
    pairwise = [
        Measure(f"pair_{name}", family, "pairs", "words", between, citation, f"mean {what} over all pairs of words")
        for name, (family, what, citation) in _COEFFICIENTS.items()
    ]
    jaccard = [
        Measure(
            "fuzzy_jaccard",
            "jaccard",
            "sets",
            "words",
            (0.0, 1.0),
            _FUZZY_SETS,
            "Jaccard ratio of the two terms as fuzzy sets over the words of both",
        ),
        Measure(
            "max_jaccard",
            "jaccard",
            "maxima",
            "words",
            (0.0, 1.0),
            _FUZZY_SETS,
            "Jaccard ratio of the two component-wise maxima of the word vectors",
        ),
    ]
    of_terms = [
        Measure(name, family, "none", "terms", between, citation, f"{what} of the two vectors")
        for name, (family, what, citation) in _COEFFICIENTS.items()
    ]
    own = Measure(OWN_MEASURE, "own", "none", "pairs", (0.0, 1.0), "", "the model's own similarity of two terms")
    return [*average, *pairwise, *jaccard, *of_terms, own]


MEASURES: Mapping[str, Measure] = MappingProxyType({measure.name: measure for measure in _declared()})
"""Every measure by its name, those of word vectors first, that of pairs last."""


def measures_for(kind: Kind) -> tuple[Measure, ...]:
    """Return the measures that can be used with a kind of model.

    Examples
    --------
    >>> [measure.name for measure in measures_for("terms")]
    ['cos', 'pearson', 'spearman', 'kendall']
    >>> len(measures_for("words"))
    10
    """
    if kind not in get_args(Kind):
        raise TermgaugeError(f"There is no kind of model '{kind}'; take one of {_listed(get_args(Kind))}.")
    of = "terms" if kind == "concepts" else kind
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


def default_measure(kind: Kind) -> str:
    """Return the measure that a kind of model is usually reported with.

    Examples
    --------
    >>> default_measure("words"), default_measure("terms")
    ('avg_cos', 'cos')
    """
    return _USUAL[kind]


def alike(one: str, other: str) -> bool:
    """Say whether two names are of one measure, as models of different kinds call it.

    A measure of single vectors is, of word vectors, that of their mean.

    Examples
    --------
    >>> alike("cos", "avg_cos"), alike("cos", "pair_cos"), alike("max_jaccard", "max_jaccard")
    (True, False, True)
    """
    poolings = [(known.family, known.pooling in ("mean", "none")) for known in map(MEASURES.get, (one, other)) if known]
    return one == other or (len(poolings) == 2 and poolings[0] == poolings[1] and poolings[0][1])


def translated(name: str, kind: Kind) -> str:
    """Return what a measure is called for a kind of model.

    Raises
    ------
    TermgaugeError
        If that kind has no measure like it.

    Examples
    --------
    >>> translated("avg_cos", "terms"), translated("cos", "words"), translated("max_jaccard", "words")
    ('cos', 'avg_cos', 'max_jaccard')
    """
    same = [measure.name for measure in measures_for(kind) if alike(measure.name, name)]
    return same[0] if same else find_measures([name], kind)[0].name


def chosen_measures(kind: Kind, wanted: Sequence[str]) -> tuple[str, ...]:
    """Return which of the wanted measures a kind of model has; all it has if none is named.

    Raises
    ------
    TermgaugeError
        If a name is no measure at all.
    """
    names = [checked_measure(name) for name in wanted]
    own = tuple(measure.name for measure in measures_for(kind))
    if not names or kind == "pairs":
        return own
    return tuple(name for name in own if any(alike(name, each) for each in names))


def checked_measure(wanted: str, *words: str) -> str:
    """Return the name of a measure, or one of some words that may stand in its place, such as ``usual``.

    Raises
    ------
    TermgaugeError
        If it is neither.
    """
    known = [*words, *MEASURES]
    if wanted not in known:
        named = f"no measure, nor {' or '.join(map(repr, words))}" if words else "no measure of similarity"
        raise TermgaugeError(f"'{wanted}' is {named}.{did_you_mean(wanted, known)}")
    return wanted


def standing_measure(own: Iterable[str], kind: str, wanted: str = USUAL) -> str | None:
    """Return which of the measures that a model has stands for it: the wanted one, else its usual one, else its first.

    Examples
    --------
    >>> own = ["avg_cos", "avg_kendall"]
    >>> standing_measure(own, "words"), standing_measure(own, "words", "kendall")
    ('avg_cos', 'avg_kendall')
    """
    there = list(own)
    wanted_ones = [name for name in there if alike(name, wanted)]
    usual_ones = [name for name in there if name == _USUAL.get(kind)]
    return next(iter([*wanted_ones, *usual_ones, *there]), None)


def _listed(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}"
