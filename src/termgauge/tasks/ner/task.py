"""The declaration of named entities."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from pydantic import Field

from termgauge.exceptions import TermgaugeError, warn
from termgauge.options import Flag, Options, Place, as_list, named_place
from termgauge.tasks.contract import Citation, Material, Task, calling, imported

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from termgauge.embeddings.model import Model
    from termgauge.tasks.contract import Testing
    from termgauge.tasks.ner.corpus import Corpus
    from termgauge.tasks.ner.measure import ModelTrials, NerResult


class NerOptions(Options):
    """Corpora of named entities: how well does a network find them that begins with a model's vectors?"""

    corpus: Annotated[
        list[str], as_list, Place(named=True), Flag(("--corpus", "-c"), "[NAME=]DIR"), Field(min_length=1)
    ] = Field(
        description="A folder with train.tsv, test.tsv and perhaps devel.tsv: a token and its tag in each line, an "
        "empty line between sentences. A corpus is called as its folder, unless NAME= stands before it.",
        examples=[["corpora/NCBI-disease"]],
    )
    profile: Literal["code", "paper"] = Field(
        "code",
        description="The network of Chiu et al. (2018) as their public code has it, or as their paper says it (slower "
        "learning, no capitals).",
    )
    trials: int = Field(
        3, ge=1, le=1000, description="How many networks are trained with each model; seeds s, s + 1, s + 2 and so on."
    )
    epochs: int = Field(20, ge=1, description="How often a network sees the training sentences.")
    frozen: bool = Field(
        default=False, description="Keep the vectors of words as they are; else they are trained with the network."
    )
    decoding: Literal["argmax", "forward", "viterbi"] | None = Field(
        None,
        description="How tags are chosen from their probabilities: each token on its own (argmax), along transitions "
        "that training sentences have as the paper's code does it (forward), or the best sequence (viterbi). If not "
        "given, that of the profile: forward for code, argmax for paper.",
        examples=["viterbi"],
    )
    max_words: int | None = Field(
        None, ge=1, description="Read only so many words of a vector file, from its beginning.", examples=[1_000_001]
    )
    device: Literal["auto", "cpu", "cuda"] = Field(
        "auto", description="Where networks are trained: auto is a GPU if there is one."
    )


TOKENS_A_SECOND = 40_000
"""How many training tokens a core learns from, about."""


class NerInputs(NamedTuple):
    """Corpora by name, and how differences are tested."""

    corpora: Mapping[str, Corpus]
    testing: Testing


class NerTask(Task[NerOptions, NerInputs, "ModelTrials", "NerResult"]):
    """How well networks find named entities that begin with a model's vectors."""

    name = "ner"
    title = "Named entities"
    question = "Train a small network for named entities on each model's vectors, and score what it finds."
    explanation = (
        "F is the harmonic mean of precision and recall over whole entities: type, first and last token must be right "
        "(conlleval). Each model gets several trials with other seeds. A trial that is done is kept, so that a command "
        "that was stopped goes on where it was."
    )
    example = "termgauge ner --corpus corpora/NCBI-disease -m PubMed.bin -m glove.txt --trials 3"
    options = NerOptions
    parts_called = "trials"
    seconds = 120.0
    citations = (
        Citation(
            use="Named entities",
            citation="Chiu B, Pyysalo S, Vulić I, Korhonen A. Bio-SimVerb and Bio-SimLex: wide-coverage evaluation "
            "sets of word similarity in biomedicine. BMC Bioinformatics 19:33, 2018.",
        ),
        Citation(
            use="Scores of named entities",
            citation="Tjong Kim Sang EF, De Meulder F. Introduction to the CoNLL-2003 shared task: "
            "language-independent named entity recognition. CoNLL 2003, 142-147.",
        ),
    )
    measured_type = imported("termgauge.tasks.ner.measure:ModelTrials")
    result_type = imported("termgauge.tasks.ner.measure:NerResult")
    combine = calling("termgauge.tasks.ner.measure:combined")
    sections = calling("termgauge.tasks.ner.sections:ner_sections")

    def inputs(self, options: NerOptions, material: Material) -> NerInputs:
        """Read the corpora."""
        from termgauge.tasks.ner.corpus import read_corpus

        corpora: dict[str, Corpus] = {}
        for name, path in _places(options).items():
            corpus = replace(read_corpus(path), name=name)
            for other in corpora.values():
                if other.sha256 == corpus.sha256:
                    raise TermgaugeError(f"{path}: holds the same sentences as the corpus '{other.name}'; name one.")
            corpora[name] = corpus
            for note in corpus.notes:
                warn(f"{name}: {note}")
        return NerInputs(corpora, material.testing)

    def identity(self, inputs: NerInputs, options: NerOptions) -> object:  # noqa: ARG002
        """Return what the corpora hold, and which documents they test on."""
        return {
            name: corpus.sha256 if corpus.test.documents is None else [corpus.sha256, corpus.test.documents.tolist()]
            for name, corpus in inputs.corpora.items()
        }

    def check_libraries(self, options: NerOptions) -> None:  # noqa: ARG002
        """Raise without torch."""
        from termgauge.embeddings.libraries import require_library

        require_library("torch", "Training for named entities", "ner")

    def named(self, options: NerOptions) -> str:
        """Return the names of the corpora."""
        return ", ".join(_places(options))

    def fits(self, kind: str, scheme: str) -> bool:  # noqa: ARG002
        """Say that models of words and of terms do: the others have no vectors of tokens."""
        return kind in ("words", "terms")

    def parts(self, inputs: NerInputs, options: NerOptions) -> Mapping[str, object]:
        """Return a part for each trial on each corpus."""
        from termgauge.tasks.ner.measure import made_from

        return {
            f"{name}/{trial + 1}": made_from(corpus, inputs.testing.seed + trial, options)
            for name, corpus in inputs.corpora.items()
            for trial in range(options.trials)
        }

    def part_seconds(self, part: str, inputs: NerInputs, options: NerOptions) -> float:
        """Return about how long a trial takes on a CPU."""
        name, _, _trial = part.rpartition("/")
        return options.epochs * len(inputs.corpora[name].train.tokens) / TOKENS_A_SECOND

    def measure(self, model: Model, inputs: NerInputs, options: NerOptions) -> ModelTrials:
        """Train all trials of a model."""
        return self.joined(list(self.measure_parts(model, inputs, options, list(self.parts(inputs, options)))))

    def measure_parts(
        self, model: Model, inputs: NerInputs, options: NerOptions, parts: Sequence[str]
    ) -> Iterator[ModelTrials]:
        """Train some trials of a model."""
        from termgauge.tasks.ner.measure import ModelTrials, trials_of

        split = (part.rpartition("/") for part in parts)
        trials = ((name, inputs.testing.seed + int(trial) - 1) for name, _, trial in split)
        for record in trials_of(model, inputs.corpora, trials, options):
            yield ModelTrials(trials=[record])

    def joined(self, measured: Sequence[ModelTrials]) -> ModelTrials:
        """Return all trials of a model."""
        from termgauge.tasks.ner.measure import ModelTrials

        return ModelTrials(trials=[trial for part in measured for trial in part.trials])


def _places(options: NerOptions) -> dict[str, Path]:
    """Return the names and folders of the corpora; no two may have the same name."""
    from termgauge.io.paths import expanded
    from termgauge.tasks.ner.corpus import corpus_name

    paths: dict[str, Path] = {}
    for argument in options.corpus:
        name, text = named_place(argument)
        path = expanded(text)
        name = name or corpus_name(path)
        if name in paths:
            raise TermgaugeError(
                f"{path}: two corpora are called '{name}'; name them apart, as in --corpus A=… --corpus B=…."
            )
        paths[name] = path
    return paths


TASK = NerTask()
