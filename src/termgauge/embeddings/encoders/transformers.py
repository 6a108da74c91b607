"""Vectors of terms from any encoder or decoder checkpoint of the transformers library.

Nothing is chosen silently: the same checkpoint gives very different numbers under another pooling, layer or prompt, so
these are options, are part of the identity, and a pooling that the checkpoint does not name must be given.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from copy import deepcopy
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from termgauge.embeddings.encoders.checkpoint import find_checkpoint
from termgauge.embeddings.encoders.encoding import open_encoder
from termgauge.embeddings.libraries import Devices, first_line, library
from termgauge.embeddings.model import ModelIdentity
from termgauge.embeddings.schemes import AS_TOKENS, COMBINE, HUB_OPTIONS, Option, Scheme
from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.encoders.encoding import TokenMatrix
    from termgauge.embeddings.spec import ModelSpec

POOLINGS = ("cls", "mean", "max", "last", "first-subword")
EXTRA = "transformers"
LIBRARIES = ("torch", "transformers", "tokenizers")
_Result = TypeVar("_Result")
_OFFSET_POSITIONS = frozenset({"roberta", "xlm-roberta", "camembert", "mpnet", "longformer", "xlm-roberta-xl"})
"""Architectures that count positions from behind the padding token's number."""
_UNUSED_WEIGHTS = ("pooler.",)
"""Parts that a checkpoint may lack, because no pooling here looks at them."""


class TransformerEncoder:
    """A checkpoint that encodes texts, as one vector each or as the vectors of their tokens.

    On which devices it runs does not change its identity.
    """

    def __init__(self, spec: ModelSpec) -> None:
        checkpoint, tokens = find_checkpoint(spec), spec.flag("tokens")
        checkpoint.check()
        if tokens and "pooling" in dict(spec.options):
            raise TermgaugeError(f"{spec.location}: tokens=true takes the tokens' own vectors; leave out pooling=.")
        self.name, self.source = spec.given_name or checkpoint.name, checkpoint.label
        self._checkpoint, self._devices = checkpoint, Devices.parse(spec.text("device"))
        self.batch_size = self._devices.batch_size
        self._pooling = "" if tokens else spec.text("pooling") or checkpoint.own_pooling
        if not self._pooling and not tokens:
            raise TermgaugeError(
                f"{checkpoint.label}: does not say how the vectors of a term's tokens become one; give "
                f"pooling={'|'.join(POOLINGS)} (mean: of all tokens, cls: the first, last: the last, max: by column, "
                "first-subword: the mean of the first tokens of words)."
            )
        layers, self._combine = spec.text("layer"), spec.text("combine")
        if not re.fullmatch(r"-?\d{1,4}(,-?\d{1,4})*", layers):
            raise TermgaugeError(
                f"The option 'layer' is a whole number, or several with commas between them, not '{layers}'."
            )
        self._layers = tuple(map(int, layers.split(",")))
        self._special = spec.flag("special") if "special" in dict(spec.options) else not tokens
        self._prompt, self._dtype, self._longest = spec.text("prompt"), spec.text("dtype"), spec.integer("max_length")
        options = {
            "dtype": self._dtype,
            "layer": ",".join(map(str, self._layers)),
            "max_length": self._longest or "auto",
            "pooling": self._pooling or "none",
            "prompt": self._prompt,
            "special": self._special,
        }
        if len(self._layers) > 1:
            options["combine"] = self._combine
        self.identity = ModelIdentity.from_options(
            "words" if tokens else "terms", "transformers", checkpoint.content_hash(), options, libraries=LIBRARIES
        )

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        width = self._checkpoint.dimension
        if width is None:
            return int(self._states(0, [_Row([self._stand_in], [1], None)])[0].shape[-1])
        return width * (len(self._layers) if self._combine == "concat" else 1)

    @cached_property
    def max_length(self) -> int | None:
        """Tokens, special ones included, after which a text is cut."""
        limits = [self._positions, self._checkpoint.settings("sentence_bert_config.json").get("max_seq_length")]
        tokenizer_limit = getattr(self._tokenizer, "model_max_length", None)
        bounds = [limit for limit in (*limits, tokenizer_limit) if isinstance(limit, int) and 0 < limit < 10**9]
        if self._positions and self._longest > self._positions:
            raise TermgaugeError(
                f"{self.source}: takes at most {self._positions:,} tokens, so max_length={self._longest} is too long."
            )
        return self._longest or min(bounds, default=None)

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens each text has, before it is cut."""
        return [len(row.ids) for row in self._tokenized(texts, None)]

    def encode_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vector of each text."""
        return np.stack(self._shared(texts, self._pooled))

    def token_vectors(self, texts: Sequence[str]) -> list[TokenMatrix]:
        """Return the tokens of each text and their vectors."""
        return self._shared(texts, self._matrices)

    def _shared(self, texts: Sequence[str], work: Callable[[int, Sequence[_Row]], Sequence[_Result]]) -> list[_Result]:
        # Both are made here, before there are several threads. A text that is nothing to the tokenizer (a zero-width
        # space) stands as its empty text.
        rows, _ = self._tokenized(texts, self.max_length), self._models
        return self._devices.share([row if row.ids else _Row([self._stand_in], [1], None) for row in rows], work)

    def _tokenized(self, texts: Sequence[str], longest: int | None) -> list[_Row]:
        """Return texts as numbers, cut where they are too long."""
        prompted = [self._prompt + text for text in texts]
        backend: Any = getattr(self._tokenizer, "backend_tokenizer", None)
        if not hasattr(backend, "encode_batch"):
            return self._by_library(prompted, longest)
        # The same as by the library's own call, which takes several times as long.
        backend.no_padding()
        backend.no_truncation()
        typed = "token_type_ids" in self._tokenizer.model_input_names
        rows = [
            _Row(entry.ids, entry.special_tokens_mask, entry.type_ids if typed else None, entry.word_ids)
            for entry in backend.encode_batch(prompted)
        ]
        if long := [at for at, row in enumerate(rows) if longest and len(row.ids) > longest]:
            for at, row in zip(long, self._by_library([prompted[at] for at in long], longest), strict=True):
                rows[at] = row
        return rows

    def _by_library(self, texts: Sequence[str], longest: int | None) -> list[_Row]:
        encoded = self._tokenizer(
            texts,
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

    def _pooled(self, device: int, rows: Sequence[_Row]) -> list[NDArray[np.float32]]:
        torch = library("torch", "transformers:", EXTRA)
        states, mask = self._states(device, rows)
        with torch.inference_mode():
            pooled = _pool(torch, states.float(), mask, self._pooling)
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
        device_name = self._devices.names[device]
        lengths = np.array([len(row.ids) for row in rows])
        filled = np.arange(lengths.max()) < lengths[:, None]
        pad = self._tokenizer.pad_token_id
        columns = {"input_ids": np.full(filled.shape, pad if pad is not None else 0), "attention_mask": filled + 0}
        columns["input_ids"][filled] = np.concatenate([row.ids for row in rows])
        if any(row.kinds for row in rows):
            columns["token_type_ids"] = np.zeros_like(columns["input_ids"])
            columns["token_type_ids"][filled] = np.concatenate([row.kinds or [0] * len(row.ids) for row in rows])
        counted = filled.copy()
        counted[filled] = np.concatenate([self._counted(row) for row in rows])
        inputs = {name: torch.from_numpy(values).to(device_name) for name, values in columns.items()}
        counts = torch.from_numpy(counted).to(device_name)
        model, wanted = self._models[device], self._layers
        with torch.inference_mode():
            if wanted == (-1,):
                return model(**inputs).last_hidden_state, counts
            layers = model(**inputs, output_hidden_states=True).hidden_states
            for layer in wanted:
                if not -len(layers) <= layer < len(layers):
                    raise TermgaugeError(
                        f"{self.source}: has the layers 0 (embeddings) to {len(layers) - 1}, or -1 to -{len(layers)} "
                        f"from the end, and no layer {layer}."
                    )
            chosen = [layers[layer] for layer in wanted]
            if len(chosen) == 1:
                return chosen[0], counts
            if self._combine == "concat":
                return torch.cat(chosen, dim=-1), counts
            return torch.stack([state.float() for state in chosen]).mean(dim=0), counts

    def _counted(self, row: _Row) -> NDArray[np.bool_]:
        """Say which tokens of a row count: those that begin a word, all or all but special ones; all if none would."""
        counted: NDArray[np.bool_] = np.array(row.special) == 0
        if self._pooling == "first-subword" and row.words is not None:
            pairs = zip(row.words, [None, *row.words[:-1]], strict=True)
            counted = np.array([word is not None and word != before for word, before in pairs])
        elif self._pooling == "first-subword" and counted.any():
            raise TermgaugeError(
                f"{self.source}: its tokenizer does not say where words begin, which pooling=first-subword needs; "
                "choose another pooling."
            )
        elif self._special:
            counted[:] = True
        return counted if counted.any() else ~counted

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
        with reading(transformers, self.source, "tokenizer"):
            tokenizer = transformers.AutoTokenizer.from_pretrained(
                self._checkpoint.folder, trust_remote_code=self._checkpoint.remote_code, local_files_only=True
            )
        tokenizer.truncation_side = "right"
        return tokenizer

    @cached_property
    def _models(self) -> list[Any]:
        transformers, torch = (library(name, "transformers:", EXTRA) for name in ("transformers", "torch"))
        self._devices.check(torch)
        with reading(transformers, self.source, "model"):
            model, report = transformers.AutoModel.from_pretrained(
                self._checkpoint.folder,
                trust_remote_code=self._checkpoint.remote_code,
                local_files_only=True,
                use_safetensors=self._checkpoint.safe_weights,
                weights_only=True,
                dtype=getattr(torch, self._dtype),
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
        # Copied first where there are several devices.
        several = [deepcopy(model) for _ in self._devices.names[1:]]
        return [copy.to(name) for copy, name in zip([model, *several], self._devices.names, strict=True)]


class _Row(NamedTuple):
    """A text as numbers."""

    ids: list[int]
    special: list[int]
    """1 for each token that the tokenizer added."""
    kinds: list[int] | None
    words: list[int | None] | None = None
    """The number of the word that each token is of, None for special ones; None where the tokenizer does not say."""


@contextmanager
def reading(transformers: Any, label: str, what: str) -> Iterator[None]:  # noqa: ANN401
    """Turn what the library raises into a sentence, and keep its progress bars and loading reports off the screen."""
    logging = transformers.utils.logging
    before, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    except Exception as error:
        raise TermgaugeError(
            f"{label}: the {what} cannot be read ({first_line(error)}); get the checkpoint again."
        ) from error
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
        partial(open_encoder, TransformerEncoder),
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
