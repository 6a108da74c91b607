"""What a model is to the rest of termgauge: four small protocols, and an identity that covers all that shapes a vector.

A model is of the kind `words` (a term is the matrix of its words' vectors), `terms` (one vector a term), `concepts`
(one vector a concept id) or `pairs` (no vectors at all: only a similarity of two terms, such as edit distance).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast, runtime_checkable

from termgauge.display import Showing, shortened
from termgauge.io.identity import library_versions, sha256_of_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from termgauge.embeddings.store.vocabulary import Vocabulary
    from termgauge.embeddings.tokens import TermWords

Kind = Literal["words", "terms", "concepts", "pairs"]


@dataclass(frozen=True)
class ModelIdentity:
    """Everything that changes a model's vectors; equal identities give equal results."""

    kind: Kind
    scheme: str
    source: str = ""
    """Hash of the contents of the files it was read from, or a revision."""
    options: tuple[tuple[str, str], ...] = ()
    """Options that change vectors, defaults written out, sorted."""
    words: str = ""
    """How terms become words and what is done about missing ones, or how text becomes tokens."""
    libraries: tuple[tuple[str, str], ...] = ()
    """Versions of the libraries that make the vectors, where they matter."""

    @classmethod
    def from_options(
        cls,
        kind: Kind,
        scheme: str,
        source: str,
        options: Mapping[str, object],
        words: str = "",
        libraries: Iterable[str] = (),
    ) -> ModelIdentity:
        """Write options and the versions of libraries as an identity has them."""
        written = {
            name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in options.items()
        }
        return cls(
            kind, scheme, source, tuple(sorted(written.items())), words, tuple(library_versions(libraries).items())
        )

    @property
    def key(self) -> str:
        """A hash of all of it: the key of cached results."""
        return sha256_of_value(asdict(self))

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-like values, with the key."""
        return {"key": self.key, **asdict(self), "options": dict(self.options), "libraries": dict(self.libraries)}


class Described(Protocol):
    """What is known of a model, and of an encoder inside one, before it makes any vector."""

    @property
    def name(self) -> str:
        """What results call it."""

    @property
    def identity(self) -> ModelIdentity:
        """What makes its vectors what they are."""

    @property
    def source(self) -> str:
        """Where it comes from, for people."""


@runtime_checkable
class Model(Described, Protocol):
    """What all models have."""

    @property
    def kind(self) -> Kind:
        """What it maps to vectors."""


class VectorModel(Model, Protocol):
    """What all models have that give vectors."""

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""


class TableModel(VectorModel, Protocol):
    """What models of words and of concepts share."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The words or ids that have a row; empty for a model that makes its vectors up."""

    def gather(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors of some rows of the vocabulary."""


@runtime_checkable
class WordModel(TableModel, Protocol):
    """A vector for a word."""

    @property
    def composes(self) -> bool:
        """Whether words outside the vocabulary have vectors too."""

    def known(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Say which words have a vector."""

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return the vector of each word; one that has none is a KeyError."""

    def words_of(self, terms: Sequence[str]) -> TermWords:
        """Return the word vectors of many terms: each word's vector once, and which of them each term has."""


@runtime_checkable
class TermModel(VectorModel, Protocol):
    """A vector for a whole term."""

    def encode(self, terms: Sequence[str]) -> NDArray[np.float32]:
        """Return the vector of each term; a term that has none is a row of NaN."""


@runtime_checkable
class ConceptModel(TableModel, Protocol):
    """A vector for a concept, by its id in a terminology."""

    def find(self, concepts: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each concept, -1 where it has none."""


@runtime_checkable
class PairScorer(Model, Protocol):
    """A similarity of two terms without any vectors."""

    def score(
        self, first: Sequence[str], second: Sequence[str], corpus: Sequence[str] | None = None
    ) -> NDArray[np.float64]:
        """Return the similarity of each pair, NaN where it is undefined.

        `corpus` holds all terms of the benchmark, for scorers that learn how common something is; the terms of the
        pairs themselves stand for it if it is not given.
        """


class ShowingModel(Showing):
    """A model that shows itself."""

    def about(self) -> dict[str, Any]:
        """Return what is known of it before it makes any vector."""
        model = cast("Model", self)
        identity = model.identity
        return {
            "name": model.name,
            "kind": model.kind,
            "scheme": identity.scheme,
            "source": model.source,
            "options": ", ".join(f"{name}={value}" for name, value in identity.options),
            "key": identity.key,
        }

    def _brief(self) -> str:
        about = self.about()
        return f"model '{shortened(about['name'])}' of {about['kind']}: {about['scheme']}, {shortened(about['source'])}"

    def to_frame(self) -> pl.DataFrame:
        """Return a row that says what it is."""
        import polars as pl

        return pl.DataFrame([self.about()])
