"""OBO ontologies, read tolerantly: a slip in one line costs that line, never the file.

The reader is our own because strict parsers refuse about a third of the real files, for an unescaped bracket or a
folded line. Here each line is taken for what it evidently means; lines that mean nothing are counted and mentioned
once.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.io.decoding import LONGEST_LINE, TOO_LONG, refuse_long_line
from termgauge.plurals import numbered, plural
from termgauge.terminology.formats.ontology import KIND_OF_SCOPE, LAY, LAYPERSON, Term, contents_of, dated, day, shown
from termgauge.terminology.formats.registry import Format, only_file
from termgauge.terminology.model import IS_A, MOST_EXAMPLES, Tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from termgauge.io.source import SourceFile
    from termgauge.terminology.formats.registry import Contents
    from termgauge.terminology.options import ReadingOptions

_FORMER_TAGS = {f"{scope.lower()}_synonym": scope for scope in KIND_OF_SCOPE}
_CLAUSES = {
    *("id", "name", "namespace", "alt_id", "is_a", "relationship", "is_obsolete", "replaced_by", "consider"),
    *("use_term", "creation_date", "synonym", *_FORMER_TAGS),
}
"""The clauses of a term that mean something here; the others (definitions, cross-references) are passed by."""
_TAG = re.compile(r"[A-Za-z][\w.-]*")
_STANZA = re.compile(r"\[([\w-]+)\]\s*(?:!.*)?")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"(.*)', re.DOTALL)
_LOOSELY_QUOTED = re.compile(r'"(.*)"(\s+(?:EXACT|RELATED|NARROW|BROAD)\b.*)', re.DOTALL)
_MODIFIERS = re.compile(r'\s*\{[^{}"]*=\s*"(?:[^"\\]|\\.)*"[^{}]*\}\s*$')
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "W": " ", "t": "\t"}
_ODD, _WITHOUT_TEXT = "lines that make no sense in OBO", "synonyms without text"


def read_obo(files: dict[str, SourceFile], options: ReadingOptions) -> Contents:
    """Read an OBO file; its terms are in the language that is wanted, English unless told."""
    (file,) = files.values()
    lines, slips = _decoded_lines(file)
    document = _Document()
    document.take(_unfolded(lines, file.label))
    if not document.terms:
        raise TermgaugeError(
            f"{file.label}: has no [Term] with an id, so it is no OBO ontology, or an empty one; check the file."
        )
    notes, header = [], document.header
    for numbers, one, many in (
        (slips, "not in UTF-8 was read as Windows-1252", "not in UTF-8 were read as Windows-1252"),
        (document.odd, "that makes no sense in OBO was passed over", "that make no sense in OBO were passed over"),
    ):
        if count := len(numbers):
            notes.append(f"{file.base}: {numbered(count, 'line')} {plural(count, one, many)} (line {shown(numbers)}).")
    return contents_of(
        file,
        list(document.terms.values()),
        edition=re.sub(r"\.(?:obo|owl|txt)$", "", header.get("ontology") or file.base, flags=re.IGNORECASE),
        version=dated(header.get("data-version", "")) or header.get("date", ""),
        language=options.language or "en",
        namespace=header.get("default-namespace"),
        notes=notes,
        skipped=document.tally.skipped(),
    )


class _Document:
    """The state of reading: the header, the stanzas so far, the one being read."""

    def __init__(self) -> None:
        self.header: dict[str, str] = {}
        self.terms: dict[str, Term] = {}
        self.odd: list[int] = []
        self.tally = Tally()
        self._term: Term | None = None
        self._stanza = ""
        self._stanza_line = 0
        self._lay_types = {LAYPERSON}

    def take(self, lines: Iterable[tuple[int, str]]) -> None:
        """Take in all lines with their numbers."""
        unused: Counter[str] = Counter()
        for number, line in lines:
            text = line.strip()
            if not text or text[0] == "!":
                continue
            tag, colon, value = text.partition(":")
            if colon and (tag in _CLAUSES or tag in unused or _TAG.fullmatch(tag)):
                if self._term is not None:
                    if tag not in _CLAUSES:
                        unused[tag] += 1
                        if unused[tag] <= MOST_EXAMPLES:
                            self.tally.add(f"clauses that are not used: {tag}", f"line {number}: {text[:80]}")
                    elif not self._take_clause(tag, value.strip()):
                        self._pass_over(number, text, _WITHOUT_TEXT if "synonym" in tag else _ODD)
                elif not self._stanza:
                    self._take_header(tag, value.strip())
            elif stanza := _STANZA.fullmatch(text):
                self._end_stanza()
                self._stanza, self._stanza_line = stanza[1], number
                self._term = Term() if stanza[1] == "Term" else None
            else:
                self._pass_over(number, text, _ODD)
        self._end_stanza()
        for tag, count in unused.items():
            self.tally.add(f"clauses that are not used: {tag}", count=max(0, count - MOST_EXAMPLES))

    def _pass_over(self, number: int, text: str, what: str) -> None:
        self.odd.append(number)
        self.tally.add(what, f"line {number}: {text[:80]}")

    def _end_stanza(self) -> None:
        """Keep the stanza that was being read; a second stanza of the same id adds to the first."""
        term, self._term = self._term, None
        if term is None:
            return
        if not term.id:
            self._pass_over(self._stanza_line, term.name or "[Term]", "terms without an id")
            return
        first = self.terms.setdefault(term.id, term)
        if first is not term:
            first.name = first.name or term.name
            first.obsolete |= term.obsolete
            for field in ("synonyms", "relations", "alternatives", "replaced_by", "consider"):
                getattr(first, field).extend(getattr(term, field))

    def _take_header(self, tag: str, value: str) -> None:
        self.header.setdefault(tag, _plain(value))
        if tag == "synonymtypedef" and LAY.search(value):
            self._lay_types.add(value.split(maxsplit=1)[0].lower())

    def _take_clause(self, tag: str, value: str) -> bool:
        """Take in one line of a term; return whether it makes sense."""
        term = self._term
        assert term is not None
        match tag:
            case "is_a" | "relationship":
                kind, _space, target = (IS_A, "", value) if tag == "is_a" else value.partition(" ")
                relation = _reference(kind), _reference(target)
                term.relations += [relation] if all(relation) else []
                return all(relation)
            case "id":
                term.id = term.id or _reference(value)
                return bool(term.id)
            case "name":
                term.name = term.name or _plain(value)
                return bool(value)
            case "namespace":
                term.namespace = _reference(value)
            case "is_obsolete":
                term.obsolete = value[:4].lower() == "true"
            case "creation_date":
                term.since = day(value)
            case "alt_id" | "replaced_by" | "consider" | "use_term":
                targets = {"alt_id": term.alternatives, "replaced_by": term.replaced_by}.get(tag, term.consider)
                if target := _reference(value):
                    targets.append(target)
                return bool(target)
            case _:
                return self._take_synonym(term, value, _FORMER_TAGS.get(tag, "RELATED"))
        return True

    def _take_synonym(self, term: Term, value: str, scope: str) -> bool:
        quoted = _QUOTED.match(value)
        if quoted is None or (quoted[2].strip() and quoted[2].lstrip()[:1] not in "[{!EBNR"):
            quoted = _LOOSELY_QUOTED.match(value) or quoted
        if quoted is None:
            return False
        text = _unescaped(quoted[1]).strip()
        words = quoted[2].partition("[")[0].split()
        if words and words[0] in KIND_OF_SCOPE:
            scope = words.pop(0)
        lay = bool(words) and (words[0].lower() in self._lay_types or words[0].lower().endswith("#layperson"))
        if text:
            term.synonyms.append((text, LAYPERSON if lay else KIND_OF_SCOPE[scope], ""))
        return bool(text)


def _decoded_lines(file: SourceFile) -> tuple[list[str], list[int]]:
    """Return the lines, and the numbers of those that had to be decoded as something else than UTF-8."""
    data = file.read().removeprefix(b"\xef\xbb\xbf")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise TermgaugeError(f"{file.label}: is UTF-16 text; convert it to UTF-8.")
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    refuse_long_line(data, file.label)
    with suppress(UnicodeDecodeError):
        return data.decode("utf-8").split("\n"), []
    lines, slips = [], []
    for number, line in enumerate(data.split(b"\n"), 1):
        try:
            lines.append(line.decode("utf-8"))
        except UnicodeDecodeError:
            lines.append(line.decode("cp1252", "replace"))
            slips.append(number)
    return lines, slips


def _unfolded(lines: list[str], label: str) -> Iterator[tuple[int, str]]:
    """Join lines that end in a single backslash with the next ones."""
    pending, start = "", 0
    for number, line in enumerate(lines, 1):
        if line.endswith("\\") and (len(line) - len(line.rstrip("\\"))) % 2:
            start = start or number
            pending += line[:-1]
            if len(pending) > LONGEST_LINE:
                raise TermgaugeError(f"{label}, line {start:,}: {TOO_LONG}")
            continue
        if start:
            yield start, pending + line.lstrip()
            pending, start = "", 0
        else:
            yield number, line
    if start:
        yield start, pending


def _plain(value: str) -> str:
    """Return a free text without trailing modifiers and comment, unescaped."""
    if " !" in value:
        value = re.split(r"(?<!\\)\s+!", value, maxsplit=1)[0]
    if value.endswith("}"):
        value = _MODIFIERS.sub("", value)
    return _unescaped(value).strip()


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), text) if "\\" in text else text


def _reference(value: str) -> str:
    """Return the identifier at the start of a value."""
    first = value.split(None, 1)[:1]
    if not first or first[0][0] == "!":
        return ""
    return _unescaped(first[0].partition("{")[0])


FORMAT = Format(
    name="obo",
    title="OBO ontology",
    signs="an OBO ontology ([Term])",
    origin="From the OBO Foundry (obofoundry.org) or the page of the ontology.",
    licence="Each ontology has its own; most are CC BY 4.0 or CC0.",
    choose=lambda sources, _options: {"ontology": only_file(sources, ".obo")},
    read=read_obo,
    sniff_name=lambda file: file.base.lower().endswith(".obo"),
    sniff_head=lambda head: head.startswith(b"format-version:") or b"\n[Term]" in head.replace(b"\r", b"\n"),
    version=4,
)
