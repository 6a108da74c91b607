"""Corpora of named entities for tests."""

from __future__ import annotations

TRAIN = """\
Fever\tB-Sign
and\tO
dry\tB-Sign
cough\tI-Sign

Asthma\tB-Disease
is\tO
treated\tO

Lung\tB-Disease
cancer\tI-Disease
stage\tI-Disease
"""
DEVEL = "Cough\tB-Sign\n"
TEST = """\
No\tO
fever\tB-Sign

Asthma\tB-Disease
attack\tI-Disease
"""


def written(folder, train=TRAIN, test=TEST, devel=None, ending="tsv"):
    """Write a corpus; parts that are None are left out."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, part in (("train", train), ("test", test), ("devel", devel)):
        if part is not None:
            (folder / f"{name}.{ending}").write_bytes(part if isinstance(part, bytes) else part.encode())
    return folder
