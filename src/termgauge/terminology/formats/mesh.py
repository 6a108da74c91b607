"""Medical Subject Headings in XML: descriptors, supplementary concept records and qualifiers.

A concept is a record, as indexers use it. The terms of a record's preferred MeSH concept are its name and synonyms;
those of its other MeSH concepts are narrower, broader or related, as MeSH says. Permuted terms (*Abscess, Brain*) are
the same words turned round, so they are left out. The elements are those of NLM's "XML MeSH Data Elements".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.io.xml_stream import first_element
from termgauge.plurals import numbered
from termgauge.terminology.formats.documents import Elements, Rows
from termgauge.terminology.formats.registry import Contents, Format, files_with
from termgauge.terminology.languages import language_of
from termgauge.terminology.model import FSN, IS_A, SYNONYM, TAG_SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.io.source import SourceFile
    from termgauge.terminology.options import ReadingOptions

SETS = {
    "DescriptorRecordSet": "descriptors",
    "SupplementalRecordSet": "supplementary",
    "QualifierRecordSet": "qualifiers",
}
_RECORDS = {f"{name}Record": f"{name}UI" for name in ("Descriptor", "Qualifier")}
_RECORDS["SupplementalRecord"] = "SupplementalRecordUI"
# fmt: off
CATEGORIES = {
    "A": "Anatomy", "B": "Organisms", "C": "Diseases", "D": "Chemicals and Drugs",
    "E": "Analytical, Diagnostic and Therapeutic Techniques, and Equipment", "F": "Psychiatry and Psychology",
    "G": "Phenomena and Processes", "H": "Disciplines and Occupations",
    "I": "Anthropology, Education, Sociology, and Social Phenomena",
    "J": "Technology, Industry, and Agriculture", "K": "Humanities", "L": "Information Science", "M": "Named Groups",
    "N": "Health Care", "V": "Publication Characteristics", "Z": "Geographicals",
}
_CLASSES = {
    "DescriptorClass": {"1": "Topical Descriptor", "2": "Publication Type", "3": "Check Tag", "4": "Geographic"},
    "SCRClass": {
        "1": "Chemical", "2": "Protocol", "3": "Disease", "4": "Organism", "5": "Population Group", "6": "Anatomy",
    },
}
_LINKS = {
    "SeeRelatedDescriptor": "see_related", "PharmacologicalAction": "pharmacological_action",
    "HeadingMappedTo": "mapped_to",
}
_KIND_OF_RELATION = {"NRW": "narrow", "BRD": "broad", "REL": "related"}
_INVERSE = {"narrow": "broad", "broad": "narrow", "related": "related"}
_KNOWN = frozenset({
    *SETS, *_RECORDS, *_RECORDS.values(), *_LINKS, "DescriptorName", "DescriptorReferredTo", "SupplementalRecordName",
    "QualifierName", "QualifierReferredTo", "String", "DateCreated", "DateEstablished",
    "TreeNumberList", "TreeNumber", "ConceptList", "Concept", "ConceptUI", "ConceptRelationList", "ConceptRelation",
    "Concept1UI", "Concept2UI", "TermList", "Term", "TermUI", "SeeRelatedList", "PharmacologicalActionList",
    "HeadingMappedToList", "ECIN", "ECOUT", "Abbreviation", "SortVersion", "EntryVersion",
})
_PASSED_OVER = frozenset({
    "ActiveMeSHYearList", "AllowableQualifiersList", "Annotation", "CASN1Name", "ConceptName", "ConsiderAlso",
    "DateRevised", "EntryCombinationList", "Frequency", "HistoryNote", "IndexingInformationList",
    "NLMClassificationNumber", "Note", "OnlineNote", "PreviousIndexingList", "PublicMeSHNote", "RecordOriginatorsList",
    "RegistryNumber", "RegistryNumberList", "RelatedRegistryNumberList", "RunningHead", "ScopeNote", "SemanticTypeList",
    "SourceList", "TermNote", "ThesaurusIDlist", "TranslatorsEnglishScopeNote", "TranslatorsScopeNote",
})
# fmt: on
_TRANSLATED = re.compile(r"(.+?)\s*\[([^\[\]]+)\]")
"""How translated files write the name of a record: its name there, and the English one in brackets."""
_YEAR = re.compile(rb"recordset_((?:19|20)\d\d)")
_YEAR_IN_NAME = re.compile(r"(?:19|20)\d\d")


@dataclass
class _Term:
    text: str = ""
    ui: str = ""
    permuted: bool = False
    since: date | None = None


@dataclass
class _Concept:
    """A MeSH concept within a record."""

    preferred: bool
    ui: str = ""
    terms: list[_Term] = field(default_factory=list)


@dataclass
class _Record:
    tag: str
    id: str = ""
    name: str = ""
    since: date | None = None
    trees: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    concepts: list[_Concept] = field(default_factory=list)
    relations: list[tuple[str, list[str]]] = field(default_factory=list)


class _Records(Elements):
    """Makes rows of the records of one file."""

    passed_over = _PASSED_OVER
    texts = frozenset({
        *_RECORDS.values(), "String", "TreeNumber", "TermUI", "ConceptUI", "Concept1UI", "Concept2UI", "DateCreated",
        "DateEstablished",
    })  # fmt: skip
    apart = frozenset({"Year", "Month", "Day"})

    def __init__(self, file: SourceFile, rows: Rows, trees: dict[str, str]) -> None:
        super().__init__(file)
        self._rows, self._trees = rows, trees
        self.language = "en"
        self._record = _Record("")

    def opened(self, name: str, attributes: dict[str, str]) -> None:
        if name in self.texts:
            return
        match name:
            case "Term":
                self._concept.terms.append(_Term(permuted=attributes.get("IsPermutedTermYN") == "Y"))
            case "Concept":
                self._record.concepts.append(_Concept(attributes.get("PreferredConceptYN") == "Y"))
            case "ConceptRelation":
                self._record.relations.append((attributes.get("RelationName", "REL"), []))
            case _ if name in _RECORDS:
                named = [_CLASSES[key].get(value, "") for key, value in attributes.items() if key in _CLASSES]
                self._record = _Record(named[0] if named else "Qualifier" if name == "QualifierRecord" else "")
            case _ if name in SETS:
                self.language = language_of(attributes.get("LanguageCode", "eng"))
            case _ if name not in _KNOWN:
                self._rows.passed.add(f"elements named {name}, which MeSH does not document", self._record.id)

    def closed(self, name: str, text: str) -> None:
        parent = self.path[-1]
        match name:
            case "String" if parent == "Term":
                self._term.text = text
            case "String" if self.path[-2] in _RECORDS:
                self._record.name = text
            case "TermUI":
                self._term.ui = text
            case "ConceptUI":
                self._concept.ui = text
            case "Concept1UI" | "Concept2UI" if self._record.relations:
                self._record.relations[-1][1].append(text)
            case "TreeNumber":
                self._record.trees.append(text)
            case "DateCreated" | "DateEstablished":
                self._take_date(parent, text)
            case _ if parent == "DescriptorReferredTo" and name == "DescriptorUI" and self.path[-2] in _LINKS:
                self._record.links.append((_LINKS[self.path[-2]], text.removeprefix("*")))
            case _ if _RECORDS.get(parent) == name:
                self._record.id = text
            case _ if name in _RECORDS:
                self._keep()

    @property
    def _concept(self) -> _Concept:
        if not self._record.concepts:
            self._record.concepts.append(_Concept(preferred=True))
        return self._record.concepts[-1]

    @property
    def _term(self) -> _Term:
        if not self._concept.terms:
            self._concept.terms.append(_Term())
        return self._concept.terms[-1]

    def _take_date(self, parent: str, text: str) -> None:
        """Keep the day on which a term was created, or a record; that it was established counts more."""
        try:
            day = date(*map(int, text.split()))
        except (ValueError, TypeError, OverflowError):
            self._rows.passed.add("dates that are none", f"{self._record.id}: {text}")
            return
        if parent == "Term":
            self._term.since = day
        elif parent in _RECORDS:
            self._record.since = day

    def _keep(self) -> None:
        record, rows = self._record, self._rows
        letters = dict.fromkeys(tree[:1] for tree in record.trees)
        tags = TAG_SEPARATOR.join(CATEGORIES[letter] for letter in letters if letter in CATEGORIES)
        rows.concept(record.id, tags or record.tag, since=record.since)
        name = self._name(record)
        kinds = self._kinds(record)
        for concept in record.concepts:
            for term in concept.terms:
                if term.permuted:
                    rows.passed.add("permuted terms", f"{record.id}: {term.text}")
                    continue
                language = self._language(term)
                kind = kinds[concept.ui] if not concept.preferred else SYNONYM
                if term.text == name.get(language):
                    kind = FSN
                    del name[language]
                rows.term(record.id, term.text, kind, language, since=term.since)
        for language, text in name.items():
            rows.term(record.id, text, FSN, language, since=record.since)
        for kind, target in record.links:
            rows.relation(record.id, kind, target)
        for tree in record.trees:
            self._trees[tree] = record.id

    def _name(self, record: _Record) -> dict[str, str]:
        """Return the names of a record by language: translated files write both in one."""
        both = _TRANSLATED.fullmatch(record.name) if self.language != "en" else None
        names = {self.language: both[1], "en": both[2]} if both else {self.language: record.name}
        return {language: " ".join(text.split()) for language, text in names.items() if text.strip()}

    def _language(self, term: _Term) -> str:
        """Return the language of a term: in translated files, NLM's own terms (``T000001``) are the English ones."""
        return "en" if term.ui[:1] == "T" else self.language

    def _kinds(self, record: _Record) -> dict[str, str]:
        """Return what each MeSH concept is to the preferred one of its record."""
        preferred = {concept.ui for concept in record.concepts if concept.preferred}
        kinds = {concept.ui: "related" for concept in record.concepts}
        for relation, pair in record.relations:
            kind = _KIND_OF_RELATION.get(relation, "related")
            first, second = (*pair, "", "")[:2]
            if first in preferred:
                kinds[second] = kind
            elif second in preferred:
                kinds[first] = _INVERSE[kind]
        return kinds


def read_mesh(files: dict[str, SourceFile], options: ReadingOptions) -> Contents:
    """Read the files of MeSH that are there into one terminology."""
    main = next(iter(files.values()))
    rows, trees = Rows(main.label, options.language), dict[str, str]()
    languages = []
    for kind, file in files.items():
        if (root := first_element(file.head())) not in SETS:
            found = f"its first element is '{root}'" if root else "it does not begin as XML"
            raise TermgaugeError(f"{file.label}: is no MeSH in XML, since {found}; name a file such as desc2025.xml.")
        reader = _Records(file, rows, trees)
        reader.read(f"Reading MeSH's {kind}")
        languages.append(reader.language)
    orphans = _hierarchy(rows, trees)
    lacking = numbered(len(orphans), "tree number has", "tree numbers have")
    notes = [f"{main.base}: {lacking} no parent in the file ({', '.join(orphans[:3])})."]
    edition = "mesh" if set(languages) == {"en"} else f"mesh-{next(each for each in languages if each != 'en')}"
    return rows.contents(edition, _version(main), notes if orphans else [])


def _hierarchy(rows: Rows, trees: dict[str, str]) -> list[str]:
    """Turn tree numbers into relations; return those whose parent is missing. A number without a dot is a top."""
    orphans = []
    for tree, record in trees.items():
        above = tree.rpartition(".")[0]
        if above in trees:
            rows.relation(record, IS_A, trees[above])
        elif above:
            orphans.append(tree)
            rows.passed.add("tree numbers without a parent", f"{record}: {tree}")
    return orphans


def _version(file: SourceFile) -> str:
    """Return the year of a release: as its document type says, else the name of the file."""
    stated = _YEAR.search(file.head(1 << 12))
    if stated:
        return stated[1].decode()
    named = _YEAR_IN_NAME.search(file.base)
    return named[0] if named else ""


def _looks_like_mesh(head: bytes) -> bool:
    return first_element(head) in SETS


def chosen_files(sources: Sequence[Sequence[SourceFile]], _options: ReadingOptions) -> dict[str, SourceFile]:
    """Choose the files of MeSH by their first elements: at most one of each kind."""
    found = files_with(sources, _looks_like_mesh)
    chosen: dict[str, SourceFile] = {}
    for file in found:
        kind = SETS.get(first_element(file.head()), "descriptors")
        if kind in chosen:
            raise TermgaugeError(
                f"{file.root}: holds several files of MeSH's {kind} ({chosen[kind].name}, {file.name}); name one."
            )
        chosen[kind] = file
    if not chosen:
        raise TermgaugeError(f"{sources[0][0].root}: holds no MeSH in XML; name a file such as desc2025.xml.")
    return {kind: chosen[kind] for kind in SETS.values() if kind in chosen}


FORMAT = Format(
    name="mesh",
    title="MeSH, descriptors and supplementary records in XML",
    signs="MeSH in XML (DescriptorRecordSet)",
    origin="From the National Library of Medicine of the USA (nlm.nih.gov/databases/download/mesh.html).",
    licence="NLM's terms and conditions, free of charge; translations have terms of their own.",
    choose=chosen_files,
    read=read_mesh,
    sniff_head=_looks_like_mesh,
)
