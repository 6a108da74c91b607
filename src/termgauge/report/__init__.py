"""What people look at: tables on a terminal, and the pages and files made from results."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _CallableModule(ModuleType):
    """A package that can be called, like the command of the same name."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401
        """Write the report on a run: see :func:`termgauge.experiment.write_report.report`."""
        # By name, for what shows things knows nothing of runs.
        return import_module("termgauge.experiment.write_report").report(*arguments, **options)


sys.modules[__name__].__class__ = _CallableModule
