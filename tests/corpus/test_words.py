"""Words of a corpus, from files to the table; counts of general language."""

from __future__ import annotations

import gzip
import json
import lzma
import math
import random
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

import termgauge as tg
from termgauge.corpus.tables import read_words
from termgauge.corpus.words import table_counts, wordfreq_counts
from termgauge.exceptions import TermgaugeError
from termgauge.io.identity import sha256_of_stream
from tests.corpus.plain_words import plain_words

BRITISH = {"colour": "color", "fibre": "fiber", "tumour": "tumor", "analyse": "analyze"}
GENERAL = {"cell": 40, "patient": 500, "color": 900, "be": 100_000, "germany": 30}
FORMS = [
    "cells", "cell", "Cells", "CELL", "was", "is", "has", "did", "went", "gone", "Germany", "germany", "CO2", "H2O",
    "b1", "up-regulated", "T-cell", "37 degrees C", "in_vitro", "anaemia", "anemia", "anaemias", "tumours", "tumor",
    "colours",
    "haemorrhage", "anaerobic", "programmes", "program", "contour", "naïve", "β", "<", "2010", "analysed", "analyses",
    "Universities", "universities", "UNIVERSITIES", "a", "#", "fibres", "DNA", "dna", "leukaemia", "leukemias", "ΣΑΣ",
]  # fmt: skip
PENN = ["NN", "NNS", "NNP", "NNPS", "VB", "VBD", "VBZ", "VBN", "MD", "JJ", "IN", "NN|JJ", "vbz", "VBG-NN", "nns", "."]
UPOS = ["NOUN", "PROPN", "VERB", "AUX", "ADJ", "PUNCT"]
LEMMAS = ["", "", "_", "cell", "Be", "DNA", "tumour", "Germany", "go"]


@pytest.fixture
def tables(tmp_path):
    """Return lists that do not depend on packages."""
    (tmp_path / "british.tsv").write_text("".join(f"{british}\t{word} \n" for british, word in BRITISH.items()))
    (tmp_path / "general.tsv").write_text("word\tcount\n" + "".join(f"{w}\t{n}\textra\n" for w, n in GENERAL.items()))
    return {"spelling_list": tmp_path / "british.tsv", "general": str(tmp_path / "general.tsv")}


@pytest.fixture(autouse=True)
def only_the_list_of_the_test(monkeypatch):
    from breame.data import spelling_constants

    monkeypatch.setattr(spelling_constants, "BRITISH_ENGLISH_SPELLINGS", {})


def rows_of(found):
    """Return the table as the plain reading has it."""
    columns = ("word", "class", "count", "documents", "journals", "log_ratio")
    return [tuple(row) for row in found.table.select(columns).iter_rows()]


def same(found, expected):
    rows, classes, tokens, documents = expected
    ours = rows_of(found)
    assert [row[:4] for row in ours] == [row[:4] for row in rows]
    if found.journals:
        assert [row[4] for row in ours] == [row[4] for row in rows]
    else:
        assert {row[4] for row in ours} <= {None}
    assert [row[5] for row in ours] == pytest.approx([row[5] for row in rows], abs=1e-6)
    summary = found.summary()
    assert {
        kind: {name: of[name] for name in ("forms", "words", "steps")} for kind, of in summary["classes"].items()
    } == classes
    assert (summary["tokens"], summary["documents"]) == (tokens, documents)
    for of in summary["classes"].values():
        assert of["forms"] - sum(of["steps"].values()) == of["words"]
    counted = sum(sum(of["tokens"].values()) + of["counted"] for of in summary["classes"].values())
    assert counted + sum(summary["left_out"].values()) == tokens


token = st.tuples(st.sampled_from(FORMS), st.sampled_from(PENN), st.sampled_from(LEMMAS))
line = st.one_of(
    token.map(lambda each: "\t".join(each[: 2 if not each[2] else 3])),
    st.sampled_from(["", "", "# newdoc id = x", "# newdoc", "# journal = J1", "# journal = J2", "# text = so what"]),
)


@given(
    lines=st.lists(line, min_size=1, max_size=80),
    break_=st.sampled_from(["\n", "\r\n"]),
    rule=st.sampled_from(["checked", "biolemmatizer", "none"]),
    min_count=st.integers(1, 3),
    min_length=st.integers(1, 4),
    hyphens=st.booleans(),
    digits=st.booleans(),
)
@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_tagged_lines_give_what_a_plain_reading_gives(
    tmp_path, tables, lines, break_, rule, min_count, min_length, hyphens, digits
):
    lines = ["Therefore\tIN", *lines]
    text = break_.join(lines) + break_
    place = tmp_path / "corpus.tsv"
    place.write_bytes(text.encode())
    chosen = {"min_count": min_count, "min_length": min_length, "hyphens": hyphens, "digits": digits}
    found = tg.words(place, spelling=rule, tagset="penn", **tables, **chosen)
    same(found, plain_words(text, listed=BRITISH, rule=rule, general=GENERAL, **chosen))


conllu_line = st.tuples(
    st.sampled_from(["1", "7", "3-4", "3.1"]), st.sampled_from([form for form in FORMS if form != "#"]),
    st.sampled_from(LEMMAS[2:]), st.sampled_from(UPOS),
).map(lambda each: "\t".join([*each, "_", "_", "0", "root", "_", "_"]))  # fmt: skip


@given(lines=st.lists(st.one_of(conllu_line, st.sampled_from(["", "# newdoc id = 3", "# text = a\tb"])), max_size=60))
@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_conllu_gives_what_a_plain_reading_gives(tmp_path, tables, lines):
    text = "\n".join(["1\tso\t_\tADV\t_\t_\t_\t_\t_\t_", *lines])
    place = tmp_path / "corpus.conllu"
    place.write_text(text, encoding="utf-8")
    found = tg.words(place, min_count=1, **tables)
    assert found.tag_set == "upos"
    expected = plain_words(text, "conllu", tags="upos", listed=BRITISH, general=GENERAL, min_count=1)
    same(found, expected)


def corpus(seed=7, documents=60):
    """Return a corpus with frequent and rare words, in documents of journals."""
    drawn = random.Random(seed)
    weights = [1 / rank for rank in range(1, len(FORMS) + 1)]
    lines = []
    for number in range(documents):
        lines.append(f"# newdoc id = {number}")
        if number % 5:
            lines.append(f"# journal = J{number % 7}")
        for _ in range(drawn.randint(1, 6)):
            forms = drawn.choices(FORMS, weights, k=drawn.randint(1, 20))
            lines += [*(f"{form}\t{drawn.choice(PENN)}" for form in forms), ""]
    return "\n".join(lines)


def test_a_made_corpus_gives_what_a_plain_reading_gives(tmp_path, tables):
    text = corpus()
    (tmp_path / "corpus.tsv").write_text(text, encoding="utf-8")
    found = tg.words(tmp_path / "corpus.tsv", **tables)
    expected = plain_words(text, listed=BRITISH, general=GENERAL)
    assert len(expected[0]) > 20
    same(found, expected)


def test_portions_do_not_matter(tmp_path, tables, monkeypatch):
    text = corpus()
    (tmp_path / "corpus.tsv").write_text(text, encoding="utf-8")
    for size in (1, 13, 1000):
        monkeypatch.setattr("termgauge.io.source.BLOCK", size)
        monkeypatch.setattr("termgauge.corpus.tally._ENTRIES", 4)
        monkeypatch.setattr("termgauge.corpus.tally._ARENA", 32)
        monkeypatch.setattr("termgauge.corpus.tally._SPOOL_IN_MEMORY", 16)
        monkeypatch.setattr("termgauge.corpus.tally._SPOOL_ITEMS", 5)
        found = tg.words(tmp_path / "corpus.tsv", **tables)
        same(found, plain_words(text, listed=BRITISH, general=GENERAL))


def test_compressed_files_and_many_files(tmp_path, tables):
    parts = [corpus(seed, 20) for seed in range(4)]
    (tmp_path / "a.tsv").write_text(parts[0], encoding="utf-8")
    (tmp_path / "b.tsv.gz").write_bytes(gzip.compress(parts[1].encode()))
    (tmp_path / "c.tsv.xz").write_bytes(lzma.compress(parts[2].encode()))
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
        archive.writestr("inner/d.tsv", parts[3])
    names = ["a.tsv", "b.tsv.gz", "c.tsv.xz", "d.zip"]
    found = tg.words([tmp_path / name for name in names], **tables)
    same(found, plain_words("\n".join(parts), listed=BRITISH, general=GENERAL))


def test_each_file_begins_a_document(tmp_path, tables):
    for name in ("a.tsv", "b.tsv"):
        (tmp_path / name).write_text("cells\tNNS\n" * 5)
    found = tg.words([tmp_path / "a.tsv", tmp_path / "b.tsv"], **tables)
    assert found.documents == 2
    assert rows_of(found)[0][:4] == ("cell", "noun", 10, 2)


def test_genia(shared):
    if shared is None:
        pytest.skip("The folder with real data is not there.")
    given = shared / "data" / "lex" / "BritishToAmerican.tsv"
    found = tg.words(shared / "data" / "genia-pos" / "devel.tsv", spelling_list=given)
    about = found.summary()
    assert (about["tokens"], about["tag_set"]) == (52_697, "penn")
    assert about["left_out"] == {"class": 28_484, "auxiliary_tag": 216}
    nouns, verbs = about["classes"]["noun"], about["classes"]["verb"]
    assert (nouns["forms"], nouns["words"], verbs["forms"], verbs["words"]) == (3012, 520, 883, 146)
    lemmas = [of["words"] + of["steps"]["min_count"] for of in (nouns, verbs)]
    assert lemmas == [1677, 457]
    assert nouns["tokens"]["noise"] + verbs["tokens"]["noise"] == 4154
    assert verbs["tokens"]["auxiliaries"] == 1566
    top = found.table.group_by("class", maintain_order=True).head(4).select("word", "count").rows()
    assert top == [
        ("cell", 843), ("expression", 342), ("gene", 294), ("protein", 284),
        ("induce", 141), ("show", 128), ("activate", 112), ("use", 101),
    ]  # fmt: skip


def test_the_table_and_its_manifest(tmp_path, tables):
    (tmp_path / "corpus.tsv").write_text(corpus(), encoding="utf-8")
    found = tg.words(tmp_path / "corpus.tsv", tmp_path / "out" / "words.tsv", **tables)
    text = (tmp_path / "out" / "words.tsv").read_text("utf-8").splitlines()
    assert text[0] == "word\tclass\tcount\tdocuments\tjournals\tgeneral_count\tlog_ratio\tdecision"
    assert len(text) == found.table.height + 1
    assert read_words(tmp_path / "out" / "words.tsv").equals(found.table.cast(dict(read_words(found.path).schema)))
    manifest = json.loads((tmp_path / "out" / "words.tsv.json").read_text("utf-8"))
    with (tmp_path / "out" / "words.tsv").open("rb") as file:
        assert manifest["sha256"] == sha256_of_stream(file)
    with (tmp_path / "corpus.tsv").open("rb") as file:
        assert manifest["files"] == {str(tmp_path / "corpus.tsv"): sha256_of_stream(file)}
    assert set(manifest["tables"]) == {str(tables["spelling_list"]), tables["general"]}
    assert manifest["libraries"]["lemminflect"]
    before = (tmp_path / "out" / "words.tsv.json").read_bytes()
    tg.words(tmp_path / "corpus.tsv", tmp_path / "out" / "words.tsv", **tables)
    assert (tmp_path / "out" / "words.tsv.json").read_bytes() == before


def test_what_is_there_stays_if_the_corpus_is_bad(tmp_path, tables):
    (tmp_path / "words.tsv").write_text("mine")
    (tmp_path / "bad.tsv").write_text("cells\tNNS\ncells\tQQ\n")
    with pytest.raises(TermgaugeError):
        tg.words(tmp_path / "bad.tsv", tmp_path / "words.tsv", **tables)
    assert (tmp_path / "words.tsv").read_text() == "mine"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["bad.tsv", "british.tsv", "general.tsv", "words.tsv"]


def test_an_empty_answer_is_said(tmp_path, tables):
    (tmp_path / "corpus.tsv").write_text("cells\tNNS\n")
    with pytest.warns(tg.TermgaugeWarning, match="occurs 5 times in 1 tokens"):
        found = tg.words(tmp_path / "corpus.tsv", **tables)
    assert found.table.height == 0
    assert repr(found) == "<words: 0 nouns, 0 verbs from 1 tokens in 1 documents>"


BAD = {
    "unknown tags": ("corpus.tsv", "a\tNN\nb\tQQ\nc\tZZ\n", r"corpus\.tsv, line 2: the tag 'QQ' is not in the tag set"),
    "mixed tag sets": ("corpus.tsv", "a\tNN\nb\tNOUN\n", r"line 2: the tag 'NOUN' is not in"),
    "no tags": ("corpus.tsv", "cells\ngene\nprotein\n", r"corpus\.tsv, line 1: has no tag"),
    "no tags, named as text": ("corpus.txt", "cells\ngene\nprotein\n", r"corpus\.txt, line 1: has no tag"),
    "a line without a tag": ("corpus.tsv", "a\tNN\nb\tNN\nc\n", r"corpus\.tsv, line 3: has no tag"),
    "an empty tag": ("corpus.tsv", "a\tNN\nb\t\tc\n", r"corpus\.tsv, line 2: has no tag"),
    "CoNLL-U without tags": ("c.conllu", "1\ta\ta\t_\t_\t_\t_\t_\t_\t_\n", r"c\.conllu, line 1: has no tag"),
    "too many columns": ("corpus.tsv", "a\tNN\nb\tNN\tb\td\n", r"line 2: has more than three columns"),
    "CoNLL-U cut off": ("c.conllu", "1\ta\ta\tX\tNN\t_\t_\t_\t_\t_\n2\tb\n", r"line 2: has fewer than five columns"),
    "CoNLL-U without numbers": ("c.conllu", "1\ta\ta\tX\tNN\t_\nx\ta\ta\tX\tNN\t_\n", r"line 2: does not begin"),
    "nothing": ("corpus.tsv", "\n\n", r"has no tokens"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_text_is_one_sentence(tmp_path, tables, case):
    name, text, sentence = BAD[case]
    (tmp_path / name).write_text(text)
    with pytest.raises(TermgaugeError, match=sentence) as raised:
        tg.words(tmp_path / name, **tables)
    assert "\n" not in str(raised.value)


def test_mixed_encodings(tmp_path, tables):
    (tmp_path / "corpus.tsv").write_bytes("naïve\tJJ\n".encode() + "naïve\tJJ\n".encode("latin-1"))
    with pytest.raises(TermgaugeError, match=r"corpus\.tsv, line 2: is not UTF-8"):
        tg.words(tmp_path / "corpus.tsv", **tables)
    (tmp_path / "wide.tsv").write_text("cells\tNNS\n" * 9, encoding="utf-16")
    with pytest.raises(TermgaugeError, match=r"wide\.tsv: holds zero bytes"):
        tg.words(tmp_path / "wide.tsv", **tables)
    (tmp_path / "comment.tsv").write_bytes("# journal = Ä\na\tNN\n".encode("latin-1"))
    with pytest.raises(TermgaugeError, match=r"comment\.tsv, line 1: is not UTF-8"):
        tg.words(tmp_path / "comment.tsv", **tables)


def test_a_sentence_of_a_million_tokens(tmp_path, tables):
    place = tmp_path / "long.tsv"
    place.write_text("# text = " + "cells went " * 500_000 + "\n" + "cells\tNNS\nwent\tVBD\n" * 500_000)
    found = tg.words(place, **tables)
    assert [row[:4] for row in rows_of(found)] == [("cell", "noun", 500_000, 1), ("go", "verb", 500_000, 1)]


def test_a_line_without_end(tmp_path, tables, monkeypatch):
    monkeypatch.setattr("termgauge.io.source.LONGEST_LINE", 1000)
    monkeypatch.setattr("termgauge.io.source.BLOCK", 100)
    (tmp_path / "long.tsv").write_text("cells\tNNS\n" * 20 + "a" * 5000 + "\tNN\n")
    with pytest.raises(TermgaugeError, match=r"long\.tsv, line 21: is longer than"):
        tg.words(tmp_path / "long.tsv", **tables)


def test_tag_sets_that_are_named(tmp_path, tables):
    rows = ["1\tcells\t_\tNOUN\tNNX\t_\t_\t_\t_\t_", "2\trun\t_\tVERB\tVVX\t_\t_\t_\t_\t_"] * 5
    (tmp_path / "c.conllu").write_text("\n".join(rows))
    with pytest.raises(TermgaugeError, match=r"line 1: the tag 'NNX' is not .*--tag-table"):
        tg.words(tmp_path / "c.conllu", **tables)
    by_upos = tg.words(tmp_path / "c.conllu", tagset="upos", **tables)
    (tmp_path / "tags.tsv").write_text("tag\tclass\nNNX\tnoun\nVVX\tverb\n")
    by_table = tg.words(tmp_path / "c.conllu", tag_table=tmp_path / "tags.tsv", **tables)
    assert rows_of(by_upos) == rows_of(by_table)
    assert [row[0] for row in rows_of(by_upos)] == ["cell", "run"]
    with pytest.raises(TermgaugeError, match=r"the tag 'NNX' is not in the tag set penn"):
        tg.words(tmp_path / "c.conllu", tagset="penn", **tables)


def test_lemmas_of_the_user(tmp_path, tables):
    (tmp_path / "corpus.tsv").write_text("Cells\tNNS\n" * 3 + "cells\tNNS\tcello\n" * 2)
    (tmp_path / "lemmas.tsv").write_text("form\tclass\tlemma\ncells\tnoun\tcellule\n")
    found = tg.words(tmp_path / "corpus.tsv", min_count=2, lemmas=tmp_path / "lemmas.tsv", **tables)
    assert [row[:3] for row in rows_of(found)] == [("cellule", "noun", 3), ("cello", "noun", 2)]


def test_tagged_and_untagged_files_do_not_mix_in_one_folder(tmp_path, tables):
    (tmp_path / "both").mkdir()
    (tmp_path / "both" / "a.tsv").write_text("cells\tNNS\n")
    (tmp_path / "both" / "b.txt").write_text("Cells went away. They came back.\n")
    with pytest.raises(TermgaugeError, match="holds tagged and untagged files"):
        tg.words(tmp_path / "both", **tables)


MEDLINE = """<?xml version="1.0"?><PubmedArticleSet>{}</PubmedArticleSet>"""
CITATION = """<PubmedArticle><MedlineCitation><PMID>{}</PMID><Article><ArticleTitle>Tumours of the heart.</ArticleTitle>
<Abstract><AbstractText>{}</AbstractText></Abstract></Article><MedlineJournalInfo><NlmUniqueID>{}</NlmUniqueID>
</MedlineJournalInfo></MedlineCitation></PubmedArticle>"""


def test_untagged_text_is_tagged_on_the_way(tmp_path, tables):
    said = "The patient was treated with radiation. The patients recovered."
    articles = "".join(CITATION.format(number, said if number < 4 else "", number % 2) for number in range(1, 5))
    (tmp_path / "medline.xml.gz").write_bytes(gzip.compress(MEDLINE.format(articles).encode()))
    (tmp_path / "note.txt").write_text("The patients went home. Each patient was well.\n")
    found = tg.words([tmp_path / "medline.xml.gz", tmp_path / "note.txt"], min_count=3, **tables)
    assert (found.documents, found.journals, found.tag_set) == (5, 2, "penn")
    rows = {row[0]: row[2:5] for row in rows_of(found)}
    assert rows["patient"] == (8, 4, 2)
    assert rows["tumor"] == (4, 4, 2)
    assert rows["treat"] == (3, 3, 2)
    (tmp_path / "more.tsv").write_text("patients\tNNS\n")
    both = tg.words([tmp_path / "note.txt", tmp_path / "more.tsv"], min_count=1, **tables)
    assert {row[0]: row[2:4] for row in rows_of(both)}["patient"] == (3, 2)


def test_options_that_need_others(tmp_path):
    (tmp_path / "corpus.tsv").write_text("cells\tNNS\n")
    with pytest.raises(TermgaugeError, match="--subjects"):
        tg.words(tmp_path / "corpus.tsv", breadth="subjects")
    with pytest.raises(TermgaugeError, match="--mesh-trees"):
        tg.words(tmp_path / "corpus.tsv", breadth="mesh")
    with pytest.raises(TermgaugeError, match="There is no file"):
        tg.words([])


def test_tables_with_and_without_a_header(tmp_path):
    (tmp_path / "a.tsv").write_text("Word\tCount\tClass\nCell\t3\tx\ncell\t4\ty\nodd\tN/A\tz\n")
    (tmp_path / "b.tsv").write_text("Cell\t3\r\ncell\t4\r\n")
    for name in ("a.tsv", "b.tsv"):
        assert table_counts(["cell", "odd", "absent"], tmp_path / name) == ([7, 0, 0], 7)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\t1\nb\tx\n", "line 2: the count 'x'"),
        ("word\tcount\n", "has no counts"),
        ("a\n", "line 1: has 1 of 2 columns"),
    ],
)
def test_bad_tables(tmp_path, text, said):
    (tmp_path / "a.tsv").write_text(text)
    with pytest.raises(TermgaugeError, match=said):
        table_counts(["a"], tmp_path / "a.tsv")


def test_the_ratio_is_that_of_the_protocol(tmp_path):
    c, tokens, g, general = 12, 5000, 3, 10_000
    (tmp_path / "corpus.tsv").write_text("cell\tNN\n" * c + "of\tIN\n" * (tokens - c))
    (tmp_path / "general.tsv").write_text(f"cell\t{g}\nof\t{general - g}\n")
    found = tg.words(tmp_path / "corpus.tsv", general=tmp_path / "general.tsv").table
    expected = math.log2(((c + 0.5) / tokens) / ((g + 0.5) / general))
    assert found["log_ratio"].to_list() == pytest.approx([expected], abs=1e-6)


def test_wordfreq_gives_its_shares():
    wordfreq = pytest.importorskip("wordfreq")
    counts, tokens = wordfreq_counts(["cell", "qzxqzx"])
    assert counts[0] / tokens == pytest.approx(wordfreq.word_frequency("cell", "en", wordlist="best"))
    assert counts[1] == 0
