"""What a rank is, written down plainly: all cosines in double precision, one query at a time."""

from __future__ import annotations

import numpy as np


def units(vectors):
    """Return vectors at length 1 in double precision; NaN for those that have none."""
    wide = np.asarray(vectors, np.float64)
    with np.errstate(all="ignore"):
        scaled = wide / np.linalg.norm(wide, axis=1, keepdims=True)
    scaled[~np.isfinite(scaled).all(axis=1)] = np.nan
    return scaled


def ranks_by_definition(vectors, concepts, queries, right, hidden):
    """Return the rank of each query (0 for none) and the row of the best wrong name (-1 for none)."""
    names, asked = units(vectors), units(queries)
    ranks, wrong_rows = [], []
    for vector, own, out in zip(asked, right, hidden, strict=True):
        cosines = np.round((names * vector).sum(axis=1), 12)
        shown = {row for row in range(len(names)) if not np.isnan(cosines[row]) and row not in set(out)}
        score = {}
        for row in sorted(shown):
            concept = int(concepts[row])
            score[concept] = max(score.get(concept, -2.0), cosines[row])
        wrong_names = [row for row in sorted(shown) if concepts[row] not in own]
        wrong_rows.append(max(wrong_names, key=lambda row: (cosines[row], -row)) if wrong_names else -1)
        known = [concept for concept in own if concept in score]
        if not known:
            ranks.append(0)
            continue
        best, number = max((score[concept], -concept) for concept in known)
        wrong = {each: value for each, value in score.items() if each not in own}
        before = [each for each, value in wrong.items() if value > best or (value == best and each < -number)]
        ranks.append(1 + len(before))
    return ranks, wrong_rows


def case_with_ties(seed):
    """Make names and queries of small whole numbers: equal ones, equal directions, nearly equal ones, empty ones."""
    rng = np.random.default_rng(seed)
    count, asked, width = rng.integers(1, 200), rng.integers(1, 40), rng.integers(1, 12)
    names = (rng.integers(-2, 3, (count, width)) * rng.integers(1, 4, (count, 1))).astype(np.float32)
    if seed % 2:
        names += (rng.normal(0, 1e-6, (count, width)) * (rng.random((count, 1)) < 0.5)).astype(np.float32)
    if count > 5:
        names[rng.integers(0, count, 2)] = np.nan
    most = [count * 5, count // 2 + 1, count // 4 + 1][seed % 3]
    concepts = np.sort(rng.integers(0, most, count))
    queries = rng.integers(-2, 3, (asked, width)).astype(np.float32)
    right = [sorted({*rng.choice(concepts, rng.integers(1, 4)).tolist()}) for _ in range(asked)]
    hidden = [sorted({*rng.integers(0, count, rng.integers(0, 3)).tolist()}) for _ in range(asked)]
    return names, concepts, queries, right, hidden
