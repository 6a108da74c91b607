from __future__ import annotations

from release.recipes import Recipe, recipes

from tests.conftest import REPOSITORY


def test_recipes_in_their_order():
    page = (
        "# Page\n\n    make run     # not a recipe\n    pip install x\n\nText.\n\n```python\nimport a\n\nb\n```\n\n"
        "    termgauge run\n    termgauge a --b \\\n        --c d  # why\n\n"
        "End with `termgauge x`.\n\n    termgauge last\n"
    )
    assert recipes(page) == [
        Recipe("python", "import a\n\nb\n"),
        Recipe("shell", "termgauge run"),
        Recipe("shell", "termgauge a --b --c d  # why"),
        Recipe("shell", "termgauge last"),
    ]


def test_the_readme_has_some():
    found = recipes((REPOSITORY / "README.md").read_text(encoding="utf-8"))
    assert found[0].text.startswith("termgauge init --example obo")
    assert {recipe.language for recipe in found} == {"shell", "python"}
    assert len(found) > 10
