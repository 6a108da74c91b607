"""What inclusion terms are: synonyms, but not under classes that speak of others."""

from __future__ import annotations

import pytest

from termgauge.terminology.formats.documents import kind_of_inclusion


@pytest.mark.parametrize(
    ("title", "kind"),
    {
        "Cholera": "synonym",
        "Acute myocardial infarction, unspecified": "synonym",
        "Disorders of the mother": "synonym",
        "Other specified sepsis": "narrow",
        "Pneumonia, not elsewhere classified": "narrow",
        "Sonstige Sepsis": "narrow",
        "Autres septicémies": "narrow",
        "Otras sepsis": "narrow",
        "": "synonym",
    }.items(),
)
def test_titles_that_speak_of_others(title, kind):
    assert kind_of_inclusion(title) == kind
