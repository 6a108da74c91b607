"""Which format a file of vectors has, from its first bytes.

Pickles are refused, whatever they hold: to read one is to run whatever program its author put inside.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from termgauge.embeddings.encoders.checkpoint import EncoderFolder
from termgauge.embeddings.files.fasttext import looks_like_fasttext
from termgauge.embeddings.files.matrices import MAGIC, looks_like_safetensors
from termgauge.embeddings.files.readers import header_of, infer_dimension, separator_of
from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from termgauge.io.source import SourceFile

_PICKLE = re.compile(
    rb"\x80[\x02-\x05]"  # protocols 2 to 5
    rb"|[}\])]q\x00|c[\w.]+\n\w+\n|\(i?[dl]p\d+\n"  # 1 and 0
)
_WEIGHTS = (".safetensors", ".bin")
_OTHERS = {
    b"\x89HDF": "an HDF5 file",
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "a zip archive",
    b"SQLite": "an SQLite file",
    b"GGUF": "a GGUF file",
}


def sniff(file: SourceFile, head: bytes) -> str:
    """Return the scheme that reads a file."""
    if looks_like_safetensors(head):  # before pickles: the length of its header may look like one
        return "safetensors"
    if looks_like_fasttext(head):  # before pickles, too: the width of its vectors may
        return "fasttext"
    refuse_pickle(file.label, head)
    if head.startswith(MAGIC):
        return "numpy"
    for magic, what in _OTHERS.items():
        if head.startswith(magic):
            raise TermgaugeError(f"{file.label}: is {what}, which termgauge does not read vectors from; {_KNOWN}.")
    if header_of(head) is not None:
        return "word2vec"
    if separator_of(head) is not None:
        return "delimited"
    if infer_dimension(head, b" ") is not None:
        return "glove"
    raise TermgaugeError(f"{file.label}: is not in any format that termgauge knows; {_KNOWN}.")


_KNOWN = "it reads word2vec, GloVe, fastText, .npy, CSV or TSV, and safetensors"


def encoder_scheme(folder: Path) -> str:
    """Return the scheme that reads a folder with an encoder of texts; empty if it holds none, but vectors of tokens."""
    encoder = EncoderFolder(folder)
    settings = encoder.settings("config.json")
    static = any("StaticEmbedding" in str(module.get("type", "")) for module in encoder.modules)
    known = encoder.modules or settings.keys() & {"model_type", "hidden_size"}
    if static or not known or settings.get("model_type") == "model2vec":
        return ""
    weights = [path for suffix in _WEIGHTS for path in folder.glob(f"*{suffix}")]
    if not weights and any(folder.rglob("*.onnx")):
        return "onnx"
    return "sentence-transformers" if encoder.modules else "transformers"


def is_weights(path: Path) -> bool:
    """Say whether a path is a file that is named as the weights of an encoder are."""
    return path.suffix in _WEIGHTS and path.name.startswith(("model", "pytorch_model")) and path.is_file()


def sniff_folder(folder: Path, files: Sequence[SourceFile]) -> str:
    """Return the scheme that reads a folder of vectors."""
    for suffix, scheme in ((".safetensors", "safetensors"), (".npy", "numpy")):
        if any(file.name.lower().endswith(suffix) for file in files):
            return scheme
    raise TermgaugeError(
        f"{folder}: has neither a .safetensors nor a .npy file in it; name the file of vectors itself."
    )


def refuse_pickle(label: str, head: bytes) -> None:
    """Refuse a pickle, and say how to get the vectors out of it."""
    if _PICKLE.match(head):
        raise TermgaugeError(
            f"{label}: is a pickle, which can run any program when opened, so termgauge does not read it; convert it "
            "where you trust it, for gensim with KeyedVectors.load(path).save_word2vec_format('vectors.bin', "
            "binary=True), for PyTorch with safetensors.torch.save_file."
        )


def refuse_pickled_archive(path: Path, files: Sequence[SourceFile]) -> None:
    """Refuse a zip archive with a pickle in it: what PyTorch writes."""
    if any(file.base.endswith(".pkl") for file in files):
        refuse_pickle(str(path), b"\x80\x02.")
