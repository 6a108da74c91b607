"""Write the vectors of a model to a file of another format, so that users can leave again.

A fastText model is written as the vectors of the words in its dictionary; its n-grams stay behind.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, BinaryIO, Literal

import numpy as np

from termgauge.embeddings.model import ConceptModel, Model, WordModel
from termgauge.embeddings.store.vectors import BLOCK_BYTES
from termgauge.embeddings.store.vocabulary import PackedWords
from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.io.atomic import whole_file
from termgauge.io.paths import expanded
from termgauge.progress import track

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from termgauge.embeddings.model import TableModel
    from termgauge.embeddings.store.vocabulary import Vocabulary

Format = Literal["word2vec-text", "word2vec-binary", "numpy", "safetensors"]
FORMATS: tuple[Format, ...] = ("word2vec-text", "word2vec-binary", "numpy", "safetensors")
_BY_SUFFIX: dict[str, Format] = {
    ".txt": "word2vec-text",
    ".vec": "word2vec-text",
    ".bin": "word2vec-binary",
    ".npy": "numpy",
    ".safetensors": "safetensors",
}


def convert(model: Model, out: str | os.PathLike[str], to: str | None = None) -> list[Path]:
    """Write the vectors of a model with a vocabulary, and return the files written.

    The format is one of `FORMATS`, by the suffix of the file if not given. NumPy has its words in a second file,
    ``NAME.words.txt``.
    """
    path = expanded(out)
    if not isinstance(model, WordModel | ConceptModel) or len(model.vocabulary) == 0:
        raise TermgaugeError(f"The model '{model.name}' has no vocabulary of vectors to write.")
    chosen = to or _BY_SUFFIX.get(path.suffix.lower())
    if chosen not in FORMATS:
        raise TermgaugeError(
            f"'{to or path.name}' is no format to write; name one of {', '.join(FORMATS)}, or a file that ends in "
            f"{', '.join(_BY_SUFFIX)}.{did_you_mean(to or '', FORMATS)}"
        )
    if path.is_dir():
        raise TermgaugeError(f"{path}: is a folder; name the file to write.")
    _refuse_unwritable(model, chosen, path)
    if chosen == "numpy":
        return _write_numpy(model, path)
    with whole_file(path) as temporary, temporary.open("wb") as file:
        if chosen == "safetensors":
            _write_safetensors(model, file)
        else:
            _write_word2vec(model, file, binary=chosen == "word2vec-binary")
    return [path]


def _blocks(model: TableModel) -> Iterator[tuple[list[bytes], NDArray[np.float32]]]:
    rows = model.vocabulary.rows
    step = max(1, BLOCK_BYTES // (4 * model.dimension))
    with track("Writing", total=len(rows), unit="vectors") as advance:
        for start in range(0, len(rows), step):
            some = rows[start : start + step]
            yield [model.vocabulary.words.raw(row) for row in some.tolist()], model.gather(some)
            advance(len(some))


def _write_word2vec(model: TableModel, file: BinaryIO, *, binary: bool) -> None:
    file.write(f"{len(model.vocabulary)} {model.dimension}\n".encode())
    row_format = b" %.9g" * model.dimension + b"\n"  # nine digits give every float32 back
    for words, vectors in _blocks(model):
        if binary:
            tails = (b" " + row.tobytes() + b"\n" for row in vectors.astype("<f4"))
        else:
            tails = (row_format % tuple(row) for row in vectors.tolist())
        file.writelines(word + tail for word, tail in zip(words, tails, strict=True))


def _write_numpy(model: TableModel, path: Path) -> list[Path]:
    words_path = path.with_name(f"{path.stem}.words.txt")
    with (
        whole_file(words_path) as words_file,
        whole_file(path) as temporary,
        temporary.open("wb") as file,
        words_file.open("wb") as names,
    ):
        header = {"descr": "<f4", "fortran_order": False, "shape": (len(model.vocabulary), model.dimension)}
        np.lib.format.write_array_header_1_0(file, header)
        for words, vectors in _blocks(model):
            file.write(vectors.astype("<f4").data)
            names.writelines(word + b"\n" for word in words)
    return [path, words_path]


def _write_safetensors(model: TableModel, file: BinaryIO) -> None:
    rows = model.vocabulary.rows
    words = PackedWords.from_words(model.vocabulary.words.raw(row) for row in rows.tolist())
    vector_bytes = 4 * len(rows) * model.dimension
    offset_end, characters = vector_bytes + words.offsets.nbytes, len(words.data)
    header = {
        "vectors": {"dtype": "F32", "shape": [len(rows), model.dimension], "data_offsets": [0, vector_bytes]},
        "word_offsets": {"dtype": "I64", "shape": [len(words.offsets)], "data_offsets": [vector_bytes, offset_end]},
        "words": {"dtype": "U8", "shape": [characters], "data_offsets": [offset_end, offset_end + characters]},
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the matrix then begins at a multiple of 8 bytes
    file.write(len(text).to_bytes(8, "little") + text)
    file.writelines(vectors.astype("<f4").data for _, vectors in _blocks(model))
    file.write(words.offsets.astype("<i8").tobytes())
    file.write(words.data.tobytes())


def _refuse_unwritable(model: TableModel, chosen: str, path: Path) -> None:
    """Refuse words that would break the format, and warn of those that other programs may stumble over."""
    if chosen == "safetensors":
        return
    lines, spaces = (_word_with(mark, model.vocabulary) for mark in (b"\n", b" "))
    if lines is not None:
        raise TermgaugeError(f"{path}: the word {lines!r} has a line end in it; write safetensors instead.")
    if chosen == "word2vec-binary" and spaces is not None:
        raise TermgaugeError(
            f"{path}: the word '{spaces}' has a space in it, which ends a word in this format; "
            "write numpy or safetensors instead."
        )
    if chosen == "word2vec-text" and spaces is not None:
        warn(f"{path}: some words have spaces in them, which not every reader of word2vec text understands.")


def _word_with(mark: bytes, vocabulary: Vocabulary) -> str | None:
    words = vocabulary.words
    if not (words.data[words.offsets[0] : words.offsets[-1]] == ord(mark)).any():
        return None
    return next((words.text(row) for row in vocabulary.rows.tolist() if mark in words.raw(row)), None)
