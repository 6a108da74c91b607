"""The declaration of analogies."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - pydantic evaluates the annotation
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, NamedTuple

from pydantic import Field

from termgauge.domain.domain import DomainOptions
from termgauge.options import Flag, Place
from termgauge.tasks.contract import Ks, Task, calling, imported
from termgauge.tasks.coverage.task import GIANCANI

if TYPE_CHECKING:
    from termgauge.domain.domain import Domain
    from termgauge.domain.relations import ChosenRelations
    from termgauge.tasks.analogies.result import AnalogyResult, ModelAnalogies
    from termgauge.tasks.contract import Material, Testing
    from termgauge.terminology.model import Terminology


METHODS = {"add": "3CosAdd", "mul": "3CosMul", "direction": "PairDirection"}
"""How the word that completes an analogy is sought (Levy and Goldberg 2014)."""


class AnalogyOptions(DomainOptions):
    """A domain: do its relations hold as analogies?"""

    former_names: ClassVar[Mapping[str, str]] = {**DomainOptions.former_names, "ks": "k", "relation": "relations"}

    relations: Annotated[list[str], Flag(("--relation", "-r"), "R")] = Field(
        [],
        description="A relation as the terminology names it, or 'inverse of R'; giancani2023 for the 22 of that paper. "
        "By default all that touch the domain, except for hierarchy, mappings and versions.",
        examples=[["finding_site"]],
    )
    inverse: bool | None = Field(
        None,
        description="Ask for each relation's inverse too; by default yes, unless relations are named.",
        examples=[True],
    )
    k: Ks = Field(
        [10],
        description="An analogy holds if its answer is among the k nearest words; tables show the first k.",
    )
    method: Literal["add", "mul", "direction"] = Field(
        "add", description="How analogies are completed: add (3CosAdd), mul (3CosMul) or direction (PairDirection)."
    )
    outcomes: Annotated[str | None, Flag(metavar="FILE", where="command"), Place()] = Field(
        None, description="Write the outcome of every analogy to a Parquet file."
    )


class AnalogyInputs(NamedTuple):
    """The relations of a domain, with their pairs."""

    terminology: Terminology
    domain: Domain
    chosen: ChosenRelations
    testing: Testing


class AnalogyTask(Task[AnalogyOptions, AnalogyInputs, "ModelAnalogies", "AnalogyResult"]):
    """How well models cover the relations of a domain as analogies."""

    name = "analogies"
    title = "Analogies"
    question = "Measure how well models cover the relations of a domain as analogies."
    explanation = (
        "Of two pairs with the same relation, does x - y of the one, added to y of the other, lead to its x? M is the "
        "share of all analogies between a relation's pairs that hold; pairs without vectors count as misses."
    )
    example = "termgauge analogies META --concept C0024117 --relation may_treat -m cui2vec.csv -m PubMed.bin"
    options = AnalogyOptions
    needs = frozenset({"terminology"})
    seconds = 5.0
    citations = (GIANCANI,)
    measured_type = imported("termgauge.tasks.analogies.result:ModelAnalogies")
    result_type = imported("termgauge.tasks.analogies.result:AnalogyResult")
    measure = calling("termgauge.tasks.analogies.result:analogies_of")
    combine = calling("termgauge.tasks.analogies.result:combined")
    sections = calling("termgauge.tasks.analogies.sections:analogy_sections")

    def inputs(self, options: AnalogyOptions, material: Material) -> AnalogyInputs:
        """Make or read the domain, and find the pairs of its relations."""
        from termgauge.domain.relations import chosen_relations
        from termgauge.exceptions import warn

        assert material.terminology is not None
        domain = options.chosen_domain(material.terminology, material.file("domains"))
        chosen = chosen_relations(material.terminology, domain, options.relations, inverse=options.inverse)
        for note in chosen.notes:
            warn(note)
        return AnalogyInputs(material.terminology, domain, chosen, material.testing)

    def identity(self, inputs: AnalogyInputs, options: AnalogyOptions) -> object:  # noqa: ARG002
        """Return what the domain is."""
        return inputs.domain.key

    def fits(self, kind: str, scheme: str) -> bool:  # noqa: ARG002
        """Say that baselines do not: they have no vectors that were learned."""
        return not scheme.startswith("baseline")


TASK = AnalogyTask()
