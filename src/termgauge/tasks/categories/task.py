"""The declaration of categories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

from pydantic import Field

from termgauge.exceptions import TermgaugeError
from termgauge.options import Flag, Options, Place
from termgauge.tasks.contract import Citation, Measures, Task, calling, imported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from termgauge.embeddings.model import Model
    from termgauge.tasks.categories.members import Members
    from termgauge.tasks.categories.result import CategoryResult, ModelSeparations
    from termgauge.tasks.contract import Material, Testing


FROM_FILE = "@"


class CategoryOptions(Options):
    """Three categories of terms: do models keep the distant one apart from the two close ones?"""

    close: Annotated[list[str], Field(min_length=2, max_length=2), Flag(metavar="A B"), Place(FROM_FILE)] = Field(
        description="Two categories that are close: each the id of a concept (it and all below it), a tag, or @FILE "
        "with a term on each line.",
        examples=[["103693007", "277132007"]],
    )
    far: Annotated[str, Flag(metavar="C"), Place(FROM_FILE)] = Field(
        description="The distant category.", examples=["410607006"]
    )
    measures: Annotated[Measures, Flag(("--measure",))] = Field(
        [],
        description="A measure of similarity. By default a model's usual one, the cosine: the others must score every "
        "pair of terms and take long on large categories.",
        examples=[["avg_cos"]],
    )
    names_only: bool = Field(default=False, description="Take the names of concepts, not their synonyms.")
    drop_shared: bool = Field(default=False, description="Leave terms that are in two categories out of both.")
    max_terms: int | None = Field(
        None,
        ge=1,
        description="The largest number of terms of a category; they are drawn at random with the seed.",
        examples=[5000],
    )

    @property
    def files(self) -> list[str]:
        """The files that categories are read from."""
        return [name.removeprefix(FROM_FILE) for name in (*self.close, self.far) if name.startswith(FROM_FILE)]


SCHULZ = Citation(
    use="Sets built from a terminology, category separation",
    citation="Schulz C, Juric D. Can embeddings adequately represent medical terminology? New large-scale medical term "
    "similarity datasets have the answer! AAAI 2020, 34(5):8775-8782.",
)


class CategoryInputs(NamedTuple):
    """The terms of the categories."""

    members: Members
    testing: Testing
    models: Mapping[str, Callable[[], Model]]
    """How to open each model, for what is measured on the terms that all of them encode."""


class CategoryTask(Task[CategoryOptions, CategoryInputs, "ModelSeparations", "CategoryResult"]):
    """How well models keep a distant category apart from two close ones."""

    name = "categories"
    title = "Categories"
    question = "Measure how well models keep a distant category apart from two close ones."
    explanation = "The overlap is the share of triples in which a term of A is no nearer to one of B than to one of C."
    example = "termgauge categories hp.obo --close HP:0001626 HP:0002086 --far HP:0000478 -m PubMed.bin"
    options = CategoryOptions
    needs = frozenset({"terminology"})
    testing = ("alpha", "margin", "seed")
    version = 3
    citations = (SCHULZ,)
    measured_type = imported("termgauge.tasks.categories.result:ModelSeparations")
    result_type = imported("termgauge.tasks.categories.result:CategoryResult")
    combine = calling("termgauge.tasks.categories.result:combined")
    sections = calling("termgauge.tasks.categories.sections:category_sections")

    def inputs(self, options: CategoryOptions, material: Material) -> CategoryInputs:
        """Find the terms of the categories."""
        from termgauge.tasks.categories.members import members_of

        if material.terminology is None and self.needs_terminology(options):
            raise TermgaugeError("No terminology was named; categories without one are files, as in --far @terms.txt.")
        members = members_of(material.terminology, options, material.testing.seed)
        return CategoryInputs(members, material.testing, material.models)

    def needs_terminology(self, options: CategoryOptions) -> bool:
        """Say that it does, unless all categories are files."""
        return len(options.files) < 3

    def identity(self, inputs: CategoryInputs, options: CategoryOptions) -> object:  # noqa: ARG002
        """Return what the terms are."""
        return inputs.members.key

    def measure(self, model: Model, inputs: CategoryInputs, options: CategoryOptions) -> ModelSeparations:
        """Compare the terms of the categories with each other."""
        from termgauge.tasks.categories.result import separations

        return separations(model, inputs.members, options.measures)


TASK = CategoryTask()
