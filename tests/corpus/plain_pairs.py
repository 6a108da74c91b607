"""The drawing of pairs once more, as slowly and plainly as it is defined: Python sets over made data, no arrays.

`Made` is what a test makes: words, terms of an ontology, a lexicon, norms. It can be written as the files that the
package reads, and `plain_pairs` draws from it without them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from random import Random


@dataclass
class Term:
    id: str
    name: str
    synonyms: list[tuple[str, str]] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    part_of: list[str] = field(default_factory=list)
    obsolete: bool = False


@dataclass
class Made:
    words: dict[tuple[str, str], str]
    """Domain by word and class."""
    terms: list[Term] = field(default_factory=list)
    nominalisations: list[tuple[str, str]] = field(default_factory=list)
    """Verb and noun."""
    spellings: list[tuple[str, str]] = field(default_factory=list)
    synonyms: list[tuple[str, str, str]] = field(default_factory=list)
    """Two words and their class."""
    norms: list[tuple[str, str, int, int, float, float]] = field(default_factory=list)

    def write(self, folder):
        """Write the files; return the table of words and the resources."""
        rows = [f"{word}\t{word_class}\t{domain}\n" for (word, word_class), domain in self.words.items()]
        (folder / "words.tsv").write_text("word\tclass\tdomain\n" + "".join(rows))
        (folder / "onto.obo").write_text("format-version: 1.2\nontology: onto\n" + "".join(map(_stanza, self.terms)))
        bases = [
            f"{{base={a}\nspelling_variant={b}\nentry=E1\n\tcat=noun\n\tvariants=reg\n}}\n" for a, b in self.spellings
        ]
        verbs = [
            f"{{base={v}\nentry=E2\n\tcat=verb\n\tnominalization={n}|noun|E3\n}}\n" for v, n in self.nominalisations
        ]
        nouns = [
            f"{{base={n}\nentry=E3\n\tcat=noun\n\tnominalization_of={v}|verb|E2\n}}\n" for v, n in self.nominalisations
        ]
        (folder / "LEXICON").write_text("{base=zzz\nentry=E0\n\tcat=noun\n}\n" + "".join(bases + verbs + nouns))
        table = "".join(f"{a}\t{c}\t{b}\t{c}\n" for a, b, c in self.synonyms)
        (folder / "synonyms.tsv").write_text("word1\tclass\tword2\tclass\nzzz\tnoun\tzzzz\tnoun\n" + table)
        header = "CUE, TARGET, NORMED?, #G, #P, FSG, BSG, MSG\n"
        lines = "".join(
            f"{cue.upper()}, {target.upper()}, YES, {g}, {p}, {f'{fsg:.3f}'.lstrip('0')}, {bsg:.3f}, \xa5\n"
            for cue, target, g, p, fsg, bsg in self.norms
        )
        first = "ZZZ, ZZZZ, YES, 150, 9, .100, .000, \xa5\n"
        text = f"<HTML>\n<BODY>\n<pre>\n{header}{first}{lines}</pre>\n</BODY>\n</HTML>\n"
        (folder / "norms").write_bytes(text.encode("latin-1"))
        return folder / "words.tsv", [folder / name for name in ("onto.obo", "LEXICON", "synonyms.tsv", "norms")]


def _stanza(term):
    lines = [f"id: {term.id}", f"name: {term.name}"]
    lines += [f'synonym: "{text}" {scope} []' for text, scope in term.synonyms]
    lines += [f"is_a: {parent} ! a parent" for parent in term.parents]
    lines += [f"relationship: part_of {whole}" for whole in term.part_of]
    lines += ["is_obsolete: true"] if term.obsolete else []
    return "\n[Term]\n" + "\n".join(lines) + "\n"


def plain_candidates(made, word_class, domain="biomedical"):
    """Return the related pairs of a pool, each with its relation."""
    pool = {word for (word, own), its in made.words.items() if (own, its) == (word_class, domain)}
    live = {term.id: term for term in made.terms if not term.obsolete}
    names = {}
    for term in live.values():
        written = {term.name.lower(), *(text.lower() for text, scope in term.synonyms if scope == "EXACT")}
        verbs = {verb for verb, noun in made.nominalisations if word_class == "verb" and noun in written}
        nouns = {noun for verb, noun in made.nominalisations if word_class == "noun" and verb in written}
        names[term.id] = written | verbs | nouns
    found = {}
    for one, other in combinations(live.values(), 2):
        if set(one.parents) & set(other.parents) & set(live):
            for a in names[one.id]:
                for b in names[other.id]:
                    found[frozenset((a, b))] = "sibling"
    for term in live:
        for pair in combinations(names[term], 2):
            found[frozenset(pair)] = "synonym"
    for a, b, own in made.synonyms:
        if own == word_class:
            found[frozenset((a, b))] = "synonym"
    never = {frozenset(pair) for pair in made.spellings}
    return {tuple(sorted(pair)): relation for pair, relation in found.items()
            if len(pair) == 2 and pair <= pool and pair not in never}  # fmt: skip


def plain_pairs(made, word_class, k, seed, accepted=None):
    """Draw the four quarters of one class: pairs with their quarters, in the order of the table."""
    pools = {
        domain: sorted(word for (word, own), its in made.words.items() if (own, its) == (word_class, domain))
        for domain in ("biomedical", "general")
    }
    never = {tuple(sorted(pair)) for pair in made.spellings}
    listed = {tuple(sorted((cue, target))) for cue, target, *_ in made.norms}
    candidates = sorted(plain_candidates(made, word_class))
    rng = Random(seed)
    taken = [pair for pair in candidates if accepted is None or pair in accepted]
    first = rng.sample(taken, k) if len(taken) > k else taken
    second = _unassociated(rng, pools["biomedical"], k, {*candidates, *listed, *never})
    strong = {
        tuple(sorted((cue, target)))
        for cue, target, g, _p, fsg, bsg in made.norms
        if cue != target and {cue, target} <= set(pools["general"]) and g > 10 and fsg > 0 and bsg > 0
    }
    strong = sorted(strong - never)
    third = rng.sample(strong, k) if len(strong) > k else strong
    fourth = _unassociated(rng, pools["general"], k, listed | never)
    quarters = ("biomedical-associated", "biomedical-unassociated", "general-associated", "general-unassociated")
    pairs = [
        (*pair, quarter) for quarter, own in zip(quarters, (first, second, third, fourth), strict=True) for pair in own
    ]
    rng.shuffle(pairs)
    return pairs


def _unassociated(rng, pool, k, closed):
    found = []
    if len(pool) < 2:
        return found
    for _ in range(1000 * k):
        if len(found) == k:
            break
        x, y = rng.sample(pool, 2)
        pair = (min(x, y), max(x, y))
        if pair not in closed and pair not in found:
            found.append(pair)
    return found


def random_made(seed, words=14, terms=16):
    """Make some words and resources that know them; small, so that pools run out and pairs meet."""
    rng = Random(seed)
    known = [f"{a}{b}{c}" for a in "bdf" for b in "aeo" for c in "lmn"][: 2 * words]
    domain = lambda: rng.choice(("biomedical", "biomedical", "general", "general", "both", ""))  # noqa: E731
    nouns, verbs = known[:words], known[words // 2 : words // 2 + words]
    table = {(word, "noun"): domain() for word in nouns} | {(word, "verb"): domain() for word in verbs}
    ids = [f"T:{at}" for at in range(terms)]
    some = lambda of, most: rng.sample(of, rng.randint(0, most))  # noqa: E731
    made = [
        Term(
            each, rng.choice([*known, "two words"]),
            [(word, rng.choice(("EXACT", "EXACT", "RELATED", "NARROW"))) for word in some(known, 2)],
            some(ids[: terms // 3], 2), some(ids, 1), rng.random() < 0.15,
        ) for each in ids
    ]  # fmt: skip
    pair = lambda of: tuple(rng.sample(of, 2))  # noqa: E731
    norms = [
        (*pair(known), rng.choice((8, 150)), rng.choice((1, 20)), rng.choice((0.0, 0.2)), rng.choice((0.0, 0.015)))
        for _ in range(40)
    ]
    return Made(
        table, made,
        [(rng.choice(verbs), rng.choice(nouns)) for _ in range(4)],
        [pair(nouns) for _ in range(2)],
        [(*pair(nouns), "noun") for _ in range(3)] + [(*pair(verbs), "verb") for _ in range(3)],
        norms,
    )  # fmt: skip


def by_relation(pool, pairs):
    """Return pairs of a pool as their words, by relation."""
    relations = {}
    for relation, pair in pairs.select("relation", "pair").iter_rows():
        relations.setdefault(relation, set()).add(pool.pair(pair))
    return relations
