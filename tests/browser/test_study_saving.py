"""No rating is lost and none counts twice: with the connection or the server gone, tabs closed, two tabs, no script."""

from __future__ import annotations

import re

from tests.browser.served import OFFLINE, REFUSED, window
from tests.browser.walking import at_pair, begin, loaded, press, shows, state, stop, terms, until, walk

NO_CONNECTION = "There is no connection at the moment"


def rate(page, value: float) -> None:
    stop(page, value).click()
    press(page, "Next")


def stored(served, rater: str = "r1") -> list[float | None]:
    return [rating for _place, rating in sorted(served.answers(rater).items())]


def kept(page) -> int:
    """Return how many answers wait on the device."""
    return page.evaluate("Object.keys(localStorage).filter((it) => it.startsWith('termgauge ')).length")


def sent(page) -> None:
    until(page, "!Object.keys(localStorage).some((it) => it.startsWith('termgauge '))", 40)


def hold(page, pattern: str) -> list:
    """Let requests wait until a test lets them go on; return those that wait."""
    waiting: list = []

    def wait(route) -> None:
        waiting.append(route)

    page.route(pattern, wait)
    return waiting


def open_in_both(one, other, link: str) -> None:
    """Show a rater the first pair in two pages, until the scripts of both are at work."""
    begin(one, link)
    other.goto(link)
    at_pair(other, 1, 1)
    loaded(one)
    loaded(other)


def test_saved_as_it_goes_before_anything_is_pressed(rating, served):
    with rating() as page:
        stop(page, 4).click()
        state(page, "Saved")
        assert served.ever() == [("r1", 1, 1, 4.0)]
        stop(page, 2).click()
        state(page, "Saved")
        sent(page)
        assert served.ever() == [("r1", 1, 1, 4.0), ("r1", 1, 1, 2.0)]
        with served.study.store() as store:
            assert all(0 < answer.seconds < 60 for answer in store.answers())


def test_sliding_over_stops_stores_only_where_one_ends(rating, served):
    with rating() as page:
        page.get_by_role("radio", name="0 not similar at all").focus()
        for _ in range(5):
            page.keyboard.press("ArrowRight")
        state(page, "Saved")
        assert served.ever() == [("r1", 1, 1, 4.0)]


def test_connection_lost_for_a_while(rating, served):
    with rating(allowed=OFFLINE) as page:
        loaded(page)
        rate(page, 1)
        at_pair(page, 1, 2)
        sent(page)
        page.context.set_offline(True)
        for value in (2, 3, 4):
            rate(page, value)
        at_pair(page, 1, 5)
        state(page, NO_CONNECTION)
        state(page, "Answers kept on this device: 3.")
        assert stored(served) == [1]
        press(page, "Back")
        at_pair(page, 1, 4)
        shows(page, "4")
        stop(page, 5).click()  # another answer to what is not stored yet
        page.context.set_offline(False)
        sent(page)
        state(page, "Saved")
        assert stored(served) == [1, 2, 3, 5]
        assert len(served.ever()) <= 5  # each once, and the one that was changed


def test_end_of_a_part_waits_for_the_connection(rating, served):
    with rating(allowed=OFFLINE) as page:
        loaded(page)
        page.context.set_offline(True)
        for at in range(1, 8):
            at_pair(page, 1, at)
            rate(page, at % 7)
        state(page, "Answers kept on this device: 7.")
        at_pair(page, 1, 7)  # no error page of the browser
        page.context.set_offline(False)
        page.wait_for_url("**/break/1", timeout=40_000)
        assert stored(served) == [1, 2, 3, 4, 5, 6, 0]


def test_tab_closed_while_offline_is_sent_on_the_next_visit(browser, served):
    link = served.invite("Ann")
    with window(browser, served, allowed=OFFLINE) as context:
        page = context.new_page()
        begin(page, link)
        loaded(page)
        served.stop()  # a closing tab is told that it is online again, and might still send
        for value in (6, 5, 4):
            rate(page, value)
        state(page, "Answers kept on this device: 3.")
        page.close()  # without asking, as a battery would
        assert served.ever() == []
        served.start()
        page = context.new_page()
        page.goto(link)
        at_pair(page, 1, 1)
        shows(page, "6")  # the script sets it, once it runs
        sent(page)
        page.goto(link)
        at_pair(page, 1, 4)
        assert [rating for *_place, rating in served.ever()] == [6, 5, 4]


def test_closing_a_tab_asks_only_if_something_is_unsent(rating):
    with rating(allowed=OFFLINE) as page:
        asked = []
        page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
        loaded(page)
        stop(page, 3).click()
        state(page, "Saved")
        page.reload()
        at_pair(page, 1, 1)
        assert asked == []
        page.context.set_offline(True)
        stop(page, 4).click()
        state(page, NO_CONNECTION)
        page.close(run_before_unload=True)
        page.wait_for_event("close")
        assert asked == ["beforeunload"]


def test_server_gone_and_back(rating, served):
    with rating(allowed=OFFLINE) as page:
        loaded(page)
        rate(page, 1)
        sent(page)
        served.stop()
        rate(page, 2)
        rate(page, 3)
        state(page, NO_CONNECTION)
        served.start()
        sent(page)
        assert stored(served) == [1, 2, 3]
        assert len(served.ever()) == 3


def test_answer_whose_receipt_was_lost_counts_once(rating, served):
    with rating(allowed=OFFLINE) as page:
        loaded(page)
        lost = []

        def lose(route) -> None:
            route.fetch()  # the server stores it …
            lost.append(route.request.post_data_json["answers"][0]["client_id"])
            route.abort("internetdisconnected")  # … and nobody hears of it

        page.route("**/api/answers", lose, times=2)
        stop(page, 5).click()
        state(page, NO_CONNECTION)
        stop(page, 3).click()  # the first one may be stored or not: it goes first
        sent(page)
        assert len(lost) == 2
        assert len(set(lost)) == 1
        assert served.ever() == [("r1", 1, 1, 5.0), ("r1", 1, 1, 3.0)]


def test_full_disk_is_said_and_nothing_is_lost(rating, served):
    with rating(allowed=REFUSED) as page:
        loaded(page)
        full = {"status": 507, "json": {"error": "The server has no room left."}, "headers": {"Retry-After": "1"}}
        page.route("**/api/answers", lambda route: route.fulfill(**full), times=1)
        rate(page, 5)
        state(page, "The server has no room left. Answers kept on this device: 1.")
        at_pair(page, 1, 2)
        sent(page)
        assert stored(served) == [5]


def test_revoked_link_is_said_and_a_new_one_sends_what_was_kept(browser, served):
    with window(browser, served, allowed=REFUSED) as context:
        page = context.new_page()
        begin(page, served.invite("Ann"))
        loaded(page)
        with served.study.store() as store:
            token = store.reissue("r1")
        rate(page, 5)
        state(page, "Please open the link that you were sent")
        assert kept(page) == 1
        page.goto(f"{served.url}/r/{token}")
        sent(page)
        assert stored(served) == [5]


def test_another_rater_in_the_same_browser_gets_nothing_of_the_first(browser, served):
    with window(browser, served, allowed=REFUSED) as context:
        first, second = context.new_page(), context.new_page()
        begin(first, served.invite("Ann"))
        loaded(first)
        begin(second, served.invite("Bo"))
        stop(first, 5).click()
        state(first, "not sent by a page that was made for you")
        rate(second, 2)
        at_pair(second, 1, 2)
        second.wait_for_timeout(700)
        assert served.answers() == {("r2", 1, 1): 2.0}
        assert kept(first) == 1


def test_two_tabs_show_the_same_rating(browser, served):
    with window(browser, served) as context:
        link = served.invite("Ann")
        one, other = context.new_page(), context.new_page()
        open_in_both(one, other, link)
        stop(one, 2).click()
        state(one, "Saved")
        shows(other, "2")
        stop(other, 6).click()
        state(other, "Saved")
        shows(one, "6")
        assert served.ever() == [("r1", 1, 1, 2.0), ("r1", 1, 1, 6.0)]


def test_two_devices_at_once_are_told_of_each_other(browser, served):
    link = served.invite("Ann")
    with window(browser, served) as here, window(browser, served) as there:
        one, other = here.new_page(), there.new_page()
        open_in_both(one, other, link)
        stop(one, 2).click()
        state(one, "Saved")
        stop(other, 6).click()
        other.get_by_text("This pair was answered in another window").wait_for()
        shows(other, "2")
        stop(other, 6).click()  # now they know, and mean it
        state(other, "Saved")
        assert served.ever() == [("r1", 1, 1, 2.0), ("r1", 1, 1, 6.0)]


def test_without_a_script_everything_works_by_forms(browser, served):
    with window(browser, served, java_script_enabled=False) as context:
        page = context.new_page()
        begin(page, served.invite("Ann"))
        press(page, "Next")  # the browser itself asks for an answer
        at_pair(page, 1, 1)

        def answer(at: int) -> None:
            if at == 3:
                page.get_by_role("radio", name="I do not know this word").check()
            else:
                stop(page, at % 7).click()
            press(page, "Next")

        walk(page, 1, answer)
        page.get_by_role("link", name="Back").click()
        at_pair(page, 1, 7)
        assert page.get_by_role("radio", name="0 not similar at all").is_checked()
        press(page, "Back")
        at_pair(page, 1, 6)
        for _ in (6, 7):
            press(page, "Next")
        page.get_by_role("link", name="Go on").click()
        walk(page, 2, answer)
        press(page, "Finish")
        assert page.get_by_role("heading", name="Thank you").is_visible()
    assert stored(served) == 2 * [1, 2, None, 4, 5, 6, 0]


def test_slow_script_finds_what_was_chosen_before_it_came(browser, served):
    with window(browser, served) as context:
        page = context.new_page()
        page.goto(served.invite("Ann"))
        held = hold(page, "**/static/rate.js")
        page.get_by_role("button", name="Begin").click(no_wait_after=True)
        page.locator("#pair").wait_for()
        stop(page, 4).click()
        assert len(held) == 1
        held[0].continue_()
        state(page, "Saved")
        assert served.ever() == [("r1", 1, 1, 4.0)]


def test_slow_script_leaves_the_form_to_work(browser, served):
    with window(browser, served) as context:
        page = context.new_page()
        page.goto(served.invite("Ann"))
        hold(page, "**/static/rate.js")
        page.get_by_role("button", name="Begin").click(no_wait_after=True)
        page.locator("#pair").wait_for()
        stop(page, 4).click()
        page.get_by_role("button", name="Next", exact=True).click(no_wait_after=True)
        page.wait_for_url("**/rate/1/2", wait_until="commit")
        assert served.ever() == [("r1", 1, 1, 4.0)]


def test_pairs_that_are_slow_to_come_are_waited_for(browser, served):
    with window(browser, served) as context:
        page = context.new_page()
        page.goto(served.invite("Ann"))
        hold(page, "**/api/pages/1")
        page.get_by_role("button", name="Begin").click()
        at_pair(page, 1, 1)
        stop(page, 4).click()
        first = terms(page)
        press(page, "Next")
        page.wait_for_url(re.compile("/rate/1/2"))
        at_pair(page, 1, 2)
        assert terms(page) != first
        assert stored(served) == [4]


def test_what_a_rater_says_is_stored_as_said(rating, served):
    """Every stop, and "I do not know", for a whole part."""
    with rating() as page:
        loaded(page)
        said = [0, 6, None, 3, 1, 5, 2]

        def answer(at: int) -> None:
            if said[at - 1] is None:
                page.get_by_text("I do not know this word").click()
            else:
                stop(page, said[at - 1]).click()
            press(page, "Next")

        walk(page, 1, answer)
        assert stored(served) == said
