"""What asking for analogies gives: how many each model completes, relation by relation."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from termgauge.progress import track
from termgauge.statistics.bootstrap import SEED, UNDEFINED, Interval
from termgauge.statistics.json_values import finite
from termgauge.statistics.resampled_differences import wins_and_losses
from termgauge.tasks.analogies.measure import METHODS
from termgauge.tasks.analogies.statistics import Resampled, resample_pairs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from termgauge.domain.domain import Domain
    from termgauge.domain.relations import Relation
    from termgauge.statistics.significance import Difference
    from termgauge.tasks.analogies.measure import ModelAnalogies, RelationAnalogies
    from termgauge.terminology.model import TerminologyIdentity


@dataclass(frozen=True)
class AnalogyReport:
    """How well models cover the relations of a domain as analogies."""

    domain: Domain
    terminology: TerminologyIdentity
    relations: tuple[Relation, ...]
    ks: tuple[int, ...]
    """The first is what plain figures are about."""
    method: str
    labels: str
    alpha: float
    correction: str
    models: dict[str, ModelAnalogies]
    intervals: dict[tuple[str, str, int], Interval]
    """Of the coverage, by model, relation and k, over resamples of the pairs; NaN where nothing held."""
    differences: dict[str, tuple[Difference, ...]]
    """Of pairs of models in each relation, for the first k. Only models that sought answers in the same sort of place
    are compared, in their own vocabularies or in the terminology: between the two a difference would say nothing."""
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    """Models that could not be used, each with the reason."""

    @classmethod
    def of(
        cls,
        domain: Domain,
        terminology: TerminologyIdentity,
        relations: Sequence[Relation],
        ks: Sequence[int],
        models: Mapping[str, ModelAnalogies],
        *,
        method: str = "add",
        labels: str = "first",
        alpha: float = 0.05,
        correction: str = "bonferroni",
        seed: int = SEED,
        notes: Sequence[str] = (),
        left_out: Sequence[str] = (),
    ) -> AnalogyReport:
        """Add intervals and differences to what was counted."""
        intervals: dict[tuple[str, str, int], Interval] = {}
        differences: dict[str, tuple[Difference, ...]] = {}
        names = list(models)
        asked = [(relation, k) for relation in relations for k in ks]
        sorts = [models[name].neighbourhood for name in names]
        with track("Resampling pairs", total=len(asked), unit="relations") as advance:
            for relation, k in asked:
                holding = [models[name].relations[relation.name].holding_for(k) for name in names]
                found = Resampled((UNDEFINED,) * len(names), ())
                if len(relation.pairs) > 1 and any(map(len, holding)):
                    options: dict[str, Any] = {"alpha": alpha, "correction": correction, "seed": seed, "sorts": sorts}
                    found = resample_pairs(names, len(relation.pairs), holding, **options)
                for name, interval in zip(names, found.intervals, strict=True):
                    intervals[name, relation.name, k] = interval
                if k == ks[0]:
                    differences[relation.name] = found.differences
                advance(1)
        return cls(
            domain,
            terminology,
            tuple(relations),
            tuple(ks),
            method,
            labels,
            alpha,
            correction,
            dict(models),
            intervals,
            differences,
            tuple(notes),
            tuple(left_out),
        )

    def wins_and_losses(self, model: str, relation: str) -> tuple[int, int]:
        """Return how many other models a model significantly beats and loses to in a relation, for the first k."""
        return wins_and_losses(model, self.differences.get(relation, ()))

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-like values, null where something is undefined."""
        return {
            "domain": {
                "title": self.domain.title,
                "key": self.domain.key,
                "seeds": len(self.domain.seeds),
                "related": len(self.domain.related),
            },
            "terminology": asdict(self.terminology),
            "k": list(self.ks),
            "method": self.method,
            "method_name": METHODS[self.method],
            "labels": self.labels,
            "alpha": self.alpha,
            "correction": self.correction,
            "relations": {
                relation.name: {"label": relation.label, "pairs": len(relation.pairs)} for relation in self.relations
            },
            "models": {
                name: {
                    "kind": model.kind,
                    "neighbourhood": model.neighbourhood,
                    "neighbourhood_size": model.size,
                    "relations": {
                        relation: self._document(name, relation, found) for relation, found in model.relations.items()
                    },
                }
                for name, model in self.models.items()
            },
            "differences": [
                {"k": self.ks[0], "relation": relation, **each.as_dict()}
                for relation, found in self.differences.items()
                for each in found
            ],
            "notes": list(self.notes),
            "left_out": list(self.left_out),
        }

    def _document(self, model: str, relation: str, found: RelationAnalogies) -> dict[str, Any]:
        wins, losses = self.wins_and_losses(model, relation)
        by_k = {}
        for k in self.ks:
            interval = self.intervals[model, relation, k]
            by_k[str(k)] = {
                "successes": found.successes[k],
                "coverage": found.coverage(k),
                "low": finite(interval.low),
                "high": finite(interval.high),
            }
        return {
            "pairs": found.pairs,
            "in_vocabulary": found.in_vocabulary,
            "out_of_vocabulary": found.out_of_vocabulary,
            "analogies": found.asked,
            **by_k[str(self.ks[0])],
            "wins": wins,
            "losses": losses,
            "k": by_k,
        }
