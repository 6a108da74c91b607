"""Links for raters: who is invited to which group, and where a link leads."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.studies.folder import Study
    from termgauge.studies.store import Rater

LOCAL = "http://127.0.0.1:8000"
"""Where a study is served if nothing else is said."""


@dataclass(frozen=True)
class Invitation:
    """A rater and their link, which is known only now."""

    rater: str
    group: int
    name: str | None
    link: str


def make_links(
    study: Study,
    *,
    names: Sequence[str | None] = (),
    group: int | None = None,
    reissue: Sequence[str] = (),
    revoke: Sequence[str] = (),
    admin: bool = False,
    base: str = LOCAL,
    days: int | None = None,
) -> tuple[list[Invitation], str | None]:
    """Revoke links of raters, replace others, invite raters and make a new link for the administrator: all or nothing.

    Without a group, each new rater goes to the one that has fewest. Links begin with `base`, the address of the server,
    and work for so many days, or without end.
    """
    groups = range(1, study.file.groups + 1)
    if group is not None and group not in groups:
        those = "one group, 1" if len(groups) == 1 else f"the groups 1 to {groups[-1]}"
        raise TermgaugeError(f"{study.folder}: has no group {group}; it has {those}.")
    with study.store() as store, store.transaction():
        for rater in revoke:
            store.set_state(rater, "revoked", None)
        made = [_invitation(base, store.rater(rater), store.reissue(rater, days)) for rater in dict.fromkeys(reissue)]
        sizes = Counter(rater.group for rater in store.raters() if rater.state not in ("left_out", "revoked"))
        for name in names:
            to = group or min(groups, key=lambda number: sizes[number])
            sizes[to] += 1
            made.append(_invitation(base, *store.invite(to, name, days)))
        return made, link_to(base, store.new_admin_token(days), "admin") if admin else None


def further_links(study: Study, *, base: str, days: int | None = None) -> tuple[list[Invitation], str | None]:
    """Return one more link for each rater who may still answer, and one for the administrator.

    Links that were sent before go on working. Who has none that works gets none; the administrator's is then None.
    """
    with study.store() as store, store.transaction():
        made = [
            _invitation(base, rater, token)
            for rater in store.raters()
            if rater.state in ("active", "paused") and (token := store.further_link(rater.id, days)) is not None
        ]
        admin = store.further_link(None, days)
    return made, None if admin is None else link_to(base, admin, "admin")


def link_to(base: str, token: str, role: str = "r") -> str:
    """Return the link of a rater, or of the administrator (``admin``)."""
    return f"{base.rstrip('/')}/{role}/{token}"


def _invitation(base: str, rater: Rater, token: str) -> Invitation:
    return Invitation(rater.id, rater.group, rater.name, link_to(base, token))


def qr_text(link: str) -> str:
    """Return a link as a QR code for a terminal with light letters on dark ground."""
    import segno

    drawn = io.StringIO()
    segno.make(link, micro=False).terminal(drawn, compact=True)
    return drawn.getvalue()


def qr_svg(link: str) -> str:
    """Return a link as a QR code for a page."""
    import segno

    return segno.make(link, micro=False).svg_inline(scale=4, light="white", svgclass="qr", lineclass=None)
