"""Names and synonyms for synthetic releases: real ones as far as they go, then variants made of their words."""

from __future__ import annotations

from itertools import count as numbers
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray


OWN_NAME_SHARE = 0.85
"""How many concepts have their name, without its tag, as a synonym too."""
CASE_TWIN_SHARE = 0.01
QUOTED_SHARE = 0.01
ACCENTED_SHARE = 0.01
QUOTED = ('"{}" sign', '{} 5"', '"{}', '{} "variant" type')
ACCENTED = ("Ménière {}", "{}, Sjögren type", "{} β", "{} ≥ 5 µg", "{} (日本)", "𝛼-{}", "Cafe\u0301 {}")


def synthetic_names(
    terms: Sequence[tuple[str, Sequence[str]]], count: int, rng: np.random.Generator
) -> list[tuple[str, Sequence[str]]]:
    """Return so many concepts with names that differ in lower case.

    Names that are missing are joined from two real ones, and numbered where even those run out.

    Parameters
    ----------
    terms
        Concepts to draw from, used in their order; at least one.
    count
        How many are wanted.
    rng
        Where chance comes from.
    """
    found: dict[str, tuple[str, Sequence[str]]] = {}
    for name, synonyms in terms:
        if len(found) == count:
            break
        found.setdefault(name.lower(), (name, synonyms))
    while len(found) < count:
        for left, right in rng.integers(0, len(terms), (count - len(found), 2)).tolist():
            name = f"{terms[left][0]} with {terms[right][0]}"
            if left == right or len(name) > 200 or name.lower() in found:
                name = f"{terms[left][0]}, type {len(found) + 1}"
            found.setdefault(name.lower(), (name, ()))
    return list(found.values())


def synthetic_synonyms(
    concepts: Sequence[tuple[str, Sequence[str]]], mean: float, rng: np.random.Generator
) -> list[list[str]]:
    """Return synonyms of each concept, different in lower case but for a few that are meant to be equal.

    Some hold quotation marks or letters beyond ASCII, as real ones do.

    Parameters
    ----------
    concepts
        Names with their real synonyms.
    mean
        How many synonyms a concept has on average; each has one or more.
    rng
        Where chance comes from.
    """
    wanted = 1 + rng.poisson(max(mean - 1, 0), len(concepts))
    others = rng.integers(0, len(concepts), len(concepts)).tolist()
    own_name, twin, quoted, accented = (
        _chosen(rng, len(concepts), share) for share in (OWN_NAME_SHARE, CASE_TWIN_SHARE, QUOTED_SHARE, ACCENTED_SHARE)
    )
    found = []
    for i, (name, real) in enumerate(concepts):
        texts = _first(_candidates(name, real, concepts[others[i]][0], own_name=own_name[i]), int(wanted[i]))
        if quoted[i]:
            texts.append(QUOTED[i % len(QUOTED)].format(name))
        if accented[i]:
            texts.append(ACCENTED[i % len(ACCENTED)].format(name))
        if twin[i]:
            texts.append(case_twin(texts[0]))
        found.append(texts)
    return found


def case_twin(text: str) -> str:
    """Return the same text in another case.

    Examples
    --------
    >>> case_twin("Type B gastritis"), case_twin("COPD")
    ('TYPE B GASTRITIS', 'copd')
    """
    return text.upper() if text.upper() != text else text.lower()


def inverted(text: str) -> str:
    """Return a term with its last word first, or an empty string.

    Examples
    --------
    >>> inverted("small cell carcinoma")
    'carcinoma, small cell'
    """
    start, _, last = text.rpartition(" ")
    return f"{last}, {start}" if start and "," not in text else ""


def plural(text: str) -> str:
    """Return a term in the plural, or an empty string.

    Examples
    --------
    >>> plural("renal biopsy"), plural("lesion"), plural("type 2")
    ('renal biopsies', 'lesions', '')
    """
    if not text[-1:].isalpha() or text.endswith("s"):
        return ""
    return f"{text[:-1]}ies" if text.endswith("y") else f"{text}s"


def _candidates(name: str, real: Sequence[str], other: str, *, own_name: bool) -> Iterator[str]:
    if own_name:
        yield name
    yield from real
    yield inverted(name)
    yield plural(name)
    yield f"{name} {other.rpartition(' ')[2]}"
    yield f"{other.partition(' ')[0]} {name}"
    for number in numbers(2):
        yield f"{name}, form {number}"


def _first(candidates: Iterator[str], wanted: int) -> list[str]:
    """Return the first so many candidates that are not empty and differ in lower case."""
    found: dict[str, str] = {}
    for text in candidates:
        if len(found) == wanted:
            break
        if text:
            found.setdefault(text.lower(), text)
    return list(found.values())


def _chosen(rng: np.random.Generator, count: int, share: float) -> NDArray[np.bool_]:
    return rng.random(count) < share
