"""The tables of an experiment file: which keys there are, what each means, and what it is if it is left out.

The tables are strict models, so that a misspelt key is refused before anything is read. What a key means is said once,
in its description: `termgauge init` writes it into the file as a comment.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

LONGEST_NAME = 80


def _fit_name(value: str) -> str:
    fit = value.isprintable() and not set(value) & set("/\\") and value == value.strip()
    if not (fit and 0 < len(value) <= LONGEST_NAME):
        raise ValueError(f"must be a name of 1 to {LONGEST_NAME} characters without slashes or control characters")
    return value


Names = list[str]
Name = Annotated[str, AfterValidator(_fit_name)]
Day = Annotated[str, BeforeValidator(lambda value: value.isoformat() if isinstance(value, date) else value)]
"""A TOML date, or text."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class TerminologyTable(_Table):
    """A terminology, under a name that the other tables use."""

    name: Name = Field(description="What the other tables call it.", examples=["snomed"])
    source: str | Annotated[Names, Field(min_length=1)] = Field(
        description="A file, folder or zip; several (an RF2 extension after its edition); or package:NAME/FILE.",
        examples=["SnomedCT.zip"],
    )
    format: Literal["rf2", "rrf", "obo", "table"] | None = Field(
        None, description="rf2, rrf, obo or table, if it is not recognised.", examples=["obo"]
    )
    language: str | None = Field(None, description="Only terms in this language; all if not given.", examples=["en"])
    dialect: str | None = Field(
        None, description="RF2: rank labels by us, gb or a language reference set's id.", examples=["us"]
    )
    release: str | None = Field(None, description="RF2: which release, where there are several.", examples=["20190131"])
    vocabularies: Names = Field([], description="UMLS: only these source vocabularies.", examples=[["SNOMEDCT_US"]])
    suppressed: bool = Field(default=True, description="UMLS: keep suppressed atoms, as inactive terms.")
    relations: str | None = Field(
        None, description="Tables: a second table with source, type and target.", examples=["relations.tsv"]
    )


class BenchmarkTable(_Table):
    """Sets of term pairs: built from a terminology, or built before."""

    name: Name | None = Field(
        None, description="Its folder under benchmarks/; that of the terminology if not given.", examples=["hard-pairs"]
    )
    terminology: str | None = Field(None, description="Build it from this terminology.", examples=["snomed"])
    folder: str | None = Field(None, description="Or take one that `termgauge build` made.", examples=["built-before"])
    seed: int | None = Field(
        None, ge=0, description="Of all draws; that of the experiment if not given.", examples=[42]
    )
    split_distance: int = Field(5, ge=0, description="The greatest edit distance of an easy pair.")
    since: Day | None = Field(
        None, description="Only pairs whose younger term came on or after this day.", examples=["20180731"]
    )
    language: str | None = Field(None, description="The language of the terms; English if not given.", examples=["en"])
    only: Names = Field([], description="Only these kinds, difficulties or strategies.", examples=[["fsn-syn", "hard"]])
    scope: Names = Field(
        [], description="OBO: also synonyms that are related, narrow, broad or layperson.", examples=[["related"]]
    )
    tag: str | None = Field(None, description="Only concepts with this tag.", examples=["disorder"])
    under: str | None = Field(None, description="Only concepts at or below this one.", examples=["404684003"])
    max_pairs: int | None = Field(
        None, ge=2, description="The most pairs of a set, drawn with the seed.", examples=[4000]
    )


class HumanTable(_Table):
    """Sets of term pairs that people rated."""

    sets: Literal["all"] | Annotated[Names, Field(min_length=1)] = Field(
        "all", description='"all" that are at hand, or ids such as ["human/umnsrs-sim"]; `termgauge sets` lists them.'
    )
    data_dir: str | None = Field(
        None, description="A folder with their files under their public names.", examples=["rated-sets"]
    )
    download: bool = Field(default=False, description="Whether sets named by id may be downloaded.")


class ModelTable(_Table):
    """A model."""

    name: Name | None = Field(
        None, description="What results call it; made from its file if not given.", examples=["PubMed"]
    )
    spec: str = Field(
        min_length=1,
        description="A path, or scheme:location?option=value; see `termgauge models`.",
        examples=["word2vec:vectors/PubMed.bin"],
    )


class ScoringTable(_Table):
    """How pairs are scored."""

    measures: Names = Field(
        [], description="Measures of similarity; all if none is named.", examples=[["avg_cos", "fuzzy_jaccard"]]
    )


class SignificanceTable(_Table):
    """How differences are tested."""

    alpha: float = Field(0.05, gt=0, lt=1, description="The chance of any false claim on a set.")
    correction: Literal["bonferroni", "holm", "none"] = Field(
        "bonferroni", description="For many comparisons: bonferroni, holm or none."
    )
    measure: str = Field("usual", description="What stands for a model: usual (cosine), best, or a measure's name.")
    statistic: Literal["accuracy", "auc"] = Field(
        "accuracy", description="Of binary sets: accuracy (exact McNemar test) or auc (DeLong's test)."
    )


class CategoriesTable(_Table):
    """Three categories of terms: do models keep the distant one apart from the two close ones?"""

    name: Name = Field(description="What the report calls it.", examples=["procedures"])
    terminology: str | None = Field(
        None, description="Where the categories are from; may be left out if it is plain.", examples=["snomed"]
    )
    close: Annotated[Names, Field(min_length=2, max_length=2)] = Field(
        description="Two close categories: each a concept's id (it and all below it), a tag, or @FILE with terms.",
        examples=[["103693007", "277132007"]],
    )
    far: str = Field(description="The distant category.", examples=["410607006"])
    measures: Names = Field(
        [], description="The cosine if none is named; the others take long on large categories.", examples=[["avg_cos"]]
    )
    names_only: bool = Field(default=False, description="Take the names of concepts, not their synonyms.")
    drop_shared: bool = Field(default=False, description="Leave terms that are in two categories out of both.")
    max_terms: int | None = Field(
        None, ge=1, description="The most terms of a category, drawn with the seed.", examples=[5000]
    )


class CoverageTable(_Table):
    """A domain: do models know its concepts, and hold them and their relations together?"""

    name: Name = Field(description="What the report calls it.", examples=["COPD"])
    terminology: str | None = Field(
        None, description="Where its concepts are from; may be left out if it is plain.", examples=["snomed"]
    )
    concepts: Names = Field(
        [], description="Take what is related to these concepts (ids, or names).", examples=[["13645005"]]
    )
    hops: int = Field(1, ge=1, description="How many relations away from them at most.")
    include_relations: Names = Field(
        [], description="Follow only these relations from them; all if none is named.", examples=[["is_a"]]
    )
    exclude_relations: Names = Field([], description="Do not follow these relations.", examples=[["is_a"]])
    branches: Names = Field([], description="Take these concepts and all below them.", examples=[["50043002"]])
    lists: Names = Field(
        [], description="Take the concepts in these files, an id on each line.", examples=[["ids.txt"]]
    )
    texts: Names = Field(
        [],
        description="Take what these texts mention (plain text, or MetaMap's MMI output).",
        examples=[["review.txt"]],
    )
    best: int | None = Field(None, ge=1, description="The most concepts of each text, the best first.", examples=[200])
    semantic_types: Names = Field([], description="From texts, only concepts of these types.", examples=[["dsyn"]])
    domain: str | None = Field(
        None,
        description="Instead of all these: the file of a domain that termgauge coverage --save-domain wrote.",
        examples=["copd.json"],
    )
    k: list[int] = Field([5, 10, 20, 30, 40], description="How many neighbours are looked at.")
    labels: Literal["first", "all"] = Field("first", description="Word vectors: the first label they have, or all.")
    join: str | None = Field(
        None, description="Word vectors: also look labels up with this between their words.", examples=["_"]
    )
    lowercase: bool = Field(default=False, description="Word vectors: also look labels up in lower case.")
    analogies: bool = Field(default=True, description="Whether its relations are tested as analogies.")
    relations: Names = Field(
        [],
        description="Analogies of these relations; of all that touch the domain if none is.",
        examples=[["finding_site"]],
    )
    method: Literal["add", "mul", "direction"] = Field(
        "add", description="How analogies are completed: 3CosAdd, 3CosMul or PairDirection."
    )


class Experiment(_Table):
    """A whole experiment, as its file says it."""

    title: str = Field("", description="The title of the report.", examples=["Vectors compared"])
    output: str | None = Field(
        None,
        min_length=1,
        description="The run folder; the name of this file and -run if not given.",
        examples=["experiment-run"],
    )
    seed: int = Field(42, ge=0, description="Of all draws; 42 gives the published sets.")
    terminology: list[TerminologyTable] = Field([], description="Terminologies.")
    benchmark: list[BenchmarkTable] = Field([], description="Sets built from terminologies.")
    human: HumanTable | None = Field(None, description="Sets rated by people.")
    model: Annotated[list[ModelTable], Field(min_length=1)] = Field(description="Models.")
    scoring: ScoringTable = Field(ScoringTable.model_validate({}), description="How pairs are scored.")
    significance: SignificanceTable = Field(
        SignificanceTable.model_validate({}), description="How differences are tested."
    )
    categories: list[CategoriesTable] = Field([], description="Categories that should stay apart.")
    coverage: list[CoverageTable] = Field([], description="Domains that should be covered.")

    def as_dict(self) -> dict[str, Any]:
        """Return what is not as it would be without the file, as JSON-like values."""
        return self.model_dump(mode="json", exclude_defaults=True)


TABLES: dict[str, type[_Table]] = {
    "terminology": TerminologyTable,
    "benchmark": BenchmarkTable,
    "human": HumanTable,
    "model": ModelTable,
    "scoring": ScoringTable,
    "significance": SignificanceTable,
    "categories": CategoriesTable,
    "coverage": CoverageTable,
}
"""The tables of the file by name."""
SINGLE = ("human", "scoring", "significance")
"""Tables that there is one of; the others may be repeated."""
