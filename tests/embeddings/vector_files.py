"""Files of vectors in every format, written the plain way."""

from __future__ import annotations

import json
import struct

import numpy as np


def word2vec_text(words, vectors, *, count=None) -> bytes:
    lines = [f"{len(words) if count is None else count} {vectors.shape[1]}"]
    lines += [" ".join([word, *map(repr, row)]) for word, row in zip(words, vectors.tolist(), strict=True)]
    return "".join(f"{line}\n" for line in lines).encode()


def word2vec_binary(words, vectors, *, count=None, end=b"\n") -> bytes:
    header = f"{len(words) if count is None else count} {vectors.shape[1]}\n".encode()
    raw = [word if isinstance(word, bytes) else word.encode() for word in words]
    rows = vectors.astype("<f4")
    return header + b"".join(word + b" " + row.tobytes() + end for word, row in zip(raw, rows, strict=True))


def glove(words, vectors) -> bytes:
    return word2vec_text(words, vectors).partition(b"\n")[2]


def csv(words, vectors, *, separator=",", header=True, quote='"') -> bytes:
    columns = [""] + [f"V{number + 1}" for number in range(vectors.shape[1])]
    lines = [separator.join(f'"{column}"' for column in columns)] if header else []
    for word, row in zip(words, vectors.tolist(), strict=True):
        lines.append(separator.join([f"{quote}{word}{quote}", *map(repr, row)]))
    return "".join(f"{line}\n" for line in lines).encode()


def safetensors(tensors, *, metadata=None) -> bytes:
    codes = {"float32": "F32", "float16": "F16", "float64": "F64", "int64": "I64", "uint8": "U8", "uint16": "BF16"}
    header, data = ({"__metadata__": metadata} if metadata else {}), b""
    for name, array in tensors.items():
        start, data = len(data), data + np.ascontiguousarray(array).tobytes()
        header[name] = {
            "dtype": codes[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [start, len(data)],
        }
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def fasttext(words, matrix, *, buckets, least=3, most=6, version=12, pruned=-1, quantized=False, labels=()) -> bytes:
    """Return a fastText model; version None is the layout without a magic number."""
    old = version is None
    parts = [] if old else [struct.pack("<2i", 793712314, version)]
    parts.append(struct.pack("<12id", matrix.shape[1], 5, 5, 1, 5, 1, 2, 2, buckets, least, most, 100, 1e-4))
    parts.append(struct.pack("<3iq", len(words) + len(labels), len(words), len(labels), 1000))
    parts.append(b"" if old else struct.pack("<q", pruned))
    for kind, group in ((0, words), (1, labels)):
        parts += [word.encode() + struct.pack("<xqb", 5, kind) for word in group]
    parts.append(b"" if old else struct.pack("<?", quantized))
    parts.append(struct.pack("<2q", *matrix.shape) + matrix.astype("<f4").tobytes())
    return b"".join(parts)
