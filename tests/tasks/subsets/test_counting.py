"""Counts of untagged text: the same wherever blocks end, and those of the protocol on real text."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.io import documents
from termgauge.tasks.subsets.properties import count_words


@given(st.text("abÄé \n.B-1", min_size=1, max_size=60), st.integers(1, 7))
def test_counts_are_those_of_the_whole_text_wherever_blocks_end(tmp_path_factory, text, block):
    file = tmp_path_factory.mktemp("text") / "text.txt"
    file.write_text(text, encoding="utf-8")
    wanted = Counter(word.lower() for word in re.findall("[A-Za-z]+", text))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(documents, "_CHUNK", block)
        if wanted:
            assert count_words([file]) == wanted
        else:
            with pytest.raises(TermgaugeError, match="holds no word"):
                count_words([file])


def test_the_text_of_articles_counts_and_not_their_markup(tmp_path):
    citation = (
        "<PubmedArticle><MedlineCitation><PMID>{}</PMID><Article><ArticleTitle>Fever &amp; {}</ArticleTitle><Abstract>"
        "<AbstractText>High <i>fever</i>.</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle>"
    )
    citations = citation.format(1, "cough") + citation.format(2, "Pain")
    (tmp_path / "medline.xml").write_text(f'<?xml version="1.0"?><PubmedArticleSet>{citations}</PubmedArticleSet>')
    (tmp_path / "more.txt").write_text("<5 % had fever")
    wanted = {"fever": 5, "high": 2, "cough": 1, "pain": 1, "had": 1}
    assert count_words([tmp_path / "medline.xml", tmp_path / "more.txt"]) == wanted


def test_folders_and_several_files_are_counted_together(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.txt").write_text("One two")
    (tmp_path / "b.txt").write_text("two")
    assert count_words([tmp_path / "folder", tmp_path / "b.txt"]) == {"one": 1, "two": 2}


def test_medquad_has_the_counts_of_the_protocol(shared):
    if shared is None:
        pytest.skip("MedQuAD is not at hand")
    counts = count_words([shared / "data" / "text" / "medquad.txt.xz"])
    assert (counts.total(), len(counts)) == (3_614_033, 28_623)
