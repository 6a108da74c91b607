"""One verb for all forms."""

from __future__ import annotations

import pytest

import termgauge as tg
from termgauge.integrations.export import TARGETS
from tests.integrations.small_sets import labelled, many


def test_what_there_is_not_is_said(tmp_path):
    with pytest.raises(tg.TermgaugeError, match=r"no export to 'mtb'; known are hf, mteb, .* Did you mean 'mteb'\?"):
        tg.export(labelled(many()), "mtb", tmp_path / "out")
    with pytest.raises(tg.TermgaugeError, match="The option 'split' is for exports to triplets, not to hf"):
        tg.export(labelled(many()), "hf", tmp_path / "out", split="1,1,1")
    with pytest.raises(tg.TermgaugeError, match=r"There is no option 'licens'.*Did you mean 'licence'"):
        tg.export(labelled(many()), "hf", tmp_path / "out", licens="mit")
    with pytest.raises(tg.TermgaugeError, match="neither a benchmark nor the id"):
        tg.export(str(tmp_path / "none"), "hf", tmp_path / "out")
    with pytest.raises(tg.TermgaugeError, match="is no run folder"):
        tg.export(str(tmp_path), "model-card", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("to", [name for name, target in TARGETS.items() if not target.of_run])
def test_nothing_else_is_written_over(tmp_path, to):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(tg.TermgaugeError, match=r"holds other things, such as 'notes\.txt'"):
        tg.export(labelled(many()), to, tmp_path, force=True)
    tg.export(labelled(many()), to, tmp_path / "out")
    with pytest.raises(tg.TermgaugeError, match="holds an export already"):
        tg.export(labelled(many()), to, tmp_path / "out")
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    tg.export(labelled(many()), to, tmp_path / "out", force=True)
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}


def test_integrations_are_found_by_their_names():
    assert "from_mteb" in dir(tg.integrations)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = tg.integrations.nothing
