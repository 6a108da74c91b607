from __future__ import annotations

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.reporting.writers.write import PICTURES, checked_pictures, write_pictures
from tests.reporting.small_documents import document, figure

HEADS = {"svg": b"<svg", "pdf": b"%PDF", "png": b"\x89PNG"}


def test_kinds():
    assert checked_pictures(["svg", "pdf", "svg"]) == ("svg", "pdf")
    assert checked_pictures(["none"]) == ()
    with pytest.raises(TermgaugeError, match="Did you mean 'png'"):
        checked_pictures(["pngs"])
    with pytest.raises(TermgaugeError, match="goes with no other"):
        checked_pictures(["none", "svg"])


def test_every_figure_in_every_kind(tmp_path):
    made = document(figure("one"), figure("two"))
    files = write_pictures(made, tmp_path, PICTURES)
    assert {name: [file.name for file in each] for name, each in files.items()} == {
        name: [f"{name}.{kind}" for kind in PICTURES] for name in ("one", "two")
    }
    for each in files.values():
        for file, kind in zip(each, PICTURES, strict=True):
            assert HEADS[kind] in file.read_bytes()[:100]


def test_no_kind_draws_nothing(tmp_path):
    assert write_pictures(document(), tmp_path / "none", ()) == {}
    assert not (tmp_path / "none").exists()
