"""Models asked for analogies of some relations, without a domain."""

from __future__ import annotations

from termgauge.domain.domain import Domain
from termgauge.domain.relations import ChosenRelations, Relation
from termgauge.tasks.analogies.result import analogies_of
from termgauge.tasks.analogies.task import AnalogyInputs, AnalogyOptions
from termgauge.tasks.contract import Material
from tests.domain.terminologies import terminology_of

DOMAIN = Domain(("1", "2"), ("1",))


def relation_of(*pairs, name="treats"):
    return Relation(name, name, tuple(pairs))


def inputs_of(relations, terminology=None):
    chosen = ChosenRelations(tuple(relations), ("a note",))
    return AnalogyInputs(terminology or terminology_of({}), DOMAIN, chosen, Material().testing)


def asked(model, relations, k=(10,), terminology=None, **options):
    """Return the analogies of a model."""
    options = AnalogyOptions.of(domain=DOMAIN, k=list(k), **options)
    return analogies_of(model, inputs_of(relations, terminology), options)
