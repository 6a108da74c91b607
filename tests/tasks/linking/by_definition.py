"""Linking written down plainly, row by row and in double precision: what the fast way must equal."""

from __future__ import annotations

import numpy as np

MODEL_COMPONENTS = "900000000000012004"


def asked(terminology, index):
    """Return the index as (concept, text), and for each query its text, right concepts and hidden entries."""
    names, terms = {}, []
    for concept, name, _tag, module, active, _since in terminology.concepts.iter_rows():
        if active and module != MODEL_COMPONENTS and name and name.strip():
            names.setdefault(concept, name)
    for concept, text, kind, _language, _rank, active, _since in terminology.terms.iter_rows():
        if active and kind != "definition" and concept in names:
            written = names[concept] if kind == "fsn" else text
            if written and written.strip():
                terms.append((concept, written))
    everything = [*terms, *names.items()]
    entries = {}
    for concept, text in sorted(names.items()) if index == "names" else everything:
        entries.setdefault((concept, text.lower()), text)
    in_names = {name.lower() for name in names.values()}
    queries = {}
    for concept, text in terms if index == "names" else everything:
        if index == "all" or text.lower() not in in_names:
            queries.setdefault(text.lower(), (text, set()))[1].add(concept)
    listed = [(concept, lower, entries[concept, lower]) for concept, lower in sorted(entries, key=lambda each: each[0])]
    return listed, [(text, concepts, lower if index == "all" else None) for lower, (text, concepts) in queries.items()]


def ranks_by_definition(terminology, vectors_of, index, chosen=None):
    """Return the rank of each query (or of chosen ones, by their texts), 0 where there is none."""
    entries, queries = asked(terminology, index)
    if chosen is not None:
        queries = [query for query in queries if query[0] in chosen]
    names = _units(vectors_of([text for _concept, _lower, text in entries]))
    ids = sorted({concept for concept, _lower, _text in entries})
    number = {concept: at for at, concept in enumerate(ids)}
    owners = np.array([number[concept] for concept, _lower, _text in entries])
    rows = {}
    for row, (_concept, lower, _text) in enumerate(entries):
        rows.setdefault(lower, []).append(row)
    ranks = {}
    for (text, concepts, hidden), vector in zip(
        queries, _units(vectors_of([each[0] for each in queries])), strict=True
    ):
        cosines = np.round(names @ vector, 12)
        cosines[np.isnan(cosines)] = -np.inf
        if hidden is not None:
            cosines[rows[hidden]] = -np.inf
        scores = np.full(len(ids), -np.inf)
        np.maximum.at(scores, owners, cosines)
        right = np.array(sorted(number[concept] for concept in concepts))
        best = scores[right].max()
        if np.isneginf(best):
            ranks[text] = 0
            continue
        first = right[scores[right] == best].min()
        wrong = np.ones(len(ids), bool)
        wrong[right] = False
        before = wrong & ((scores > best) | ((scores == best) & (np.arange(len(ids)) < first)))
        ranks[text] = 1 + int(before.sum())
    return ranks


def _units(vectors):
    wide = np.asarray(vectors, np.float64)
    with np.errstate(all="ignore"):
        return wide / np.linalg.norm(wide, axis=1, keepdims=True)
