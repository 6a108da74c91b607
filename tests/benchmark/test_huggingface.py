from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from termgauge.benchmark.huggingface import DatasetCard, write_huggingface
from termgauge.benchmark.pairset import PairSet, read_parquet
from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from pathlib import Path

CARD = DatasetCard(
    title='Terms of "HPO": a test',
    licence="cc-by-4.0",
    language=("en", "de"),
    source={"format": "obo", "version": "2025-01-16", "sha256": "ab" * 32, "edition": None},
    options={"seed": 42, "split distance": 5},
    statistics={
        "fsn-syn.easy.random": {
            "pairs": 2,
            "positives": 1,
            "mean_distance_positives": 2.5,
            "mean_distance_negatives": 20.125,
            "multi_word": 0.25,
        }
    },
)


FRONT_MATTER = """\
---
license: cc-by-4.0
language:
- "en"
- "de"
pretty_name: "Terms of \\"HPO\\": a test"
size_categories:
- "n<1K"
task_categories:
- sentence-similarity
tags:
- medical
- biology
configs:
- config_name: "fsn-syn.easy.random"
  version: "0.0.N"
  data_files:
  - split: test
    path: "data/fsn-syn.easy.random.parquet"
- config_name: "human.demo"
  version: "0.0.N"
  data_files:
  - split: test
    path: "data/human.demo.parquet"
---

"""


def binary(count: int = 2, name: str = "hp/fsn-syn/easy/random") -> PairSet:
    rows = [(f"Grippe {n}", "grippé", n % 2) for n in range(count)]
    schema = {"term_1": pl.String, "term_2": pl.String, "label": pl.Int8}
    return PairSet(name, pl.DataFrame(rows, schema=schema, orient="row"))


def graded() -> PairSet:
    columns = {"term_1": ["a"], "term_2": ["b"], "score": [0.1], "concept_1": ["C1"], "concept_2": [None]}
    return PairSet("human/demo", pl.DataFrame(columns, schema_overrides={"concept_2": pl.String}))


def front_matter(folder: Path) -> Any:
    yaml = pytest.importorskip("yaml")
    before, matter, _body = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    assert before == ""
    return yaml.safe_load(matter)


def test_the_folder_holds_the_sets_and_a_card_that_names_them(tmp_path: Path) -> None:
    sets = {"fsn-syn.easy.random": binary(), "human/demo": graded()}
    folder = write_huggingface(sets, tmp_path / "out", card=CARD)
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert files == ["README.md", "data/fsn-syn.easy.random.parquet", "data/human.demo.parquet"]
    assert read_parquet(folder / "data" / "fsn-syn.easy.random.parquet") == sets["fsn-syn.easy.random"]
    assert read_parquet(folder / "data" / "human.demo.parquet") == sets["human/demo"]
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert re.sub(r'(?m)^  version: "0\.0\.[0-9]{1,15}"$', '  version: "0.0.N"', card).startswith(FRONT_MATTER)


def test_the_front_matter_is_yaml(tmp_path: Path) -> None:
    folder = write_huggingface({"fsn-syn.easy.random": binary(), "human/demo": graded()}, tmp_path / "out", card=CARD)
    matter = front_matter(folder)
    versions = [each.pop("version") for each in matter["configs"]]
    assert versions[0] != versions[1]
    assert matter == {
        "license": "cc-by-4.0",
        "language": ["en", "de"],
        "pretty_name": 'Terms of "HPO": a test',
        "size_categories": ["n<1K"],
        "task_categories": ["sentence-similarity"],
        "tags": ["medical", "biology"],
        "configs": [
            {"config_name": name, "data_files": [{"split": "test", "path": f"data/{name}.parquet"}]}
            for name in ("fsn-syn.easy.random", "human.demo")
        ],
    }


def test_the_card_states_source_statistics_and_hashes(tmp_path: Path) -> None:
    pairs = binary()
    sets = {"fsn-syn.easy.random": pairs, "human/demo": graded()}
    card = (write_huggingface(sets, tmp_path / "out", card=CARD) / "README.md").read_text(encoding="utf-8")
    assert "- version: 2025-01-16" in card
    assert "edition" not in card
    assert "- seed: 42" in card
    assert (
        "| set | pairs | positives | mean distance, positives | mean distance, negatives | multi-word terms |" in card
    )
    assert "| fsn-syn.easy.random | 2 | 1 | 2.50 | 20.12 | 25.0% |" in card
    assert "| human.demo | 1 |  |  |  |  |" in card
    assert f"| fsn-syn.easy.random | hp/fsn-syn/easy/random | `{pairs.sha256}` |" in card
    for table in card.split("\n\n"):
        if table.startswith("| "):
            assert len({line.count("|") for line in table.splitlines()}) == 1


def test_any_other_licence_is_given_in_words(tmp_path: Path) -> None:
    card = DatasetCard(title="x", licence="HPO licence: ask first")
    text = (write_huggingface({"a": binary()}, tmp_path / "out", card=card) / "README.md").read_text(encoding="utf-8")
    assert text.startswith('---\nlicense: other\nlicense_name: "HPO licence: ask first"\nlanguage:')


def test_sets_without_pairs_are_left_out(tmp_path: Path) -> None:
    folder = write_huggingface({"a": binary(0), "b": binary()}, tmp_path / "out", card=CARD)
    assert [path.name for path in (folder / "data").iterdir()] == ["b.parquet"]
    assert (folder / "README.md").read_text(encoding="utf-8").count("config_name") == 1
    with pytest.raises(TermgaugeError, match="no pairs to export"):
        write_huggingface({"a": binary(0)}, tmp_path / "none", card=CARD)
    assert not (tmp_path / "none").exists()


def test_what_is_in_the_folder_is_not_lost(tmp_path: Path) -> None:
    folder = write_huggingface({"a": binary()}, tmp_path / "out", card=CARD)
    with pytest.raises(TermgaugeError, match="holds an export already"):
        write_huggingface({"b": binary()}, folder, card=CARD)
    write_huggingface({"b": binary()}, folder, card=CARD, force=True)
    assert [path.name for path in (folder / "data").iterdir()] == ["b.parquet"]
    (folder / "thesis.doc").write_text("precious")
    with pytest.raises(TermgaugeError, match=r"holds other things, such as 'thesis\.doc'"):
        write_huggingface({"a": binary()}, folder, card=CARD, force=True)
    with pytest.raises(TermgaugeError, match="is a file"):
        write_huggingface({"a": binary()}, folder / "thesis.doc", card=CARD)
    assert (folder / "thesis.doc").read_text() == "precious"


@pytest.mark.parametrize("name", ["", "a b", "../x", "a\\b", "ä", "a*"])
def test_names_that_cannot_be_file_names(tmp_path: Path, name: str) -> None:
    with pytest.raises(TermgaugeError, match="cannot be exported under the name"):
        write_huggingface({name: binary()}, tmp_path / "out", card=CARD)


def test_names_that_collide(tmp_path: Path) -> None:
    with pytest.raises(TermgaugeError, match="Two sets"):
        write_huggingface({"a/b": binary(), "a.b": binary()}, tmp_path / "out", card=CARD)


@pytest.mark.integration
def test_datasets_loads_the_folder_as_it_is(tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    sets = {"fsn-syn.easy.random": binary(5), "human/demo": graded()}
    folder = write_huggingface(sets, tmp_path / "out", card=CARD)
    # In a process of its own: the library changes the interpreter's settings when it is imported.
    program = (
        "import json, sys, datasets\n"
        "names = datasets.get_dataset_config_names(sys.argv[1])\n"
        "loaded = {name: datasets.load_dataset(sys.argv[1], name) for name in names}\n"
        "print(json.dumps({name: {split: rows.to_dict() for split, rows in sets.items()} "
        "for name, sets in loaded.items()}))\n"
    )
    apart = {"HF_HOME": str(tmp_path / "hf"), "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder)],
        env=os.environ | apart,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        name.replace("/", "."): {"test": pairs.frame.to_dict(as_series=False)} for name, pairs in sets.items()
    }
