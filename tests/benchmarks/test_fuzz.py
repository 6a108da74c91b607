"""The fuzz command notices whatever is neither read nor refused, keeps the input, and makes the same inputs again."""

from __future__ import annotations

import random

import pytest

from benchmarks import fuzz

pytestmark = pytest.mark.integration
BROKEN = "tests.benchmarks.broken_readers:READERS"


@pytest.mark.parametrize(
    ("reader", "said"),
    [
        ("raises", "KeyError: 'no sentence' (broken_readers.py:"),
        ("takes memory", "MemoryError"),
        ("ends the process", "ended the process (exit status 3)"),
        ("never ends", "took more than 1 seconds"),
    ],
)
def test_a_broken_reader_is_a_defect_whose_input_is_kept(tmp_path, monkeypatch, capsys, reader, said):
    monkeypatch.setattr(fuzz, "SECONDS", 1.0)
    defects = fuzz.fuzz(BROKEN, 2, 0, [reader, "good"], tmp_path)
    assert defects == 1
    (kept,) = tmp_path.iterdir()
    assert (kept / "sample.txt").read_bytes() != b"the sample itself\n"
    out = capsys.readouterr().out
    assert f"{kept}: {said}" in out
    assert [line.split()[1:5] for line in out.splitlines() if line.startswith("good ")] == [["1", "0", "1", "0"]]


def test_defects_are_the_exit_status_of_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for reader, status in (("good", 0), ("raises", 1)):
        monkeypatch.setattr("sys.argv", ["fuzz", "--inputs", "1", "--registry", BROKEN, "--reader", reader])
        with pytest.raises(SystemExit) as ended:
            fuzz.command()
        assert ended.value.code == status


def test_the_same_seed_makes_the_same_inputs():
    sample, other = b'id: T:1\nname: heart {"a": 1.5}\n' * 20, b"word\tother\n"
    one, same, another = (
        [fuzz.mutated(random.Random(f"{seed}/{at}"), sample, other) for at in range(300)] for seed in (1, 1, 2)
    )
    assert one == same
    assert one != another
    for mutation in (*fuzz.MUTATIONS, *fuzz.LARGE):
        assert isinstance(mutation(random.Random(0), b"", b""), bytes), "an empty file is an input too"
