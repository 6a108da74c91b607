import json

import numpy as np
import pytest

import termgauge as tg
from termgauge.exceptions import TermgaugeError
from termgauge.reporting.writers.html import fragment
from termgauge.tasks.ner.score_file import score_entities

FOUND = """\
Fever\tB-Sign\tB-Sign
and\tO\tO
dry\tB-Sign\tO
cough\tI-Sign\tB-Sign

Lung\tB-Disease\tB-Disease
cancer\tI-Disease\tI-Disease
"""


@pytest.fixture
def written(tmp_path):
    def call(text=FOUND, name="found.tsv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return call


def test_scores(written):
    found = score_entities(written())
    assert (found.correct, found.predicted, found.gold) == (2, 3, 3)
    assert found.precision == found.recall == found.f == pytest.approx(2 / 3)
    assert (found.tokens, found.sentences, found.accuracy) == (6, 2, 4 / 6)
    assert found.per_type["Disease"].f == 1
    assert found.per_type["Sign"].model_dump() == {
        "precision": 0.5, "recall": 0.5, "f": 0.5, "correct": 1, "predicted": 2, "gold": 2,
    }  # fmt: skip
    assert repr(found) == "<entities of 'found.tsv': precision 0.6667, recall 0.6667, F 0.6667; 3 in 2 sentences>"


def test_schemes_give_the_same_scores(written):
    iobes = (
        "Fever S-Sign S-Sign\nand O O\ndry B-Sign O\ncough E-Sign S-Sign\n\n"
        "Lung B-Disease B-Disease\ncancer E-Disease E-Disease\n"
    )
    bilou = iobes.replace("E-", "L-").replace("S-", "U-")
    mixed = FOUND.replace("\tI-Disease\n", "\tE-Disease\n")  # gold in one scheme, predicted in another
    expected = score_entities(written()).model_dump(exclude={"accuracy", "name"})
    for text in (iobes, bilou, mixed):
        assert score_entities(written(text)).model_dump(exclude={"accuracy", "name"}) == expected


def test_values_and_shapes(written):
    found = tg.score_entities(written())
    frame = found.to_frame()
    assert frame.filter(item="", statistic="f")["value"].item() == found.f
    assert frame.filter(item="Sign", statistic="recall")["n"].item() == 2
    assert set(frame["statistic"]) == {"precision", "recall", "f", "accuracy"}
    assert len(found.to_pandas()) == len(frame)
    assert json.loads(json.dumps(found.as_dict()))["per_type"]["Sign"]["gold"] == 2
    (table,) = found.document().tables()
    assert [row[0].text for row in table.rows] == ["all types", "Disease", "Sign"]
    assert [cell.text for cell in table.rows[0][1:]] == ["66.67", "66.67", "66.67", "2", "3", "3"]
    assert "all types" in found._repr_html_()
    assert fragment(found.document()) == found._repr_html_()


def test_the_interval_is_over_documents_or_else_sentences(written):
    generator = np.random.default_rng(2)
    blocks = [f"a\tB-x\t{'B-x' if right else 'O'}\n" for right in generator.random(400) < 0.8]
    found = score_entities(written("\n".join(blocks)))
    low, high = found.interval
    assert low < found.f < high
    recall = found.recall
    spread = np.sqrt(recall * (1 - recall) / 400)
    # F = 2r / (1 + r) where nothing false is predicted.
    assert high - low == pytest.approx(2 * 1.96 * spread * 2 / (1 + recall) ** 2, rel=0.1)
    assert found.document().tables()[0].rows[0][3].interval is not None
    assert found.documents is None
    alike = "".join("-DOCSTART-\tO\tO\n\n" + 10 * (block + "\n") for block in blocks[:40])
    once = score_entities(written("\n".join(blocks[:40]))).interval
    low, high = score_entities(written(alike)).interval
    assert high - low == pytest.approx(once[1] - once[0], rel=0.05), "ten times the same says no more"
    assert score_entities(written(alike)).documents == 40


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("a\tO\n", r"line 1: has 2 fields .*: a token, its gold tag, its predicted tag; add what is missing\."),
        ("a\tNN\tO\tO\n", r"line 1: has 4 fields .*keep only these columns\."),
        ("a\tO\tO\nb\tO\tB\n", r"line 2: the tag 'B' has no type"),
        ("a\tNP\tO\n", r"line 1: 'NP' is no tag of entities"),
        ("", r"found\.tsv: holds no tokens; each line holds a token, its gold tag, its predicted tag\."),
        (b"\xff\tO\tO\n", r"line 1: is not UTF-8"),
    ],
)
def test_what_is_refused(written, text, what):
    with pytest.raises(TermgaugeError, match=what):
        score_entities(written(text))


def test_folders_and_files_that_are_not_there(written, tmp_path):
    written()
    written(name="other.tsv")
    with pytest.raises(TermgaugeError, match=r"holds 2 files; name one file\."):
        score_entities(tmp_path)
    with pytest.raises(TermgaugeError, match="there is no such file"):
        score_entities(tmp_path / "gone.tsv")


def test_nothing_predicted_and_nothing_there(written):
    found = score_entities(written("a\tB-x\tO\n"))
    assert (found.precision, found.recall, found.f, found.gold) == (0, 0, 0, 1)
    assert found.interval == (None, None)
    found = score_entities(written("a\tO\tO\n"))
    assert (found.f, found.gold, found.per_type) == (0, 0, {})
    assert len(found.document().tables()[0].rows) == 1


def test_the_oracle(shared):
    if shared is None:
        pytest.skip("needs the shared data")
    found = score_entities(shared / "data" / "ner" / "sample_jnlpba_iob.tsv")
    assert (found.tokens, found.sentences) == (11_123, 400)
    assert [round(each, 6) for each in (found.accuracy, found.precision, found.recall, found.f)] == [
        0.949294, 0.544591, 0.808026, 0.650655,
    ]  # fmt: skip
    assert [found.per_type["DNA"].correct, found.per_type["protein"].gold] == [249, 358]
