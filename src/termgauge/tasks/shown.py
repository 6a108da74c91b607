"""What the sections of several tasks have in common: which models can be compared, how each is drawn, and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from termgauge.document.plots.look import SERIES, SHAPES
from termgauge.document.words import bold, corrected, listed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


class Sought(Protocol):
    """A model of which neighbours were sought."""

    @property
    def neighbourhood(self) -> str:
        """Its ``vocabulary``, or the names of the ``terminology``."""
        ...


def by_neighbourhood(models: Mapping[str, Sought]) -> dict[str, list[str]]:
    """Return the names of models by where their neighbours were sought; those of two places are not to be compared."""
    groups: dict[str, list[str]] = {}
    for name, model in models.items():
        groups.setdefault(model.neighbourhood, []).append(name)
    return groups


def style_of(place: int) -> tuple[str, str]:
    """Return the colour and the shape of a model: where colours come round again the shape is another one."""
    return SERIES[place % len(SERIES)], SHAPES[(place + place // len(SERIES)) % len(SHAPES)]


def superscript_note(models: Collection[str], correction: str) -> tuple[str, ...]:
    """Say what superscripts mean, where there is more than one model."""
    note = "Superscripts: how many other models it significantly beats (+) and loses to (−), "
    return (f"{note}{corrected(correction)}.",) if len(models) > 1 else ()


def zeros_note(models: Collection[str]) -> str:
    """Name models that know nothing, as the rest of a sentence."""
    return f"{listed(map(bold, models))}: all {'its' if len(models) == 1 else 'their'} figures are 0."
