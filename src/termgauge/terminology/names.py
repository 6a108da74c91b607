"""What a fully specified name says: the name itself, and the semantic tag in brackets at its end."""

from __future__ import annotations


def split_name(name: str) -> tuple[str, str | None]:
    """Return a fully specified name without its semantic tag, and the tag if it has one.

    Brackets that belong to the name stay: those after `` or`` or ``&``, and those that start with ``&``.

    >>> split_name("Myocardial infarction (disorder)")
    ('Myocardial infarction', 'disorder')
    >>> split_name("Removal of (stent) or (drain)")
    ('Removal of (stent) or (drain)', None)
    >>> split_name("Fever")
    ('Fever', None)
    """
    start = name.rfind(" (")
    if start < 0 or not name.endswith(")"):
        return name, None
    before, inside = name[:start], name[start + 2 : -1]
    if before.endswith((" or", "&")) or inside.startswith("&"):
        return name, None
    return before, inside
