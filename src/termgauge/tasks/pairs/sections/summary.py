"""What is to be remembered of a run, in a few sentences: who wins where, what cannot be told apart, what to beware of.

Every claim rests on the comparison: a model is called better only where the difference is significant.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Fact
from termgauge.reporting.set_names import STATISTICS
from termgauge.reporting.words import (
    bold,
    capitalised,
    corrected,
    count,
    counted,
    listed,
    named,
    number,
    plain,
    ranged,
    share,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from termgauge.reporting.set_names import TitledSet
    from termgauge.tasks.pairs.sections.standings import Standings

_NEAR_GUESSING = 0.2
"""Values are close to guessing that go no further than this from there to 1."""
_ROUNDING = 1e-9
_PARTIAL = 0.9
_MOST_SENTENCES = 7
_MOST_NAMES = 3
_MOST_CALLED = 4


def summary(
    standings: Standings, pairs: Mapping[str, int] | None = None, failures: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """Return three to seven sentences; `failures` are models that were left out or did not finish."""
    lost = dict(failures or {})
    if not standings.models:
        return ("Nothing was measured: no model has a value on any set.", *_failures(standings, lost))
    regimes = _regimes(standings)
    about = list(_about_one(standings, regimes) if len(standings.models) == 1 else _about_many(standings, regimes))
    caveats = [*_baselines(standings), *_coverage(standings), *_failures(standings, lost)]
    scope = [_scope(standings, pairs or {})]
    if len(scope) + len(about) + len(caveats) > _MOST_SENTENCES:
        scope = []  # what was measured stands beside the summary, too
    while len(about) + len(caveats) > _MOST_SENTENCES and len(caveats) > 1:
        caveats[-2:] = [" ".join(caveats[-2:])]
    return (*scope, *about, *caveats)


class _Regime(NamedTuple):
    """Sets that are hard or easy for the same reason."""

    one: str
    """What a set of them is called."""
    many: str
    sets: tuple[TitledSet, ...]

    @property
    def phrase(self) -> str:
        return f"the {self.one}" if len(self.sets) == 1 else f"the {count(len(self.sets))} {self.many}"


def _regimes(standings: Standings) -> list[_Regime]:
    """Return the sets that have values, by what makes them hard."""
    other = "other " if any(each.built for each in standings.sets) else ""
    kinds = (
        ("set with random negatives", "sets with random negatives", lambda each: each.origin.strategy == "random"),
        ("easy set with edit-distance negatives", "easy sets with edit-distance negatives",
         lambda each: each.origin.strategy == "levenshtein" and each.origin.difficulty == "easy"),
        ("hard set with edit-distance negatives", "hard sets with edit-distance negatives",
         lambda each: each.origin.strategy == "levenshtein" and each.origin.difficulty == "hard"),
        ("set rated by people", "sets rated by people", lambda each: each.graded),
        (f"{other}labelled set", f"{other}labelled sets", lambda each: not each.graded and not each.built),
    )  # fmt: skip
    valued = [each for each in standings.sets if standings.valued(each)]
    regimes = [_Regime(one, many, tuple(each for each in valued if fits(each))) for one, many, fits in kinds]
    return [regime for regime in regimes if regime.sets]


def _scope(standings: Standings, pairs: Mapping[str, int]) -> str:
    built = [each for each in standings.sets if each.built]
    rated = [each for each in standings.sets if each.graded]
    others = len(standings.sets) - len(built) - len(rated)
    sources = listed(dict.fromkeys(plain(each.origin.terminology) for each in built)) if built else ""
    sorts = [(len(built), f"built from {sources}"), (len(rated), "rated by people"), (others, "of other origin")]
    kinds = {what: many for many, what in sorts if many}
    total = sum(pairs.get(each.id, 0) for each in standings.sets)
    of = f" of {numbered(total, 'pair')}" if total else ""
    origin = f": {listed(f'{count(many)} {what}' for what, many in kinds.items())}"
    if others == len(standings.sets):
        origin = ""
    elif len(kinds) == 1:
        origin = ", " + ("all " if len(standings.sets) > 1 else "") + next(iter(kinds))
    sets = f"{counted(len(standings.sets), 'set')}{of}{origin}"
    if len(standings.models) == 1:
        return f"One model, {bold(standings.models[0])}, was measured on {sets}."
    many = counted(len(standings.models), "model")
    if standings.baselines and len(standings.baselines) < len(standings.models):
        weak = len(standings.baselines)
        many += (
            f", {count(weak)} of them {'a baseline that knows' if weak == 1 else 'baselines that know'} no medicine,"
        )
    return f"{capitalised(many)} were measured on {sets}."


def _about_one(standings: Standings, regimes: Sequence[_Regime]) -> Iterator[str]:
    (model,) = standings.models
    for regime in regimes:
        values = {each: value for each in regime.sets if (value := standings.value(each, model)) is not None}
        near, own = _guessing(standings, list(values), list(values.values())), ranged(list(values.values()))
        yield f"On {regime.phrase} its {STATISTICS[regime.sets[0].statistic]} is {own}{near}."
    if not regimes:
        yield "It has no value on any of them: too few pairs that it can score, or all scores are equal."


@dataclass(frozen=True)
class _Outcome:
    """Who wins in a regime, as the rest of a sentence that starts with it."""

    claim: str
    regime: _Regime
    best: tuple[float, ...]
    """The highest value of each set."""


def _about_many(standings: Standings, regimes: Sequence[_Regime]) -> Iterator[str]:
    outcomes: dict[tuple[str, str], list[_Outcome]] = {}
    for regime in regimes:
        outcome = _outcome(standings, regime)
        if outcome:
            outcomes.setdefault((outcome.claim, regime.sets[0].statistic), []).append(outcome)
    for (_, statistic), same in outcomes.items():
        where = listed(outcome.regime.phrase for outcome in same)
        sets = tuple(each for outcome in same for each in outcome.regime.sets)
        values = [value for outcome in same for value in outcome.best]
        per_set = "" if len(values) == 1 else " per set"
        best = f"the best {STATISTICS[statistic]}{per_set} is {ranged(values)}{_guessing(standings, sets, values)}"
        # What is true of each is said of all of them together: counts of sets add up.
        yield f"On {where}, {_claim(standings, sets)}; {best}."


def _guessing(standings: Standings, sets: Sequence[TitledSet], values: Sequence[float]) -> str:
    """Compare the values of labelled sets with what guessing gives, where they are close to it."""
    near = [
        guess
        for each, value in zip(sets, values, strict=True)
        if not each.graded
        and (guess := standings.guessing(each)) is not None
        and value - guess < _NEAR_GUESSING * (1 - guess) - _ROUNDING
    ]
    if not near:
        return ""
    if len(near) == len(values):
        return f", where guessing gives {ranged(near)}"
    return f", on {count(len(near))} of them close to the {ranged(near)} of guessing"


def _outcome(standings: Standings, regime: _Regime) -> _Outcome | None:
    """Return who wins on those sets of a regime on which models could be compared; None if there are none."""
    sets = tuple(each for each in regime.sets if len(_compared(standings, each)) > 1)
    if not sets:
        return None
    best = tuple(max(one.value for one in standings.valued(each) if one.value is not None) for each in sets)
    return _Outcome(_claim(standings, sets), regime._replace(sets=sets), best)


def _compared(standings: Standings, each: TitledSet) -> list[str]:
    return [one.model for one in standings.on(each) if one.compared]


def _claim(standings: Standings, sets: tuple[TitledSet, ...]) -> str:
    tops = [standings.top(each) for each in sets]
    if not any(one.against.wins for each in sets for one in standings.on(each)):
        return "no difference between the models is significant"
    everyone = {model for each in sets for model in _compared(standings, each)}
    order = standings.ranked(sets)
    always = [model for model in order if all(model in top for top in tops)]
    each_of_them = " on each of them" if len(sets) > 1 else ""
    if len(always) == 1 and all(len(top) == 1 for top in tops):
        return f"{_called(standings, always[0])} is significantly better than every other model{each_of_them}"
    if len(always) == len(everyone):
        return "no model is significantly worse than the best"
    if len(always) == 1:
        return _leader(standings, sets, always[0])
    if always:
        none = "neither" if len(always) == 2 else "none of them"
        where = " on any" if len(sets) > 1 else ""
        return f"{_all_called(standings, always)} share the top: {none} is significantly worse than the best{where}"
    counts = {model: sum(model in top for top in tops) for model in order}
    leaders = sorted(order, key=lambda model: -counts[model])[:2]
    first, second = leaders
    shown = [each for each in leaders if counts[each]]
    more = f", {_called(standings, second)} on {count(counts[second])}" if counts[second] else ""
    lead = f"{_called(standings, first)} is the best or not significantly worse on {count(counts[first])} of them"
    return f"no model leads everywhere: {lead}{more}{_as_well(standings, counts, shown)}"


def _called(standings: Standings, model: str) -> str:
    """Return the name of a model in bold, and that it is a baseline if it is one."""
    return f"{bold(model)} (a baseline)" if model in standings.baselines else bold(model)


def _all_called(standings: Standings, models: Sequence[str]) -> str:
    """Return the names of models, the first few of many; no baseline is among those that are only counted."""
    kept = [model for at, model in enumerate(models) if at < _MOST_CALLED or model in standings.baselines]
    more = len(models) - len(kept)
    others = [f"{count(more)} {'other' if more == 1 else 'others'}"] if more else []
    return listed([*(_called(standings, model) for model in kept), *others])


def _as_well(standings: Standings, counts: Mapping[str, int], named_ones: Sequence[str]) -> str:
    """Name the baselines that are at the top as often as the models that a sentence names."""
    models = [counts[model] for model in named_ones if model not in standings.baselines]
    least = min(models, default=0)
    others = [name for name in standings.baselines if name not in named_ones and counts.get(name, 0) >= least > 0]
    if not others:
        return ""
    better = any(counts[name] > least for name in others)
    does = "does" if len(others) == 1 else "do"
    which = "the baseline" if len(others) == 1 else "the baselines"
    return f"; {which} {named(others)} {does} as well{' or better' if better else ''}"


def _leader(standings: Standings, sets: Sequence[TitledSet], leader: str) -> str:
    """Say what the one model achieves that is nowhere worse than the best; another may have more highest values."""
    alone = sum(standings.top(each) == (leader,) for each in sets)
    also = f", and on {count(alone)} significantly better than every other model" if alone else ""
    highest: Counter[str] = Counter()
    for each in sets:
        values = {model: standings.value(each, model) for model in standings.models}
        best = max(value for value in values.values() if value is not None)
        highest.update(model for model, value in values.items() if value == best)
    called = _called(standings, leader)
    never_worse = {model: 1 for model in standings.models if _never_worse(standings, sets, model)}
    if len(never_worse) > 1:  # the others on fewer sets
        as_well = _as_well(standings, never_worse, [leader])
        return f"{called} is the best or not significantly worse on all of them{also}{as_well}"
    (first, most), *others = highest.most_common()
    if first != leader and all(times < most for _, times in others):
        statistic = STATISTICS[sets[0].statistic]
        return (
            f"{_called(standings, first)} has the highest {statistic} most often, on {count(most)}, but only {called} "
            f"is never significantly worse than the best{also}"
        )
    return f"{called} leads: it alone is never significantly worse than the best{also}"


class _Beaten(NamedTuple):
    """On how many sets a model is significantly better than every baseline."""

    model: str
    sets: int
    of: int


def _never_worse(standings: Standings, sets: Sequence[TitledSet], model: str) -> bool:
    """Say whether a model was compared and is significantly worse than the best on no set."""
    there = [one.top for each in sets if (one := standings.of(each, model)) and one.compared]
    return bool(there) and all(there)


def _baselines(standings: Standings) -> Iterator[str]:
    """Say which models beat what knows no medicine, and how often."""
    verdicts = _verdicts(standings)
    beaten = [_beats_all(verdicts, model) for model in standings.models if model not in standings.baselines]
    beaten = sorted((one for one in beaten if one.of), key=lambda one: (-one.sets / one.of, -one.of))
    if not beaten:
        return
    several = max(one.of for one in beaten) > 1
    won = [one for one in beaten if one.sets]
    each, hardest = _each_baseline(standings, verdicts)
    if all(one.sets == one.of for one in beaten):
        yield f"Every model is significantly better than {each}{' on every set' if several else ''}."
    elif not won:
        yield f"No model is significantly better than {each}{' on any set' if several else ''}{hardest}."
    elif not several:
        are = plural(len(won), "is", "are")
        yield f"Only {named([one.model for one in won])} {are} significantly better than {each}{hardest}."
    elif len(won) == 1:
        where = f"on {_so_many(won[0])} sets"
        yield f"Only {bold(won[0].model)} is significantly better than {each} anywhere, {where}{hardest}."
    else:
        first = f"{bold(beaten[0].model)} is significantly better than {each} on {_so_many(beaten[0])} sets"
        yield f"{listed([first, *_others(beaten)])}{hardest}."


def _so_many(one: _Beaten) -> str:
    return f"all {count(one.of)}" if one.sets == one.of else f"{count(one.sets)} of {count(one.of)}"


def _others(beaten: Sequence[_Beaten]) -> Iterator[str]:
    """Say on how many sets each but the first is better, the first few of many; of how many is said once."""
    shown = beaten if len(beaten) <= _MOST_NAMES + 1 else beaten[:_MOST_NAMES]
    for before, one in pairwise(shown):
        times = ("all" if one.sets == one.of else count(one.sets)) if one.of == before.of else _so_many(one)
        yield f"{bold(one.model)} on {times if one.sets else 'none'}"
    if rest := beaten[len(shown) :]:
        most = max(one.sets for one in rest)
        yield f"{counted(len(rest), 'other')} on {f'at most {count(most)}' if most else 'none'}"


def _verdicts(standings: Standings) -> list[dict[tuple[str, str], bool]]:
    """Return for each set whether each model is significantly better than each baseline it was compared with."""
    verdicts = []
    for test in (compared.comparison for compared in standings.comparisons.values()):
        there = [name for name in test.names if name not in test.undefined]
        differences = [
            test.between(model, baseline)
            for model in standings.models
            for baseline in standings.baselines
            if model in there and baseline in there and model not in standings.baselines
        ]
        verdicts.append({(each.one, each.other): each.significant and each.value > 0 for each in differences})
    return verdicts


def _beats_all(verdicts: Sequence[Mapping[tuple[str, str], bool]], model: str) -> _Beaten:
    """Count the sets on which a model is significantly better than every baseline that it was compared with."""
    wins = [[better for (name, _), better in on_set.items() if name == model] for on_set in verdicts]
    return _Beaten(model, sum(map(all, filter(None, wins))), sum(map(bool, wins)))


def _each_baseline(standings: Standings, verdicts: Sequence[Mapping[tuple[str, str], bool]]) -> tuple[str, str]:
    """Return what the baselines are called, and a clause that names the one that is beaten least often, if one is."""
    times = {
        baseline: sum(better for on_set in verdicts for (_, name), better in on_set.items() if name == baseline)
        for baseline in standings.baselines
    }
    first, *others = sorted(times, key=lambda name: times[name])
    what = standings.baselines[first]
    name = bold(first) if _same(first, what) else f"{bold(first)} ({what})"
    if not others:
        return f"the baseline {name}", ""
    return "every baseline", f"; {name} is the hardest to beat" if times[first] < times[others[0]] else ""


def _same(name: str, what: str) -> bool:
    """Say whether a name is what it names."""
    return name.casefold().replace("-", " ").replace("_", " ") == what


def _coverage(standings: Standings) -> Iterator[str]:
    """Name the models that score few pairs, and the sets on which nothing is left to compare: both have one cause."""
    partial = _partial(standings)
    without = (
        [each for each in standings.sets if len(_compared(standings, each)) < 2] if len(standings.models) > 1 else []
    )
    where = counted(len(without), "set")
    if any(map(standings.valued, without)):
        yield f"The models were not compared on {where}; the reasons are given below."
        without = []
    few = f"on {where} too few pairs can be scored by all of them to compare them"
    if len(without) == len(standings.sets):
        few = "on no set can enough pairs be scored by all of them to compare them"
    if not partial:
        if without:
            yield f"{capitalised(few)}."
        return
    parts = [
        f"{bold(model)} {share(low) if share(low) == share(high) else f'{100 * low:.0f} to {share(high)}'}"
        for low, high, model in partial[:_MOST_NAMES]
    ]
    if partial[_MOST_NAMES:]:
        parts.append(f"{counted(len(partial) - _MOST_NAMES, 'other model')} less than {share(_PARTIAL)}")
    if len(standings.models) == 1:
        yield f"It cannot score every pair: {listed(parts)} of a set."
        return
    so = few if without else "models are compared on the pairs that all of them can score"
    apart = standings.sets_apart
    if apart:
        they, takes = ("it scores", "takes") if len(apart) == 1 else ("they score", "take")
        where = listed(f"{bold(model)} {takes} no part on {counted(sets, 'set')}" for model, sets in apart.items())
        so += f", but {where}, of which {they} too few pairs"
    yield f"Not every model can score every pair: {listed(parts)} of a set; {so}."


def _partial(standings: Standings) -> list[tuple[float, float, str]]:
    """Return the models that do not score nearly all pairs of every set: the least and greatest share, and the name."""
    partial = []
    for model in standings.models:
        shares = [
            one.coverage for each in standings.sets if (one := standings.of(each, model)) and one.coverage is not None
        ]
        if shares and min(shares) < _PARTIAL:
            partial.append((min(shares), max(shares), model))
    return sorted(partial)


def _failures(standings: Standings, failures: Mapping[str, str]) -> Iterator[str]:
    lost = [name for name in failures if name not in standings.models]
    partly = [name for name in failures if name in standings.models]
    parts = [
        *([f"{named(lost)} {plural(len(lost), 'was', 'were')} left out"] if lost else []),
        *([f"{named(partly)} did not finish every step"] if partly else []),
    ]
    if parts:
        yield f"{listed(parts)}; the reasons are given below."


def facts(standings: Standings, pairs: Mapping[str, int]) -> Iterator[Fact]:
    """Yield the terminologies, models and sets, and how differences were tested."""
    total = sum(pairs.get(each.id, 0) for each in standings.sets)
    sources = dict.fromkeys(each.origin.terminology for each in standings.sets if each.built)
    if sources:
        yield Fact("Terminology" if len(sources) == 1 else "Terminologies", ", ".join(sources))
    weak, named = len(standings.baselines), number(len(standings.models))
    which = f"{named}, {count(weak)} of them {'a baseline' if weak == 1 else 'baselines'}" if weak else named
    yield Fact("Models", which)
    yield Fact("Sets", number(len(standings.sets)) + (f", {numbered(total, 'pair')}" if total else ""))
    some = next(iter(standings.comparisons.values()), None)
    if some is not None and some.comparison.comparisons:
        yield Fact("Significance", f"alpha {some.comparison.alpha:g}, {corrected(some.comparison.correction)}")
