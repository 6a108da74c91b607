"""Pages as HTML: templates, what every page of a study shows, and the files that pages load.

No page for a rater is given a label, a set, a kind of pair, its number, or anything about other raters.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import jinja2

    from termgauge.studies.study_file import StudyFile

STATIC = {"style.css": "text/css", "rate.js": "text/javascript", "admin.js": "text/javascript"}
"""All files that pages load, and their types."""


def study_page(name: str, file: StudyFile, /, **values: object) -> str:
    """Return a page for raters as HTML; the script of the page works where it is told under which name to `keep`."""
    common = {"title": file.title, "language": file.language, "direction": file.direction, "texts": file.texts}
    return rendered(name, **common, **values)


def question(file: StudyFile) -> dict[str, Any]:
    """Return the question, how it is answered, the answers, and that of who cannot say."""
    answers = [{"value": f"{choice.value:g}", "label": choice.label} for choice in file.answers]
    return {"question": file.question, "widget": file.widget, "answers": answers, "unknown": file.unknown}


def rendered(name: str, /, **view: object) -> str:
    """Return a page as HTML; all that comes from people is escaped."""
    return _templates().get_template(f"{name}.html.jinja").render(view=SimpleNamespace(**view))


@cache
def static(name: str) -> tuple[bytes, str, str] | None:
    """Return a file that pages load, its type, and a mark that changes with it; None if there is none of that name."""
    if name not in STATIC:
        return None
    content = (resources.files("termgauge.studies") / "page" / name).read_bytes()
    return content, f"{STATIC[name]}; charset=utf-8", f'"{hashlib.sha256(content).hexdigest()[:32]}"'


@cache
def _templates() -> jinja2.Environment:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.PackageLoader("termgauge.studies", "page"),
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
