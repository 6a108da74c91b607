"""The SPECIALIST LEXICON: records, synonyms, nominalisations both ways, and files that are cut off."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.corpus.options import PairOptions
from termgauge.corpus.pools import Pool
from termgauge.corpus.relations import VARIANT, is_lexicon, read_lexicon, text_frame
from termgauge.corpus.resources import Resource, related_pairs
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.io.source import files_of
from tests.corpus.plain_pairs import by_relation

RECORDS = """{base=phosphorylate
spelling_variant=phosphorilate
entry=E0047000
\tcat=verb
\tvariants=reg
\ttran=np
\tnominalization=phosphorylation|noun|E0047001
}
{base=leaf
entry=E0037000
\tcat=noun
\tvariants=irreg|leaf|leaves|
}
{base=blood pressure
entry=E0001
\tcat=noun
}
{base=treatment
entry=E0002
\tcat=noun
\tnominalization_of=treat|verb|E0003
}
"""


NO_VARIANTS = text_frame(VARIANT)


def resource(lexicon):
    return Resource("lexicon", "lexicon", "LEXICON", (), ("biomedical",), lexicon)


def variants(lexicon, part):
    return set(lexicon.variants.filter(part=part).select("word", "variant").rows())


def read(folder, *texts):
    for at, text in enumerate(texts):
        (folder / f"LEX{at}").write_text(text)
    files = [file for at in range(len(texts)) for file in files_of(folder / f"LEX{at}")]
    return read_lexicon(files, lambda words: words, PairOptions.of())


def test_nominalisations_work_both_ways_and_by_class(tmp_path):
    lexicon = read(tmp_path, RECORDS)
    assert is_lexicon(files_of(tmp_path / "LEX0")[0])
    assert variants(lexicon, "verb") == {
        ("phosphorylation", "phosphorylate"), ("phosphorylation", "phosphorilate"), ("treatment", "treat"),
    }  # fmt: skip
    assert variants(lexicon, "noun") == {
        ("phosphorylate", "phosphorylation"), ("phosphorilate", "phosphorylation"), ("treat", "treatment"),
    }  # fmt: skip
    assert {"treat", "phosphorylation"} <= set(lexicon.words)


def test_forms_of_one_base_are_never_a_pair(tmp_path):
    lexicon = read(tmp_path, RECORDS, "leaf\tnoun\tleaves\tnoun\nleaf\tnoun\tfoliage\tnoun\nleaf\tverb\tskim\tverb\n")
    pool = Pool("noun", "biomedical", ("foliage", "leaf", "leaves", "skim"))
    assert [pool.pair(code) for code in pool.pairs_of(lexicon.same_base)["pair"]] == [("leaf", "leaves")]
    assert by_relation(pool, lexicon.related(pool, NO_VARIANTS))["synonym"] == {
        ("foliage", "leaf"), ("leaf", "leaves"),
    }  # fmt: skip
    assert [pool.pair(code) for code in related_pairs(pool, [resource(lexicon)]).candidates] == [("foliage", "leaf")]


@pytest.mark.parametrize(
    "text",
    ["breathe|1024|respire|1024\ntumor|128|growth|128\n", "word1\tclass\tword2\tclass\nbreathe\tverb\trespire\tverb\n"],
)
def test_synonyms_of_the_tools_and_of_a_table(tmp_path, text):
    lexicon = read(tmp_path, text)
    assert is_lexicon(files_of(tmp_path / "LEX0")[0])
    verbs = Pool("verb", "biomedical", ("breathe", "respire"))
    assert lexicon.related(verbs, NO_VARIANTS)["relation"].to_list() == ["synonym"]
    assert lexicon.related(Pool("noun", "biomedical", verbs.words), NO_VARIANTS).is_empty()


def test_odd_lines_of_synonyms_are_counted(tmp_path):
    with pytest.warns(TermgaugeWarning, match=r"1 line without four fields was passed over \(the first is line 2\)"):
        read(tmp_path, "breathe\tverb\trespire\tverb\nbreathe\trespire\n# a remark\n")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (RECORDS.removesuffix("}\n"), "line 18: the record that begins here is not closed"),
        (RECORDS.replace("}\n{base=leaf", "{base=leaf"), "line 8: a record of the lexicon begins"),
        (f"{RECORDS}}}\n", "line 23: .*not opened"),
        ("nothing of it\n", "is neither LEXICON's unit records"),
        ("", "is neither LEXICON's unit records"),
    ],
)
def test_files_that_are_refused(tmp_path, text, why):
    with pytest.raises(TermgaugeError, match=why):
        read(tmp_path, text)


@given(st.text(max_size=200))
def test_whatever_stands_in_a_record_is_read_or_refused(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("lexicon")
    try:
        lexicon = read(folder, f"{{base=a\n{text}\n}}\n{RECORDS}".encode("utf-8", "replace").decode())
    except TermgaugeError:
        return
    assert ("treat", "treatment") in variants(lexicon, "noun")
