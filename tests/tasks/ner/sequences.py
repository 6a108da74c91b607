"""Sequences of tags for tests, valid or not, and the plain definitions that fast code must equal."""

from __future__ import annotations

import itertools

from hypothesis import strategies as st

TYPES = ("Disease", "cell-line", "RNA")
"""One of them has a dash."""


def tags_of(letters):
    """Return a strategy of tags with given letters."""
    return st.one_of(st.just("O"), st.builds("{}-{}".format, st.sampled_from(letters), st.sampled_from(TYPES)))


def sentences_of(letters, most=6):
    """Return a strategy of sentences: lists of tags, in any order."""
    return st.lists(st.lists(tags_of(letters), min_size=1, max_size=12), min_size=1, max_size=most)


def doubled(letters):
    """Return a strategy of sentences with two tags for each token, which agree often enough to be right sometimes."""
    both = st.tuples(tags_of(letters), tags_of(letters), st.booleans()).map(
        lambda drawn: (drawn[0], drawn[0] if drawn[2] else drawn[1])
    )
    return st.lists(st.lists(both, min_size=1, max_size=10), min_size=1, max_size=6)


def split(tag):
    """Return the letter and the type of a tag."""
    letter, _, name = tag.partition("-")
    return letter, name


def entities(sentence):
    """Return the entities of a sentence as (type, first, last), by the rules of section 11.6 word for word."""
    found, begin = [], None
    padded = [("O", ""), *map(split, sentence), ("O", "")]
    for at, ((p, p_type), (q, q_type)) in enumerate(itertools.pairwise(padded)):
        ends = p in "ES" or (p in "BI" and q in "BSO") or (p != "O" and p_type != q_type)
        starts = q in "BS" or (p in "ESO" and q in "EI") or (q != "O" and p_type != q_type)
        if ends:
            found.append((p_type, begin, at - 1))
        if starts:
            begin = at
    return found


def iobes_of_iob(sentence):
    """Return IOB as IOBES, by the rule of section 11.2 word for word."""
    found = []
    for at, tag in enumerate(sentence):
        letter, name = split(tag)
        before = sentence[at - 1] if at else "O"
        after = sentence[at + 1] if at + 1 < len(sentence) else "O"
        before, after = (split(each)[0] if split(each)[1] == name else "O" for each in (before, after))
        begins = letter == "B" or (letter == "I" and before == "O")
        ends = after != "I"
        if letter == "O":
            found.append("O")
        else:
            found.append(f"{'S' if begins and ends else 'B' if begins else 'E' if ends else 'I'}-{name}")
    return found
