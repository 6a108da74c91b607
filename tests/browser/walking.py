"""What raters do in a study, step by step, and the pairs they are shown: markup, long words, other scripts."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator, Page

HOSTILE = "<img src=x onerror=\"document.title='broken'\"> & 'co'"
LONG = "Chronic obstructive pulmonary disease with acute exacerbation following inhalation of chemical substances"
UNBROKEN = "Pneumonoultramicroscopicsilicovolcanoconiosis" * 2
ARABIC = "نزيف الأنف"
PAIRS = (
    ("heart attack", "myocardial infarction"),
    ("drug", "pharmacy"),
    (HOSTILE, "nosebleed"),
    (LONG, "COPD"),
    (ARABIC, "epistaxis"),
    ("acute pain", "chronic pain"),
    (UNBROKEN, "lung disease"),
    ("asthma", "inhaler"),
    ("fever", "pyrexia"),
    ("stroke", "measles"),
    ("colonoscopy", "myopia"),
    ("hyperglycaemia", "hypoglycaemia"),
)


def begin(page: Page, link: str) -> None:
    """Open a link for the first time and read the instructions."""
    page.goto(link)
    page.get_by_role("button", name="Begin").click()
    at_pair(page, 1, 1)


def at_pair(page: Page, part: int, position: int) -> None:
    """Wait until a pair is shown."""
    page.wait_for_url(re.compile(rf"/rate/{part}/{position}(\?.*)?$"))
    page.get_by_text(re.compile(rf"^Part {part} of \d+, pair {position} of \d+$")).wait_for()


def until(page: Page, expression: str, seconds: float = 30) -> None:
    """Wait until something holds in a page, whose policy forbids to have it watched from within."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, expression
        page.wait_for_timeout(50)


def loaded(page: Page) -> None:
    """Wait until the script has all pairs of the part, so that it needs no connection to go on."""
    until(page, "performance.getEntriesByType('resource').some((it) => it.name.includes('/api/pages/'))")
    page.wait_for_timeout(100)


def terms(page: Page) -> list[str]:
    """Return the two terms on the screen."""
    return page.locator("#pair .term").all_inner_texts()


def stop(page: Page, value: float) -> Locator:
    """Return a stop of the slider."""
    return page.locator(".stop", has=page.locator(f"input[value='{value:g}']"))


def chosen(page: Page) -> str | None:
    """Return what is chosen on the screen."""
    return page.evaluate("document.querySelector('#rate input[type=radio]:checked')?.value ?? null")


def shows(page: Page, value: str) -> None:
    """Wait until an answer is chosen on the screen: the script chooses a moment after it was told to."""
    until(page, f"document.querySelector('#rate input:checked')?.value === '{value}'")


def press(page: Page, button: str) -> None:
    """Press a button by its name."""
    page.get_by_role("button", name=button, exact=True).click()


def state(page: Page, text: str) -> None:
    """Wait until the page says something about what was chosen."""
    page.locator("#state", has_text=text).wait_for()


def walk(page: Page, part: int, rate: Callable[[int], None], position: int = 1) -> None:
    """Answer all pairs of a part from a position on; `rate` answers the one on the screen and goes on."""
    at_pair(page, part, position)
    last = int(page.locator("#place").inner_text().split()[-1])
    for at in range(position, last + 1):
        at_pair(page, part, at)
        rate(at)
    page.wait_for_url(re.compile(r"/(break/\d+|finish)(\?.*)?$"))
