"""Vectors of terms from ELMo: a folder with ``options.json`` and ``weights.hdf5`` in AllenNLP's format.

A term is read as a text of its own, from a state of zeros; its vector is the mean of its words' vectors, each the mean
of the network's layers unless one of them is chosen.
"""

from __future__ import annotations

import re
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import AliasPath, BaseModel, Field, ValidationError

from termgauge.embeddings.encoders.checkpoint import read_json
from termgauge.embeddings.encoders.encoding import open_encoder
from termgauge.embeddings.libraries import Devices, library
from termgauge.embeddings.model import ModelIdentity
from termgauge.embeddings.schemes import AS_TOKENS, COMBINE, DEVICE, STORE, WORD_OPTIONS, Option, Scheme
from termgauge.embeddings.spec import single
from termgauge.exceptions import TermgaugeError
from termgauge.io.identity import sha256_of_value
from termgauge.io.paths import expanded
from termgauge.io.source import content_hashes, files_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from termgauge.embeddings.encoders.encoding import TokenMatrix
    from termgauge.embeddings.spec import ModelSpec

_WORD = re.compile(r"\w+(?:[-'’]\w+)*|[^\w\s]")
"""Words as elsewhere in termgauge, and punctuation, which the texts that ELMo was trained on had as words."""


class ElmoEncoder:
    """An ELMo model that encodes texts, as one vector each or as the vectors of their words."""

    def __init__(self, spec: ModelSpec) -> None:
        folder = expanded(spec.location)
        if not folder.is_dir():
            raise TermgaugeError(f"{folder}: is no folder; name the one that holds options.json and weights.hdf5.")
        # The published ones are called elmo_2x4096_512_2048cnn_2xhighway_….
        names = ("*options.json", "*weights.hdf5")
        options, weights = (single(sorted(folder.glob(name)), folder, f"files {name}", "") for name in names)
        self.name, self.source, self._weights = spec.name, str(folder), weights
        self.options = ElmoOptions.read(read_json(options, {}), str(options))
        self._split, self._lowercase, self._combine = spec.text("split"), spec.flag("lowercase"), spec.text("combine")
        self._layers = self._numbers(spec.text("layer"), str(options))
        self._devices = Devices.parse(spec.text("device"))
        self.batch_size = self._devices.batch_size
        tokens = spec.flag("tokens")
        layers = {"layer": spec.text("layer"), "pooling": "none" if tokens else "mean"}
        if len(self._layers) > 1 and self._combine != "mean":
            layers["combine"] = self._combine
        self.identity = ModelIdentity.from_options(
            "words" if tokens else "terms",
            "elmo",
            sha256_of_value(content_hashes([files_of(options)[0], files_of(weights)[0]])),
            layers,
            f"lowercase={str(self._lowercase).lower()}&split={self._split}",
            ["torch"],
        )

    @property
    def dimension(self) -> int:
        """Numbers in a vector: both directions, of several layers one after the other if they are not averaged."""
        return 2 * self.options.projection * (len(self._layers) if self._combine == "concat" else 1)

    def _numbers(self, asked: str, label: str) -> tuple[int, ...]:
        """Return the numbers of the layers that are asked for."""
        last = self.options.layers
        if asked in ("average", "top"):
            return tuple(range(last + 1)) if asked == "average" else (last,)
        if not all(map(str.isdecimal, asked.split(","))):
            raise TermgaugeError(
                f"The option 'layer' is average, top, a number from 0, or several with commas between them, not "
                f"'{asked}'."
            )
        numbers = tuple(map(int, asked.split(",")))
        if max(numbers) > last:
            raise TermgaugeError(f"{label}: has the layers 0 (words) to {last}, no {max(numbers)}.")
        return numbers

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
        chosen = [states[list(self._layers)] for states in layers]
        if self._combine == "concat":
            return [np.concatenate(states, axis=-1) for states in chosen]
        return [states.mean(axis=0) for states in chosen]

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
        partial(open_encoder, ElmoEncoder),
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


WORD_LENGTH = 50
"""Characters of a word, with the marks of its beginning and end; what is longer is cut."""
BEGIN_TEXT, END_TEXT, BEGIN_WORD, END_WORD, PADDING = 256, 257, 258, 259, 260
"""Numbers behind those of the 256 bytes."""
CHARACTERS = 261


def _at(*path: str, **more: Any) -> Any:  # noqa: ANN401
    return Field(validation_alias=AliasPath(*path), **more)


class ElmoOptions(BaseModel):
    """The shape of a network, from ``options.json``."""

    filters: list[tuple[int, int]] = _at("char_cnn", "filters", min_length=1)
    """Width and number of the convolutions."""
    character_dimension: int = _at("char_cnn", "embedding", "dim")
    highways: int = _at("char_cnn", "n_highway")
    activation: Literal["relu", "tanh"] = _at("char_cnn", "activation")
    word_length: Literal[50] = _at("char_cnn", "max_characters_per_token", default=50)
    cells: int = _at("lstm", "dim")
    projection: int = _at("lstm", "projection_dim")
    """Numbers in a word's vector from one direction."""
    layers: int = _at("lstm", "n_layers", ge=1)
    cell_clip: float | None = _at("lstm", "cell_clip", default=None)
    projection_clip: float | None = _at("lstm", "proj_clip", default=None)
    skip: bool = _at("lstm", "use_skip_connections", default=False)

    @classmethod
    def read(cls, values: Mapping[str, Any], label: str) -> ElmoOptions:
        """Take them from the values of ``options.json``."""
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            first = error.errors()[0]
            raise TermgaugeError(
                f"{label}: does not describe a character biLM as AllenNLP writes it "
                f"({'.'.join(map(str, first['loc']))}: {first['msg']})."
            ) from error

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of each array of the weight file."""
        width = sum(count for _, count in self.filters)
        shapes: dict[str, tuple[int, ...]] = {"char_embed": (CHARACTERS, self.character_dimension)}
        for at, (size, count) in enumerate(self.filters):
            shapes[f"CNN/W_cnn_{at}"] = (1, size, self.character_dimension, count)
            shapes[f"CNN/b_cnn_{at}"] = (count,)
        for at in range(self.highways):
            for gate in ("carry", "transform"):
                shapes[f"CNN_high_{at}/W_{gate}"] = (width, width)
                shapes[f"CNN_high_{at}/b_{gate}"] = (width,)
        shapes["CNN_proj/W_proj"] = (width, self.projection)
        shapes["CNN_proj/b_proj"] = (self.projection,)
        for direction in range(2):
            for layer in range(self.layers):
                scope = lstm_place(direction, layer)
                shapes[f"{scope}/W_0"] = (2 * self.projection, 4 * self.cells)
                shapes[f"{scope}/B"] = (4 * self.cells,)
                shapes[f"{scope}/W_P_0"] = (self.cells, self.projection)
        return shapes


def lstm_place(direction: int, layer: int) -> str:
    """Return where the weights of an LSTM are; direction 0 reads forwards, 1 backwards."""
    return f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"


def read_weights(path: Path, options: ElmoOptions) -> dict[str, NDArray[np.float32]]:
    """Read the arrays of a weight file, each of the shape that the options ask for."""
    h5py = library("h5py", "elmo:", "elmo")
    weights = {}
    try:
        with h5py.File(path, "r") as file:
            for name, shape in options.shapes().items():
                if not isinstance(file.get(name), h5py.Dataset):
                    raise TermgaugeError(f"{path}: has no '{name}'; it is no weight file of ELMo for its options.json.")
                if file[name].shape != shape:
                    raise TermgaugeError(
                        f"{path}: '{name}' is of shape {file[name].shape} where options.json asks for {shape}."
                    )
                weights[name] = np.asarray(file[name], np.float32)
    except OSError as error:
        raise TermgaugeError(f"{path}: is no HDF5 file, or was cut off ({error}); get it again.") from error
    for name, values in weights.items():
        if not np.isfinite(values).all():
            raise TermgaugeError(f"{path}: '{name}' holds NaN or infinity; get the file again.")
    return weights


def character_numbers(words: Sequence[str]) -> NDArray[np.int64]:
    """Return the words of a text as rows of character numbers, with the marks of its beginning and end around them."""
    spelled = [[BEGIN_TEXT], *(list(word.encode("utf-8", "ignore")[: WORD_LENGTH - 2]) for word in words), [END_TEXT]]
    numbers = np.full((len(spelled), WORD_LENGTH), PADDING, np.int64)
    for row, letters in zip(numbers, spelled, strict=True):
        row[: len(letters) + 2] = [BEGIN_WORD, *letters, END_WORD]
    return numbers


class ElmoNetwork:
    """The network, ready to run on one device, with the weights as `read_weights` returns them."""

    def __init__(self, options: ElmoOptions, weights: Mapping[str, NDArray[np.float32]], device: str = "cpu") -> None:
        self._torch = library("torch", "elmo:", "elmo")
        self._options, self._device = options, device
        self._weights = {name: self._torch.tensor(values, device=device) for name, values in weights.items()}

    def layers(self, texts: Sequence[NDArray[np.int64]]) -> list[NDArray[np.float32]]:
        """Return for each text, given as character numbers, its states: layers x words x numbers, marks left out."""
        torch = self._torch
        lengths = [len(text) for text in texts]
        with torch.inference_mode():
            different, inverse = np.unique(np.concatenate(texts), axis=0, return_inverse=True)
            vectors = self._words(torch.tensor(different, device=self._device))
            rows = np.zeros((len(texts), max(lengths)), np.int64)
            start = 0
            for at, length in enumerate(lengths):
                rows[at, :length] = inverse.ravel()[start : start + length]
                start += length
            words = vectors[torch.tensor(rows, device=self._device)]
            # The places that turn each text around and leave its padding where it is.
            steps, ends = np.arange(max(lengths)), np.array(lengths)[:, None]
            places = np.where(steps < ends, ends - 1 - steps, steps)
            backwards = torch.tensor(places, device=self._device).unsqueeze(-1)
            turned = partial(torch.take_along_dim, indices=backwards, dim=1)
            sides = [self._stack(0, words), map(turned, self._stack(1, turned(words)))]
            layers = [torch.cat([words, words], -1)]
            layers += [torch.cat(both, -1) for both in zip(*sides, strict=True)]
            stacked = torch.stack(layers, 1).cpu().numpy()
        return [states[:, 1 : length - 1] for states, length in zip(stacked, lengths, strict=True)]

    def _words(self, numbers: Any) -> Any:  # noqa: ANN401
        """Return the vectors of words without context."""
        torch, weights, options = self._torch, self._weights, self._options
        activate = torch.relu if options.activation == "relu" else torch.tanh
        letters = weights["char_embed"][numbers].transpose(1, 2)
        strongest = []
        for at in range(len(options.filters)):
            kernel = weights[f"CNN/W_cnn_{at}"][0].permute(2, 1, 0)
            convolved = torch.nn.functional.conv1d(letters, kernel, weights[f"CNN/b_cnn_{at}"])
            strongest.append(activate(convolved.max(dim=-1).values))
        words = torch.cat(strongest, -1)
        for at in range(options.highways):
            scope = f"CNN_high_{at}"
            carry = torch.sigmoid(words @ weights[f"{scope}/W_carry"] + weights[f"{scope}/b_carry"])
            transformed = torch.relu(words @ weights[f"{scope}/W_transform"] + weights[f"{scope}/b_transform"])
            words = carry * transformed + (1 - carry) * words
        return words @ weights["CNN_proj/W_proj"] + weights["CNN_proj/b_proj"]

    def _stack(self, direction: int, words: Any) -> list[Any]:  # noqa: ANN401
        """Return the states of each LSTM of one direction, which reads what it is given from the left."""
        layers = []
        states = words
        for layer in range(self._options.layers):
            read = self._lstm(lstm_place(direction, layer), states)
            states = read + states if layer and self._options.skip else read
            layers.append(states)
        return layers

    def _lstm(self, scope: str, inputs: Any) -> Any:  # noqa: ANN401
        torch, options = self._torch, self._options
        weight, bias, projection = (self._weights[f"{scope}/{name}"] for name in ("W_0", "B", "W_P_0"))
        from_input = inputs @ weight[: options.projection] + bias
        memory = inputs.new_zeros(len(inputs), options.cells)
        state = inputs.new_zeros(len(inputs), options.projection)
        states = []
        for step in range(inputs.shape[1]):
            gates = from_input[:, step] + state @ weight[options.projection :]
            enter, new, keep, leave = gates.chunk(4, dim=-1)
            # The program that trained the weights adds 1 to this gate and does not write it into the bias.
            memory = torch.sigmoid(keep + 1) * memory + torch.sigmoid(enter) * torch.tanh(new)
            memory = _clipped(memory, options.cell_clip)
            state = _clipped((torch.sigmoid(leave) * torch.tanh(memory)) @ projection, options.projection_clip)
            states.append(state)
        return torch.stack(states, 1)


def _clipped(values: Any, most: float | None) -> Any:  # noqa: ANN401
    return values.clamp(-most, most) if most else values
