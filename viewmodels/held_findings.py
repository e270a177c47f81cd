"""Which findings the pane shows while somebody looks at it: what arrives meanwhile waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from resources.units import format_count
from sessions.findings import Finding
from viewmodels.finding_order import Identity, families, identity


class HeldFindings:
    """The newest findings, and those that are shown: the same, or the ones that were shown before.

    While findings are held, those that are shown keep their order and their place below their cause; only
    their numbers are renewed.
    """

    def __init__(self) -> None:
        self.shown: Sequence[Finding] = ()
        self.newest: Sequence[Finding] = ()

    @property
    def new(self) -> Sequence[Finding]:
        """The findings that wait, worst first."""
        there = {identity(one) for one in self.shown}
        return [one for one in self.newest if identity(one) not in there]

    def take(self, findings: Sequence[Finding], *, hold: bool, wanted: Identity | None = None) -> None:
        """Take newer findings; with ``hold`` only those already shown, and the one that the user chose
        before, are shown.
        """
        self.newest = findings
        if not hold or not self.shown:
            self.shown = findings
            return
        known = {identity(one): one for one in findings}
        kept = [
            replace(known[identity(one)], consequence_of=one.consequence_of)
            for one in self.shown
            if identity(one) in known
        ]
        there = {identity(one) for one in kept}
        self.shown = [*kept, *(known[one] for one in (wanted,) if one in known and one not in there)]

    def release(self) -> None:
        """Show the newest findings in their order."""
        self.shown = self.newest


def news_label(new: Sequence[Finding], newest: Sequence[Finding]) -> str:
    """Return how many of the ``newest`` findings wait: ``2 new findings``.

    What follows from others, and what is only worth knowing, is counted if nothing else waits.
    """
    roots = families(newest)
    causes = [one for one in new if identity(one) in roots]
    problems = [one for one in causes if one.severity != "info"]
    if problems:
        return f"{format_count(len(problems))} new finding{'' if len(problems) == 1 else 's'}"
    if causes:
        return f"{format_count(len(causes))} new to know of"
    return f"{format_count(len(new))} new that follow{'s' if len(new) == 1 else ''}"
