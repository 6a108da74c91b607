"""The options of an audit."""

from __future__ import annotations

from pydantic import Field

from termgauge.options import Options


class AuditOptions(Options):
    """Models as a second reader of the terminology: which of its terms stand at the wrong place?"""

    first: int = Field(20, ge=1, description="How many rows of each list reports and JSON show.")
    most: int = Field(2500, ge=1, description="How many rows of each list are kept in audit.csv and on the page.")
