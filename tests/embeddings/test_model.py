from __future__ import annotations

from dataclasses import fields, replace
from typing import get_args

import pytest

from termgauge.embeddings.model import Kind, ModelIdentity

ONE = ModelIdentity("words", "glove", "ab12", (("dim", "3"),), "split=words", (("torch", "2"),))
OTHER = ModelIdentity("terms", "onnx", "ab13", (("dim", "4"),), "split=space", (("torch", "3"),))


@pytest.mark.parametrize("field", [field.name for field in fields(ModelIdentity)])
def test_whatever_differs_makes_another_key(field):
    changed = replace(ONE, **{field: getattr(OTHER, field)})
    assert changed.key != ONE.key
    assert replace(changed, **{field: getattr(ONE, field)}).key == ONE.key


def test_an_identity_as_json_says_all_of_it():
    shown = ONE.as_dict()
    assert set(shown) == {"key", *(field.name for field in fields(ModelIdentity))}
    assert shown["options"] == {"dim": "3"}
    assert shown["key"] == ONE.key


def test_kinds_are_those_of_the_documentation():
    assert get_args(Kind) == ("words", "terms", "concepts", "pairs")
