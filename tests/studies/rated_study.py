"""Studies that made raters have answered, without a server."""

from __future__ import annotations

from termgauge.studies.demo import demo_pairs, demo_study, simulated_raters


def rated_study(folder, kind="similarity", *, raters=6, seed=1):
    """Return a study of the demonstration's pairs that so many raters have finished; the second did not read."""
    study = demo_study(folder, kind, seed)
    scores = {pair[:2]: pair for pair in demo_pairs()}
    words = {number: (one, other) for number, one, other in study.pairs.rows()}
    with study.store() as store:
        for rater in simulated_raters(raters, study.file.groups, seed):
            invited, _token = store.invite(rater.group, rater.name)
            rows = []
            for group, page, position, pair, _kind in study.layout.rows():
                if group == rater.group:
                    rating, seconds = rater.rates(scores[words[pair]], quality=kind == "quality")
                    rows.append((page, position, rating, seconds))
            store.import_answers(invited.id, rows, "test")
            store.set_state(invited.id, "finished", None)
    return study
