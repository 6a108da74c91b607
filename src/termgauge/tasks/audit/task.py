"""The declaration of audits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from termgauge.options import Options
from termgauge.tasks.contract import Task, calling, imported

if TYPE_CHECKING:
    from termgauge.tasks.audit.inputs import AuditInputs
    from termgauge.tasks.audit.measure import ModelReading
    from termgauge.tasks.audit.result import AuditResult


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

    inputs = calling("termgauge.tasks.audit.inputs:read_inputs")
    measure = calling("termgauge.tasks.audit.measure:read_terminology_with")
    combine = calling("termgauge.tasks.audit.result:audited")
    sections = calling("termgauge.tasks.audit.sections:audit_sections")

    def fits(self, kind: str, scheme: str) -> bool:  # noqa: ARG002
        """Say that models of concepts do not: they read no terms."""
        return kind != "concepts"


TASK = AuditTask()
