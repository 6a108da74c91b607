"""Vectors of terms from Flair's character language models (Akbik et al. 2018), run by the flair library.

A word's vector is the state of the forward model behind its last character beside that of the backward model before
its first. Model files are pickles: torch reads tensors and flair's own list of characters from them, and nothing else,
so that a file cannot run code.
"""

from __future__ import annotations

from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.embeddings.encoders.encoding import open_encoder
from termgauge.embeddings.libraries import Devices, first_line, library
from termgauge.embeddings.model import ModelIdentity
from termgauge.embeddings.schemes import AS_TOKENS, DEVICE, STORE, Option, Scheme
from termgauge.embeddings.spec import single
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.io.identity import sha256_of_value
from termgauge.io.paths import expanded
from termgauge.io.source import content_hashes, files_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.encoders.encoding import TokenMatrix
    from termgauge.embeddings.spec import ModelSpec

DIRECTIONS = ("forward", "backward")


class FlairEncoder:
    """Forward and backward models that encode texts, as one vector each or as the vectors of their words.

    The location is a folder with ``*forward*.pt`` and ``*backward*.pt``, or a name of flair's such as ``pubmed``.
    """

    def __init__(self, spec: ModelSpec) -> None:
        self.name, self.source = spec.name, spec.location
        self._devices = Devices.parse(spec.text("device"))
        self.batch_size = self._devices.batch_size
        if len(self._devices.names) > 1:
            raise TermgaugeError("flair: runs on one device; give device=cpu or device=cuda:0.")
        wanted = DIRECTIONS if spec.text("direction") == "both" else (spec.text("direction"),)
        self._pooling = "" if spec.flag("tokens") else spec.text("pooling")
        folder = expanded(spec.location)
        if folder.is_dir():
            self._files = [_model_file(folder, direction) for direction in wanted]
        else:
            self._files = [_published(spec.location, direction) for direction in wanted]
        self.identity = ModelIdentity.from_options(
            "terms" if self._pooling else "words",
            "flair",
            sha256_of_value(content_hashes([files_of(file)[0] for file in self._files])),
            {"direction": spec.text("direction"), "pooling": self._pooling or "none"},
            "words=flair.data.Sentence",
            ["flair", "torch"],
        )

    @property
    def dimension(self) -> int:
        """Numbers in a vector: all directions together."""
        return sum(model.embedding_length for model in self._models)

    def encode_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vector of each text: the mean of its words, or what the models know at its ends."""
        matrices = [matrix for _, matrix in self.token_vectors(texts)]
        if self._pooling == "mean":
            return np.stack([matrix.mean(axis=0) for matrix in matrices])
        widths = np.cumsum([model.embedding_length for model in self._models])[:-1]
        return np.stack([self._ends(np.split(matrix, widths, axis=1)) for matrix in matrices])

    def _ends(self, sides: list[NDArray[np.float32]]) -> NDArray[np.float32]:
        """Return the state at the end of the reading: of the last word forwards, of the first backwards."""
        ends = [side[-1 if model.is_forward_lm else 0] for side, model in zip(sides, self._models, strict=True)]
        return np.concatenate(ends)

    def token_vectors(self, texts: Sequence[str]) -> list[TokenMatrix]:
        """Return the words of each text, as flair splits it, and their vectors."""
        models, flair = self._models, _flair()
        sentences = [flair.data.Sentence(text) for text in texts]
        # A text of which flair leaves no word (a zero-width space) is read as one word.
        sentences = [entry if len(entry) else flair.data.Sentence(["-"]) for entry in sentences]
        vectors = [[np.empty((len(entry), 0), np.float32)] for entry in sentences]
        for model in models:
            model.embed(sentences)
            for parts, sentence in zip(vectors, sentences, strict=True):
                parts.append(np.stack([token.get_embedding().cpu().numpy() for token in sentence]))
                sentence.clear_embeddings()
        tokens = [[token.text for token in sentence] for sentence in sentences]
        return [(words, np.concatenate(parts, axis=1)) for words, parts in zip(tokens, vectors, strict=True)]

    @cached_property
    def _models(self) -> list[Any]:
        flair = _flair()
        torch = library("torch", "flair:", "flair")
        self._devices.check(torch)
        flair.device = torch.device(self._devices.names[0])
        return [flair.embeddings.FlairEmbeddings(read_language_model(file, flair, torch)) for file in self._files]


def read_language_model(path: Path, flair: Any, torch: Any) -> Any:  # noqa: ANN401
    """Read a character language model without running anything that its file may hold."""
    try:
        with torch.serialization.safe_globals([flair.data.Dictionary]):
            state = torch.load(path, map_location=flair.device, weights_only=True)
        model = flair.models.LanguageModel(
            dictionary=state["dictionary"],
            is_forward_lm=state["is_forward_lm"],
            hidden_size=state["hidden_size"],
            nlayers=state["nlayers"],
            embedding_size=state["embedding_size"],
            nout=state["nout"],
            document_delimiter=state.get("document_delimiter", "\n"),
            dropout=state["dropout"],
            recurrent_type=state.get("recurrent_type", "lstm"),
            has_decoder=False,
        )
        model.load_state_dict(state["state_dict"], strict=False)
    except Exception as error:
        raise TermgaugeError(
            f"{path}: is no character language model of flair, or not one of tensors alone ({first_line(error)}); get "
            "it again from a source you trust."
        ) from error
    missing = sorted(set(model.state_dict()) - set(state["state_dict"]))
    if missing:
        raise TermgaugeError(f"{path}: lacks the weights {', '.join(missing)}; get it again.")
    model.eval()
    model.to(flair.device)  # which returns nothing here
    return model


def _model_file(folder: Path, direction: str) -> Path:
    advice = f"; put the {direction} language model there, or leave that direction out with direction=forward|backward"
    return single(sorted(folder.glob(f"*{direction}*.pt")), folder, f"files *{direction}*.pt", advice)


def _published(name: str, direction: str) -> Path:
    """Return the file of one of flair's own models, downloaded by flair where it keeps them."""
    if "/" in name or "\\" in name or name.endswith(".pt"):
        raise TermgaugeError(f"{name}: is no folder; name one that holds *forward*.pt and *backward*.pt.")
    flair = _flair()
    addresses = _addresses(flair)
    wanted = f"{name.removesuffix('-fast')}-{direction}{'-fast' if name.endswith('-fast') else ''}"
    if wanted not in addresses:
        names = sorted({key.replace("-forward", "") for key in addresses if "-forward" in key})
        raise TermgaugeError(
            f"flair has no model '{wanted}', and there is no folder '{name}'; flair has pubmed, news and others."
            f"{did_you_mean(name, names)}"
        )
    try:
        return Path(flair.file_utils.cached_path(addresses[wanted], cache_dir=Path("embeddings")))
    except Exception as error:
        raise TermgaugeError(
            f"flair's model '{wanted}' could not be downloaded ({error}); check the network, or name a folder."
        ) from error


def _addresses(flair: Any) -> dict[str, str]:  # noqa: ANN401
    """Return flair's own table of models, which it makes only while it opens one."""

    class Stop(Exception):  # noqa: N818
        pass

    class Name(str):
        """A name that stops flair at the moment it is looked up, the table being made."""

        __slots__ = ()

        def lower(self) -> str:
            raise Stop

    embeddings = flair.embeddings.FlairEmbeddings.__new__(flair.embeddings.FlairEmbeddings)
    try:
        embeddings.__init__(Name("table"))
    except Stop:
        return dict(embeddings.PRETRAINED_MODEL_ARCHIVE_MAP)
    raise TermgaugeError("this version of flair keeps its models elsewhere; name a folder with the model files.")


def _flair() -> Any:  # noqa: ANN401
    try:
        import flair
        import flair.data
        import flair.embeddings
        import flair.file_utils
        import flair.models
    except ImportError as error:
        raise TermgaugeError(
            "flair: needs the flair library, which needs a transformers older than 5, so in an environment of its own: "
            "pip install 'termgauge[flair]'."
        ) from error
    return flair


SCHEMES = (
    Scheme(
        "flair",
        "character language models of flair",
        ("terms", "words"),
        partial(open_encoder, FlairEncoder),
        {
            "device": DEVICE,
            "direction": Option("Which of the two language models.", "text", "both", ("both", "forward", "backward")),
            "pooling": Option(
                "The mean of the words' vectors, or the states at the ends of the text.",
                "text",
                "mean",
                ("mean", "ends"),
            ),
            "store": STORE,
            "tokens": AS_TOKENS,
        },
        files="hub",
        extra="flair",
        terms_per_second=20,
    ),
)
