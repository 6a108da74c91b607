"""One vector a term from static token vectors, as WordLlama and model2vec themselves compute it.

Both take the mean of the vectors of a text's tokens. WordLlama counts every token; model2vec leaves out the one that
stands for unknown text, weighs tokens if the file has weights, and scales the mean to length 1 if its settings say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from termgauge.embeddings.encoders.encoder_folder import read_json
from termgauge.embeddings.showing_model import ShowingModel
from termgauge.embeddings.units import unit_vectors
from termgauge.exceptions import warn
from termgauge.plurals import numbered, plural

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from termgauge.embeddings.encoders.static_tokens import TokenVectors
    from termgauge.embeddings.model import Kind, ModelIdentity

BLOCK = 4096
"""Terms whose token vectors are in memory at once."""
MODEL2VEC_LONGEST = 512


@dataclass(frozen=True)
class PoolingRules:
    """How a library makes one vector of token vectors."""

    unknown: bool
    """Whether the token for unknown text counts."""
    normalize: bool = False
    longest: int | None = None
    """Tokens that count; None for all."""

    def as_options(self) -> tuple[tuple[str, str], ...]:
        """Return the rules as they stand in an identity."""
        rules = {"longest": self.longest, "normalize": self.normalize, "unknown": self.unknown}
        return tuple((name, str(value).lower()) for name, value in rules.items())


def rules_of(scheme: str, weights: Path, normalize: str = "") -> PoolingRules:
    """Return the rules of a scheme's library for a file of vectors; all but ``wordllama`` have those of model2vec.

    The settings of model2vec lie beside the file or one folder above; `normalize`, if it is given as ``true`` or
    ``false``, overrules them.
    """
    if scheme == "wordllama":
        return PoolingRules(unknown=True, normalize=normalize == "true")
    settings: dict[str, object] = read_json(settings_file(weights), {})
    longest = settings.get("max_length", MODEL2VEC_LONGEST)
    return PoolingRules(
        unknown=False,
        normalize=normalize == "true" if normalize else settings.get("normalize") is True,
        longest=longest if isinstance(longest, int) else None,
    )


def settings_file(weights: Path) -> Path:
    """Return where the settings of model2vec for a file of vectors are, or would be."""
    places = [folder / "config.json" for folder in (weights.parent, weights.parent.parent)]
    return next((file for file in places if file.is_file()), places[0])


class StaticTerms(ShowingModel):
    """A `TermModel` of static token vectors; quick enough to need no cache."""

    kind: Kind = "terms"

    def __init__(self, name: str, identity: ModelIdentity, tokens: TokenVectors, rules: PoolingRules) -> None:
        self.name, self.identity, self.source = name, identity, tokens.source
        self._tokens, self._rules = tokens, rules
        self._told_of_cut = False

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self._tokens.dimension

    def encode(self, terms: Sequence[str]) -> NDArray[np.float32]:
        """Return the mean vector of each term; a term without a token that counts is a row of NaN."""
        result = np.full((len(terms), self.dimension), np.nan, np.float32)
        cut = 0
        for start in range(0, len(terms), BLOCK):
            block = terms[start : start + BLOCK]
            ids = self._tokens.ids_of(block)
            longest = self._rules.longest
            cut += sum(longest is not None and len(each) > longest for each in ids)
            kept = [self._counting(each[:longest]) for each in ids]
            full = [at for at, each in enumerate(kept) if len(each)]
            if full:
                result[[start + at for at in full]] = self._means([kept[at] for at in full])
        if cut and not self._told_of_cut:
            self._told_of_cut = True
            warn(
                f"{self.name}: {cut:,} of {numbered(len(terms), 'term')} {plural(cut, 'is', 'are')} longer than "
                f"{longest:,} tokens and {plural(cut, 'was', 'were')} cut there."
            )
        return result

    def _counting(self, ids: Sequence[int]) -> list[int]:
        unknown = None if self._rules.unknown else self._tokens.unknown_id
        last = self._tokens.token_count - 1  # WordLlama's own library takes the last row for numbers beyond it
        return [min(each, last) for each in ids if each != unknown]

    def _means(self, ids: list[list[int]]) -> NDArray[np.float32]:
        counts = np.array([len(each) for each in ids], np.int64)
        different, of_token = np.unique(np.concatenate([np.array(each, np.int64) for each in ids]), return_inverse=True)
        vectors = self._tokens.gather(different)
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        means = np.add.reduceat(vectors[of_token], starts, axis=0, dtype=np.float64) / counts[:, None]
        if self._rules.normalize:
            means = unit_vectors(means, np.float64, zeros=0)
        return means.astype(np.float32)
