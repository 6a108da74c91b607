"""Models that need no file and know no medicine: an embedding that loses to them should be seen to.

``baseline:random`` measures how much is due to words in common, ``baseline:levenshtein`` and
``baseline:char-ngrams`` to letters in common.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from termgauge.embeddings.libraries import library
from termgauge.embeddings.model import Kind, ModelIdentity, ShowingModel
from termgauge.embeddings.schemes import WORD_OPTIONS, Option, Scheme
from termgauge.embeddings.table_models import WithoutVocabulary
from termgauge.embeddings.tokens import TermWords, WordRules, words_of
from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.spec import ModelSpec

    Terms = Sequence[str]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_NUMBERS_AT_ONCE = 1 << 22


def load_baseline(spec: ModelSpec) -> RandomVectors | EditSimilarity | CharacterNgrams:
    """Make the baseline that a spec names."""
    shaping = [name for name in spec.declared.options if name not in ("split", "phrases", "missing", "words")]
    options = {name: spec.text(name) for name in shaping}
    scheme = f"baseline:{spec.location}"
    if spec.location == "random":
        rules = WordRules.from_spec(spec)
        identity = ModelIdentity.from_options("words", scheme, "", options, str(rules))
        return RandomVectors(spec.name, identity, spec.integer("dim"), spec.integer("seed"), rules)
    if spec.location == "levenshtein":
        identity = ModelIdentity.from_options("pairs", scheme, "", options)
        return EditSimilarity(spec.name, identity, spec.flag("lowercase"))
    least, most = spec.integer("least"), spec.integer("most")
    if most < least:
        raise TermgaugeError(f"baseline:char-ngrams: least={least} is more than most={most}.")
    fitted = "inverse document frequencies from the terms of the benchmark"
    identity = ModelIdentity.from_options("pairs", scheme, fitted, options, libraries=["scikit-learn"])
    return CharacterNgrams(spec.name, identity, spec.flag("lowercase"), least, most)


@dataclass(frozen=True, repr=False)
class RandomVectors(WithoutVocabulary):
    """A vector for each word that depends on the word and the seed alone, whatever else is asked for."""

    name: str
    identity: ModelIdentity
    dimension: int
    seed: int
    rules: WordRules
    source: ClassVar[str] = "made up"

    def known(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Say that every word has a vector."""
        return np.ones(len(words), np.bool_)

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return numbers drawn evenly from -1 to 1, the same on every machine."""
        key = self.seed.to_bytes(8, "little")
        digests = b"".join(
            hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest() for word in words
        )
        state = np.frombuffer(digests, "<u8").astype(np.uint64)[:, None]
        mixed = state + _STEP * np.arange(1, self.dimension + 1, dtype=np.uint64)  # SplitMix64, counted up
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
        # 24 bits and a half: float32 holds them exactly and none is 0.
        numbers: NDArray[np.float64] = ((mixed >> np.uint64(40)).astype(np.float64) + 0.5) / (1 << 23) - 1
        return numbers.astype(np.float32)

    def words_of(self, terms: Sequence[str]) -> TermWords:
        """Return the word vectors of many terms."""
        return words_of(self, terms, self.rules)


@dataclass(frozen=True, repr=False)
class _Letters(ShowingModel):
    """What the baselines share that compare the letters of two terms."""

    name: str
    identity: ModelIdentity
    lowercase: bool
    kind: ClassVar[Kind] = "pairs"
    source: ClassVar[str] = "made up"

    def cased(self, terms: Sequence[str]) -> list[str]:
        return [term.lower() for term in terms] if self.lowercase else list(terms)


class EditSimilarity(_Letters):
    """1 - Levenshtein distance / length of the longer term."""

    def score(self, first: Terms, second: Terms, corpus: Terms | None = None) -> NDArray[np.float64]:
        """Return the similarity of each pair; of two empty terms it is undefined."""
        del corpus
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cpdist

        one, two = self.cased(first), self.cased(second)
        if len(one) != len(two):
            raise ValueError(f"{len(one)} first terms cannot be paired with {len(two)} second terms")
        longer = np.fromiter((max(len(a), len(b)) for a, b in zip(one, two, strict=True)), np.int64, len(one))
        distances = cpdist(one, two, scorer=Levenshtein.distance, dtype=np.int64, workers=-1)
        scores = np.full(len(one), np.nan)
        np.divide(longer - distances, longer, out=scores, where=longer > 0)
        return scores

    def against(self, first: Terms, second: Terms, corpus: Terms | None = None) -> Iterator[NDArray[np.float64]]:
        """Yield the similarity of each first term with all second ones, as the rows of tables."""
        del corpus
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cdist

        one, two = self.cased(first), self.cased(second)
        lengths = np.array([len(text) for text in two], np.float64)
        for low, high in _runs(len(one), len(two)):
            distances = cdist(one[low:high], two, scorer=Levenshtein.distance, dtype=np.int32, workers=-1)
            longer = np.maximum(lengths, np.array([len(text) for text in one[low:high]])[:, None])
            longer[longer == 0] = np.nan
            yield (longer - distances) / longer


@dataclass(frozen=True, repr=False)
class CharacterNgrams(_Letters):
    """Cosine of the TF-IDF vectors of the terms' character n-grams, within words."""

    least: int
    most: int

    def score(self, first: Terms, second: Terms, corpus: Terms | None = None) -> NDArray[np.float64]:
        """Return the similarity of each pair; with a term that has no n-gram it is undefined."""
        one, two = self.cased(first), self.cased(second)
        fitted_on = self.cased(corpus) if corpus is not None else one + two
        vectorizer = self._vectorizer()
        corpus_terms, terms = sorted(set(fitted_on)), sorted({*one, *two})  # each once, however many pairs it is in
        try:
            vectors = vectorizer.fit_transform(corpus_terms)  # rounded otherwise than by `fit` and `transform`
        except ValueError:  # not one n-gram in all of them
            return np.full(len(one), np.nan)
        if terms != corpus_terms:
            vectors = vectorizer.transform(terms)
        row = {term: at for at, term in enumerate(terms)}
        left, right = (vectors[[row[term] for term in side]] for side in (one, two))
        scores = np.asarray(left.multiply(right).sum(axis=1), np.float64).ravel()
        empty = (np.diff(left.indptr) == 0) | (np.diff(right.indptr) == 0)
        scores[empty] = np.nan
        return np.clip(scores, 0, 1)

    def against(self, first: Terms, second: Terms, corpus: Terms | None = None) -> Iterator[NDArray[np.float64]]:
        """Yield the similarity of each first term with all second ones, as the rows of tables.

        They are rounded to 12 decimals: terms of the same n-grams are equally near.
        """
        one, two = self.cased(first), self.cased(second)
        vectorizer = self._vectorizer()
        try:
            vectorizer.fit(sorted(set(self.cased(corpus) if corpus is not None else one + two)))
        except ValueError:  # not one n-gram in all of them
            yield from (np.full((high - low, len(two)), np.nan) for low, high in _runs(len(one), len(two)))
            return
        left, right = vectorizer.transform(one), vectorizer.transform(two)
        empty, columns = np.flatnonzero(np.diff(right.indptr) == 0), right.T.tocsr()
        for low, high in _runs(len(one), len(two)):
            scores = np.round((left[low:high] @ columns).toarray(), 12)
            scores[:, empty] = np.nan
            scores[np.diff(left.indptr)[low:high] == 0] = np.nan
            yield scores

    def _vectorizer(self) -> Any:  # noqa: ANN401
        text = library("sklearn.feature_extraction.text", "baseline:char-ngrams", "baselines", "scikit-learn")
        return text.TfidfVectorizer(
            analyzer="char_wb", ngram_range=(self.least, self.most), lowercase=False, dtype=np.float64
        )


def _runs(rows: int, columns: int) -> Iterator[tuple[int, int]]:
    """Cut rows into runs of which a table takes little memory."""
    step = max(1, _NUMBERS_AT_ONCE // max(1, columns))
    return ((low, min(rows, low + step)) for low in range(0, rows, step))


_LOWERCASE = {"lowercase": Option("Put terms in lower case first.", "flag", "true")}
SCHEMES = (
    Scheme(
        "baseline:random",
        "a vector of chance for each word: what common words are worth",
        ("words",),
        load_baseline,
        {
            **WORD_OPTIONS,
            **_LOWERCASE,
            "seed": Option("Seed for all random numbers.", "integer", "42"),
            "dim": Option("How many numbers a vector has.", "integer", "100", least=1),
        },
        files="none",
    ),
    Scheme(
        "baseline:levenshtein",
        "edit distance: what common letters are worth",
        ("pairs",),
        load_baseline,
        _LOWERCASE,
        files="none",
    ),
    Scheme(
        "baseline:char-ngrams",
        "TF-IDF of character n-grams",
        ("pairs",),
        load_baseline,
        {
            **_LOWERCASE,
            "least": Option("Characters of the shortest n-gram.", "integer", "2", least=1),
            "most": Option("Characters of the longest n-gram.", "integer", "4", least=1),
        },
        files="none",
        extra="baselines",
    ),
)
