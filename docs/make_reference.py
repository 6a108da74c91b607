"""Write the reference of the Python interface from its docstrings and signatures: ``python docs/make_reference.py``."""

from __future__ import annotations

import inspect
import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import termgauge
from termgauge.cli.application import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTH = 100
PAGE = Path(__file__).parent / "reference.md"
PANELS = {"terminology": "Terminologies and sets", "benchmark": "Terminologies and sets", "embeddings": "Models"}
"""Under which heading of the command line a name stands that is no command, by its package."""
OTHERWISE, LAST = "Measurements", "Errors and warnings"
INTRODUCTION = """# Reference

The Python interface: `import termgauge as tg`. The functions are those of the command line, under the same names and
with the same options. Made from the docstrings by `python docs/make_reference.py`.
"""


def main() -> None:
    """Write the page."""
    PAGE.write_text(reference(), encoding="utf-8")


def reference() -> str:
    """Return the page: the commands in the order of the command line, then what else there is, by name."""
    grouped: dict[str, list[str]] = {title: [] for title in (*COMMANDS, LAST)}
    order = [name for names in COMMANDS.values() for name in names]
    for name in sorted(termgauge.__all__, key=lambda each: (order.index(each) if each in order else len(order), each)):
        grouped[panel_of(name)].append(name)
    parts = [INTRODUCTION]
    for title, names in grouped.items():
        if names:
            parts += [f"## {title}\n", *(entry(name) for name in names)]
    return "\n".join(parts)


def panel_of(name: str) -> str:
    """Return the heading under which a name stands."""
    for title, names in COMMANDS.items():
        if name in names:
            return title
    package = getattr(termgauge, name).__module__.split(".")[1]
    return LAST if package == "exceptions" else PANELS.get(package, OTHERWISE)


def entry(name: str) -> str:
    """Return the part of the page that is about one name."""
    thing = getattr(termgauge, name)
    text = f"### `tg.{name}`\n\n"
    if not (inspect.isclass(thing) and issubclass(thing, Exception | Warning)):
        text += f"```\n{signature(f'tg.{name}', thing)}\n```\n\n"
    text += markdown(inspect.getdoc(thing) or "")
    if inspect.isclass(thing):
        members = list(members_of(thing))
        text += "\n" + "\n".join(members) + "\n" if members else ""
    return text


def signature(name: str, thing: object) -> str:
    """Return a call as it is written, on several lines if it is long."""
    found = inspect.signature(thing)  # type: ignore[arg-type]
    parameters = [each for each in found.parameters.values() if each.name not in ("self", "cls")]
    shown = [_parameter(each) for each in parameters]
    starred = any(each.kind is each.VAR_POSITIONAL for each in parameters)
    first = next((at for at, each in enumerate(parameters) if each.kind is each.KEYWORD_ONLY), None)
    if first is not None and not starred:
        shown.insert(first, "*")
    returned = "" if found.return_annotation in (None, "None", found.empty) else f" -> {found.return_annotation}"
    line = f"{name}({', '.join(shown)}){returned}"
    if len(line) <= WIDTH:
        return line
    inside = "".join(f"    {each},\n" for each in shown)
    return f"{name}(\n{inside}){returned}"


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    told = "" if parameter.annotation is parameter.empty else f": {parameter.annotation}"
    default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
    return f"{stars}{parameter.name}{told}{default}".replace("<factory>", "…")


def members_of(thing: type) -> Iterator[str]:
    """Yield a line for each public method and property that a class itself has."""
    for name, member in vars(thing).items():
        plain = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        about = inspect.getdoc(plain)
        if name.startswith("_") or not about or not (callable(plain) or isinstance(plain, property | cached_property)):
            continue
        call = signature(name, plain) if callable(plain) else name
        yield f"- `{' '.join(call.split())}`: {inline(about.partition(chr(10) * 2)[0])}"


def markdown(docstring: str) -> str:
    """Return a docstring in NumPy's layout as Markdown."""
    head, *sections = re.split(r"^(\w[\w ]*)\n-+\n", docstring, flags=re.MULTILINE)
    text = inline(head, keep_paragraphs=True)
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        if title == "Examples":
            text += f"\n```pycon\n{body.strip().replace('  # doctest: +SKIP', '')}\n```\n"
        elif title == "Notes":
            text += f"\n{inline(body, keep_paragraphs=True)}"
        else:
            items = re.findall(r"^(\S.*)\n((?:(?: .*)?\n?)*)", body, re.MULTILINE)
            text += f"\n**{title}**\n\n" + "".join(f"- `{name}`: {inline(about)}\n" for name, about in items)
    return text


def inline(text: str, *, keep_paragraphs: bool = False) -> str:
    """Return sentences with Markdown's marks, each paragraph, or all of them, on one line."""
    text = re.sub(r":\w+:`~?(?:[\w.]+\.)?(\w+)`", r"`\1`", text.strip()).replace("``", "`")
    paragraphs = [" ".join(each.split()) for each in text.split("\n\n")]
    return "\n\n".join(paragraphs) + "\n" if keep_paragraphs else " ".join(paragraphs)


if __name__ == "__main__":
    main()
