"""A terminology on disk becomes one model, whatever its format."""

from __future__ import annotations

from termgauge.terminology.model import Terminology, TerminologyIdentity
from termgauge.terminology.read import FORMATS, read_terminology

__all__ = ["FORMATS", "Terminology", "TerminologyIdentity", "read_terminology"]
