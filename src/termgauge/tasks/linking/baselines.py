"""What is shown beside the models: what linking reaches that knows no medicine."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError
from termgauge.reporting.set_names import BASELINES
from termgauge.tasks.linking.measure import EXACT, link, link_exactly

if TYPE_CHECKING:
    from collections.abc import Mapping

    from termgauge.tasks.linking.measure import ModelLinks
    from termgauge.tasks.linking.questions import Questions


def baselines_beside(
    measured: Mapping[str, ModelLinks], questions: Questions, device: str
) -> tuple[dict[str, ModelLinks], list[str]]:
    """Link by each baseline that is not among the models; return also why one is left out."""
    questions = replace(questions, best=0)
    there = {links.scheme for links in measured.values()}
    found, left_out = {_free(EXACT, measured): link_exactly(questions)}, []
    for scheme, title in BASELINES.items():
        if scheme in there:
            continue
        try:
            found[_free(title, measured)] = link(load_model(scheme), questions, device)
        except TermgaugeError as error:  # a library that is not installed
            left_out.append(f"{title}: {error}")
    return found, left_out


def _free(title: str, taken: Mapping[str, ModelLinks]) -> str:
    return title if title not in taken else f"{title} (baseline)"
