"""The protocol for words from a corpus, read again in plain Python: one token after another, and nothing is clever."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import pairwise
from math import log2

from lemminflect import getLemma

SETS = {
    "penn": (("NN", "NNS", "NNP", "NNPS"), ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ")),
    "upos": (("NOUN", "PROPN"), ("VERB",)),
}
PATTERNS = [
    (r"(ph|an|h|gyn|arch|chim)ae", r"\1e"),
    (r"haem(at)?o", r"hem\1o"),
    (r"aemia$", "emia"),
    (r"leukaem", "leukem"),
    (r"programme(s?)$", r"program\1"),
    (r"^([a-z]{3,})our(s?)$", r"\1or\2"),
]
KEPT = [
    "abatjour",
    "beflour",
    "bonjour",
    "calambour",
    "carrefour",
    "cornflour",
    "contour",
    "detour",
    "devour",
    "dortour",
    "dyvour",
    "downpour",
    "giaour",
    "glamour",
    "holour",
    "inpour",
    "outpour",
    "pandour",
    "paramour",
    "pompadour",
    "recontour",
    "repour",
    "ryeflour",
    "sompnour",
    "tambour",
    "troubadour",
    "tregetour",
    "velour",
]


def read(text, layout):
    """Yield (form, tag, lemma or None, document, journal) of each token."""
    documents, begun, journal = -1, False, {}
    tokens = []
    for line in text.replace("\r\n", "\n").split("\n"):
        if not line.strip():
            continue
        if line.startswith("#") and (layout == "conllu" or "\t" not in line):
            if re.match(r"# newdoc( |$)", line):
                documents += 1
                begun = True
                tokens.append(None)
            elif (said := re.match(r"# (\w+) = (.*)", line)) and said[1] == "journal":
                at = documents if begun else documents + 1
                if not any(token and token[3] == at for token in tokens):
                    journal[at] = said[2]
            continue
        fields = line.split("\t")
        if layout == "conllu":
            if not fields[0].isdecimal():
                continue
            form, lemma, tag = fields[1], fields[2], fields[4] if fields[4] != "_" else fields[3]
        else:
            form, tag, lemma = [*fields, ""][:3]
        if not begun:
            begun = True
            documents += 1
        tokens.append((form, tag, None if lemma in ("", "_") else lemma, documents))
    count = documents + 1
    return [(*token, journal.get(token[3])) for token in tokens if token], count


def american(word, listed, there, rule):
    if rule == "none" or len(word) < 4:
        return word
    if word in listed:
        return listed[word]
    if len(word) < 6:
        return word
    for at, (pattern, new) in enumerate(PATTERNS):
        if re.search(pattern, word) and not (at == 5 and any(kept in word for kept in KEPT)):
            made = re.sub(pattern, new, word)
            return made if rule == "biolemmatizer" or made in there else word
    return word


def cased(form, word):
    if len(form) > 1 and form.isupper():
        return word.upper()
    same = 0
    for ours, theirs in zip(form, word, strict=False):
        if ours.lower() != theirs:
            break
        same += 1
    return form[:same] + word[same:]


def plain_words(
    text, layout="plain", *, tags="penn", listed=None, rule="checked", min_count=5, hyphens=False, digits=False,
    min_length=3, general=None,
):  # fmt: skip
    """Return the rows of the table, the figures of each class, and the numbers of tokens and documents."""
    nouns, verbs = SETS[tags]
    tokens, documents = read(text, layout)
    there = {form.lower() for form, *_ in tokens}
    kept, forms = [], defaultdict(set)
    stages = {kind: [set() for _ in range(4)] for kind in ("noun", "verb")}
    for form, whole, lemma, document, journal in tokens:
        short = re.split(r"[-|]", whole)[0]
        tag = short.upper() if tags == "penn" else short
        kind = "noun" if tag in nouns else "verb" if tag in verbs else None
        if kind is None:
            continue
        forms[kind].add(form)
        stage = stages[kind]
        stage[0].add(form)
        if re.search(r"\s|_", form):
            continue
        stage[1].add(form)
        if lemma is None:
            found = getLemma(form.lower(), upos={"noun": "NOUN", "verb": "VERB"}[kind])
            base = (found[0] if found else form.lower()).lower()
        else:
            base = lemma.lower()
        if kind == "verb" and base in ("be", "have", "do"):
            continue
        stage[2].add(form)
        letter = "[A-Za-z0-9]" if digits else "[A-Za-z]"
        if not re.fullmatch(f"{letter}+(?:-{letter}+)*" if hyphens else f"{letter}+", form):
            continue
        if digits and len(re.findall("[A-Za-z]", form)) < 2:
            continue
        if len(form.replace("-", "")) < min_length:
            continue
        stage[3].add(form)
        key = american(base, listed or {}, there, rule)
        proper = tag in ("NNP", "NNPS", "PROPN", "NP0")
        kept.append((kind, key, cased(lemma or form, key) if proper else key, base, document, journal))
    rows, classes = [], {}
    for kind in ("noun", "verb"):
        own = [each for each in kept if each[0] == kind]
        counts = Counter(key for _, key, *_ in own)
        words = [key for key in counts if counts[key] >= min_count]
        for key in sorted(words, key=lambda each: (-counts[each], each)):
            ways = Counter(written for _, other, written, *_ in own if other == key)
            written = min(ways, key=lambda way: (-ways[way], way))
            where = {document for _, other, _, _, document, _ in own if other == key}
            journals = {journal for _, other, *_, journal in own if other == key and journal}
            ratio = None
            if general:
                count, total = general.get(key, 0), sum(general.values())
                ratio = log2(((counts[key] + 0.5) / len(tokens)) / ((count + 0.5) / total))
            rows.append((written, kind, counts[key], len(where), len(journals), ratio))
        bases = {base for *_, base, _, _ in own}
        steps = [len(forms[kind]), *(len(stage) for stage in stages[kind][1:]), len(bases), len(counts), len(words)]
        removed = [before - after for before, after in pairwise(steps)]
        names = ("multi_word", "auxiliaries", "noise", "lemmas", "spelling", "min_count")
        classes[kind] = {
            "forms": len(forms[kind]), "words": len(words), "steps": dict(zip(names, removed, strict=True)),
        }  # fmt: skip
    return rows, classes, len(tokens), documents
