"""The page of an audit in a real browser: filter, mark, come back, download; ten thousand rows do not freeze it."""

from __future__ import annotations

import csv
import re
import time

import pytest

from termgauge.benchmark.exclusions import read_exclusions
from termgauge.tasks.audit.result import LISTS, MISSED, PAGE, AuditedModel, AuditResult, AuditRow
from tests.browser import page_checks
from tests.reporting.sample_document import HOSTILE

MANY = 2500
PAGE_SIZE = 50


def rows(name):
    """Return the rows of a list: of two kinds, every third related, one of them hostile."""
    return [
        AuditRow(
            kind="plural" if at % 2 else "word order",
            concept1=f"A:{at}",
            term1=f"{name} fever {at}" if at else HOSTILE,
            name1="Fever",
            concept2=f"B:{at}",
            term2=f"{name} fevers {at}",
            name2=f"{name} fevers {at}",
            relation="" if at % 3 else "siblings",
            score=1 - at / MANY,
            percentiles=[at / MANY, None],
            evidence="=1+1" if at == 1 else "",
        )
        for at in range(MANY)
    ]


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    """Write the page of ten thousand rows once."""
    folder = tmp_path_factory.mktemp("audit")
    result = AuditResult(
        terminology={"edition": HOSTILE, "version": "1"},
        concepts=MANY,
        terms=2 * MANY,
        first=20,
        population="synonyms",
        hierarchy=True,
        counts=dict.fromkeys(LISTS, MANY),
        kinds={name: {"plural": MANY} for name in LISTS},
        models={name: AuditedModel(kind="vectors", unknown=0, auc=0.9) for name in ("one", "two")},
        lists={name: rows(name) for name in LISTS},
    )
    result.write(folder)
    return folder / PAGE


def shown(page):
    return page.locator("#status").inner_text()


def test_ten_thousand_rows_are_there_at_once_and_only_a_page_of_them_in_the_document(opened, audit):
    with opened(path=audit) as page:
        page.locator(".row").first.wait_for()
        assert page.locator(".row").count() == PAGE_SIZE
        assert shown(page) == f"{4 * MANY:,} of {4 * MANY:,} rows; 0 marked."
        assert HOSTILE in page.locator("h1").inner_text()
        start = time.monotonic()
        page.locator("#find").fill("fever 2499")
        page.locator("#status", has_text=re.compile("^4 of")).wait_for()
        assert time.monotonic() - start < 3
        assert page.evaluate("performance.getEntriesByType('resource').length") == 0


def test_filters_narrow_and_sorting_orders(opened, audit):
    with opened(path=audit) as page:
        page.locator(f"[data-list={MISSED}]").click()
        assert shown(page).startswith(f"{MANY:,} of")
        page.locator("#kind").select_option("plural")
        assert shown(page).startswith(f"{MANY // 2:,} of")
        page.locator("#relation").select_option("some")
        related = sum(at % 2 == 1 and at % 3 == 0 for at in range(MANY))
        assert shown(page).startswith(f"{related:,} of")
        assert "siblings" in page.locator(".row .facts").first.inner_text()
        page.locator("#relation").select_option("none")
        page.locator("#sort").select_option("term1")
        terms = page.locator(".row .one .term").all_inner_texts()
        assert terms == sorted(terms, key=lambda text: int(text.split()[-1]))
        page.locator("#on").click()
        assert page.locator("#where").inner_text().startswith("Page 2 of")


def test_marks_stay_after_a_reload_and_are_downloaded(opened, audit, tmp_path):
    with opened(path=audit) as page:
        page.locator(f"[data-list={MISSED}]").click()
        page.locator("#find").fill("missed fever 1")
        page.locator("#status", has_text=re.compile("^1,")).wait_for()
        page.locator(".row [data-verdict=right]").first.click()
        page.locator(".row input").first.fill('a "note", with = signs')
        page.locator(".row input").first.press("Tab")
        page.locator(".row [data-verdict=wrong]").nth(1).click()
        page.locator(".row [data-verdict=seen]").nth(2).click()
        page.locator(".row [data-verdict=seen]").nth(2).click()  # taken back
        assert shown(page).endswith("; 2 marked.")
        page.reload()
        page.locator(f"[data-list={MISSED}]").click()
        page.locator("#mark").select_option("right")
        assert shown(page) == f"1 of {4 * MANY:,} rows; 2 marked."
        assert page.locator(".row [data-verdict=right]").get_attribute("aria-pressed") == "true"
        assert page.locator(".row input").input_value() == 'a "note", with = signs'
        with page.expect_download() as downloading:
            page.locator("#download").click()
        path = tmp_path / downloading.value.suggested_filename
        downloading.value.save_as(path)
    with path.open(encoding="utf-8", newline="") as file:
        saved = list(csv.DictReader(file))
    with (audit.parent / "audit.csv").open(encoding="utf-8", newline="") as file:
        written = list(csv.DictReader(file))
    assert list(saved[0]) == list(written[0])
    assert len(saved) == len(written)
    marked = [row for row in saved if row["verdict"] or row["note"]]
    assert [(row["term1"], row["verdict"], row["note"]) for row in marked] == [
        ("missed fever 1", "right", 'a "note", with = signs'),
        ("missed fever 10", "wrong", ""),
    ]
    assert saved[1]["evidence"] == written[1]["evidence"] == "'=1+1"
    assert [row["term1"] for row in saved] == [row["term1"] for row in written]
    assert ("A:10", "B:10") not in read_exclusions(path).concepts
    assert ("A:1", "B:1") in read_exclusions(path).concepts


def test_the_keyboard_does_it_all(opened, audit):
    with opened(path=audit) as page:
        page.locator(".row").first.wait_for()
        for key in ("j", "j", "k", "r"):
            page.keyboard.press(key)
        assert page.locator(".row").nth(1).get_attribute("data-mark") == "right"
        page.keyboard.press("n")
        page.keyboard.type("rw")
        page.keyboard.press("Escape")
        page.keyboard.press("w")
        assert page.locator(".row").nth(1).get_attribute("data-mark") == "wrong"
        assert page.locator(".row input").nth(1).input_value() == "rw"
        page.keyboard.press("]")
        assert page.locator("#where").inner_text() == "Page 2 of 200"
        page.keyboard.press("k")
        assert page.locator("#where").inner_text() == "Page 1 of 200"
        assert "current" in page.locator(".row").last.get_attribute("class")
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "find"


def test_marks_of_two_windows_do_not_erase_each_other(opened, audit):
    with opened(path=audit) as page:
        other = page.context.new_page()
        other.goto(audit.as_uri())
        other.locator(".row [data-verdict=wrong]").nth(3).click()
        page.locator(".row [data-verdict=right]").first.click()
        page.reload()
        assert shown(page).endswith("; 2 marked.")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_it_fits_every_screen_in_both_themes(opened, audit, artifacts, width, theme):
    with opened(width, path=audit) as page:
        page.locator(f"[data-theme-choice={theme}]").click()
        page.locator(".row [data-verdict=right]").first.click()
        assert page.evaluate(page_checks.WIDER_THAN_SCREEN) == []
        assert page.evaluate(page_checks.LOW_CONTRAST) == []
        assert page.locator("html").get_attribute("data-theme") == theme
        page.screenshot(path=artifacts / f"audit-{theme}-{width}.png")
