"""Corpora to train on: the same tokens as sentences by hand, found again in the cache, and what holds no text."""

from __future__ import annotations

import gzip
import zipfile

import pytest

from termgauge.corpus import training as module
from termgauge.corpus.training import Passes, training_corpus
from termgauge.exceptions import TermgaugeError

TEXT = "The kidney (left) failed. Dialysis was begun in 1990!\nCreatinine rose by 3.5%.\n"
LINES = ["the kidney left failed", "dialysis was begun in 1990", "creatinine rose by 3.5"]
MEDLINE = (
    '<?xml version="1.0"?><PubmedArticleSet><PubmedArticle><MedlineCitation><PMID Version="1">1</PMID><Article>'
    "<ArticleTitle>The kidney.</ArticleTitle><Abstract><AbstractText>It failed. Dialysis began.</AbstractText>"
    "</Abstract></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"
)


def lines_of(corpus):
    read = [" ".join(sentence) for sentence in Passes(corpus, lambda _words: None)]
    assert corpus.sentences == len(read)
    assert corpus.tokens == sum(len(line.split()) for line in read)
    return read


def test_plain_text_in_any_wrapping(tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.txt", TEXT)
    corpora = [training_corpus([tmp_path / name]) for name in ("a.txt", "a.txt.gz", "a.zip")]
    assert [lines_of(each) for each in corpora] == [LINES] * 3
    assert len({each.sha256 for each in corpora}) == 1, "the same text is the same corpus"
    kept = training_corpus([tmp_path / "a.txt"], lower=False)
    assert lines_of(kept)[0] == "The kidney left failed"
    assert kept.sha256 != corpora[0].sha256


def test_tagged_text_gives_its_forms(tmp_path):
    (tmp_path / "a.tsv").write_text("The\tDT\nCells\tNNS\n.\t.\n\n# a comment\nGrew\tVBD\n")
    assert lines_of(training_corpus([tmp_path / "a.tsv"])) == ["the cells", "grew"]
    rows = [
        "1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_",
        "1\tdo\tdo\tAUX\tVBP\t_\t_\t_\t_\t_",
        "2\tn't\tnot\tPART\tRB\t_\t_\t_\t_\t_",
    ]
    (tmp_path / "a.conllu").write_text("# newdoc id = 1\n" + "\n".join(rows) + "\n\n")
    assert lines_of(training_corpus([tmp_path / "a.conllu"])) == ["do n't"]


def test_medline(tmp_path):
    (tmp_path / "m.xml").write_text(MEDLINE)
    assert lines_of(training_corpus([tmp_path / "m.xml"])) == ["the kidney", "it failed", "dialysis began"]


def test_it_is_tokenised_once(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text(TEXT)
    first = training_corpus([tmp_path / "a.txt"])
    with monkeypatch.context() as patched:
        patched.setattr(module, "_tokenize", lambda *_args, **_more: pytest.fail("tokenize again"))
        assert training_corpus([tmp_path / "a.txt"]) == first
    first.path.write_text("damaged\n")
    assert lines_of(training_corpus([tmp_path / "a.txt"])) == LINES
    (tmp_path / "a.txt").write_text("Other text.")
    assert training_corpus([tmp_path / "a.txt"]).sha256 != first.sha256


def test_a_very_long_sentence_is_cut(tmp_path):
    (tmp_path / "a.txt").write_text("gene " * 30_000)
    corpus = training_corpus([tmp_path / "a.txt"])
    assert corpus.tokens == 30_000
    assert max(len(sentence) for sentence in Passes(corpus, lambda _words: None)) <= 10_000, (
        "gensim cuts there silently"
    )


def test_progress_counts_every_word(tmp_path):
    (tmp_path / "a.txt").write_text("Some gene was here. " * 30_000)
    corpus = training_corpus([tmp_path / "a.txt"])
    told = []
    assert sum(1 for _ in Passes(corpus, told.append)) == corpus.sentences
    assert sum(told) == corpus.tokens
    assert len(told) > 1


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("a.txt", b"", "has no tokens"),
        ("a.txt", b"... --- !!!\n", "holds no words"),
        ("a.txt", b"caf\xe9 au lait is drunk\n", "is not UTF-8"),
        ("a.xml", b'<?xml version="1.0"?><PubmedArticleSet><PubmedArticle>', "a.xml"),
        ("a.xml", b'<?xml version="1.0"?><recipes/>', "neither that of MEDLINE"),
        ("a.txt.gz", b"no gzip at all", "damaged or cut off"),
    ],
)
def test_bad_text(tmp_path, cache_folder, name, data, why):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(TermgaugeError, match=why):
        training_corpus([tmp_path / name])
    assert not list((cache_folder / "corpora").glob("*/tokens.txt")), "nothing half done is kept"


def test_no_text_and_mixed_text(tmp_path):
    with pytest.raises(TermgaugeError, match="no text to train on"):
        training_corpus([])
    with pytest.raises(TermgaugeError, match="no such file"):
        training_corpus([tmp_path / "gone.txt"])
    (tmp_path / "mixed").mkdir()
    (tmp_path / "mixed" / "a.txt").write_text(TEXT)
    (tmp_path / "mixed" / "b.tsv").write_text("The\tDT\nCells\tNNS\nGrew\tVBD\n")
    with pytest.raises(TermgaugeError, match="tagged and untagged"):
        training_corpus([tmp_path / "mixed"])
