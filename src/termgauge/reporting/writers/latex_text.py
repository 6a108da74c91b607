r"""Text for LaTeX: whatever stands in a term or a name is shown as it is, by any engine, from pure ASCII.

Characters that LaTeX takes for commands are escaped, accents and Greek letters are spelled out, and what no standard
font has goes through the command ``\termgaugechar``, which prints its code point where it cannot print it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from termgauge.reporting.marks import spans

FALLBACK = r'\providecommand{\termgaugechar}[1]{\ifdefined\Umathchar\symbol{"#1}\else\texttt{U+#1}\fi}'
"""The command's definition, which stands at the head of every file, so that each can be used alone."""

_PLAIN = {
    "\\": r"\textbackslash{}",
    **{sign: rf"\{sign}" for sign in "{}$&#%_"},
    **{sign: f"{{{sign}}}" for sign in "[]*"},
    **{sign: f"${sign}$" for sign in "<>|"},
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    '"': r"\textquotedblright{}",
    "`": r"\textasciigrave{}",
    "\N{ZERO WIDTH SPACE}": r"\allowbreak{}",
    "\N{WORD JOINER}": "{}",
    "\N{NO-BREAK SPACE}": "~",
    "\N{NARROW NO-BREAK SPACE}": r"\,",
    "\N{THIN SPACE}": r"\,",
    "\N{HYPHEN}": "-",
    "\N{NON-BREAKING HYPHEN}": "-",
    "\N{EN DASH}": "--",
    "\N{EM DASH}": "---",
    "\N{MINUS SIGN}": "$-$",
    "\N{LEFT SINGLE QUOTATION MARK}": "`",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{LEFT DOUBLE QUOTATION MARK}": "``",
    "\N{RIGHT DOUBLE QUOTATION MARK}": "''",
    "\N{HORIZONTAL ELLIPSIS}": r"\ldots{}",
    "\N{BULLET}": r"\textbullet{}",
    "\N{DEGREE SIGN}": r"$^{\circ}$",
    "\N{SECTION SIGN}": r"\S{}",
    "\N{COPYRIGHT SIGN}": r"\copyright{}",
    "\N{REGISTERED SIGN}": r"\textregistered{}",
    "\N{TRADE MARK SIGN}": r"\texttrademark{}",
}
_SIGN_NAMES = "cdot times pm approx leq geq neq infty rightarrow leftarrow mu surd"
_SIGNS = zip("·×±≈≤≥≠∞→←\N{MICRO SIGN}✓", _SIGN_NAMES.split(), strict=True)
_LETTERS = zip("ßæÆœŒøØłŁı", ("ss", "ae", "AE", "oe", "OE", "o", "O", "l", "L", "i"), strict=True)
_PLAIN |= {sign: rf"$\{name}$" for sign, name in _SIGNS} | {letter: rf"\{name}{{}}" for letter, name in _LETTERS}
_MARKS = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0323\u0327\u0331"
"""Combining marks, of which each accent below is the command."""
_ACCENTS = dict(zip(_MARKS, "`'^~=u.\"rHvdcb", strict=True))
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", "0123456789+-=()ni", strict=True))
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", "0123456789+-=()", strict=True))
_PLAIN |= dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧο", "ABEZHIKMNOPTXo", strict=True)) | {"ς": r"$\varsigma$"}
_GREEK = re.compile(
    "GREEK (?:SMALL LETTER (ALPHA|BETA|GAMMA|DELTA|EPSILON|ZETA|ETA|THETA|IOTA|KAPPA|LAMDA|MU|NU|XI|PI|RHO|SIGMA|TAU|"
    "UPSILON|PHI|CHI|PSI|OMEGA)|CAPITAL LETTER (GAMMA|DELTA|THETA|LAMDA|XI|PI|SIGMA|UPSILON|PHI|PSI|OMEGA))"
)
_PIECES = re.compile(f"[{''.join(_RAISED)}]+|[{''.join(_LOWERED)}]+|.", re.DOTALL)
_LONG_RUN = re.compile(r"\S{20,}")
_BETWEEN_BREAKS = re.compile(r"[^/_.:=?&-]{12}(?=[^/_.:=?&-]{8})|[^/_.:=?&-]*[/_.:=?&-]+|\S+")
_LIGATURE = re.compile(r"([-'`,?!<>])(?=[-'`,<>])")


def escaped(text: str) -> str:
    r"""Return plain text so that LaTeX shows it as it is, in one line.

    Examples
    --------
    >>> print(escaped("50% of β-cells & Sjögren_x"))
    50\% of $\beta$-cells \& Sj\"{o}gren\_x
    >>> print(escaped("x⁺³⁻¹ [a]"))
    x$^{+3-1}$ {[}a{]}
    """
    separated = _LIGATURE.sub("\\1\N{WORD JOINER}", " ".join(text.split()))  # so that two dashes stay two dashes
    return "".join(map(_piece, _PIECES.findall(unicodedata.normalize("NFC", separated))))


def breakable(text: str) -> str:
    """Return a text in which long runs without a space may be broken: paths where they have signs, hashes anywhere."""
    return _LONG_RUN.sub(lambda run: "\N{ZERO WIDTH SPACE}".join(_BETWEEN_BREAKS.findall(run[0])), text)


def marked(text: str) -> str:
    """Return a marked text, its bold and code parts as LaTeX commands."""
    commands = {"bold": r"\textbf", "code": r"\texttt", "plain": ""}
    parts = []
    for style, piece in spans(" ".join(text.split())):
        before, after = (" " if piece[:1] == " " else "", " " if piece[-1:] == " " and piece.strip() else "")
        inner = escaped(piece)
        parts.append(f"{before}{commands[style]}{{{inner}}}{after}" if style != "plain" else before + inner + after)
    return "".join(parts).strip()


def _piece(piece: str) -> str:
    """Return one character, or a run of raised or lowered ones."""
    if piece[0] in _RAISED:
        return f"$^{{{''.join(_RAISED[each] for each in piece)}}}$"
    if piece[0] in _LOWERED:
        return f"$_{{{''.join(_LOWERED[each] for each in piece)}}}$"
    return _character(piece)


@cache
def _character(letter: str) -> str:
    if letter in _PLAIN:
        return _PLAIN[letter]
    if " " <= letter <= "~":
        return letter
    category = unicodedata.category(letter)
    if category in ("Cc", "Cf", "Cs"):  # control characters, direction marks, halves of characters: nothing to see
        return ""
    if category == "Zs":
        return " "
    return _accented(letter) or _greek(letter) or rf"\termgaugechar{{{ord(letter):04X}}}"


def _accented(letter: str) -> str:
    """Return a Latin letter with one accent as a command; nothing for others."""
    parts = unicodedata.normalize("NFD", letter)
    if len(parts) != 2 or not parts[0].isascii() or not parts[0].isalpha() or parts[1] not in _ACCENTS:
        return ""
    base = rf"\{parts[0]}" if parts[0] in "ij" and parts[1] not in "\u0323\u0327\u0331" else parts[0]
    return rf"\{_ACCENTS[parts[1]]}{{{base}}}"


def _greek(letter: str) -> str:
    if (named := _GREEK.fullmatch(unicodedata.name(letter, ""))) is None:
        return ""
    small, capital = ((name or "").replace("LAMDA", "LAMBDA") for name in named.groups())
    return rf"$\{small.lower() or capital.capitalize()}$"
