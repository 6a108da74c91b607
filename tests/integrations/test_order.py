"""What an export says of what it wrote."""

from __future__ import annotations

from pathlib import Path

from termgauge.integrations.export import TARGETS, Exported, ExportOptions


def test_what_was_written_is_said():
    made = Exported("hf", Path("out"), {"a": 2, "b": 1_000}, notes=("A note.",))
    assert repr(made) == "<export 'out' (hf): 1,002 pairs in 2 parts>"
    assert made.as_dict()["contents"] == {"a": 2, "b": 1000}
    assert made.to_frame().rows() == [("a", 2), ("b", 1000)]


def test_every_form_has_a_module_and_every_option_a_form():
    assert all(callable(target.write) for target in TARGETS.values())
    assert set().union(*(target.options for target in TARGETS.values())) == set(ExportOptions.model_fields)
