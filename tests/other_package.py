"""A package that is not termgauge, installed for one test: modules and entry points in a folder on the path."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pytest


def install(
    folder: Path, monkeypatch: pytest.MonkeyPatch, modules: Mapping[str, str], group: str, entries: Mapping[str, str]
) -> None:
    """Install a package for the time of a test.

    Parameters
    ----------
    folder
        Where to put it.
    monkeypatch
        Takes it away again.
    modules
        The code of each module, by its path without the suffix: ``acme_names``, or ``acme_task/options``.
    group
        A group of entry points.
    entries
        What each entry point of the group names, as ``module:object``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, code in modules.items():
        path = folder / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code, encoding="utf-8")
        monkeypatch.delitem(sys.modules, name.removesuffix("/__init__").replace("/", "."), raising=False)
    about = folder / "acme-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n", encoding="utf-8")
    lines = "".join(f"{name} = {value}\n" for name, value in entries.items())
    (about / "entry_points.txt").write_text(f"[{group}]\n{lines}", encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
