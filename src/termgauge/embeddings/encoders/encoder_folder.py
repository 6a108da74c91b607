"""What the files beside an encoder say about how it is meant to be used: pooling, longest text, padding.

Checkpoints in the layout of sentence-transformers say how token vectors become one vector; plain ones do not, and
then the user has to, because the same checkpoint gives quite different results under another pooling.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from termgauge.exceptions import TermgaugeError
from termgauge.io.decoding import parsed_json

if TYPE_CHECKING:
    from pathlib import Path

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


@dataclass(frozen=True)
class EncoderFolder:
    """A folder with an encoder's configuration files."""

    folder: Path

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
        named = [str(module.get("path", "")) for module in self.modules if "Pooling" in str(module.get("type", ""))]
        return f"{named[0] if named else '1_Pooling'}/config.json"

    @property
    def pooling_modes(self) -> list[str]:
        """The poolings that the folder asks for, as ``mean``, ``cls``, ``max`` …; several are concatenated."""
        named = self.pooling.get("pooling_mode")
        if isinstance(named, str | list):
            return [named] if isinstance(named, str) else [str(each) for each in named]
        on = [name for name, value in self.pooling.items() if name.startswith("pooling_mode_") and value is True]
        return [name.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token") for name in on]

    @property
    def normalizes(self) -> bool:
        """Whether the folder asks for vectors of length 1."""
        return any("Normalize" in str(module.get("type", "")) for module in self.modules)

    @property
    def max_length(self) -> int | None:
        """The most tokens that it takes, by the strictest of the files that say so."""
        said = [self.settings(name).get(key) for name, key in _LENGTHS.items()]
        known = [int(each) for each in said if isinstance(each, int | float) and 0 < each < ENDLESS]
        return min(known, default=None)

    @property
    def padding_id(self) -> int:
        """The number of the token that fills up short texts."""
        number = self.settings("config.json").get("pad_token_id")
        return number if isinstance(number, int) and number >= 0 else 0
