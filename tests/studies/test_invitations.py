"""Tests of invitations: groups, links, and all or none."""

from __future__ import annotations

import json

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.studies.invitations import invite, new_admin_link, reissue, revoke
from tests.studies.server.served import small_study
from tests.studies.small_study import let_in


@pytest.fixture
def study(tmp_path):
    return small_study(tmp_path)


def token_of(link):
    return link.rpartition("/")[2]


def test_raters_go_where_fewest_are(study):
    assert [each.group for each in invite(study, names=["a", "b", "c"])] == [1, 2, 1]
    assert [each.group for each in invite(study, group=2, names=["d", "e"])] == [2, 2]
    revoke(study, ["r2", "r4"], "left")
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
