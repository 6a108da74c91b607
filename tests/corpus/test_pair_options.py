"""The options of pairs: what is so if nothing is said."""

from __future__ import annotations

from termgauge.corpus.options import PairOptions


def test_defaults_are_those_of_the_protocol():
    options = PairOptions.of()
    assert (options.per_quarter, options.seed, options.experts, options.domain_source) == (250, 42, None, "decisions")
    assert (options.scope, options.min_producers, options.word_class) == ([], None, None)
    assert PairOptions.of(scope="related").scope == ["related"]
    assert all(field.description for field in PairOptions.model_fields.values())
