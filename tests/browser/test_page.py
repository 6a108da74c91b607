"""The page in a real browser: it keeps to itself, sorts, changes its theme, fits every screen, and can be operated."""

from __future__ import annotations

import csv
import io
import re

import pytest

from tests.browser import page_checks
from tests.reporting.sample_document import HOSTILE, MODELS, distributions, long_table

WIDTHS = (360, 768, 1280)


def column(page, table: str, place: int) -> list[str]:
    cells = f"#table-{table} tbody tr > :nth-child({place + 1})"
    return [re.split(r"[\n^]", text)[0].strip() for text in page.locator(cells).all_inner_texts()]


def numbers(page, table: str, place: int) -> list[float | None]:
    found = page.locator(f"#table-{table} tbody tr > :nth-child({place + 1})")
    return [float(by) if (by := cell.get_attribute("data-by")) else None for cell in found.all()]


def heading(page, table: str, place: int):
    return page.locator(f"#table-{table} th[data-column='{place}']")


def test_keeps_to_itself_and_says_what_users_wrote(opened):
    with opened() as page:
        assert HOSTILE in page.locator("h1").inner_text()
        assert page.locator("main script, main img, main iframe").count() == 0
        assert page.evaluate("performance.getEntriesByType('resource').length") == 0
        assert page.locator("html").get_attribute("lang") == "en"


def test_ids_are_unique(opened):
    with opened() as page:
        ids = page.evaluate("[...document.querySelectorAll('[id]')].map((it) => it.id)")
        assert len(ids) == len(set(ids))
        used = page.evaluate("[...document.querySelectorAll('a[href^=\"#\"]')].map((it) => it.hash.slice(1))")
        assert set(used) <= set(ids)


def test_tables_sort_both_ways_with_missing_values_last(opened):
    with opened() as page:
        place = 4
        button = heading(page, "auc", place).locator("button")
        button.click()
        down = numbers(page, "auc", place)
        assert heading(page, "auc", place).get_attribute("aria-sort") == "descending"
        assert down[-1] is None
        assert down[:-1] == sorted(down[:-1], reverse=True)
        button.click()
        up = numbers(page, "auc", place)
        assert heading(page, "auc", place).get_attribute("aria-sort") == "ascending"
        assert up[-1] is None
        assert up[:-1] == sorted(up[:-1]) == down[-2::-1]


def test_numbers_sort_by_value_and_text_as_people_do(opened):
    with opened() as page:
        heading(page, "errors", 2).locator("button").click()
        assert column(page, "errors", 2) == ["0.97", "0.91", "0.32", "−0.05", ""]
        heading(page, "errors", 3).locator("button").click()
        assert column(page, "errors", 3) == ["12", "3", "2", "1", ""]
        heading(page, "errors", 1).locator("button").click()
        assert column(page, "errors", 1)[0] == "9 mg"
        assert heading(page, "errors", 3).get_attribute("aria-sort") is None
        heading(page, "errors", 0).locator("button").click()
        assert column(page, "errors", 0)[1:3] == ["10 mg", "abdominal pain"]


def test_enter_sorts(opened):
    with opened() as page:
        heading(page, "auc", 5).locator("button").focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        assert numbers(page, "auc", 5) == sorted(numbers(page, "auc", 5))
        assert column(page, "auc", 0)[0] == MODELS[-1]


def test_tables_that_do_not_sort_have_no_buttons(opened):
    with opened() as page:
        assert page.locator("#table-wide thead button").count() == 0


@pytest.mark.parametrize(("theme", "colour"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 24, 28)")])
def test_colours_are_those_of_the_system(opened, theme, colour):
    line = "getComputedStyle(document.querySelector('.wide g[stroke] path')).stroke"
    with opened(color_scheme=theme) as page:
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == colour
        own = page.evaluate(line)
    with opened(color_scheme="light" if theme == "dark" else "dark") as page:
        assert page.evaluate(line) != own


@pytest.mark.parametrize("width", WIDTHS)
def test_layout_holds(opened, width):
    with opened(width) as page:
        page.evaluate("document.querySelectorAll('details').forEach((it) => { it.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(page_checks.WIDER_THAN_SCREEN) == []
        assert page.evaluate(page_checks.OVERLAPPING_LABELS) == []
        assert page.evaluate(page_checks.OVERLAPPING_BLOCKS) == []
        assert page.evaluate(page_checks.SHRUNK) == []
        assert page.locator(".wide" if width > 720 else ".narrow").first.is_visible()
        assert not page.locator(".narrow" if width > 720 else ".wide").first.is_visible()


def test_checks_of_layout_can_fail(opened):
    with opened(360) as page:
        page.evaluate("document.querySelector('.narrow text').setAttribute('transform', 'translate(900,16)')")
        page.evaluate("document.querySelectorAll('.narrow text')[2].setAttribute('transform', 'translate(0,16)')")
        page.evaluate("document.querySelectorAll('.narrow text')[3].setAttribute('transform', 'translate(0,16)')")
        page.evaluate("document.querySelector('h2').style.cssText = 'width:900px; margin-top:-6rem; color:#ccc'")
        found = page.evaluate(page_checks.OVERLAPPING_LABELS)
        assert any(text.startswith("outside") for text in found)
        assert any("/" in text for text in found)
        assert page.evaluate(page_checks.WIDER_THAN_SCREEN) != []
        assert page.evaluate(page_checks.OVERLAPPING_BLOCKS) != []
        assert page.evaluate(page_checks.LOW_CONTRAST) != []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_text_can_be_read(opened, theme, width):
    with opened(width, color_scheme=theme) as page:
        page.evaluate("document.querySelectorAll('details').forEach((it) => { it.open = true; })")
        assert page.evaluate(page_checks.LOW_CONTRAST) == []


def test_first_column_stays_when_a_table_scrolls(opened):
    with opened(360) as page:
        box = page.locator(".scroll", has=page.locator("#table-wide"))
        first = page.locator("#table-wide tbody th").first
        before = first.bounding_box()["x"]
        box.evaluate("(it) => { it.scrollLeft = 300; }")
        assert first.bounding_box()["x"] == before
        assert box.get_attribute("tabindex") == "0"


def test_keyboard_reaches_everything(opened):
    with opened() as page:
        wanted = page.evaluate(
            """() => [...document.querySelectorAll('a[href], button, summary')]
            .filter((it) => it.checkVisibility()).length"""
        )
        seen: list[str] = []
        for _ in range(wanted + 40):
            page.keyboard.press("Tab")
            at = page.evaluate(
                """() => { const it = document.activeElement;
                return it === document.body ? '' : [it.localName, it.className.baseVal ?? it.className,
                  it.textContent.trim().slice(0, 30), it.dataset.save || '',
                  it.closest('table, .plot')?.parentElement.id || it.closest('table')?.id || ''].join(' ') }"""
            )
            if not at:
                break
            seen.append(at)
        assert seen[0].startswith("a skip")
        assert len(seen) >= wanted
        text = "\n".join(seen)
        for piece in ("Why hard is hard", "table-auc", "figure-dots", "summary"):
            assert piece in text


def test_skip_link(opened):
    with opened() as page:
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "page-main"


def test_focus_can_be_seen(opened):
    with opened() as page:
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


@pytest.mark.parametrize("shown", ["figure-densities", "table-auc", "table-concepts"])
def test_data_are_saved_whole(opened, shown):
    with opened() as page:
        page.evaluate("document.querySelectorAll('details').forEach((it) => { it.open = true; })")
        with page.expect_download() as waiting:
            page.locator(f"[data-save='{shown}']").click()
        file = waiting.value
        assert file.suggested_filename == f"{shown.partition('-')[2]}.csv"
        rows = list(csv.reader(io.StringIO(file.path().read_text("utf-8"))))
        if shown == "figure-densities":
            assert rows[0] == distributions().columns
            assert len(rows) == 1 + distributions().height
        elif shown == "table-concepts":
            assert len(rows) == 1 + len(long_table().rows)
        else:
            assert [row[0] for row in rows[1:]] == list(MODELS)


def test_long_tables_say_that_they_are_cut(opened):
    with opened() as page:
        assert page.locator("#table-concepts tbody tr").count() == 250
        assert "The first 250 of 400 rows" in page.locator(".folded .notes").text_content()


@pytest.mark.parametrize("width", [360, 1280])
def test_contents_unfold_sections_and_lead_there(opened, width):
    with opened(width) as page:
        fold = page.locator("#coverage > details")
        contents = page.get_by_role("navigation", name="Contents")
        assert contents.locator("a").count() == page.locator("main h2").count() == 5
        assert "In two minutes." in contents.inner_text()
        assert not page.locator("#coverage h2").is_visible()
        for _ in range(2):  # once more where the address stays the same
            contents.get_by_role("link", name="Coverage").click()
            page.wait_for_function("() => document.querySelector('#coverage > details').open")
            page.wait_for_function("() => document.querySelector('#coverage').getBoundingClientRect().top < 800")
            assert page.locator("#seeds h3").is_visible()
            page.locator("#coverage summary").first.click()
            assert fold.get_attribute("open") is None


def test_a_link_unfolds_what_it_leads_to(opened):
    with opened() as page:
        page.evaluate("location.hash = 'figure-roc'")
        page.wait_for_function("() => document.querySelector('#figure-roc').closest('details').open")
        page.evaluate("location.hash = 'table-concepts'")  # in a section that is folded itself
        page.wait_for_function("() => document.querySelector('#table-concepts').checkVisibility()")


def test_print(opened):
    with opened(color_scheme="dark") as page:
        page.emulate_media(media="print", color_scheme="dark")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        for hidden in (".save", "nav", ".anchor", ".skip", ".narrow"):
            assert not any(one.is_visible() for one in page.locator(hidden).all()), hidden
        assert page.locator(".wide").first.is_visible()
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator("#figure-roc .wide").is_visible()
        assert page.locator("#seeds").is_visible()
        assert page.locator("#table-concepts").is_visible()
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.evaluate("document.querySelectorAll('details[open]').length") == 0


def test_without_script(opened):
    with opened(java_script_enabled=False) as page:
        assert page.locator("h2").count() == 5
        assert page.locator("#table-auc tbody tr").count() == len(MODELS)
        assert page.locator("#figure-dots .wide svg").is_visible()
        assert page.locator("button:visible").count() == 0
        assert page.locator("#figure-dots .wide svg title").count() > 5


def test_reduced_motion(opened):
    with opened(reduced_motion="reduce") as page:
        assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


def test_pictures_for_people(opened, artifacts):
    for name, width, theme in (("wide-light", 1280, "light"), ("wide-dark", 1280, "dark"), ("phone", 360, "light")):
        with opened(width, color_scheme=theme) as page:
            page.screenshot(path=artifacts / f"{name}.png", full_page=True)
            if name == "wide-light":
                page.pdf(path=artifacts / "print.pdf", format="A4", print_background=True)
    assert all((artifacts / name).stat().st_size > 10_000 for name in ("wide-light.png", "phone.png", "print.pdf"))
