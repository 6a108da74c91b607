"""Everything besides the corpus that decides which words it has, declared once."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from termgauge.corpus.spelling import SpellingRule
from termgauge.corpus.tagsets import TagSetName
from termgauge.options import Flag, Options, Place

Breadth = Literal["journals", "subjects", "mesh"]
_File = Annotated[str | None, Flag(metavar="FILE"), Place()]


class WordOptions(Options):
    """Everything besides the corpus that decides which words it has."""

    min_count: int = Field(5, ge=1, description="The least number of times that a word must occur.")
    min_length: int = Field(3, ge=1, description="The least number of letters of a form.")
    hyphens: bool = Field(False, description="Also forms whose letters are joined by hyphens.")
    digits: bool = Field(False, description="Also forms with digits that have at least two letters, such as CO2.")
    tagset: TagSetName | None = Field(
        None,
        description="The tag set of tagged text; else the first that knows every tag. upos reads that column of "
        "CoNLL-U even where XPOS is given.",
    )
    tag_table: _File = Field(None, description="A table of your own tags: tag TAB noun|verb|other.")
    tagger: _File = Field(None, description="The tagger for untagged text; else the one that comes with termgauge.")
    lemmas: _File = Field(None, description="A table of lemmas that goes before lemminflect: form TAB class TAB lemma.")
    spelling: SpellingRule = Field(
        "checked",
        description="American spelling: what a pattern makes is taken only if the corpus has it (checked), always "
        "(biolemmatizer), or spelling stays as it is (none).",
    )
    spelling_list: _File = Field(None, description="A list that goes before the usual one: British TAB American.")
    general: Annotated[str, Flag(metavar="FILE|wordfreq|none")] = Field(
        "wordfreq", description="Counts of general language: a table word TAB count, wordfreq, or none."
    )
    breadth: Breadth | None = Field(
        None,
        description="What the breadth of a word counts: journals, Broad Subject Terms of journals (subjects), or "
        "branches of MeSH (mesh). Usually what the files below allow.",
    )
    subjects: _File = Field(None, description="Subjects of journals: a table nlm_id TAB term, or NLM's serials XML.")
    mesh_trees: _File = Field(
        None, description="Tree numbers of MeSH: a table whose first column is the descriptor, and whose last they are."
    )
