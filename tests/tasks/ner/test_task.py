from __future__ import annotations

import json

import pytest

import termgauge as tg
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.tasks import contract
from termgauge.tasks.ner.task import TASK, NerOptions
from tests.tasks.ner.made_corpus import sentences, text_of, write_corpus, write_vectors


def test_parts_are_trials_on_corpora(corpus_folder, tmp_path):
    other = write_corpus(tmp_path / "other", train=20)
    options = NerOptions.of(corpus=[str(corpus_folder), f"few={other}"], trials=2, epochs=10)
    inputs = TASK.inputs(options, contract.Material(testing=contract.Testing(seed=8)))
    parts = TASK.parts(inputs, options)
    assert list(parts) == ["made/1", "made/2", "few/1", "few/2"]
    assert [made[1] for made in parts.values()] == [8, 9, 8, 9]
    assert TASK.named(options) == "made, few"
    assert TASK.part_seconds("made/1", inputs, options) > 2 * TASK.part_seconds("few/1", inputs, options)
    assert TASK.identity(inputs, options) == {name: each.sha256 for name, each in inputs.corpora.items()}


def test_models_without_vectors_of_tokens_do_not_fit():
    assert [kind for kind in ("words", "terms", "concepts", "pairs") if TASK.fits(kind, "")] == ["words", "terms"]


def test_two_corpora_of_one_name_or_of_one_content_are_refused(corpus_folder, tmp_path):
    inner = tmp_path / "inner" / "made"
    write_corpus(inner)
    for given, said in (
        ([corpus_folder, inner], "two corpora are called 'made'; name them apart, as in --corpus A=… --corpus B=…"),
        ([corpus_folder, f"b={inner}"], "holds the same sentences as the corpus 'made'"),
    ):
        with pytest.raises(TermgaugeError, match=said):
            TASK.inputs(NerOptions.of(corpus=list(map(str, given))), contract.Material())


def test_a_better_model_is_found_better(trained, corpus_folder, vector_files):
    result = tg.ner(corpus_folder, list(map(str, vector_files)), epochs=2)
    models = result.corpora["made"].models
    assert models["knows"].f > models["drawn"].f + 0.1
    assert (models["knows"].wins, models["drawn"].losses) == (1, 1)
    assert len(trained) == 6
    again = tg.ner(
        corpus_folder, list(map(str, vector_files)), epochs=2, decoding="argmax", alpha=0.1, correction="holm"
    )
    assert len(trained) == 6, "another decoding trains nothing again"
    assert again.corpora["made"].models["knows"].f == models["knows"].decodings["argmax"]
    tg.ner(corpus_folder, str(vector_files[0]), epochs=2, trials=4)
    assert trained[6:] == [("knows", "made", 45)]


def test_what_is_odd_about_a_corpus_is_said(trained, tmp_path, vector_files):
    folder = tmp_path / "iobes"
    folder.mkdir()
    for part, seed in (("train", 0), ("test", 2)):
        text = text_of(sentences(20, seed)).replace("B-Drug\nforte\tI-Drug", "B-Drug\nforte\tE-Drug")
        (folder / f"{part}.tsv").write_text(text.replace("B-Disease\nforte\tI-Disease", "B-Disease\nforte\tE-Disease"))
    with pytest.warns(TermgaugeWarning, match="iobes: The tags were read as"):
        result = tg.ner(folder, str(vector_files[0]), epochs=1, trials=1)
    assert "IOBES" in result.corpora["iobes"].notes[0]
    assert len(trained) == 1


def test_a_run_folder_gets_the_result(trained, tmp_path, corpus_folder, vector_files):
    alone = tg.ner(corpus_folder, str(vector_files[0]), epochs=1)
    run = tmp_path / "run"
    inside = tg.ner(corpus_folder, str(vector_files[0]), epochs=1, out=run)
    assert inside == alone.model_copy(update={"name": "made", "identity": inside.identity})
    assert len(trained) == 3, "they were there"
    assert len(list((run / "ner" / "made" / "knows").iterdir())) == 3
    both = tg.ner(corpus_folder, str(vector_files[1]), epochs=1, out=run)
    assert set(both.corpora["made"].models) == {"knows", "drawn"}
    assert json.loads((run / "run.json").read_text())["tasks"]["ner"] == ["made"]
    (page,) = tg.report(run)
    assert "Named entities in made" in page.read_text()


def test_a_model_that_lacks_all_words_costs_itself_alone(trained, tmp_path, corpus_folder, vector_files):
    other = tmp_path / "french.txt"
    other.write_text("2 3\noui 1 0 0\nnon 0 1 0\n")
    with pytest.warns(TermgaugeWarning, match="'french' has no vector for any of the .* different tokens"):
        result = tg.ner(corpus_folder, [str(vector_files[0]), str(other)], epochs=1)
    assert result.left_out[0].startswith("french: ")
    broken = write_vectors(tmp_path / "broken.txt")
    lines = broken.read_text().splitlines()
    broken.write_text("\n".join([lines[0], lines[1].rsplit(" ", 1)[0] + " nan", *lines[2:]]) + "\n")
    with pytest.raises(TermgaugeError, match="broken"):
        tg.ner(corpus_folder, str(broken), epochs=1)
    assert {model for model, _corpus, _seed in trained} == {"knows"}
