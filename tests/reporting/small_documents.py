"""Documents to show: a small one with every block, one like the paper's tables, and hypothesis's ideas of a table."""

from __future__ import annotations

import polars as pl
from hypothesis import strategies as st

from termgauge.reporting.blocks import Cell, Column, Document, Fact, Figure, Interval, Prose, Section, Table, WinsLosses
from termgauge.reporting.plots.canvas import ACCENT
from termgauge.reporting.plots.dots import Dot, DotPanel, DotPlot

HOSTILE = (
    r"50% & more_# {of} ~ ^ \ $x$",
    "α-synuclein → β₂ ≥ 3⁺¹ – “it’s” …",
    "<script>alert('x')</script> | **not bold** `code`",
    "[D] --- -- '' `` ?` *",
    "Sjögren, Ménière, Łukasz, ß, İ, đ, 心筋梗塞, 🫀",
    "",
    "\\",
    "\\end{table}",
    "# heading",
    "- item",
    "1. first",
    "a\nb\tc\x00\u200b\ud800",
    "_x_ a_b __init__",
)


def paper_table(kinds=("fsn-syn", "syn-syn"), models=("BioNLP PM", "GloVe", "ELMo")):
    """Return accuracies of models by kind and difficulty, with superscripts, as in Table 5 of the paper."""
    columns = [Column("Model")]
    columns += [Column(level, numeric=True, group=kind) for kind in kinds for level in ("easy", "hard")]
    rows = []
    for place, model in enumerate(models):
        against = [WinsLosses(2, 0), WinsLosses(1, 1), WinsLosses(0, 2)][place % 3]
        values = [0.9 - 0.1 * place - 0.01 * at for at in range(len(columns) - 1)]
        cells = [
            Cell.number(value, against=against, interval=Interval(value - 0.05, value + 0.05), best=place == 0)
            for value in values
        ]
        rows.append((Cell(model), *cells))
    notes = ("A model is better and worse than as many others as the superscripts say.",)
    return Table("accuracy-levenshtein", "Accuracy of each model.", tuple(columns), tuple(rows), notes)


def figure(name="dots", caption="Values of models."):
    data = pl.DataFrame({"model": ["A", "B"], "value": [0.25, 1 / 3]})

    dots = {model: [Dot(value, None, None, ACCENT)] for model, value in data.rows()}
    plot = DotPlot([DotPanel((), dots)], list(dots), "value")
    return Figure(name, caption, "Two dots, the second farther right.", plot.draw, data)


def document(*blocks, title="A report"):
    made = blocks or (Prose(("**GloVe** wins by `avg_cos`.",)), paper_table(), figure())
    return Document(
        title,
        ("**GloVe** wins on 2 of 3 sets.", "Nothing else can be told apart."),
        (Fact("Terminology", "HPO 2025"), Fact("Hash", "0123456789abcdef" * 4)),
        (Section("values", "Values", tuple(made)), Section("more", "More", (), level=3)),
    )


def hostile_document():
    rows = tuple(
        (Cell(text, best=True), Cell(text, -0.05, WinsLosses(1, 2), Interval(-0.1, 0.2, 1))) for text in HOSTILE
    )
    columns = (Column(HOSTILE[0]), Column(HOSTILE[1], numeric=True, group=HOSTILE[2]))
    tables = [Table("hostile", HOSTILE[0], columns, rows, notes=HOSTILE)]
    tables.append(Table("long", HOSTILE[4], (Column("a"), Column("b"), Column("c")), _long_rows()))
    tables.append(Table("wide", "Wide", tuple(Column(f"c{at}", numeric=True) for at in range(30)), _wide_rows()))
    sections = tuple(
        Section(f"s{at}", text, (Prose((text, f"**{text}**", f"`{text}`")),)) for at, text in enumerate(HOSTILE)
    )
    blocks = (*tables, figure(caption=HOSTILE[0]))
    facts = tuple(Fact(text, text) for text in HOSTILE)
    return Document(HOSTILE[0], HOSTILE, facts, (*sections, Section("tables", "Tables", blocks)))


def _long_rows():
    text = "a rather long sentence of words that will not fit " * 2
    return tuple((Cell(f"{at}"), Cell(text), Cell("0123456789abcdef" * 4)) for at in range(60))


def _wide_rows():
    return tuple(tuple(Cell.count(at * 1000) for at in range(30)) for _ in range(3))


TEXTS = st.one_of(st.text(max_size=30), st.sampled_from(HOSTILE))
CELLS = st.builds(
    Cell,
    TEXTS,
    value=st.none() | st.floats(-1e6, 1e6),
    against=st.sampled_from([WinsLosses(), WinsLosses(1, 0), WinsLosses(0, 12), WinsLosses(3, 1)]),
    interval=st.none()
    | st.builds(Interval, st.sampled_from([-0.1, 0.2]), st.sampled_from([0.3, 1.0]), st.integers(0, 6)),
    best=st.booleans(),
)
COLUMNS = st.builds(Column, TEXTS, numeric=st.booleans(), group=st.sampled_from(["", "", "G & H", "x"]))


@st.composite
def tables(draw, rows=6):
    columns = draw(st.lists(COLUMNS, min_size=1, max_size=6))
    made = draw(st.lists(st.tuples(*(CELLS for _ in columns)), max_size=rows))
    repeat = draw(st.sampled_from([1, 1, 1, 12]))
    notes = tuple(draw(st.lists(TEXTS, max_size=2)))
    return Table("t", draw(TEXTS), tuple(columns), tuple(made * repeat), notes)
