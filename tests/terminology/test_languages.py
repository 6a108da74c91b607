"""Tags of languages."""

from __future__ import annotations

import pytest

from termgauge.terminology.languages import UMLS_CODES, code_of, is_in, tags_in


@pytest.mark.parametrize(
    ("tag", "language", "same"),
    [
        ("en", "en", True),
        ("en-US", "en", True),
        ("EN_us", "en", True),
        ("en", "en-US", False),
        ("ENG", "en", True),
        ("en", "ENG", True),
        ("spa", "es", True),
        ("es-AR", "SPA", True),
        ("est", "es", False),
        ("de-CH", "de-ch", True),
    ],
)
def test_tags_are_compared_by_their_beginning(tag, language, same):
    assert is_in(tag, language) is same


def test_every_code_of_the_umls_is_a_language_of_its_own():
    assert len(set(UMLS_CODES.values())) == len(UMLS_CODES)
    assert all(code_of(code) == short for code, short in UMLS_CODES.items())


def test_no_tag_is_in_no_language():
    assert tags_in(["en", None, "en-GB", "fr"], "en") == ["en", "en-GB"]
