from __future__ import annotations

import numpy as np
import pytest

from termgauge.domain.domain import Domain
from termgauge.domain.neighbourhood import neighbourhood_of, neighbours_of_seeds
from termgauge.tasks.coverage.result import cover, map_of, projected
from tests.domain.tables import Words
from tests.domain.terminologies import terminology_of


def made(seeds=50, words=120, shared_word=False):
    rng = np.random.default_rng(0)
    names = [f"w{place}" for place in range(words)]
    labels = {f"c{place}": [names[place]] for place in range(words)}
    if shared_word:
        labels["c1"] = labels["c0"]
    vectors = rng.normal(size=(words, 6))
    vectors[2] = 0
    domain = Domain(tuple(f"c{place}" for place in range(seeds)))
    among = neighbourhood_of(Words(names, vectors), terminology_of(labels), domain.seeds)
    return among, neighbours_of_seeds(among, 10).rows, domain


def test_the_plane_is_that_of_the_principal_components():
    from sklearn.decomposition import PCA

    vectors = np.random.default_rng(1).normal(size=(40, 7)) * np.arange(1, 8)
    places, explained = projected(vectors)
    pca = PCA(2).fit(vectors)
    np.testing.assert_allclose(np.abs(places), np.abs(pca.transform(vectors)), atol=1e-9)
    np.testing.assert_allclose(explained, pca.explained_variance_ratio_)
    again, _ = projected(vectors)
    np.testing.assert_array_equal(places, again)


@pytest.mark.parametrize("vectors", [np.empty((0, 3)), np.ones((1, 3)), np.ones((4, 3)), np.ones((3, 1))])
def test_little_to_project(vectors):
    places, explained = projected(vectors)
    assert places.shape == (len(vectors), 2)
    assert np.isfinite(places).all()
    assert explained == (0.0, 0.0)


def test_seeds_and_neighbours_are_on_the_map():
    among, rows, domain = made()
    found = map_of(among, rows, domain)
    seeds = [point for point in found.points if point.concepts]
    assert [point.term for point in seeds] == [f"w{place}" for place in range(50) if place != 2]  # w2 is zero
    assert {point.term for point in found.points} > {point.term for point in seeds}
    assert found.seeds_left_out == 0


def test_there_is_room_for_so_many():
    among, rows, domain = made()
    found = map_of(among, rows, domain, most=20)
    assert [point.term for point in found.points if point.concepts] == [
        f"w{place}" for place in range(10) if place != 2
    ]
    assert len(found.points) == 19
    assert found.seeds_left_out == 40
    near = set(rows[:10].ravel().tolist())
    assert all(int(point.term[1:]) in near for point in found.points if not point.concepts)


def test_a_word_may_stand_for_two_seeds():
    among, rows, domain = made(shared_word=True)
    assert map_of(among, rows, domain).points[0].concepts == ["c0", "c1"]


def test_it_is_part_of_what_is_found():
    found = cover(
        Words(["a", "b", "c"], np.eye(3)), terminology_of({"A": ["a"], "B": ["b"]}), Domain(("A", "B")), ks=[1]
    )
    document = found.map.model_dump(mode="json")
    assert [point["term"] for point in document["points"]] == ["a", "b"]
    assert document["points"][0]["seed"]
