"""Layouts: the reference value, and what holds for every layout."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.studies.design import in_order, layout, most_pages


def text_of(frame):
    return "".join("\t".join(map(str, row)) + "\n" for row in frame.rows())


def test_the_reference_layout():
    made = layout(30, 1, groups=2, consistency=4, duplicates=4, pages=2)
    assert made.height == 42
    digest = hashlib.sha256(text_of(made).encode()).hexdigest()
    assert digest == "d194e685ed3973063588ca18c72f4157bd357ee6ad6aeb6dd7be50dd65dcfe21"
    shown = [
        f"{pair}{kind[0].replace('u', '')}" for group, page, _at, pair, kind in made.rows() if (group, page) == (1, 2)
    ]
    assert " ".join(shown) == "11 13 14 1 26c 5c 7 4 1d 14d"


def test_the_layout_of_the_paper():
    """A thousand pairs: 475 of each group alone and 50 in common, on five pages with ten duplicates each."""
    made = layout(1000, 42)
    for group in (1, 2):
        own = made.filter(made["group"] == group)
        assert Counter(own["kind"]) == {"unique": 475, "consistency": 50, "duplicate": 50}
        assert [own.filter(own["page"] == page).height for page in range(1, 6)] == [115] * 5


@st.composite
def designs(draw):
    groups = draw(st.integers(1, 4))
    n = draw(st.integers(groups, 80))
    consistency = draw(st.integers(0, n))
    pages = draw(st.integers(1, max(1, most_pages(n, groups, consistency))))
    return {"n": n, "seed": draw(st.integers(0, 2**40)), "groups": groups, "consistency": consistency,
            "duplicates": draw(st.integers(0, 30)), "pages": pages}  # fmt: skip


@given(designs())
def test_what_holds_for_every_layout(design):
    if most_pages(design["n"], design["groups"], design["consistency"]) < design["pages"]:
        with pytest.raises(TermgaugeError, match="too few"):
            layout(**design)
        return
    made = layout(**design)
    assert made.equals(layout(**design))
    first = made.filter(made["kind"] != "duplicate")
    common = set(first.filter(first["kind"] == "consistency")["pair"])
    assert len(common) == design["consistency"]
    alone = []
    for group in range(1, design["groups"] + 1):
        own = first.filter(first["group"] == group)
        assert own["pair"].is_unique().all()
        assert common <= set(own["pair"])
        alone += own.filter(own["kind"] == "unique")["pair"].to_list()
        for page in range(1, design["pages"] + 1):
            check_page(made.filter((made["group"] == group) & (made["page"] == page)), common)
        again = made.filter((made["group"] == group) & (made["kind"] == "duplicate"))
        assert again.height <= design["duplicates"]
    assert sorted([*alone, *common]) == list(range(1, design["n"] + 1))
    sizes = Counter(first["group"])
    assert max(sizes.values()) - min(sizes.values()) <= 1


def check_page(page, common):
    """Positions run from 1; duplicates come last, each of them in the first half of the page before."""
    assert page["position"].to_list() == list(range(1, page.height + 1))
    assert page.height > 0
    items = page.filter(page["kind"] != "duplicate")
    again = page.filter(page["kind"] == "duplicate")
    assert page["kind"].to_list()[items.height :] == ["duplicate"] * again.height
    assert again["pair"].is_unique().all()
    assert set(again["pair"]) <= set(items["pair"].to_list()[: items.height // 2]) - common


@pytest.mark.parametrize(
    ("design", "said"),
    [
        ({"n": 5, "consistency": 6}, "5 pairs, so 6 of them cannot be consistency pairs"),
        ({"n": 1, "groups": 2, "consistency": 0, "pages": 1}, "too few for 2 groups"),
        ({"n": 8, "groups": 2, "consistency": 0, "pages": 5}, "only 4 different pairs, too few for 5 pages"),
        ({"n": 0, "groups": 1, "consistency": 0, "pages": 1}, "too few"),
    ],
)
def test_layouts_that_cannot_be(design, said):
    with pytest.raises(TermgaugeError, match=said):
        layout(seed=1, **design)


@given(st.integers(1, 300), st.integers(1, 20))
def test_pairs_in_their_order(n, pages):
    made = in_order(n, min(n, pages))
    assert made["pair"].to_list() == list(range(1, n + 1))
    sizes = list(Counter(made["page"]).values())
    assert len(sizes) == min(n, pages)
    assert max(sizes) - min(sizes) <= 1
