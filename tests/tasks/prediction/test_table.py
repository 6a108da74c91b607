"""Tables of scores: every usual way to write one is read, and whatever is wrong is said with its line and column."""

from __future__ import annotations

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.tasks.prediction.scores import read_scores
from termgauge.tasks.prediction.task import PredictionOptions

PLAIN = "model,rho,auc,f\nA,0.5,0.9,80\nB,0.6,NA,81.5\nC,0.7,0.8,\n"


def read(tmp_path, text, **options):
    path = tmp_path / "scores.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_scores(path, PredictionOptions.of(**{"extrinsic": ["f"], **options}))


def test_columns_are_benchmarks_unless_they_are_named(tmp_path):
    found = read(tmp_path, PLAIN)
    assert found.models == ["A", "B", "C"]
    assert found.intrinsic == {"rho": {"A": 0.5, "B": 0.6, "C": 0.7}, "auc": {"A": 0.9, "C": 0.8}}
    assert found.extrinsic == {"f": {"A": 80, "B": 81.5}}
    assert list(read(tmp_path, PLAIN, intrinsic=["auc"]).intrinsic) == ["auc"]
    both = read(tmp_path, PLAIN, extrinsic=["auc, f"])
    assert (list(both.intrinsic), list(both.extrinsic)) == (["rho"], ["auc", "f"])


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace(",", "\t"),
        PLAIN.replace(",", ";"),
        PLAIN.replace(",", ";").replace(".", ","),
        PLAIN.replace("\n", "\r\n"),
        PLAIN.encode("utf-8-sig"),
        PLAIN.encode("utf-16"),
        PLAIN.replace("\n", ",,\n"),
        PLAIN.replace("NA", " n/a ").replace("80\n", "80%\n").replace("81.5", "81.5 %"),
        PLAIN.replace("\nA,", '\n"A",').replace("\nB", "\n\n , ,,\nB"),
        PLAIN.replace("NA", "–").removesuffix("\n"),
    ],
)
def test_the_same_table_in_other_ways(tmp_path, text):
    found, plain = read(tmp_path, text), read(tmp_path, PLAIN)
    assert found.model_dump(exclude={"label"}) == plain.model_dump(exclude={"label"})


def test_a_minus_sign_is_a_minus_and_a_name_may_hold_a_comma(tmp_path):
    found = read(tmp_path, '"m","rho, all",f\nA,−0.5,-1e2\nB,+0.5,3\n', intrinsic=["rho, all"])
    assert found.intrinsic == {"rho, all": {"A": -0.5, "B": 0.5}}
    assert found.extrinsic["f"]["A"] == -100


@pytest.mark.parametrize(
    ("text", "options", "why"),
    [
        ("", {}, "is empty"),
        ("\n \n", {}, "is empty"),
        ("model\nA\n", {}, "is no table of scores"),
        (PLAIN.replace("0.6", "high"), {}, r"line 3: 'high' in the column 'rho' is not a number; write one, leave"),
        (PLAIN.replace("0.6", "inf"), {}, "line 3: 'inf' in the column 'rho' is not a number"),
        (PLAIN.replace("0.6", "1_0"), {}, "line 3: '1_0' in the column 'rho' is not a number"),
        (PLAIN.replace("0.6", "x" * 99), {}, "'x{30}' in the column"),
        (PLAIN.replace("81.5", "81.5%"), {}, "line 3: 'f' is in per cent here and not in other rows"),
        (PLAIN.replace("B,", "A,"), {}, "line 3: the model 'A' is there twice"),
        (PLAIN.replace("B,", ","), {}, "line 3: a model has no name"),
        (PLAIN.replace("B,0.6", "B"), {}, "line 3: has 3 columns instead of 4"),
        (PLAIN.replace("B,0.6", "B,1,0.6"), {}, "line 3: has 5 columns instead of 4"),
        (PLAIN.replace("auc", "rho"), {}, "line 1: the column 'rho' is there twice"),
        (PLAIN.replace("auc", " "), {}, "line 1: a column has no name"),
        (PLAIN, {"extrinsic": ["F"]}, "has no column of scores 'F'; there are rho, auc, f. Did you mean 'f'"),
        (PLAIN, {"extrinsic": ["model"]}, "has no column of scores 'model'"),
        (PLAIN, {"extrinsic": []}, "does not say which columns are scores of a task; .*--extrinsic, of rho, auc, f"),
        (PLAIN, {"extrinsic": ["f,rho,auc"]}, "all columns are named as --extrinsic"),
        (PLAIN, {"intrinsic": ["f"]}, "'f' is named both as --intrinsic and as --extrinsic"),
        (PLAIN.encode("latin-1") + b"\xe4,1,2,3", {}, "line 5: is not UTF-8"),
        (PLAIN.replace("A", "\0"), {}, "holds a zero byte"),
        (PLAIN.replace("A,", '"A,'), {}, "cannot be read"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, text, options, why):
    with pytest.raises(TermgaugeError, match=rf"scores\.csv.*{why}"):
        read(tmp_path, text, **options)


@given(
    st.lists(st.text(min_size=1, max_size=9).map(str.strip).filter(bool), unique=True, min_size=1, max_size=6).filter(
        lambda names: not any("\0" in name or "\r" in name or "\n" in name for name in names)
    ),
    st.data(),
)
def test_whatever_is_written_is_read(tmp_path_factory, names, data):
    number = st.none() | st.floats(-1e6, 1e6)
    rows = [[name, data.draw(number), data.draw(number)] for name in names]
    path = tmp_path_factory.mktemp("table") / "scores.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["model", "rho", "f"], *rows])
    found = read_scores(path, PredictionOptions.of(extrinsic=["f"]))
    assert found.models == names
    assert found.intrinsic["rho"] == {name: rho for name, rho, _f in rows if rho is not None}
    assert found.extrinsic["f"] == {name: f for name, _rho, f in rows if f is not None}


def test_separators_inside_of_names_do_not_count(tmp_path):
    found = read(tmp_path, 'model,"a; b; c",ner\nA,0.5,80\nB,0.6,81\n', extrinsic=["ner"])
    assert found.intrinsic == {"a; b; c": {"A": 0.5, "B": 0.6}}
