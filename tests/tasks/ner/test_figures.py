from __future__ import annotations

import termgauge as tg
from termgauge.tasks.ner.sections import curve_figures


def test_a_curve_is_the_mean_of_the_trials(trained, corpus_folder, vector_files):
    result = tg.ner(corpus_folder, list(map(str, vector_files)), epochs=4, trials=2)
    found = result.corpora["made"]
    f, loss = curve_figures("", "made", result, found, ["knows", "drawn"])
    assert len(trained) == 4
    assert f.id != loss.id
    assert "knows: 50 after one, 53 in the end" in f.description
    assert "drawn: 1 after one, 0.25 in the end" in loss.description
    assert loss.data.filter(model="knows", trial=2)["loss"].to_list() == [1, 1 / 2, 1 / 3, 1 / 4]
    assert "knows, epoch = 4: 53.000" in f.draw(600).svg("a", "b", "c")
