"""RF2 releases for tests: components are told row by row and written under the names of a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

CORE, MODEL = "900000000000207008", "900000000000012004"
FSN_TYPE, SYNONYM_TYPE, DEFINITION_TYPE = "900000000000003001", "900000000000013009", "900000000000550004"
INFERRED, STATED = "900000000000011006", "900000000000010007"
US, GB = "900000000000509007", "900000000000508004"
PREFERRED, ACCEPTABLE = "900000000000548007", "900000000000549004"
SAME_AS, REPLACED_BY, POSSIBLY = "900000000000527005", "900000000000526001", "900000000000523009"

HEADERS = {
    "concept": "id effectiveTime active moduleId definitionStatusId",
    "description": "id effectiveTime active moduleId conceptId languageCode typeId term caseSignificanceId",
    "relationship": "id effectiveTime active moduleId sourceId destinationId relationshipGroup typeId "
    "characteristicTypeId modifierId",
    "language": "id effectiveTime active moduleId refsetId referencedComponentId acceptabilityId",
    "association": "id effectiveTime active moduleId refsetId referencedComponentId targetComponentId",
}
STEMS = {
    "concept": "sct2_Concept_{0}{1}",
    "description": "sct2_Description_{0}{1}-{2}",
    "relationship": "sct2_Relationship_{0}{1}",
    "language": "der2_cRefset_Language{0}{1}-{2}",
    "association": "der2_cRefset_Association{0}{1}",
}


class Release:
    """Rows of one release; ids of relationships and members are made up."""

    def __init__(self, date: str = "20190131", edition: str = "INT", kind: str = "Full") -> None:
        self.date, self.edition, self.kind = date, edition, kind
        self.rows: dict[str, list[list[str]]] = {content: [] for content in HEADERS}
        self._members = 0

    def concept(self, id_: str, time: str, *, active: bool = True, module: str = CORE) -> None:
        self.rows["concept"].append([id_, time, _state(active), module, "900000000000074008"])

    def description(
        self,
        concept: str,
        id_: str,
        term: str,
        time: str,
        *,
        active: bool = True,
        type_: str = SYNONYM_TYPE,
        language: str = "en",
    ) -> None:
        row = [id_, time, _state(active), CORE, concept, language, type_, term, "900000000000448009"]
        self.rows["description"].append(row)

    def name(self, concept: str, id_: str, term: str, time: str, **more) -> None:
        self.description(concept, id_, term, time, type_=FSN_TYPE, **more)

    def synonym(self, concept: str, id_: str, term: str, time: str, **more) -> None:
        self.description(concept, id_, term, time, **more)

    def relationship(
        self,
        source: str,
        type_: str,
        target: str,
        time: str,
        *,
        id_: str | None = None,
        active: bool = True,
        characteristic: str = INFERRED,
    ) -> None:
        row = [id_ or self._member(), time, _state(active), CORE, source, target, "0", type_, characteristic, "0"]
        self.rows["relationship"].append(row)

    def prefer(
        self,
        description: str,
        time: str,
        *,
        id_: str | None = None,
        active: bool = True,
        refset: str = US,
        how: str = PREFERRED,
    ) -> None:
        row = [id_ or self._member(), time, _state(active), CORE, refset, description, how]
        self.rows["language"].append(row)

    def association(
        self,
        old: str,
        new: str,
        time: str,
        *,
        id_: str | None = None,
        active: bool = True,
        refset: str = SAME_AS,
        module: str = CORE,
    ) -> None:
        row = [id_ or self._member(), time, _state(active), module, refset, old, new]
        self.rows["association"].append(row)

    def write(
        self,
        folder: Path,
        *,
        prefix: str = "",
        summary: str = "",
        language: str = "en",
        newline: str = "\r\n",
        without: tuple[str, ...] = (),
    ) -> Path:
        """Write a file per content below the folder; a content without rows still has its file, as in a release."""
        for content, header in HEADERS.items():
            if content in without:
                continue
            stem = STEMS[content].format(summary, self.kind, language)
            place = folder / self.kind / ("Refset" if stem.startswith("der2") else "Terminology")
            place.mkdir(parents=True, exist_ok=True)
            lines = ["\t".join(header.split()), *("\t".join(row) for row in self.rows[content])]
            text = "".join(line + newline for line in lines)
            (place / f"{prefix}{stem}_{self.edition}_{self.date}.txt").write_bytes(text.encode("utf-8"))
        return folder

    def _member(self) -> str:
        self._members += 1
        return f"{self.edition}-{self._members}"


def _state(active: bool) -> str:
    return "1" if active else "0"
