"""What a trained model is measured on has nothing of the training, and is a benchmark like any other."""

from __future__ import annotations

import polars as pl
import pytest

import termgauge as tg
from termgauge.benchmark.load import load_sets
from termgauge.integrations import triplets
from tests.integrations.small_sets import ONLY, labelled, many

BIG = {
    f"c{at}": [f"disease {at}", f"{at} illness", f"the sickness no {at}", *([f"Malady {at // 2}"] if at % 3 else [])]
    for at in range(120)
}
"""Concepts of which some share a text."""


def big_benchmark(folder):
    """Build a benchmark of them, large enough that a fifth of it has pairs of each kind."""
    rows = "".join(f"{concept}\t{text}\n" for concept, texts in BIG.items() for text in texts)
    (folder / "terms.tsv").write_text(f"concept\tterm\n{rows}")
    return tg.build(folder / "terms.tsv", folder / "benchmark", only=ONLY)


@pytest.mark.parametrize("terminology", [False, True])
def test_what_is_held_out_has_nothing_of_the_training(tmp_path, terminology):
    """The terminology itself says what a text means, not what the export says of its splits."""
    (tmp_path / "big").mkdir()
    made = big_benchmark(tmp_path / "big")
    more = {"terminology": [str(tmp_path / "big" / "terms.tsv")]} if terminology else {}
    tg.export(made.folder, "triplets", tmp_path / "out", split="6,2,2", negatives="random", **more)
    meant = {}
    for concept, texts in BIG.items():
        for text in texts:
            meant.setdefault(text.lower(), set()).add(concept)

    def concepts_of(terms):
        return set().union(*(meant[text.lower()] for text in terms))

    splits = {name: pl.read_parquet(tmp_path / "out" / "data" / f"{name}.parquet") for name in triplets.SPLITS}
    seen = {name: concepts_of(text for column in frame for text in column) for name, frame in splits.items()}
    held_out = tg.load_benchmark(tmp_path / "out" / "test-benchmark")
    sets = {"test": [*held_out, *load_sets(tmp_path / "out" / "test-pairs.parquet")]}
    sets["validation"] = load_sets(tmp_path / "out" / "validation-pairs.parquet")
    assert {pairs.id.split("/", 1)[1] for pairs in held_out} == {pairs.id.split("/", 1)[1] for pairs in made}
    for name, own in sets.items():
        for pairs in own:
            there = concepts_of([*pairs.frame["term_1"], *pairs.frame["term_2"]])
            assert {*pairs.frame["concept_1"], *pairs.frame["concept_2"]} <= there
            assert not any(there & seen[other] for other in triplets.SPLITS if other != name)
            assert 0 < pairs.positives < len(pairs)
            same = [
                bool(meant[one.lower()] & meant[two.lower()])
                for one, two in pairs.frame.select(pl.nth(0, 1)).iter_rows()
            ]
            assert same == pairs.frame["label"].cast(bool).to_list()
    for whole, pairs in zip(made, held_out, strict=True):
        test = pl.col("concept_1").is_in(sorted(seen["test"])) & (pl.col("label") == 1)
        assert set(whole.frame.filter(test).iter_rows()) == set(pairs.frame.filter(label=1).iter_rows())
        assert len(pairs) == 2 * pairs.positives
    assert {row[:2] for row in splits["test"].iter_rows()} <= set(
        sets["test"][-1].frame.select(pl.nth(0, 1)).iter_rows()
    )


def test_what_is_held_out_is_measured_and_exported_like_any_benchmark(tmp_path):
    (tmp_path / "big").mkdir()
    made = big_benchmark(tmp_path / "big")
    tg.export(made.folder, "triplets", tmp_path / "out", split="6,2,2", negatives="random")
    tg.export(made.folder, "triplets", tmp_path / "out", split="6,2,2", negatives="random", force=True)
    places = [tmp_path / "out" / "test-benchmark", tmp_path / "out" / "test-pairs.parquet"]
    run = tg.evaluate(places, "baseline:levenshtein", tmp_path / "run")
    subject = next(iter(made)).origin.terminology
    ids = {f"{subject}-test{pairs.id.removeprefix(subject)}" for pairs in made}
    assert set(run.record().sets) == ids | {f"{subject}/pairs/test"}
    again = tg.export(places[0], "hf", tmp_path / "again")
    assert sum(again.contents.values()) == sum(map(len, tg.load_benchmark(places[0])))
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert all(
        name in card for name in ("| validation-pairs |", "| test-pairs |", "| test-benchmark/syn-syn.hard.random |")
    )
    loaded = set(tmp_path.joinpath("out").iterdir())
    with pytest.warns(tg.TermgaugeWarning, match="has no triplets"):
        tg.export(made.folder, "triplets", tmp_path / "out", split="1,0,0", negatives="random", force=True)
    assert {path.name for path in set(tmp_path.joinpath("out").iterdir()) ^ loaded} == {
        "test-benchmark", "test-pairs.parquet", "validation-pairs.parquet",
    }  # fmt: skip


def test_pairs_across_two_languages_stay_so(tmp_path):
    words = {"en": ("disease", "illness number"), "de": ("Krankheit", "Leiden Nummer")}
    rows = [f"c{at}\t{word} {at}\t{code}" for at in range(60) for code, own in words.items() for word in own]
    (tmp_path / "terms.tsv").write_text("\n".join(["concept\tterm\tlanguage", *rows]) + "\n")
    made = tg.build(tmp_path / "terms.tsv", tmp_path / "benchmark", languages="en,de", only=["syn-syn", "hard"])
    tg.export(made.folder, "triplets", tmp_path / "out", split="6,2,2")
    for pairs in tg.load_benchmark(tmp_path / "out" / "test-benchmark"):
        assert len(pairs) == 2 * pairs.positives
        assert pairs.frame["term_1"].str.contains("disease|illness").all()
        assert pairs.frame["term_2"].str.contains("Krankheit|Leiden").all()


def test_pairs_of_the_training_are_not_held_out(tmp_path, monkeypatch):
    monkeypatch.setattr(triplets, "held_out_sets", lambda sources, *_rest: sources)
    with pytest.raises(
        tg.TermgaugeError, match=r"Nothing was written, since 'toy.* has concepts of the training, such"
    ):
        tg.export(labelled(many()), "triplets", tmp_path / "out")
    assert not (tmp_path / "out").exists()
