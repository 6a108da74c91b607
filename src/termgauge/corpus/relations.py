"""Which words belong together: tables, classes of verbs, norms of association, ontologies, the SPECIALIST LEXICON.

Whatever a resource is, it says the same few things: pairs of words, and groups all of whose words are pairs. Words are
in lower case and spelled as the corpus spells them.

A table has the columns ``word1``, ``word2`` and ``relation``. Classes of verbs (VerbNet, BioVerbNet) have a column
``verb``, ``noun`` or ``word`` and a column of classes, of which a field may hold several. Norms are the files of the
University of South Florida, Latin-1 text inside of HTML with a header ``CUE, TARGET, NORMED?, #G, #P, FSG, BSG, …``, or
a table of these columns. In an ontology, words of one term are synonyms, and those of sister terms siblings. Of the
SPECIALIST LEXICON, synonyms make pairs; nominalisations make none: through them the name of a process in an ontology
(phosphorylation) also finds the verb (phosphorylate). Two spellings or inflections of one base are never a pair.
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from termgauge.corpus.tables import NOUN, VERB
from termgauge.exceptions import TermgaugeError, warn
from termgauge.io.decoding import decoded
from termgauge.io.source import line_blocks, tracked
from termgauge.io.tables import open_table, peek_table
from termgauge.plurals import numbered, plural
from termgauge.terminology.model import FSN, HIERARCHY
from termgauge.terminology.model import SYNONYM as EXACT
from termgauge.terminology.read import read_terminology

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from termgauge.corpus.options import PairOptions
    from termgauge.corpus.pools import Pool
    from termgauge.io.source import SourceFile
    from termgauge.terminology.model import Terminology

    Speller = Callable[[pl.Series], pl.Series]
    """Gives words in lower case, as the corpus spells them."""

SYNONYM, SIBLING, CLASS, ASSOCIATED = RELATIONS = ("synonym", "sibling", "class", "associated")
"""The relations that resources know by themselves, the closest first: a pair in several counts as the first of them."""
CLOSEST_FIRST = (
    pl.col("relation").replace_strict({name: rank for rank, name in enumerate(RELATIONS)}, default=len(RELATIONS)),
    pl.col("relation"),
)
"""By what relations are ordered: those with a name of their own first, the closest before the others."""


def text_frame(columns: Sequence[str], rows: Sequence[tuple[str | None, ...]] = ()) -> pl.DataFrame:
    """Return rows of text as a table."""
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")


PAIR = ("first", "second")
VARIANT = ("word", "variant", "part")
_NO_PAIRS = text_frame((*PAIR, "relation", "part"))
_NO_VARIANTS = text_frame(VARIANT)
_NO_GROUPS = text_frame(("word", "group", "relation", "part"))


class Relations(NamedTuple):
    """What was read from a resource; a ``part`` is the class of words that a row is about, null if it is any."""

    pairs: pl.DataFrame = _NO_PAIRS
    """``first``, ``second``, ``relation``, ``part``."""
    groups: pl.DataFrame = _NO_GROUPS
    """``word``, ``group``, ``relation``, ``part``: all words of a group are pairs."""
    listed: pl.DataFrame = _NO_PAIRS
    """``first``, ``second``: pairs that are no unassociated ones, though they may not be related either."""
    same_base: pl.DataFrame = _NO_PAIRS
    """``first``, ``second``: two forms of one base, which are never a pair."""
    variants: pl.DataFrame = _NO_VARIANTS
    """``word``, ``variant``, ``part``: words that count as names wherever their word does."""
    finds_variants: bool = False
    """Whether variants, of whichever resource, are of the same groups as their words."""

    @property
    def words(self) -> pl.Series:
        """All words that it knows."""
        both = (table[column] for table in (self.pairs, self.listed) for column in PAIR)
        columns = (*both, self.groups["word"], self.variants["variant"])
        return pl.concat([column.alias("word") for column in columns]).unique()

    @property
    def makes_pairs(self) -> bool:
        """Whether it relates words, and does not only know forms of one word."""
        return any(table.height for table in (self.pairs, self.groups, self.listed))

    def related(self, pool: Pool, variants: pl.DataFrame) -> pl.DataFrame:
        """Return the related pairs of a pool, each with its closest relation; `variants` are those of its class."""
        groups = self.groups
        if self.finds_variants:
            variant_groups = groups.join(variants, on="word").with_columns(word="variant")
            groups = pl.concat([groups, variant_groups.select(groups.columns)])
        of_class = pl.col("part").is_null() | (pl.col("part") == pool.word_class)
        pairs = [pool.pairs_of(self.pairs.filter(of_class)), pool.pairs_within(groups.filter(of_class))]
        return pl.concat(pairs).sort(CLOSEST_FIRST).unique("pair", keep="first", maintain_order=True)


def _unclassed(relation: str) -> tuple[pl.Expr, pl.Expr]:
    """Return the columns of one relation between words of any class."""
    return pl.lit(relation).alias("relation"), pl.lit(None, pl.String).alias("part")


TABLE_COLUMNS = ("word1", "word2", "relation")


def is_table(file: SourceFile) -> bool:
    """Say whether a file is a table of related words."""
    return peek_table(file.head(), TABLE_COLUMNS).names(TABLE_COLUMNS)


def read_table(files: Sequence[SourceFile], spelled: Speller, _options: PairOptions) -> Relations:
    """Read tables of related words."""
    tables = []
    for file in files:
        rows = open_table(file, TABLE_COLUMNS).select(TABLE_COLUMNS)
        empty = pl.any_horizontal(pl.col(TABLE_COLUMNS) == "")
        if (wrong := rows.with_row_index("row", offset=2).filter(empty)).height:
            raise TermgaugeError(
                f"{file.label}, row {wrong['row'][0]} (the header is row 1): a word or the relation is missing; fill "
                "it in or delete the row."
            )
        tables.append(rows)
    rows = pl.concat(tables)
    first, second = (spelled(rows[name].str.to_lowercase()) for name in TABLE_COLUMNS[:2])
    return Relations(rows.select("relation", _unclassed("")[1], first=first, second=second))


_WORD_COLUMNS = (VERB, NOUN, "word", "lemma")
_NO_CLASS = ("", "N/A", "NA", "-", "_")


def _class_columns(file: SourceFile) -> tuple[str, str] | None:
    """Return the columns of words and of their classes, if a table has both."""
    columns = [title.lower() for title in peek_table(file.head()).first]
    exact = [name for name in ("class", "classes") if name in columns]
    classes = [*exact, *(name for name in columns if name.endswith(("_class", "_classes")))]
    words = [name for name in _WORD_COLUMNS if name in columns]
    return (words[0], classes[0]) if words and classes else None


def is_classes(file: SourceFile) -> bool:
    """Say whether a file is a table of classes."""
    return _class_columns(file) is not None


def read_classes(files: Sequence[SourceFile], spelled: Speller, _options: PairOptions) -> Relations:
    """Read tables of classes."""
    return Relations(groups=pl.concat([_members(file, spelled) for file in files]).unique())


def _members(file: SourceFile, spelled: Speller) -> pl.DataFrame:
    if (columns := _class_columns(file)) is None:
        raise TermgaugeError(
            f"{file.label}: is no table of classes; it needs a column named verb, noun or word, and one named class."
        )
    word, group = columns
    classes = (
        open_table(file)
        .select(columns)
        .select(word=pl.col(word).str.to_lowercase(), group=pl.col(group).str.replace_all(r"[,;\s]+", " "))
        .with_columns(pl.col("group").str.split(" "))
        .explode("group")
        .filter(~pl.col("group").is_in(_NO_CLASS) & (pl.col("word") != ""))
    )
    if classes.is_empty():
        raise TermgaugeError(f"{file.label}: no word has a class in the column '{group}'; check the file.")
    part = pl.lit(word if word in (VERB, NOUN) else None, pl.String)
    return classes.select(spelled(classes["word"]), "group", _unclassed(CLASS)[0], part=part)


NORM_COLUMNS = ("cue", "target", "g", "p", "fsg", "bsg")
ASKED = 10
"""More than so many people were given the cue."""
_NUMBER = re.compile(r"\d*\.?\d+|\d+\.")


def is_norms(file: SourceFile) -> bool:
    """Say whether one of the first lines of a file is the header of norms."""
    return any(map(_header_of_norms, file.head(1 << 14).decode("latin-1").splitlines()[:50]))


def read_norms(files: Sequence[SourceFile], spelled: Speller, options: PairOptions) -> Relations:
    """Read norms; a pair is associated with strength in both directions, from enough people."""
    rows = [row for file in files for row in _norms(file)]
    schema = dict.fromkeys(NORM_COLUMNS[:2], pl.String) | dict.fromkeys(NORM_COLUMNS[2:], pl.Float64)
    norms = pl.DataFrame(rows, schema=schema, orient="row")
    norms = norms.with_columns(spelled(norms[name].str.to_lowercase()) for name in NORM_COLUMNS[:2])
    enough = pl.col("g") > ASKED if options.min_producers is None else pl.col("p") >= options.min_producers
    associated = norms.filter(enough & (pl.col("fsg") > 0) & (pl.col("bsg") > 0))
    pairs, listed = (
        table.select(*_unclassed(ASSOCIATED), first="cue", second="target") for table in (associated, norms)
    )
    return Relations(pairs, listed=listed)


def _norms(file: SourceFile) -> Iterator[tuple[str | float | None, ...]]:
    """Yield cue, target, #G, #P, FSG and BSG of each row after the header; lines that are no rows are passed over."""
    lines = enumerate(decoded(file.read(), file.label, otherwise="latin-1").splitlines(), 1)
    header = next(filter(None, (_header_of_norms(line) for _number, line in lines)), None)
    if header is None:
        raise TermgaugeError(
            f"{file.label}: has no header that names the columns CUE, TARGET, #G, #P, FSG and BSG; put one above the "
            "rows, separated by commas or tabs."
        )
    separator, positions = header
    odd: list[int] = []
    count = 0
    for number, line in lines:
        fields = [field.strip().strip('"') for field in line.split(separator)]
        if len(fields) > max(positions) and fields[positions[0]] and fields[positions[1]]:
            cue, target, *numbers = (fields[position] for position in positions)
            count += 1
            # A yen sign, or whatever else stands where there is no number, is none.
            yield (cue, target, *(float(text) if _NUMBER.fullmatch(text) else None for text in numbers))
        elif line.strip() and not line.lstrip().startswith("<"):
            odd.append(number)
    if not count:
        raise TermgaugeError(f"{file.label}: holds no row after its header; get the file again.")
    if odd:
        warn(
            f"{file.base}: {numbered(len(odd), 'line that is no row was', 'lines that are no rows were')} passed over "
            f"(the first is line {odd[0]})."
        )


def _header_of_norms(line: str) -> tuple[str, list[int]] | None:
    """Return the separator and where the columns are, if a line is the header."""
    separator = "\t" if "\t" in line else ","
    names = [re.sub(r"[^a-z]", "", field.lower()) for field in line.split(separator)]
    return (separator, list(map(names.index, NORM_COLUMNS))) if set(NORM_COLUMNS) <= set(names) else None


EXACT_KINDS = (FSN, EXACT, "layperson")
"""Names, exact synonyms, and those for laypeople: which of them OBO files call exact is not kept, but most are."""


def read_ontology(files: Sequence[SourceFile], spelled: Speller, options: PairOptions) -> Relations:
    """Read any terminology that termgauge reads."""
    return relations_of_ontology(read_terminology(files[0].root), spelled, options.scope)


def relations_of_ontology(terminology: Terminology, spelled: Speller, scopes: Sequence[str] = ()) -> Relations:
    """Return what a terminology says about names of live terms that are one word.

    Names are exact synonyms, and those of the kinds in `scopes`. Parents are live, too.
    """
    live = terminology.concepts.filter("active").select(term="concept", text="name")
    terms = terminology.terms.filter(pl.col("active") & pl.col("kind").is_in([*EXACT_KINDS, *scopes]))
    of_live = terms.select("text", term="concept").join(live, on="term", how="semi").select("term", "text")
    text = pl.col("text").str.strip_chars()
    names = pl.concat([live, of_live]).select("term", text).filter((text != "") & ~text.str.contains(r"\s"))
    parents = (
        terminology.relations.filter(pl.col("type").is_in(HIERARCHY))
        .select(term="source", parent="target")
        .join(live, on="term", how="semi")
        .join(live.select(parent="term"), on="parent", how="semi")
    )
    return ontology_relations(names.select("term", word=spelled(names["text"].str.to_lowercase())), parents)


def ontology_relations(names: pl.DataFrame, parents: pl.DataFrame) -> Relations:
    """Return what the names of terms (``term``, ``word``) and their parents (``term``, ``parent``) say.

    Two words of one child of a parent are synonyms, which goes before siblings; all others are of two children.
    """
    synonyms = names.select("word", *_unclassed(SYNONYM), group="term")
    siblings = names.join(parents, on="term").select("word", *_unclassed(SIBLING), group="parent")
    return Relations(groups=pl.concat([synonyms, siblings]).unique(), finds_variants=True)


CATEGORIES = {"128": NOUN, "1024": VERB}
"""How tables of the lexicon's tools write the classes by number."""
_CLASSES = {*CATEGORIES, NOUN, VERB, "adj", "adv", "aux", "compl", "conj", "det", "modal", "prep", "pron"}


def is_lexicon(file: SourceFile) -> bool:
    """Say whether a file is one of the lexicon."""
    return _is_records(file) or _is_synonyms(file)


def read_lexicon(files: Sequence[SourceFile], spelled: Speller, _options: PairOptions) -> Relations:
    """Read files of the lexicon."""
    synonyms: list[tuple[str, ...]] = []
    nominalisations: list[tuple[str, ...]] = []
    same_base: list[tuple[str, ...]] = []
    for file in files:
        if _is_records(file):
            for record in _records(file):
                class_ = dict(record).get("cat", "")
                forms = list(dict.fromkeys(word for name, value in record for word in _forms(name, value)))
                same_base += combinations(forms, 2)
                for value in (value for name, value in record if name in ("nominalization", "nominalization_of")):
                    other, part, *_more = (*value.split("|"), "")
                    if word := _single(other):
                        nominalisations += (row for form in forms for row in ((form, word, part), (word, form, class_)))
        elif _is_synonyms(file):
            synonyms += _synonyms(file)
        else:
            raise TermgaugeError(
                f"{file.label}: is neither LEXICON's unit records ({{base=…) nor a table of synonyms (word, class, "
                "word, class); name one of these."
            )
    return Relations(
        _table((*PAIR, "relation", "part"), synonyms, spelled),
        same_base=_table(PAIR, same_base, spelled),
        variants=_table(VARIANT, nominalisations, spelled),
    )


def _table(columns: Sequence[str], rows: Sequence[tuple[str, ...]], spelled: Speller) -> pl.DataFrame:
    """Return rows as a table, each once, with the words of the first two columns as the corpus spells them."""
    table = text_frame(columns, rows)
    return table.with_columns(spelled(table[name]) for name in columns[:2]).unique(maintain_order=True)


def _is_records(file: SourceFile) -> bool:
    return file.head(1 << 12).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{base=")


def _records(file: SourceFile) -> Iterator[list[tuple[str, str]]]:
    """Yield the names and values of each record of a file; one that is not closed means that the file is cut off."""
    record: list[tuple[str, str]] | None = None
    begin = 0
    for number, line in _lines(file):
        text = line.strip()
        name, equals, value = text.partition("=")
        if text.startswith("{") or text == "}":
            if (text == "}") == (record is None):
                raise TermgaugeError(
                    f"{file.label}, line {number:,}: a record of the lexicon begins with {{base= and ends with }}, but "
                    "here one is not closed or not opened; get the file again."
                )
            if record is not None:
                yield record
            record, begin = ([("{base", value.strip())], number) if text.startswith("{") else (None, 0)
        elif record is not None and equals:
            record.append((name, value.strip()))
    if record is not None:
        raise TermgaugeError(
            f"{file.label}, line {begin:,}: the record that begins here is not closed, so the file is cut off; get "
            "it again."
        )


def _forms(name: str, value: str) -> list[str]:
    """Return the forms of a record's base that are one word, of those that one of its lines names."""
    irregular = value.split("|")[1:] if name == "variants" and value.startswith("irreg|") else []
    forms = [value] if name in ("{base", "spelling_variant") else irregular
    return list(filter(None, map(_single, forms)))


def _lines(file: SourceFile) -> Iterator[tuple[int, str]]:
    """Yield the numbers and texts of a file's lines without holding all of it."""
    with tracked(file, f"Reading {file.base}") as opened:
        blocks = (block.decode("utf-8", "replace").removesuffix("\n") for block in line_blocks(opened))
        yield from enumerate((line for block in blocks for line in block.split("\n")), 1)


def _single(word: str) -> str:
    """Return a word in lower case; nothing for an expression of several words."""
    return "" if any(map(str.isspace, word)) else word.lower()


def _is_synonyms(file: SourceFile) -> bool:
    lines = file.head(1 << 12).decode("utf-8", "replace").splitlines()
    rows = [_fields(line) for line in lines[:5] if line.strip() and not line.startswith("#")]
    return any(len(row) >= 4 and all(field.lower() in _CLASSES for field in row[1:4:2]) for row in rows)


def _synonyms(file: SourceFile) -> list[tuple[str, ...]]:
    """Return the rows of a table of synonyms whose words are single ones of one class."""
    rows, odd = [], []
    for number, line in enumerate(file.text().splitlines(), 1):
        fields = _fields(line)
        parts = {CATEGORIES.get(field, field.lower()) for field in fields[1:4:2]}
        if len(fields) < 4:
            odd += [number] if line.strip() and not line.startswith("#") else []
        elif len(parts) == 1 and (first := _single(fields[0])) and (second := _single(fields[2])):
            rows.append((first, second, SYNONYM, *parts))
    if odd:
        warn(
            f"{file.base}: {numbered(len(odd), 'line')} without four fields {plural(len(odd), 'was', 'were')} passed "
            f"over (the first is line {odd[0]:,})."
        )
    return rows


def _fields(line: str) -> list[str]:
    return [field.strip() for field in line.split("\t" if "\t" in line else "|")]
