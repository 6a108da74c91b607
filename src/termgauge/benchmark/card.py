"""Pieces of dataset cards: the front matter that Hugging Face reads, and Markdown for people.

Text goes into the front matter as JSON strings, which YAML reads too.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from termgauge.io.identity import sha256_of_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

_SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
_SIZE_NAMES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B")
_LICENCES = frozenset(
    {"apache-2.0", "mit", "cc0-1.0", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "cc-by-nc-4.0"}
    | {"cc-by-nc-sa-4.0", "cc-by-nd-4.0", "cc-by-nc-nd-4.0", "pddl", "odc-by", "odbl", "other", "unknown"}
)
"""The licence names that dataset cards know, of those that terminologies come under."""


def front_matter(
    title: str,
    licence: str,
    languages: Sequence[str],
    rows: int,
    configurations: Mapping[str, Mapping[str, str]],
    folder: Path,
) -> str:
    """Return the front matter of a card; each configuration has a file in the folder for each of its splits.

    The `datasets` library recognises what it loaded before by the names and versions of configurations, and never looks
    at the files. So the version of a configuration is made of their content.
    """
    lines = ["---", *_licence(licence), "language:", *(f"- {quoted(code)}" for code in languages)]
    lines += [f"pretty_name: {quoted(title)}", "size_categories:", f"- {quoted(size_category(rows))}"]
    lines += ["task_categories:", "- sentence-similarity", "tags:", "- medical", "- biology"]
    lines.append("configs:")
    for name, files in configurations.items():
        lines += [f"- config_name: {quoted(name)}", f'  version: "{_version(folder, files.values())}"', "  data_files:"]
        for split, path in files.items():
            lines += [f"  - split: {split}", f"    path: {quoted(path)}"]
    return "\n".join([*lines, "---", "", ""])


def _version(folder: Path, files: Iterable[str]) -> str:
    """Return a hash of some files in the form of a version, which is three numbers."""
    hashes = [hashlib.sha256((folder / file).read_bytes()).hexdigest() for file in files]
    return f"0.0.{int(sha256_of_value(hashes)[:12], 16)}"


def _licence(licence: str) -> list[str]:
    name = licence.strip().lower()
    return [f"license: {name}"] if name in _LICENCES else ["license: other", f"license_name: {quoted(licence)}"]


def size_category(total: int) -> str:
    """Return the size of a dataset as cards say it."""
    return _SIZE_NAMES[sum(total >= bound for bound in _SIZES)]


def table(rows: Iterable[list[str]]) -> str:
    """Return rows as a table of Markdown, the first as its head."""
    lines = ["| " + " | ".join(inline(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * (lines[0].count(" | ") + 1), *lines[1:]])


def listing(values: Mapping[str, object]) -> str:
    """Return values as a list of Markdown, those aside that are not known."""
    return "\n".join(f"- {inline(key)}: {inline(str(value))}" for key, value in values.items() if value is not None)


def inline(text: str) -> str:
    """Return text for one line of Markdown."""
    return " ".join(text.split())


def quoted(text: str) -> str:
    """Return text as a double-quoted YAML scalar."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return json.dumps(printable, ensure_ascii=False)


def yaml_block(value: Any, indent: int = 0) -> str:  # noqa: ANN401
    r"""Return mappings, lists, text and numbers as YAML that reads back the same, numbers with six decimals.

    >>> print(yaml_block({"name": 'a: "b"', "values": [{"n": 1, "share": 0.5}]}), end="")
    name: "a: \"b\""
    values:
    - n: 1
      share: 0.500000
    """
    margin = " " * indent
    if isinstance(value, dict):
        lines = []
        for key, each in value.items():
            nested = isinstance(each, dict | list)
            below = indent + (2 if isinstance(each, dict) else 0)
            lines.append(
                f"{margin}{key}:\n{yaml_block(each, below)}" if nested else f"{margin}{key}: {_scalar(each)}\n"
            )
        return "".join(lines)
    return "".join(f"{margin}- {yaml_block(each, indent + 2).lstrip(' ')}" for each in value)


def _scalar(value: str | float) -> str:
    if isinstance(value, str):
        return f'"{"".join(map(_escaped, value))}"'
    return str(value) if isinstance(value, int) else f"{value:.6f}"


def _escaped(letter: str) -> str:
    if letter in '"\\':
        return f"\\{letter}"
    if letter.isprintable():
        return letter
    return f"\\U{ord(letter):08x}" if not "\ud800" <= letter <= "\udfff" else "\ufffd"
