"""Models from Python: tables of words, and encoders of terms, of other libraries or of your own become models of ours.

An object is known by what it offers, so that no library is imported to ask. What it is, for results and caches, is
found out when it is handed over; an object that was trained on since must be handed over again. No encoder tells all
that makes its vectors what they are, so each is identified by the vectors of a fixed sample of texts as well. Two
functions that agree on the sample cannot be told apart, which is why their vectors are not kept in the cache; those of
objects that show their weights are.
"""

from __future__ import annotations

import copy
import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from termgauge.embeddings.encoders.checkpoint import last_part
from termgauge.embeddings.encoders.encoding import CachedTermModel, batches_of, encoded
from termgauge.embeddings.encoders.sentence_transformers import longest_of, prompt_of, refuse_prompts, token_counts
from termgauge.embeddings.encoders.transformers import LIBRARIES
from termgauge.embeddings.libraries import first_line
from termgauge.embeddings.load import load_model, table_model
from termgauge.embeddings.model import ModelIdentity
from termgauge.embeddings.schemes import PROMPT, TABLE_OPTIONS, Option, Scheme
from termgauge.embeddings.spec import ModelSpec
from termgauge.embeddings.store.vectors import in_memory_store, sha256_of_rows
from termgauge.embeddings.table_models import WordVectors
from termgauge.exceptions import TermgaugeError
from termgauge.io.identity import sha256_of_bytes, sha256_of_value
from termgauge.progress import track

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from termgauge.embeddings.model import Model
    from termgauge.embeddings.table_models import ConceptVectors

    Compose = Callable[[Sequence[str]], NDArray[np.float32]]

SCHEME = "python"
"""What stands in the identity of a model that was handed over, in the place of a scheme."""
VERBS = {"words": "words_of", "terms": "encode", "concepts": "find", "pairs": "score"}
"""By the kind of a model, what it must be able to do."""
_BATCH = {"batch_size": Option("How many texts it is given at once.", "integer", "256", least=1)}
_PROMPTS = {"prompt": PROMPT, "prompt_name": Option("Which of the model's own prompts.")}
_SENTENCE_TRANSFORMER = ("encode", "state_dict", "prompts", "default_prompt_name")
_STATIC_MODEL = ("encode", "embedding", "tokenizer", "token_mapping", "normalize")


def as_model(source: Any, *, name: str | None = None, **options: object) -> Model:  # noqa: ANN401
    """Make a model of an object of another library, or of your own; all verbs do so with what they are given.

    Parameters
    ----------
    given
        A ``SentenceTransformer``; ``KeyedVectors``, ``Word2Vec`` or ``FastText`` of gensim; a ``StaticModel`` of
        model2vec; a pipeline, vocabulary or vectors of spaCy; a dictionary of words and vectors, or a pair of words
        and matrix; any object whose ``encode`` makes an array of a list of texts, or a function that does; a model of
        termgauge, a spec or a path.
    name
        What results call it; made from what the object tells if not given.
    **options
        Of word vectors: ``lowercase``, ``split``, ``phrases``, ``missing``, ``words`` and ``kind``, as for files. Of a
        SentenceTransformer: ``prompt`` or ``prompt_name``. Of all that encode texts: ``batch_size``, how many of them
        are given at once. Of a spec: those of its scheme.

    Returns
    -------
    Model
        One of words, terms or concepts. Its identity says how it was ``identified``: by its words and vectors, by its
        weights and the vectors of a sample of texts, or by such a sample alone.

    Raises
    ------
    TermgaugeError
        If the object is none of these, or what it gives for texts is no array of finite numbers with a row for each.

    Examples
    --------
    >>> model = as_model({"heart": [1.0, 0.0], "attack": [0.0, 1.0]}, name="mine")
    >>> model.name, model.kind, model.dimension, dict(model.identity.options)
    ('mine', 'words', 2, {'identified': 'its words and vectors'})
    """
    if name is not None and not (str(name) == name and name.strip() and name.isprintable()):
        raise TermgaugeError(f"The name of a model is a text of printable characters, not {name!r}.")
    if isinstance(source, str | os.PathLike | ModelSpec):
        spec = ModelSpec.parse(source)
        return load_model(replace(spec, given_name=name or spec.given_name), **options)
    if is_model(source):
        if options:
            raise TermgaugeError("A model of termgauge takes no options any more; give them where it is opened.")
        same: Model = copy.copy(source)
        object.__setattr__(same, "name", source.name if name is None else name)  # some are frozen
        return source if same.name == source.name else same
    recipe = _recipe(source)
    if recipe is None:
        raise TermgaugeError(_unknown(source))
    scheme = Scheme(SCHEME, "an object", ("words",), load_model, recipe.options)
    spec = _ObjectSpec(SCHEME, recipe.source, (), name or recipe.name or type(source).__name__, scheme)
    return recipe.open(spec.with_options(options))


def is_model(value: Any) -> bool:  # noqa: ANN401
    """Say whether an object is one of our models, or one like them."""
    return _offers(value, "name", "identity", "kind") and hasattr(value, VERBS.get(str(value.kind), " "))


def takes(value: object, option: str) -> bool:
    """Say whether an object becomes a model that has an option."""
    recipe = None if is_model(value) else _recipe(value)
    return recipe is not None and option in recipe.options


def stands_alone(value: object) -> bool:
    """Say whether something is one model, though it may be a sequence to its own library."""
    return isinstance(value, str | os.PathLike | ModelSpec) or is_model(value) or _recipe(value) is not None


class _Recipe(NamedTuple):
    """How to make a model of an object."""

    open: Callable[[ModelSpec], Model]
    source: str
    """Where it comes from, for people."""
    options: dict[str, Option]
    name: str = ""


@dataclass(frozen=True)
class _ObjectSpec(ModelSpec):
    """A model as it was handed over, with the options that its kind of object has."""

    taken: Scheme | None = None

    @property
    def declared(self) -> Scheme:
        """What it takes."""
        assert self.taken is not None
        return self.taken


def _recipe(candidate: Any) -> _Recipe | None:  # noqa: ANN401
    """Return how to make a model of an object; None if it is not known."""
    if isinstance(candidate, type | list | str | bytes):
        return None
    source = f"{type(candidate).__module__}.{type(candidate).__qualname__}"
    if (table := table_of(candidate)) is not None:
        plain = isinstance(candidate, Mapping | tuple)
        where = "a table of words in Python" if plain else source
        return _Recipe(lambda spec: _word_model(table(), spec), where, TABLE_OPTIONS, "words" if plain else "")
    encode = getattr(candidate, "encode", None)
    if not callable(encode):
        name = str(getattr(candidate, "__name__", "")).replace("<lambda>", "function")
        where = f"the Python function {name}" if name else source
        return _Recipe(partial(_plain_model, candidate), where, _BATCH, name) if callable(candidate) else None
    if _offers(candidate, *_SENTENCE_TRANSFORMER):
        home, revision = _home_of(candidate)
        where = f"{source} of {home}{revision}" if home else source
        return _Recipe(partial(_sentence_model, candidate), where, _BATCH | _PROMPTS, last_part(home))
    if _offers(candidate, *_STATIC_MODEL):
        base = str(getattr(candidate, "base_model_name", None) or "")
        return _Recipe(partial(_static_model, candidate), source, _BATCH, last_part(base))
    return _Recipe(partial(_plain_model, encode), source, _BATCH)


def _offers(candidate: object, *names: str) -> bool:
    return all(hasattr(candidate, name) for name in names)


def _home_of(model: Any) -> tuple[str, str]:  # noqa: ANN401
    """Return where a SentenceTransformer was read from, and at which revision, as far as it says so."""
    for module in model:
        config = getattr(getattr(module, "auto_model", None), "config", None)
        if home := str(getattr(config, "name_or_path", "") or ""):
            revision = getattr(config, "_commit_hash", None)
            return home, f" at revision {revision}" if revision else ""
    return "", ""


def _unknown(value: object) -> str:
    what = f"the class {value.__name__}" if isinstance(value, type) else f"an object of the type {type(value).__name__}"
    hint = (
        " A table of words needs a name before it, as in {'mine': {'heart': […]}}."
        if isinstance(value, list) or hasattr(value, "__array__")
        else ""
    )
    return (
        "A model is a path, a spec such as 'word2vec:vectors.bin', what tg.load_model returns, a SentenceTransformer, "
        "gensim's KeyedVectors, model2vec's StaticModel, vectors of spaCy, a dictionary or pair of words and vectors, "
        f"an object with encode(texts), or a function from texts to an array; {what} is none of these.{hint}"
    )


class _Table(NamedTuple):
    """What an object of word vectors tells."""

    words: Sequence[str]
    vectors: NDArray[np.floating]
    compose: Compose | None = None
    """Makes vectors of any words; zeros for one that it cannot make any of."""
    made_from: tuple[object, ...] = ()
    """What those depend on beside the table, as JSON-like values."""


def table_of(value: Any) -> Callable[[], _Table] | None:  # noqa: ANN401
    """Return how to take the words and vectors out of an object; None if it is not known to have any."""
    if isinstance(value, Mapping):
        return lambda: _paired(list(value), list(value.values()))
    if isinstance(value, tuple):
        return (lambda: _paired(*value)) if len(value) == 2 and getattr(value[1], "ndim", 0) == 2 else None
    keyed = getattr(value, "wv", value)
    if _offers(keyed, "index_to_key", "key_to_index", "vectors"):
        return lambda: _from_gensim(keyed)
    vectors = getattr(getattr(value, "vocab", value), "vectors", value)
    if _offers(vectors, "key2row", "data", "strings", "mode"):
        return lambda: _from_spacy(vectors)
    return None


def _word_model(table: _Table, spec: ModelSpec) -> WordVectors | ConceptVectors:
    """Put a model around a table: of words, or of concepts if its words look like their ids."""
    sha256 = sha256_of_value([list(table.words), [sha256_of_rows(table.vectors, spec.name), *table.made_from]])
    rows = table.vectors if table.words else table.vectors[:0]  # those of floret are of n-grams
    store = in_memory_store(table.words, rows, spec.location)
    model = table_model(spec, store, sha256, spec.location)
    model = replace(model, identity=replace(model.identity, options=(("identified", "its words and vectors"),)))
    return replace(model, compose=table.compose) if isinstance(model, WordVectors) else model


def _paired(words: Iterable[Any], matrix: Any) -> _Table:  # noqa: ANN401
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
    return _Table(listed, vectors)


def _from_gensim(keyed: Any) -> _Table:  # noqa: ANN401
    words = list(keyed.index_to_key)
    table = _paired(words, keyed.vectors[: len(words)])
    ngrams = getattr(keyed, "vectors_ngrams", None)
    if ngrams is None or not getattr(keyed, "bucket", 0):
        return table
    settings = [int(keyed.min_n), int(keyed.max_n), int(keyed.bucket)]

    def compose(words: Sequence[str]) -> NDArray[np.float32]:
        return np.array([keyed.get_vector(_whole(word)) for word in words], np.float32)

    return table._replace(compose=compose, made_from=(settings, sha256_of_rows(ngrams, "the vectors of n-grams")))


def _from_spacy(vectors: Any) -> _Table:  # noqa: ANN401
    data = as_array(vectors.data)
    assert data is not None
    if str(vectors.mode) == "floret":
        settings = ("minn", "maxn", "hash_count", "hash_seed", "bow", "eow")

        def compose(words: Sequence[str]) -> NDArray[np.float32]:
            return np.asarray(as_array(vectors.get_batch([_whole(word) for word in words])), np.float32)

        return _Table((), data, compose, tuple(str(getattr(vectors, name)) for name in settings))
    rows = {vectors.strings[key]: row for key, row in vectors.key2row.items() if row >= 0}
    if not rows:
        raise TermgaugeError(
            "These vectors of spaCy are empty; give those of a pipeline that has some, such as en_core_web_md."
        )
    return _Table(list(rows), data[list(rows.values())])


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


class ObjectEncoder:
    """An object that makes vectors of texts, called as its library means it to be called."""

    max_length: int | None
    lengths: Callable[[Sequence[str]], list[int]]

    def __init__(
        self,
        encode: Callable[[list[str]], Any],
        spec: ModelSpec,
        options: Mapping[str, str] = {},
        libraries: Sequence[str] = (),
        weights: Callable[[], Iterable[tuple[str, Any]]] | None = None,
    ) -> None:
        """Take what makes vectors, the settings that change them, and all numbers that it computes with, by name."""
        self.name, self.source = spec.name, spec.location
        self.batch_size = spec.integer("batch_size")
        self._encode, self._shown = encode, weights
        self._weights = self._hash_of_weights()
        batches = batches_of(SAMPLE, np.zeros(len(SAMPLE), np.int64), None, self.batch_size)
        sample = np.concatenate([vectors for _, vectors, _ in encoded(self, batches, None)])
        self.dimension = int(sample.shape[1])
        identified = f"its weights and {BY_SAMPLE}" if weights else BY_SAMPLE
        source = sha256_of_value([self._weights, sample.shape, sha256_of_bytes(sample.tobytes())])
        self.identity = ModelIdentity.from_options(
            "terms", spec.scheme, source, {**options, "identified": identified}, libraries=libraries
        )

    def encode_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vector of each text."""
        batch = list(texts)
        try:
            made = self._encode(batch)
        except TermgaugeError:
            raise
        except Exception as error:
            raise TermgaugeError(
                f"{self.name}: failed to encode {len(batch):,} texts, the first of them '{batch[0]}' "
                f"({type(error).__name__}: {first_line(error)})."
            ) from error
        try:
            vectors = as_matrix(made)
        except ValueError as error:
            raise TermgaugeError(
                f"{self.name}: gave {error} for {len(batch):,} texts; a list of texts must become an array of numbers "
                "with a row for each text."
            ) from None
        with np.errstate(over="ignore"):  # what does not fit becomes infinite, which is refused
            return np.ascontiguousarray(vectors, np.float32)

    def announce(self, _texts: Sequence[str]) -> None:
        """See that the object is still what it was identified as: vectors are about to be kept under that name."""
        if self._shown is not None and self._hash_of_weights() != self._weights:
            raise TermgaugeError(
                f"{self.name}: has other weights than when it was handed over; hand it over again, as a new model."
            )

    def _hash_of_weights(self) -> str:
        if self._shown is None:
            return ""
        digest = hashlib.sha256()
        with track(f"Identifying {self.name}", unit="arrays") as advance:
            for name, weights in self._shown():
                array = as_array(weights)
                shown = repr(weights).encode() if array is None else np.ascontiguousarray(array).data
                digest.update(f"{name} {getattr(array, 'shape', '')}".encode())
                digest.update(shown)
                advance(1)
        return digest.hexdigest()


def _sentence_model(model: Any, spec: ModelSpec) -> CachedTermModel:  # noqa: ANN401
    named, written = spec.text("prompt_name"), spec.text("prompt")
    refuse_prompts(spec.name, written, named, model.prompts)
    prompt = prompt_of(model, written, named)
    modules = list(model)
    settings: list[dict[str, Any]] = [getattr(module, "get_config_dict", dict)() for module in modules]
    options = {
        "dtype": str(getattr(model, "dtype", "")).removeprefix("torch."),
        "max_length": str(longest_of(model)).lower(),
        "modules": ", ".join(type(module).__name__ for module in modules),
        "pooling": ", ".join(str(values["pooling_mode"]) for values in settings if "pooling_mode" in values),
        "prompt": prompt,
        "truncate_dim": str(getattr(model, "truncate_dim", None)).lower(),
    }

    def encode(texts: list[str]) -> Any:  # noqa: ANN401
        # Not the prompt itself, which is empty also where that of a name is: the library would then take its usual one.
        return model.encode(
            texts, prompt=written or None, prompt_name=named or None, show_progress_bar=False, convert_to_numpy=True
        )

    libraries = ("sentence-transformers", *LIBRARIES)
    encoder = ObjectEncoder(encode, spec, options, libraries, lambda: model.state_dict().items())
    if callable(getattr(model, "tokenizer", None)) and longest_of(model):
        encoder.max_length, encoder.lengths = longest_of(model), partial(token_counts, model, prompt)
    return CachedTermModel(encoder)


def _static_model(model: Any, spec: ModelSpec) -> CachedTermModel:  # noqa: ANN401
    def weights() -> Iterable[tuple[str, Any]]:
        parts = ("embedding", "weights", "token_mapping")
        return [*((part, getattr(model, part)) for part in parts), ("tokenizer", model.tokenizer.to_str())]

    options = {"max_length": str(getattr(model, "max_length", "")), "normalize": str(model.normalize).lower()}
    return CachedTermModel(ObjectEncoder(model.encode, spec, options, ("model2vec", "tokenizers"), weights))


def _plain_model(encode: Callable[[list[str]], Any], spec: ModelSpec) -> CachedTermModel:
    return CachedTermModel(ObjectEncoder(encode, spec), kept=False)


def as_matrix(value: Any) -> NDArray[np.floating]:  # noqa: ANN401
    """Return rows of numbers as a matrix, without a copy where none is needed.

    Raises
    ------
    ValueError
        If they are none; it says in a few words what was given instead.
    """
    plain = as_array(value)
    if plain is None:
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            raise ValueError("nothing" if value is None else f"an object of the type {type(value).__name__}")
        rows = [row if (array := as_array(row)) is None else array for row in value]
        try:
            plain = np.asarray(rows)
        except (ValueError, TypeError):
            raise ValueError("rows of different lengths") from None
    if plain.dtype.kind not in "fiub":
        raise ValueError("rows of something that is no number")
    if plain.ndim != 2 or not plain.shape[1]:
        raise ValueError(f"an array of the shape {plain.shape}")
    return plain if plain.dtype.kind == "f" else plain.astype(np.float32)


def as_array(value: Any) -> NDArray[Any] | None:  # noqa: ANN401
    """Return an array of any library as NumPy's; None for what is no array."""
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "detach") and hasattr(value, "cpu"):  # torch; NumPy has no bfloat16
        tensor = value.detach().cpu()
        return np.asarray((tensor.float() if tensor.is_floating_point() else tensor).numpy())
    if hasattr(value, "__cuda_array_interface__") and hasattr(value, "get"):  # CuPy
        return np.asarray(value.get())
    return np.asarray(value) if hasattr(value, "__array__") else None
