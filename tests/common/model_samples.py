"""A small model of every scheme, in its real file format."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.embeddings import onnx_files
from tests.embeddings import vector_files as files
from tests.torch import small_models

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from termgauge.embeddings.model import Kind

WORDS = ["fever", "cough", "heart", "attack", "β2", "beta", "blocker"]
IDS = ["C0000001", "C0000002", "C0000003"]


def sample_vectors(rows: int) -> np.ndarray:
    return np.random.default_rng(11).normal(size=(rows, 6)).astype(np.float32)


@dataclass(frozen=True)
class Sample:
    """A small model of a scheme."""

    scheme: str
    kind: Kind
    write: Callable[[Path], str]
    """Writes its files and returns what stands behind the colon of its spec."""
    closed: bool = True
    """Of words: those outside its vocabulary have no vector."""
    contextual: bool = False
    """Of words: their vectors depend on the term."""
    needs: tuple[str, ...] = ()
    """Libraries."""

    def __str__(self) -> str:
        return f"{self.scheme} ({self.kind})"

    def spec(self, folder: Path) -> str:
        for library in self.needs:
            pytest.importorskip(library)
        scheme, _, location = self.scheme.partition(":")
        return f"{scheme}:{location or self.write(folder)}"


def _file(name: str, content: bytes) -> Callable[[Path], str]:
    def write(folder: Path) -> str:
        (folder / name).write_bytes(content)
        return str(folder / name)

    return write


def _numpy(words: list[str], query: str = "?words=list.txt") -> Callable[[Path], str]:
    def write(folder: Path) -> str:
        np.save(folder / "matrix.npy", sample_vectors(len(words)))
        (folder / "list.txt").write_text("\n".join(words), encoding="utf-8")
        return f"{folder / 'matrix.npy'}{query}"

    return write


def _tokens(query: str = "") -> Callable[[Path], str]:
    def write(folder: Path) -> str:
        tokenizers = pytest.importorskip("tokenizers")
        vocabulary = {word: number for number, word in enumerate(["[UNK]", *WORDS])}
        tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
        tokenizer.normalizer = tokenizers.normalizers.Lowercase()
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
        tokenizer.save(str(folder / "tokenizer.json"))
        (folder / "config.json").write_text(json.dumps({"normalize": True}))
        (folder / "model.safetensors").write_bytes(files.safetensors({"embeddings": sample_vectors(8)}))
        return str(folder) + query

    return write


def _onnx(folder: Path) -> str:
    return f"{onnx_files.write(folder)}?pooling=mean"


def _on_torch(save: Callable[[Path], object], query: str = "") -> Callable[[Path], str]:
    def write(folder: Path) -> str:
        if not (folder / "model").exists():
            save(folder / "model")
        return str(folder / "model") + query

    return write


_VECTORS = sample_vectors(len(WORDS))
IN_CORE = [
    Sample("word2vec", "words", _file("a.txt", files.word2vec_text(WORDS, _VECTORS))),
    Sample("word2vec", "words", _file("a.bin", files.word2vec_binary(WORDS, _VECTORS))),
    Sample("glove", "words", _file("a.txt", files.glove(WORDS, _VECTORS))),
    Sample("fasttext", "words", _file("a.vec", files.word2vec_text(WORDS, _VECTORS))),
    Sample(
        "fasttext", "words", _file("a.bin", files.fasttext(WORDS, sample_vectors(7 + 30), buckets=30)), closed=False
    ),
    Sample("delimited", "words", _file("a.csv", files.csv(WORDS, _VECTORS))),
    Sample("delimited", "concepts", _file("a.csv", files.csv(IDS, sample_vectors(3)))),
    Sample("numpy", "words", _numpy(WORDS)),
    Sample("numpy", "concepts", _numpy(IDS)),
    Sample("medline", "words", _numpy(WORDS, "")),
    *(Sample(scheme, "words", _tokens()) for scheme in ("safetensors", "model2vec", "wordllama")),
    *(Sample(scheme, "terms", _tokens("?kind=terms")) for scheme in ("safetensors", "model2vec", "wordllama")),
    Sample("onnx", "terms", _onnx, needs=("onnxruntime", "tokenizers")),
    Sample("openai", "terms", lambda _: "tiny"),
    Sample("baseline:random", "words", lambda _: "", closed=False),
    Sample("baseline:levenshtein", "pairs", lambda _: ""),
    Sample("baseline:char-ngrams", "pairs", lambda _: "", needs=("sklearn",)),
]
ON_TORCH = [
    sample
    for scheme, save, query, libraries in (
        ("transformers", small_models.save_bert, "pooling=mean", ("torch", "transformers")),
        ("sentence-transformers", small_models.save_sentences, "", ("torch", "sentence_transformers")),
        ("elmo", small_models.save_elmo, "", ("torch", "h5py")),
        ("flair", small_models.save_flair, "", ("torch", "flair")),
    )
    for sample in (
        Sample(scheme, "terms", _on_torch(save, f"?{query}" if query else ""), needs=libraries),
        *(
            [Sample(scheme, "words", _on_torch(save, "?tokens=true"), closed=False, contextual=True, needs=libraries)]
            if scheme != "sentence-transformers"
            else []
        ),
    )
]
"""Those whose libraries are in an environment of their own."""
