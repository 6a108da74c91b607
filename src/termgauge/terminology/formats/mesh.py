"""Medical Subject Headings in XML: descriptors, supplementary concept records and qualifiers.

A concept is a record, as indexers use it. The terms of a record's preferred MeSH concept are its name and synonyms;
those of its other MeSH concepts are narrower, broader or related, as MeSH says. Permuted terms (*Abscess, Brain*) are
the same words turned round, so they are left out. The elements are those of NLM's "XML MeSH Data Elements".
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import tracked
from termgauge.io.xml_stream import first_element, read_elements, text_of
from termgauge.plurals import numbered
from termgauge.terminology.formats.documents import Rows, require_root
from termgauge.terminology.formats.registry import Contents, Format, files_with, one_of_each
from termgauge.terminology.languages import language_of
from termgauge.terminology.model import FSN, IS_A, SYNONYM, TAG_SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Sequence
    from xml.etree.ElementTree import Element

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
    "QualifierName", "QualifierReferredTo", "String", "DateCreated", "DateEstablished", "Year", "Month", "Day",
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


def _take_record(rows: Rows, record: Element, trees: dict[str, str], language: str) -> None:
    """Take a record, with its terms and where it stands in the tree."""
    id_ = text_of(record.find(_RECORDS[record.tag]))
    for element in record.iter():
        if element.tag not in _KNOWN:
            rows.passed.add(f"elements named {element.tag}, which MeSH does not document", id_)
    numbers = [text_of(number) for number in record.iterfind("TreeNumberList/TreeNumber")]
    letters = dict.fromkeys(tree[:1] for tree in numbers)
    tags = TAG_SEPARATOR.join(CATEGORIES[letter] for letter in letters if letter in CATEGORIES)
    classes = [_CLASSES[key].get(value, "") for key, value in record.attrib.items() if key in _CLASSES]
    tag = classes[0] if classes else "Qualifier" if record.tag == "QualifierRecord" else ""
    since = _day(rows, record, "DateEstablished", id_) or _day(rows, record, "DateCreated", id_)
    rows.concept(id_, tags or tag, since=since)
    _take_terms(rows, record, id_, since, language)
    for name, kind in _LINKS.items():
        for target in record.iterfind(f".//{name}/DescriptorReferredTo/DescriptorUI"):
            rows.relation(id_, kind, text_of(target).removeprefix("*"))
    trees.update(dict.fromkeys(numbers, id_))


def _take_terms(rows: Rows, record: Element, id_: str, since: date | None, language: str) -> None:
    names, kinds = _names(record, language), _kinds(record)
    for concept in record.iterfind("ConceptList/Concept"):
        for term in concept.iterfind("TermList/Term"):
            text = text_of(term.find("String"))
            if term.get("IsPermutedTermYN") == "Y":
                rows.passed.add("permuted terms", f"{id_}: {text}")
                continue
            # In translated files, NLM's own terms (T000001) are the English ones.
            tongue = "en" if text_of(term.find("TermUI"))[:1] == "T" else language
            kind = SYNONYM if _is_preferred(concept) else kinds[text_of(concept.find("ConceptUI"))]
            if text == names.get(tongue):
                kind = FSN
                del names[tongue]
            rows.term(id_, text, kind, tongue, since=_day(rows, term, "DateCreated", id_))
    for tongue, text in names.items():
        rows.term(id_, text, FSN, tongue, since=since)


def _names(record: Element, language: str) -> dict[str, str]:
    """Return the names of a record by language: translated files write both in one."""
    name = text_of(record.find("*/String"))
    both = _TRANSLATED.fullmatch(name) if language != "en" else None
    names = {language: both[1], "en": both[2]} if both else {language: name}
    return {tongue: " ".join(text.split()) for tongue, text in names.items() if text.strip()}


def _day(rows: Rows, parent: Element, name: str, id_: str) -> date | None:
    """Return the day that an element holds."""
    if (element := parent.find(name)) is None:
        return None
    text = text_of(element, apart=("Year", "Month", "Day"))
    try:
        return date(*map(int, text.split()))
    except (ValueError, TypeError, OverflowError):
        rows.passed.add("dates that are none", f"{id_}: {text}")
        return None


def _is_preferred(concept: Element) -> bool:
    return concept.get("PreferredConceptYN") == "Y"


def _kinds(record: Element) -> dict[str, str]:
    """Return what each MeSH concept is to the preferred one of its record."""
    concepts = record.findall("ConceptList/Concept")
    preferred = {text_of(concept.find("ConceptUI")) for concept in concepts if _is_preferred(concept)}
    kinds = {text_of(concept.find("ConceptUI")): "related" for concept in concepts}
    for relation in record.iter("ConceptRelation"):
        kind = _KIND_OF_RELATION.get(relation.get("RelationName", "REL"), "related")
        first, second = (text_of(relation.find(f"Concept{number}UI")) for number in (1, 2))
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
        require_root(file, SETS, "MeSH in XML; name a file such as desc2025.xml")
        with tracked(file, f"Reading MeSH's {kind}") as opened:
            elements = read_elements(opened, _PASSED_OVER)
            language = language_of(next(elements).get("LanguageCode", "eng"))
            for element in elements:
                if element.tag in _RECORDS:
                    _take_record(rows, element, trees, language)
        languages.append(language)
    orphans = _hierarchy(rows, trees)
    lacking = numbered(len(orphans), "tree number has", "tree numbers have")
    notes = [f"{main.base}: {lacking} no parent in the file ({', '.join(orphans[:3])})."]
    edition = "mesh" if set(languages) == {"en"} else f"mesh-{next(code for code in languages if code != 'en')}"
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
    files = files_with(sources, _looks_like_mesh)
    chosen = one_of_each(files, lambda file: SETS.get(first_element(file.head()), "descriptors"), "files of MeSH's {}")
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
