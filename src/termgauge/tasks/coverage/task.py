"""The declaration of coverage."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - pydantic evaluates the annotation
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, NamedTuple

from pydantic import Field

from termgauge.domain.domain import DomainOptions
from termgauge.options import Flag
from termgauge.tasks.contract import AscendingKs, Citation, Material, Task, calling, imported

if TYPE_CHECKING:
    from termgauge.domain.domain import Domain
    from termgauge.embeddings.model import Model
    from termgauge.options import Options
    from termgauge.tasks.contract import Testing
    from termgauge.tasks.coverage.result import CoverageResult, ModelCoverage
    from termgauge.terminology.model import Terminology


class CoverageOptions(DomainOptions):
    """A domain: do models know its concepts, and hold them and their relations together?"""

    former_names: ClassVar[Mapping[str, str]] = {**DomainOptions.former_names, "ks": "k"}

    # More of them than analogies have.
    labels: Annotated[Literal["first", "all", "max", "medoid"], Flag(metavar="first|all|max|medoid")] = Field(  # type: ignore[assignment]
        "first",
        description="Word vectors: a concept is looked up by the first of its labels that is in the vocabulary; by all "
        "of them at once; by each of them, of which the one with the greatest posDCG counts (max); or by the one that "
        "is nearest to the others (medoid).",
    )
    drop_unlabelled: bool = Field(
        default=False, description="Leave out seeds that have no label in the terminology, for all models."
    )
    k: AscendingKs = Field([5, 10, 20, 30, 40], description="How many neighbours of each seed are looked at.")
    analogies: Annotated[bool, Flag(where="file")] = Field(
        default=True, description="Also test its relations as analogies, as a table [[analogies]] would."
    )
    relations: Annotated[list[str], Flag(where="file")] = Field(
        [],
        description="Analogies of these relations; of all that touch the domain if none is named.",
        examples=[["finding_site"]],
    )
    method: Annotated[Literal["add", "mul", "direction"], Flag(where="file")] = Field(
        "add", description="How analogies are completed: 3CosAdd, 3CosMul or PairDirection."
    )


GIANCANI = Citation(
    use="Coverage of a domain, analogies",
    citation="Giancani S, Albertoni R, Catalano CE. Quality of word and concept embeddings in targetted biomedical "
    "domains. Heliyon 9(6):e16818, 2023.",
)


class DomainInputs(NamedTuple):
    """A domain, and the terminology that gives its labels."""

    terminology: Terminology
    domain: Domain
    testing: Testing


class CoverageTask(Task[CoverageOptions, DomainInputs, "ModelCoverage", "CoverageResult"]):
    """How well models cover a domain."""

    name = "coverage"
    title = "Coverage"
    question = "Measure how well models cover a domain: its concepts, and whether they are neighbours of each other."
    explanation = (
        "%CG is the share of the k nearest neighbours of the domain's concepts that are in the domain too; posDCG is "
        "the same with near neighbours counting more. A concept without a vector counts as all misses."
    )
    example = "termgauge coverage META --concept C0024117 --text review.mmi --best 500 -m cui2vec.csv -m PubMed.bin"
    options = CoverageOptions
    needs = frozenset({"terminology"})
    seconds = 5.0
    version = 2
    citations = (GIANCANI,)
    measured_type = imported("termgauge.tasks.coverage.result:ModelCoverage")
    result_type = imported("termgauge.tasks.coverage.result:CoverageResult")
    combine = calling("termgauge.tasks.coverage.result:combined")
    sections = calling("termgauge.tasks.coverage.sections:coverage_sections")

    def inputs(self, options: CoverageOptions, material: Material) -> DomainInputs:
        """Make or read the domain."""
        assert material.terminology is not None
        domain = options.chosen_domain(material.terminology, material.file("domains"))
        if options.drop_unlabelled:
            from termgauge.domain.neighbourhood import with_labels

            domain = with_labels(material.terminology, domain, options.labels_order)
        return DomainInputs(material.terminology, domain, material.testing)

    def identity(self, inputs: DomainInputs, options: CoverageOptions) -> object:  # noqa: ARG002
        """Return what the domain is."""
        return inputs.domain.key

    def fits(self, kind: str, scheme: str) -> bool:  # noqa: ARG002
        """Say that baselines do not: they have no vectors that were learned, and so know nothing of a domain."""
        return not scheme.startswith("baseline")

    def measure(self, model: Model, inputs: DomainInputs, options: CoverageOptions) -> ModelCoverage:
        """Find the neighbours of the domain's concepts."""
        from termgauge.tasks.coverage.result import cover

        return cover(model, inputs.terminology, inputs.domain, options.k, options.lookup)

    def companions(self, options: CoverageOptions) -> dict[str, Options]:
        """Ask for analogies of the same domain, unless the table says not to."""
        from termgauge.tasks.analogies.task import AnalogyOptions

        if not options.analogies:
            return {}
        same = options.model_dump(exclude={"k", "analogies", "drop_unlabelled"}, exclude_unset=True)
        if options.labels != "first":
            same["labels"] = "all"
        return {"analogies": AnalogyOptions.model_validate(same)}


TASK = CoverageTask()
