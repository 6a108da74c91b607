"""Triplets never leak, whatever the terminology."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import termgauge as tg
from termgauge.benchmark.load import load_sets
from termgauge.integrations import triplets
from termgauge.integrations.export import ExportOptions
from termgauge.integrations.splits import Knowledge
from tests.integrations.leaks import leaks
from tests.integrations.small_sets import ONLY, benchmark, labelled, many

WORDS = [f"{first}{second}" for first in "abcdefgh" for second in ("a", "e", "i", "o", "u", "ache", "itis", "oma")]
TEXT = st.builds(lambda word, upper: word.upper() if upper else word, st.sampled_from(WORDS), st.booleans())
CONCEPTS = st.dictionaries(
    st.integers(0, 40).map("c{}".format), st.lists(TEXT, min_size=2, max_size=4, unique_by=str.lower), min_size=2
)


@settings(max_examples=40)
@given(CONCEPTS, st.data(), st.sampled_from(["levenshtein", "random"]), st.integers(0, 5))
def test_no_terminology_leaks(concepts, data, how, seed):
    ids = st.sampled_from(sorted(concepts))
    replaced = [pair for pair in data.draw(st.lists(st.tuples(ids, ids), max_size=6)) if pair[0] != pair[1]]
    knowledge = Knowledge.from_sets([labelled(concepts, replaced)])
    options = ExportOptions.of(split="2,1,1", negatives=how, seed=seed, per_positive=2)
    made = triplets.make_triplets(knowledge, options)
    assert list(leaks(made.splits, knowledge.texts, knowledge.linked)) == []
    said = {name: {text.lower() for row in frame.iter_rows() for text in row} for name, frame in made.splits.items()}
    meant = {
        name: {concept for concept, texts in concepts.items() if own & {text.lower() for text in texts}}
        for name, own in said.items()
    }
    for one, other in (("train", "validation"), ("train", "test"), ("validation", "test")):
        assert said[one].isdisjoint(said[other])
        assert meant[one].isdisjoint(meant[other])
        assert not any(
            (old in meant[one]) & (new in meant[other]) for old, new in replaced + [p[::-1] for p in replaced]
        )
    pairs = {frozenset((one.lower(), two.lower())) for one, two, *_rest in knowledge.positives}
    rows = [row for frame in made.splits.values() for row in frame.iter_rows()]
    assert all(frozenset((anchor.lower(), positive.lower())) in pairs for anchor, positive, _negative in rows)
    kept = {row[:2] for row in rows}
    assert len(kept) + sum(made.dropped.values()) == len(knowledge.positives)


def test_a_leak_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(
        triplets, "concept_groups", lambda knowledge: {each: at for at, (each, _) in enumerate(knowledge.texts)}
    )
    shared = {**many(30), **{f"k{at}": [f"DISEASE {at}", f"other {at}"] for at in range(30)}}
    with pytest.raises(tg.TermgaugeError, match=r"Nothing was written, since .* has concepts of the training"):
        tg.export(labelled(shared), "triplets", tmp_path / "out", split="1,1,1", negatives="random")
    assert not (tmp_path / "out").exists()


def test_the_folder_is_a_dataset_with_a_card(tmp_path, monkeypatch):
    datasets = pytest.importorskip("datasets")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    made = benchmark(tmp_path)
    written = tg.export(made.folder, "triplets", tmp_path / "out", split="6,2,2", per_positive=2, licence="cc-by-4.0")
    loaded = datasets.load_dataset(str(tmp_path / "out"), cache_dir=str(tmp_path / "cache"))
    assert {name: split.num_rows for name, split in loaded.items()} == written.contents
    assert list(written.contents) == ["train", "validation", "test"]
    assert all(split.column_names == ["anchor", "positive", "negative"] for split in loaded.values())
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert "- seed: 42" in card
    assert made["syn-syn.hard.random"].sha256 in card
    concepts = pl.read_parquet(tmp_path / "out" / "concepts.parquet")
    assert concepts.group_by("concept").agg(pl.col("split").n_unique())["split"].max() == 1
    again = tg.export(made.folder, "triplets", tmp_path / "again", split="6,2,2", per_positive=2, licence="cc-by-4.0")
    assert again.contents == written.contents
    assert (tmp_path / "again" / "README.md").read_text("utf-8") == card


def test_negatives_that_a_model_mines(tmp_path):
    sets, out = labelled(many()), tmp_path / "out"
    words = sorted({word for texts in many().values() for text in texts for word in text.split()})
    lines = "".join(f"{word} {len(word)} {place % 7} {place % 3}\n" for place, word in enumerate(words))
    (tmp_path / "words.txt").write_text(f"{len(words)} 3\n{lines}")
    written = tg.export(sets, "triplets", out, negatives="mined", model=f"word2vec:{tmp_path / 'words.txt'}")
    assert sum(written.contents.values()) == 120
    card = (out / "README.md").read_text("utf-8")
    assert "- model: words, " in card
    assert str(tmp_path) not in card
    for options in ({"negatives": "mined"}, {"model": "baseline:random"}):
        with pytest.raises(tg.TermgaugeError, match="give both --negatives mined and --model SPEC"):
            tg.export(sets, "triplets", tmp_path / "none", **options)


def test_the_terminology_keeps_ancestors_away(tmp_path):
    made = benchmark(tmp_path)
    with pytest.warns(tg.TermgaugeWarning, match="have no negative and were left out"):  # all is below c0
        tg.export(made, "triplets", tmp_path / "out", negatives="random", terminology=[str(tmp_path / "terms")])
    above = {f"c{at}": {f"c{at >> by}" for by in range(1, 7)} for at in range(40)}
    concept = {text: each for each, texts in many().items() for text in texts}
    for file in (tmp_path / "out" / "data").iterdir():
        for anchor, _positive, negative in pl.read_parquet(file).iter_rows():
            one, other = concept[anchor], concept[negative]
            assert one not in above[other]
            assert other not in above[one]


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
