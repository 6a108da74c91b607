"""OBO Graphs: nodes and edges in any order, odd values, and JSON that is something else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.terminology import read_terminology
from tests.samples import OBO_GRAPH

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")


def read(folder, document, **options):
    path = folder / "x.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return read_terminology(path, cache=False, **options)


def test_the_order_of_nodes_edges_and_keys_does_not_matter(tmp_path):
    graph = json.loads(OBO_GRAPH)["graphs"][0]
    turned = {
        key: value[::-1] if isinstance(value, list) else value for key, value in sorted(graph.items(), reverse=True)
    }
    one, other = read(tmp_path, OBO_GRAPH), read(tmp_path, {"meta": {}, "graphs": [turned]})
    for table in ("concepts", "terms", "relations", "replacements"):
        assert getattr(one, table).equals(getattr(other, table))
    assert one.identity.slug == other.identity.slug


def test_several_graphs_are_read_as_one(tmp_path):
    first, second = json.loads(OBO_GRAPH)["graphs"][0], {"nodes": [{"id": "X:1", "type": "CLASS", "lbl": "x"}]}
    assert read(tmp_path, {"graphs": [first, second]}).concepts.height == 6


def test_what_is_passed_over_is_counted(tmp_path):
    document = json.loads(OBO_GRAPH)
    graph = document["graphs"][0]
    graph["nodes"] += [{"lbl": "no id"}, {"id": "X:1", "type": "INDIVIDUAL"}, {"id": "X:2"}, 7]
    graph["edges"] += [{"sub": "X:1"}, {"sub": "X:1", "pred": "type", "obj": "X:2"}]
    graph["logicalDefinitionAxioms"] = [{"definedClassId": "X:1"}]
    skipped = {each.what: each.count for each in read(tmp_path, document).skipped}
    assert skipped["nodes that are incomplete"] == 2
    assert skipped["edges that are incomplete"] == 1
    assert skipped["individuals"] == 1
    assert skipped["axioms of other kinds"] == 2


@pytest.mark.parametrize(
    ("text", "said"),
    {
        "{}": "has no 'graphs'",
        "[1, 2]": "has no 'graphs'",
        '{"graphs": []}': "has no 'graphs'",
        '{"graphs": [{"nodes": []}]}': "has no 'graphs'|has no classes",
        '{"graphs": [{"nodes": [{"id": "a"}]}]}': "has no classes",
        OBO_GRAPH[:-30]: "is broken JSON",
        '{"graphs": [{"nodes": ' + "[" * 1_000_000: r"line 1: is broken JSON \(it is nested too deeply\)",
    }.items(),
)
def test_bad_input_is_refused_in_one_sentence(tmp_path, text, said):
    with pytest.raises(TermgaugeError, match=rf"x\.json.*(?:{said})") as caught:
        read(tmp_path, text, format="obographs")
    assert "\n" not in str(caught.value)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["T:1", "hasExactSynonym"]),
    lambda inside: (
        st.lists(inside, max_size=3) | st.dictionaries(st.sampled_from(["id", "pred", "val", "meta"]), inside)
    ),
    max_leaves=5,
)


@given(
    st.sampled_from(["nodes", "edges", "meta", "id"]),
    st.sampled_from(["id", "lbl", "type", "meta", "sub", "pred"]),
    VALUES,
)
def test_any_value_in_any_place(tmp_path_factory, where, key, value):
    document = json.loads(OBO_GRAPH)
    graph = document["graphs"][0]
    if isinstance(graph[where], list):
        graph[where][0] = {**graph[where][0], key: value}
    else:
        graph[where] = value
    try:
        assert read(tmp_path_factory.mktemp("graphs"), document, format="obographs").concepts.height
    except TermgaugeError as error:
        assert "\n" not in str(error)  # noqa: PT017
