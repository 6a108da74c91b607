"""The declaration of linking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from termgauge.options import Flag, Options, Place
from termgauge.tasks.contract import AscendingKs, Task, calling, imported

if TYPE_CHECKING:
    from termgauge.embeddings.model import Model
    from termgauge.tasks.linking.measure import ModelLinks
    from termgauge.tasks.linking.questions import LinkingInputs
    from termgauge.tasks.linking.result import LinkingResult


class LinkingOptions(Options):
    """From a term to its concept: is the nearest one the right one?"""

    index: Literal["names", "all"] = Field(
        "names",
        description="What is searched: the preferred names of concepts; or all their terms, of which the one that is "
        "asked for is left out.",
    )
    k: AscendingKs = Field([1, 5, 10], description="Accuracy at k: the right concept is among the first k.")
    queries: Annotated[str | None, Flag(metavar="FILE"), Place()] = Field(
        None,
        description="Link your own mentions: a table (CSV or TSV) with the columns text and concept. The result then "
        "has the best concepts of each mention, as many as the greatest k.",
        examples=["mentions.csv"],
    )
    out: Annotated[str | None, Flag(("--out", "-o"), metavar="FILE.csv", where="command"), Place()] = Field(
        None, description="Write each of your own mentions with its rank and its best concepts to a table."
    )
    sample: int = Field(5000, ge=0, description="Draw so many queries where there are more; 0 for all.")
    baselines: bool = Field(
        default=True,
        description="Show beside the models what exact match, edit distance, character n-grams and random word vectors "
        "reach.",
    )
    device: str = Field(
        "auto",
        description="Where cosines are computed: cpu, cuda, or auto (a GPU if torch sees one).",
        examples=["cpu"],
    )


class LinkingTask(Task[LinkingOptions, "LinkingInputs", "ModelLinks", "LinkingResult"]):
    """Whether the nearest concept of a term is the right one."""

    name = "linking"
    title = "Linking"
    question = "Measure how well models link terms to concepts: is the nearest concept of a term its own?"
    explanation = (
        "Synonyms of a terminology are looked for among the preferred names of its concepts, by cosine and exactly. "
        "Accuracy at k is the share of them whose concept is among the first k; MRR is the mean of 1 / rank. What a "
        "model cannot encode counts as wrong."
    )
    example = "termgauge linking hp.obo -m wordllama: -m PubMed-w2v.bin --k 1,5,10"
    options = LinkingOptions
    needs = frozenset({"terminology"})
    seconds = 4.0
    measured_type = imported("termgauge.tasks.linking.measure:ModelLinks")
    result_type = imported("termgauge.tasks.linking.result:LinkingResult")

    inputs = calling("termgauge.tasks.linking.questions:inputs_of")
    combine = calling("termgauge.tasks.linking.result:combined")
    sections = calling("termgauge.tasks.linking.sections:linking_sections")

    def identity(self, inputs: LinkingInputs, options: LinkingOptions) -> object:  # noqa: ARG002
        """Return what is asked."""
        return inputs.questions.key

    def fits(self, kind: str, scheme: str) -> bool:
        """Say that vectors of concepts do not, nor scores of pairs but those of our baselines: they take no term."""
        return kind in ("words", "terms") or scheme.startswith("baseline")

    def measure(self, model: Model, inputs: LinkingInputs, options: LinkingOptions) -> ModelLinks:
        """Rank the right concept of each query."""
        from termgauge.tasks.linking.measure import link

        return link(model, inputs.questions, options.device)


TASK = LinkingTask()
