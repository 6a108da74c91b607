"""Part-of-speech tag sets: which tags are nouns and verbs, and which set the tags of a corpus belong to.

Sets are told apart by exclusion, while the corpus is read: of those that are known, the first that has every tag of the
corpus is the one. A tag that no set has ends the reading where it stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from termgauge.corpus.tables import CLASSES, NOUN, VERB, rows_of_user
from termgauge.exceptions import TermgaugeError
from termgauge.io.paths import expanded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from termgauge.corpus.options import WordOptions

OTHER, AUXILIARY = "other", "auxiliary"
PROPER = frozenset({"NNP", "NNPS", "PROPN", "NP0"})
"""Tags of proper nouns: their words are written with the capitals that they have in the text."""
_PENN_OTHER = (
    "CC CD DT EX FW IN JJ JJR JJS LS PDT POS PRP PRP$ RB RBR RBS RP SYM TO UH WDT WP WP$ WRB ADD AFX GW HYPH NFP XX "
    "# $ . , : ( ) [ ] { } \" ' '' ` `` -LRB -RRB -LSB -RSB -LCB -RCB LRB RRB *"
)
_UPOS_OTHER = "ADJ ADP ADV CCONJ DET INTJ NUM PART PRON PUNCT SCONJ SYM X"
_C5_OTHER = (
    "AJ0 AJC AJS AT0 AV0 AVP AVQ CJC CJS CJT CRD DPS DT0 DTQ EX0 ITJ ORD PNI PNP PNQ PNX POS PRF PRP PUL PUN PUQ PUR "
    "TO0 UNC XX0 ZZ0"
)


class TagSet(NamedTuple):
    """Tags, and the class of each: noun, verb, auxiliary or other."""

    name: str
    classes: Mapping[str, str]
    any_case: bool = False
    """Whether `nn` is the same tag as `NN`."""

    def class_of(self, tag: str) -> str | None:
        """Return the class of a tag as it stands in a file; None if the set does not have it."""
        plain = cut(tag)
        return self.classes.get(plain.upper() if self.any_case else plain)


def _tag_set(name: str, noun: str, verb: str, auxiliary: str, other: str, *, any_case: bool = False) -> TagSet:
    groups = {NOUN: noun, VERB: verb, AUXILIARY: auxiliary, OTHER: other}
    return TagSet(name, {tag: kind for kind, tags in groups.items() for tag in tags.split()}, any_case)


PENN = _tag_set("penn", "NN NNS NNP NNPS", "VB VBD VBG VBN VBP VBZ", "MD", _PENN_OTHER, any_case=True)
UPOS = _tag_set("upos", "NOUN PROPN", "VERB", "AUX", _UPOS_OTHER)
C5 = _tag_set(
    "c5",
    "NN0 NN1 NN2 NP0",
    "VVB VVD VVG VVI VVN VVZ",
    f"{' '.join(f'V{verb}{form}' for verb in 'BDH' for form in 'BDGINZ')} VM0",
    _C5_OTHER,
)
TAG_SETS = {tag_set.name: tag_set for tag_set in (PENN, UPOS, C5)}


def cut(tag: str) -> str:
    """Return a tag without what follows the first `-` or `|` after its first character."""
    ends = [at for sign in "-|" if (at := tag.find(sign, 1)) > 0]
    return tag[: min(ends)] if ends else tag


def read_tag_table(path: Path) -> TagSet:
    """Read a user's table of tags, `tag TAB noun|verb|other`; a tag may also be an `auxiliary`."""
    kinds = (NOUN, VERB, AUXILIARY, OTHER)
    demand = "is not one of noun, verb, auxiliary and other"
    rows = rows_of_user(path, "tag TAB noun|verb|other", "class", lambda kind: kind.lower() in kinds, demand)
    return TagSet(str(path), {cut(tag): kind.lower() for tag, kind, *_more in rows})


def fitting(tags: Iterable[str], sets: Iterable[TagSet]) -> list[TagSet]:
    """Return the sets that know every one of some tags, in their order."""
    seen = set(tags)
    return [tag_set for tag_set in sets if all(tag_set.class_of(tag) is not None for tag in seen)]


def refuse(tags: Mapping[str, str], sets: Sequence[TagSet]) -> TermgaugeError:
    """Say that no set knows some tags: which are unknown to the set that comes closest, and where they stand.

    Each tag comes with the place where it stands first, such as `corpus.tsv, line 12`.
    """
    closest = min(sets, key=lambda tag_set: sum(tag_set.class_of(tag) is None for tag in tags))
    (first, location), *more = [(tag, position) for tag, position in tags.items() if closest.class_of(tag) is None]
    others = ", ".join(f"'{tag}' ({position})" for tag, position in more[:5])
    also = f"; {closest.name} also lacks {others}{' and more' if len(more) > 5 else ''}" if more else ""
    return TermgaugeError(
        f"{location}: the tag '{first}' is not in the tag set {' or '.join(tag_set.name for tag_set in sets)}{also}; "
        "correct the file, or name a table tag TAB noun|verb|other with --tag-table."
    )


class TagSetDetector:
    """The sets that know every tag so far, for tags of tagged text and for those of CoNLL-U's column UPOS."""

    def __init__(self, options: WordOptions) -> None:
        """Begin with all sets, or with the one that the user named or wrote."""
        self._options = options
        if options.tag_table is not None:
            tag_set = read_tag_table(expanded(options.tag_table))
            self._all: dict[bool, list[TagSet]] = {False: [tag_set], True: [tag_set]}
        elif options.tagset is not None:
            self._all = {False: [TAG_SETS[options.tagset]], True: [UPOS]}
        else:
            self._all = {False: [PENN, UPOS, C5], True: [UPOS, PENN, C5]}
        self._fitting = dict(self._all)
        self._seen: dict[tuple[str, bool], int] = {}

    def wanted(self, tokens: pl.DataFrame, places: Callable[[Sequence[int]], list[str]]) -> pl.Series:
        """Take note of the tags of distinct tokens that are new; return which of the tokens may become words.

        `places` says where some of the tokens stand first.
        """
        first = tokens.group_by("tag", "from_upos").agg(pl.col("entry").min()).sort("entry")
        for tag, from_upos, entry in first.iter_rows():
            self._seen.setdefault((tag, from_upos), entry)
        words: set[str] = set()
        for from_upos, sets in self._all.items():
            tags = [tag for tag, of_upos in self._seen if of_upos == from_upos]
            self._fitting[from_upos] = fits = fitting(tags, sets)
            if not fits:
                locations = places([self._seen[tag, from_upos] for tag in tags])
                raise refuse(dict(zip(tags, locations, strict=True)), sets)
            words.update(tag for tag in tags if any(tag_set.class_of(tag) in CLASSES for tag_set in fits))
        return tokens.select(pl.col("tag").is_in(sorted(words)) & self._options.not_noise(pl.col("form"))).to_series()

    def class_of(self, tag: str, from_upos: bool) -> str:
        """Return the class of a tag that was seen."""
        return self._fitting[from_upos][0].class_of(tag) or OTHER

    @property
    def name(self) -> str:
        """The name of the tag set of the corpus."""
        used = {from_upos: None for _tag, from_upos in self._seen}
        return " and ".join(dict.fromkeys(self._fitting[key][0].name for key in used)) or "none"
