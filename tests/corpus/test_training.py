"""Trained vectors: those of gensim itself, opened as any model; going on after a stop; and what cannot be trained."""

from __future__ import annotations

import json
import lzma
from random import Random

import numpy as np
import pytest
from gensim.models import KeyedVectors, Word2Vec

import termgauge as tg
from termgauge.corpus import training
from termgauge.corpus.training import Passes, train_vectors

SMALL = {"dimension": 8, "min_count": 1, "epochs": 2, "sample": 0.0, "deterministic": True}


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """Return a made text in which doctors and nurses do the same things, and engines others."""
    rng = Random(1)
    people, things = ("doctor", "nurse", "surgeon"), ("engine", "pump", "motor")
    lines = []
    for _ in range(1500):
        lines.append(f"The {rng.choice(people)} treats a {rng.choice(('patient', 'child', 'woman'))} with care.")
        lines.append(f"Each {rng.choice(things)} burns some {rng.choice(('fuel', 'oil', 'gas'))} in winter.")
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text("\n".join(lines))
    return path


def test_vectors_are_those_of_gensim_and_open_as_any_model(text, tmp_path):
    made = train_vectors(text, tmp_path / "vectors", window=[2, 5], **SMALL)
    for each in made.vectors:
        keyed = KeyedVectors.load_word2vec_format(each.path, binary=True)
        sentences = list(Passes(made.corpus, lambda _words: None))
        oracle = Word2Vec(
            sentences, vector_size=8, window=each.window, sg=1, negative=5, alpha=0.05, min_count=1, sample=0, epochs=2,
            seed=42, workers=1,
        )  # fmt: skip
        assert keyed.index_to_key == oracle.wv.index_to_key
        assert np.array_equal(keyed.vectors, oracle.wv.vectors)
        opened = tg.load_model(each.spec).vectors(["doctor", "fuel"])
        assert np.array_equal(opened, keyed[["doctor", "fuel"]])
        assert each.words == len(keyed)
    assert [each.window for each in made.vectors] == [2, 5]
    first, second = (each.path.read_bytes() for each in made.vectors)
    assert first != second


def test_words_of_the_same_contexts_are_neighbours(text, tmp_path):
    for algorithm in ("sg", "cbow"):
        made = tg.train_vectors(
            text, tmp_path / algorithm, window=5, dimension=20, sample=1e-3, epochs=10, algorithm=algorithm,
            deterministic=True,
        )  # fmt: skip
        keyed = KeyedVectors.load_word2vec_format(made.vectors[0].path, binary=True)
        assert keyed.similarity("doctor", "nurse") > keyed.similarity("doctor", "engine")


@pytest.mark.long
def test_real_text_has_sensible_neighbours(shared, tmp_path):
    if shared is None:
        pytest.skip("the real text is not at hand")
    with lzma.open(shared / "data" / "text" / "medquad.txt.xz") as file:
        (tmp_path / "medquad.txt").write_bytes(file.read(1_500_000).rpartition(b"\n")[0])
    made = train_vectors(tmp_path / "medquad.txt", tmp_path / "v", dimension=40, sample=1e-3, deterministic=True)
    keyed = KeyedVectors.load_word2vec_format(made.vectors[0].path, binary=True)
    assert keyed.similarity("mother", "father") > keyed.similarity("mother", "liver")


def test_a_finished_window_is_not_trained_again(text, tmp_path, monkeypatch):
    folder = tmp_path / "vectors"
    train_vectors(text, folder, window=1, **SMALL)
    before = (folder / "window-1.bin").stat().st_mtime_ns
    done = []
    whole = training._train
    monkeypatch.setattr(training, "_train", lambda *given: done.append(given[-1]["window"]) or whole(*given))
    made = train_vectors(text, folder, window=[3, 1], **SMALL)
    assert done == [3]
    assert (folder / "window-1.bin").stat().st_mtime_ns == before
    assert [(each.window, each.fresh) for each in made.vectors] == [(1, False), (3, True)]
    assert made.summary()["models"][0] == {
        "window": 1, "spec": f"word2vec:{folder / 'window-1.bin'}", "words": made.vectors[0].words, "trained": False
    }  # fmt: skip


def test_what_was_stopped_goes_on(text, tmp_path, monkeypatch):
    folder = tmp_path / "vectors"

    def stopped(*given):
        if given[-1]["window"] == 2:
            raise KeyboardInterrupt
        return whole(*given)

    whole = training._train
    with monkeypatch.context() as patched:
        patched.setattr(training, "_train", stopped)
        with pytest.raises(KeyboardInterrupt):
            train_vectors(text, folder, window=[1, 2, 3], **SMALL)
    assert sorted(path.name for path in folder.iterdir()) == ["window-1.bin", "window-1.json"]
    made = train_vectors(text, folder, window=[1, 2, 3], **SMALL)
    assert [each.fresh for each in made.vectors] == [False, True, True]
    alone = train_vectors(text, tmp_path / "alone", window=3, **SMALL)
    assert alone.vectors[0].path.read_bytes() == made.vectors[2].path.read_bytes()


def test_a_damaged_file_is_trained_again(text, tmp_path):
    made = train_vectors(text, tmp_path, window=1, **SMALL)
    whole = made.vectors[0].path.read_bytes()
    made.vectors[0].path.write_bytes(whole[:-3])
    with pytest.warns(tg.TermgaugeWarning, match=r"is not what window-1.json tells of"):
        again = train_vectors(text, tmp_path, window=1, **SMALL)
    assert again.vectors[0].path.read_bytes() == whole
    (tmp_path / "window-1.json").write_text("[]")
    assert train_vectors(text, tmp_path, window=1, **SMALL).vectors[0].fresh


def test_other_settings_are_not_overwritten_unasked(text, tmp_path):
    train_vectors(text, tmp_path, window=1, **SMALL)
    with pytest.raises(tg.TermgaugeError, match=r"window-1.bin: was trained with another value of 'algorithm'"):
        train_vectors(text, tmp_path, window=1, algorithm="cbow", **SMALL)
    assert json.loads((tmp_path / "window-1.json").read_text())["recipe"]["algorithm"] == "sg"
    made = train_vectors(text, tmp_path, window=1, algorithm="cbow", force=True, **SMALL)
    assert made.vectors[0].fresh
    assert json.loads((tmp_path / "window-1.json").read_text())["recipe"]["algorithm"] == "cbow"


def test_the_manifest_says_whether_it_can_be_repeated(text, tmp_path):
    with pytest.warns(tg.TermgaugeWarning, match="--deterministic prevents it"):
        made = train_vectors(text, tmp_path, window=1, threads=2, **{**SMALL, "deterministic": False})
    manifest = json.loads((tmp_path / "window-1.json").read_text())
    assert (manifest["reproducible"], manifest["threads"]) == (False, 2)
    assert manifest["recipe"]["corpus"] == made.corpus.sha256
    assert set(manifest["recipe"]["versions"]) == {"termgauge", "gensim", "numpy"}
    assert "windows 1, from" in repr(made)


def test_too_little_text(tmp_path):
    (tmp_path / "few.txt").write_text("One cell. Two genes.")
    with pytest.raises(tg.TermgaugeError, match="No word occurs 5 times in the 4 words"):
        train_vectors(tmp_path / "few.txt", tmp_path / "v", deterministic=True)
    assert not list((tmp_path / "v").glob("*"))
    with pytest.raises(tg.TermgaugeError, match="One thread is needed"):
        train_vectors(tmp_path / "few.txt", tmp_path / "v", deterministic=True, threads=2)


def test_gensim_is_asked_for(text, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "gensim.models", None)
    with pytest.raises(tg.TermgaugeError, match=r"needs gensim; install it with: pip install 'termgauge\[train\]'"):
        train_vectors(text, tmp_path)
