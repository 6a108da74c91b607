"""A small SNOMED CT in English with a Spanish extension, made to the rules of RF2, for tests of languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.terminology.rf2_factory import ACCEPTABLE, Release

if TYPE_CHECKING:
    from pathlib import Path

SPANISH = "448879004"
TIME = "20190131"
CONCEPTS = {
    "101": (
        "Myocardial infarction",
        ["Heart attack", "Cardiac infarction"],
        "Infarto de miocardio",
        ["Ataque cardíaco"],
    ),
    "102": ("Hypertension", ["High blood pressure"], "Hipertensión arterial", ["Presión arterial alta"]),
    "103": ("Stroke", ["Cerebrovascular accident"], "Accidente cerebrovascular", ["Ictus", "Derrame cerebral"]),
    "104": ("Asthma", ["Bronchial asthma"], "Asma", ["Asma bronquial"]),
    "105": ("Pneumonia", ["Lung inflammation"], "Neumonía", ["Inflamación del pulmón"]),
    "106": ("Fracture of femur", ["Broken thigh bone"], "Fractura de fémur", ["Fractura del hueso del muslo"]),
    "107": ("Headache", ["Cephalalgia"], "Cefalea", ["Dolor de cabeza"]),
    "108": ("Fever", ["Pyrexia"], "Fiebre", ["Pirexia"]),
    "109": ("Jaundice", ["Icterus"], "Ictericia", []),
    "110": ("Anaemia", ["Low haemoglobin"], "Anemia", ["Hemoglobina baja"]),
    "111": ("Coma", ["Unconsciousness"], "Coma", ["Pérdida de la consciencia"]),
    "112": ("Cirrhosis of liver", ["Hepatic cirrhosis"], "Cirrosis hepática", ["Cirrosis del hígado"]),
}
"""By id: the English name, English synonyms, the preferred Spanish term, and other Spanish ones."""


def write_english(folder: Path) -> Path:
    release = Release(TIME)
    for concept, (name, synonyms, _spanish, _others) in CONCEPTS.items():
        release.concept(concept, TIME)
        release.name(concept, f"{concept}01", f"{name} (disorder)", TIME)
        for number, synonym in enumerate([name, *synonyms], 2):
            release.synonym(concept, f"{concept}0{number}", synonym, TIME)
            release.prefer(f"{concept}0{number}", TIME, **({} if number == 2 else {"how": ACCEPTABLE}))
    return release.write(folder / "International")


def write_spanish(folder: Path, *, full_names: bool = True) -> Path:
    """Write the extension: descriptions and the language reference set of Spanish, as a Snapshot."""
    release = Release("20190430", kind="Snapshot")
    for concept, (_name, _synonyms, spanish, others) in CONCEPTS.items():
        if full_names:
            release.name(concept, f"{concept}51", f"{spanish} (trastorno)", TIME, language="es")
        for number, synonym in enumerate([*others, spanish], 52):  # the preferred one is not the first
            release.synonym(concept, f"{concept}{number}", synonym, TIME, language="es")
            how = {} if synonym == spanish else {"how": ACCEPTABLE}
            release.prefer(f"{concept}{number}", TIME, refset=SPANISH, **how)
    without = ("concept", "relationship", "association")
    return release.write(folder / "Spanish", summary="SpanishExtension", language="es", without=without)


def write_both(folder: Path, **how) -> list[Path]:
    return [write_english(folder), write_spanish(folder, **how)]
