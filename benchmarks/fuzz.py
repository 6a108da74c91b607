"""Inputs that nobody would send on purpose, for every registered reader: each is read, or refused in one sentence.

    python -m benchmarks.fuzz [--inputs 20000] [--seed 0] [--reader NAME ...]

The samples of `tests.common.readers` are changed at random, but the same way for the same seed: bits, bytes, lines,
numbers and line ends, encodings, huge words, nested brackets, archives. A defect is whatever else happens: another
exception than TermgaugeError, the end of the process, more time or memory than allowed.
Inputs are read in a process of their own, so that its end is noticed; each input that shows a defect is kept.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import re
import resource
import shutil
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.connection import Connection

REGISTRY = "tests.common.readers:READERS"
SECONDS = 20.0
"""No input may take longer; the samples take milliseconds, and the largest inputs have a few megabytes."""
FIRST_SECONDS = 240.0
"""For the sample itself, while which kernels are compiled."""
MORE_MEMORY = 3 << 30
"""Bytes of address space that a process may take beyond what it has after its first sample."""
ACCEPTED, REFUSED, DEFECT = "accepted", "refused", "defect"

# Mutations: functions of random choices and bytes. A few of them together make an input.

NUMBERS = b"-1 0 1e999 -1e-999 nan 99999999999999999999 2147483648 0x1F 1_0 -0.0 1e3 \xd9\xa1".split()
TOKENS = (
    *(
        b"\0",
        b"\r",
        b"\r\n",
        b"\n\n",
        b"\t",
        b" ",
        b"\\\n",
        b"[Term]\n",
        b"id: T:2\n",
        b"<!DOCTYPE x [<!ENTITY a 'b'>]>",
    ),
    *(
        b"\xed\xa0\x80",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\xc2\x85",
        b"\xe2\x80\xa8",
        b"\xf4\x8f\xbf\xbf",
        b"PK\x03\x04",
        b"\x1f\x8b",
    ),
    *rb"""| , ; " ""\" ' \\ < &lt; &#0; ]]> { } [ ] null true [] {} "\ud800" \ud800 \u0000""".split(),
    *b"# ! .. ${HOME} =cmd() PAR1 %s - O B-".split(),
)
NESTED = ((b"[", b"]"), (b'{"a":', b"}"), (b"<a>", b"</a>"), (b"(", b")"), (b"[a=", b"]"), (b"ObjectUnionOf(", b")"))
ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "utf-8-sig", "utf-7")


def _span(rng: random.Random, data: bytes, most: int = 64) -> tuple[int, int]:
    start = rng.randint(0, len(data))
    return start, min(len(data), start + rng.randint(1, most))


def flip_bits(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    """Flip a few bits."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 8) if data else 0):
        changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def insert(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    """Insert something odd."""
    at = rng.randint(0, len(data))
    return data[:at] + rng.choice((rng.choice(TOKENS), rng.randbytes(rng.randint(1, 6)))) + data[at:]


def overwrite(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    """Put something odd in place of a few bytes."""
    start, end = _span(rng, data, 8)
    return data[:start] + rng.choice(TOKENS) + data[end:]


def delete(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    """Cut something out."""
    start, end = _span(rng, data)
    return data[:start] + data[end:]


def duplicate(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    """Repeat a part, once or often."""
    start, end = _span(rng, data, 400)
    return data[:end] + data[start:end] * rng.choice((1, 1, 2, 50)) + data[end:]


def truncate(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    """Cut off the end."""
    return data[: rng.randint(0, len(data))]


def splice(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Go on with a part of another sample."""
    return data[: rng.randint(0, len(data))] + other[rng.randint(0, len(other)) :]


def change_lines(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    """Exchange, empty or repeat a line, and perhaps end all lines in another way."""
    lines = data.split(b"\n")
    at, to = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[at], lines[to] = rng.choice(((lines[to], lines[at]), (b"", lines[to]), (lines[to], lines[to])))
    return rng.choice((b"\n", b"\n", b"\r\n", b"\r", b"\n\n")).join(lines)


def end_lines(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    """End all lines in another way."""
    end = rng.choice((b"\r", b"\r\n", b"\n\r", b"\x0b", b"\x85", b""))
    return data.replace(b"\r\n", b"\n").replace(b"\n", end)


def encode(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    """Write the text in another encoding."""
    return data.decode("utf-8", "replace").encode(rng.choice(ENCODINGS), "replace")


def change_number(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    """Put another number in place of one."""
    places = [match.span() for match in re.finditer(rb"-?\d+(?:\.\d+)?", data[:200_000])]
    start, end = rng.choice(places or [(0, 0)])
    return data[:start] + rng.choice((*NUMBERS, str(rng.randint(-300, 300)).encode())) + data[end:]


def change_word(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    """Put another word, or something odd, in place of one."""
    places = [match.span() for match in re.finditer(rb'"[^"\n]*"|\w+', data[:200_000])]
    (start, end), (first, last) = (rng.choice(places or [(0, 0)]) for _ in "ab")
    return data[:start] + rng.choice((data[first:last], b"", rng.choice(TOKENS))) + data[end:]


def enlarge(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    """Make a word as long as a book."""
    start, end = _span(rng, data, 12)
    token = data[start:end] or b"x"
    size = rng.choice((5_000, 140_000, 1_200_000, 3_000_000))
    return data[:start] + (token * (size // len(token))) + data[end:]


def nest(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    """Open brackets within brackets, and perhaps close them."""
    opening, closing = rng.choice(NESTED)
    depth, (start, end) = rng.choice((150, 3_000, 60_000)), _span(rng, data)
    return data[:start] + opening * depth + data[start:end] + closing * (depth * rng.randint(0, 1)) + data[end:]


MUTATIONS: tuple[Callable[[random.Random, bytes, bytes], bytes], ...] = (
    flip_bits, insert, overwrite, delete, duplicate, truncate, splice, change_lines, end_lines, encode, change_number,
    change_word,
)  # fmt: skip
LARGE = (enlarge, nest)
"""Mutations that take their time."""


def mutated(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Return an input made of a sample."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        change = rng.choice(LARGE if rng.random() < 0.05 else MUTATIONS)
        data = change(rng, data, other)[: 16 << 20]
    return data


# The process that reads.


class Reader(Protocol):
    """What the registry has: a name, a sample, how it is read, and how often."""

    name: str
    write: Callable[[Path], Path]
    read: Callable[[Path], object]
    archives: bool
    share: float


@dataclass
class Samples:
    """The readers, their samples and a folder for inputs."""

    readers: dict[str, Reader]
    folder: Path
    named: dict[str, Path] = field(default_factory=dict)
    """What a user would name of each sample, beneath its folder."""
    files: list[Path] = field(default_factory=list)
    """Of all samples."""

    def write(self, name: str) -> None:
        """Write the sample of a reader."""
        place = self.folder / "samples" / name
        place.mkdir(parents=True)
        self.named[name] = self.readers[name].write(place).relative_to(place)
        self.files += _files_in(place)

    def make_input(self, name: str, seed: str) -> Path:
        """Write an input, made of the sample of a reader, and return what a user would name."""
        rng, place = random.Random(seed), self.folder / "input"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.folder / "samples" / name, place)
        path = place / self.named[name]
        inside = path if path.is_dir() else path.parent
        files = [path] if path.is_file() and rng.random() < 0.5 else _files_in(inside)
        if self.readers[name].archives and rng.random() < 0.1:
            if path.is_file() and rng.random() < 0.5:
                packed = path.with_name(path.name + ".gz")
                packed.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
                path.unlink()
            else:
                packed = Path(shutil.make_archive(str(self.folder / "packed"), "zip", inside)).rename(
                    place / "packed.zip"
                )
            files, path = [packed], packed
        changed = rng.choice(files)
        changed.write_bytes(mutated(rng, changed.read_bytes(), rng.choice(self.files).read_bytes()))
        return path


def _files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def attempt(reader: Reader, place: Path) -> tuple[str, str]:
    """Read an input: whether it was accepted, refused or shows a defect, and what was said."""
    from termgauge.exceptions import TermgaugeError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reader.read(place)
    except TermgaugeError as error:
        return (REFUSED if len(str(error)) > 20 else DEFECT), str(error)
    except BaseException as error:  # noqa: BLE001 - a panic of Rust is none of Exception
        where = traceback.extract_tb(error.__traceback__)[-1]
        return DEFECT, f"{type(error).__name__}: {str(error)[:200]} ({Path(where.filename).name}:{where.lineno})"
    return ACCEPTED, ""


def work(connection: Connection, registry: str, folder: Path) -> None:
    """Read samples and inputs as they are asked for, until there is nothing more to read."""
    os.environ |= {"TERMGAUGE_CACHE_DIR": str(folder / "cache"), "TERMGAUGE_PROGRESS": "0"}
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # where Rust says that it panics
    module, _, name = registry.partition(":")
    readers = {reader.name: reader for reader in getattr(import_module(module), name)}
    samples = Samples(readers, folder)
    shutil.rmtree(folder / "samples", ignore_errors=True)
    while (asked := connection.recv()) is not None:
        reader, seed = asked
        if seed is None:
            samples.write(reader)
            place = folder / "samples" / reader / samples.named[reader]
        else:
            place = samples.make_input(reader, seed)
            shutil.rmtree(folder / "cache", ignore_errors=True)
        begun = time.perf_counter()
        outcome, said = attempt(readers[reader], place)
        connection.send((outcome, said, time.perf_counter() - begun))
        if seed is None:
            used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (used + MORE_MEMORY, resource.RLIM_INFINITY))


class Worker:
    """The process that reads, started anew whenever it ended."""

    def __init__(self, registry: str, folder: Path, readers: Sequence[str]) -> None:
        self._connection, other = get_context("spawn").Pipe()
        self._process = get_context("spawn").Process(target=work, args=(other, registry, folder), daemon=True)
        self._process.start()
        other.close()
        for reader in readers:
            outcome, said, _seconds = self.ask(reader, None, FIRST_SECONDS)
            if outcome != ACCEPTED:
                raise SystemExit(f"The sample of '{reader}' itself is not read: {said}")

    def ask(self, reader: str, seed: str | None, limit: float) -> tuple[str, str, float]:
        """Have an input read; what ends the process, or takes too long, is a defect."""
        self._connection.send((reader, seed))
        try:
            if self._connection.poll(limit):
                outcome, said, seconds = self._connection.recv()
                return outcome, said, seconds
            said = f"took more than {limit:.0f} seconds"
        except (EOFError, ConnectionError):
            self._process.join()
            said = f"ended the process (exit status {self._process.exitcode})"
        self.close()
        return DEFECT, said, limit

    @property
    def alive(self) -> bool:
        """Whether it can still be asked."""
        return self._process.is_alive()

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        self._connection.close()


def shares(readers: Sequence[Reader], inputs: int) -> dict[str, int]:
    """Return how many inputs each reader gets, at least one."""
    total = sum(reader.share for reader in readers)
    return {reader.name: max(1, round(inputs * reader.share / total)) for reader in readers}


def fuzz(registry: str, inputs: int, seed: int, wanted: Sequence[str], kept: Path) -> int:
    """Read so many inputs, print a table of what became of them, and return how many show a defect."""
    module, _, name = registry.partition(":")
    readers = [reader for reader in getattr(import_module(module), name) if not wanted or reader.name in wanted]
    if unknown := set(wanted) - {reader.name for reader in readers}:
        raise SystemExit(f"There is no reader {', '.join(sorted(unknown))}.")
    names, defects = [reader.name for reader in readers], 0
    print(f"{'reader':28}{'inputs':>8}{ACCEPTED:>10}{REFUSED:>9}{'defects':>9}{'slowest':>10}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        worker = Worker(registry, Path(folder), names)
        for reader, count in shares(readers, inputs).items():
            outcomes, slowest = Counter[str](), 0.0
            for number in range(count):
                outcome, said, seconds = worker.ask(reader, f"{seed}/{reader}/{number}", SECONDS)
                outcomes[outcome] += 1
                slowest = max(slowest, seconds)
                if outcome == DEFECT:
                    place = kept / f"{reader.replace(' ', '-')}-{seed}-{number}"
                    shutil.copytree(Path(folder, "input"), place, dirs_exist_ok=True)
                    print(f"  {place}: {said}", flush=True)
                if not worker.alive:
                    worker = Worker(registry, Path(folder), names)
            cells = (count, outcomes[ACCEPTED], outcomes[REFUSED], outcomes[DEFECT])
            print(f"{reader:28}{cells[0]:8,}{cells[1]:10,}{cells[2]:9,}{cells[3]:9,}{slowest:8.2f} s", flush=True)
            defects += outcomes[DEFECT]
        worker.close()
    return defects


def command() -> None:
    """Take the arguments of the command line; the exit status is 1 if there is a defect."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=20_000, help="how many inputs for all readers together")
    parser.add_argument("--seed", type=int, default=0, help="another seed makes other inputs")
    parser.add_argument("--reader", action="append", default=[], help="only this reader; may be given several times")
    parser.add_argument("--registry", default=REGISTRY, help="where the readers are, as MODULE:LIST")
    parser.add_argument("--keep", type=Path, default=Path("artifacts/fuzz"), help="where inputs with defects are kept")
    given = parser.parse_args()
    begun = time.perf_counter()
    defects = fuzz(given.registry, given.inputs, given.seed, given.reader, given.keep)
    print(f"{defects} defects in {time.perf_counter() - begun:.0f} s")
    sys.exit(1 if defects else 0)


if __name__ == "__main__":
    command()
