# ruff: noqa: PT017 - for arbitrary bytes both outcomes are right, and the sentence is looked at
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.tasks.ner.corpus import read_corpus
from tests.samples import gzipped, zipped
from tests.tasks.ner.corpora import DEVEL, TEST, TRAIN, written
from tests.tasks.ner.sequences import entities, iobes_of_iob, sentences_of


def sizes_of(corpus, part):
    return tuple(corpus.size(part).model_dump().values())


def tags_of(corpus, part):
    """Return the tags of each sentence as they are written."""
    sentences = corpus.parts[part]
    names = [corpus.tags[number] for number in sentences.tags]
    return [names[begin:end] for begin, end in zip(sentences.starts, sentences.starts[1:], strict=False)]


def test_a_corpus(tmp_path):
    corpus = read_corpus(written(tmp_path / "signs", devel=DEVEL))
    assert corpus.name == "signs"
    assert corpus.types == ("Sign", "Disease")
    assert corpus.tags == ("O", "S-Sign", "B-Sign", "E-Sign", "S-Disease", "B-Disease", "I-Disease", "E-Disease")
    assert corpus.train.tokens[:4] == ["Fever", "and", "dry", "cough"]
    assert tags_of(corpus, "train") == [
        ["S-Sign", "O", "B-Sign", "E-Sign"],
        ["S-Disease", "O", "O"],
        ["B-Disease", "I-Disease", "E-Disease"],
    ]
    assert [sizes_of(corpus, part) for part in ("train", "devel", "test")] == [(3, 10, 4), (1, 1, 1), (2, 4, 2)]
    assert corpus.notes == ()
    assert corpus.train.tags.dtype == np.int32
    assert corpus.codes.names == corpus.types
    assert repr(corpus) == ("<corpus signs: Sign, Disease; train 3 sentences, devel 1 sentence, test 2 sentences>")
    assert read_corpus(written(tmp_path / "other")).devel is None


def test_the_way_it_is_written_changes_nothing(tmp_path):
    plain = read_corpus(written(tmp_path / "signs"))
    ways = {
        "spaces": [each.replace("\t", "  ") for each in (TRAIN, TEST)],
        "crlf": [each.replace("\n", "\r\n") for each in (TRAIN, TEST)],
        "bom": [b"\xef\xbb\xbf" + each.encode() for each in (TRAIN, TEST)],
        "documents": [f"-DOCSTART- -X- O O\n\n{each}\n\n\n" for each in (TRAIN, TEST)],
        "medline": [f"###MEDLINE:95369245\n\n{each}" for each in (TRAIN, TEST)],
        "iob1": [each.replace("B-", "I-") for each in (TRAIN, TEST)],
    }
    for name, (train, test) in ways.items():
        other = read_corpus(written(tmp_path / name, train, test, ending="txt"))
        assert (other.sha256, other.train.tokens) == (plain.sha256, plain.train.tokens), name
    assert read_corpus(gzipped(tmp_path / "signs", tmp_path / "gz")).sha256 == plain.sha256
    assert read_corpus(zipped(tmp_path / "signs", tmp_path / "a.zip")).sha256 == plain.sha256
    assert read_corpus(tmp_path / "a.zip").name == "a"
    for changed in (TRAIN.replace("dry", "wet"), TRAIN.replace("\n\n", "\n"), TRAIN.replace("and\tO", "and\tB-Sign")):
        assert read_corpus(written(tmp_path / "changed", changed)).sha256 != plain.sha256
    assert read_corpus(written(tmp_path / "with", devel=DEVEL)).sha256 != plain.sha256


@pytest.mark.parametrize(
    ("train", "note"),
    [
        ("a\tU-Sign\nb\tB-Sign\nc\tL-Sign\n", "The tags were read as BILOU and turned into IOBES."),
        ("a\tW-Sign\nb\tB-Sign\nc\tE-Sign\n", "The tags were read as BMEWO and turned into IOBES."),
        ("a\tS-Sign\nb\tB-Sign\nc\tE-Sign\n", "The tags were read as IOBES."),
        ("a\tI-Sign\nb\tB-Sign\nc\tI-Sign\n", "The tags were read as IOB1 and turned into IOBES."),
        ("a\tB-Sign\nb\tB-Sign\nc\tI-Sign\n\nd\tI-Sign\n",
         "The tags are IOB2, but 2 entities begin with I in place of B; they were read as entities."),
    ],
)  # fmt: skip
def test_schemes_are_converted_and_said(tmp_path, train, note):
    corpus = read_corpus(written(tmp_path / "corpus", train, train))
    assert corpus.notes == (note,)
    assert tags_of(corpus, "train")[0] == ["S-Sign", "B-Sign", "E-Sign"]


def test_what_train_lacks_is_said(tmp_path):
    corpus = read_corpus(written(tmp_path / "corpus", "a\tB-Sign\n", f"{TEST}\na\tB-Sign\nb\tI-Sign\n"))
    unknown, form = corpus.notes
    assert unknown.startswith("Train has no entities of Disease, which test has: no model can find them")
    assert form.startswith("Train never has B-Sign, E-Sign, which test has")
    assert corpus.types == ("Sign", "Disease")
    assert corpus.size("test").entities == 3


@given(sentences_of("BI", most=4), sentences_of("BI", most=4))
def test_conversion_is_that_of_the_rule(tmp_path_factory, train, test):
    texts = [
        "\n\n".join("\n".join(f"token\t{tag}" for tag in sentence) for sentence in part)
        for part in ([*train, ["B-RNA"]], [*test, ["B-RNA"]])
    ]
    corpus = read_corpus(written(tmp_path_factory.mktemp("corpus"), *texts))
    assert tags_of(corpus, "train")[:-1] == [iobes_of_iob(each) for each in train]
    assert tags_of(corpus, "test")[:-1] == [iobes_of_iob(each) for each in test]
    assert corpus.size("train").entities == sum(len(entities(each)) for each in train) + 1
    seen = [tag for part in ("train", "test") for sentence in tags_of(corpus, part) for tag in sentence]
    assert corpus.tags == tuple(dict.fromkeys(["O", *seen]))


@pytest.mark.parametrize(
    ("train", "test", "what"),
    [
        ("a\tB\n", TEST, r"train\.tsv, line 1: the tag 'B' has no type"),
        (TRAIN, "a\tO\n\nb\tB-\n", r"test\.tsv, line 3: the tag 'B-' has no type"),
        (TRAIN, "a\tNN\n", r"test\.tsv, line 1: 'NN' is no tag of entities"),
        ("a\tDT\tO\n", TEST, r"train\.tsv, line 1: has 3 fields .* keep only these columns"),
        ("", TEST, r"train\.tsv: holds no sentences; put tokens with their tags in it\."),
        (TRAIN, "\n\n", r"test\.tsv: holds no sentences"),
        ("a\tO\n", TEST, r"train\.tsv: holds no entity"),
        (TRAIN, "a\tO\n", r"test\.tsv: holds no entity"),
        ("a\tU-x\nb\tS-x\n", TEST, "its tags have the letters B, I, S, U, which are of no single scheme"),
    ],
)
def test_what_is_refused(tmp_path, train, test, what):
    with pytest.raises(TermgaugeError, match=what) as caught:
        read_corpus(written(tmp_path / "corpus", train, test))
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


def test_an_empty_devel(tmp_path):
    with pytest.raises(TermgaugeError, match=r"devel\.tsv: holds no sentences; .*, or delete it\."):
        read_corpus(written(tmp_path / "corpus", devel=""))


def test_documents_of_test(tmp_path):
    one, other = TEST.split("\n\n")
    marked = f"-DOCSTART- -X- O O\n\n{one}\n\n-DOCSTART- -X- O O\n\n{other}"
    corpus = read_corpus(written(tmp_path / "corpus", test=marked))
    assert corpus.test.documents.tolist() == [0, 1]
    assert corpus.train.documents is None
    assert corpus.sha256 == read_corpus(written(tmp_path / "plain")).sha256, "trials stay as they are"


@given(data=st.binary(max_size=200), into=st.sampled_from(["train.tsv", "test.tsv"]), at=st.floats(0, 1))
def test_any_bytes(tmp_path_factory, data, into, at):
    folder = written(tmp_path_factory.mktemp("corpus"))
    whole = (folder / into).read_bytes()
    place = int(at * len(whole))
    for changed in (data, whole[:place] + data + whole[place:], whole[:place]):
        (folder / into).write_bytes(changed)
        try:
            read_corpus(folder)
        except TermgaugeError as error:
            assert len(str(error)) > 20
            assert "\n" not in str(error)


def test_the_corpora_of_the_papers(shared):
    if shared is None:
        pytest.skip("needs the shared data")
    expected = {
        "AnatEM-IOB": ((5861, 153823, 6946), (2118, 58785, 2139), (3830, 99976, 4616)),
        "BC2GM-IOB": ((12574, 355405, 15197), (2519, 71042, 3061), (5038, 143465, 6325)),
        "NCBI-disease-IOB": ((5424, 135701, 5134), (923, 23969, 787), (940, 24497, 960)),
        "BC5CDR-chem-IOB": ((4560, 118170, 5203), (4581, 117453, 5347), (4797, 124750, 5385)),
    }
    for name, sizes in expected.items():
        corpus = read_corpus(shared / "data" / "ner" / name)
        assert tuple(sizes_of(corpus, part) for part in ("train", "devel", "test")) == sizes
        assert corpus.notes == ()
        if name == "AnatEM-IOB":
            kinds = [Counter(corpus.tags[tag][0] for tag in part.tags) for part in corpus.parts.values()]
            assert [[each[letter] for letter in "BEISO"] for each in kinds] == [
                [2932, 2932, 1962, 4014, 141983],
                [838, 838, 578, 1301, 55230],
                [1911, 1911, 1336, 2705, 92113],
            ]


def test_jnlpba(shared, tmp_path):
    """Test with its devel in the place of train, which is not among the shared data."""
    if shared is None:
        pytest.skip("needs the shared data")
    for name, of in (("train.tsv", "devel.tsv"), ("test.tsv", "test.tsv")):
        (tmp_path / name).write_bytes((shared / "data" / "ner" / "JNLPBA" / of).read_bytes())
    corpus = read_corpus(tmp_path)
    assert sizes_of(corpus, "train") == (1739, 47461, 4551)
    assert sizes_of(corpus, "test") == (3856, 101039, 8662)
    assert len(corpus.types) == 5
