"""A study for everybody: keys alone, a phone, a screen reader, dark and light, long words and other scripts."""

from __future__ import annotations

import pytest

from termgauge.studies.folder import new_study, open_study
from tests.browser import page_checks, walking
from tests.browser.served import serving, window
from tests.browser.walking import (
    ARABIC,
    HOSTILE,
    LONG,
    PAIRS,
    at_pair,
    begin,
    chosen,
    loaded,
    press,
    shows,
    state,
    stop,
    terms,
    walk,
)

PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
SMALL_TARGETS = """() => [...document.querySelectorAll('button, a, summary, label, select')]
  .filter((it) => it.checkVisibility() && !it.matches('.says'))
  .map((it) => [it.getBoundingClientRect(), it.outerHTML.slice(0, 80)])
  .filter(([box]) => box.height < 43.5 || box.width < 43.5)
  .map(([box, text]) => `${box.width}x${box.height} ${text}`)"""
SCROLLS = """() => [...document.querySelectorAll('.scroll')].filter((it) => it.scrollWidth > it.clientWidth + 1)
  .map((it) => it.id)"""
FOCUSED = "document.activeElement.id || document.activeElement.value || document.activeElement.textContent"


def test_keys_alone_are_enough(browser, served):
    """From the link to the thanks without a mouse: Tab, digits, arrows, Enter, Backspace, question mark."""
    with window(browser, served) as context:
        page = context.new_page()
        page.goto(served.invite("Ann"))
        for _ in range(3):
            page.keyboard.press("Tab")
            if page.evaluate(FOCUSED).strip() == "Begin":
                break
        page.keyboard.press("Enter")
        at_pair(page, 1, 1)
        loaded(page)
        page.keyboard.press("Enter")
        state(page, "Please choose an answer first.")
        page.keyboard.press("2")
        page.keyboard.press("Enter")
        at_pair(page, 1, 2)
        page.keyboard.press("ArrowRight")  # to the slider
        page.keyboard.press("ArrowRight")
        shows(page, "0")
        for _ in range(9):
            page.keyboard.press("ArrowRight")
        shows(page, "6")  # an end is an end
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Enter")
        at_pair(page, 1, 3)
        page.keyboard.press("?")
        shows(page, "unknown")
        page.keyboard.press("Backspace")
        at_pair(page, 1, 2)
        shows(page, "5")
        page.keyboard.press("Enter")
        at_pair(page, 1, 3)
        shows(page, "unknown")
        page.keyboard.press("Enter")

        def by_digit(at: int) -> None:
            page.keyboard.press(str(at % 7))
            page.keyboard.press("Enter")

        walk(page, 1, by_digit, position=4)
        for _ in range(4):
            page.keyboard.press("Tab")
            if page.evaluate(FOCUSED).strip() == "Go on":
                break
        page.keyboard.press("Enter")
        at_pair(page, 2, 1)
        loaded(page)
        walk(page, 2, by_digit)
        for _ in range(4):
            page.keyboard.press("Tab")
            if page.evaluate(FOCUSED).strip() == "Finish":
                break
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Thank you").wait_for()
    values = [rating for _place, rating in sorted(served.answers().items())]
    assert values == [2, 5, None, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0]


def test_tab_reaches_everything_in_order_and_single_keys_can_be_switched_off(rating):
    with rating() as page:
        loaded(page)
        order = []
        for _ in range(6):
            page.keyboard.press("Tab")
            order.append(page.evaluate(FOCUSED).strip())
        assert order == ["Instructions", "0", "unknown", "back", "next", "Keys"]
        page.get_by_text("Keys", exact=True).click()
        page.get_by_label("Use these keys").uncheck()
        page.locator("#pair").focus()
        page.keyboard.press("4")
        assert chosen(page) is None
        page.reload()
        loaded(page)
        page.keyboard.press("4")
        assert chosen(page) is None
        page.get_by_text("Keys", exact=True).click()
        page.get_by_label("Use these keys").check()
        page.locator("#pair").focus()
        page.keyboard.press("4")
        shows(page, "4")


def test_what_a_screen_reader_is_told(rating):
    with rating() as page:
        loaded(page)
        question = "How similar in meaning are these two terms?"
        group = page.get_by_role("group", name=question)
        described = page.locator(f"#{group.get_attribute('aria-describedby')}")
        assert described.inner_text().replace("\n", "").startswith(terms(page)[0].replace("\n", ""))
        words = ("not similar at all", "hardly", "slightly", "somewhat", "", "very", "the same, or nearly so")
        names = [f"{at} {word if ' ' in word else f'{word} similar'.strip()}" for at, word in enumerate(words)]
        for name in (*names, "I do not know this word"):
            assert group.get_by_role("radio", name=name, exact=True).count() == 1
        assert page.get_by_role("heading", level=1).count() == 1
        assert page.get_by_role("progressbar", name="0 of 14 answered").count() == 1
        assert page.locator("#state").get_attribute("role") == "status"
        assert page.locator("#notices").get_attribute("role") == "status"
        assert page.get_by_role("main").count() == page.get_by_role("banner").count() == 1
        assert page.locator("html").get_attribute("lang") == "en"
        assert page.get_by_role("button", name="Next").count() == 1  # the one for the Enter key is hidden
        page.keyboard.press("4")
        page.keyboard.press("Enter")
        at_pair(page, 1, 2)
        assert page.evaluate("document.activeElement.id") == "pair"  # so that the new pair is read out
        ids = page.evaluate("[...document.querySelectorAll('[id]')].map((it) => it.id)")
        assert len(ids) == len(set(ids))


def test_markup_is_shown_as_text_and_terms_have_equal_weight(rating, served, artifacts):
    with rating() as page:
        loaded(page)
        served.answer_all("r1", 3)
        for words, name in ((HOSTILE, "markup"), (LONG, "long"), (ARABIC, "rtl"), (walking.UNBROKEN, "unbroken")):
            page.goto(served.place_of(words))
            press(page, "Next")  # and back again, so that the script shows it too
            press(page, "Back")
            for reloaded in (False, True):
                if reloaded:
                    page.reload()
                    loaded(page)
                one, other = (page.locator("#pair .term").nth(at) for at in (0, 1))
                assert words in terms(page)
                assert page.locator("#pair img").count() == 0
                boxes = [it.bounding_box() for it in (one, other)]
                assert boxes[0]["width"] == pytest.approx(boxes[1]["width"], abs=1)
                assert boxes[0]["height"] == pytest.approx(boxes[1]["height"], abs=1)
                styles = [
                    it.evaluate("(it) => [getComputedStyle(it).fontSize, getComputedStyle(it).fontWeight]")
                    for it in (one, other)
                ]
                assert styles[0] == styles[1]
                assert page.evaluate(page_checks.WIDER_THAN_SCREEN) == []
            page.screenshot(path=artifacts / f"study-{name}.png")
        assert page.title() == f"Terms {HOSTILE}"


def test_slider_has_no_preset_and_counts_only_once_touched(rating, served):
    with rating() as page:
        loaded(page)
        assert chosen(page) is None
        assert page.get_by_role("button", name="Next").get_attribute("aria-disabled") == "true"
        page.get_by_role("button", name="Next").click(force=True)
        state(page, "Please choose an answer first.")
        at_pair(page, 1, 1)
        page.wait_for_timeout(700)
        assert served.ever() == []
        stop(page, 3).click()
        assert page.get_by_role("button", name="Next").get_attribute("aria-disabled") == "false"


def test_slider_can_be_dragged(rating, served):
    with rating() as page:
        loaded(page)
        begin_at, end_at = (stop(page, value).bounding_box() for value in (1, 5))
        page.mouse.move(begin_at["x"] + 20, begin_at["y"] + 20)
        page.mouse.down()
        page.mouse.move(end_at["x"] + 30, end_at["y"] + 300, steps=8)  # off the track, still dragging
        shows(page, "5")
        assert served.ever() == []
        page.mouse.up()
        state(page, "Saved")
        assert served.ever() == [("r1", 1, 1, 5.0)]


def test_scrolling_over_the_slider_with_a_finger_chooses_nothing(browser, served):
    with window(browser, served, **PHONE) as context:
        page = context.new_page()
        begin(page, served.invite())
        loaded(page)
        session = context.new_cdp_session(page)

        def swipe(along: int, down: int) -> None:
            box = stop(page, 3).bounding_box()
            x, y = box["x"] + box["width"] / 2, box["y"] + 20
            moves = [("touchMove", x + along * step / 10, y + down * step / 10) for step in range(1, 11)]
            for kind, *at in [("touchStart", x, y), *moves, ("touchEnd",)]:
                where = [{"x": at[0], "y": at[1]}] if at else []
                session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": where})

        swipe(0, -120)
        assert chosen(page) is None
        swipe(95, 0)
        shows(page, "5")
        page.wait_for_timeout(500)  # a finger rests, too
        stop(page, 2).tap()
        shows(page, "2")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_phone(browser, served, artifacts, scheme):
    """Every control lies within reach of a thumb and is large enough for one."""
    with window(browser, served, color_scheme=scheme, **PHONE) as context:
        page = context.new_page()
        page.goto(served.invite("Ann"))
        page.screenshot(path=artifacts / f"study-instructions-phone-{scheme}.png", full_page=True)
        assert page.evaluate(page_checks.WIDER_THAN_SCREEN) == []
        press(page, "Begin")
        at_pair(page, 1, 1)
        loaded(page)
        for words in (None, LONG):
            if words:
                served.answer_all("r1", 3)
                page.goto(served.place_of(words))
            assert page.evaluate("document.documentElement.scrollWidth") <= 360
            assert page.evaluate(page_checks.WIDER_THAN_SCREEN) == []
            assert page.evaluate(SMALL_TARGETS) == []
            box = page.get_by_role("button", name="Next").bounding_box()
            assert box["y"] + box["height"] <= 640  # under the thumb without scrolling
            page.screenshot(path=artifacts / f"study-phone-{scheme}{'-long' if words else ''}.png")
        stop(page, 4).tap()
        state(page, "Saved")
        page.screenshot(path=artifacts / f"study-phone-{scheme}-chosen.png")
        assert page.evaluate(page_checks.LOW_CONTRAST) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_can_be_read(browser, served, artifacts, scheme):
    with window(browser, served, color_scheme=scheme) as context:
        page = context.new_page()

        def look(name: str) -> None:
            page.evaluate("document.querySelectorAll('details').forEach((it) => { it.open = true; })")
            assert page.evaluate(page_checks.LOW_CONTRAST) == []
            assert page.evaluate(page_checks.WIDER_THAN_SCREEN) == []
            page.screenshot(path=artifacts / f"study-{name}-{scheme}.png", full_page=True)

        page.goto(served.invite(f"Bo {HOSTILE}"))
        look("instructions")
        press(page, "Begin")
        at_pair(page, 1, 1)
        loaded(page)
        look("pair")
        stop(page, 5).click()
        state(page, "Saved")
        look("pair-chosen")
        for _ in range(7):
            page.keyboard.press("5")
            page.keyboard.press("Enter")
            page.wait_for_timeout(150)
        page.wait_for_url("**/break/1*")
        look("break")
        page.get_by_role("link", name="Go on").click()
        loaded(page)
        for at in range(1, 8):
            at_pair(page, 2, at)
            page.keyboard.press("5")
            page.keyboard.press("Enter")
        page.wait_for_url("**/finish*")
        look("finish")
        press(page, "Finish")
        look("thanks")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_administrators_page_can_be_read(browser, served, artifacts, scheme, width):
    for name in ("Ann", f"Bo {HOSTILE}", ARABIC):
        served.invite(name)
    served.answer_all("r1", 3)
    with served.study.store() as store:
        store.set_state("r2", "paused", f"Is away {HOSTILE}")
    with window(browser, served, color_scheme=scheme, viewport={"width": width, "height": 800}) as context:
        page = context.new_page()
        page.goto(served.admin())
        assert page.get_by_text("14 equal ratings in a row").is_visible()
        page.evaluate("document.querySelectorAll('details').forEach((it) => { it.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(page_checks.WIDER_THAN_SCREEN) == []
        if width == 360:
            assert page.evaluate(SCROLLS) == [], "on a phone tables fit, too"
        bars = page.evaluate("[...document.querySelectorAll('.distribution progress')].map((it) => it.position)")
        assert bars == [0, 0, 0, 1, 0, 0, 0, 0]
        assert page.evaluate(page_checks.LOW_CONTRAST) == []
        named = "it.labels?.length || it.ariaLabel || it.textContent.trim()"
        controls = "[...document.querySelectorAll('input:not([type=hidden]), select, button, a, summary')]"
        assert page.evaluate(f"{controls}.filter((it) => !({named})).map((it) => it.outerHTML)") == []
        page.screenshot(path=artifacts / f"study-admin-{scheme}-{width}.png", full_page=True)


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1280, "light")])
def test_pairs_are_decided_on_a_phone_and_on_a_desk(browser, served, artifacts, width, scheme):
    for at, name in enumerate(("Ann", "Bo")):
        served.invite(name)
        served.answer_all(f"r{at + 1}", 6.0 * at)
    with window(browser, served, color_scheme=scheme, viewport={"width": width, "height": 800}) as context:
        page = context.new_page()
        page.goto(served.admin())
        page.get_by_role("link", name="Pairs on which raters disagree").click()
        page.get_by_text("12 of 12 are not decided yet").wait_for()
        for check in ("WIDER_THAN_SCREEN", "LOW_CONTRAST"):
            assert page.evaluate(getattr(page_checks, check)) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        first = page.locator(".example").first
        first.get_by_label("Decision").select_option("2")
        first.get_by_label("Reason").fill(f"Another organ {HOSTILE}")
        first.get_by_role("button", name="Decide").click()
        page.get_by_text("11 of 12 are not decided yet").wait_for()
        assert page.locator(".example").last.get_by_text(f"Another organ {HOSTILE}").is_visible()
        page.screenshot(path=artifacts / f"study-adjudication-{scheme}-{width}.png", full_page=True)


def test_qualification_that_is_missed_leads_back_to_the_instructions(tmp_path, browser, artifacts):
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{one}\t{other}\n" for one, other in PAIRS), encoding="utf-8")
    folder = new_study(tmp_path / "study", path, groups=1, pages=1).folder
    known = (("fever", "pyrexia", 5, 6), ("stroke", "measles", 0, 1))
    tables = "".join(
        f'\n[[qualification]]\nword1 = "{one}"\nword2 = "{other}"\nlow = {low}\nhigh = {high}\n'
        for one, other, low, high in known
    )
    text = (folder / "study.toml").read_text("utf-8")
    at = text.index("[texts]") if "\n[texts]" in text else len(text)
    (folder / "study.toml").write_text(text[:at] + tables + "\n" + text[at:], encoding="utf-8")
    with serving(open_study(folder)) as served, window(browser, served) as context:
        page = context.new_page()
        page.goto(served.invite())
        for answers in (("6", "6"), ("6", "0")):
            press(page, "Begin")
            page.get_by_role("heading", name="A few pairs to begin with").wait_for()
            page.screenshot(path=artifacts / "study-qualification.png", full_page=True)
            for group, value in zip(page.locator("fieldset").all(), answers, strict=True):
                group.locator(f".stop:has(input[value='{value}'])").click()
            press(page, "Go on")
            if answers[1] == "6":
                assert page.get_by_text("Not all of these answers follow the instructions").is_visible()
        at_pair(page, 1, 1)
