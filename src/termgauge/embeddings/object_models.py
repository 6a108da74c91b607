"""Models from Python objects: tables of words, and encoders of terms, of other libraries or of your own.

Each object is known by what it offers; its library is not imported. No encoder tells all that makes its vectors what
they are, so each is identified by the vectors of a fixed sample of texts as well. Two functions that agree on the
sample cannot be told apart, which is why their vectors are not kept in the cache; those of objects that show their
weights are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from termgauge.embeddings.encoders.encoding import CachedTermModel, checked_vectors
from termgauge.embeddings.encoders.sentence_transformers import longest_of, prompt_of, token_counts
from termgauge.embeddings.encoders.transformers import LIBRARIES
from termgauge.embeddings.libraries import first_line
from termgauge.embeddings.load import table_model
from termgauge.embeddings.model import ModelIdentity
from termgauge.embeddings.store.vectors import in_memory_store, sha256_of_rows
from termgauge.embeddings.store.vocabulary import MISSING
from termgauge.embeddings.table_models import WithoutVocabulary, WordVectors
from termgauge.embeddings.tokens import TermWords, WordRules, words_of
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.io.identity import library_versions, sha256_of_bytes, sha256_of_value
from termgauge.progress import track

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.spec import ModelSpec
    from termgauge.embeddings.table_models import ConceptVectors

    Compose = Callable[[Sequence[str]], NDArray[np.float32]]
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Arrays = Callable[[], Iterable[tuple[str, Any]]]
    from numpy.typing import NDArray

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
        rules = WordRules.from_spec(spec)
        identity = ModelIdentity("words", spec.scheme, sha256, told, str(rules))
        return AnyWords(spec.name, label, identity, table.vectors.shape[1], rules, table.compose)
    model = table_model(spec, in_memory_store(table.words, table.vectors, label), sha256, label)
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


SAMPLE = (
    *("heart attack", "myocardial infarction", "Myocardial Infarction", "MI", "fever", "pyrexia", "cough", "asthma"),
    *("Crohn's disease", "Ménière's disease", "β2-adrenergic agonist", "type 2 diabetes mellitus", "HbA1c", "aspirin"),
    *("non-small cell lung cancer", "left", "right", "increased", "decreased", "absent", "fracture of femur", "skin"),
    *("acute on chronic renal failure", "BRCA1", "5 mg", "surgery", "pregnancy", "infant", "unable to walk", "table"),
    "the patient was admitted with shortness of breath and swelling of both legs, and was treated with a diuretic",
    "Infarctus du myocarde; Herzinfarkt; infarto de miocardio",
)
"""Texts by whose vectors an encoder is known; another list is another identity of every such model."""
BY_SAMPLE = f"a sample of {len(SAMPLE)} vectors"


@dataclass(frozen=True)
class Told:
    """What an object says of itself."""

    options: dict[str, str] = field(default_factory=dict)
    """Settings that change vectors."""
    libraries: tuple[str, ...] = ()
    weights: Arrays | None = None
    """All numbers that it computes with, by name; None if it does not show them."""


class ObjectEncoder:
    """An object that makes vectors of texts, called as its library means it to be called."""

    def __init__(self, encode: Callable[[list[str]], Any], spec: ModelSpec, told: Told) -> None:
        self.name, self.source = spec.name, spec.location
        self.batch_size = spec.integer("batch_size")
        self._encode, self._told = encode, told
        self._weights = self._hash_of_weights()
        sample = self._sampled()
        self.dimension = int(sample.shape[1])
        identified = f"its weights and {BY_SAMPLE}" if told.weights else BY_SAMPLE
        self.identity = ModelIdentity(
            "terms",
            spec.scheme,
            sha256_of_value([self._weights, sample.shape, sha256_of_bytes(sample.tobytes())]),
            tuple(sorted({**told.options, "identified": identified}.items())),
            libraries=tuple(library_versions(told.libraries).items()),
        )

    def encode_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vector of each text."""
        given = list(texts)
        try:
            made = self._encode(given)
        except TermgaugeError:
            raise
        except Exception as error:
            raise TermgaugeError(
                f"{self.name}: failed to encode {len(given):,} texts, the first of them '{given[0]}' "
                f"({type(error).__name__}: {first_line(error)})."
            ) from error
        try:
            vectors = as_matrix(made)
        except ValueError as error:
            raise TermgaugeError(
                f"{self.name}: gave {error} for {len(given):,} texts; a list of texts must become an array of numbers "
                "with a row for each text."
            ) from None
        with np.errstate(over="ignore"):  # what does not fit becomes infinite, which is refused
            return np.ascontiguousarray(vectors, np.float32)

    def announce(self, _texts: Sequence[str]) -> None:
        """See that the object is still what it was identified as: vectors are about to be kept under that name."""
        if self._told.weights is not None and self._hash_of_weights() != self._weights:
            raise TermgaugeError(
                f"{self.name}: has other weights than when it was handed over; hand it over again, as a new model."
            )

    def _sampled(self) -> NDArray[np.float32]:
        parts: list[NDArray[np.float32]] = []
        for start in range(0, len(SAMPLE), self.batch_size):
            texts = SAMPLE[start : start + self.batch_size]
            dimension = parts[0].shape[1] if parts else None
            parts.append(checked_vectors(self.name, texts, self.encode_batch(texts), dimension))
        return np.concatenate(parts)

    def _hash_of_weights(self) -> str:
        if self._told.weights is None:
            return ""
        digest = hashlib.sha256()
        with track(f"Identifying {self.name}", unit="arrays") as advance:
            for name, weights in self._told.weights():
                array = as_array(weights)
                shown = repr(weights).encode() if array is None else np.ascontiguousarray(array).data
                digest.update(f"{name} {getattr(array, 'shape', '')}".encode())
                digest.update(shown)
                advance(1)
        return digest.hexdigest()


class SentenceObject(ObjectEncoder):
    """A SentenceTransformer, which knows how many tokens a text has."""

    def __init__(self, model: Any, prompt: str, *given: Any) -> None:  # noqa: ANN401
        self._model, self._prompt = model, prompt
        super().__init__(*given)

    @property
    def max_length(self) -> int | None:
        """Tokens, special ones included, after which a text is cut."""
        return longest_of(self._model)

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens each text has, before it is cut."""
        return token_counts(self._model, self._prompt, texts)


def is_sentence_transformer(given: Any) -> bool:  # noqa: ANN401
    """Say whether an object offers what a SentenceTransformer does."""
    return all(hasattr(given, each) for each in ("encode", "state_dict", "prompts", "default_prompt_name"))


def sentence_model(model: Any, spec: ModelSpec) -> CachedTermModel:  # noqa: ANN401
    """Put a model around a SentenceTransformer."""
    named, prompts = spec.text("prompt_name"), model.prompts
    if named and named not in prompts:
        raise TermgaugeError(
            f"{spec.name}: has no prompt named '{named}'; it has {', '.join(prompts) or 'none'}."
            f"{did_you_mean(named, prompts)}"
        )
    if named and spec.text("prompt"):
        raise TermgaugeError(f"{spec.name}: give prompt or prompt_name, not both.")
    prompt = prompt_of(model, spec.text("prompt"), named)
    modules = list(model)
    settings: list[dict[str, Any]] = [getattr(each, "get_config_dict", dict)() for each in modules]
    told = Told(
        {
            "dtype": str(getattr(model, "dtype", "")).removeprefix("torch."),
            "max_length": str(longest_of(model)).lower(),
            "modules": ", ".join(type(each).__name__ for each in modules),
            "pooling": ", ".join(str(each["pooling_mode"]) for each in settings if "pooling_mode" in each),
            "prompt": prompt,
            "truncate_dim": str(getattr(model, "truncate_dim", None)).lower(),
        },
        ("sentence-transformers", *LIBRARIES),
        lambda: model.state_dict().items(),
    )

    def encode(texts: list[str]) -> Any:  # noqa: ANN401
        # Not the prompt itself, which is empty also where that of a name is: the library would then take its usual one.
        own = {"prompt": spec.text("prompt") or None, "prompt_name": named or None}
        return model.encode(texts, **own, show_progress_bar=False, convert_to_numpy=True)

    if callable(getattr(model, "tokenizer", None)) and longest_of(model):
        return CachedTermModel(SentenceObject(model, prompt, encode, spec, told))
    return CachedTermModel(ObjectEncoder(encode, spec, told))


def is_static_model(given: Any) -> bool:  # noqa: ANN401
    """Say whether an object offers what model2vec's StaticModel does."""
    return all(hasattr(given, each) for each in ("encode", "embedding", "tokenizer", "token_mapping", "normalize"))


def static_model(model: Any, spec: ModelSpec) -> CachedTermModel:  # noqa: ANN401
    """Put a model around a StaticModel."""
    parts = ("embedding", "weights", "token_mapping")
    told = Told(
        {"max_length": str(getattr(model, "max_length", "")), "normalize": str(model.normalize).lower()},
        ("model2vec", "tokenizers"),
        lambda: [*((part, getattr(model, part)) for part in parts), ("tokenizer", model.tokenizer.to_str())],
    )
    return CachedTermModel(ObjectEncoder(model.encode, spec, told))


def plain_model(encode: Callable[[list[str]], Any], spec: ModelSpec) -> CachedTermModel:
    """Put a model around anything that makes vectors of a list of texts; they are not kept in the cache."""
    return CachedTermModel(ObjectEncoder(encode, spec, Told()), kept=False)


def as_matrix(given: Any) -> NDArray[np.floating]:  # noqa: ANN401
    """Return rows of numbers as a matrix, without a copy where none is needed.

    Raises
    ------
    ValueError
        If they are none; it says in a few words what was given instead.

    Examples
    --------
    >>> as_matrix([[1, 2], [3, 4]]).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    >>> as_matrix([[1, 2], [3]])
    Traceback (most recent call last):
    ValueError: rows of different lengths
    """
    if isinstance(given, str | bytes | Mapping) or given is None:
        raise ValueError(_called(given))
    plain = as_array(given)
    if plain is None:
        if not isinstance(given, Iterable):
            raise ValueError(_called(given))
        rows = [row if (array := as_array(row)) is None else array for row in given]
        try:
            plain = np.asarray(rows)
        except (ValueError, TypeError):
            raise ValueError("rows of different lengths") from None
    if plain.dtype.kind not in "fiub":
        raise ValueError("rows of something that is no number")
    if plain.ndim != 2 or not plain.shape[1]:
        raise ValueError(f"an array of the shape {plain.shape}")
    return plain if plain.dtype.kind == "f" else plain.astype(np.float32)


def as_array(given: Any) -> NDArray[Any] | None:  # noqa: ANN401
    """Return an array of any library as NumPy's; None for what is no array."""
    if isinstance(given, np.ndarray):
        return given
    if hasattr(given, "detach") and hasattr(given, "cpu"):  # torch; NumPy has no bfloat16
        tensor = given.detach().cpu()
        return np.asarray((tensor.float() if tensor.is_floating_point() else tensor).numpy())
    if hasattr(given, "__cuda_array_interface__") and hasattr(given, "get"):  # CuPy
        return np.asarray(given.get())
    return np.asarray(given) if hasattr(given, "__array__") else None


def _called(given: object) -> str:
    return "nothing" if given is None else f"an object of the type {type(given).__name__}"
