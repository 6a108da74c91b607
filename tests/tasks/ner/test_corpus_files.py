import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.tasks.ner.corpus import files_of_parts, part_of
from tests.samples import zipped
from tests.tasks.ner.corpora import written


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("train.tsv", "train"),
        ("Train.txt", "train"),
        ("training.conll", "train"),
        ("devel.tsv", "devel"),
        ("dev.iob", "devel"),
        ("valid.bio", "devel"),
        ("validation.iob2.gz", "devel"),
        ("test.tsv.xz", "test"),
        ("test", "test"),
        ("train_dev.tsv", ""),
        ("train.json", ""),
        ("README.txt", ""),
        ("my.train.tsv", ""),
    ],
)
def test_parts_are_known_by_their_names(name, part):
    assert part_of(name) == part


def test_a_folder(tmp_path):
    folder = written(tmp_path / "corpus", devel="x\tO\n")
    (folder / "train_dev.tsv").write_text("x\tO\n")
    (folder / "classes.txt").write_text("x\n")
    (folder / "test.zip").write_bytes(b"PK")
    found = files_of_parts(folder)
    assert {part: file.base for part, file in found.items()} == {
        "train": "train.tsv", "devel": "devel.tsv", "test": "test.tsv",
    }  # fmt: skip
    assert list(found) == ["train", "devel", "test"]
    assert set(files_of_parts(zipped(folder, tmp_path / "corpus.zip"))) == {"train", "devel", "test"}


def test_what_is_missing_is_named(tmp_path):
    folder = written(tmp_path / "corpora" / "one", train=None)
    with pytest.raises(TermgaugeError, match=r"one: has no file train\.tsv .*; add train\.tsv\."):
        files_of_parts(folder)
    with pytest.raises(TermgaugeError, match=r"has no file test\.tsv"):
        files_of_parts(written(tmp_path / "two", test=None))
    with pytest.raises(
        TermgaugeError, match=r"corpora: has no file train\.tsv .*; name a folder inside it, such as one\."
    ):
        files_of_parts(tmp_path / "corpora")
    with pytest.raises(TermgaugeError, match="is a file; name the folder"):
        files_of_parts(folder / "test.tsv")
    with pytest.raises(TermgaugeError, match="there is no such file or folder"):
        files_of_parts(tmp_path / "gone")


def test_two_files_for_one_part(tmp_path):
    folder = written(tmp_path / "one")
    (folder / "train.txt").write_text("x\tO\n")
    with pytest.raises(TermgaugeError, match=r"train\.tsv and train\.txt could both be train; keep one"):
        files_of_parts(folder)


def test_a_folder_that_is_not_the_users(tmp_path, monkeypatch):
    folder = written(tmp_path / "one")

    def refused(_path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.scandir", refused)
    with pytest.raises(TermgaugeError, match="one: cannot be read \\(Permission denied\\)"):
        files_of_parts(folder)
