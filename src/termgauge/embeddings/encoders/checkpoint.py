"""Where the files of a pretrained checkpoint are, and whether they can be trusted.

A hub id becomes a local folder first, so that a folder, a package resource and a hub id are all one thing from there
on: files whose contents make the identity. Weights are only ever read as data: safetensors, or pickles that torch
accepts with ``weights_only``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, TypeVar

from termgauge.embeddings.libraries import first_line, library
from termgauge.embeddings.spec import location_of, place_of
from termgauge.exceptions import TermgaugeError
from termgauge.io.decoding import parsed_json
from termgauge.io.identity import sha256_of_value
from termgauge.io.paths import PACKAGE_PREFIX
from termgauge.io.source import content_hashes, files_of

if TYPE_CHECKING:
    from termgauge.embeddings.spec import ModelSpec
    from termgauge.io.source import SourceFile

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
_OTHER_RUNTIMES = frozenset({"onnx", "openvino", "coreml", "flax", "original"})
"""Folders with the same weights for other programs."""
_SETTINGS = (".json", ".txt", ".model", ".jinja")
_TOKENIZERS = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "spiece.model",
    "sentencepiece.bpe.model",
    "tokenizer.model",
    "source.spm",
)
_SAFE = re.compile(r"model(-\d+-of-\d+)?\.safetensors")
_PICKLED = re.compile(r"pytorch_model(-\d+-of-\d+)?\.bin")
_POOLINGS = {"cls": "cls", "mean": "mean", "max": "max", "last": "last", "lasttoken": "last"}
"""What is called what in a checkpoint's settings."""
_DIMENSION_KEYS = ("word_embed_proj_dim", "hidden_size", "n_embd", "d_model", "dim")


@dataclass(frozen=True)
class Checkpoint:
    """A folder with an encoder's files, in the layout of the transformers library or of sentence-transformers."""

    folder: Path
    label: str = ""
    """How messages name it."""
    remote_code: bool = False
    """Whether Python files that came with it may be run."""

    def settings(self, name: str) -> dict[str, Any]:
        """Return a JSON file of the folder; an empty dictionary if there is no such file."""
        return read_json(self.folder / name, {})

    @property
    def settings_files(self) -> list[Path]:
        """The files that say how it is used, as far as they are there."""
        names = ("modules.json", self._pooling_file, *_LENGTHS)
        return [self.folder / name for name in names if (self.folder / name).is_file()]

    @cached_property
    def modules(self) -> list[dict[str, Any]]:
        """The steps from a text to its vector, if the folder is one of sentence-transformers."""
        return read_json(self.folder / "modules.json", [])

    @cached_property
    def pooling(self) -> dict[str, Any]:
        """The settings of the pooling layer, empty if none are written down."""
        return self.settings(self._pooling_file)

    @property
    def _pooling_file(self) -> str:
        named = [str(module.get("path", "")) for module in self._modules_of("Pooling")]
        return f"{named[0] if named else '1_Pooling'}/config.json"

    def _modules_of(self, kind: str) -> list[dict[str, Any]]:
        return [module for module in self.modules if kind in str(module.get("type", ""))]

    @property
    def pooling_modes(self) -> list[str]:
        """The poolings that the folder asks for, as ``mean``, ``cls``, ``max`` …; several are concatenated."""
        named = self.pooling.get("pooling_mode")
        if isinstance(named, str | list):
            return [named] if isinstance(named, str) else [str(mode) for mode in named]
        on = [name for name, value in self.pooling.items() if name.startswith("pooling_mode_") and value is True]
        return [name.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token") for name in on]

    @property
    def normalizes(self) -> bool:
        """Whether the folder asks for vectors of length 1."""
        return bool(self._modules_of("Normalize"))

    @property
    def max_length(self) -> int | None:
        """The most tokens that it takes, by the strictest of the files that say so."""
        values = [self.settings(name).get(key) for name, key in _LENGTHS.items()]
        lengths = [int(value) for value in values if isinstance(value, int | float) and 0 < value < ENDLESS]
        return min(lengths, default=None)

    @property
    def padding_id(self) -> int:
        """The number of the token that fills up short texts."""
        number = self.settings("config.json").get("pad_token_id")
        return number if isinstance(number, int) and number >= 0 else 0

    @property
    def name(self) -> str:
        """What results call it."""
        return last_part(self.label.removeprefix(PACKAGE_PREFIX)) or "model"

    @cached_property
    def files(self) -> list[SourceFile]:
        """The files that shape its vectors: settings, tokenizer and the weights that are read."""
        return [file for file in files_of(self.folder) if self._counts(PurePosixPath(file.name))]

    def _counts(self, name: PurePosixPath) -> bool:
        if _OTHER_RUNTIMES.intersection(name.parts):
            return False
        if name.suffix == ".bin":
            safe = name.with_name(name.name.replace("pytorch_model", "model")).with_suffix(".safetensors")
            return not (self.folder / safe).exists()
        return name.suffix in (*_SETTINGS, ".safetensors") or (self.remote_code and name.suffix == ".py")

    def content_hash(self) -> str:
        """Return one hash of the names and contents of its files."""
        return sha256_of_value(sorted(zip([file.name for file in self.files], content_hashes(self.files), strict=True)))

    @cached_property
    def config(self) -> dict[str, Any]:
        """The model's own settings."""
        return self.settings("config.json")

    @property
    def dimension(self) -> int | None:
        """Numbers in a token's vector, as far as the settings say."""
        for config in (self.config, self.config.get("text_config", {})):
            for key in _DIMENSION_KEYS:
                if isinstance(config.get(key), int) and config[key] > 0:
                    return int(config[key])
        return None

    @property
    def safe_weights(self) -> bool:
        """Whether the weights are safetensors, not pickles."""
        return any(_SAFE.fullmatch(path.name) for path in self.folder.glob("*.safetensors"))

    @property
    def own_pooling(self) -> str:
        """The pooling that the checkpoint itself asks for; empty if it does not say."""
        return _POOLINGS.get(self.pooling_modes[0], "") if len(self.pooling_modes) == 1 else ""

    def check(self) -> None:
        """Refuse a folder that lacks something, wants to run code, or has weights that only a pickle can read."""
        if not (self.folder / "config.json").is_file():
            raise TermgaugeError(f"{self.label}: has no config.json; name the folder that save_pretrained wrote.")
        if not any((self.folder / name).is_file() for name in _TOKENIZERS):
            raise TermgaugeError(
                f"{self.label}: has no tokenizer (tokenizer.json, vocab.txt …); save it into the same folder."
            )
        wants = [name for name in ("config.json", "tokenizer_config.json") if "auto_map" in self.settings(name)]
        if wants and not self.remote_code and not _is_built_in(self.config.get("model_type")):
            raise TermgaugeError(
                f"{self.label}: wants to run Python code that came with it ({wants[0]} has an 'auto_map'); "
                "if you have read and trust that code, allow it with remote_code=true."
            )
        if not self.safe_weights and not any(_PICKLED.fullmatch(path.name) for path in self.folder.glob("*.bin")):
            raise TermgaugeError(
                f"{self.label}: has no weights (model.safetensors or pytorch_model.bin); get the checkpoint again."
            )
        for file in self.files:
            if file.name.endswith(".bin") and _PICKLED.fullmatch(file.base):
                refuse_unsafe_pickle(file.path)


def last_part(location: str) -> str:
    """Return the last part of a path, or of the id of a model, that says something; nothing if none does."""
    parts = location.replace("\\", "/").split("/")
    return next((part for part in reversed(parts) if part not in ("model", ".", "..", "")), "")


def find_checkpoint(spec: ModelSpec) -> Checkpoint:
    """Return the checkpoint of a spec: in a ``FOLDER``, in ``package:NAME/FOLDER``, or of the hub id ``OWNER/NAME``."""
    folder, (location, _) = place_of(spec), location_of(spec)
    revision, remote_code = spec.text("revision"), spec.flag("remote_code")
    if folder.is_dir():
        if revision:
            raise TermgaugeError(f"{location}: is a folder, which has no revisions; leave out revision={revision}.")
        return Checkpoint(folder, location, remote_code)
    if folder.exists():
        raise TermgaugeError(f"{location}: is a file; name the folder that holds config.json, tokenizer and weights.")
    if location.startswith(PACKAGE_PREFIX) or not _HUB_ID.fullmatch(location):
        raise TermgaugeError(f"{location}: there is no such folder, and it is no hub id (OWNER/NAME) either.")
    return Checkpoint(_downloaded(location, revision, remote_code=remote_code), location, remote_code)


def refuse_unsafe_pickle(path: Path) -> None:
    """Refuse a pickled weight file that holds anything but numbers in containers; nothing of it is run."""
    import pickle
    import warnings

    torch = library("torch", "Reading pickled weights", "transformers")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about dialects of pickle; what matters is raised
            torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, ValueError, EOFError, KeyError, AttributeError) as error:
        raise TermgaugeError(
            f"{path}: is a pickle that torch does not read as weights alone ({first_line(error)}); "
            "ask for the checkpoint as safetensors, or convert it where you trust it."
        ) from error


def _is_built_in(model_type: object) -> bool:
    """Say whether the transformers library knows an architecture itself, so that code that came along is not needed."""
    try:
        from transformers import CONFIG_MAPPING
    except ImportError:
        return False
    return model_type in CONFIG_MAPPING


def _downloaded(hub_id: str, revision: str, *, remote_code: bool) -> Path:
    """Return the local copy of a hub id: settings and safetensors, pickled weights only where there is nothing else."""
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError
    except ImportError as error:
        raise TermgaugeError(
            f"{hub_id}: there is no such folder; for the hub, install it with: pip install 'termgauge[transformers]'."
        ) from error
    settings = [f"*{suffix}" for suffix in _SETTINGS] + (["*.py"] if remote_code else [])
    ignored = [f"{folder}/*" for folder in sorted(_OTHER_RUNTIMES)]
    try:
        for weights in ("*.safetensors", "*.bin"):
            wanted = [*settings, weights]
            folder = Path(
                snapshot_download(hub_id, revision=revision or None, allow_patterns=wanted, ignore_patterns=ignored)
            )
            if any(folder.glob("*.safetensors")):
                break
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError, ValueError) as error:
        raise TermgaugeError(
            f"{hub_id}: there is no such folder, and the hub gave nothing ({first_line(error)}); "
            "check the name and the network, or name a local folder."
        ) from error
    return folder


ENDLESS = 1_000_000
"""Some tokenizers write a huge number where they know no longest text."""
_LENGTHS = {
    "sentence_bert_config.json": "max_seq_length",
    "tokenizer_config.json": "model_max_length",
    "config.json": "max_position_embeddings",
}
"""By file: what it calls the most tokens of a text."""
_Value = TypeVar("_Value")


def read_json(path: Path, otherwise: _Value) -> _Value:
    """Return what a JSON file holds, which is settings by name or a list of such, as `otherwise` is.

    If there is no such file, return `otherwise`.
    """
    if not path.is_file():
        return otherwise
    try:
        value = parsed_json(path.read_bytes(), str(path))
    except OSError as error:
        raise TermgaugeError(f"{path}: cannot be read ({error.strerror or error}).") from error
    entries = value if isinstance(value, list) else [value]
    if not isinstance(value, type(otherwise)) or not all(isinstance(entry, dict) for entry in entries):
        raise TermgaugeError(f"{path}: is not what a file of this name holds; get it again from its source.")
    return value
