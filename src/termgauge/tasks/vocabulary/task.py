"""The declaration of vocabulary."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pydantic import Field

from termgauge.options import Options
from termgauge.tasks.contract import Task, calling, imported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from termgauge.benchmark.pairset import PairSet
    from termgauge.embeddings.model import Model
    from termgauge.tasks.contract import Material
    from termgauge.tasks.vocabulary.measure import ModelVocabulary, VocabularyResult


class VocabularyOptions(Options):
    """What models know, and what they share."""

    missing: int = Field(20, ge=0, description="List this many of the words of the sets that a model does not know.")


class VocabularyInputs(NamedTuple):
    """The sets whose words are looked up, and how to open the models for what two of them share."""

    sets: tuple[PairSet, ...]
    models: Mapping[str, Callable[[], Model]]


class VocabularyTask(Task[VocabularyOptions, VocabularyInputs, "ModelVocabulary", "VocabularyResult"]):
    """What models know."""

    name = "vocabulary"
    title = "Vocabularies"
    question = "Show what models know: size, coverage of benchmarks, and what their vocabularies share."
    example = "termgauge vocabulary -m PubMed.bin -m glove.txt -b hp-benchmark -b human --missing 20"
    options = VocabularyOptions
    repeated = False
    needs = frozenset({"sets"})
    testing = ()
    seconds = 2.0
    measured_type = imported("termgauge.tasks.vocabulary.measure:ModelVocabulary")
    result_type = imported("termgauge.tasks.vocabulary.measure:VocabularyResult")
    combine = calling("termgauge.tasks.vocabulary.measure:combined")
    sections = calling("termgauge.tasks.vocabulary.measure:vocabulary_sections")

    def inputs(self, options: VocabularyOptions, material: Material) -> VocabularyInputs:  # noqa: ARG002
        """Take the sets as they are."""
        return VocabularyInputs(material.sets, material.models)

    def measure(self, model: Model, inputs: VocabularyInputs, options: VocabularyOptions) -> ModelVocabulary:
        """Look the words of the sets up."""
        from termgauge.tasks.vocabulary.measure import vocabulary_of

        return vocabulary_of(model, inputs.sets, options.missing)


TASK = VocabularyTask()
