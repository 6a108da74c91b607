"""Static token vectors with a Hugging Face tokenizer: WordLlama, model2vec.

The words of a term are the tokens that the model's own tokenizer cuts it into, so hardly any term is missing, and the
mean of their vectors is what the model itself would give for the term.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.embeddings.encoders.checkpoint import read_json
from termgauge.embeddings.encoders.encoding import warn_of_cut
from termgauge.embeddings.files.matrices import open_safetensors, read_words_and_vectors
from termgauge.embeddings.libraries import library
from termgauge.embeddings.load import open_table, source_hash
from termgauge.embeddings.model import ModelIdentity, ShowingModel
from termgauge.embeddings.schemes import TABLE_OPTIONS, Option, Scheme
from termgauge.embeddings.spec import place_of, require_plain, single
from termgauge.embeddings.store.vocabulary import MISSING, Vocabulary
from termgauge.embeddings.table_models import rows_of
from termgauge.embeddings.tokens import TermWords, assemble
from termgauge.embeddings.units import unit_vectors
from termgauge.exceptions import TermgaugeError
from termgauge.io.paths import expanded
from termgauge.io.source import files_of, hashed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from termgauge.embeddings.files.matrices import Safetensors
    from termgauge.embeddings.model import Kind
    from termgauge.embeddings.spec import ModelSpec
    from termgauge.embeddings.table_models import ConceptVectors, WordVectors
    from termgauge.io.source import SourceFile

BLOCK = 4096
"""Terms whose token vectors are in memory at once."""
MODEL2VEC_LONGEST = 512


def load_safetensors(spec: ModelSpec) -> WordVectors | ConceptVectors | TokenVectors | StaticTerms:
    """Open a safetensors file of token vectors with a tokenizer, or of word vectors as `convert` writes them."""
    file = _safetensors_file(place_of(spec))
    tensors = open_safetensors(file.path)
    if "words" not in tensors.tensors:
        tokens = TokenVectors(spec, file, tensors)
        return StaticTerms(spec, tokens, file.path) if spec.text("kind") == "terms" else tokens
    if spec.text("kind") == "terms":
        raise TermgaugeError(f"{file.label}: holds vectors of words, not of tokens; leave out ?kind=terms.")
    tensor = spec.text("tensor")
    return open_table(spec, "safetensors", [file], lambda: read_words_and_vectors(tensors, tensor), tensor)


def _files(spec: ModelSpec) -> list[Path]:
    """Return all files that a model is read from."""
    weights = _safetensors_file(place_of(spec)).path
    if "words" in open_safetensors(weights).tensors:
        return [weights]
    settings = _settings_file(weights)
    return [weights, _find_tokenizer(weights, spec.text("tokenizer")), *([settings] if settings.is_file() else [])]


class TokenVectors(ShowingModel):
    """A model whose words are the tokens of a tokenizer."""

    kind: Kind = "words"
    composes = False

    def __init__(self, spec: ModelSpec, file: SourceFile, tensors: Safetensors) -> None:
        tokenizer = files_of(_find_tokenizer(file.path, spec.text("tokenizer")))[0]
        content = hashed([file, tokenizer])
        self._lowercase, self._missing = spec.flag("lowercase"), spec.text("missing")
        self.name, self.source = spec.name, str(tensors.path)
        self.identity = ModelIdentity.from_options(
            "words",
            spec.scheme,
            source_hash(content),
            {"tensor": spec.text("tensor")},
            f"tokenizer&lowercase={str(self._lowercase).lower()}&missing={self._missing}",
            ["tokenizers"],
        )
        self._matrix = tensors.matrix(spec.text("tensor"))
        self._tokenizer = open_tokenizer(tokenizer)
        content.require_unchanged()
        self._unknown = _unknown_token(self._tokenizer)
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

    def ids_of(self, terms: Sequence[str], longest: int | None, *, unknown: bool) -> tuple[list[list[int]], int]:
        """Return the numbers of the tokens of each term, and how many terms have more tokens than count.

        The token for what the tokenizer does not know counts if `unknown` says so.
        """
        ids = [entry.ids for entry in self._encoded(terms)]
        left_out = None if unknown or self._unknown is None else self._tokenizer.token_to_id(self._unknown)
        last = len(self.vocabulary.words) - 1  # WordLlama's own library takes the last row for numbers beyond it
        counting = [[min(number, last) for number in numbers[:longest] if number != left_out] for numbers in ids]
        return counting, sum(longest is not None and len(numbers) > longest for numbers in ids)

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
        usable = {token for token, flag in zip(wanted, self.known(wanted).tolist(), strict=True) if flag}
        kept = [[token for token in tokens[term] if token in usable] for term in terms]
        lost = [[token for token in tokens[term] if token not in usable] for term in terms]
        return assemble(self, kept, lost, self._missing)


def _find_tokenizer(weights: Path, named: str) -> Path:
    """Return where the tokenizer of a file of token vectors is: named, or beside it."""
    folder = weights.parent
    if named:
        beside = folder / named
        return beside if beside.is_file() else expanded(named)
    for directory in (folder, folder.parent, folder.parent / "tokenizers"):
        if (directory / "tokenizer.json").is_file():
            return directory / "tokenizer.json"
    beginning = weights.stem.rpartition("_")[0]  # WordLlama: l2_supercat_256 has l2_supercat_tokenizer_config.json
    configured = folder.parent / "tokenizers" / f"{beginning}_tokenizer_config.json"
    if configured.is_file():
        return configured
    raise TermgaugeError(
        f"{weights}: has no tokenizer.json beside it, nor words of its own; name the tokenizer with ?tokenizer=FILE."
    )


def open_tokenizer(file: SourceFile) -> Any:  # noqa: ANN401
    """Return the tokenizer in a file, which neither pads nor truncates."""
    tokenizers = library("tokenizers", "A tokenizer", "tokens", "the package 'tokenizers'")
    data = file.read()
    try:
        tokenizer = tokenizers.Tokenizer.from_str(data.decode("utf-8"))
    except Exception as error:
        raise TermgaugeError(f"{file.label}: is no Hugging Face tokenizer ({error}).") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _unknown_token(tokenizer: Any) -> str | None:  # noqa: ANN401
    """Return the token that stands for what the tokenizer does not know."""
    model = json.loads(tokenizer.to_str())["model"]
    if isinstance(model.get("unk_token"), str):
        return str(model["unk_token"])
    number, pieces = model.get("unk_id"), model.get("vocab")
    if isinstance(number, int) and isinstance(pieces, list) and 0 <= number < len(pieces):
        return str(pieces[number][0])
    return None


class StaticTerms(ShowingModel):
    """A `TermModel` of static token vectors, pooled as their library does; quick enough to need no cache.

    WordLlama counts the token for unknown text; all others follow model2vec, whose settings lie beside the vectors or
    one folder above.
    """

    kind: Kind = "terms"

    def __init__(self, spec: ModelSpec, tokens: TokenVectors, weights: Path) -> None:
        if "missing" in dict(spec.options):
            raise TermgaugeError("kind=terms takes what tokens there are, as the library does; leave out ?missing=.")
        self.name, self.source, self._tokens = spec.name, tokens.source, tokens
        self._unknown = spec.scheme == "wordllama"
        settings: dict[str, object] = {} if self._unknown else read_json(_settings_file(weights), {})
        longest, normalize = settings.get("max_length", MODEL2VEC_LONGEST), spec.text("normalize")
        self._longest = longest if isinstance(longest, int) and not self._unknown else None
        self._normalize = normalize == "true" if normalize else settings.get("normalize") is True
        rules = {"longest": self._longest, "normalize": self._normalize, "unknown": self._unknown}
        self.identity = replace(
            tokens.identity,
            kind="terms",
            options=(*((name, str(value).lower()) for name, value in rules.items()), *tokens.identity.options),
            words=f"tokenizer&lowercase={str(spec.flag('lowercase')).lower()}",
        )
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
            ids, too_long = self._tokens.ids_of(terms[start : start + BLOCK], self._longest, unknown=self._unknown)
            cut += too_long
            full = [at for at, numbers in enumerate(ids) if numbers]
            if full:
                result[[start + at for at in full]] = self._means([ids[at] for at in full])
        if cut and not self._told_of_cut:
            self._told_of_cut = True
            warn_of_cut(self.name, cut, len(terms), f"{self._longest:,} tokens")
        return result

    def _means(self, ids: list[list[int]]) -> NDArray[np.float32]:
        counts = np.array([len(numbers) for numbers in ids], np.int64)
        different, of_token = np.unique(np.concatenate(ids), return_inverse=True)
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        sums = np.add.reduceat(self._tokens.gather(different)[of_token], starts, axis=0, dtype=np.float64)
        means = sums / counts[:, None]
        return (unit_vectors(means, np.float64, zeros=0) if self._normalize else means).astype(np.float32)


def _settings_file(weights: Path) -> Path:
    """Return where the settings of model2vec for a file of vectors are, or would be."""
    places = [folder / "config.json" for folder in (weights.parent, weights.parent.parent)]
    return next((file for file in places if file.is_file()), places[0])


def _safetensors_file(path: Path) -> SourceFile:
    files = [file for file in files_of(path) if path.is_file() or file.name.lower().endswith(".safetensors")]
    return require_plain(single(files, path, ".safetensors files", "; name the file itself"))


_TOKENS = {
    **TABLE_OPTIONS,
    "kind": Option(
        "What the vectors are of; terms pools the tokens of a term as its library does.",
        "text",
        "auto",
        ("auto", "words", "terms", "concepts"),
    ),
    "tokenizer": Option("The tokenizer.json, if it does not lie beside the vectors.", names_file=True),
    "tensor": Option("Which tensor of the file holds the vectors."),
    "normalize": Option("With kind=terms: scale to length 1; else as the model's settings say.", "flag"),
}
_token_scheme = partial(
    Scheme,
    kinds=("words", "terms"),
    load=load_safetensors,
    options=_TOKENS,
    extra="tokens",
    reads=_files,
)
SCHEMES = (
    _token_scheme("safetensors", "token vectors with their tokenizer, or what `convert` writes"),
    _token_scheme("model2vec", "model2vec folders: tokens, or whole terms with kind=terms"),
    _token_scheme(
        "wordllama",
        "WordLlama: tokens, or whole terms with kind=terms",
        default_location="package:wordllama/weights",
        default_package="wordllama",
    ),
)
