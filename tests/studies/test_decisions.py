"""Experts' decisions about words."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import termgauge as tg
from termgauge.corpus.tables import read_words
from termgauge.exceptions import TermgaugeError

HEADER = "word\tclass\tcount\tgeneral_count\tlog_ratio\tdecision\n"
SAID = st.sampled_from(["", "biomedical", "general", "both", "General "])


def table(decisions, words=None):
    names = words or [f"w{place}" for place in range(len(decisions))]
    rows = [
        f"{word}\t{'verb' if place % 3 == 2 else 'noun'}\t{200 - place * place}\t{place % 4 or ''}\t1.5\t{said}\n"
        for place, (word, said) in enumerate(zip(names, decisions, strict=True))
    ]
    return HEADER + "".join(rows)


@given(st.integers(1, 12).flatmap(lambda n: st.lists(st.lists(SAID, min_size=n, max_size=n), min_size=2, max_size=4)))
def test_words_enter_a_domain_by_the_rule(tmp_path, experts):
    paths = []
    for number, said in enumerate(experts):
        paths.append(tmp_path / f"{number}.tsv")
        paths[-1].write_text(table(said))
    found = tg.decisions(paths)
    plain = [[said.strip().lower() for said in expert] for expert in experts]
    expected, undecided, left = {}, 0, {}
    for place, said in enumerate(zip(*plain, strict=True)):
        given_by = [each for each in said if each]
        if not given_by:
            undecided += 1
        elif len(given_by) >= 2 and set(given_by) in ({"biomedical"}, {"general"}):
            expected[f"w{place}"] = given_by[0]
        else:
            single = len(given_by) == 1
            left[f"w{place}"] = "single" if single else "both" if set(given_by) == {"both"} else "disagreement"
    assert dict(found.table.select("word", "decision").iter_rows()) == expected
    assert {each["word"]: each["why"] for each in found.left_out} == left
    assert found.undecided == undecided
    assert sum(sum(of.values()) for of in found.domains().values()) == len(expected)
    _check_alpha(found, plain)
    _check_counts(found)
    json.dumps(found.summary(), allow_nan=False)


def _check_alpha(found, plain):
    krippendorff = pytest.importorskip("krippendorff")
    codes = {"": np.nan, "biomedical": 0, "general": 1, "both": 2}
    data = np.array([[codes[each] for each in expert] for expert in plain])
    both = (~np.isnan(data)).sum(axis=0) >= 2
    if len(np.unique(data[:, both][~np.isnan(data[:, both])])) < 2:
        assert found.summary()["alpha"]["value"] is None
    else:
        expected = krippendorff.alpha(reliability_data=data, level_of_measurement="nominal")
        assert found.alpha.value == pytest.approx(expected)


def _check_counts(found):
    stats = pytest.importorskip("scipy.stats")
    rows = [(count, general or 0) for count, general in found.table.select("count", "general_count").iter_rows()]
    ours = found.check["together"]
    if len(rows) < 3 or len({general for _, general in rows}) == 1:
        assert ours is None
    else:
        assert ours == pytest.approx(stats.spearmanr(*zip(*rows, strict=True)).statistic)


def test_what_is_kept_is_written(tmp_path):
    for name in ("a.tsv", "b.tsv"):
        (tmp_path / name).write_text(table(["biomedical", "general", "", "both"]))
    (tmp_path / "words.tsv").write_text(table(["", "", "", ""]))
    found = tg.decisions([tmp_path / name for name in ("words.tsv", "a.tsv", "b.tsv")], tmp_path / "domains.tsv")
    written = read_words(tmp_path / "domains.tsv")
    assert written.select("word", "decision").rows() == [("w0", "biomedical"), ("w1", "general")]
    assert found.experts == (str(tmp_path / "a.tsv"), str(tmp_path / "b.tsv"))
    assert repr(found) == "<decisions of 2 experts: 1 biomedical, 1 general, 1 left out>"
    manifest = json.loads((tmp_path / "domains.tsv.json").read_text())
    assert len(manifest["files"]) == 3
    assert manifest["left_out"][0] == {"word": "w3", "class": "noun", "why": "both", "decisions": ["", "both", "both"]}


def test_other_words_are_one_sentence(tmp_path):
    (tmp_path / "a.tsv").write_text(table(["", ""]))
    (tmp_path / "b.tsv").write_text(table(["", ""], ["w0", "other"]))
    (tmp_path / "c.tsv").write_text(table([""]))
    with pytest.raises(TermgaugeError, match=r"a\.tsv: does not have the noun 'other' that .*b\.tsv has; give all"):
        tg.decisions([tmp_path / "a.tsv", tmp_path / "b.tsv"])
    with pytest.raises(TermgaugeError, match=r"c\.tsv: does not have the noun 'w1' that .*a\.tsv has"):
        tg.decisions([tmp_path / "a.tsv", tmp_path / "c.tsv"])


def test_bad_input(tmp_path):
    (tmp_path / "a.tsv").write_text(table([""]))
    with pytest.raises(TermgaugeError, match="at least two experts"):
        tg.decisions([tmp_path / "a.tsv"])
    (tmp_path / "b.tsv").write_text("word\tclass\nw0\tnoun\n")
    with pytest.raises(TermgaugeError, match=r"b\.tsv, line 1: has no column 'decision'"):
        tg.decisions([tmp_path / "a.tsv", tmp_path / "b.tsv"])
    (tmp_path / "c.tsv").write_text(table(["medical"]))
    with pytest.raises(TermgaugeError, match=r"c\.tsv, line 2: 'medical' in the column 'decision'"):
        tg.decisions([tmp_path / "a.tsv", tmp_path / "c.tsv"])
