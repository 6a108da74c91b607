from __future__ import annotations

import pytest

import termgauge as tg
from termgauge.reporting.blocks import Document, Prose
from termgauge.reporting.writers.html import html
from termgauge.tasks.contract import About
from termgauge.tasks.ner.task import TASK
from tests.engine.toy_models import ToyTerms
from tests.tasks.ner.made_corpus import write_corpus


@pytest.fixture
def result(trained, corpus_folder, vector_files):
    assert trained == []
    return tg.ner(corpus_folder, [*map(str, vector_files), ToyTerms()], epochs=3)


def document(result, name=""):
    return Document("", (), (), tuple(TASK.sections(result, About(name))))


def told(shown):
    return " ".join(line for block in shown.blocks() if isinstance(block, Prose) for line in block.paragraphs)


def test_every_table_names_profile_and_decoding(result):
    shown = document(result, "drugs")
    ranking, _joint, values, types, decodings = shown.tables()
    assert ranking.caption == "Ranking by F, with 95 % intervals."
    assert result.joint.verdict in told(shown)
    for table in (values, types):
        assert "profile code, decoding forward" in table.caption
    assert "profile code" in decodings.caption
    assert [row[0].text for row in values.rows] == sorted(
        result.corpora["made"].models, key=lambda model: -result.corpora["made"].models[model].f
    )
    assert [section.title for section in shown.sections] == ["Named entities: drugs", "Named entities in made"]


def test_the_main_table_shows_per_cent_with_two_digits(result):
    table = document(result).tables()[2]
    scores = result.corpora["made"].models["knows"]
    row = next(row for row in table.rows if row[0].text == "knows")
    assert row[1].text == f"{100 * scores.f:.2f}"
    assert row[1].value == pytest.approx(100 * scores.f)
    assert row[1].best
    assert row[1].note == f"each trial: {', '.join(f'{100 * each:.2f}' for each in scores.trials)}"
    assert str(row[1].against) == f"+{scores.wins}"
    assert row[2].text == f"{100 * scores.f_sd:.2f}"
    assert row[5].text == "100 %"
    assert {"f", "f_sd", "f_low", "f_trials_high", "trials"} <= set(table.data.columns)
    notes = " ".join(table.notes)
    assert "tokens without a vector share one" in notes
    assert "**encoder**: tokens encoded one by one" in notes
    assert "little about how much F varies" not in notes


def test_few_trials_say_little(trained, corpus_folder, vector_files):
    for trials, said in ((1, "A single trial says little"), (2, "Two trials say little")):
        shown = document(tg.ner(corpus_folder, str(vector_files[0]), epochs=1, trials=trials))
        notes = " ".join(shown.tables()[1].notes)
        assert said in notes
        assert ("of these very networks" in notes) == (trials == 1)
        assert "knows alone was measured: F" in told(shown)
        assert "It is not known where documents begin" in told(shown)
    assert len(trained) == 2


def test_curves_are_of_devel_where_there_is_one(result, tmp_path, vector_files):
    f, loss = document(result).figures()
    assert "F on the part devel" in f.caption
    assert loss.folded
    assert not f.folded
    assert f.data.height == 3 * 3 * 3
    assert "knows" in f.draw(700).svg("a", "b", "c")
    other = tg.ner(write_corpus(tmp_path / "plain", devel=False), str(vector_files[0]), epochs=2)
    (loss,) = document(other).figures()
    assert "Loss in training" in loss.caption
    assert not loss.folded
    assert document(tg.ner(tmp_path / "plain", str(vector_files[0]), epochs=1)).figures() == []


def test_names_of_corpora_cannot_harm_the_page(trained, corpus_folder, vector_files):
    result = tg.ner(f"<b>&x={corpus_folder}", str(vector_files[0]), epochs=1)
    assert "<b>&x" not in html(document(result))
    assert len(trained) == 3
