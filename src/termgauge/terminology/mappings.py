"""Which concepts of two terminologies some mappings say are the same, and the forms that mappings come in.

A file is recognised by its name or by how it begins.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import content_hashes, files_of
from termgauge.io.tables import parse_table, peek_table, table_text
from termgauge.plurals import numbered, plural
from termgauge.terminology.delimited import Layout, header_of, read_rows
from termgauge.terminology.formats.documents import begins_json, dictionaries
from termgauge.terminology.formats.rrf import DOCUMENTED_COLUMNS
from termgauge.terminology.identifiers import Identifiers, parts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from termgauge.io.source import SourceFile
    from termgauge.io.tables import Table
    from termgauge.terminology.model import Terminology
    from termgauge.terminology.options import MappingOptions

EXACT, CLOSE, BROAD, NARROW, RELATED = "exact", "close", "broad", "narrow", "related"
RELATIONS = (EXACT, CLOSE, BROAD, NARROW, RELATED)
"""What the target of a mapping is to its source: the same, nearly the same, a broader or a narrower concept, or one
that has to do with it."""
REVERSED = {BROAD: NARROW, NARROW: BROAD}
"""What the source is to the target, where that is something else."""


Mapped = tuple[pl.DataFrame, int]
"""What a file says: ``source`` and ``target``, ids as they are written, and ``relation``, one of ``RELATIONS``; and how
many rows say that two concepts are not the same, or nothing at all."""


def _mapped(rows: Iterable[tuple[str, str, str]]) -> Mapped:
    """Return the rows that name a source, a target and a relation, and count the others."""
    frame = pl.DataFrame(list(rows), dict.fromkeys(("source", "target", "relation"), pl.String), orient="row")
    whole = frame.filter(pl.all_horizontal(pl.all() != ""))
    return whole, frame.height - whole.height


class MappingForm(NamedTuple):
    """A form of mappings: what it is, and how a file is recognised and read, given the ids of both terminologies."""

    title: str
    sniff: Callable[[SourceFile], bool]
    read: Callable[[SourceFile, pl.Series, pl.Series], Mapped]


RELATION_OF_CORRELATION = {
    "447557004": EXACT,
    "447558009": BROAD,  # narrow to broad: the target is broader
    "447559001": NARROW,
    "447560006": RELATED,
}
NOT_MAPPABLE = "447556008"
_NAME = re.compile(r"x?der2_(?:s|i+s+c+)Refset_\w*Map\w*?(?:Full|Snapshot)(?:-[a-z-]+)?_\w+_\d{8}\.txt", re.IGNORECASE)
_SIMPLE = ("id", "effectiveTime", "active", "refsetId", "referencedComponentId", "mapTarget")
_RULED = ("mapGroup", "mapPriority", "mapRule", "correlationId")
_HOLDS = ("TRUE", "ALWAYS", "")


def read_rf2_map(file: SourceFile, _first: pl.Series, _second: pl.Series) -> Mapped:
    """Read the members of a map reference set of SNOMED CT as they are now: simple, extended or complex.

    Simple maps are taken as exact. Rows of the others that hold only under a rule are passed over, and so are targets
    of a lower priority. What they map is as exact as their correlation says; where it says nothing, as in the map to
    ICD-10, one target is close, and one of several is related.
    """
    header = header_of(file, "\t", {name: name for name in (*_SIMPLE, *_RULED)}, _SIMPLE, "a map reference set of RF2")
    ruled = set(_RULED) <= set(header)
    rows = read_rows(file, Layout("\t", header, header=True), (*_SIMPLE, *_RULED) if ruled else _SIMPLE)
    current = rows.sort("effectiveTime", maintain_order=True).unique("id", keep="last", maintain_order=True)
    active = current.filter(pl.col("active") == "1")
    mapped = active.filter(pl.col("mapTarget") != "")
    mapped = _holding(mapped) if ruled else mapped.with_columns(relation=pl.lit(EXACT))
    links = mapped.select(source="referencedComponentId", target="mapTarget", relation="relation")
    return links, active.height - mapped.height


def _holding(rows: pl.DataFrame) -> pl.DataFrame:
    """Return, of each group of targets, the first by priority that holds in any case, with its relation."""
    group = ["refsetId", "referencedComponentId", "mapGroup"]
    holding = (
        rows.filter(
            pl.col("mapRule").str.strip_chars().str.to_uppercase().is_in(_HOLDS)
            & (pl.col("correlationId") != NOT_MAPPABLE)
        )
        .with_columns(priority=pl.col("mapPriority").cast(pl.Int32, strict=False).fill_null(0))
        .sort("priority", maintain_order=True)
        .unique(group, keep="first", maintain_order=True)
    )
    groups = pl.len().over("refsetId", "referencedComponentId")
    unsaid = pl.when(groups == 1).then(pl.lit(CLOSE)).otherwise(pl.lit(RELATED))
    relation = pl.col("correlationId").replace_strict(RELATION_OF_CORRELATION, default=None, return_dtype=pl.String)
    return holding.with_columns(relation=pl.coalesce(relation, unsaid))


_UMLS = "UMLS"


def read_mrconso(file: SourceFile, first: pl.Series, second: pl.Series) -> Mapped:
    """Read which ids of two terminologies share a CUI; suppressed atoms do not count.

    Which source vocabulary a terminology is, is the one that has the most of its ids; a terminology of CUIs is the
    UMLS itself.
    """
    sides = [_keys(ids) for ids in (first, second)]
    wanted = pl.concat([side["key"] for side in sides]).unique().implode()

    def reduce(rows: pl.LazyFrame) -> pl.LazyFrame:
        codes = rows.filter(pl.col("SUPPRESS") == "N").select("CUI", "SAB", key=pl.col("CODE").str.to_lowercase())
        concepts = rows.select("CUI", SAB=pl.lit(_UMLS), key=pl.col("CUI").str.to_lowercase())
        return pl.concat([codes, concepts]).filter(pl.col("key").is_in(wanted)).unique()

    layout = Layout("|", tuple(DOCUMENTED_COLUMNS["MRCONSO.RRF"].split(",")), header=False, closed=True)
    codes = read_rows(file, layout, ["CUI", "SAB", "CODE", "SUPPRESS"], reduce).unique(maintain_order=True)
    one, other = (_of_best_vocabulary(codes, side) for side in sides)
    rows = one.join(other, on="CUI", how="inner", suffix="_other", maintain_order="left")
    return rows.select(source="id", target="id_other", relation=pl.lit(EXACT)).unique(maintain_order=True), 0


def _keys(ids: pl.Series) -> pl.DataFrame:
    """Return each id under what may stand for it: itself, and its code without a prefix, in lower case."""
    keys = {key: text for text in ids.to_list() for key in (parts_of(text)[1], text.lower())}
    return pl.DataFrame({"key": list(keys), "id": list(keys.values())}, schema={"key": pl.String, "id": pl.String})


def _of_best_vocabulary(codes: pl.DataFrame, side: pl.DataFrame) -> pl.DataFrame:
    matches = codes.join(side, on="key", how="inner", maintain_order="left")
    sizes = matches.group_by("SAB").agg(pl.col("id").n_unique()).sort(["id", "SAB"], descending=[True, False])
    return matches.filter(pl.col("SAB") == (sizes["SAB"][0] if sizes.height else "")).select("CUI", "id")


RELATION_OF_CODE = {
    **dict.fromkeys(("equivalent", "equal"), EXACT),
    **dict.fromkeys(("wider", "subsumes", "source-is-narrower-than-target"), BROAD),
    **dict.fromkeys(("narrower", "specializes", "source-is-broader-than-target"), NARROW),
    **dict.fromkeys(("relatedto", "related-to"), RELATED),
    "inexact": CLOSE,
}
"""What is left out, such as ``unmatched`` and ``not-related-to``, says that there is no such concept."""


def read_concept_map(file: SourceFile, _first: pl.Series, _second: pl.Series) -> Mapped:
    """Read FHIR's ConceptMap in JSON: R4 says ``equivalence``, R5 ``relationship``."""
    document = file.json()
    if not isinstance(document, dict) or document.get("resourceType") != "ConceptMap":
        raise TermgaugeError(f"{file.label}: is no ConceptMap of FHIR (its resourceType is another); check the file.")
    rows = []
    for element in (one for group in dictionaries(document.get("group")) for one in dictionaries(group.get("element"))):
        for target in dictionaries(element.get("target")):
            relation = RELATION_OF_CODE.get(str(target.get("relationship") or target.get("equivalence")).lower(), "")
            rows.append((str(element.get("code") or ""), str(target.get("code") or ""), relation))
    return _mapped(rows)


RELATION_OF_PREDICATE = {
    **dict.fromkeys(("exactmatch", "equivalentclass", "sameas", "equivalent", EXACT), EXACT),
    **dict.fromkeys(("closematch", CLOSE), CLOSE),
    **dict.fromkeys(("broadmatch", "subclassof", BROAD), BROAD),
    **dict.fromkeys(("narrowmatch", "superclassof", NARROW), NARROW),
    **dict.fromkeys(("relatedmatch", "hasdbxref", RELATED), RELATED),
}
"""By the last part of a predicate's name, in lower case."""
_SSSOM_COLUMNS = {"source": "subject_id", "target": "object_id", "relation": "predicate_id"}
_SSSOM_WANTED = (*_SSSOM_COLUMNS, *_SSSOM_COLUMNS.values())
_COMMENTS = re.compile(rb"\A(?:\xef\xbb\xbf)?(?:#[^\n]*\n)+")
_LAST = re.compile(r"[^:/#]+$")


def looks_like_sssom(file: SourceFile) -> bool:
    """Tell whether the first line that is no comment names the two sides of a mapping."""
    return {"subject_id", "object_id"} <= set(_names(peek_table(_COMMENTS.sub(b"", file.head()), _SSSOM_WANTED)))


def read_sssom(file: SourceFile, _first: pl.Series, _second: pl.Series) -> Mapped:
    """Read an SSSOM table, or a plain one; a row with the modifier ``Not`` says nothing of what is the same."""
    content = _COMMENTS.sub(lambda match: b"\n" * match[0].count(b"\n"), file.read())  # lines keep their numbers
    table = parse_table(table_text(content, file.label), file.label, _SSSOM_WANTED)
    names = _names(table)
    if not {"subject_id", "object_id"} <= set(names):
        raise TermgaugeError(
            f"{file.label}: has no columns subject_id and object_id (or source and target) in its first line that is "
            "no comment; check the file."
        )
    rows = (dict(zip(names, cells, strict=False)) for _line, cells in table.content[1:])
    return _mapped((row.get("subject_id", ""), row.get("object_id", ""), _relation(row)) for row in rows)


def _relation(row: dict[str, str]) -> str:
    if row.get("predicate_modifier", "").lower() == "not":
        return ""
    last = _LAST.search(row.get("predicate_id", EXACT).lower())
    return RELATION_OF_PREDICATE.get(last[0], "") if last else ""


def _names(table: Table) -> list[str]:
    return [_SSSOM_COLUMNS.get(title.lower(), title.lower()) for title in table.first]


MAPPING_FORMS = {
    "rf2_map": MappingForm(
        "a map reference set of SNOMED CT (der2_sRefset_SimpleMap…, der2_iisssccRefset_ExtendedMap…)",
        lambda file: _NAME.fullmatch(file.base) is not None,
        read_rf2_map,
    ),
    "mrconso": MappingForm("the UMLS (MRCONSO.RRF)", lambda file: file.base.lower() == "mrconso.rrf", read_mrconso),
    "concept_map": MappingForm(
        "a FHIR ConceptMap in JSON",
        lambda file: b'"ConceptMap"' in (head := file.head()) and begins_json(head),
        read_concept_map,
    ),
    "sssom": MappingForm(
        "an SSSOM table (subject_id, predicate_id, object_id) or one with the columns source and target",
        looks_like_sssom,
        read_sssom,
    ),
}
"""By name, in the order in which they are asked whether a file is theirs."""


@dataclass(frozen=True)
class Links:
    """Pairs of concepts that are the same."""

    pairs: pl.DataFrame
    """``first`` and ``second``: ids of the two terminologies, in the order of the mappings, each pair once."""
    identity: tuple[dict[str, Any], ...]
    """What each file is: its form and its hash."""
    notes: tuple[str, ...]


def read_links(first: Terminology, second: Terminology, options: MappingOptions) -> Links:
    """Read the mappings between two terminologies, in whichever direction they are written."""
    chosen = [mapping for path in options.mapping for mapping in _mappings(path)]
    if not chosen:
        raise TermgaugeError("No mapping was named; name a file that says which concepts are the same with --mapping.")
    names = [terminology.identity.slug for terminology in (first, second)]
    ids = [terminology.concepts["concept"] for terminology in (first, second)]
    identifiers = [Identifiers(concepts) for concepts in ids]
    parts, notes = [], []
    for name, file in chosen:
        rows, passed_over = MAPPING_FORMS[name].read(file, *ids)
        oriented, lost = _oriented(rows, *identifiers)
        wanted = oriented.filter(pl.col("relation").is_in(options.mapping_relation))
        notes += _notes(file, names, wanted.height, oriented, lost, passed_over)
        parts.append(wanted)
    pairs = pl.concat(parts).select("first", "second").unique(maintain_order=True)
    if pairs.is_empty():
        raise TermgaugeError(
            f"No pair of concepts of {names[0]} and {names[1]} is left by the mapping. {' '.join(notes)} Name other "
            "relations with --mapping-relation, or another mapping."
        )
    hashes = content_hashes([file for _name, file in chosen])
    identity = tuple({"form": name, "sha256": sha256} for (name, _file), sha256 in zip(chosen, hashes, strict=True))
    return Links(pairs, identity, tuple(notes))


def _mappings(path: str) -> list[tuple[str, SourceFile]]:
    mappings = [
        (form, file)
        for file in files_of(path)
        if (form := next((name for name, form in MAPPING_FORMS.items() if form.sniff(file)), None))
    ]
    if not mappings:
        titles = "; ".join(form.title for form in MAPPING_FORMS.values())
        raise TermgaugeError(f"{path}: is no mapping that termgauge knows; known are {titles}.")
    return mappings


def _oriented(rows: pl.DataFrame, first: Identifiers, second: Identifiers) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows with ids of the first terminology before those of the second, and the rows that have none."""
    rows = rows.with_columns(
        first=first.find_all(rows["source"]),
        second=second.find_all(rows["target"]),
        first_back=first.find_all(rows["target"]),
        second_back=second.find_all(rows["source"]),
    )
    forth = pl.col("first").is_not_null() & pl.col("second").is_not_null()
    back = ~forth & pl.col("first_back").is_not_null() & pl.col("second_back").is_not_null()
    oriented = rows.filter(forth | back).with_columns(
        first=pl.when(forth).then("first").otherwise("first_back"),
        second=pl.when(forth).then("second").otherwise("second_back"),
        relation=pl.when(forth).then("relation").otherwise(pl.col("relation").replace(REVERSED)),
    )
    return oriented.select("first", "second", "relation"), rows.filter(~(forth | back))


def _notes(
    file: SourceFile, names: Sequence[str], taken: int, oriented: pl.DataFrame, lost: pl.DataFrame, passed_over: int
) -> list[str]:
    tally = Counter(oriented["relation"].to_list())
    relations = ", ".join(f"{tally[relation]:,} {relation}" for relation in RELATIONS if tally[relation]) or "none"
    both = f"{names[0]} and {names[1]}"
    summary = f"{numbered(oriented.height, 'row maps', 'rows map')} concepts of {both} ({relations})"
    notes = [f"{file.base}: {summary}; {numbered(taken, 'is', 'are')} taken."]
    if lost.height:
        notes.append(
            f"{file.base}: {numbered(lost.height, 'row names', 'rows name')} a concept that {names[0]} or {names[1]} "
            f"lacks, such as {lost['source'][0]} to {lost['target'][0]}."
        )
    if passed_over:
        notes.append(
            f"{file.base}: {numbered(passed_over, 'row says', 'rows say')} nothing that holds in any case, and "
            f"{plural(passed_over, 'was', 'were')} passed over."
        )
    return notes
