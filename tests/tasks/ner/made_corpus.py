"""A small corpus of made-up drugs and diseases, and vectors of its words: some that know which is which, some drawn."""

from __future__ import annotations

import numpy as np

SYLLABLES = ("ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "xu")
DRUGS = [f"{one}{two}mab" for one in SYLLABLES for two in SYLLABLES[:3]]
DISEASES = [f"{one}{two}itis" for one in SYLLABLES for two in SYLLABLES[:3]]
PATTERNS = (
    "We gave D to patients with S .",
    "S was treated by D , which helped .",
    "N was seen in all of them .",
    "No drug helped , nor did N .",
)
"""D is a drug, S a disease, N one or the other: only its vector says which."""
DIMENSION = 8


def sentences(count, seed):
    """Return sentences of tokens and tags in IOB2; a drug of train is not one of test."""
    draw = np.random.default_rng(seed)
    half = len(DRUGS) // 2
    own = slice(0, half) if seed == 0 else slice(half, None)
    made = []
    for number in range(count):
        lines = []
        for word in PATTERNS[number % len(PATTERNS)].split():
            if word in "DSN":
                drug = word == "D" or (word == "N" and draw.random() < 0.5)
                names, kind = (DRUGS, "Drug") if drug else (DISEASES, "Disease")
                lines.append((str(draw.choice(names[own])), f"B-{kind}"))
                if draw.random() < 0.3:
                    lines.append(("forte", f"I-{kind}"))
            else:
                lines.append((word, "O"))
        made.append(lines)
    return made


def text_of(some):
    """Return sentences as a file has them."""
    return "\n".join("".join(f"{token}\t{tag}\n" for token, tag in sentence) for sentence in some)


def write_corpus(folder, *, devel=True, train=60, test=40):
    """Write a corpus and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = {"train": (train, 0), "devel": (20, 1), "test": (test, 2)}
    for part, (count, seed) in parts.items():
        if devel or part != "devel":
            (folder / f"{part}.tsv").write_text(text_of(sentences(count, seed)))
    return folder


def words():
    """Return all words of the corpus, small and large."""
    others = {word for pattern in PATTERNS for word in pattern.split() if word not in "DSN"}
    return [*DRUGS, *DISEASES, "forte", *sorted(others)]


def write_vectors(file, *, knows=True, seed=7):
    """Write vectors: drugs lie together and diseases lie together, or all of them anywhere."""
    draw = np.random.default_rng(seed)
    rows = draw.normal(0, 0.3, (len(words()), DIMENSION))
    if knows:
        rows[: len(DRUGS), 0] += 1
        rows[len(DRUGS) : len(DRUGS) + len(DISEASES), 1] += 1
    lines = (f"{word} {' '.join(f'{value:.4f}' for value in row)}\n" for word, row in zip(words(), rows, strict=True))
    file.write_text(f"{len(rows)} {DIMENSION}\n{''.join(lines)}")
    return file
