"""What the site needs beside the pages of this folder: pages of the repository's root, and notebooks as pages."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

DOCS = Path(__file__).parent
ROOT_PAGES = {f"{name.upper()}.md": f"{name}.md" for name in ("readme", "contributing", "changelog", "security")}
"""Pages of the repository's root, and what the site calls them."""
_OUTPUT = re.compile(r"<output data-number=\"(\d+)\"></output>")
_outputs: dict[str, list[str]] = {}
"""By page, what the cells of a notebook showed."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made here."""
    for source, name in ROOT_PAGES.items():
        text = (DOCS.parent / source).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=_from_root(text)))
    for path in sorted((DOCS / "notebooks").glob("*.ipynb")):
        name = f"notebooks/{path.stem}.md"
        text, _outputs[name] = as_markdown(json.loads(path.read_text(encoding="utf-8")), path.name)
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Let links to the repository's root lead to their pages, and those to notebooks to what they show."""
    for source, name in ROOT_PAGES.items():
        markdown = markdown.replace(f"](../{source}", f"]({name}")
    markdown = markdown.replace("](../CITATION.cff)", "]")
    if page.file.src_uri.startswith("notebooks/"):
        return markdown
    return re.sub(r"\]\((notebooks/[\w-]+)\.ipynb\)", r"](\1.md)", markdown)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:  # noqa: ARG001
    """Put what the cells of a notebook showed where they stand, so late that the search passes it over."""
    shown = _outputs.get(page.file.src_uri, [])
    return _OUTPUT.sub(lambda found: shown[int(found[1])], output)


def _from_root(text: str) -> str:
    """Return a page of the repository's root with links as they are meant from the pages' folder."""
    for source, name in ROOT_PAGES.items():
        text = text.replace(f"]({source}", f"]({name}")
    text = re.sub(r"\]\((LICENSE|CITATION\.cff|\.github/[^)]*|src/[^)]*|tests/[^)]*)\)", "]", text)
    return text.replace("](docs/", "](").replace('src="docs/', 'src="')


def as_markdown(notebook: dict[str, Any], name: str) -> tuple[str, list[str]]:
    """Return a notebook as Markdown, with places for what its cells showed, and these as HTML."""
    parts, shown = [], []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            parts.append(f'<output data-number="{len(shown)}"></output>')
            shown.append(_as_html(output))
    title, _, rest = "\n\n".join(parts).partition("\n")
    return f"{title}\n\nThis page is a notebook; [download it]({name}) to run it yourself.\n{rest}\n", shown


def _as_html(output: dict[str, Any]) -> str:
    """Return an output as HTML; what has a style of its own is shut off from that of the page."""
    data = output.get("data", {})
    if "text/html" in data:
        inner = f"<style>:host{{font:.7rem/1.5 system-ui,sans-serif}}</style>{''.join(data['text/html'])}"
        return f'<div class="shown"><template shadowrootmode="open">{inner}</template></div>'
    text = "".join(data.get("text/plain") or output.get("text", ""))
    return f'<pre class="shown"><code>{escape(text)}</code></pre>'
