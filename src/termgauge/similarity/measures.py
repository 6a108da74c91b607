"""The measures of similarity by name: what each compares, its range and where it comes from.

A measure is declared once. Its name is what is typed on the command line, what stands in the files of a run and what
the report shows. The coefficients and Jaccard ratios are declared here, defined in `termgauge.similarity.reference` and
computed by `termgauge.similarity.kernels`. Any other measure is one module with a ``MEASURE`` that brings its own
function: in this folder, named in ``_MODULES``, or in another package, with a ``termgauge.measures`` entry point.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Literal, cast, get_args

from termgauge.embeddings.model import Kind
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.plugins import with_plugins

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

Family = Literal["cosine", "pearson", "spearman", "kendall", "jaccard", "own"]
Pooling = Literal["mean", "pairs", "sets", "maxima", "none"]
Operand = Literal["words", "terms", "pairs"]
GROUP = "termgauge.measures"
USUAL = "usual"
"""The word for the measure that a kind of model is usually reported with."""
OWN_MEASURE = "similarity"
"""The one measure of models that score pairs by themselves, such as edit distance."""
_USUAL: Mapping[str, str] = {"words": "avg_cos", "terms": "cos", "concepts": "cos", "pairs": OWN_MEASURE}
_MODULES: tuple[str, ...] = ()
"""The modules of this folder that declare a measure with a function of its own."""

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
_COEFFICIENTS: Mapping[str, tuple[Family, str, str]] = {
    "cos": ("cosine", "cosine", _TERM_SIMILARITY),
    "pearson": ("pearson", "Pearson's r", _CORRELATIONS),
    "spearman": ("spearman", "Spearman's rho (ties get average ranks)", _CORRELATIONS),
    "kendall": ("kendall", "Kendall's tau-b", _CORRELATIONS),
}
_JACCARD: Mapping[str, tuple[Family, str, str]] = {"jaccard": ("jaccard", "Jaccard ratio", _FUZZY_SETS)}
_POOLINGS: Mapping[str, set[str]] = {
    **{family: {"mean", "pairs", "none"} for family, _, _ in _COEFFICIENTS.values()},
    "jaccard": {"sets", "maxima"},
}
"""What the kernels compute: by family, the ways of pooling words."""


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A similarity of two terms; it prints as its name."""

    name: str
    compares: Operand
    """Whether it compares the word vectors of two terms, one vector with another (of a term or of a concept), or the
    model scores pairs by itself."""
    range: tuple[float, float]
    description: str
    citation: str = ""
    function: Callable[[NDArray[np.float64], NDArray[np.float64]], float] | None = None
    """Returns the similarity of two matrices with a row for each word, or of two vectors if terms are compared; NaN if
    it is not defined. It gets finite numbers in double precision, and at least one word."""
    kernel: Callable[..., None] | None = None
    """Computes what ``function`` defines for many pairs at a time, if that takes too long: ``kernel(vectors, offsets,
    rows, first, second, out)`` writes ``out[p]`` for the terms ``first[p]`` and ``second[p]``. Term t has the vectors
    ``vectors[rows[offsets[t]:offsets[t + 1]]]``. Several threads may call it at a time."""
    family: Family = "own"
    """What it computes with: a cosine, a correlation, a Jaccard ratio, or a function of its own."""
    pooling: Pooling = "none"
    """What becomes of several word vectors: their mean is compared, or all pairs of words are and the mean is of those
    similarities, or they are fuzzy sets, or their component-wise maxima are compared."""

    def __post_init__(self) -> None:
        computed = self.function is not None or self.compares == "pairs"
        if not computed and self.pooling not in _POOLINGS.get(self.family, set()):
            raise ValueError(
                f"nothing computes the measure '{self.name}' ({self.family}, {self.pooling}): give it a function"
            )

    def __str__(self) -> str:
        return self.name


def _measures(
    name: str,
    pooling: Pooling,
    compares: Operand,
    description: str,
    coefficients: Mapping[str, tuple[Family, str, str]] = _COEFFICIENTS,
    lowest: float = -1.0,
) -> list[Measure]:
    """Return a measure for each coefficient, which stands in its name and description."""
    return [
        Measure(
            name=name.format(short),
            compares=compares,
            range=(lowest, 1.0),
            description=description.format(what),
            citation=citation,
            family=family,
            pooling=pooling,
        )
        for short, (family, what, citation) in coefficients.items()
    ]


_SETS = "{} of the two terms as fuzzy sets over the words of both"
_MAXIMA = "{} of the two component-wise maxima of the word vectors"
_DECLARED = (
    *_measures("avg_{}", "mean", "words", "{} of the two means of the word vectors"),
    *_measures("pair_{}", "pairs", "words", "mean {} over all pairs of words"),
    *_measures("fuzzy_{}", "sets", "words", _SETS, _JACCARD, 0.0),
    *_measures("max_{}", "maxima", "words", _MAXIMA, _JACCARD, 0.0),
    *_measures("{}", "none", "terms", "{} of the two vectors"),
    Measure(
        name=OWN_MEASURE, compares="pairs", range=(0.0, 1.0), description="the model's own similarity of two terms"
    ),
)


@cache
def all_measures() -> Mapping[str, Measure]:
    """Return every measure by its name: those of word vectors first, those with a function of their own last."""
    modules = [import_module(f"termgauge.similarity.{name}").MEASURE for name in _MODULES]
    return with_plugins(GROUP, Measure, {measure.name: measure for measure in (*_DECLARED, *modules)})


def measures_for(kind: Kind) -> tuple[Measure, ...]:
    """Return the measures that can be used with a kind of model."""
    if kind not in get_args(Kind):
        raise TermgaugeError(f"There is no kind of model '{kind}'; take one of {_listed(get_args(Kind))}.")
    of = "terms" if kind == "concepts" else kind
    return tuple(measure for measure in all_measures().values() if measure.compares == of)


def find_measure(name: str, *words: str) -> Measure:
    """Return the measure of a name; `words` are what else the user could have written."""
    if name in all_measures():
        return all_measures()[name]
    names = [*words, *all_measures()]
    what = f", nor {' or '.join(map(repr, words))}" if words else " of similarity"
    hint = did_you_mean(name, names) or f" Take one of {_listed(names)}."
    raise TermgaugeError(f"'{name}' is no measure{what}.{hint}")


def find_measures(names: Iterable[str], kind: Kind) -> tuple[Measure, ...]:
    """Return the measures of some names, all of which must fit a kind of model."""
    fitting = measures_for(kind)
    measures = tuple(find_measure(name) for name in names)
    for measure in measures:
        if measure not in fitting:
            raise TermgaugeError(
                f"The measure '{measure}' compares vectors of {measure.compares}, not of {kind}; "
                f"take one of {_listed(map(str, fitting))}."
            )
    return measures


def usual_measure(kind: Kind) -> str:
    """Return the measure that a kind of model is usually reported with."""
    return _USUAL[kind]


def same_measure(one: str, other: str) -> bool:
    """Say whether two names are of one measure, as models of different kinds call it.

    A measure of single vectors is, of word vectors, that of their mean.
    """
    families = {
        measure.family if measure and measure.family != "own" and measure.pooling in ("mean", "none") else None
        for measure in map(all_measures().get, (one, other))
    }
    return one == other or (len(families) == 1 and None not in families)


def equivalent_measure(name: str, kind: Kind) -> str:
    """Return what a measure is called for a kind of model, which must have one like it."""
    same = [measure.name for measure in measures_for(kind) if same_measure(measure.name, name)]
    return same[0] if same else find_measures([name], kind)[0].name


def select_measures(kind: Kind, wanted: Sequence[str]) -> tuple[str, ...]:
    """Return which of the wanted measures a kind of model has; all it has if none is named."""
    names = [check_measure(name) for name in wanted]
    available = tuple(measure.name for measure in measures_for(kind))
    if not names or kind == "pairs":
        return available
    return tuple(measure for measure in available if any(same_measure(measure, name) for name in names))


def check_measure(wanted: str, *words: str) -> str:
    """Return the name of a measure, or one of some words that may stand in its place, such as ``usual``."""
    return wanted if wanted in words else find_measure(wanted, *words).name


def measure_for_kind(wanted: str, kind: str) -> str:
    """Return which measure is wanted of a kind of model, where one may be named for each kind."""
    named = _by_kind(wanted)
    return named.get(kind, named.get("", USUAL))


def check_default_measure(wanted: str, *words: str) -> str:
    """Return the measure that is to stand for models, or one for each kind of model, if there are such measures."""
    for kind, name in _by_kind(wanted).items():
        if kind and kind not in get_args(Kind):
            close = did_you_mean(kind, get_args(Kind))
            raise TermgaugeError(f"There is no kind of model '{kind}'; take one of {_listed(get_args(Kind))}.{close}")
        if check_measure(name, *words) not in words and kind:
            equivalent_measure(name, cast("Kind", kind))
    return wanted


def _by_kind(wanted: str) -> dict[str, str]:
    """Return the measures that are named, by kind of model; that of no kind is for all others."""
    parts = (part.strip().rpartition("=") for part in wanted.split(","))
    return {kind.strip(): name.strip() for kind, _, name in parts}


def default_measure(available: Iterable[str], kind: str, wanted: str = USUAL) -> str | None:
    """Return which of the measures of a model stands for it: the wanted one, else its usual one, else its first."""
    names = list(available)
    wanted_ones = [name for name in names if same_measure(name, measure_for_kind(wanted, kind))]
    usual_ones = [name for name in names if name == _USUAL.get(kind)]
    return next(iter([*wanted_ones, *usual_ones, *names]), None)


def _listed(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}"
