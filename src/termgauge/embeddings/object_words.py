"""Word vectors that are Python objects: tables, gensim's KeyedVectors, and spaCy's vectors.

Each is known by what it offers; its library is not imported. Vectors stay where they are and are identified by a hash
of the words and of them. Vectors of words outside of the vocabulary (fastText, floret) are made by the object itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from termgauge.embeddings.load import table_model
from termgauge.embeddings.model import ModelIdentity
from termgauge.embeddings.object_arrays import as_array, as_matrix
from termgauge.embeddings.store.held import held_store, sha256_of_rows
from termgauge.embeddings.store.vocabulary import MISSING
from termgauge.embeddings.tokens import TermWords, WordRules, words_of
from termgauge.embeddings.words import WithoutVocabulary, WordVectors
from termgauge.exceptions import TermgaugeError
from termgauge.io.identity import sha256_of_value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.concepts import ConceptVectors
    from termgauge.embeddings.spec import ModelSpec

    Compose = Callable[[Sequence[str]], NDArray[np.float32]]

IDENTIFIED = "its words and vectors"


@dataclass(frozen=True)
class Table:
    """What an object of word vectors tells."""

    words: Sequence[str]
    vectors: NDArray[np.floating]
    compose: Compose | None = None
    """Makes vectors of any words; zeros for one that it cannot make any of."""
    made_from: tuple[object, ...] = ()
    """What those depend on beside the table, as JSON-like values."""


@dataclass(frozen=True, repr=False)
class ComposedVectors(WordVectors):
    """A table of words whose object makes vectors of others, too."""

    compose: Compose
    composes: ClassVar[bool] = True

    def known(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Say which words have a vector: those of the table, and those for which one is made that is not zero."""
        there = super().known(words)
        if not there.all():
            there[~there] = self.compose([words[at] for at in np.flatnonzero(~there).tolist()]).any(axis=1)
        return there

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return the vector of each word; zeros for one that has none."""
        rows = self.vocabulary.find(words)
        vectors = np.empty((len(words), self.dimension), np.float32)
        known = rows != MISSING
        vectors[known] = self.gather(rows[known])
        if not known.all():
            vectors[~known] = self.compose([words[at] for at in np.flatnonzero(~known).tolist()])
        return vectors


@dataclass(frozen=True, repr=False)
class AnyWords(WithoutVocabulary):
    """Vectors that an object makes of whatever word it is asked for; it has no vocabulary."""

    name: str
    source: str
    identity: ModelIdentity
    dimension: int
    rules: WordRules
    compose: Compose

    def known(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Say which words have a vector: those for which one is made that is not zero."""
        return np.asarray(self.vectors(words).any(axis=1))

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return the vector of each word."""
        return self.compose(words) if len(words) else np.empty((0, self.dimension), np.float32)

    def words_of(self, terms: Sequence[str]) -> TermWords:
        """Return the word vectors of many terms."""
        return words_of(self, terms, self.rules)


def table_of(given: Any) -> Callable[[], Table] | None:  # noqa: ANN401
    """Return how to take the words and vectors out of an object; None if it is not known to have any."""
    if isinstance(given, Mapping):
        return lambda: _of_mapping(given)
    if isinstance(given, tuple):
        return (lambda: _of_pair(*given)) if len(given) == 2 and getattr(given[1], "ndim", 0) == 2 else None
    keyed = getattr(given, "wv", given)
    if all(hasattr(keyed, each) for each in ("index_to_key", "key_to_index", "vectors")):
        return lambda: _of_gensim(keyed)
    vectors = getattr(getattr(given, "vocab", given), "vectors", given)
    if all(hasattr(vectors, each) for each in ("key2row", "data", "strings", "mode")):
        return lambda: _of_spacy(vectors)
    return None


def word_model(table: Table, spec: ModelSpec) -> WordVectors | ConceptVectors | AnyWords:
    """Put a model around a table: of words, or of concepts if its words look like their ids."""
    label = spec.location
    own = [sha256_of_rows(table.vectors, spec.name), *table.made_from]
    sha256, told = sha256_of_value([list(table.words), own]), (("identified", IDENTIFIED),)
    if not table.words and table.compose is not None:
        rules = WordRules.of(spec)
        identity = ModelIdentity("words", spec.scheme, sha256, told, str(rules))
        return AnyWords(spec.name, label, identity, table.vectors.shape[1], rules, table.compose)
    model = table_model(spec, held_store(table.words, table.vectors, label), sha256, label)
    model = replace(model, identity=replace(model.identity, options=told))
    if table.compose is None or not isinstance(model, WordVectors):
        return model
    return ComposedVectors(model.name, label, model.identity, model.store, model.rules, table.compose)


def _of_mapping(given: Mapping[Any, Any]) -> Table:
    return _of_pair(list(given), list(given.values()))


def _of_pair(words: Iterable[Any], matrix: Any) -> Table:  # noqa: ANN401
    listed = words.tolist() if isinstance(words, np.ndarray) else list(words)
    if not listed:
        raise TermgaugeError("A table of words is empty; give one that holds words with their vectors.")
    for word in listed:
        if not isinstance(word, str):
            raise TermgaugeError(f"A table of words holds {word!r} where a word is needed; give its words as texts.")
    try:
        vectors = as_matrix(matrix)
    except ValueError as error:
        raise TermgaugeError(
            f"The vectors of a table of words are {error}; give as many rows of equally many numbers as words."
        ) from None
    if len(vectors) != len(listed):
        raise TermgaugeError(f"A table of words has {len(listed):,} words and {len(vectors):,} vectors; give one each.")
    return Table(listed, vectors)


def _of_gensim(keyed: Any) -> Table:  # noqa: ANN401
    words = list(keyed.index_to_key)
    table = _of_pair(words, keyed.vectors[: len(words)])
    ngrams = getattr(keyed, "vectors_ngrams", None)
    if ngrams is None or not getattr(keyed, "bucket", 0):
        return table
    settings = [int(keyed.min_n), int(keyed.max_n), int(keyed.bucket)]

    def compose(words: Sequence[str]) -> NDArray[np.float32]:
        return np.array([keyed.get_vector(_whole(word)) for word in words], np.float32)

    return replace(table, compose=compose, made_from=(settings, sha256_of_rows(ngrams, "the vectors of n-grams")))


def _of_spacy(vectors: Any) -> Table:  # noqa: ANN401
    data = as_array(vectors.data)
    assert data is not None
    if str(vectors.mode) == "floret":
        return _of_floret(vectors, data)
    rows = {vectors.strings[key]: row for key, row in vectors.key2row.items() if row >= 0}
    if not rows:
        raise TermgaugeError(
            "These vectors of spaCy are empty; give those of a pipeline that has some, such as en_core_web_md."
        )
    return Table(list(rows), data[list(rows.values())])


def _of_floret(vectors: Any, data: NDArray[np.floating]) -> Table:  # noqa: ANN401
    settings = ("minn", "maxn", "hash_count", "hash_seed", "bow", "eow")

    def compose(words: Sequence[str]) -> NDArray[np.float32]:
        return np.asarray(as_array(vectors.get_batch([_whole(word) for word in words])), np.float32)

    return Table((), data, compose, tuple(str(getattr(vectors, each)) for each in settings))


def _whole(word: str) -> str:
    """Return a word without halves of characters, which other libraries cannot write as UTF-8."""
    return word.encode("utf-8", "replace").decode("utf-8")
