"""Small terminologies in the formats of publishers, made to their specifications: a heart attack in each of them."""

# ruff: noqa: E501 - files as they are published
from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def mesh_term(text, ui, *, permuted="N", day="1999-01-01", preferred="N"):
    year, month, day = day.split("-")
    return (
        f'<Term ConceptPreferredTermYN="{preferred}" IsPermutedTermYN="{permuted}" LexicalTag="NON" '
        f'RecordPreferredTermYN="{preferred}"><TermUI>{ui}</TermUI><String>{text}</String><DateCreated>'
        f"<Year>{year}</Year><Month>{month}</Month><Day>{day}</Day></DateCreated>"
        "<ThesaurusIDlist><ThesaurusID>NLM (1999)</ThesaurusID></ThesaurusIDlist></Term>"
    )


def mesh_concept(ui, terms, *, preferred="N", relations=""):
    return (
        f'<Concept PreferredConceptYN="{preferred}"><ConceptUI>{ui}</ConceptUI><ConceptName><String>not this'
        f"</String></ConceptName><ScopeNote>A note.</ScopeNote>{relations}<TermList>{''.join(terms)}</TermList></Concept>"
    )


def mesh_relation(name, one, other):
    return (
        f'<ConceptRelationList><ConceptRelation RelationName="{name}"><Concept1UI>{one}</Concept1UI><Concept2UI>{other}'
        "</Concept2UI></ConceptRelation></ConceptRelationList>"
    )


def mesh_descriptor(ui, name, concepts, *, trees=(), more="", kind="1"):
    numbers = "".join(f"<TreeNumber>{tree}</TreeNumber>" for tree in trees)
    return (
        f'<DescriptorRecord DescriptorClass="{kind}"><DescriptorUI>{ui}</DescriptorUI><DescriptorName><String>{name}'
        "</String></DescriptorName><DateCreated><Year>1998</Year><Month>12</Month><Day>31</Day></DateCreated>"
        "<AllowableQualifiersList><AllowableQualifier><QualifierReferredTo><QualifierUI>Q000008</QualifierUI>"
        "<QualifierName><String>administration &amp; dosage</String></QualifierName></QualifierReferredTo>"
        f"<Abbreviation>AD</Abbreviation></AllowableQualifier></AllowableQualifiersList>{more}"
        f"<TreeNumberList>{numbers}</TreeNumberList><ConceptList>{''.join(concepts)}</ConceptList></DescriptorRecord>\n"
    )


def mesh_set(records, language="eng", kind="Descriptor", year=2025):
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<!DOCTYPE {kind}RecordSet SYSTEM "https://www.nlm.nih.gov/databases/dtd/nlm{kind.lower()}recordset_{year}0101'
        f'.dtd"><{kind}RecordSet LanguageCode="{language}">\n{"".join(records)}</{kind}RecordSet>\n'
    )


SEE_ALSO = (
    "<SeeRelatedList><SeeRelatedDescriptor><DescriptorReferredTo><DescriptorUI>D006321</DescriptorUI><DescriptorName>"
    "<String>Heart</String></DescriptorName></DescriptorReferredTo></SeeRelatedDescriptor></SeeRelatedList>"
)
MESH = mesh_set(
    [
        mesh_descriptor(
            "D009203",
            "Myocardial Infarction",
            [
                mesh_concept(
                    "M1",
                    [
                        mesh_term("Myocardial Infarction", "T1", preferred="Y", day="1999-01-01"),
                        mesh_term("Heart Attack", "T2", day="1992-05-04"),
                        mesh_term("Infarction, Myocardial", "T3", permuted="Y"),
                    ],
                    preferred="Y",
                    relations=mesh_relation("NRW", "M1", "M2"),
                ),
                mesh_concept("M2", [mesh_term("Myocardial Infarct, Inferior", "T4")]),
            ],
            trees=("C14.280.647.500", "C23.550.513.355.750"),
            more=SEE_ALSO,
        ),
        mesh_descriptor(
            "D017202",
            "Myocardial Ischemia",
            [mesh_concept("M3", [mesh_term("Myocardial Ischemia", "T5", preferred="Y")], preferred="Y")],
            trees=("C14.280.647", "C23.550.513.355"),
        ),
        mesh_descriptor(
            "D006321",
            "Heart",
            [mesh_concept("M4", [mesh_term("Heart", "T6", preferred="Y")], preferred="Y")],
            trees=("A07",),
        ),
        mesh_descriptor(
            "D002318",
            "Cardiovascular Diseases",
            [mesh_concept("M5", [mesh_term("Cardiovascular Diseases", "T7", preferred="Y")], preferred="Y")],
            trees=("C14", "C14.280", "C23", "C23.550", "C23.550.513"),
        ),
    ]
)

FHIR = {
    "resourceType": "CodeSystem",
    "url": "http://example.org/heart",
    "version": "1.0",
    "name": "HeartCodes",
    "language": "en-US",
    "content": "complete",
    "property": [
        {"code": "off", "uri": "http://hl7.org/fhir/concept-properties#inactive", "type": "boolean"},
        {"code": "parent", "uri": "http://hl7.org/fhir/concept-properties#parent", "type": "code"},
        {"code": "colour", "type": "string"},
    ],
    "concept": [
        {
            "code": "disease",
            "display": "Heart disease",
            "concept": [
                {
                    "code": "mi",
                    "display": "Heart attack",
                    "designation": [
                        {"language": "en-GB", "value": "Myocardial infarction"},
                        {"language": "de", "value": "Infarkt"},
                        {"language": "de", "use": {"code": "preferredForLanguage"}, "value": "Herzinfarkt"},
                        {"value": ""},
                    ],
                    "property": [{"code": "colour", "valueString": "red"}],
                }
            ],
        },
        {
            "code": "old",
            "display": "Cardiac attack",
            "property": [{"code": "off", "valueBoolean": True}, {"code": "parent", "valueCode": "disease"}],
            "extension": [
                {
                    "url": "http://hl7.org/fhir/StructureDefinition/codesystem-replacedby",
                    "valueCoding": {"code": "mi"},
                }
            ],
        },
    ],
}

TABULAR = """<?xml version="1.0" encoding="utf-8"?>
<ICD10CM.tabular><version>2026</version><introduction><introSection type="title"><title>x</title></introSection></introduction>
<chapter><name>9</name><desc>Diseases of the circulatory system (I00-I99)</desc>
<excludes2><note>certain conditions</note></excludes2>
<sectionIndex><sectionRef first="I20" last="I25" id="I20-I25">Ischemic heart diseases</sectionRef></sectionIndex>
<section id="I20-I25"><desc>Ischemic heart diseases (I20-I25)</desc>
<diag><name>I21</name><desc>Acute myocardial infarction</desc>
<includes><note>cardiac infarction</note><note>coronary embolism</note></includes>
<excludes1><note>old myocardial infarction (I25.2)</note></excludes1>
<diag><name>I21.9</name><desc>Acute myocardial infarction, unspecified</desc>
<inclusionTerm><note>Heart attack NOS</note></inclusionTerm></diag>
<diag><name>I21.A9</name><desc>Other myocardial infarction type</desc>
<inclusionTerm><note>Myocardial infarction type 4a</note></inclusionTerm></diag></diag></section>
<section id="I99"><desc>Other disorders (I99)</desc><diag><name>I99</name><desc>Other disorders of circulation</desc>
<sevenChrDef><extension char="A">initial encounter</extension></sevenChrDef></diag></section>
</chapter></ICD10CM.tabular>
"""


def order_line(number, code, billable, short, title):
    return f"{number:05} {code:7} {billable:d} {short:60} {title}\n"


ORDER = (
    order_line(1, "I21", 0, "Acute myocardial infarction", "Acute myocardial infarction")
    + order_line(2, "I219", 1, "Acute myocardial infarct, unsp", "Acute myocardial infarction, unspecified")
    + order_line(3, "I519", 1, "Heart disease, unspecified", "Heart disease, unspecified")
)
CODES = "I219    Acute myocardial infarction, unspecified\nI519    Heart disease, unspecified\n"

CLAML = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE ClaML SYSTEM "ClaML.dtd"><ClaML version="2.0.0"><Meta name="lang" value="en"/>
<Identifier authority="WHO" uid="icd10"/><Title name="ICD-10-XX" date="2019-01-01" version="2019">The title</Title>
<ClassKinds><ClassKind name="chapter"/><ClassKind name="category"/></ClassKinds>
<Modifier code="M1"><Rubric kind="text"><Label>x</Label></Rubric></Modifier>
<Class code="IX" kind="chapter"><SubClass code="I20-I25"/><Rubric kind="preferred"><Label xml:lang="en">Diseases of the heart</Label>
<Label xml:lang="de">Herzkrankheiten</Label></Rubric><Rubric kind="inclusion"><Label xml:lang="en">heart conditions</Label></Rubric></Class>
<Class code="I20-I25" kind="block"><SuperClass code="IX"/><Rubric kind="preferred"><Label xml:lang="en">Ischaemic heart diseases</Label></Rubric></Class>
<Class code="I21" kind="category"><SuperClass code="I20-I25"/><Rubric kind="preferred"><Label xml:lang="en">Acute
 myocardial infarction</Label><Label xml:lang="de">Akuter Myokardinfarkt</Label></Rubric>
<Rubric kind="inclusion"><Label xml:lang="en"><Fragment type="item">Heart</Fragment><Fragment type="item">attack <Reference>I21.9</Reference></Fragment></Label></Rubric>
<Rubric kind="exclusion"><Label xml:lang="en">certain complications</Label></Rubric></Class>
<Class code="I24" kind="category"><SuperClass code="I20-I25"/><Rubric kind="preferred"><Label xml:lang="en">Other acute heart disease</Label></Rubric>
<Rubric kind="inclusion"><Label xml:lang="en">Coronary thrombosis</Label></Rubric><Rubric kind="odd"><Label>odd</Label></Rubric></Class>
</ClaML>
"""

RXNORM = {
    "RXNCONSO.RRF": (
        "161|ENG||||||11|||161|RXNORM|SY|161|paracetamol for the heart||N|4096|\n"
        "161|ENG||||||12|||161|RXNORM|IN|161|acetaminophen||N|4096|\n"
        "161|ENG||||||13||||MSH|MH|D000082|Acetaminophen||N||\n"
        "161|ENG||||||14|||161|RXNORM|TMSY|161|ACETAMINophen||O|4096|\n"
        "313782|ENG||||||15|||313782|RXNORM|SCD|313782|acetaminophen 325 MG Oral Tablet||N|4096|\n"
    ),
    "RXNREL.RRF": (
        "161||CUI|RO|313782||CUI|has_ingredient|R1||RXNORM|||||4096|\n".replace("|||||4096|", "||||N|4096|")
        + "|11|AUI|RO||15|AUI|x|R2||MTHSPL||||N||\n"
    ),
    "RXNSTY.RRF": "161|T109|A1|Organic Chemical|AT1|256|\n161|T121|A1|Pharmacologic Substance|AT2|256|\n",
    "RXNATOMARCHIVE.RRF": (
        "16||APAP|t1|t2|t3|999||ENG|x|||999|RXNORM|IN|161|\n"
        "17||Split drug|t1|t2|t3|998||ENG|x|||998|RXNORM|IN|161|\n"
        "18||Split drug|t1|t2|t3|998||ENG|x|||998|RXNORM|IN|313782|\n"
        "19||still there|t1|t2|t3|161||ENG|x|||161|RXNORM|IN|161|\n"
    ),
    "RXNSAB.RRF": "C1|C2|RXNORM_20AA_250106F|RXNORM|RxNorm|RXNORM|\n",
}

_LOINC_COLUMNS = (
    *("LOINC_NUM", "COMPONENT", "CLASS", "VersionLastChanged", "STATUS", "CONSUMER_NAME", "RELATEDNAMES2"),
    *("SHORTNAME", "LONG_COMMON_NAME", "DisplayName"),
)


def csv_lines(*rows):
    quoted = (",".join('"' + text.replace('"', '""') + '"' for text in row) for row in rows)
    return "".join(f"{line}\r\n" for line in quoted)


LOINC = {
    "LoincTable/Loinc.csv": csv_lines(
        _LOINC_COLUMNS,
        (
            "8867-4", "Heart rate", "HRTRATE.ATOM", "2.73", "ACTIVE", "Heart beats", "Pulse; HR; Pulse ;",
            "Heart rate", "Heart rate", "Heart rate --resting, \"calm\"",
        ),
        ("9999-1", "Old", "HRTRATE.ATOM", "2.8", "DEPRECATED", "", "", "Old rate", "Old heart rate", ""),
        ("9999-2", "Old", "HRTRATE.ATOM", "2.09", "DISCOURAGED", "", "", "", "Odd heart rate", ""),
    ),
    "LoincTable/MapTo.csv": csv_lines(
        ("LOINC", "MAP_TO", "COMMENT"), ("9999-1", "8867-4", ""), ("9999-3", "8867-4", ""), ("9999-3", "9999-2", "")
    ),
    "LoincTableCore/LoincTableCore.csv": csv_lines(
        ("LOINC_NUM", "STATUS", "LONG_COMMON_NAME"), ("8867-4", "ACTIVE", "Heart rate")
    ),
    "AccessoryFiles/ComponentHierarchyBySystem/ComponentHierarchyBySystem.csv": csv_lines(
        ("PATH_TO_ROOT", "SEQUENCE", "IMMEDIATE_PARENT", "CODE", "CODE_TEXT"),
        ("", "1", "", "LP432695-7", "{component}"),
        ("LP432695-7", "1", "LP432695-7", "8867-4", "Heart rate"),
    ),
    "AccessoryFiles/LinguisticVariants/deDE15LinguisticVariant.csv": csv_lines(
        ("LOINC_NUM", "COMPONENT", "SHORTNAME", "LONG_COMMON_NAME", "RELATEDNAMES2", "LinguisticVariantDisplayName"),
        ("8867-4", "Herzfrequenz", "", "", "Puls", "Herzfrequenz"),
        ("9999-1", "Alt", "", "", "", ""),
        ("1-1", "Fremd", "", "Fremd", "", ""),
    ),
    "AccessoryFiles/ConsumerName/ConsumerName.csv": csv_lines(
        ("LoincNumber", "ConsumerName"), ("9999-2", "Odd beats")
    ),
}  # fmt: skip

SKOS = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xl: <http://www.w3.org/2008/05/skos-xl#> .
@prefix dct: <http://purl.org/dc/terms/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix : <http://example.org/heart/> .
:scheme a skos:ConceptScheme ; dct:title "Heart words"@en ; owl:versionInfo "release of 2024-05-01" .
:disease a skos:Concept ; skos:prefLabel "Heart disease"@en ; skos:inScheme :scheme ; skos:topConceptOf :scheme .
:mi a skos:Concept ; skos:inScheme :scheme ; skos:broader :disease ; skos:related :organ ;
  skos:prefLabel "Heart attack"@en , "Herzinfarkt"@de ; skos:altLabel "Myocardial infarction"@en ;
  skos:hiddenLabel "hart attack"@en ; skos:definition "A definition."@en ; skos:exactMatch <http://elsewhere.org/1> ;
  xl:altLabel [ a xl:Label ; xl:literalForm "MI"@en ] ; :colour "red" .
:organ skos:prefLabel "Heart" ; skos:narrower :valve .
:valve skos:prefLabel "Heart valve"@en-GB .
:old a skos:Concept ; skos:prefLabel "Cardiac attack"@en ; owl:deprecated true ; dct:isReplacedBy :mi .
:group a skos:Collection ; skos:prefLabel "A group"@en ; skos:member :mi .
"""


def write_texts(folder: Path, texts: dict[str, str]) -> Path:
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return folder


def write_one(folder: Path, name: str, text: str) -> Path:
    return write_texts(folder, {name: text}) / name


def write_mesh(folder: Path) -> Path:
    return write_one(folder, "desc.xml", MESH)


def write_fhir(folder: Path) -> Path:
    return write_one(folder, "codes.json", json.dumps(FHIR, indent=1))


def write_icd10cm(folder: Path) -> Path:
    return write_one(folder, "tabular.xml", TABULAR)


def write_claml(folder: Path) -> Path:
    return write_one(folder, "classification.xml", CLAML)


def write_rxnorm(folder: Path) -> Path:
    return write_texts(folder, {f"rrf/{name}": text for name, text in RXNORM.items()})


def write_loinc(folder: Path) -> Path:
    return write_texts(folder, LOINC)


def write_skos(folder: Path) -> Path:
    return write_one(folder, "thesaurus.ttl", SKOS)
