"""Encoders of terms that are Python objects: SentenceTransformer, model2vec's StaticModel, ``encode``, a function.

Each is known by what it offers; its library is not imported. No object tells all that makes its vectors what they are,
so each is identified by the vectors of a fixed sample of texts as well. Two functions that agree on the sample cannot
be told apart, which is why their vectors are not kept in the cache; those of objects that show their weights are.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.embeddings.encoders.batches import checked_vectors
from termgauge.embeddings.encoders.encoding import CachedTermModel
from termgauge.embeddings.encoders.sentence_transformers import longest_of, prompt_of, token_counts
from termgauge.embeddings.encoders.transformers import LIBRARIES
from termgauge.embeddings.libraries import first_line
from termgauge.embeddings.model import ModelIdentity
from termgauge.embeddings.object_arrays import as_array, as_matrix
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.io.identity import library_versions, sha256_of_value
from termgauge.progress import track

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.spec import ModelSpec

    Arrays = Callable[[], Iterable[tuple[str, Any]]]

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
            sha256_of_value([self._weights, sample.shape, hashlib.sha256(sample.tobytes()).hexdigest()]),
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
