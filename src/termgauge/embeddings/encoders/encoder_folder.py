"""What the files beside an encoder say about how it is meant to be used: pooling, longest text, padding.

Checkpoints in the layout of sentence-transformers say how token vectors become one vector; plain ones do not, and
then the user has to, because the same checkpoint gives quite different results under another pooling.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from pathlib import Path

ENDLESS = 1_000_000
"""Some tokenizers write a huge number where they know no longest text."""


@dataclass(frozen=True)
class EncoderFolder:
    """A folder with an encoder's configuration files."""

    path: Path

    @cached_property
    def pooling(self) -> dict[str, Any]:
        """The settings of the pooling layer, empty if none are written down."""
        modules = self._json("modules.json", [])
        named = [str(module.get("path", "")) for module in modules if "Pooling" in str(module.get("type", ""))]
        settings: dict[str, Any] = self._json(f"{named[0] if named else '1_Pooling'}/config.json", {})
        return settings

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
        return any("Normalize" in str(module.get("type", "")) for module in self._json("modules.json", []))

    @property
    def max_length(self) -> int | None:
        """The most tokens that it takes, by the strictest of the files that say so."""
        said = [
            self._json("sentence_bert_config.json", {}).get("max_seq_length"),
            self._json("tokenizer_config.json", {}).get("model_max_length"),
            self._json("config.json", {}).get("max_position_embeddings"),
        ]
        known = [int(each) for each in said if isinstance(each, int | float) and 0 < each < ENDLESS]
        return min(known) if known else None

    @property
    def padding_id(self) -> int:
        """The number of the token that fills up short texts."""
        number = self._json("config.json", {}).get("pad_token_id")
        return number if isinstance(number, int) and number >= 0 else 0

    def _json(self, name: str, otherwise: Any) -> Any:  # noqa: ANN401
        file = self.path / name
        if not file.is_file():
            return otherwise
        try:
            found = json.loads(file.read_bytes())
        except (OSError, ValueError) as error:
            raise TermgaugeError(f"{file}: cannot be read as JSON ({error}).") from error
        if not isinstance(found, type(otherwise)):
            raise TermgaugeError(f"{file}: is not what a file of this name holds; get it again from its source.")
        return found
