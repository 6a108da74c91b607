"""The measures of similarity by name: what each compares, its range and where it comes from.

A measure is declared here and nowhere else. Its name is what is typed on the command line, what stands in the files of
a run and what the report shows. What it means is defined in :mod:`termgauge.similarity.reference`; it is computed by
:mod:`termgauge.similarity.kernels`. Which measures a kind of model has, which of them usually stands for it, and what a
measure is called for another kind is asked here too.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, cast, get_args

from termgauge.embeddings.model import Kind
from termgauge.exceptions import TermgaugeError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Family = Literal["cosine", "pearson", "spearman", "kendall", "jaccard", "own"]
Pooling = Literal["mean", "pairs", "sets", "maxima", "none"]
Of = Literal["words", "terms", "pairs"]
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
    """A similarity of two terms; it prints as its name."""

    name: str
    family: Family
    """What it computes with: a cosine, a correlation, a Jaccard ratio, or what the model itself says."""
    pooling: Pooling
    """What becomes of several word vectors: their mean is compared, or all pairs of words are and the mean is of those
    similarities, or they are fuzzy sets, or their component-wise maxima are compared."""
    of: Of
    """Whether it compares the word vectors of two terms, one vector with another (of a term or of a concept), or the
    model scores pairs by itself."""
    range: tuple[float, float]
    citation: str
    description: str

    def __str__(self) -> str:
        return self.name


_COEFFICIENTS: dict[str, tuple[Family, str, str]] = {
    "cos": ("cosine", "cosine", _TERM_SIMILARITY),
    "pearson": ("pearson", "Pearson's r", _CORRELATIONS),
    "spearman": ("spearman", "Spearman's rho (ties get average ranks)", _CORRELATIONS),
    "kendall": ("kendall", "Kendall's tau-b", _CORRELATIONS),
}


def _with_coefficients(name: str, pooling: Pooling, of: Of, description: str) -> list[Measure]:
    """Return a measure for each coefficient, which stands in its name and description."""
    return [
        Measure(name.format(short), family, pooling, of, (-1.0, 1.0), citation, description.format(what))
        for short, (family, what, citation) in _COEFFICIENTS.items()
    ]


def _jaccard(name: str, pooling: Pooling, description: str) -> Measure:
    return Measure(name, "jaccard", pooling, "words", (0.0, 1.0), _FUZZY_SETS, description)


_DECLARED = (
    *_with_coefficients("avg_{}", "mean", "words", "{} of the two means of the word vectors"),
    *_with_coefficients("pair_{}", "pairs", "words", "mean {} over all pairs of words"),
    _jaccard("fuzzy_jaccard", "sets", "Jaccard ratio of the two terms as fuzzy sets over the words of both"),
    _jaccard("max_jaccard", "maxima", "Jaccard ratio of the two component-wise maxima of the word vectors"),
    *_with_coefficients("{}", "none", "terms", "{} of the two vectors"),
    Measure(OWN_MEASURE, "own", "none", "pairs", (0.0, 1.0), "", "the model's own similarity of two terms"),
)
MEASURES: Mapping[str, Measure] = MappingProxyType({measure.name: measure for measure in _DECLARED})
"""Every measure by its name, those of word vectors first, that of pairs last."""


def measures_for(kind: Kind) -> tuple[Measure, ...]:
    """Return the measures that can be used with a kind of model."""
    if kind not in get_args(Kind):
        raise TermgaugeError(f"There is no kind of model '{kind}'; take one of {_listed(get_args(Kind))}.")
    of = "terms" if kind == "concepts" else kind
    return tuple(measure for measure in MEASURES.values() if measure.of == of)


def find_measure(name: str) -> Measure:
    """Return the measure of a name."""
    if name in MEASURES:
        return MEASURES[name]
    hint = did_you_mean(name, MEASURES) or f" Take one of {_listed(MEASURES)}."
    raise TermgaugeError(f"There is no measure '{name}'.{hint}")


def find_measures(names: Iterable[str], kind: Kind) -> tuple[Measure, ...]:
    """Return the measures of some names, all of which must fit a kind of model."""
    fitting = measures_for(kind)
    measures = tuple(find_measure(name) for name in names)
    for measure in measures:
        if measure not in fitting:
            raise TermgaugeError(
                f"The measure '{measure}' compares vectors of {measure.of}, not of {kind}; "
                f"take one of {_listed(map(str, fitting))}."
            )
    return measures


def default_measure(kind: Kind) -> str:
    """Return the measure that a kind of model is usually reported with."""
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
    """Return what a measure is called for a kind of model, which must have one like it.

    Examples
    --------
    >>> translated("avg_cos", "terms"), translated("cos", "words"), translated("max_jaccard", "words")
    ('cos', 'avg_cos', 'max_jaccard')
    """
    same = [measure.name for measure in measures_for(kind) if alike(measure.name, name)]
    return same[0] if same else find_measures([name], kind)[0].name


def chosen_measures(kind: Kind, wanted: Sequence[str]) -> tuple[str, ...]:
    """Return which of the wanted measures a kind of model has; all it has if none is named."""
    names = [checked_measure(name) for name in wanted]
    own = tuple(measure.name for measure in measures_for(kind))
    if not names or kind == "pairs":
        return own
    return tuple(name for name in own if any(alike(name, each) for each in names))


def checked_measure(wanted: str, *words: str) -> str:
    """Return the name of a measure, or one of some words that may stand in its place, such as ``usual``."""
    known = [*words, *MEASURES]
    if wanted not in known:
        named = f"no measure, nor {' or '.join(map(repr, words))}" if words else "no measure of similarity"
        raise TermgaugeError(f"'{wanted}' is {named}.{did_you_mean(wanted, known)}")
    return wanted


def wanted_for(wanted: str, kind: str) -> str:
    """Return which measure is wanted of a kind of model, where one may be named for each kind.

    Examples
    --------
    >>> wanted = "words=fuzzy_jaccard, terms=kendall"
    >>> [wanted_for(wanted, kind) for kind in ("words", "terms", "pairs")] + [wanted_for("best", "terms")]
    ['fuzzy_jaccard', 'kendall', 'usual', 'best']
    """
    named = _by_kind(wanted)
    return named.get(kind, named.get("", USUAL))


def checked_standing(wanted: str, *words: str) -> str:
    """Return the measure that is to stand for models, or one for each kind of model, if there are such measures.

    Examples
    --------
    >>> checked_standing("words=fuzzy_jaccard, terms=kendall", "usual")
    'words=fuzzy_jaccard, terms=kendall'
    >>> checked_standing("terms=fuzzy_jaccard")
    Traceback (most recent call last):
    termgauge.exceptions.TermgaugeError: The measure 'fuzzy_jaccard' compares vectors of words, not of terms; \
take one of cos, pearson, spearman or kendall.
    """
    for kind, name in _by_kind(wanted).items():
        if kind and kind not in get_args(Kind):
            close = did_you_mean(kind, get_args(Kind))
            raise TermgaugeError(f"There is no kind of model '{kind}'; take one of {_listed(get_args(Kind))}.{close}")
        if checked_measure(name, *words) not in words and kind:
            translated(name, cast("Kind", kind))
    return wanted


def _by_kind(wanted: str) -> dict[str, str]:
    """Return the measures that are named, by kind of model; that of no kind is for all others."""
    parts = (part.strip().rpartition("=") for part in wanted.split(","))
    return {kind.strip(): name.strip() for kind, _, name in parts}


def standing_measure(own: Iterable[str], kind: str, wanted: str = USUAL) -> str | None:
    """Return which of the measures that a model has stands for it: the wanted one, else its usual one, else its first.

    Examples
    --------
    >>> own = ["avg_cos", "avg_kendall"]
    >>> standing_measure(own, "words"), standing_measure(own, "words", "kendall")
    ('avg_cos', 'avg_kendall')
    """
    there = list(own)
    wanted_ones = [name for name in there if alike(name, wanted_for(wanted, kind))]
    usual_ones = [name for name in there if name == _USUAL.get(kind)]
    return next(iter([*wanted_ones, *usual_ones, *there]), None)


def _listed(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}"
