"""A whole small study in a real browser: three raters and an administrator, each in a window of their own."""

from __future__ import annotations

import csv
import io
import re
from contextlib import ExitStack

import pytest

from termgauge.studies.folder import new_study, open_study
from tests.browser import walking
from tests.browser.served import REFUSED, serving, window
from tests.browser.walking import HOSTILE, PAIRS, at_pair, begin, chosen, press, shows, state, stop, terms, walk


def by_slider(page, value: float):
    stop(page, value).click()
    press(page, "Next")


def test_three_raters_and_an_administrator_go_through_a_study(browser, served, artifacts):
    """The way of the issue: invited, instructed, rating in different ways, finished; watched and corrected."""
    with ExitStack() as stack:
        admin = stack.enter_context(window(browser, served)).new_page()
        admin.goto(served.admin())
        assert admin.url == f"{served.url}/admin"
        links = []
        for name in ("Ann", f"Bo {HOSTILE}", "Cy"):
            admin.get_by_label("Name, which only you see").fill(name)
            press(admin, "Make a link")
            links.append(admin.locator(".link").inner_text())
        assert len(set(links)) == 3
        assert admin.title() == f"Terms {HOSTILE}: administration"
        raters = [stack.enter_context(window(browser, served)).new_page() for _link in links]
        truth = {frozenset(pair): at % 7 for at, pair in enumerate(PAIRS)}

        for number, (page, link) in enumerate(zip(raters, links, strict=True)):
            begin(page, link)
            assert link.rsplit("/", 1)[1] not in page.url  # the secret has left the address bar
            for part in (1, 2):
                if part == 2:
                    assert page.get_by_role("heading", name="Time for a break").is_visible()
                    page.get_by_role("link", name="Go on").click()

                def rate(_at, page=page, number=number):
                    shift = number == 2 and terms(page)[0] == "drug"
                    by_slider(page, min(6, truth[frozenset(terms(page))] + shift))

                walk(page, part, rate)
            press(page, "Finish")
            assert page.get_by_role("heading", name="Thank you").is_visible()
            page.goto(f"{served.url}/rate/1/1")
            assert page.get_by_role("heading", name="Thank you").is_visible()

        answers = served.answers()
        assert len(answers) == 3 * (len(PAIRS) + 2)
        assert len(served.ever()) == len(answers)
        admin.goto(f"{served.url}/admin")
        assert admin.locator("#facts").get_by_text("3 finished").is_visible()
        assert admin.locator("#raters").get_by_text(f"Bo {HOSTILE}").is_visible()
        admin.locator("#facts", has_text=re.compile(r"IAA-1\s*[01]\.")).wait_for(
            timeout=90_000
        )  # compiled first, perhaps
        facts = dict(
            zip(admin.locator(".facts dt").all_inner_texts(), admin.locator(".facts dd").all_inner_texts(), strict=True)
        )
        assert float(facts["IAA-1"].split()[0]) > 0.9
        assert float(facts["Krippendorff's alpha"].split()[0]) > 0.9
        admin.screenshot(path=artifacts / "study-admin.png", full_page=True)
        with admin.expect_download() as download:
            admin.get_by_role("link", name="Download the answers").click()
        rows = list(
            csv.DictReader(
                io.StringIO(download.value.path().read_text("utf-8")), delimiter="\t", quoting=csv.QUOTE_NONE
            )
        )
        assert {(row["rater"], int(row["page"]), int(row["position"])): float(row["rating"]) for row in rows} == answers
        assert open_study(served.study.folder).ratings().count == 3 * len(PAIRS)


def test_administrator_pauses_leaves_out_and_reopens_with_reasons_that_are_kept(browser, served):
    with window(browser, served, allowed=REFUSED) as mine, window(browser, served, allowed=REFUSED) as theirs:
        link = served.invite("Ann")
        rater = theirs.new_page()
        begin(rater, link)
        stop(rater, 3).click()
        state(rater, "Saved")
        admin = mine.new_page()
        admin.goto(served.admin())

        def change(action: str, reason: str) -> None:
            admin.get_by_label("Change Ann").click()
            admin.get_by_label("Reason, which is kept").fill(reason)
            press(admin, action)

        change("Pause", "")
        assert admin.get_by_text("Say why").is_visible()
        change("Pause", f"Asked for a rest {HOSTILE}")
        assert admin.locator("#raters").get_by_text("paused").is_visible()
        stop(rater, 5).click()
        state(rater, "The study is paused for you")
        state(rater, "Answers kept on this device: 1.")
        change("Resume", "")
        press(rater, "Next")  # tries again at once
        state(rater, "Saved")
        assert served.answers()[("r1", 1, 1)] == 5
        change("Leave out", "Not a biologist")
        assert admin.locator("#history").get_by_text("Not a biologist").is_visible()
        assert admin.locator("#history").get_by_text(f"Asked for a rest {HOSTILE}").is_visible()
        rater.reload()
        assert rater.get_by_text("The study is paused for you").is_visible()
        change("Take back", "A biologist after all")
        change("New link", "")
        fresh = admin.locator(".link").inner_text()
        assert rater.goto(link).status == 401
        rater.goto(fresh)
        at_pair(rater, 1, 2)
        admin.goto(f"{served.url}/admin")
        assert admin.locator(".link").count() == 0
        said = admin.locator("#history tbody tr").all_inner_texts()
        assert [line.split("\t")[2] for line in said][:6] == [
            "got a new link", "active again", "left out", "active again", "paused", "new link for the administrator",
        ]  # fmt: skip


def test_administrators_page_keeps_itself_up_to_date_but_not_under_ones_hands(browser, served):
    with window(browser, served) as context:
        link = served.invite("Ann")
        admin = context.new_page()
        admin.clock.install()
        admin.goto(served.admin())
        assert admin.locator("#raters .bar").inner_text().startswith("0 of")
        rater = context.new_page()
        begin(rater, link)
        stop(rater, 3).click()
        state(rater, "Saved")
        admin.bring_to_front()
        admin.get_by_label("Change Ann").click()
        admin.get_by_label("Reason, which is kept").fill("half a sentence")
        with admin.expect_response("**/admin"):
            admin.clock.fast_forward(16_000)
        admin.locator("#facts").get_by_text("1 of").or_(admin.locator("#history", has_text="began")).first.wait_for()
        assert admin.get_by_label("Reason, which is kept").input_value() == "half a sentence"
        admin.get_by_label("Reason, which is kept").blur()
        admin.get_by_label("Change Ann").click()
        admin.get_by_role("heading", name="How the study goes").click()
        with admin.expect_response("**/admin"):
            admin.clock.fast_forward(16_000)
        admin.locator("#raters", has_text="1 of 14").wait_for()


def test_administrators_page_without_a_script(browser, served):
    with window(browser, served, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(served.admin())
        page.get_by_label("Name, which only you see").fill("Dee")
        press(page, "Make a link")
        assert page.locator(".link").inner_text().startswith(f"{served.url}/r/")
        page.goto(f"{served.url}/admin")
        page.locator(".change summary").click()
        page.get_by_label("Reason, which is kept").fill("ill")
        press(page, "Pause")
        assert page.locator("#raters").get_by_text("paused").is_visible()


def test_nothing_of_others_reaches_a_rater(browser, served):
    """Neither names, nor other raters, nor the kind or number of a pair, in any answer of the server."""
    with window(browser, served) as context:
        served.invite("Somebody Secret")
        page = context.new_page()
        begin(page, served.invite("Ann"))
        walking.loaded(page)
        walk(page, 1, lambda _at: by_slider(page, 2))
        pages = ("instructions", "rate/1/1", "api/pages/1", "break/1", "static/rate.js")
        told = "\n".join(context.request.get(f"{served.url}/{path}").text() for path in pages)
        for secret in ("Somebody Secret", "Ann", "duplicate", "consistency", "unique", '"pair":'):
            assert secret not in told, secret


@pytest.fixture
def quality(tmp_path):
    """Serve a quality study of a small benchmark."""
    same, other = PAIRS[0], PAIRS[9]
    rows = [(f"{one} {at}", f"{two} {at}", label) for at in range(4) for (one, two), label in ((same, 1), (other, 0))]
    path = tmp_path / "fsn-syn.easy.random.tsv"
    path.write_text("".join(f"{one}\t{two}\t{label}\n" for one, two, label in rows), encoding="utf-8")
    study = new_study(tmp_path / "study", path, kind="quality", per_label=3, pages=2)
    with serving(study) as running:
        yield running


def test_three_raters_judge_the_quality_of_a_benchmark(browser, quality, artifacts):
    with ExitStack() as stack:
        for number in range(3):
            page = stack.enter_context(window(browser, quality)).new_page()
            begin(page, quality.invite())
            if not number:
                page.screenshot(path=artifacts / "study-quality.png")

            def rate(at, page=page, number=number):
                said = "don't know" if at == number + 1 else "same" if "heart" in terms(page)[0] else "not same"
                page.get_by_role("radio", name=said, exact=True).check()
                press(page, "Next")

            walk(page, 1, rate)
            page.get_by_role("link", name="Go on").click()
            walk(page, 2, rate)
            press(page, "Finish")
        assert list(quality.answers().values()).count(None) == 6
        admin = stack.enter_context(window(browser, quality)).new_page()
        admin.goto(quality.admin())
        admin.locator("#facts", has_text=re.compile(r"alpha\s*1\.00")).wait_for(
            timeout=90_000
        )  # compiled first, perhaps
        assert admin.locator("#raters").get_by_text("IAA-1").count() == 0
        assert re.search(r"don't know\s+\S*\s*6", admin.locator("#distribution").inner_text())
        for secret in ("easy", "random", "fsn-syn", "positive"):
            assert secret not in admin.content()
        admin.screenshot(path=artifacts / "study-admin-quality.png", full_page=True)


def test_a_rater_comes_back_where_they_left(browser, served):
    link = served.invite("Ann")
    with window(browser, served) as context:
        page = context.new_page()
        begin(page, link)
        walking.loaded(page)
        for value in (1, 2, 3):
            by_slider(page, value)
        at_pair(page, 1, 4)
        state(page, "")
    with window(browser, served) as context:  # another device: no cookie, nothing kept
        page = context.new_page()
        page.goto(link)
        at_pair(page, 1, 4)
        assert chosen(page) is None
        press(page, "Back")
        at_pair(page, 1, 3)
        shows(page, "3")
        page.go_back()
        at_pair(page, 1, 4)


def test_ten_equal_ratings_in_a_row_are_warned_of_without_stopping_the_rater(tmp_path, browser):
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"one {at}\tother {at}\n" for at in range(14)), encoding="utf-8")
    study = new_study(tmp_path / "study", path, groups=1, pages=1, consistency=0, duplicates=0)
    with serving(study) as served:
        for script in (True, False):
            with window(browser, served, java_script_enabled=script) as context:
                page = context.new_page()
                begin(page, served.invite())
                warning = page.get_by_text("You have given the same answer 10 times in a row")
                for at in range(1, 10):
                    at_pair(page, 1, at)
                    by_slider(page, 4)
                    assert warning.count() == 0
                at_pair(page, 1, 10)
                by_slider(page, 4)
                warning.wait_for()
                at_pair(page, 1, 11)
                by_slider(page, 4)
                at_pair(page, 1, 12)
                by_slider(page, 4)
                at_pair(page, 1, 13)
                assert warning.count() == 0
