"""Words of scripts that are written without spaces: Chinese, Japanese, Thai, Lao, Khmer and Burmese.

Where nothing separates words, the longest word that a vocabulary has is taken from the left, again and again, and a
single character, with its marks, where it has none. That needs no dictionary beside the model, and it is not what a
segmenter of the language does: it may cut at other places than a reader would.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

LONGEST_WORD = 20
"""Characters of a word that is looked for."""
_SCRIPTS = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\ua9e0-\ua9ff\uaa60-\uaa7f"  # Thai, Lao, Burmese, Khmer
    r"\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Japanese
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese characters
)
_RUN = re.compile(f"[{_SCRIPTS}]+")
_PART = re.compile(f"[{_SCRIPTS}]+|[^{_SCRIPTS}]+")


def is_unspaced(text: str) -> bool:
    """Tell whether a text has characters of such a script.

    >>> is_unspaced("心臓"), is_unspaced("Herz")
    (True, False)
    """
    return not text.isascii() and _RUN.search(text) is not None


def cut_words(words: Iterable[str], known: Callable[[set[str]], set[str]]) -> dict[str, list[str]]:
    """Cut words of such scripts, each into the longest words that are `known` of those it is asked for.

    >>> cut_words(["心筋梗塞"], lambda words: words & {"心筋", "梗塞", "心"})
    {'心筋梗塞': ['心筋', '梗塞']}
    """
    units = {
        word: [_characters(part) if _RUN.match(part) else [part] for part in _PART.findall(word)] for word in words
    }
    there = known({run for parts in units.values() for part in parts for run in _runs(part)})
    return {word: [each for part in parts for each in _longest(part, there)] for word, parts in units.items()}


def _characters(text: str) -> list[str]:
    """Return the characters of a text, each with the marks that belong to it."""
    characters: list[str] = []
    for character in text:
        if characters and unicodedata.category(character)[0] == "M":
            characters[-1] += character
        else:
            characters.append(character)
    return characters


def _runs(characters: list[str]) -> Iterator[str]:
    for start in range(len(characters)):
        for stop in range(start + 2, min(len(characters), start + LONGEST_WORD) + 1):
            yield "".join(characters[start:stop])


def _longest(characters: list[str], known: set[str]) -> Iterator[str]:
    start = 0
    while start < len(characters):
        stop = min(len(characters), start + LONGEST_WORD)
        while stop > start + 1 and "".join(characters[start:stop]) not in known:
            stop -= 1
        yield "".join(characters[start:stop])
        start = stop
