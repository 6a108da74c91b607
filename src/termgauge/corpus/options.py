"""What decides which words a corpus has, which pairs are drawn from them, and how word vectors are trained.

The defaults of training are those of Chiu et al. 2018, Table 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from termgauge.options import Flag, Options, Place, as_list

if TYPE_CHECKING:
    import polars as pl

Breadth = Literal["journals", "subjects", "mesh"]
_File = Annotated[str | None, Flag(metavar="FILE"), Place()]


class WordOptions(Options):
    """Everything besides the corpus that decides which words it has."""

    min_count: int = Field(5, ge=1, description="The least number of times that a word must occur.")
    min_length: int = Field(3, ge=1, description="The least number of letters of a form.")
    hyphens: bool = Field(False, description="Also forms whose letters are joined by hyphens.")
    digits: bool = Field(False, description="Also forms with digits that have at least two letters, such as CO2.")
    tagset: Literal["penn", "upos", "c5"] | None = Field(
        None,
        description="The tag set of tagged text; else the first that knows every tag. upos reads that column of "
        "CoNLL-U even where XPOS is given.",
    )
    tag_table: _File = Field(None, description="A table of your own tags: tag TAB noun|verb|other.")
    tagger: _File = Field(None, description="The tagger for untagged text; else the one that comes with termgauge.")
    lemmas: _File = Field(None, description="A table of lemmas that goes before lemminflect: form TAB class TAB lemma.")
    spelling: Literal["checked", "biolemmatizer", "none"] = Field(
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

    def not_noise(self, form: pl.Expr) -> pl.Expr:
        """Return an expression that says which forms are made as a word is."""
        letters = "[A-Za-z0-9]" if self.digits else "[A-Za-z]"
        joined = f"(?:-{letters}+)*" if self.hyphens else ""
        made = form.str.contains(f"^{letters}+{joined}$")
        if self.digits:
            made &= form.str.count_matches("[A-Za-z]") >= 2
        length = form.str.len_bytes() - form.str.count_matches("-", literal=True)
        return made & (length >= self.min_length)


class PairOptions(Options):
    """How pairs are made from words."""

    per_quarter: int = Field(250, ge=1, description="How many pairs each of the four quarters gets.")
    experts: int | None = Field(
        None,
        ge=0,
        description="How many experts must have accepted a biomedical pair, with none against; 0 takes all proposals. "
        "2 if their files are given, else 0.",
        examples=[2],
    )
    seed: int = Field(42, ge=0, description="Seed for all random choices.")
    word_class: Annotated[Literal["noun", "verb"] | None, Flag(("--class",))] = Field(
        None, description="Only words of this class.", examples=["noun"]
    )
    domain_source: Literal["decisions", "log-ratio"] = Field(
        "decisions",
        description="Where the domain of a word comes from: the column domain, which experts decided, or the "
        "log-ratio alone, which is a stand-in for experts.",
    )
    threshold: float = Field(
        2.0,
        ge=0,
        description="log-ratio: a word is biomedical from this value up, and general from its negative down.",
    )
    scope: Annotated[list[Literal["exact", "related", "narrow", "broad"]], as_list] = Field(
        [], description="Ontologies: also synonyms that are related, narrow or broad.", examples=[["related"]]
    )
    min_producers: int | None = Field(
        None,
        ge=1,
        description="Norms: at least so many people gave the answer (#P), instead of more than 10 having been asked "
        "(#G).",
        examples=[2],
    )


def _check_windows(windows: list[int]) -> list[int]:
    if not windows or not all(1 <= window <= 1000 for window in windows):
        raise ValueError("must be whole numbers from 1 to 1000")
    return windows


as_one = BeforeValidator(lambda value: [value] if isinstance(value, int) else value)


class TrainingOptions(Options):
    """How word vectors are trained."""

    window: Annotated[list[int], AfterValidator(_check_windows), as_one, Flag(metavar="N,N,...")] = Field(
        [5],
        description="How many words on either side are the context of a word; vectors are trained for each of these",
        examples=[[1, 2, 4, 5, 8, 16, 20, 25, 30]],  # those of Table 7 of the paper
    )
    algorithm: Literal["sg", "cbow"] = Field("sg", description="Skip-gram (sg), or the continuous bag of words (cbow).")
    dimension: int = Field(200, ge=1, le=10_000, description="How many numbers each vector has.")
    learning_rate: float = Field(0.05, gt=0, le=1, description="The learning rate at the beginning.")
    negative: int = Field(5, ge=1, le=1000, description="How many words are drawn as negatives for each positive one.")
    min_count: int = Field(5, ge=1, description="Only words that occur at least so often get a vector.")
    sample: float = Field(
        1e-5, ge=0, le=1, description="Words with a larger share of the corpus are passed over now and then; 0: never."
    )
    epochs: int = Field(5, ge=1, le=10_000, description="How often the corpus is gone through.")
    lower: Annotated[bool, Flag(("--lower/--no-lower",))] = Field(
        default=True, description="Write all words in lower case."
    )
    seed: int = Field(42, ge=0, lt=2**32, description="Seed for all random choices.")
    deterministic: Annotated[bool, Flag(("--deterministic",))] = Field(
        default=False,
        description="Train in one thread, so that the same corpus and seed give the same vectors to the last digit.",
    )
    threads: int | None = Field(None, ge=1, description="How many threads work at once; all cores if not given.")

    def problems(self) -> list[tuple[str, str]]:
        """Return options that contradict each other."""
        if self.deterministic and self.threads not in (None, 1):
            return [("deterministic", "One thread is needed for the same vectors each time; leave --threads out.")]
        return []

    def recipe(self, window: int) -> dict[str, Any]:
        """Return all that decides the vectors of a window, besides the corpus."""
        options = self.model_dump(mode="json", exclude={"window", "threads", "lower"})
        return {"window": window, **options}
