"""The options of a new study, of its results and of agreement, declared once for the commands and for Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from termgauge.benchmark.pairset import parse_score
from termgauge.exceptions import TermgaugeError
from termgauge.options import Flag, Names, Options, several


class NewStudyOptions(Options):
    """How a study is laid out."""

    kind: Literal["similarity", "relatedness", "quality"] = Field(
        "similarity",
        description="What people are asked: similarity or relatedness (from 0 to 6), or quality (are both the same?).",
    )
    seed: int = Field(42, description="Seed for all random choices.")
    raters: int | None = Field(
        None, ge=1, description="How many raters there will be; fewer than six are one group that rates all pairs."
    )
    groups: int | None = Field(
        None, ge=1, description="Similarity: groups of raters, each with its own pairs; 2 if not given."
    )
    pages: int | None = Field(
        None, ge=1, description="Pages for each rater; if not given 5, or in a quality study one for 60 pairs."
    )
    consistency: int | None = Field(
        None, ge=0, description="Similarity: pairs that all groups rate; if not given 50, at most a tenth of all."
    )
    duplicates: int | None = Field(
        None, ge=0, description="Similarity: pairs that a rater sees twice; if not given 50, at most a tenth of all."
    )
    per_label: int | None = Field(
        None, ge=1, description="Quality: positives, and negatives, drawn from each set; 30 if not given."
    )
    title: str | None = Field(None, description="What raters see above every page.")


class LinkOptions(Options):
    """What links look like, and for how long they work."""

    public_url: Annotated[str | None, Flag(("--public-url", "--base"), metavar="URL")] = Field(
        None,
        description="The address that raters use, where a web server passes requests on; without it, where the study "
        "is served.",
    )
    expire_after: Annotated[int | None, Flag(metavar="DAYS")] = Field(
        None, ge=1, le=3650, description="Links stop working so many days after they were made; without it, never."
    )
    qr: bool = Field(
        default=False, description="Draw each link as a QR code too, for phones; light letters on dark ground."
    )


class InviteOptions(LinkOptions):
    """Who gets which link."""

    group: int | None = Field(None, ge=1, description="Their group; without it, the one with fewest raters.")
    name: Annotated[Names, Flag(metavar="NAME")] = Field(
        default_factory=list, description="A rater, for your own eyes."
    )
    count: int | None = Field(None, ge=1, le=1000, description="So many raters without names; 1 if not given.")
    reissue: Annotated[Names, Flag(metavar="RATER")] = Field(
        default_factory=list, description="A new link for a rater; the former one no longer works."
    )
    revoke: Annotated[Names, Flag(metavar="RATER")] = Field(
        default_factory=list, description="Let the link of a rater no longer work; answers stay."
    )
    admin: bool = Field(default=False, description="A new link for the administrator; the former one no longer works.")


class ServeOptions(LinkOptions):
    """Where a study is served."""

    host: str = Field("127.0.0.1", description="Where to listen; 0.0.0.0 lets other machines in.")
    port: int = Field(8000, ge=0, le=65535, description="The port; 0 for one that is free.")
    proxy: Annotated[Names, Flag(metavar="ADDRESS")] = Field(
        default_factory=list,
        description="The address of a web server that passes requests on, 127.0.0.1 if it runs on this machine: what "
        "it says in X-Forwarded-For is believed.",
    )
    links: bool = Field(
        default=False,
        description="Print a further link, with the address that is served, for each rater who may still answer and "
        "for the administrator; former links go on working.",
    )


class ResultsOptions(Options):
    """Whose ratings count in the results of a study."""

    rule: Literal["others", "simlex", "none"] | None = Field(
        None,
        description="Whose ratings are left out: others (more than two standard deviations below the agreement of the "
        "others), simlex (more than one below that of all), or none. Without it, those whom chance does not explain, "
        "but nobody of a panel of fewer than six raters.",
    )
    calibrate: bool = Field(
        default=False, description="Similarity: move ratings of raters who rate high or low throughout by 1."
    )
    leave_out: Annotated[Names, Flag(metavar="RATER")] = Field(
        default_factory=list, description="A rater who is left out in any case."
    )
    dont_know: Literal["missing", "category"] = Field(
        "missing",
        description="Quality: for Krippendorff's alpha \"don't know\" is missing, or a category of its own.",
    )


def checked_scale(scale: object) -> tuple[float, float] | None:
    """Return a scale, given as two numbers or as a text with a comma; its lowest rating is below its highest."""
    if scale is None:
        return None
    text = scale if isinstance(scale, str) else ",".join(map(str, several(scale)))
    low, high, *more = [*(parse_score(part.strip()) for part in text.split(",")), None]
    if low is None or high is None or more != [None] or not low < high:
        raise TermgaugeError(f"A scale is its lowest and its highest rating, such as 0,6, not '{text[:40]}'.")
    return low, high


def _columns(names: object) -> object:
    """Return the names of columns, which may stand in one text with commas."""
    if not isinstance(names, str):
        return names
    return [name.strip() for name in names.split(",") if name.strip()] or None


class AgreementOptions(Options):
    """How agreement is measured."""

    scale: Annotated[tuple[float, float] | None, BeforeValidator(checked_scale), Flag(metavar="LOW,HIGH")] = Field(
        None,
        description="The lowest and the highest rating, such as 0,6; without it, the lowest and the highest found.",
    )
    raters: Annotated[Sequence[str] | None, BeforeValidator(_columns), Flag(metavar="COLUMN,...")] = Field(
        None,
        description="In a table with a column for each rater, the columns that hold ratings; without it, they are "
        "found.",
    )
    rule: Literal["others", "simlex", "none"] | None = Field(
        None,
        description="Who is left out: others (IAA-1 more than two standard deviations below the other raters' mean), "
        "simlex (more than one below the mean of all) or none. Without it, whoever is further below the others than "
        "chance explains, but nobody of a panel of fewer than six raters.",
    )
    groups: Literal["one", "sets"] | None = Field(
        None,
        description="Who is compared with whom: one (all raters are one group) or sets (raters with the same set of "
        "rated pairs). Without it, the table's own groups, or else sets unless a rater would be alone.",
    )
    common_pairs: bool = Field(
        default=False,
        description="Judge raters on the pairs that all groups rated, as a consistency set that the table does not "
        "name.",
    )
    calibrate: bool = Field(
        default=False,
        description="Move raters whose mean on the consistency set is more than 1 from the others' by 1 (SimLex-999).",
    )
    resamples: int = Field(2000, ge=0, description="Bootstrap resamples of pairs, for intervals; 0 for none.")
    seed: int = Field(42, ge=0, description="Seed for all random choices.")
    width: float = Field(
        2.0, gt=0, description="Plan for an interval of a pair's score no wider than this, in points from 0 to 10."
    )
    rho_width: float = Field(
        0.1, gt=0, description="Plan for intervals of agreement and of models' correlations no wider than this."
    )
