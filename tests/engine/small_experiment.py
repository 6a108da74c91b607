"""A small experiment: an ontology of fifty concepts, word vectors of a few words, baselines, and a category section."""

from __future__ import annotations

import os
import signal
import warnings
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ORGANS = ["heart", "lung", "liver", "kidney", "skin", "ear", "eye", "nose", "bone", "brain"]
CONDITIONS = ["inflammation", "swelling", "failure", "pain"]
OTHER_WORDS = {"inflammation": "itis", "swelling": "oedema", "failure": "insufficiency", "pain": "ache"}

EXPERIMENT = """\
title = "Small"
output = "run"

[[terminology]]
name = "small"
source = "small.obo"

[[benchmark]]
terminology = "small"

[[model]]
name = "words"
spec = "word2vec:words.txt"

[[model]]
name = "letters"
spec = "baseline:levenshtein"

[[model]]
name = "chance"
spec = "baseline:random?dim=8"

[scoring]
measures = ["avg_cos", "fuzzy_jaccard"]

[[categories]]
name = "organs"
close = ["X:0", "X:1"]
far = "X:2"

[[coverage]]
name = "heart"
branches = ["X:0"]
k = [5]
analogies = false
"""


def write_experiment(folder: Path, text: str = EXPERIMENT) -> Path:
    """Write an experiment file and what it names; return the file."""
    folder.mkdir(parents=True, exist_ok=True)
    stanzas = ["format-version: 1.2\ndata-version: 2026-01-01\nontology: small\n", "[Term]\nid: X:top\nname: finding\n"]
    for at, organ in enumerate(ORGANS):
        stanzas.append(f'[Term]\nid: X:{at}\nname: {organ} finding\nsynonym: "{organ}" EXACT []\nis_a: X:top\n')
        for number, condition in enumerate(CONDITIONS):
            other = OTHER_WORDS[condition]
            stanzas.append(
                f"[Term]\nid: X:{at}{number}\nname: {organ} {condition}\nis_a: X:{at}\n"
                f'synonym: "{condition} of the {organ}" EXACT []\nsynonym: "{organ} {other}" EXACT []\n'
            )
    (folder / "small.obo").write_text("\n".join(stanzas))
    words = [*ORGANS, *CONDITIONS, *OTHER_WORDS.values(), "of", "the", "finding"]
    vectors = np.random.default_rng(5).normal(size=(len(words), 6)).round(4)
    lines = [" ".join([word, *map(str, vector)]) for word, vector in zip(words, vectors.tolist(), strict=True)]
    (folder / "words.txt").write_text(f"{len(words)} 6\n" + "\n".join(lines) + "\n")
    path = folder / "experiment.toml"
    path.write_text(text)
    return path


DRUGS = """
[[terminology]]
name = "drugs"
source = "drugs.obo"

[[coverage]]
name = "drugs <b>"
terminology = "drugs"
branches = ["D:0"]
k = [2]
"""


def add_drugs(path: Path) -> None:
    """Add to an experiment a domain in which each drug treats its disease, at the same offset of their vectors."""
    stanzas = ["format-version: 1.2\ndata-version: 2026-01-01\nontology: drugs\n", "[Term]\nid: D:0\nname: thing\n"]
    lines = []
    draw = np.random.default_rng(3)
    offset = draw.normal(size=6)
    for drug, disease in zip("abcdefgh", "stuvwxyz", strict=True):
        stanzas.append(f"[Term]\nid: D:{disease}\nname: {disease * 3}\nis_a: D:0\n")
        stanzas.append(f"[Term]\nid: D:{drug}\nname: {drug * 3}\nis_a: D:0\nrelationship: treats D:{disease}\n")
        vector = draw.normal(size=6)
        for word, at in ((drug * 3, vector), (disease * 3, vector + offset)):
            lines.append(" ".join([word, *map(str, at.round(5).tolist())]))
    (path.parent / "drugs.obo").write_text("\n".join(stanzas))
    words = path.parent / "words.txt"
    size, *known = words.read_text().splitlines()
    words.write_text("\n".join([f"{len(known) + len(lines)} {size.split()[1]}", *known, *lines]) + "\n")
    text = path.read_text()
    for each in ("benchmark", "categories", "coverage"):  # with two terminologies it must be said which is meant
        text = text.replace(f"[[{each}]]", f'[[{each}]]\nterminology = "small"')
    path.write_text(text.replace('terminology = "small"\nterminology = "small"', 'terminology = "small"') + DRUGS)


def run_quietly(path: str, out: str, cache: str, killed_at: int = 0) -> None:
    """Run an experiment, for a process that may be killed; by itself at the n-th step of writing a file, if asked to.

    A step is a flush to the disk or a renaming, before which and after which a run must be as good.
    """
    from termgauge.engine.runner import run

    os.environ["TERMGAUGE_CACHE_DIR"] = cache
    warnings.simplefilter("ignore")
    steps = iter(range(1, killed_at + 1))

    def deadly(plain: Callable[..., None]) -> Callable[..., None]:
        def step(*given: object, **more: object) -> None:
            if next(steps, 0) == killed_at:
                os.kill(os.getpid(), signal.SIGKILL)
            plain(*given, **more)

        return step

    if killed_at:
        os.fsync, os.replace, os.rename = deadly(os.fsync), deadly(os.replace), deadly(os.rename)
    run(path, out=out, report=False)
