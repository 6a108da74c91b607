"""What every export is asked for, and what it says of what it wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from termgauge.display import Showing, shortened

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import polars as pl

    from termgauge.integrations.options import ExportOptions


@dataclass(frozen=True)
class Order:
    """An export as it was asked for."""

    sources: Any
    """Benchmarks, sets, or one run."""
    out: Path
    options: ExportOptions
    force: bool = False
    data_dir: Path | None = None
    download: bool = True


@dataclass(frozen=True, repr=False)
class Exported(Showing):
    """What was written."""

    shown_by = "termgauge.integrations.sections:export_section"

    to: str
    """The form, by its name."""
    path: Path
    contents: dict[str, int]
    """How many there are of each: pairs by set, triplets by split, results by model."""
    of: str = "pairs"
    """What is counted."""
    notes: tuple[str, ...] = ()
    """What was left out on the way, in sentences."""

    def _brief(self) -> str:
        total = sum(self.contents.values())
        return f"export '{shortened(self.path)}' ({self.to}): {total:,} {self.of} in {len(self.contents):,} parts"

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-like values."""
        return {
            "to": self.to,
            "path": str(self.path),
            "of": self.of,
            "contents": dict(self.contents),
            "notes": list(self.notes),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return how many there are of each, as a table."""
        import polars as pl

        rows = list(self.contents.items())
        return pl.DataFrame(rows, schema={"part": pl.String, self.of: pl.Int64}, orient="row")


@dataclass(frozen=True)
class Target:
    """A form that something can be exported to."""

    about: str
    """In a few words."""
    module: str
    """The module of this package whose ``write`` takes an order."""
    options: frozenset[str]
    """The options that it has."""
    of_run: bool = False
    """Whether it shows a run rather than benchmarks."""

    @property
    def write(self) -> Callable[[Order], Exported]:
        """What does it."""
        from importlib import import_module

        wanted: Callable[[Order], Exported] = import_module(f"termgauge.integrations.{self.module}").write
        return wanted
