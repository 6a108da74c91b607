from __future__ import annotations

from termgauge.studies.agreement.compute import AgreementResult, agreement
from termgauge.studies.ratings import parse_ratings
from tests.studies.raters import drawn, matrix_text


def test_it_is_read_back_as_it_was():
    found = agreement(parse_ratings(matrix_text(drawn(20, 4)), "f", scale=(0, 6)), resamples=20)
    again = AgreementResult.model_validate_json(found.model_dump_json())
    assert again.as_dict() == found.as_dict()


def test_a_table_of_raters_and_what_notebooks_show():
    found = agreement(parse_ratings(matrix_text(drawn(20, 4)), "f", scale=(0, 6)), resamples=20)
    assert found.to_frame()["rater"].to_list() == ["r1", "r2", "r3", "r4"]
    assert found.to_pandas().shape == found.to_frame().shape
    assert repr(found).startswith("<agreement of 4 raters on 20 pairs: IAA-1 0.")
    assert "<table" in found._repr_html_()
    nothing = agreement(parse_ratings(matrix_text(drawn(5, 1)), "f"), resamples=0)
    assert repr(nothing) == "<agreement of 1 rater on 5 pairs>"
