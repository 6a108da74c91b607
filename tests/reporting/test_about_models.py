from __future__ import annotations

from termgauge.embeddings.neighbours import Neighbour
from termgauge.embeddings.schemes import EXTRAS, describe_schemes
from termgauge.reporting.about_data import neighbour_section, scheme_section
from tests.tasks.pairs.sections.drawn import cells_of


def test_every_scheme_with_its_options_and_what_it_needs():
    catalogue = describe_schemes()
    schemes, options, extras = scheme_section(catalogue).blocks
    for scheme, about, values in zip(catalogue["schemes"], cells_of(schemes), cells_of(options), strict=True):
        assert about["Scheme"].text == values["Scheme"].text
        assert about["Scheme"].text.removesuffix(":") == scheme["name"]
        assert about["Needs"].text.startswith(scheme["extra"])
        assert about["Needs"].text.endswith("(missing)") == (not scheme["installed"])
        assert scheme["about"] in about["Reads"].text
        assert values["Options"].text.count("=") >= len(scheme["options"])
    assert {row["Extra"].text: row["On disk"].value for row in cells_of(extras)} == {
        extra["name"]: EXTRAS[extra["name"]].megabytes for extra in catalogue["extras"]
    }


def test_a_query_is_named_once():
    found = [Neighbour("pain", 1, "ache", 0.9), Neighbour("pain", 2, "agony", 0.85), Neighbour("rash", 1, "itch", 0.5)]
    (table,) = neighbour_section(found).blocks
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["pain", "1", "0.900", "ache"],
        ["", "2", "0.850", "agony"],
        ["rash", "1", "0.500", "itch"],
    ]
