"""Vectors of terms from ELMo: a folder with ``options.json`` and ``weights.hdf5`` in AllenNLP's format.

A term is read as a text of its own, from a state of zeros; its vector is the mean of its words' vectors, each the mean
of the network's layers unless one of them is chosen.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from termgauge.embeddings.encoders.contextual_tokens import ContextualTokens
from termgauge.embeddings.encoders.elmo_network import ElmoNetwork, ElmoOptions, character_numbers, read_weights
from termgauge.embeddings.encoders.encoder_folder import read_json
from termgauge.embeddings.encoders.encoding import CachedTermModel
from termgauge.embeddings.encoders.torch_devices import Devices
from termgauge.embeddings.libraries import library
from termgauge.embeddings.model import ModelIdentity
from termgauge.embeddings.schemes import AS_TOKENS, COMBINE, DEVICE, STORE, WORD_OPTIONS, Option, Scheme
from termgauge.exceptions import TermgaugeError
from termgauge.io.identity import library_versions, sha256_of_value
from termgauge.io.paths import expanded
from termgauge.io.source import content_hashes, files_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from termgauge.embeddings.encoders.contextual_tokens import TokenMatrix
    from termgauge.embeddings.spec import ModelSpec

_WORD = re.compile(r"\w+(?:[-'’]\w+)*|[^\w\s]")
"""Words as elsewhere in termgauge, and punctuation, which the texts that ELMo was trained on had as words."""


def load_elmo(spec: ModelSpec) -> CachedTermModel | ContextualTokens:
    """Open an ELMo model; its weights are read when the first term is encoded."""
    folder = expanded(spec.location)
    if not folder.is_dir():
        raise TermgaugeError(f"{folder}: is no folder; name the one that holds options.json and weights.hdf5.")
    encoder = ElmoEncoder(spec, _one(folder, "*options.json"), _one(folder, "*weights.hdf5"))
    if spec.flag("tokens"):
        return ContextualTokens(encoder)
    return CachedTermModel(encoder, spec.text("store"))


def _one(folder: Path, pattern: str) -> Path:
    """Return the one file of that name; the published ones are called ``elmo_2x4096_512_2048cnn_2xhighway_…``."""
    files = sorted(folder.glob(pattern))
    if len(files) != 1:
        raise TermgaugeError(f"{folder}: holds {len(files)} files {pattern} where one is needed.")
    return files[0]


class ElmoEncoder:
    """An ELMo model that encodes texts, as one vector each or as the vectors of their words."""

    def __init__(self, spec: ModelSpec, options: Path, weights: Path) -> None:
        self.name, self.source = spec.name, str(options.parent)
        self._weights = weights
        self.options = ElmoOptions.read(read_json(options, {}), str(options))
        self._layer, self._split, self._lowercase = spec.text("layer"), spec.text("split"), spec.flag("lowercase")
        self._combine = spec.text("combine")
        self._layers = self._numbers(str(options))
        self._devices = Devices.parse(spec.text("device"))
        self.batch_size = self._devices.batch_size
        tokens = spec.flag("tokens")
        self.identity = ModelIdentity(
            "words" if tokens else "terms",
            "elmo",
            sha256_of_value(content_hashes([files_of(options)[0], files_of(weights)[0]])),
            (
                *((("combine", self._combine),) if len(self._layers) > 1 and self._combine != "mean" else ()),
                ("layer", self._layer),
                ("pooling", "none" if tokens else "mean"),
            ),
            f"lowercase={str(self._lowercase).lower()}&split={self._split}",
            tuple(library_versions(["torch"]).items()),
        )

    @property
    def dimension(self) -> int:
        """Numbers in a vector: both directions, of several layers one after the other if they are not averaged."""
        return 2 * self.options.projection * (len(self._layers) if self._combine == "concat" else 1)

    def _numbers(self, label: str) -> tuple[int, ...]:
        """Return the numbers of the layers that are asked for."""
        if self._layer in ("average", "top"):
            last = self.options.layers
            return tuple(range(last + 1)) if self._layer == "average" else (last,)
        numbers = self._layer.split(",")
        if not all(map(str.isdecimal, numbers)):
            raise TermgaugeError(
                f"The option 'layer' is average, top, a number from 0, or several with commas between them, not "
                f"'{self._layer}'."
            )
        for number in map(int, numbers):
            if number > self.options.layers:
                raise TermgaugeError(f"{label}: has the layers 0 (words) to {self.options.layers}, no {number}.")
        return tuple(map(int, numbers))

    def words(self, text: str) -> list[str]:
        """Return the words of a text as the network reads them."""
        text = text.lower() if self._lowercase else text
        return text.split() if self._split == "space" else _WORD.findall(text)

    def encode_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the mean of the word vectors of each text."""
        return np.stack([matrix.mean(axis=0) for _, matrix in self.token_vectors(texts)])

    def token_vectors(self, texts: Sequence[str]) -> list[TokenMatrix]:
        """Return the words of each text and their vectors."""
        words, _ = [self.words(text) for text in texts], self._networks  # both here, before there are several threads
        return list(zip(words, self._devices.share(words, self._states), strict=True))

    def _states(self, device: int, texts: Sequence[Sequence[str]]) -> list[NDArray[np.float32]]:
        layers = self._networks[device].layers([character_numbers(words) for words in texts])
        chosen = list(self._layers)
        if self._combine == "concat":
            return [np.concatenate(states[chosen], axis=-1) for states in layers]
        return [states[chosen].mean(axis=0) for states in layers]

    @cached_property
    def _networks(self) -> list[ElmoNetwork]:
        self._devices.check(library("torch", "elmo:", "elmo"))
        weights = read_weights(self._weights, self.options)
        return [ElmoNetwork(self.options, weights, name) for name in self._devices.names]


SCHEMES = (
    Scheme(
        "elmo",
        "options.json and weights.hdf5 as AllenNLP writes them",
        ("terms", "words"),
        load_elmo,
        {
            "device": DEVICE,
            "combine": COMBINE,
            "layer": Option(
                "Which layer, from 0; several, such as 1,2; top; or the average of all.", "text", "average"
            ),
            "lowercase": WORD_OPTIONS["lowercase"],
            "split": WORD_OPTIONS["split"],
            "store": STORE,
            "tokens": AS_TOKENS,
        },
        extra="elmo",
        terms_per_second=20,
    ),
)
