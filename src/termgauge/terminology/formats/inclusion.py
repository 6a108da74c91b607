"""What a classification's inclusion terms are to the class that includes them.

ICD's guidelines say: an inclusion term may be a synonym of the title; under a residual class ("other specified …") it
is one of the conditions that are counted there. So it is a synonym, unless the title speaks of others.
"""

from __future__ import annotations

import re

from termgauge.terminology.model import SYNONYM

_OTHERS = re.compile(
    r"\b(?:others?|elsewhere|sonstige[rns]?|andere[rns]?|anderweitig|autres?|ailleurs|otr[oa]s?|altr[oiea]|outr[oa]s?|"
    r"overige|ander|annan|andra)\b",
    re.IGNORECASE,
)


def kind_of_inclusion(title: str) -> str:
    """Return what a term is that is listed as included in the class with this title.

    >>> kind_of_inclusion("Acute myocardial infarction, unspecified"), kind_of_inclusion("Other specified sepsis")
    ('synonym', 'narrow')
    """
    return "narrow" if _OTHERS.search(title) else SYNONYM
