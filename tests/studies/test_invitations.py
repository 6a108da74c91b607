"""Tests of invitations: groups, links, and all or none."""

from __future__ import annotations

import json

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.studies.invitations import further_links, make_links, qr_svg, qr_text
from tests.studies.server.served import small_study
from tests.studies.small_study import let_in


def invite(study, *, names=(None,), **options):
    return make_links(study, names=names, **options)[0]


def reissue(study, raters, **options):
    return make_links(study, reissue=raters, **options)[0]


def revoke(study, raters):
    make_links(study, revoke=raters)


def new_admin_link(study):
    return make_links(study, admin=True)[1]


@pytest.fixture
def study(tmp_path):
    return small_study(tmp_path)


def token_of(link):
    return link.rpartition("/")[2]


def test_raters_go_where_fewest_are(study):
    assert [each.group for each in invite(study, names=["a", "b", "c"])] == [1, 2, 1]
    assert [each.group for each in invite(study, group=2, names=["d", "e"])] == [2, 2]
    revoke(study, ["r2", "r4"])
    assert [each.group for each in invite(study, names=[None, None])] == [2, 1]


def test_links_work_and_begin_as_asked(study):
    first, second = invite(study, names=["Ann", None], base="https://study.example.org/")
    assert first.link.startswith("https://study.example.org/r/")
    with study.store() as store:
        assert store.rater(let_in(store, token_of(first.link))).name == "Ann"
        assert let_in(store, token_of(second.link)) == second.rater
    (again,) = reissue(study, [first.rater])
    with study.store() as store:
        assert let_in(store, token_of(first.link)) is None
        assert let_in(store, token_of(again.link)) == first.rater
        assert let_in(store, token_of(new_admin_link(study))) == "admin"


def test_all_or_none_are_invited(study):
    with pytest.raises(TermgaugeError, match="longer"):
        invite(study, names=["Ann", "x" * 1000])
    with pytest.raises(TermgaugeError, match="has no group 3; it has the groups 1 to 2"):
        invite(study, group=3, names=["Ann"])
    invited = invite(study, names=["Ann", "Ben"])
    with pytest.raises(TermgaugeError, match="no rater 'r9'"):
        reissue(study, ["r1", "r9"])
    with pytest.raises(TermgaugeError, match="no rater 'r9'"):
        revoke(study, ["r1", "r9"])
    with study.store() as store:
        assert [rater.state for rater in store.raters()] == ["active", "active"]
        assert let_in(store, token_of(invited[0].link)) is not None


def test_the_command_prints_links(study, run):
    status, out, err = run("study", "invite", study.folder, "--name", "Ann", "--name", "Ben", "--count", "2")
    assert status == 0
    lines = [line.split("\t") for line in out.splitlines()]
    assert [line[:3] for line in lines] == [
        ["r1", "group 1", "Ann"], ["r2", "group 2", "Ben"], ["r3", "group 1", ""], ["r4", "group 2", ""],
    ]  # fmt: skip
    assert "only this machine" in err
    status, out, err = run(
        "study", "invite", study.folder, "--reissue", "r1", "--revoke", "r2", "--admin", "--json",
        "--public-url", "https://study.example.org",
    )  # fmt: skip
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert [each["rater"] for each in document["raters"]] == ["r1"]
    assert document["revoked"] == ["r2"]
    assert document["admin"].startswith("https://study.example.org/admin/")
    with study.store() as store:
        assert let_in(store, token_of(lines[0][3])) is None
        assert let_in(store, token_of(lines[1][3])) is None
        assert let_in(store, token_of(document["raters"][0]["link"])) == "r1"
        assert let_in(store, token_of(document["admin"])) == "admin"
        assert len(store.raters()) == 4


@pytest.mark.parametrize("url", ["study.example.org", "ftp://x", "https://", "https://x/path", "https://x?y=1"])
def test_an_address_that_is_none_is_refused(study, run, url):
    status, out, err = run("study", "invite", study.folder, "--public-url", url)
    assert (status, out) == (2, "")
    assert "is no address for links" in err


BLOCKS = {" ": (1, 1), "▀": (0, 1), "▄": (1, 0), "█": (0, 0)}
"""Which of an upper and a lower module are dark."""


def test_further_links_leave_the_former_ones_alone_and_prolong_nothing(study):
    sent = invite(study, names=["Ann", None, None, None, None])
    revoke(study, ["r2"])
    reissue(study, ["r3"], days=3)
    admin = new_admin_link(study)
    with study.store() as store:
        store.set_state("r4", "finished", None)
        store.begin("r5")
    made, lead = further_links(study, base="https://study.example.org")
    assert [each.rater for each in made] == ["r1", "r3", "r5"]
    assert all(each.link.startswith("https://study.example.org/r/") for each in made)
    with study.store() as store:
        for link, who in ((sent[0].link, "r1"), (made[0].link, "r1"), (made[2].link, "r5"), (admin, "admin")):
            assert let_in(store, token_of(link)) == who
        assert let_in(store, token_of(lead)) == "admin"
        assert store.link_of(token_of(made[0].link)).expires is None
        assert store.link_of(token_of(made[1].link)).expires is not None
    revoke(study, ["r1"])
    new_admin_link(study)
    with study.store() as store:
        for link in (sent[0].link, made[0].link, admin, lead):
            assert let_in(store, token_of(link)) is None, "all of somebody's links end together"


def test_an_expired_link_is_not_made_anew(study):
    invite(study, days=1)
    with study.store() as store:
        store.run("UPDATE tokens SET expires = '2020-01-01T00:00:00.000Z'")
    assert further_links(study, base="http://127.0.0.1:8000") == ([], None)


def test_a_link_as_a_picture(study):
    import segno

    link = invite(study)[0].link
    rows = [[BLOCKS[each] for each in line] for line in qr_text(link).splitlines()]
    modules = [[module[half] for module in row] for row in rows for half in (0, 1)]
    wanted = [list(row) for row in segno.make(link, micro=False).matrix_iter(border=4)]
    assert modules[: len(wanted)] == wanted
    drawn = qr_svg(link)
    assert drawn.startswith("<svg ")
    assert "style" not in drawn, "pages allow no style in place"
