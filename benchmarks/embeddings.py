"""Opening files of word vectors: termgauge's memory-mapped store beside gensim, on synthetic files of stated size.

A first opening hashes the file, converts it and writes the store; a reopening finds it there. Each is a process of
its own with a cache of its own. termgauge's kernels are compiled once for a machine, before the clock starts.
"""

from __future__ import annotations

import os
import shutil
import struct
import tempfile
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from benchmarks.measure import Row, below, duration, faster, measured, noted, print_table, quick
from termgauge.embeddings.schemes import MODULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

GENSIM = ["gensim.models.fasttext"]
OURS = [*MODULES, "termgauge.embeddings.files.kernels"]
_POOL = 997
"""Different vectors in a file; they are repeated, which no reader can profit from."""
_LETTERS = "etaoinshrdlucmfw"
_QUERIES = 1000
_COMPARED = 10
"""Numbers of each vector that both must agree on."""


def main() -> None:
    """Print time and memory of opening each kind of file."""
    smaller = 20 if quick() else 1
    with tempfile.TemporaryDirectory(prefix="termgauge-bench-") as place:
        folder = Path(place)
        rows = [
            *_text(folder, 500_000 // smaller, 200),
            *_binary(folder, 2_000_000 // smaller, 200),
            *_fasttext(folder, 1_000_000 // smaller, 2_000_000 // smaller, 100),
        ]
    print_table("Word vectors: opening a file and reading 1,000 words", rows, theirs="gensim")


def open_ours(path: str, cache: str, words: list[str]) -> list[float]:
    """Open a file with termgauge; return the time to open it, and the first numbers of some words' vectors."""
    os.environ["TERMGAUGE_CACHE_DIR"] = cache
    from termgauge.embeddings.load import load_model
    from termgauge.embeddings.model import WordModel

    began = time.perf_counter()
    model = load_model(path)
    opened = time.perf_counter() - began
    assert isinstance(model, WordModel)
    return [opened, *model.vectors(words)[:, :_COMPARED].ravel().tolist()]


def open_gensim(path: str, kind: str, words: list[str]) -> list[float]:
    """Open a file with gensim."""
    from gensim.models import KeyedVectors
    from gensim.models.fasttext import load_facebook_vectors

    warnings.simplefilter("ignore")
    began = time.perf_counter()
    if kind == "fasttext":
        vectors = load_facebook_vectors(path)
    else:
        vectors = KeyedVectors.load_word2vec_format(path, binary=kind == "binary")
    opened = time.perf_counter() - began
    return [opened, *(float(number) for word in words for number in vectors[word][:_COMPARED])]


def _text(folder: Path, count: int, dimension: int) -> Iterator[Row]:
    path = folder / "text.txt"
    with path.open("wb") as file:
        file.write(f"{count} {dimension}\n".encode())
        lines = [b"".join(b" %.8g" % number for number in row) + b"\n" for row in _vectors(dimension)]
        for number, word in enumerate(_words(count)):
            file.write(word + lines[number % _POOL])
    yield from _compare(path, "text", f"word2vec text {count:,} x {dimension}", at_least=5)


def _binary(folder: Path, count: int, dimension: int) -> Iterator[Row]:
    path = folder / "binary.bin"
    with path.open("wb") as file:
        file.write(f"{count} {dimension}\n".encode())
        records = [b" " + row.tobytes() for row in _vectors(dimension)]
        for number, word in enumerate(_words(count)):
            file.write(word + records[number % _POOL])
    yield from _compare(path, "binary", f"word2vec binary {count:,} x {dimension}", at_least=1)


def _fasttext(folder: Path, words: int, buckets: int, dimension: int) -> Iterator[Row]:
    path = folder / "fasttext.bin"
    with path.open("wb") as file:
        file.write(struct.pack("<2i12id", 793712314, 12, dimension, 5, 5, 5, 5, 1, 2, 2, buckets, 3, 6, 100, 1e-4))
        file.write(struct.pack("<3i2q", words, words, 0, 10**9, -1))
        for number, word in enumerate(_words(words)):
            file.write(word + struct.pack("<xqb", words - number, 0))
        _write_matrix(file, words + buckets, dimension)
        _write_matrix(file, words, dimension)
    yield from _compare(path, "fasttext", f"fastText {words:,} words + {buckets:,} buckets x {dimension}", seconds=5)


def _compare(
    path: Path, kind: str, what: str, *, at_least: float | None = None, seconds: float | None = None
) -> Iterator[Row]:
    cache = path.parent / f"cache-{kind}"
    queries = [word.decode() for word in _words(_QUERIES)]
    if kind == "fasttext":
        queries += [f"unseen{word}" for word in queries]
    measured("benchmarks.embeddings:compile_kernels", str(cache))
    first = measured("benchmarks.embeddings:open_ours", str(path), str(cache), queries, imports=OURS)
    again = measured("benchmarks.embeddings:open_ours", str(path), str(cache), queries, imports=OURS, repeat=3)
    shutil.rmtree(cache)
    theirs = measured("benchmarks.embeddings:open_gensim", str(path), kind, queries, imports=GENSIM)
    path.unlink()
    for ours in (first, again):
        if not np.allclose(ours.result[1:], theirs.result[1:], rtol=0, atol=1e-6):
            raise RuntimeError(f"{what}: termgauge and gensim disagree.")
    if at_least is not None:
        yield faster(f"{what}, first opening", first, theirs, at_least=at_least)
        yield faster(f"{what}, reopening", again, theirs, at_least=100)
    if seconds is not None:
        yield noted(f"{what}, first opening", str(first), str(theirs))
        yield below(f"{what}, first opening alone", first.result[0], seconds, "s")
        yield noted(f"{what}, reopening alone", duration(again.result[0]), duration(theirs.result[0]))
    yield below(f"{what}, memory", max(first.peak_mb, again.peak_mb), 1000, "MB")


def compile_kernels(cache: str) -> None:
    """Compile what a first opening needs, and leave it in the compiler's cache."""
    with tempfile.TemporaryDirectory() as place:
        text, binary = Path(place, "a.txt"), Path(place, "a.bin")
        text.write_bytes(b"1 2\na 0.5 0.25\n")
        binary.write_bytes(b"1 2\na " + struct.pack("<2f", 0.5, 0.25))
        fasttext = Path(place, "b.bin")
        with fasttext.open("wb") as file:
            file.write(struct.pack("<2i12id", 793712314, 12, 2, 5, 5, 5, 5, 1, 2, 2, 3, 3, 6, 100, 1e-4))
            file.write(struct.pack("<3i2q", 1, 1, 0, 10, -1) + b"a" + struct.pack("<xqb", 1, 0))
            _write_matrix(file, 4, 2)
        for path in (text, binary, fasttext):
            open_ours(str(path), str(Path(cache, "warm")), ["a"])


def _write_matrix(file: BinaryIO, rows: int, dimension: int) -> None:
    file.write(struct.pack("<?2q", False, rows, dimension))
    pool = _vectors(dimension).tobytes()
    whole, rest = divmod(rows, _POOL)
    file.writelines(pool for _ in range(whole))
    file.write(pool[: rest * dimension * 4])


def _vectors(dimension: int) -> NDArray[np.float32]:
    return np.random.default_rng(1).normal(0, 0.3, (_POOL, dimension)).astype("<f4")


def _words(count: int) -> Iterator[bytes]:
    """Make different words of 5 to 12 letters: a number written in letters."""
    for number in range(count):
        mixed = number * 0x9E3779B1 % (1 << 32)
        yield "".join(_LETTERS[mixed >> shift & 15] for shift in range(0, 20 + number % 3 * 4, 4)).encode() + (
            b"%d" % number
        )
