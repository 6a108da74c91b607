"""Make the picture of the README: ``python docs/make_pictures.py [RUN]``; it shows the report of ``termgauge run``.

RUN is the folder of such a run; without it the embedded default is run.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from termgauge.engine.runner import run

PICTURES = Path(__file__).parent / "pictures"
WIDTH = 1180
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main() -> None:
    """Take a picture of the report as it opens."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit("A browser is needed to take the picture: install chromium.")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        made = Path(sys.argv[1]) if sys.argv[1:] else run(out=Path(folder) / "run").path
        opened = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        page = opened.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme="light", device_scale_factor=1.5)
        page.goto((made / "report.html").resolve().as_uri())
        PICTURES.mkdir(exist_ok=True)
        page.screenshot(path=PICTURES / "report.png", full_page=True)
        opened.close()


if __name__ == "__main__":
    main()
