"""Static token vectors with a Hugging Face tokenizer: WordLlama, model2vec.

The words of a term are the tokens that the model's own tokenizer cuts it into, so hardly any term is missing, and the
mean of their vectors is what the model itself would give for the term.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.embeddings.encoders.checkpoint import read_json
from termgauge.embeddings.libraries import library
from termgauge.embeddings.model import ShowingModel
from termgauge.embeddings.store.vocabulary import MISSING, Vocabulary
from termgauge.embeddings.table_models import rows_of
from termgauge.embeddings.tokens import TermWords, assemble
from termgauge.embeddings.units import unit_vectors
from termgauge.exceptions import TermgaugeError, warn
from termgauge.io.paths import expanded
from termgauge.plurals import numbered, plural

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from termgauge.embeddings.files.matrices import Safetensors
    from termgauge.embeddings.model import Kind, ModelIdentity
    from termgauge.io.source import SourceFile


class TokenVectors(ShowingModel):
    """A model whose words are the tokens of a tokenizer."""

    kind: Kind = "words"
    composes = False

    def __init__(
        self,
        name: str,
        identity: ModelIdentity,
        tensors: Safetensors,
        tokenizer: SourceFile,
        *,
        tensor: str = "",
        missing: str = "strict",
        lowercase: bool = False,
    ) -> None:
        self.name, self.identity, self.source = name, identity, str(tensors.path)
        self._matrix = tensors.matrix(tensor)
        self._missing, self._lowercase = missing, lowercase
        self._tokenizer, text = open_tokenizer(tokenizer)
        self._unknown = _unknown_token(text)
        self._mapping, self._weights = tensors.array("mapping"), tensors.array("weights")
        rows = self._matrix.shape[0] if self._mapping is None else len(self._mapping)
        if self._mapping is not None and rows and not 0 <= self._mapping.min() <= self._mapping.max() < len(self):
            raise TermgaugeError(f"{tensors.path}: its 'mapping' points outside its vectors; get the file again.")
        if self._weights is not None and len(self._weights) != rows:
            raise TermgaugeError(f"{tensors.path}: has {len(self._weights):,} weights for {rows:,} tokens.")
        tokens = [f"<{number}>" for number in range(rows)]  # ids that no token has stay out of reach
        for token, number in self._tokenizer.get_vocab(with_added_tokens=True).items():
            if number < rows:
                tokens[number] = token
        self.vocabulary = Vocabulary.from_words(tokens)

    def __len__(self) -> int:
        return self._matrix.shape[0]

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self._matrix.shape[1]

    def gather(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors of some tokens."""
        vectors = self._matrix.gather(rows if self._mapping is None else self._mapping[rows].astype(np.int64))
        if self._weights is not None:
            vectors *= self._weights[rows].astype(np.float32)[:, None]
        return vectors

    def known(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Say which tokens have a vector."""
        there: NDArray[np.bool_] = self.vocabulary.find(words) != MISSING
        return there

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return the vector of each token."""
        return self.gather(rows_of(self.vocabulary, words))

    @property
    def token_count(self) -> int:
        """How many tokens have a row."""
        return len(self) if self._mapping is None else len(self._mapping)

    @property
    def unknown_id(self) -> int | None:
        """The number of the token that stands for what the tokenizer does not know."""
        return None if self._unknown is None else self._tokenizer.token_to_id(self._unknown)

    def ids_of(self, terms: Sequence[str]) -> list[list[int]]:
        """Return the numbers of the tokens of each term, unknown ones included."""
        return [list(entry.ids) for entry in self._encoded(terms)]

    def _encoded(self, terms: Sequence[str]) -> Any:  # noqa: ANN401
        # The tokenizer speaks UTF-8 and takes no lone surrogates.
        texts = [term.encode("utf-8", "replace").decode("utf-8") for term in terms]
        if self._lowercase:
            texts = [text.lower() for text in texts]
        return self._tokenizer.encode_batch(texts, add_special_tokens=False)

    def words_of(self, terms: Sequence[str]) -> TermWords:
        """Return the token vectors of many terms."""
        different = list(dict.fromkeys(terms))
        tokens = {term: entry.tokens for term, entry in zip(different, self._encoded(different), strict=True)}
        wanted = sorted({token for entry in tokens.values() for token in entry} - {self._unknown})
        usable = {token for token, known in zip(wanted, self.known(wanted).tolist(), strict=True) if known}
        kept = [[token for token in tokens[term] if token in usable] for term in terms]
        lost = [[token for token in tokens[term] if token not in usable] for term in terms]
        return assemble(self, kept, lost, self._missing)


def find_tokenizer(weights: Path, named: str) -> Path:
    """Return where the tokenizer of a file of token vectors is: named, or beside it."""
    folder = weights.parent
    if named:
        beside = folder / named
        return beside if beside.is_file() else expanded(named)
    for place in (folder, folder.parent, folder.parent / "tokenizers"):
        if (place / "tokenizer.json").is_file():
            return place / "tokenizer.json"
    beginning = weights.stem.rpartition("_")[0]  # WordLlama: l2_supercat_256 has l2_supercat_tokenizer_config.json
    configured = folder.parent / "tokenizers" / f"{beginning}_tokenizer_config.json"
    if configured.is_file():
        return configured
    raise TermgaugeError(
        f"{weights}: has no tokenizer.json beside it, nor words of its own; name the tokenizer with ?tokenizer=FILE."
    )


def open_tokenizer(file: SourceFile) -> tuple[Any, str]:
    """Return the tokenizer in a file, which neither pads nor truncates, and the text of the file."""
    tokenizers = library("tokenizers", "A tokenizer", "tokens", "the package 'tokenizers'")
    data = file.read()
    try:
        text = data.decode("utf-8")
        tokenizer = tokenizers.Tokenizer.from_str(text)
    except Exception as error:
        raise TermgaugeError(f"{file.label}: is no Hugging Face tokenizer ({error}).") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer, text


def _unknown_token(text: str) -> str | None:
    """Return the token that stands for what the tokenizer does not know."""
    model = json.loads(text).get("model", {})
    if isinstance(model.get("unk_token"), str):
        return str(model["unk_token"])
    number, pieces = model.get("unk_id"), model.get("vocab")
    if isinstance(number, int) and isinstance(pieces, list) and 0 <= number < len(pieces):
        return str(pieces[number][0])
    return None


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
