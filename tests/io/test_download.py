from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from termgauge import progress
from termgauge.exceptions import TermgaugeError
from termgauge.io import download
from termgauge.io.download import fetch
from tests.common.local_server import Server, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONTENT = bytes(range(256)) * 800
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr("pooch.core.time.sleep", lambda _seconds: None)
    with serving(CONTENT) as running:
        yield running


class Recorder:
    """A listener that remembers what was reported."""

    def __init__(self) -> None:
        self.total: float | None = None
        self.done = 0.0
        self.stopped = False

    def start(self, _label: str, total: float | None, unit: str) -> int:
        assert unit == "bytes"
        self.total = total
        return 0

    def advance(self, _task: int, amount: float) -> None:
        self.done += amount
        assert self.total is not None
        assert 0 <= self.done <= self.total

    def stop(self, _task: int) -> None:
        self.stopped = True


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    listener = Recorder()
    token = progress._listener.set(listener)
    yield listener
    progress._listener.reset(token)


def get(server: Server, folder: Path, *, size: int | None = len(CONTENT), sha256: str = SHA256) -> Path:
    return fetch(server.address, folder / "file.csv", sha256=sha256, size=size, by_hand="get it by hand")


def test_a_good_file_is_fetched_once(
    server: Server, tmp_path: Path, recorder: Recorder, capsys: pytest.CaptureFixture[str]
) -> None:
    assert get(server, tmp_path / "new").read_bytes() == CONTENT
    assert get(server, tmp_path / "new").read_bytes() == CONTENT
    assert server.asked == [None]
    assert (recorder.total, recorder.done, recorder.stopped) == (len(CONTENT), len(CONTENT), True)
    assert capsys.readouterr() == ("", "")
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["file.csv"]


def test_a_cut_connection_is_asked_again(server: Server, tmp_path: Path) -> None:
    server.cuts = [1000, 70_000]
    assert get(server, tmp_path).read_bytes() == CONTENT
    assert len(server.asked) == 3
    server.cuts = [1000] * (download.AGAIN + 1)
    with pytest.raises(TermgaugeError, match=r"the connection was cut\); get it by hand\.$"):
        get(server, tmp_path / "other")
    assert list((tmp_path / "other").iterdir()) == []


def test_a_file_that_was_cut_without_notice_is_another_one(server: Server, tmp_path: Path) -> None:
    server.lengths = False
    server.cuts = [1000]
    assert get(server, tmp_path).read_bytes() == CONTENT
    assert len(server.asked) == 2


def test_a_wrong_file_is_not_kept(server: Server, tmp_path: Path) -> None:
    for content in (CONTENT[::-1], b"<html>moved</html>"):
        server.content = content
        with pytest.raises(TermgaugeError) as caught:
            get(server, tmp_path)
        assert f"has SHA-256 {hashlib.sha256(content).hexdigest()}, expected is {SHA256}" in str(caught.value)
        assert server.address in str(caught.value)
        assert list(tmp_path.iterdir()) == []


def test_an_endless_file_is_not_read_to_its_end(server: Server, tmp_path: Path) -> None:
    server.content = CONTENT * 10
    with pytest.raises(TermgaugeError, match="larger than the expected 204,800 bytes"):
        get(server, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_file_at_the_destination_is_replaced(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file.csv").write_bytes(b"damaged")
    assert get(server, tmp_path).read_bytes() == CONTENT


def test_a_missing_file_is_asked_for_once(server: Server, tmp_path: Path) -> None:
    server.statuses = [404]
    with pytest.raises(TermgaugeError, match=r"the server answered 404 Not Found\); get it by hand\."):
        get(server, tmp_path)
    assert len(server.asked) == 1


def test_a_busy_server_is_asked_again(server: Server, tmp_path: Path) -> None:
    server.statuses = [503, 429]
    assert get(server, tmp_path).read_bytes() == CONTENT
    server.statuses = [503] * (download.AGAIN + 1)
    with pytest.raises(TermgaugeError, match="503"):
        get(server, tmp_path / "other")


def test_a_server_that_is_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr("pooch.core.time.sleep", lambda _seconds: None)
    with serving(CONTENT) as gone:
        pass
    with pytest.raises(TermgaugeError, match="there is no connection to the server"):
        get(gone, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_size_need_not_be_known(server: Server, tmp_path: Path) -> None:
    assert get(server, tmp_path, size=None).read_bytes() == CONTENT


def test_file_addresses(tmp_path: Path) -> None:
    source = tmp_path / "a b.csv"
    source.write_bytes(CONTENT)
    got = fetch(source.as_uri(), tmp_path / "out" / "x.csv", sha256=SHA256, size=len(CONTENT))
    assert got.read_bytes() == CONTENT
    with pytest.raises(TermgaugeError, match="larger than"):
        fetch(source.as_uri(), tmp_path / "y.csv", sha256="0" * 64, size=3)
    with pytest.raises(TermgaugeError, match=r"No such file or directory\)\.$"):
        fetch((tmp_path / "none").as_uri(), tmp_path / "y.csv", sha256=SHA256)
    with pytest.raises(TermgaugeError, match="of this machine"):
        fetch("file://elsewhere/x", tmp_path / "y.csv", sha256=SHA256)


@pytest.mark.parametrize("address", ["ftp://127.0.0.1/x", "/etc/hosts", "http://[::bad/x", "https:///x"])
def test_addresses_that_cannot_be_used(tmp_path: Path, address: str) -> None:
    with pytest.raises(TermgaugeError, match="address"):
        fetch(address, tmp_path / "y.csv", sha256=SHA256)


def test_a_place_that_cannot_be_written(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(TermgaugeError, match=r"cannot be written .*; get it by hand\."):
        get(server, tmp_path / "file")
    assert (tmp_path / "file").read_text() == "in the way"
