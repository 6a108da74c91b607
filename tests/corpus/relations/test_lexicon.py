"""The SPECIALIST LEXICON: records, synonyms, nominalisations both ways, and files that are cut off."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.corpus.options import PairOptions
from termgauge.corpus.pools import Pool
from termgauge.corpus.relations.lexicon import KIND
from termgauge.corpus.relations.resource import NO_VARIANTS
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.io.source import files_of

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


def read(folder, *texts):
    for at, text in enumerate(texts):
        (folder / f"LEX{at}").write_text(text)
    files = [file for at in range(len(texts)) for file in files_of(folder / f"LEX{at}")]
    return KIND.read(files, lambda words: words, PairOptions.of())


def test_nominalisations_work_both_ways_and_by_class(tmp_path):
    lexicon = read(tmp_path, RECORDS)
    assert KIND.recognised(files_of(tmp_path / "LEX0")[0])
    assert set(lexicon.variants("verb").rows()) == {
        ("phosphorylation", "phosphorylate"), ("phosphorylation", "phosphorilate"), ("treatment", "treat"),
    }  # fmt: skip
    assert set(lexicon.variants("noun").rows()) == {
        ("phosphorylate", "phosphorylation"), ("phosphorilate", "phosphorylation"), ("treat", "treatment"),
    }  # fmt: skip
    assert {"treat", "phosphorylation"} <= set(lexicon.words)


def test_forms_of_one_base_are_never_a_pair(tmp_path):
    lexicon = read(tmp_path, RECORDS, "leaf\tnoun\tleaves\tnoun\nleaf\tnoun\tfoliage\tnoun\nleaf\tverb\tskim\tverb\n")
    pool = Pool("noun", "biomedical", ("foliage", "leaf", "leaves", "skim"))
    assert [pool.pair(code) for code in lexicon.same_base(pool)] == [("leaf", "leaves")]
    assert [pool.pair(code) for code in lexicon.related(pool, NO_VARIANTS)["synonym"]] == [("foliage", "leaf")]
    assert len(lexicon.listed(pool)) == 0


@pytest.mark.parametrize(
    "text",
    ["breathe|1024|respire|1024\ntumor|128|growth|128\n", "word1\tclass\tword2\tclass\nbreathe\tverb\trespire\tverb\n"],
)
def test_synonyms_of_the_tools_and_of_a_table(tmp_path, text):
    lexicon = read(tmp_path, text)
    assert KIND.recognised(files_of(tmp_path / "LEX0")[0])
    verbs = Pool("verb", "biomedical", ("breathe", "respire"))
    assert len(lexicon.related(verbs, NO_VARIANTS)["synonym"]) == 1
    assert len(lexicon.related(Pool("noun", "biomedical", verbs.words), NO_VARIANTS)["synonym"]) == 0


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
    assert ("treat", "treatment") in lexicon.variants("noun").rows()
