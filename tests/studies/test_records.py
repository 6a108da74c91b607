"""Results at a prompt: short, as a table, and as a document."""

from __future__ import annotations

import pytest

from tests.studies.rated_study import rated_study

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")


@pytest.mark.parametrize(("kind", "rows"), [("similarity", 6), ("quality", 2)])
def test_results_show_themselves(tmp_path, kind, rows):
    found = rated_study(tmp_path / "study", kind).results()
    assert len(repr(found)) < 200
    assert "6 raters" in repr(found)
    assert found.to_frame().height == rows
    assert found.as_dict()["study"]["kind"] == kind
    brief = found.brief()
    assert brief.summary == found.document().summary
    assert len(brief.sections) == 1
