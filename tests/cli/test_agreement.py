from __future__ import annotations

import json

from tests.studies.raters import drawn, matrix_text


def test_values_for_people_and_for_programs(run, tmp_path):
    path = tmp_path / "ratings.tsv"
    path.write_text(matrix_text(drawn(30, 4)))
    status, out, err = run("agreement", path, "--scale", "0,6", "--resamples", "50")
    assert (status, err) == (0, "")
    assert "Krippendorff's alpha, ordinal" in out
    assert "raters are in a panel of fewer than 6" in " ".join(out.split())
    status, out, err = run("agreement", path, "--scale", "0,6", "--resamples", "50", "--rule", "none", "--json")
    found = json.loads(out)
    assert (status, err, found["left_out"], found["scale"]) == (0, "", [], [0, 6])


def test_a_page_is_written(run, tmp_path):
    path = tmp_path / "ratings.tsv"
    path.write_text(matrix_text(drawn(30, 4)))
    status, _out, err = run("agreement", path, "--html", tmp_path / "page.html", "--resamples", "20")
    assert (status, err) == (0, f"Written: {tmp_path / 'page.html'}\n")
    assert "<svg" in (tmp_path / "page.html").read_text()


def test_what_is_wrong_is_said_in_a_sentence(run, tmp_path):
    path = tmp_path / "ratings.tsv"
    path.write_text(matrix_text(drawn(30, 4)))
    for options, said in (
        (["--scale", "0,2"], "line 2: the rating lies outside the scale 0 to 2"),
        (["--scale", "six"], "such as 0,6"),
        (["--raters", "r9"], "has no column 'r9'"),
        (["--groups", "many"], "'one' or 'sets'"),
        (["--width", "0"], "greater than 0"),
    ):
        status, out, err = run("agreement", path, *options)
        assert (status, out) == (2, "")
        assert said in err
        assert "Traceback" not in err
