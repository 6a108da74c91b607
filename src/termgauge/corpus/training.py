"""Word vectors trained on a corpus: word2vec by gensim, one file for each window.

The corpus is tokenised once into a file of the cache, a sentence in each line, and never in memory. Text and XML are
divided as for tagging; of tagged text the forms are taken. Tokens without a letter or a digit are left out. Beside each
file of vectors stands a manifest with all that decided it, so that a window that is done is not trained again.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from termgauge.corpus.options import TrainingOptions
from termgauge.corpus.sentences import files_with_layouts, sentences
from termgauge.display import Showing, shortened
from termgauge.embeddings.libraries import library
from termgauge.exceptions import TermgaugeError, warn
from termgauge.io.atomic import sweep_folder, whole_file, write_text
from termgauge.io.documents import documents
from termgauge.io.identity import library_versions, sha256_of_stream, sha256_of_value, version
from termgauge.io.paths import expanded
from termgauge.io.source import files_of, hashed, line_blocks
from termgauge.io.store import cached
from termgauge.options import also_called, several, takes
from termgauge.progress import steps, track

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import polars as pl

    from termgauge.io.source import SourceFile
    from termgauge.reporting.blocks import Section


class TrainedVectors(NamedTuple):
    """The vectors of one window."""

    path: Path
    window: int
    words: int
    fresh: bool
    """Whether they were trained just now, and not found."""

    @property
    def spec(self) -> str:
        """What opens them wherever a model is named."""
        return f"word2vec:{self.path}"


@dataclass(frozen=True, repr=False)
class Training(Showing):
    """Word vectors that were trained on one corpus, by window."""

    folder: Path
    corpus: Corpus
    vectors: tuple[TrainedVectors, ...]

    def _shown(self) -> Section:
        from termgauge.corpus.sections import training_section

        return training_section(self)

    def _brief(self) -> str:
        windows = ", ".join(str(made.window) for made in self.vectors)
        where = f"word vectors in '{shortened(self.folder)}' for the windows {windows}"
        return f"{where}, from {self.corpus.tokens:,} words"

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each window: the model's spec, its words, and whether it was trained just now."""
        import polars as pl

        return pl.DataFrame(self.summary()["models"])

    def summary(self) -> dict[str, Any]:
        """Return what was trained, in the form that ``termgauge train --json`` prints."""
        corpus = {name: getattr(self.corpus, name) for name in ("sha256", "tokens", "sentences")}
        columns = {"window": "window", "spec": "spec", "words": "words", "trained": "fresh"}
        models = [{key: getattr(made, name) for key, name in columns.items()} for made in self.vectors]
        return {"corpus": corpus, "models": models}


@also_called(out="folder")
@takes(TrainingOptions)
def train_vectors(
    texts: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    *,
    force: bool = False,
    **options: Any,  # noqa: ANN401
) -> Training:
    """Train word vectors on a corpus, for one or several windows.

    Parameters
    ----------
    texts
        Files, folders or archives: plain text, MEDLINE or JATS XML, or tagged text.
    folder
        Where ``window-5.bin`` and its manifest ``window-5.json`` are written, and the same for each window.
    force
        Replace vectors that were trained with other settings or on another corpus.

    Returns
    -------
    Where the vectors are; each opens as a model by its ``spec``.
    """
    chosen = TrainingOptions.of(**options)
    if problems := chosen.problems():
        raise TermgaugeError(problems[0][1])
    library("gensim.models", "Training word vectors", "train", "gensim")
    path = expanded(folder)
    sweep_folder(path)
    corpus = training_corpus(several(texts), lower=chosen.lower)
    windows = sorted(set(chosen.window))
    versions = {"termgauge": version(), **library_versions(("gensim", "numpy"))}
    recipes = {window: {**chosen.recipe(window), "corpus": corpus.sha256, "versions": versions} for window in windows}
    done = {window: _load_finished(path, recipes[window], force=force) for window in windows}
    if None in done.values() and _threads(chosen) > 1:
        warn("Several threads work, so another run gives slightly different vectors; --deterministic prevents it.")
    labels = {window: f"window {window}" for window in windows if done[window] is None}
    with steps(list(labels.values())) as begin:
        for window, label in labels.items():
            begin(label)
            done[window] = _train(path, corpus, chosen, recipes[window])
    return Training(path, corpus, tuple(vectors for vectors in done.values() if vectors is not None))


def _load_finished(folder: Path, recipe: dict[str, Any], *, force: bool) -> TrainedVectors | None:
    """Return vectors that are there already; refuse to replace others unless that is meant."""
    path = folder / f"window-{recipe['window']}.bin"
    beside, manifest = path.with_suffix(".json"), None
    with suppress(OSError, ValueError):
        manifest = json.loads(beside.read_bytes())
    if not path.is_file() or not isinstance(manifest, dict) or "recipe" not in manifest:
        return None
    if manifest["recipe"] != recipe:
        if force:
            return None
        other = next((name for name in recipe if manifest["recipe"].get(name) != recipe[name]), "settings")
        raise TermgaugeError(
            f"{path}: was trained with another value of '{other}' ({beside.name} says which); choose another --out, or "
            "give --force to train it anew."
        )
    with path.open("rb") as file:
        if sha256_of_stream(file) != manifest.get("sha256"):
            warn(f"{path}: is not what {beside.name} tells of, so it is trained again.")
            return None
    return TrainedVectors(path, recipe["window"], int(manifest["words"]), fresh=False)


def _threads(options: TrainingOptions) -> int:
    if options.deterministic:
        return 1
    return options.threads if options.threads is not None else os.cpu_count() or 1


class Passes:
    """The sentences of a corpus, as often as they are gone through; how many words were read is told."""

    def __init__(self, corpus: Corpus, advance: Callable[[float], None]) -> None:
        self._path, self._advance = corpus.path, advance

    def __iter__(self) -> Iterator[list[str]]:
        with self._path.open(encoding="utf-8", newline="\n") as lines:
            words = 0
            for line in lines:
                sentence = line.split()
                words += len(sentence)
                if words >= _WORDS_AT_ONCE:
                    self._advance(words)
                    words = 0
                yield sentence
            self._advance(words)


def _train(folder: Path, corpus: Corpus, options: TrainingOptions, recipe: dict[str, Any]) -> TrainedVectors:
    from gensim.models import Word2Vec
    from gensim.models.callbacks import CallbackAny2Vec

    window = recipe["window"]
    model = Word2Vec(
        vector_size=options.dimension,
        window=window,
        sg=int(options.algorithm == "sg"),
        hs=0,
        negative=options.negative,
        alpha=options.learning_rate,
        min_count=options.min_count,
        sample=options.sample,
        epochs=options.epochs,
        seed=options.seed,
        workers=_threads(options),
    )
    # The corpus is gone through once for its words, and then once in each epoch.
    with (
        track(f"Window {window}", total=options.epochs, unit="epochs") as epoch,
        track("Reading the corpus", total=corpus.tokens * (options.epochs + 1), unit="words") as advance,
    ):
        passes = Passes(corpus, advance)
        model.build_vocab(passes)
        if not len(model.wv):
            raise TermgaugeError(
                f"No word occurs {options.min_count} times in the {corpus.tokens:,} words of the corpus; name more "
                "text, or give a lower --min-count."
            )
        counted = CallbackAny2Vec()
        counted.on_epoch_end = lambda _model: epoch(1)
        model.train(passes, total_examples=model.corpus_count, epochs=model.epochs, callbacks=[counted])
    path = folder / f"window-{window}.bin"
    beside = path.with_suffix(".json")
    beside.unlink(missing_ok=True)
    with whole_file(path) as temporary:
        model.wv.save_word2vec_format(str(temporary), binary=True)
    threads = _threads(options)
    about = {"recipe": recipe, "reproducible": threads == 1, "threads": threads, "lower": options.lower}
    counts = {"tokens": corpus.tokens, "sentences": corpus.sentences, "words": len(model.wv)}
    with path.open("rb") as file:
        manifest = {**about, **counts, "sha256": sha256_of_stream(file)}
    write_text(beside, json.dumps(manifest, indent=2) + "\n")
    return TrainedVectors(path, window, len(model.wv), fresh=True)


NAMESPACE = "corpora"
TOKENS, COUNTS = "tokens.txt", "counts.json"
VERSION = 1
"""Raise it whenever the same files give other tokens."""
_WORDS_AT_ONCE = 1 << 16


class Corpus(NamedTuple):
    """A tokenised corpus on disk."""

    path: Path
    sha256: str
    """Of the contents of its files in their order, and of how they are tokenised."""
    tokens: int
    sentences: int


def training_corpus(paths: Sequence[str | os.PathLike[str]], *, lower: bool = True) -> Corpus:
    """Tokenise a corpus, or find it in the cache."""
    files = [file for path in paths for file in files_of(path)]
    if not files:
        raise TermgaugeError("There is no text to train on; name files or folders with text.")
    contents = hashed(files)
    key = sha256_of_value([VERSION, lower, contents.sha256])

    def make(folder: Path) -> None:
        counts = _tokenize(paths, files, folder / TOKENS, lower=lower)
        (folder / COUNTS).write_text(json.dumps(counts), encoding="utf-8")
        contents.require_unchanged()

    entry = cached(NAMESPACE, key, make)
    return Corpus(entry / TOKENS, key, **json.loads((entry / COUNTS).read_text(encoding="utf-8")))


def _tokenize(
    paths: Sequence[str | os.PathLike[str]], files: Sequence[SourceFile], target: Path, *, lower: bool
) -> dict[str, int]:
    """Write the sentences to a file, one in each line; return how many there are, and how many tokens."""
    lines = tokens = 0
    with track("Tokenising", unit="words") as advance, target.open("w", encoding="utf-8", newline="\n") as out:
        for forms in _sentences(paths):
            kept = [form for form in forms if any(map(str.isalnum, form)) and not any(map(str.isspace, form))]
            if kept:
                line = " ".join(kept)
                out.write(f"{line.lower() if lower else line}\n")
                lines += 1
                tokens += len(kept)
                advance(len(kept))
    if not tokens:
        raise TermgaugeError(f"{files[0].root}: holds no words to train on; name files with text.")
    return {"sentences": lines, "tokens": tokens}


def _sentences(paths: Sequence[str | os.PathLike[str]]) -> Iterator[Sequence[str]]:
    by_path = files_with_layouts(paths)
    for path in paths:
        tagged = [file for file, layout in by_path[path] if layout is not None]
        for file in tagged:
            yield from _tagged_sentences(file)
        for document in () if tagged else documents([path]):
            yield from sentences(document.paragraphs)


def _tagged_sentences(file: SourceFile) -> Iterator[list[str]]:
    """Yield the forms of tagged text: CoNLL-U, whose first field is a number, or a form and its tag in each line."""
    forms: list[str] = []
    blocks = (block.decode("utf-8", "replace").split("\n") for block in line_blocks(file))
    for line in (line for lines in blocks for line in lines[:-1]):
        fields = line.rstrip("\r").split("\t")
        if len(fields) < 2:  # an empty line, or a comment
            if forms and not line.strip():
                yield forms
                forms = []
        elif len(fields) < 8:
            forms.append(fields[0])
        elif fields[0].isdecimal():
            forms.append(fields[1])
    if forms:
        yield forms
