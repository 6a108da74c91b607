"""Vectors of terms from any encoder or decoder checkpoint of the transformers library.

Nothing is chosen silently: the same checkpoint gives very different numbers under another pooling, layer or prompt, so
these are options, are part of the identity, and a pooling that the checkpoint does not name must be given.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from termgauge.embeddings.encoders.checkpoint import Checkpoint, find_checkpoint
from termgauge.embeddings.encoders.contextual_tokens import ContextualTokens
from termgauge.embeddings.encoders.encoding import CachedTermModel
from termgauge.embeddings.encoders.torch_devices import Devices
from termgauge.embeddings.libraries import first_line, library
from termgauge.embeddings.model import ModelIdentity
from termgauge.embeddings.schemes import AS_TOKENS, COMBINE, HUB_OPTIONS, Option, Scheme
from termgauge.exceptions import TermgaugeError
from termgauge.io.identity import library_versions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.encoders.contextual_tokens import TokenMatrix
    from termgauge.embeddings.spec import ModelSpec

POOLINGS = ("cls", "mean", "max", "last", "first-subword")
EXTRA = "transformers"
LIBRARIES = ("torch", "transformers", "tokenizers")
_Result = TypeVar("_Result")
_OFFSET_POSITIONS = frozenset({"roberta", "xlm-roberta", "camembert", "mpnet", "longformer", "xlm-roberta-xl"})
"""Architectures that count positions from behind the padding token's number."""
_UNUSED_WEIGHTS = ("pooler.",)
"""Parts that a checkpoint may lack, because no pooling here looks at them."""


@dataclass(frozen=True)
class TransformerSettings:
    """What is done with a checkpoint to get a vector."""

    pooling: str
    """``cls``, ``mean``, ``max``, ``last`` or ``first-subword``, the mean over words of the first token of each; empty
    where the vectors of the tokens themselves are wanted."""
    layers: tuple[int, ...] = (-1,)
    """Which layers' states: 0 is the embedding layer, negative numbers count from the end."""
    combine: str = "mean"
    """What becomes of several layers: their ``mean``, or all of them one after the other (``concat``)."""
    special: bool = True
    """Whether special tokens ([CLS], [SEP] …) take part in ``mean``, ``max``, ``last``, or count as tokens."""
    prompt: str = ""
    """What is written before each term."""
    dtype: str = "float32"
    max_length: int = 0
    """Tokens, special ones included, after which a text is cut; 0: as many as the checkpoint takes."""

    def options(self) -> tuple[tuple[str, str], ...]:
        """Return them as an identity holds them."""
        several = (("combine", self.combine),) if len(self.layers) > 1 else ()
        return (
            *several,
            ("dtype", self.dtype),
            ("layer", ",".join(map(str, self.layers))),
            ("max_length", str(self.max_length or "auto")),
            ("pooling", self.pooling or "none"),
            ("prompt", self.prompt),
            ("special", str(self.special).lower()),
        )


def load_transformers(spec: ModelSpec) -> CachedTermModel | ContextualTokens:
    """Open a checkpoint; its weights are read when the first term is encoded."""
    checkpoint = find_checkpoint(spec.location, revision=spec.text("revision"), remote_code=spec.flag("remote_code"))
    checkpoint.check()
    tokens = spec.flag("tokens")
    given = dict(spec.options)
    settings = TransformerSettings(
        pooling="" if tokens else spec.text("pooling") or _own_pooling(checkpoint),
        layers=parsed_layers(spec.text("layer")),
        combine=spec.text("combine"),
        special=spec.flag("special") if "special" in given else not tokens,
        prompt=spec.text("prompt"),
        dtype=spec.text("dtype"),
        max_length=spec.integer("max_length"),
    )
    if tokens and "pooling" in given:
        raise TermgaugeError(f"{spec.location}: tokens=true takes the tokens' own vectors; leave out pooling=.")
    encoder = TransformerEncoder(
        spec.given_name or checkpoint.name, checkpoint, settings, Devices.parse(spec.text("device"))
    )
    if tokens:
        return ContextualTokens(encoder)
    return CachedTermModel(encoder, spec.text("store"))


def _own_pooling(checkpoint: Checkpoint) -> str:
    if not checkpoint.own_pooling:
        raise TermgaugeError(
            f"{checkpoint.label}: does not say how the vectors of a term's tokens become one; give "
            f"pooling={'|'.join(POOLINGS)} (mean: of all tokens, cls: the first, last: the last, max: by column, "
            "first-subword: the mean of the first tokens of words)."
        )
    return checkpoint.own_pooling


def parsed_layers(text: str) -> tuple[int, ...]:
    """Return the numbers of layers, which commas separate.

    Examples
    --------
    >>> parsed_layers("-4,-3,-2,-1"), parsed_layers("0")
    ((-4, -3, -2, -1), (0,))
    """
    if not re.fullmatch(r"-?\d{1,4}(,-?\d{1,4})*", text):
        raise TermgaugeError(
            f"The option 'layer' is a whole number, or several with commas between them, not '{text}'."
        )
    return tuple(map(int, text.split(",")))


class TransformerEncoder:
    """A checkpoint that encodes texts, as one vector each or as the vectors of their tokens.

    On which devices it runs does not change its identity.
    """

    def __init__(self, name: str, checkpoint: Checkpoint, settings: TransformerSettings, devices: Devices) -> None:
        self.name, self.source = name, checkpoint.label
        self._checkpoint, self._settings, self._devices = checkpoint, settings, devices
        self.batch_size = devices.batch_size
        self.identity = ModelIdentity(
            "terms" if settings.pooling else "words",
            "transformers",
            checkpoint.content_hash(),
            settings.options(),
            libraries=tuple(library_versions(LIBRARIES).items()),
        )

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        known = self._checkpoint.dimension
        if known is None:
            return int(self._states(0, [_Row([self._stand_in], [1], None)])[0].shape[-1])
        return known * (len(self._settings.layers) if self._settings.combine == "concat" else 1)

    @cached_property
    def max_length(self) -> int | None:
        """Tokens, special ones included, after which a text is cut."""
        limits = [self._positions, self._checkpoint.settings("sentence_bert_config.json").get("max_seq_length")]
        own = getattr(self._tokenizer, "model_max_length", None)
        known = [limit for limit in (*limits, own) if isinstance(limit, int) and 0 < limit < 10**9]
        asked = self._settings.max_length
        if asked and self._positions and asked > self._positions:
            raise TermgaugeError(
                f"{self.source}: takes at most {self._positions:,} tokens, so max_length={asked} is too long."
            )
        return asked or min(known, default=None)

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens each text has, before it is cut."""
        backend = self._backend
        if backend is None:
            return [len(row.ids) for row in self._tokenized(texts, None)]
        return [len(each) for each in backend.encode_batch(self._prompted(texts))]

    def encode_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vector of each text."""
        return np.stack(self._shared(texts, self._pooled))

    def token_vectors(self, texts: Sequence[str]) -> list[TokenMatrix]:
        """Return the tokens of each text and their vectors."""
        return self._shared(texts, self._matrices)

    def _shared(self, texts: Sequence[str], work: Callable[[int, Sequence[_Row]], Sequence[_Result]]) -> list[_Result]:
        rows, _ = self._rows(texts), self._models  # both are made here, before there are several threads
        return self._devices.share(rows, work)

    def _rows(self, texts: Sequence[str]) -> list[_Row]:
        """Return texts as numbers, cut where they are too long."""
        longest, backend = self.max_length, self._backend
        if backend is None:
            rows = self._tokenized(texts, longest)
        else:  # the same as by the library's own call, which takes several times as long
            typed = "token_type_ids" in self._tokenizer.model_input_names
            encoded = backend.encode_batch(self._prompted(texts))
            rows = [
                _Row(each.ids, each.special_tokens_mask, each.type_ids if typed else None, each.word_ids)
                for each in encoded
            ]
            long = [at for at, row in enumerate(rows) if longest and len(row.ids) > longest]
            for at, row in zip(long, self._tokenized([texts[at] for at in long], longest), strict=True):
                rows[at] = row
        # A text that is nothing to the tokenizer (a zero-width space) stands as its empty text.
        return [row if row.ids else _Row([self._stand_in], [1], None) for row in rows]

    def _prompted(self, texts: Sequence[str]) -> list[str]:
        return [self._settings.prompt + text for text in texts]

    def _tokenized(self, texts: Sequence[str], longest: int | None) -> list[_Row]:
        if not texts:
            return []
        encoded = self._tokenizer(
            self._prompted(texts),
            padding=False,
            truncation=longest is not None,
            max_length=longest,
            return_attention_mask=False,
            return_special_tokens_mask=True,
            verbose=False,
        )
        kinds = encoded.get("token_type_ids") or [None] * len(texts)
        words = [encoded.word_ids(at) if encoded.is_fast else None for at in range(len(texts))]
        columns = (encoded["input_ids"], encoded["special_tokens_mask"], kinds, words)
        return [_Row(*row) for row in zip(*columns, strict=True)]

    @property
    def _backend(self) -> Any:  # noqa: ANN401
        """The tokenizer without what the library puts around it, None where there is none."""
        backend = getattr(self._tokenizer, "backend_tokenizer", None)
        if backend is None or not hasattr(backend, "encode_batch"):
            return None
        backend.no_padding()
        backend.no_truncation()
        return backend

    def _pooled(self, device: int, rows: Sequence[_Row]) -> list[NDArray[np.float32]]:
        torch = library("torch", "transformers:", EXTRA)
        states, mask = self._states(device, rows)
        with torch.inference_mode():
            pooled = _pool(torch, states.float(), mask, self._settings.pooling)
        return list(pooled.cpu().numpy())

    def _matrices(self, device: int, rows: Sequence[_Row]) -> list[TokenMatrix]:
        states, mask = self._states(device, rows)
        states, mask = states.float().cpu().numpy(), mask.cpu().numpy()
        matrices = []
        for row, state, marks in zip(rows, states, mask, strict=True):
            kept = np.flatnonzero(marks[: len(row.ids)])
            tokens = self._tokenizer.convert_ids_to_tokens([row.ids[at] for at in kept.tolist()])
            matrices.append((tokens, state[kept]))
        return matrices

    def _states(self, device: int, rows: Sequence[_Row]) -> tuple[Any, Any]:
        """Return the states of the wanted layer, and which tokens count."""
        torch = library("torch", "transformers:", EXTRA)
        place = self._devices.names[device]
        lengths = np.array([len(row.ids) for row in rows])
        filled = np.arange(lengths.max()) < lengths[:, None]
        pad = self._tokenizer.pad_token_id
        columns = {"input_ids": np.full(filled.shape, pad if pad is not None else 0), "attention_mask": filled + 0}
        columns["input_ids"][filled] = np.concatenate([row.ids for row in rows])
        if any(row.kinds for row in rows):
            columns["token_type_ids"] = np.zeros_like(columns["input_ids"])
            columns["token_type_ids"][filled] = np.concatenate([row.kinds or [0] * len(row.ids) for row in rows])
        counted = filled.copy()
        if self._settings.pooling == "first-subword":
            counted[filled] = np.concatenate([self._beginnings(row) for row in rows])
        elif not self._settings.special:
            counted[filled] = np.concatenate([_ordinary(row) for row in rows])
        given = {name: torch.from_numpy(values).to(place) for name, values in columns.items()}
        counts = torch.from_numpy(counted).to(place)
        model, wanted = self._models[device], self._settings.layers
        with torch.inference_mode():
            if wanted == (-1,):
                return model(**given).last_hidden_state, counts
            layers = model(**given, output_hidden_states=True).hidden_states
            for layer in wanted:
                if not -len(layers) <= layer < len(layers):
                    raise TermgaugeError(
                        f"{self.source}: has the layers 0 (embeddings) to {len(layers) - 1}, or -1 to -{len(layers)} "
                        f"from the end, and no layer {layer}."
                    )
            chosen = [layers[layer] for layer in wanted]
            if len(chosen) == 1:
                return chosen[0], counts
            if self._settings.combine == "concat":
                return torch.cat(chosen, dim=-1), counts
            return torch.stack([each.float() for each in chosen]).mean(dim=0), counts

    def _beginnings(self, row: _Row) -> NDArray[np.bool_]:
        """Say which tokens of a row begin a word; all count of a text that has none."""
        if row.words is None:
            if len(row.ids) > sum(row.special):
                raise TermgaugeError(
                    f"{self.source}: its tokenizer does not say where words begin, which pooling=first-subword needs; "
                    "choose another pooling."
                )
            return np.ones(len(row.ids), np.bool_)
        before = [None, *row.words[:-1]]
        first = np.array([word is not None and word != last for word, last in zip(row.words, before, strict=True)])
        return first if first.any() else ~first

    @property
    def _stand_in(self) -> int:
        """The token that an empty text is to a tokenizer that adds none of its own."""
        tokenizer = self._tokenizer
        choices = (tokenizer.bos_token_id, tokenizer.cls_token_id, tokenizer.eos_token_id, tokenizer.unk_token_id, 0)
        return next(number for number in choices if number is not None)

    @property
    def _positions(self) -> int | None:
        config = self._checkpoint.config
        most = config.get("max_position_embeddings") or config.get("n_positions")
        if not isinstance(most, int) or most < 1:
            return None
        offset = config.get("model_type") in _OFFSET_POSITIONS
        return most - int(config.get("pad_token_id") or 0) - 1 if offset else most

    @cached_property
    def _tokenizer(self) -> Any:  # noqa: ANN401
        transformers = library("transformers", "transformers:", EXTRA)
        with quietly(transformers), self._sentences("tokenizer"):
            tokenizer = transformers.AutoTokenizer.from_pretrained(
                self._checkpoint.folder, trust_remote_code=self._checkpoint.remote_code, local_files_only=True
            )
        tokenizer.truncation_side = "right"
        return tokenizer

    @cached_property
    def _models(self) -> list[Any]:
        transformers, torch = (library(name, "transformers:", EXTRA) for name in ("transformers", "torch"))
        self._devices.check(torch)
        with quietly(transformers), self._sentences("model"):
            model, report = transformers.AutoModel.from_pretrained(
                self._checkpoint.folder,
                trust_remote_code=self._checkpoint.remote_code,
                local_files_only=True,
                use_safetensors=self._checkpoint.safe_weights,
                weights_only=True,
                dtype=getattr(torch, self._settings.dtype),
                output_loading_info=True,
            )
        missing = sorted(key for key in report["missing_keys"] if not key.startswith(_UNUSED_WEIGHTS))
        if missing:
            raise TermgaugeError(
                f"{self.source}: lacks {len(missing):,} of the model's weights ({missing[0]} …), which would be random "
                "numbers; get the checkpoint again, or the one that it was trained from."
            )
        if getattr(model.config, "is_encoder_decoder", False):
            model = model.get_encoder()
        model.eval()
        return copies(model, self._devices)

    @contextmanager
    def _sentences(self, what: str) -> Iterator[None]:
        """Turn what the library says about a broken checkpoint into a sentence."""
        try:
            yield
        except Exception as error:
            raise TermgaugeError(
                f"{self.source}: the {what} cannot be read ({first_line(error)}); get the checkpoint again."
            ) from error


@dataclass(frozen=True)
class _Row:
    """A text as numbers."""

    ids: list[int]
    special: list[int]
    """1 for each token that the tokenizer added."""
    kinds: list[int] | None
    words: list[int | None] | None = None
    """The number of the word that each token is of, None for special ones; None where the tokenizer does not say."""


def _ordinary(row: _Row) -> NDArray[np.bool_]:
    """Say which tokens of a row are not special; where all are special, all count."""
    ordinary: NDArray[np.bool_] = np.array(row.special) == 0
    return ordinary if ordinary.any() else ~ordinary


def copies(model: Any, devices: Devices) -> list[Any]:  # noqa: ANN401
    """Return the model on each device, copied where there are several."""
    from copy import deepcopy

    return [(deepcopy(model) if at else model).to(name) for at, name in reversed(list(enumerate(devices.names)))][::-1]


@contextmanager
def quietly(transformers: Any) -> Iterator[None]:  # noqa: ANN401
    """Keep the library's progress bars and loading reports off the screen: what matters is checked and raised."""
    logging = transformers.utils.logging
    before, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(before)
        if bars:
            logging.enable_progress_bar()


def _pool(torch: Any, states: Any, counts: Any, pooling: str) -> Any:  # noqa: ANN401
    """Return one vector a row of states (texts x tokens x numbers), over the tokens that count."""
    if pooling == "cls":
        return states[:, 0]
    if pooling == "last":
        places = torch.arange(counts.shape[1], device=counts.device)
        last = torch.where(counts, places, -1).max(dim=1).values
        return states[torch.arange(len(states), device=states.device), last]
    outside = ~counts.unsqueeze(-1)
    if pooling == "max":
        return states.masked_fill(outside, float("-inf")).max(dim=1).values
    return states.masked_fill(outside, 0).sum(dim=1) / counts.sum(dim=1, keepdim=True)


SCHEMES = (
    Scheme(
        "transformers",
        "any encoder or decoder checkpoint; pooling and layer as you say",
        ("terms", "words"),
        load_transformers,
        {
            **HUB_OPTIONS,
            "combine": COMBINE,
            "layer": Option(
                "Which layer: 0 is the embedding layer, -1 the last; or several, such as -4,-3,-2,-1.", "text", "-1"
            ),
            "pooling": Option("How token vectors become one; else as the checkpoint says.", choices=POOLINGS),
            "special": Option("Whether special tokens such as [CLS] are pooled too.", "flag", "true"),
            "tokens": AS_TOKENS,
        },
        files="hub",
        extra="transformers",
        terms_per_second=50,
    ),
)
