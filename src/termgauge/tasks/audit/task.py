"""The declaration of audits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from termgauge.options import Options
from termgauge.tasks.contract import Material, Task, imported

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from termgauge.embeddings.model import Model
    from termgauge.reporting.blocks import Section
    from termgauge.tasks.audit.inputs import AuditInputs
    from termgauge.tasks.audit.measure import ModelReading
    from termgauge.tasks.audit.result import AuditResult
    from termgauge.tasks.contract import About


class AuditOptions(Options):
    """Models as a second reader of the terminology: which of its terms stand at the wrong place?"""

    first: int = Field(20, ge=1, description="How many rows of each list reports and JSON show.")
    most: int = Field(2500, ge=1, description="How many rows of each list are kept in audit.csv and on the page.")


class AuditTask(Task[AuditOptions, "AuditInputs", "ModelReading", "AuditResult"]):
    """Models as a second reader of a terminology."""

    name = "audit"
    title = "Audit"
    question = "Let models read a terminology a second time: which of its terms stand at the wrong place?"
    explanation = (
        "Four lists come out: synonyms that look unlike their concept, terms of different concepts that look the same, "
        "retired concepts without a replacement, and replacements that look doubtful. They are for people to look at, "
        "not to be believed."
    )
    example = "termgauge audit hp.obo -m wordllama: -m glove.6B.50d.txt --out hp-audit"
    options = AuditOptions
    needs = frozenset({"terminology"})
    testing = ("seed",)
    without_models = True
    seconds = 20.0
    measured_type = imported("termgauge.tasks.audit.measure:ModelReading")
    result_type = imported("termgauge.tasks.audit.result:AuditResult")

    def inputs(self, options: AuditOptions, material: Material) -> AuditInputs:
        """Read the terminology, and find what rules alone find."""
        from termgauge.tasks.audit.inputs import read_inputs

        del options
        assert material.terminology is not None
        return read_inputs(material.terminology, material.models, material.testing.seed)

    def fits(self, kind: str, scheme: str) -> bool:  # noqa: ARG002
        """Say that models of concepts do not: they read no terms."""
        return kind != "concepts"

    def measure(self, model: Model, inputs: AuditInputs, options: AuditOptions) -> ModelReading:
        """Let a model read all terms."""
        from termgauge.tasks.audit.measure import read_terminology_with

        del options
        return read_terminology_with(model, inputs.entries, inputs.drawn)

    def combine(self, measured: Mapping[str, ModelReading], inputs: AuditInputs, options: AuditOptions) -> AuditResult:
        """Let all models judge what rules and any of them propose."""
        from termgauge.tasks.audit.lists import audited

        return audited(measured, inputs, options)

    def sections(self, result: AuditResult, about: About) -> Iterator[Section]:
        """Show the first rows of each list."""
        from termgauge.tasks.audit.sections import audit_sections

        yield from audit_sections(about.name, result)


TASK = AuditTask()
