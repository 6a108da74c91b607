"""The page of a study: what stands on it, that it holds in all forms, and that nothing from outside breaks it."""

from __future__ import annotations

import pytest

from termgauge.reporting.writers.html import html
from termgauge.reporting.writers.terminal import terminal
from termgauge.studies.results.sections import results_document
from tests.studies.rated_study import rated_study

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("found")
    return {
        "similarity": rated_study(folder / "similarity").results(),
        "quality": rated_study(folder / "quality", "quality", raters=5).results(),
    }


def test_a_similarity_study_has_its_sections(found):
    document = results_document(found["similarity"])
    assert [section.title for section in document.sections] == [
        "Agreement", "Raters", "What leaving raters out changes", "Ratings and scores",
        "Words that raters do not know", "What the ratings are good for", "Methods, for a paper",
    ]  # fmt: skip
    assert [figure.id for figure in document.figures()] == ["rater-agreement"]


def test_a_quality_study_has_its_sections(found):
    document = results_document(found["quality"])
    titles = [section.title for section in document.sections]
    assert titles == ["How right the labels are", "Pairs to look at", "Raters", "Methods, for a paper"]


@pytest.mark.parametrize("kind", ["similarity", "quality"])
def test_ids_are_unique_and_all_forms_can_be_written(found, kind):
    document = results_document(found[kind])
    ids = [block.id for block in (*document.tables(), *document.figures())]
    assert len(ids) == len(set(ids))
    assert "<svg" in html(document)
    assert terminal(document, width=80) is not None
    assert "IAA-1" in found[kind]._repr_html_() or kind == "quality"


@pytest.mark.parametrize("kind", ["similarity", "quality"])
def test_made_raters_are_named_as_such(found, kind):
    document = results_document(found[kind])
    assert "made raters" in document.title
    assert document.summary[0].startswith("This is a demonstration. All raters are made up")
    assert "made up" in document.sections[-1].blocks[0].paragraphs[0]
    people = found[kind].study.model_copy(update={"made_up": 0})
    document = results_document(found[kind].model_copy(update={"study": people}))
    assert not any("made up" in sentence for sentence in document.summary)


def test_who_was_left_out_by_hand_is_named_with_the_reason(tmp_path):
    for kind in ("similarity", "quality"):
        study = rated_study(tmp_path / kind, kind, raters=5)
        with study.store() as store:
            store.set_state("r4", "left_out", "asked us to <b>delete</b> it")
        page = html(results_document(study.results()))
        assert "asked us to &lt;b&gt;delete&lt;/b&gt; it" in page
        assert "<b>delete" not in page


def test_nothing_is_said_of_leaving_out_where_nobody_was(tmp_path):
    study = rated_study(tmp_path / "study")
    document = study.results(rule="none").document()
    assert "What leaving raters out changes" not in [section.title for section in document.sections]
    assert "No rater was left out." in document.summary
