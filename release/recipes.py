"""The recipes of the README, as a reader would copy them: indented lines for the shell, and blocks of Python."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BLOCK = re.compile(r"^```python\n(?P<python>(?:.*\n)*?)```|(?P<shell>(?:^ {4}.*\n)+)", re.MULTILINE)
_PROGRAM = "termgauge "


@dataclass(frozen=True)
class Recipe:
    """Something to run."""

    language: str
    """``shell`` or ``python``."""
    text: str


def recipes(page: str) -> list[Recipe]:
    r"""Return what a page tells its readers to run, in its order; how to install is left out.

    Examples
    --------
    >>> recipes("Say:\n\n    pip install x\n\n    termgauge run  # all\n\n    termgauge a \\\n        -b\n")
    [Recipe(language='shell', text='termgauge run  # all'), Recipe(language='shell', text='termgauge a -b')]
    """
    found = []
    for block in _BLOCK.finditer(page):
        if block["python"] is not None:
            found.append(Recipe("python", block["python"]))
            continue
        joined = re.sub(r"\\\n *", "", block["shell"])
        found += [Recipe("shell", line.strip()) for line in joined.splitlines() if line.strip().startswith(_PROGRAM)]
    return found
