"""The options of named entities."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from termgauge.options import Flag, Options, Place, as_list


class NerOptions(Options):
    """Corpora of named entities: how well does a network find them that begins with a model's vectors?"""

    corpus: Annotated[
        list[str], as_list, Place(named=True), Flag(("--corpus", "-c"), "[NAME=]DIR"), Field(min_length=1)
    ] = Field(
        description="A folder with train.tsv, test.tsv and perhaps devel.tsv: a token and its tag in each line, an "
        "empty line between sentences. A corpus is called as its folder, unless NAME= stands before it.",
        examples=[["corpora/NCBI-disease"]],
    )
    profile: Literal["code", "paper"] = Field(
        "code",
        description="The network of Chiu et al. (2018) as their public code has it, or as their paper says it (slower "
        "learning, no capitals).",
    )
    trials: int = Field(
        3, ge=1, le=1000, description="How many networks are trained with each model; seeds s, s + 1, s + 2 and so on."
    )
    epochs: int = Field(20, ge=1, description="How often a network sees the training sentences.")
    frozen: bool = Field(
        default=False, description="Keep the vectors of words as they are; else they are trained with the network."
    )
    decoding: Literal["argmax", "forward", "viterbi"] | None = Field(
        None,
        description="How tags are chosen from their probabilities: each token on its own (argmax), along transitions "
        "that training sentences have as the paper's code does it (forward), or the best sequence (viterbi). If not "
        "given, that of the profile: forward for code, argmax for paper.",
        examples=["viterbi"],
    )
    max_words: int | None = Field(
        None, ge=1, description="Read only so many words of a vector file, from its beginning.", examples=[1_000_001]
    )
    device: Literal["auto", "cpu", "cuda"] = Field(
        "auto", description="Where networks are trained: auto is a GPU if there is one."
    )
