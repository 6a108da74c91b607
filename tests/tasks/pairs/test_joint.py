"""The joint value over sets against a plain computation of its covariance, and on real data against known numbers."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from gensim.models import KeyedVectors
from scipy.stats import rankdata

import termgauge as tg

SETS = "fsn-syn.hard.levenshtein", "fsn-syn.hard.random", "syn-syn.hard.levenshtein"
COLUMNS = "term_1", "term_2", "label"
KNOWN = {
    "pairs": [14_105, 13_695, 40_181],
    "full": (0.645257, 0.004592),
    "cut": (0.656063, 0.004469),
    "difference": (-0.010806, 0.001512),
}
"""Of the Disease Ontology of 2016-07-29 and the published MEDLINE vectors."""


def plain(tables):
    """Return the mean area of both models and of their difference, each with its standard error, by formulas."""
    units, moves, couples, values = set(), {}, {}, np.zeros(2)
    for table in tables:
        similar, n = table["label"].to_numpy() > 0, len(table)
        positives, gamma, areas = similar.sum(), np.empty((2, n)), np.empty(2)
        for row, model in enumerate(("full", "cut")):
            scores = table[model].to_numpy()
            ranks, wins = rankdata(scores), np.empty(n)
            wins[similar] = (ranks[similar] - rankdata(scores[similar])) / (n - positives)
            wins[~similar] = 1 - (ranks[~similar] - rankdata(scores[~similar])) / positives
            areas[row] = wins[similar].mean()
            gamma[row] = (wins - areas[row]) / np.where(similar, positives, n - positives) / len(tables)
        values += areas / len(tables)
        for one, other, each in zip(
            table["term_1"].str.to_lowercase(), table["term_2"].str.to_lowercase(), gamma.T, strict=True
        ):
            units |= {one, other}
            moves[one] = moves.get(one, 0) + each
            if one != other:
                moves[other] = moves.get(other, 0) + each
                couples[frozenset((one, other))] = couples.get(frozenset((one, other)), 0) + each
    of_units, of_couples = (np.array([*sums.values()]) for sums in (moves, couples))
    matrix = (len(units) - 1) / len(units) * (of_units.T @ of_units - of_couples.T @ of_couples)
    errors = np.sqrt([matrix[0, 0], matrix[1, 1], matrix[0, 0] + matrix[1, 1] - 2 * matrix[0, 1]])
    return dict(
        zip(("full", "cut", "difference"), zip([*values, values[0] - values[1]], errors, strict=True), strict=True)
    )


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_the_joint_value_and_its_error(shared, hpo, tmp_path, run):
    ontology = shared / "data/ontologies/doid-2016-07-29.obo" if shared else hpo
    tg.build(ontology, tmp_path / "built", only=["fsn-syn", "syn-syn", "hard"], max_pairs=None if shared else 2000)
    (tmp_path / "sets").mkdir()
    files = [Path(shutil.copy(tmp_path / "built" / f"{name}.tsv", tmp_path / "sets")) for name in SETS]
    if shared:
        vectors = KeyedVectors.load_word2vec_format(shared / "data/vectors/w2v_medline_100d.bin", binary=True)
        vectors.save_word2vec_format(tmp_path / "full.bin", binary=True)
    else:
        run("convert", "medline:", tmp_path / "full.vec")
        vectors = KeyedVectors.load_word2vec_format(tmp_path / "full.vec")
    cut = KeyedVectors(30)
    cut.add_vectors(vectors.index_to_key, np.ascontiguousarray(vectors.vectors[:, :30]))
    cut.save_word2vec_format(tmp_path / "cut.bin", binary=True)
    full = tmp_path / ("full.bin" if shared else "full.vec")
    models = [f"full={full}?missing=strict", f"cut={tmp_path / 'cut.bin'}?missing=strict"]
    folder = tg.evaluate(files, models, tmp_path / "run", measures=["avg_cos"])
    joint = tg.compare(folder).main
    tables = [
        pl.concat(
            [
                pl.read_csv(file, separator="\t", quote_char=None, has_header=False, new_columns=COLUMNS),
                *(pl.read_parquet(folder.path / "scores" / model / f"{file.stem}.parquet").rename({"avg_cos": model})
                  for model in ("full", "cut")),
            ],
            how="horizontal",
        ).filter(pl.col("full").is_finite() & pl.col("cut").is_finite())
        for file in files
    ]  # fmt: skip
    expected = plain(tables)
    if shared:
        assert [len(table) for table in tables] == KNOWN["pairs"]
        for name, (value, error) in expected.items():
            assert (value, error) == pytest.approx(KNOWN[name], abs=6e-7), name
    (difference,) = joint.differences
    assert (difference.one, difference.other) == ("full", "cut")
    assert difference.value == pytest.approx(expected["difference"][0], abs=1e-9)
    assert (difference.high - difference.low) / 2 / 1.959964 == pytest.approx(expected["difference"][1], rel=0.02)
    for row in joint.ranking:
        value, error = expected[row.model]
        assert row.value == pytest.approx(value, abs=1e-9)
        low, high = (math.log(end / (1 - end)) for end in (row.low, row.high))
        assert (high - low) / 2 / 1.959964 * value * (1 - value) == pytest.approx(error, rel=0.02)
