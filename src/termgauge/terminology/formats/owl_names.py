"""Short ids from IRIs: what people call ``http://purl.obolibrary.org/obo/HP_0000118`` is ``HP:0000118``."""

from __future__ import annotations

import re

OBO = "http://purl.obolibrary.org/obo/"
_NUMBERED = re.compile(r"([A-Za-z][A-Za-z0-9]*)_(\d+)")
_SUFFIX = re.compile(r"(?:\.(?:obo|owl|owx|ofn|ttl|nt|rdf|json|txt|xml))+$", re.IGNORECASE)


class Names:
    """The ids of all IRIs of one ontology; no two IRIs have the same id."""

    def __init__(self) -> None:
        self.prefixes = {
            "owl": "http://www.w3.org/2002/07/owl#",
            "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
            "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
            "skos": "http://www.w3.org/2004/02/skos/core#",
            "xsd": "http://www.w3.org/2001/XMLSchema#",
        }
        """Those that every document may use, and those that this one declares, each with its namespace."""
        self.ontology = ""
        """The IRI of the ontology."""
        self._ids: dict[str, str] = {}
        self._iris: dict[str, str] = {}
        self._namespaces: list[tuple[str, str]] = []

    def id_of(self, iri: str) -> str:
        """Return the short id of an IRI; the IRI itself if it has none.

        Examples
        --------
        >>> names = Names()
        >>> names.id_of("http://purl.obolibrary.org/obo/HP_0000118"), names.id_of("http://purl.obolibrary.org/obo/go#x")
        ('HP:0000118', 'x')
        >>> names.id_of("http://www.orpha.net/ORDO/Orphanet_123"), names.id_of("urn:a")
        ('Orphanet:123', 'urn:a')
        """
        known = self._ids.get(iri)
        if known is None:
            short = self._shortened(iri)
            known = self._ids[iri] = short if self._iris.setdefault(short, iri) == iri else iri
        return known

    def learnt_late(self) -> dict[str, str]:
        """Return the ids that would be shorter, had the ontology said its own IRI before it used them."""
        own = f"{self.ontology}#"
        if not self.ontology:
            return {}
        local = {id_: iri.removeprefix(own) for iri, id_ in self._ids.items() if iri.startswith(own)}
        return {id_: short for id_, short in local.items() if short and short != id_ and short not in self._iris}

    def _shortened(self, iri: str) -> str:
        """Return what OBO makes of an IRI; else what a declared prefix makes of it."""
        local = re.split("[/#]", iri)[-1]
        if iri.startswith(OBO):
            prefix, _, number = local.rpartition("_")
            if "#" in iri:
                return f"{iri[len(OBO) :].partition('#')[0]}:{number}" if local.startswith("_") else local or iri
            return f"{prefix}:{number}" if prefix and number and "/" not in iri[len(OBO) :] else iri
        if numbered := _NUMBERED.fullmatch(local):
            return f"{numbered[1]}:{numbered[2]}"
        if local and self.ontology and iri == f"{self.ontology}#{local}":
            return local
        if len(self._namespaces) != len(self.prefixes):
            self._namespaces = sorted(((space, prefix) for prefix, space in self.prefixes.items()), reverse=True)
        for space, prefix in self._namespaces:  # a longer namespace comes before one that it begins with
            if space and prefix and iri.startswith(space) and len(iri) > len(space):
                return f"{prefix}:{iri[len(space) :]}"
        return iri


def edition_of(iri: str, otherwise: str) -> str:
    """Return what an ontology is called, from its IRI or else from the name of its file.

    Examples
    --------
    >>> edition_of("http://purl.obolibrary.org/obo/hp/hp-international.owl", "x.owl"), edition_of("", "x.owl")
    ('hp/hp-international', 'x')
    """
    stated = iri.removeprefix(OBO) if iri.startswith(OBO) else re.split("[/#:]", iri.rstrip("/#"))[-1]
    return _SUFFIX.sub("", stated or otherwise)
