"""A document with everything that a report may hold: all kinds of blocks, long and hostile names, missing values."""

from __future__ import annotations

import math
import random

import polars as pl

from termgauge.reporting.blocks import Cell, Column, Document, Fact, Figure, Interval, Prose, Section, Table, WinsLosses
from termgauge.reporting.plots import canvas as look
from termgauge.reporting.plots.canvas import Canvas, KeyEntry, Panel, heading, panel_rows
from termgauge.reporting.plots.dots import Dot, DotPanel, DotPlot
from termgauge.reporting.plots.heat import Heat

HOSTILE = "<script>alert('&amp;')</script>"
LONG = "sentence-transformers:pritamdeka/S-PubMedBert-MS-MARCO?pooling=mean&normalise=yes"
MODELS = (
    "bge-small-en-v1.5",
    "wordllama",
    "glove-6b-50d",
    "BioWordVec PubMed MIMIC-III",
    LONG,
    HOSTILE,
    "character 3-grams",
    "edit distance",
    "shared words",
)
SETS = ("random", "Levenshtein")
DIFFICULTIES = ("easy", "hard")


def scores() -> pl.DataFrame:
    """Return made-up scores of all models but one, which is missing from the hardest set."""
    chance = random.Random(7)
    rows = []
    for place, model in enumerate(MODELS):
        for difficulty in DIFFICULTIES:
            for kind in SETS:
                lost = 0.28 * (difficulty == "hard") + 0.18 * (kind == "Levenshtein")
                value = 0.99 - lost - 0.028 * place - 0.02 * chance.random()
                half = 0.006 + 0.02 * (difficulty == "hard")
                if (model, difficulty, kind) != (MODELS[2], "hard", "Levenshtein"):
                    rows.append((model, difficulty, kind, value, value - half, value + half))
    frame = pl.DataFrame(rows, schema=["model", "difficulty", "set", "auc", "low", "high"], orient="row")
    tip = pl.format("{}, {} {}: {}", "model", "difficulty", "set", pl.col("auc").round(3))
    return frame.with_columns(tip=tip)


def distributions() -> pl.DataFrame:
    """Return made-up densities of scores of positives and negatives."""
    grid = [place / 60 for place in range(61)]
    rows = [
        (kind, label, at, math.exp(-(((at - middle) / 0.14) ** 2)))
        for kind, gap in (("random", 0.5), ("Levenshtein", 0.15))
        for label, middle in (("same meaning", 0.75), ("other meaning", 0.75 - gap))
        for at in grid
    ]
    return pl.DataFrame(rows, schema=["set", "label", "score", "density"], orient="row")


def curves() -> pl.DataFrame:
    """Return made-up ROC curves."""
    rows = [
        (model, at / 40, (at / 40) ** (0.12 * (place + 1)))
        for place, model in enumerate((*MODELS[:3], HOSTILE))
        for at in range(41)
    ]
    return pl.DataFrame(rows, schema=["model", "false", "true"], orient="row")


def main_table() -> Table:
    """Return a table with groups, intervals, superscripts, best cells and a missing value."""
    columns = (
        Column("Model"),
        *(
            Column(kind, numeric=True, group=f"{difficulty} negatives", note=f"AUC on {difficulty} {kind} negatives")
            for difficulty in DIFFICULTIES
            for kind in SETS
        ),
        Column("Pairs", numeric=True),
    )
    found = {(row["model"], row["difficulty"], row["set"]): row for row in scores().iter_rows(named=True)}
    best = {
        (difficulty, kind): max(row["auc"] for key, row in found.items() if key[1:] == (difficulty, kind))
        for difficulty in DIFFICULTIES
        for kind in SETS
    }

    def cell(model: str, difficulty: str, kind: str) -> Cell:
        row = found.get((model, difficulty, kind))
        if row is None:
            return Cell.number(None, note="This set has too few pairs that the model knows.")
        place = MODELS.index(model)
        return Cell.number(
            row["auc"],
            against=WinsLosses(len(MODELS) - 1 - place, place),
            interval=Interval(row["low"], row["high"], 3),
            best=row["auc"] == best[difficulty, kind],
        )

    rows = tuple(
        (
            Cell(model, note="A baseline without any model." if place > 5 else ""),
            *(cell(model, difficulty, kind) for difficulty in DIFFICULTIES for kind in SETS),
            Cell.count(12_345 - 1_111 * place),
        )
        for place, model in enumerate(MODELS)
    )
    notes = (
        "Area under the ROC curve, with 95% intervals; **bold**: the best, and those that cannot be told from it.",
        "+n−m: significantly better than n and worse than m of the others (`DeLong`, corrected by Bonferroni).",
    )
    return Table("auc", "How well each model tells synonyms from other terms.", columns, rows, notes)


def plain_table() -> Table:
    """Return a small table of text and numbers."""
    rows = (
        ("abdominal pain", "stomach ache", 0.91, 1),
        ("myocardial infarction", "heart attack", 0.32, 12),
        ("hyperthyroidism", "hypothyroidism", 0.97, 2),
        (HOSTILE, "Hypertrophic obstructive cardiomyopathy-with-an-unreasonably-long-compound-word", -0.05, 3),
        ("10 mg", "9 mg", None, None),
    )
    cells = tuple(
        (
            Cell(first),
            Cell(second),
            Cell("") if score is None else Cell.number(score, 2),
            Cell.count(rank),
        )
        for first, second, score, rank in rows
    )
    columns = (Column("Term"), Column("Other term"), Column("Score", numeric=True), Column("Rank", numeric=True))
    return Table("errors", "The most telling errors.", columns, cells)


def long_table(rows: int = 400) -> Table:
    """Return a folded table that is longer than a page shows."""
    columns = (Column("Concept"), Column("Name"), Column("Covered", numeric=True))
    cells = tuple((Cell(f"HP:{n:07d}"), Cell(f"Phenotype {n}"), Cell.count(n % 7)) for n in range(rows))
    return Table("concepts", "All concepts of the domain.", columns, cells, folded=True)


def wide_table(columns: int = 18) -> Table:
    """Return a table that is wider than any screen."""
    heads = (Column("Model"), *(Column(f"set {n}", numeric=True) for n in range(columns)))
    cells = tuple(
        (Cell(model), *(Cell.number(0.9 - 0.02 * n - 0.01 * place) for n in range(columns)))
        for place, model in enumerate(MODELS[:4])
    )
    return Table("wide", "Every set.", heads, cells, sortable=False)


def dot_plot() -> Figure:
    """Return a dot plot with intervals."""
    data = scores().filter(pl.col("set") == "Levenshtein")
    styles = {
        each: KeyEntry(each, colour, shape)
        for each, colour, shape in zip(DIFFICULTIES, (look.ACCENT, look.SERIES[1]), look.SHAPES, strict=False)
    }
    dots: dict[str, list[Dot]] = {}
    for row in data.iter_rows(named=True):
        _, colour, shape = styles[row["difficulty"]]
        dots.setdefault(row["model"], []).append(
            Dot(row["auc"], row["low"], row["high"], colour, shape=shape, tip=row["tip"])
        )
    plot = DotPlot([DotPanel(("Levenshtein",), dots)], MODELS, "AUC", entries=tuple(styles.values()))
    return Figure("dots", "Scores with 95% intervals.", "Easy pairs score higher than hard ones.", plot.draw, data)


def heat_map() -> Figure:
    """Return a heat map with numbers."""
    data = scores()
    columns = [f"{difficulty}, {kind}" for difficulty in DIFFICULTIES for kind in SETS]
    values = {(row["model"], f"{row['difficulty']}, {row['set']}"): row["auc"] for row in data.iter_rows(named=True)}
    plot = Heat(MODELS, columns, values, (0.3, 1.0))
    return Figure("heat", "All models on all sets.", "Darker cells are better scores.", plot.draw, data)


def density_plot() -> Figure:
    """Return two small plots side by side, or one above the other on phones."""
    data = distributions()

    def draw(width: int) -> Canvas:
        canvas = Canvas(width)
        colours = {"same meaning": look.SERIES[0], "other meaning": look.SERIES[1]}
        canvas.key([KeyEntry(label, colour, "square") for label, colour in colours.items()])
        wide, rows = panel_rows([*SETS], canvas.room, 200)
        placed = [(left, at, kind) for at, row in enumerate(rows) for left, kind in row]
        start = canvas.height
        for left, at, kind in placed:
            top = start + at * 160
            heading(canvas, left, top + 6, wide, kind)
            panel = Panel(canvas, left, wide, 0, 1)
            panel.grid(top + 16, top + 126)
            for label, colour in colours.items():
                rows = data.filter(pl.col("set") == kind, pl.col("label") == label)
                points = [
                    (panel.x(at), top + 126 - 110 * density) for at, density in rows.select("score", "density").rows()
                ]
                canvas.line(points, colour)
        return canvas

    return Figure("densities", "Where pairs lie.", "Random negatives lie far from positives.", draw, data)


def roc_plot() -> Figure:
    """Return a folded figure of curves."""
    data = curves()

    def draw(width: int) -> Canvas:
        canvas = Canvas(width)
        panel = Panel(canvas, 0, min(canvas.room, 420), 0, 1)
        panel.grid(0, 300)
        colours = dict(zip(dict.fromkeys(data["model"]), look.SERIES, strict=False))
        for model, colour in colours.items():
            rows = data.filter(pl.col("model") == model).select("false", "true").rows()
            canvas.line([(panel.x(false), 300 * (1 - true)) for false, true in rows], colour, tip=model)
        canvas.key([KeyEntry(model, colour) for model, colour in colours.items()])
        return canvas

    return Figure("roc", "ROC curves.", "All curves bend to the upper left.", draw, data, folded=True)


def document() -> Document:
    """Return the whole sample."""
    return Document(
        title=f"Which embedding knows phenotypes? {HOSTILE}",
        summary=(
            "**bge-small-en-v1.5** is best on every set; on *hard* ones it leads by `0.03` (95% interval 0.01–0.05).",
            f"`{HOSTILE}` and **edit distance** cannot be told apart where negatives were drawn by chance.",
            "No model knows more than two thirds of the terms that differ by a letter.",
        ),
        facts=(
            Fact("Terminology", "Human Phenotype Ontology, 2025-01-16"),
            Fact("Models", f"{len(MODELS)}, of which 3 baselines"),
            Fact("Pairs", "12,345 in 4 sets"),
            Fact("Identity", "sha256:" + "0123456789abcdef" * 4),
            Fact(HOSTILE, HOSTILE),
        ),
        sections=(
            Section(
                "results",
                "Which model is best",
                (
                    Prose(("All models on the same pairs. A long word: " + "pseudo" * 30 + ".",)),
                    main_table(),
                    dot_plot(),
                ),
            ),
            Section("all-sets", "All sets at a glance", (heat_map(), wide_table())),
            Section(
                "why",
                "Why hard is hard",
                (
                    Prose(("Positives and negatives `overlap` as **negatives get closer**.",)),
                    density_plot(),
                    roc_plot(),
                ),
            ),
            Section("telling", f"The most telling errors of {HOSTILE}", (plain_table(),), level=3),
            Section("coverage", "Coverage", (Prose(("What the domain holds.",)), long_table()), folded=True),
            Section("seeds", "Seeds", (Prose(("What it began with.",)),), level=3),
            Section(
                "made",
                "How it was made",
                (
                    Prose(
                        ("To repeat this run:", "`termgauge run experiment.toml --out runs/default --seed 42 --jobs 2`")
                    ),
                ),
                folded=True,
                about="In **two** minutes.",
            ),
        ),
    )
