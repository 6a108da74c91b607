"""Rules for sentences and tokens: examples of each, what holds for any text, and the GENIA corpus rebuilt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.corpus.sentences import MOST_LETTERS, MOST_TOKENS, add_tokens, sentences

TEXTS = st.text(st.sampled_from("abAB12 .,;:()[]%'\"-<=>/’?!\n\té\u2009"), max_size=80)


def tokenize(paragraphs):
    forms, ends = [], []
    for paragraph in paragraphs:
        add_tokens(paragraph, forms, ends)
    return forms, ends


@pytest.mark.parametrize(
    ("text", "tokens"),
    {
        "NF-kappa B (p50/p65) binds, e.g. CD4(+) T-cells.": "NF-kappa B ( p50/p65 ) binds , e.g. CD4(+) T-cells .",
        "Paget's patients' bones aren't like the doctors'.": "Paget 's patients ' bones are n't like the doctors ' .",
        "It cannot rise by 50%; (P<0.05, n=12).": "It can not rise by 50 % ; ( P < 0.05 , n = 12 ) .",
        "[3H]thymidine and 1,25(OH)2D3 at the 5' end": "[3H]thymidine and 1,25(OH)2D3 at the 5' end",
        "[Ca2+] (see Fig. 2) was 1,200.5 nM": "[ Ca2+ ] ( see Fig. 2 ) was 1,200.5 nM",
        "a --> b and c--d...": "a --> b and c -- d ...",
        '"Shortness of breath"': '" Shortness of breath "',
        "out of breath.This is common,and known.": "out of breath . This is common , and known .",
        "J. Smith (et al.) vs. U.S. data": "J. Smith ( et al. ) vs. U.S. data",
        "": "",
        " \n ": "",
    }.items(),
)
def test_tokens(text, tokens):
    assert " ".join(tokenize([text])[0]) == tokens


@pytest.mark.parametrize(
    "divided",
    [
        ["It grew E. coli at 37 C.", "The cells died."],
        ["This needs NF-kappa B.", "Oligomers do not."],
        ["We gave vitamin C.", "Patients recovered (Fig. 1)."],
        ["It fell by 3.5 mg/ml, i.e. a little.", "p53 did not."],
        ["It worked (see below.)", "However, cf. Smith et al. 1999."],
        ["Was it so?", "yes, it was!", "(ii) And again."],
        ["1. Methods were used.", "2. Results were found."],
        ["Seen by Dr. Jones, approx. 3 times, in the U.S. army."],
        ["No mark at the end"],
    ],
)
def test_sentences_end_where_they_should(divided):
    assert sentences([" ".join(divided)]) == [tokenize([each])[0] for each in divided]


@given(st.lists(TEXTS, max_size=4))
def test_no_letter_is_lost_and_no_token_is_empty(paragraphs):
    forms, ends = tokenize(paragraphs)
    assert "".join(forms) == "".join("".join(paragraphs).split())
    assert all(form and not any(map(str.isspace, form)) for form in forms)
    assert ends == sorted(set(ends))
    assert (ends[-1] if ends else 0) == len(forms)
    separate = [tokenize([paragraph]) for paragraph in paragraphs]
    assert forms == [form for each in separate for form in each[0]]
    assert len(ends) == sum(len(each[1]) for each in separate)


@given(TEXTS)
def test_what_was_seen_before_changes_nothing(text):
    assert tokenize([text]) == tokenize([text])


def test_very_long_sentences_and_words_are_cut():
    forms, ends = tokenize(["word " * 1_000_000])
    assert len(forms) == 1_000_000
    assert ends == list(range(MOST_TOKENS, 1_000_001, MOST_TOKENS))
    forms, _ends = tokenize(["acgt" * 100_000])
    assert {len(form) for form in forms} == {MOST_LETTERS}


NO_SPACE_BEFORE, NO_SPACE_AFTER = {*")]},.;:?!%", "'s"}, {*"([{"}


def rebuilt(words):
    """Return a sentence as people write it."""
    text, before, open_quote = "", "(", False
    for word in words:
        space = word not in NO_SPACE_BEFORE and before not in NO_SPACE_AFTER
        if word == '"':
            space, open_quote = space and not open_quote, not open_quote
        elif before == '"' and open_quote:
            space = False
        text, before = f"{text}{' ' if space else ''}{word}", word
    return text


def places(sentences):
    """Return the places, in letters without spaces, where tokens and sentences end."""
    tokens, ends, place = set(), set(), 0
    for sentence in sentences:
        for word in sentence:
            place += len(word)
            tokens.add(place)
        ends.add(place)
    return tokens, ends


def test_boundaries_agree_with_the_genia_corpus(shared):
    """Abstracts are put together from GENIA's tokens and divided again."""
    if shared is None:
        pytest.skip("the GENIA corpus is not at hand")
    texts = (shared / "data" / "genia-pos" / "devel.tsv").read_text("utf-8").split("\n\n")
    known = [[line.split("\t")[0] for line in text.split("\n") if line] for text in texts]
    abstracts = [[]]
    for words in filter(None, known):
        if words[:2] in (["UI", "-"], ["TI", "-"], ["AB", "-"]):
            abstracts.append([words[2:]] if words[0] != "UI" else [])
        else:
            abstracts[-1].append(words)
    shared_places, found_places, known_places = [0, 0], [0, 0], [0, 0]
    for abstract in abstracts:
        found = sentences([" ".join(map(rebuilt, abstract))])
        for at, (ours, theirs) in enumerate(zip(places(found), places(abstract), strict=True)):
            shared_places[at] += len(ours & theirs)
            found_places[at] += len(ours)
            known_places[at] += len(theirs)
    tokens, ends = (2 * shared_places[at] / (found_places[at] + known_places[at]) for at in range(2))
    assert tokens > 0.999
    assert ends > 0.995
