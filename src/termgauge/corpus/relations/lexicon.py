"""The SPECIALIST LEXICON: unit records with spelling variants and nominalisations, and its table of synonyms.

Synonyms make pairs. Nominalisations make none: through them the name of a process in an ontology (phosphorylation) also
finds the verb (phosphorylate). Two spellings or inflections of one base are never a pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import polars as pl

from termgauge.corpus.pools import BIOMEDICAL, difference
from termgauge.corpus.relations.resource import NO_VARIANTS, SYNONYM, Kind, Relations
from termgauge.corpus.tables import NOUN, VERB
from termgauge.exceptions import TermgaugeError, warn
from termgauge.io.decoding import TOO_LONG, long_line
from termgauge.plurals import numbered, plural
from termgauge.progress import track

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from termgauge.corpus.options import PairOptions
    from termgauge.corpus.pools import Codes, Pool
    from termgauge.corpus.relations.resource import Speller
    from termgauge.io.source import SourceFile

CATEGORIES = {"128": NOUN, "1024": VERB}
"""How tables of the lexicon's tools write the classes by number."""
_KNOWN_CLASSES = {NOUN, VERB, "adj", "adv", "aux", "compl", "conj", "det", "modal", "prep", "pron"}
_BLOCK = 1 << 20


@dataclass(frozen=True, eq=False)
class Lexicon(Relations):
    """What the lexicon's files say about single words."""

    synonyms: pl.DataFrame
    """``first``, ``second``, ``part`` (the class of both)."""
    nominalisations: pl.DataFrame
    """``word``, ``variant``, ``part`` (the class of the variant); both ways."""
    forms_of_one: pl.DataFrame
    """``first``, ``second``: spellings and irregular inflections of one base."""

    @property
    def words(self) -> pl.Series:
        """All words that have a synonym or a nominalisation, or are one."""
        columns = (*(self.synonyms[name] for name in ("first", "second")), self.nominalisations["variant"])
        return pl.concat([each.alias("word") for each in columns])

    @property
    def makes_pairs(self) -> bool:  # type: ignore[override]
        """Whether it has synonyms."""
        return bool(self.synonyms.height)

    def related(self, pool: Pool, variants: pl.DataFrame) -> Mapping[str, Codes]:  # noqa: ARG002
        """Return the synonyms that are of the pool's class."""
        pairs = pool.pairs_of(self.synonyms.filter(pl.col("part") == pool.word_class))
        return {SYNONYM: difference(pairs, self.same_base(pool))}

    def same_base(self, pool: Pool) -> Codes:
        """Return the pairs that are two forms of one base."""
        return pool.pairs_of(self.forms_of_one)

    def variants(self, word_class: str) -> pl.DataFrame:
        """Return nominalisations: ``word``, ``variant``."""
        return self.nominalisations.filter(pl.col("part") == word_class).select("word", "variant").unique()


@dataclass
class _Unit:
    """A record, as it is being read."""

    line: int
    forms: list[str]
    part: str = ""
    others: list[tuple[str, str]] | None = None
    """Nominalisations and what is nominalised: word and class."""


def _units(file: SourceFile) -> Iterator[_Unit]:
    """Yield the records of a file; one that is not closed means that the file is cut off."""
    unit: _Unit | None = None
    for number, line in _lines(file):
        text = line.strip()
        name, equals, value = text.partition("=")
        if text.startswith("{") or text == "}":
            if (text == "}") == (unit is None):
                raise TermgaugeError(
                    f"{file.label}, line {number:,}: a record of the lexicon begins with {{base= and ends with }}, but "
                    "here one is not closed or not opened; get the file again."
                )
            if unit is not None:
                yield unit
            unit = _Unit(number, [value.strip()], others=[]) if text.startswith("{") else None
        elif unit is not None and equals:
            _take(unit, name, value.strip())
    if unit is not None:
        raise TermgaugeError(
            f"{file.label}, line {unit.line:,}: the record that begins here is not closed, so the file is cut off; get "
            "it again."
        )


def _take(unit: _Unit, name: str, value: str) -> None:
    match name:
        case "spelling_variant":
            unit.forms.append(value)
        case "cat":
            unit.part = value
        case "variants" if value.startswith("irreg|"):
            unit.forms += [form for form in value.split("|")[1:] if form]
        case "nominalization" | "nominalization_of":
            word, _, rest = value.partition("|")
            assert unit.others is not None
            unit.others.append((word, rest.partition("|")[0]))


def _lines(file: SourceFile) -> Iterator[tuple[int, str]]:
    """Yield the numbers and texts of a file's lines without holding all of it."""
    rest, done = b"", 0
    with track(f"Reading {file.base}", total=file.size, unit="bytes") as advance, file.open() as stream:
        while block := stream.read(_BLOCK):
            advance(len(block))
            block = rest + block
            if (long := long_line(block)) is not None:
                raise TermgaugeError(f"{file.label}, line {done + long + 1:,}: {TOO_LONG}")
            *lines, rest = block.split(b"\n")
            yield from enumerate((line.decode("utf-8", "replace") for line in lines), done + 1)
            done += len(lines)
    if rest:
        yield done + 1, rest.decode("utf-8", "replace")


def _single(word: str) -> str:
    """Return a word in lower case; nothing for an expression of several words."""
    return "" if not word or any(letter.isspace() for letter in word) else word.lower()


def _records(file: SourceFile) -> tuple[list[tuple[str, str, str]], list[tuple[str, str]]]:
    """Return the nominalisations both ways, and the pairs of forms of one base."""
    nominalisations, same = [], []
    for unit in _units(file):
        forms = list(dict.fromkeys(filter(None, map(_single, unit.forms))))
        same += list(combinations(forms, 2))
        for other, part in unit.others or ():
            if word := _single(other):
                nominalisations += [row for form in forms for row in ((form, word, part), (word, form, unit.part))]
    return nominalisations, same


def _synonyms(file: SourceFile) -> list[tuple[str, str, str]]:
    """Return the rows of a table of synonyms whose words are single ones of one class."""
    rows, odd = [], []
    for number, line in enumerate(file.text().splitlines(), 1):
        fields = _fields(line)
        parts = {CATEGORIES.get(field, field.lower()) for field in fields[1:4:2]}
        if len(fields) < 4:
            odd += [number] if line.strip() and not line.startswith("#") else []
        elif len(parts) == 1 and _single(fields[0]) and _single(fields[2]):
            rows.append((_single(fields[0]), _single(fields[2]), *parts))
    if odd:
        warn(
            f"{file.base}: {numbered(len(odd), 'line')} without four fields {plural(len(odd), 'was', 'were')} passed "
            f"over (the first is line {odd[0]:,})."
        )
    return rows  # type: ignore[return-value]


def _is_records(file: SourceFile) -> bool:
    return file.head(1 << 12).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{base=")


def _is_synonyms(file: SourceFile) -> bool:
    lines = file.head(1 << 12).decode("utf-8", "replace").splitlines()
    rows = [_fields(line) for line in lines[:5] if line.strip() and not line.startswith("#")]
    return any(len(row) >= 4 and all(_is_class(field) for field in row[1:4:2]) for row in rows)


def _fields(line: str) -> list[str]:
    return [field.strip() for field in line.split("\t" if "\t" in line else "|")]


def _is_class(field: str) -> bool:
    return field.lower() in _KNOWN_CLASSES or field in CATEGORIES


def _read(files: Sequence[SourceFile], spelled: Speller, options: PairOptions) -> Lexicon:  # noqa: ARG001
    synonyms: list[tuple[str, str, str]] = []
    nominalisations: list[tuple[str, str, str]] = []
    same: list[tuple[str, str]] = []
    for file in files:
        if _is_records(file):
            more, forms = _records(file)
            nominalisations += more
            same += forms
        elif _is_synonyms(file):
            synonyms += _synonyms(file)
        else:
            raise TermgaugeError(
                f"{file.label}: is neither LEXICON's unit records ({{base=…) nor a table of synonyms (word, class, "
                "word, class); name one of these."
            )
    text = pl.String
    found = pl.DataFrame(synonyms, schema={"first": text, "second": text, "part": text}, orient="row")
    variants = pl.DataFrame(nominalisations, schema={**NO_VARIANTS.schema, "part": text}, orient="row")
    forms_of_one = pl.DataFrame(same, schema={"first": text, "second": text}, orient="row")
    return Lexicon(*(_spelled(frame, spelled) for frame in (found, variants, forms_of_one)))


def _spelled(frame: pl.DataFrame, spelled: Speller) -> pl.DataFrame:
    words = frame.columns[:2]
    return frame.with_columns(spelled(frame[name]).alias(name) for name in words).unique(maintain_order=True)


KIND = Kind(
    name="lexicon",
    signs="the SPECIALIST LEXICON's unit records ({base=…) or its table of synonyms (word, class, word, class)",
    recognised=lambda file: _is_records(file) or _is_synonyms(file),
    read=_read,
    domains=(BIOMEDICAL,),
)
