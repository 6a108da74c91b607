"""Opening what a user names, a file, a folder or an archive, without trusting it.

Archives are read in place, as streams: nothing is unpacked to disk, so an entry named ``../x`` has nowhere to go
(and is refused all the same), and a decompression bomb is stopped by its ratio before it fills memory. Libraries such
as fsspec and smart_open have no such limits.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import json
import lzma
import os
import re
import struct
import tarfile
import time
import zipfile
import zlib
from codecs import BOM_UTF8, getincrementaldecoder
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

from termgauge.exceptions import TermgaugeError
from termgauge.io.atomic import write_text
from termgauge.io.decoding import decoded, parsed_json, refuse_zero
from termgauge.io.identity import sha256_of_stream, sha256_of_value
from termgauge.io.paths import source_path
from termgauge.io.store import DamagedError, entry_path, read_checked, sweep, with_checksum
from termgauge.progress import track
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz")
_DECOMPRESSED: Mapping[str, Callable[[IO[bytes]], Any]] = {
    **dict(zip(COMPRESSED_SUFFIXES, (gzip.open, bz2.open, lzma.open), strict=True)),
    ".tgz": gzip.open,
}
_TAR_SUFFIXES = (".tgz", ".tar.gz")
MOST_TAR_BYTES = 1 << 30
"""What the files of a tar archive may hold together: they are in memory, because it can be read only as a whole."""
BOMB_RATIO = 200
"""No terminology or vector file compresses so well; real ones stay below 30."""
BOMB_FREE_BYTES = 64 << 20
"""What any archive may expand to, whatever its ratio."""
HASHES = "hashes"
"""Where in the cache hashes of files are remembered."""
BLOCK = 8 << 20
LONGEST_LINE = 64 << 20
"""No line of tagged text is longer, not even a comment that has the text of a sentence of a million tokens."""
SETTLED_SECONDS = 1.0
"""A file younger than this may still change within its time stamp's resolution: its hash is not remembered."""

_BAD_ARCHIVE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    struct.error,
    ValueError,  # names that are no UTF-8, offsets that make no sense
    OverflowError,
    MemoryError,  # an xz header may ask for a dictionary of gigabytes
    NotImplementedError,
    RuntimeError,
)

_DRIVE = re.compile(r"[A-Za-z]:")


def _ignore(_amount: float) -> None:
    """Report nothing."""


@dataclass(frozen=True)
class SourceFile:
    """One readable file: on disk, compressed on disk, or inside an archive."""

    name: str
    """Its path inside the source, with ``/``, without a compression suffix."""
    path: Path
    """The file on disk, or the archive that holds it."""
    member: str | None = None
    """Its name in the archive, if it is in one."""
    size: int = 0
    """Bytes when read, or, for a compressed file outside an archive, bytes on disk."""
    root: Path = Path()
    """What the user named: the file itself, or the folder or archive it was found in."""
    advance: Callable[[float], None] = field(default=_ignore, compare=False)
    """Is told how many bytes were read just now."""

    @property
    def label(self) -> str:
        """How messages name it."""
        return str(self.path) if self.member is None else f"{self.path}: {self.member}"

    @property
    def base(self) -> str:
        """The last part of its name."""
        return PurePosixPath(self.name).name

    def open(self) -> BinaryIO:
        """Open it for reading, decompressed; whatever goes wrong while reading is a TermgaugeError."""
        return cast("BinaryIO", _GuardedReader(self))

    def read(self) -> bytes:
        """Return all of its bytes, decompressed."""
        with self.open() as stream:
            return stream.read()

    def text(self) -> str:
        """Return its text, which must be UTF-8 and in lines, without a byte order mark."""
        return decoded(self.read(), self.label)

    def json(self) -> Any:  # noqa: ANN401
        """Return what it holds, which must be JSON."""
        return parsed_json(self.read(), self.label)

    def text_blocks(self, size: int = 1 << 17) -> Iterator[str]:
        """Yield its text, which must be UTF-8, in blocks, without a byte order mark."""
        decoder, line = getincrementaldecoder("utf-8-sig")(), 1
        with self.open() as stream:
            data = b"begun"
            while data:
                data = stream.read(size)
                try:
                    text = decoder.decode(data, final=not data)
                except UnicodeDecodeError as error:
                    line += error.object.count(b"\n", 0, error.start)
                    raise TermgaugeError(
                        f"{self.label}, line {line:,}: is not UTF-8 text; save the file as UTF-8."
                    ) from None
                refuse_zero(text, self.label, line)
                yield text
                line += data.count(b"\n")

    def head(self, size: int = 1 << 16) -> bytes:
        """Return its first bytes, decompressed."""
        with self.open() as stream:
            return stream.read(size)


def files_of(path: str | os.PathLike[str]) -> list[SourceFile]:
    """List the readable files of a file, folder, zip or tar archive, in the order of their names.

    Hidden files and what macOS adds to archives are left out; an archive that cannot be trusted is refused.
    """
    root = source_path(path)
    try:
        if root.is_dir():
            return _files_of_folder(root)
        if not root.exists():
            raise TermgaugeError(f"{root}: there is no such file or folder.{_nearby(root)}")
        if not root.is_file():
            raise TermgaugeError(f"{root}: is neither a file nor a folder; name one of these.")
        if zipfile.is_zipfile(root) and root.suffix.lower() != ".npz":
            return _files_of_archive(root, "zip")
        if root.name.lower().endswith(_TAR_SUFFIXES):
            return _files_of_archive(root, "tar")
        if root.suffix.lower() == ".zip":
            raise TermgaugeError(f"{root}: is no zip archive, or one that was cut off; get it again from its source.")
        return [_plain_file(root, root.name, root)]
    except OSError as error:
        raise TermgaugeError(f"{root}: cannot be read ({error.strerror or error}).") from error


def only_file(path: str | os.PathLike[str], what: str = "file") -> SourceFile:
    """Return the one file of a place that a user named; a message says `what` to name instead of several."""
    files = files_of(path)
    if len(files) != 1:
        raise TermgaugeError(f"{path}: holds {len(files) or 'no'} files; name one {what}.")
    return files[0]


_Stamp = tuple[str, str | None, int, int, int, int]
"""What changes whenever a file does: path, name in an archive, size, times in nanoseconds, and number."""


@dataclass(frozen=True)
class Hashed:
    """What some files held when they were hashed."""

    sha256: list[str]
    """Of the contents of each file."""
    files: tuple[SourceFile, ...]
    stamps: tuple[_Stamp, ...]

    def require_unchanged(self) -> None:
        """Refuse to go on with files that are not those any more that were hashed."""
        for file, stamp in zip(self.files, self.stamps, strict=True):
            if _stamp(file) != stamp:
                raise TermgaugeError(f"{file.label}: was changed while it was read; run the command again.")


def hashed(files: Sequence[SourceFile]) -> Hashed:
    """Hash the contents of some files; whoever reads them afterwards asks in the end whether they are still the same.

    A hash once computed is remembered with the file's size and times, so that an unchanged 10 GB file is not
    read again; a changed one is.
    """
    stamps = tuple(_stamp(file) for file in files)
    with (
        track("Hashing", total=sum(file.size for file in files), unit="bytes") as advance,
        ThreadPool(min(4, os.cpu_count() or 1)) as pool,
    ):
        values = list(pool.map(lambda file, stamp: _content_hash(file, stamp, advance), files, stamps))
    sweep(HASHES)
    result = Hashed(values, tuple(files), stamps)
    result.require_unchanged()
    return result


def content_hashes(files: Sequence[SourceFile]) -> list[str]:
    """Return the SHA-256 of the contents of each file, in their order."""
    return hashed(files).sha256


def _content_hash(file: SourceFile, stamp: _Stamp, advance: Callable[[float], None]) -> str:
    key = sha256_of_value(stamp)
    memo = entry_path(HASHES, key)
    if digest := remembered(memo):
        advance(file.size)
        return digest
    with file.open() as stream:
        value = sha256_of_stream(stream)
    advance(file.size)
    # What was replaced while it was read is not remembered; nor is what may yet change within its time stamp.
    *_, changed, _number = stamp
    if time.time() - changed / 1e9 > SETTLED_SECONDS and _stamp(file) == stamp:
        with suppress(TermgaugeError):
            write_text(memo, with_checksum(json.dumps({"stamp": key, "sha256": value})))
    return value


def remembered(memo: Path) -> str:
    """Return the hash that an entry of the cache holds; nothing if it is not what was written."""
    try:
        document = read_checked(memo)
        return str(document["sha256"]) if document["stamp"] == memo.name else ""
    except (OSError, DamagedError, KeyError, TypeError):
        return ""


def _stamp(file: SourceFile) -> _Stamp:
    try:
        return str(file.path.resolve()), file.member, *_state(file.path)
    except OSError as error:
        raise TermgaugeError(f"{file.path}: cannot be read ({error.strerror}).") from error


class _GuardedReader(io.RawIOBase):
    """A binary stream that turns every failure into a sentence and stops decompression bombs."""

    def __init__(self, file: SourceFile) -> None:
        self._file = file
        self._opened = ExitStack()
        self._read = 0
        try:
            self._compressed = file.path.stat().st_size
            self._stream = self._open()
        except OSError as error:
            self.close()
            if error.errno == errno.EINVAL:  # an archive that points before its own start
                raise self._damaged(error) from error
            raise TermgaugeError(f"{file.label}: cannot be read ({error.strerror or error}).") from error
        except (*_BAD_ARCHIVE, KeyError) as error:
            self.close()
            raise self._damaged(error) from error

    def _open(self) -> IO[bytes]:
        path, member = self._file.path, self._file.member
        stream: IO[bytes]
        self._on_disk: IO[bytes] | None = None
        if member is None:
            stream = self._on_disk = self._opened.enter_context(path.open("rb"))
        elif path.name.lower().endswith(_TAR_SUFFIXES):
            data = _tar_members(path, _state(path))[member]
            self._compressed, stream = len(data), io.BytesIO(data)
        else:
            archive = _archive(path, _state(path))
            self._compressed = archive.getinfo(member).compress_size
            stream = self._opened.enter_context(archive.open(member))
        decompressed = _DECOMPRESSED.get(PurePosixPath((member or path.name).lower()).suffix)
        return stream if decompressed is None else self._opened.enter_context(decompressed(stream))

    def read(self, size: int = -1) -> bytes:
        """Read up to so many bytes; all of them if negative."""
        if size < 0:
            return b"".join(iter(lambda: self.read(16 << 20), b""))
        before = self._position
        try:
            block = self._stream.read(size)
        except OSError as error:
            if error.strerror is None:  # gzip's BadGzipFile
                raise self._damaged(error) from error
            raise TermgaugeError(f"{self._file.label}: cannot be read ({error.strerror}).") from error
        except _BAD_ARCHIVE as error:
            raise self._damaged(error) from error
        self._read += len(block)
        self._file.advance(self._position - before)
        if self._read > BOMB_FREE_BYTES and self._read > BOMB_RATIO * self._compressed:
            raise TermgaugeError(
                f"{self._file.label}: expands to more than {BOMB_RATIO} times its size, like a decompression bomb; "
                "if you trust it, unpack it yourself and name the unpacked file."
            )
        return block

    @property
    def _position(self) -> int:
        """How much is read, in the bytes that the file's size counts."""
        return self._read if self._on_disk is None else self._on_disk.tell()

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def close(self) -> None:
        """Close the stream, and what it reads from."""
        self._opened.close()
        super().close()

    def _damaged(self, error: BaseException) -> TermgaugeError:
        why = str(error).rstrip(".") or type(error).__name__
        return TermgaugeError(f"{self._file.label}: is damaged or cut off ({why}); get it again from its source.")


@contextmanager
def tracked(file: SourceFile, label: str) -> Iterator[SourceFile]:
    """Give a file whose reading is reported as progress."""
    with track(label, total=file.size, unit="bytes") as advance:
        yield replace(file, advance=advance)


def line_blocks(file: SourceFile) -> Iterator[bytes]:
    """Yield a large file as whole lines, each of which ends in a newline; the next are read while some are worked on.

    Memory depends neither on the size of the file nor on that of its sentences and documents.
    """
    with file.open() as stream, ThreadPool(1) as ahead:
        blocks = _whole_lines(file, stream)
        coming = ahead.submit(next, blocks, b"")
        while lines := coming.result():
            coming = ahead.submit(next, blocks, b"")
            yield lines


def _whole_lines(file: SourceFile, stream: BinaryIO) -> Iterator[bytes]:
    rest, lines = stream.read(len(BOM_UTF8)).removeprefix(BOM_UTF8), 0
    while block := stream.read(BLOCK):
        end = block.rfind(b"\n") + 1
        rest += block[:end]
        if end:
            yield rest
            lines, rest = lines + rest.count(b"\n"), b""
        rest += block[end:]
        if len(rest) > LONGEST_LINE:
            raise TermgaugeError(
                f"{file.label}, line {lines + 1:,}: is longer than {LONGEST_LINE >> 20} MB, so that this is no tagged "
                "text; name another file."
            )
    if rest:
        yield rest if rest.endswith(b"\n") else rest + b"\n"


@lru_cache(maxsize=2)
def _archive(path: Path, _state: tuple[int, int, int, int]) -> zipfile.ZipFile:
    """Open an archive, whose table of contents is then read once and not for each of its files."""
    return zipfile.ZipFile(path)


@lru_cache(maxsize=1)
def _tar_members(path: Path, _state: tuple[int, int, int, int]) -> dict[str, bytes]:
    """Return the files of a compressed tar archive, which must be unpacked from its start to reach any of them."""
    whole, members, total = SourceFile(path.name, path), dict[str, bytes](), 0
    with whole.open() as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
        for entry in archive:
            total += entry.size
            if total > MOST_TAR_BYTES:
                raise TermgaugeError(
                    f"{path}: holds more than {MOST_TAR_BYTES >> 30} GB; unpack it yourself and name the folder."
                )
            if entry.isfile() and (file := archive.extractfile(entry)):
                members[entry.name] = file.read()
    return members


def _state(path: Path) -> tuple[int, int, int, int]:
    state = path.stat()
    return state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino


def read_small(path: Path, most: int = 16 << 20) -> bytes:
    """Return the bytes of a file that people write, such as an experiment; pipes and devices may never end."""
    if not path.is_dir() and path.exists() and not path.is_file():
        raise TermgaugeError(f"{path}: is no ordinary file but a device or a pipe; name a file.")
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise TermgaugeError(
            f"{path}: is larger than {most >> 20} MB, so it is not what it should be; name another file."
        )
    return data


def _files_of_folder(folder: Path) -> list[SourceFile]:
    files = []
    for root, folders, names in os.walk(folder, onerror=_refuse):
        folders[:] = [name for name in folders if not _is_clutter(name)]
        for name in names:
            path = Path(root, name)
            if not _is_clutter(name) and path.is_file():
                files.append(_plain_file(path, path.relative_to(folder).as_posix(), folder))
    return sorted(files, key=lambda file: file.name)


def _refuse(error: OSError) -> None:
    """Stop at a folder that cannot be listed, rather than read half a release."""
    raise error


def _plain_file(path: Path, name: str, root: Path) -> SourceFile:
    return SourceFile(_without_compression(name), path, None, path.stat().st_size, root)


def _files_of_archive(archive: Path, kind: str) -> list[SourceFile]:
    try:
        if kind == "zip":
            with zipfile.ZipFile(archive) as opened:
                entries = [(entry.filename, entry.file_size, entry.flag_bits & 0x1) for entry in opened.infolist()]
        else:
            entries = [(entry, len(data), 0) for entry, data in _tar_members(archive, _state(archive)).items()]
    except _BAD_ARCHIVE as error:
        raise TermgaugeError(
            f"{archive}: is damaged or cut off ({error}), so it cannot be read as a {kind}; get it again from its "
            "source."
        ) from error
    files = []
    for entry, size, encrypted in entries:
        if (name := _name_in(archive, entry)) and not entry.endswith("/"):
            if encrypted:
                raise TermgaugeError(
                    f"{archive}: the entry '{entry}' is encrypted; unpack the archive and name the folder instead."
                )
            files.append(SourceFile(name, archive, entry, size, archive))
    return sorted(files, key=lambda file: file.name)


def _name_in(archive: Path, entry: str) -> str:
    """Return the name of an entry of an archive, without a compression suffix; nothing if it is clutter."""
    if not entry:
        raise TermgaugeError(f"{archive}: holds an entry without a name; get the archive again from its source.")
    parts = PurePosixPath(entry.replace("\\", "/")).parts
    if ".." in parts or entry.startswith(("/", "\\")) or _DRIVE.match(entry):
        raise TermgaugeError(
            f"{archive}: holds an entry named '{entry}' that points outside the archive; "
            "get the archive again from a source you trust."
        )
    return "" if any(_is_clutter(part) for part in parts) else _without_compression("/".join(parts))


def _is_clutter(name: str) -> bool:
    return name.startswith(".") or name == "__MACOSX"


def _without_compression(name: str) -> str:
    ending = name.lower()
    return next((name[: -len(suffix)] for suffix in COMPRESSED_SUFFIXES if ending.endswith(suffix)), name)


def _nearby(path: Path) -> str:
    """Say where the path stops existing, which is usually where the slip is."""
    there = next((parent for parent in path.parents if parent.is_dir()), path.parent)
    return "" if there == path.parent else f" (The folder {there} is there.)"
