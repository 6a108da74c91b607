"""Every Parquet file that is read back, damaged a byte at a time: what was written, or one sentence."""

from __future__ import annotations

import struct

import polars as pl
import pytest

import termgauge as tg
from termgauge.engine.run_folder import open_run
from termgauge.io import parquet_sandbox as contained

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
RATED = "rated"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a benchmark in each form, and a run with a set that people rated."""
    home = tmp_path_factory.mktemp("tables")
    terms = enumerate([("heart attack", "infarction"), ("lung", "pulmo"), ("kidney stone", "calculus")])
    rows = "".join(f"{number}\t{term}\n" for number, both in terms for term in both)
    (home / "terms.tsv").write_text(f"concept\tterm\n{rows}")
    for form in ("tsv", "parquet", "hf"):
        tg.build(home / "terms.tsv", home / form, format=form)
    pairs = [(f"heart {word}", f"liver {word}", at / 9) for at, word in enumerate("abcdefghij")]
    lines = [f"{one}\t{two}\t{score}\n" for one, two, score in pairs]
    (home / f"{RATED}.tsv").write_text("".join(lines))
    said = [f"{one}\t{two}\t{at}\t{at % 3}\n" for at, (one, two, _score) in enumerate(pairs)]
    (home / f"{RATED}.ratings.tsv").write_text("".join(["word1\tword2\tann\tbob\n", *said]))
    tg.evaluate([home / f"{RATED}.tsv", home / "tsv"], "baseline:levenshtein", home / "run")
    return home


def frames(sets):
    return [each.frame for each in sets]


def tables(home):
    """Return, for each kind of table, a file and how it is read."""
    scored = open_run(home / "run").scored()
    built, name = "terms/fsn-syn/hard/random", "fsn-syn.hard.random"
    return {
        "concepts": (home / "tsv" / f"{name}.concepts.parquet", lambda: frames(tg.load_benchmark(home / "tsv"))),
        "parquet": (home / "parquet" / f"{name}.parquet", lambda: frames(tg.load_benchmark(home / "parquet"))),
        "hf": (home / "hf" / "data" / f"{name}.parquet", lambda: frames(tg.load_benchmark(home / "hf"))),
        "set": (scored.set_file(built), lambda: [scored.read_set(built).frame]),
        "ratings": (home / "run" / "sets" / "ratings" / f"{RATED}.parquet", lambda: [scored.ratings(RATED)]),
        "scores": (
            scored.scores_file("levenshtein", RATED),
            lambda: [pl.DataFrame(scored.scores("levenshtein", RATED))],
        ),
        "results": (home / "run" / "results.parquet", lambda: [scored.results()]),
    }


KINDS = ["concepts", "parquet", "hf", "set", "ratings", "scores", "results"]


def same(tables, others):
    """Say whether tables are the same; what raters said may be unknown, if the file is of no set of the run."""
    return all(one is None or one.equals(other) for one, other in zip(tables, others, strict=True))


@pytest.mark.parametrize("step", [31, pytest.param(3, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", KINDS)
def test_damage_of_a_footer_is_a_sentence_or_nothing(folder, kind, step, capfd):
    path, read = tables(folder)[kind]
    whole, wanted = path.read_bytes(), read()
    footer = len(whole) - 8 - struct.unpack("<I", whole[-8:-4])[0]
    told = []
    try:
        for at in range(footer, len(whole), step):
            for value in {0xFF, whole[at] ^ 0x10} - {whole[at]}:
                path.write_bytes(whole[:at] + bytes([value]) + whole[at + 1 :])
                try:
                    assert same(read(), wanted), (at, value)
                except tg.TermgaugeError as error:
                    told.append(str(error))
    finally:
        path.write_bytes(whole)
    assert len(told) > len(whole[footer:]) / step / 4
    assert not [sentence for sentence in told if "\n" in sentence or str(path.parent) not in sentence]
    assert "panicked" not in capfd.readouterr().err


@pytest.mark.parametrize("kind", KINDS)
def test_what_would_end_the_reader_ends_nothing_else(folder, kind, monkeypatch):
    """Whoever makes a file can make its checksums, too, so no table of a folder is read in this process."""
    _path, read = tables(folder)[kind]
    with monkeypatch.context() as patched:
        patched.setattr(contained, "_PROGRAM", "import os; os.abort()")
        contained._READER.end()
        with pytest.raises(tg.TermgaugeError, match="the reader of Parquet files broke off"):
            read()
    contained._READER.end()


def test_damaged_concept_ids_are_made_again(folder):
    path = folder / "tsv" / "fsn-syn.hard.random.concepts.parquet"
    whole = path.read_bytes()
    for damaged in (b"", whole[:-9], whole[:40] + bytes([whole[40] ^ 0x55]) + whole[41:]):
        path.write_bytes(damaged)
        with pytest.raises(tg.TermgaugeError, match=r"concepts\.parquet: .*; build the benchmark again, or delete it"):
            list(tg.load_benchmark(folder / "tsv"))
        tg.build(folder / "terms.tsv", folder / "tsv", format="tsv")
        assert path.read_bytes() == whole


def test_a_run_makes_the_damaged_concept_ids_of_its_own_benchmark_again(folder, tmp_path):
    experiment = tmp_path / "experiment.toml"
    experiment.write_text(
        f'[[terminology]]\nname = "terms"\nsource = "{(folder / "terms.tsv").as_posix()}"\n'
        '[[benchmark]]\nname = "own"\nterminology = "terms"\n[[model]]\nspec = "baseline:levenshtein"\n'
    )
    run = tg.run(experiment, out=tmp_path / "run", report=False)
    path = run.path / "benchmarks" / "own" / "fsn-syn.hard.random.concepts.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + b"?")
    tg.run(experiment, out=tmp_path / "run", report=False)
    assert path.read_bytes() == whole


def test_texts_that_spreadsheets_would_run_are_harmless_in_the_values(tmp_path):
    names = ["=cmd|'/C calc'!A0", "+1+1", "-2+3", "@SUM(1)", "plain"]
    (tmp_path / "far.tsv").write_text("".join(f"heart\theart{'x' * far}\t{far}.5\n" for far in range(9)))
    run = tg.evaluate(tmp_path / "far.tsv", dict.fromkeys(names, "baseline:levenshtein"), tmp_path / "run")
    rows = pl.read_csv(run.path / "results.csv")
    assert set(rows["model"]) == {f"'{name}" for name in names[:4]} | {"plain"}
    assert set(run.results()["model"]) == set(names)
    assert rows["value"].equals(run.results()["value"]), "numbers, also negative ones, stay as they are"
    assert rows["value"].min() < 0


def test_a_table_of_other_columns_is_no_table_of_results(folder):
    run = open_run(folder / "run")
    file = run.path / "results.parquet"
    whole = file.read_bytes()
    contained.write_table(pl.DataFrame({"model": ["a"], "value": ["high"]}), file)
    try:
        with pytest.raises(tg.TermgaugeError, match=r"results\.parquet: does not have the columns of results"):
            run.results()
    finally:
        file.write_bytes(whole)
