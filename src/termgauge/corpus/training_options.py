"""How word vectors are trained, declared once; the defaults are those of Chiu et al. 2018, Table 3."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from termgauge.options import Flag, Options

WINDOWS = (1, 2, 4, 5, 8, 16, 20, 25, 30)
"""The windows of Table 7 of the paper."""
WIDEST = 1000


def _checked_windows(windows: list[int]) -> list[int]:
    if not windows or not all(1 <= window <= WIDEST for window in windows):
        raise ValueError(f"must be whole numbers from 1 to {WIDEST}")
    return windows


as_one = BeforeValidator(lambda value: [value] if isinstance(value, int) else value)


class TrainingOptions(Options):
    """How word vectors are trained."""

    window: Annotated[list[int], AfterValidator(_checked_windows), as_one, Flag(metavar="N,N,...")] = Field(
        [5],
        description="How many words on either side are the context of a word; vectors are trained for each of these",
        examples=[list(WINDOWS)],
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
        given = self.model_dump(mode="json", exclude={"window", "threads", "lower"})
        return {"window": window, **given}
