"""Two small vocabularies, two baselines, and three sets of pairs, some of whose words nobody knows."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl

from termgauge.benchmark.sets import Origin
from termgauge.embeddings.load import load_model
from tests.embeddings import vector_files as files


def pairs(set_id, first, second):
    """Return a set, as far as its words are concerned."""
    frame = pl.DataFrame({"term_1": first, "term_2": second}, schema=["term_1", "term_2"])
    return SimpleNamespace(id=set_id, frame=frame, origin=Origin(human=set_id.startswith("human/")))


def write_models(folder):
    """Return models of four and of two words, and baselines that know every word, and none."""
    made = []
    for name, words in (("A", ["fever", "cough", "heart", "attack"]), ("B", ["fever", "rash"])):
        (folder / f"{name}.txt").write_bytes(files.word2vec_text(words, np.ones((len(words), 3), np.float32)))
        made.append(load_model(folder / f"{name}.txt"))
    return [*made, load_model("baseline:random"), load_model("baseline:levenshtein")]


SETS = (
    pairs("human/one", ["Fever", "heart attack", "rash"], ["cough", "fever", "rash burn"]),
    pairs("hp/fsn-syn", ["rash", "burn"], ["fever", "burn burn"]),
    pairs("hp/syn-syn", ["fever"], ["fever"]),
)
