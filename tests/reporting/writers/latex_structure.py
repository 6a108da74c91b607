"""What can be told of LaTeX without running it: braces, environments, rows and columns."""

from __future__ import annotations

import re


def bare(text):
    """Return LaTeX without what is escaped in it, so that what is left is structure."""
    return re.sub(r"\\textbackslash\{\}|\\[&%$#_{}]", "", text)


def balanced(text):
    depth = 0
    for letter in bare(text):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        assert depth >= 0, text
    return depth == 0


def environments_match(text):
    open_ones = []
    for kind, name in re.findall(r"\\(begin|end)\{([^}]*)\}", text):
        if kind == "begin":
            open_ones.append(name)
        else:
            assert open_ones.pop() == name
    return not open_ones


def rows_of(text):
    """Return the lines of a table that are rows, split into cells, each with how many columns it covers."""
    rows = [line for line in text.splitlines() if re.search(r"(\\\\|\\tabularnewline)$", line)]
    rows = [line for line in rows if not line.strip().startswith((r"\caption", r"\midrule"))]
    cells = [re.split(r"(?<!\\)&", bare(row).replace(r"\\", "")) for row in rows]
    return [[int((re.findall(r"\\multicolumn\{(\d+)", cell) or [1])[0]) for cell in row] for row in cells]


def columns_of(text):
    found = re.search(r"\\begin\{(?:tabular|longtable)\}\{(.*)\}$", text, re.MULTILINE)[1]
    return len(re.findall("[lrc]|p", re.sub(r"p\{[^}]*\}", "p", found.replace("@{}", ""))))
