"""The site of the documentation, built as `make docs` does."""

from __future__ import annotations

import pytest

from tests.conftest import REPOSITORY


def build_site(folder):
    """Build the site into a folder; a link or an anchor that leads nowhere is an error."""
    build = pytest.importorskip("mkdocs.commands.build", reason="mkdocs builds the site; make docs brings it.")
    from mkdocs.config import load_config

    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("NO_MKDOCS_2_WARNING", "1")
        patched.chdir(REPOSITORY)
        config = load_config(str(REPOSITORY / "mkdocs.yml"), site_dir=str(folder), strict=True)
        config.plugins.on_startup(command="build", dirty=False)
        build.build(config)
    return folder
