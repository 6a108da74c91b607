"""Tests of how a study goes: counts and agreement against plain counting, and nobody who is left out in them."""

from __future__ import annotations

import asyncio
import json
from statistics import fmean, median

import pytest
from scipy.stats import spearmanr

from termgauge.studies.server.overview import Observer, agreement_so_far
from tests.studies import small_study


@pytest.fixture
def study(tmp_path):
    """Return a study with three raters of one group, who agree more or less."""
    made = small_study.similarity(tmp_path, groups=1, consistency=0, duplicates=4)
    with made.store() as store:
        for number in range(3):
            rater, _token = store.invite(1, f"rater {number}")
            for at, (page, position, pair) in enumerate(made.layout.select("page", "position", "pair").iter_rows()):
                rating = None if (at + number) % 9 == 8 else float((pair * 5 + number * (pair % 3)) % 7)
                name = f"{page}-{position}"
                store.answer(rater.id, page, position, rating, seconds=number + at % 4, client_id=name, revision=0)
    return made


def look(study, observer=None):
    async def once():
        watching = observer or Observer(study)
        while True:
            seen = await watching.overview()
            if not seen.pending:
                return seen

    return asyncio.run(once())


def test_counts_are_those_of_plain_counting(study):
    found = look(study)
    with study.store() as store:
        for counted in found.raters:
            own = store.answers(counted.id)
            assert counted.answered == len(own)
            assert counted.unknown == sum(each.rating is None for each in own)
            assert counted.seconds == median(each.seconds for each in own)
            minutes = [sum(each.seconds for each in own if each.page == page) / 60 for page in (1, 2)]
            assert counted.minutes == pytest.approx(minutes)
        everything = [each.rating for each in store.answers()]
    labels = [*(f"{each.value:g} {each.label}" for each in study.file.answers), study.file.unknown]
    assert found.counts == dict(zip(labels, [everything.count(value) for value in (*range(7), None)], strict=True))


def test_agreement_is_that_of_a_plain_computation(study):
    ratings = study.ratings()
    given = {
        rater: dict(ratings.of_raters([rater]).first_showings().select("pair", "rating").iter_rows())
        for rater in ratings.raters
    }

    def rho(one, other):
        both = [pair for pair in one if one[pair] is not None and other.get(pair) is not None]
        return spearmanr([one[pair] for pair in both], [other[pair] for pair in both]).statistic

    found = agreement_so_far(ratings, "interval")
    for rater, own in given.items():
        others = [other for name, other in given.items() if name != rater]
        assert found.raters[rater][0] == pytest.approx(fmean(rho(own, other) for other in others))
    pairs = [("r1", "r2"), ("r1", "r3"), ("r2", "r3")]
    assert found.iaa1 == pytest.approx(fmean(rho(given[one], given[other]) for one, other in pairs))


def test_agreement_with_krippendorffs_own_program(study):
    krippendorff = pytest.importorskip("krippendorff")
    ratings = study.ratings()
    wide = ratings.first_showings().pivot("pair", index="rater", values="rating").drop("rater").to_numpy()
    expected = krippendorff.alpha(reliability_data=wide, level_of_measurement="interval")
    assert agreement_so_far(ratings, "interval").alpha == pytest.approx(expected)


def test_fewer_than_two_raters_agree_on_nothing(study):
    found = agreement_so_far(study.ratings().of_raters(["r1"]), "interval")
    assert (found.alpha, found.iaa1, found.iaa2, dict(found.raters)) == (None, None, None, {})


def test_a_study_without_answers(tmp_path):
    seen = look(small_study.similarity(tmp_path))
    assert seen.raters == ()
    assert not any(seen.counts.values())
    assert seen.agreement.iaa1 is None


def test_who_is_left_out_is_counted_but_not_in_agreement(study):
    observer = Observer(study)
    before = look(study, observer)
    with study.store() as store:
        store.set_state("r3", "left_out", "careless")
    after = look(study, Observer(study))
    assert [rater.answered for rater in after.raters] == [rater.answered for rater in before.raters]
    assert after.counts == before.counts
    assert set(before.agreement.raters) == {"r1", "r2", "r3"}
    assert set(after.agreement.raters) == {"r1", "r2"}
    assert after.history[0].reason == "careless"


def test_new_answers_are_seen_and_flagged(study):
    with study.store() as store:
        rater, _token = store.invite(1, None)
        for page, position in study.layout.select("page", "position").iter_rows():
            store.answer(rater.id, page, position, 2.0, seconds=0.1, client_id=f"{page}-{position}", revision=0)
    flags = look(study).raters[-1].flags
    assert look(study).raters[-1].id == rater.id
    assert any("equal ratings in a row" in flag for flag in flags)
    assert any("0.1 s for an answer" in flag for flag in flags)


def test_erased_answers_are_not_seen_even_if_as_many_new_ones_came(study):
    observer = Observer(study)
    before = look(study, observer)
    observer._counted._rests_until = 0
    study.erase("r3", by="me")
    with study.store() as store:
        rater, _token = store.invite(1, None)
        for page, position in study.layout.select("page", "position").iter_rows():
            store.answer(rater.id, page, position, 2.0, seconds=1, client_id=f"{page}-{position}", revision=0)
    after = look(study, observer)
    assert {rater.id for rater in before.raters if rater.answered} == {"r1", "r2", "r3"}
    assert {rater.id for rater in after.raters if rater.answered} == {"r1", "r2", "r4"}


def test_json_of_a_quality_study_has_no_key(tmp_path):
    study = small_study.quality(tmp_path)
    with study.store() as store:
        for _ in range(2):
            rater, _token = store.invite(1, "Ann")
            store.answer(rater.id, 1, 1, 1.0, seconds=1, client_id="x", revision=0)
    document = json.loads(json.dumps(look(study).to_json()))
    assert document["agreement"]["level"] == "nominal"
    assert document["counts"] == {"same": 2, "not same": 0, "don't know": 0}
    assert {"key", "set", "label"}.isdisjoint(str(document).replace("'", " ").split())
