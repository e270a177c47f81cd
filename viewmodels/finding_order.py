"""In what order findings stand: causes worst first, what follows from each beneath it. Knows no widget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from sessions.findings import Finding, Severity
from sessions.model import EntityRef

Identity = tuple[str, EntityRef]
"""Problem and entity: what stays the same of a finding while its numbers change."""

Kind = tuple[str, Severity]
"""Problem and severity: what findings have in common that differ by who has it."""

Families = Mapping[Identity, Sequence[Finding]]
"""What follows from each cause, directly or by way of another; causes in the order of the findings."""


_CAUSES = 12
_FOLLOWERS = 8
_ALIKE = 3
"""Cards that appear at once: each costs two milliseconds, and nobody reads forty of them."""

STEP = 24
"""So many more are shown by a click."""


@dataclass(slots=True)
class Shown:
    """How much of the findings is to be seen: what the user has asked for, and else what is usual."""

    causes: int = _CAUSES
    unfolded: set[Identity] = field(default_factory=set)
    followers: dict[Identity, int] = field(default_factory=dict)
    alike: dict[Kind, int] = field(default_factory=dict)

    def more(self, row: Row) -> None:
        """Show the next of those that a row announces."""
        if row.what == "more alike":
            self.alike[_kind(row.finding)] = self.alike.get(_kind(row.finding), _ALIKE) + STEP
            self.causes += STEP
        else:
            root = identity(row.finding)
            self.followers[root] = self.followers.get(root, _FOLLOWERS) + STEP


@dataclass(frozen=True, slots=True)
class Row:
    """A card; or a way to see ``rest`` more, which follow from the finding or have the same problem."""

    finding: Finding
    what: Literal["cause", "consequence", "more that follow", "more alike"]
    rest: int = 0

    @property
    def key(self) -> tuple[str, Identity | Kind]:
        """What stays the same of a row while more is shown."""
        return self.what, _kind(self.finding) if self.what == "more alike" else identity(self.finding)


def identity(finding: Finding) -> Identity:
    """What it is a finding of."""
    return finding.problem, finding.entity


def families(findings: Sequence[Finding]) -> Families:
    """Each root cause with its consequences; one whose cause is not among the findings stands for itself."""
    known = {identity(finding): finding for finding in findings}
    found: dict[Identity, list[Finding]] = {}
    for finding in findings:
        root = _root(finding, known)
        if root == identity(finding):
            found.setdefault(root, [])
    for finding in findings:
        root = _root(finding, known)
        if root != identity(finding):
            found.setdefault(root, []).append(finding)
    return found


def plan(findings: Sequence[Finding], groups: Families, shown: Shown) -> tuple[list[Row], int]:
    """Top to bottom what is to be seen, and how many causes are left that no row announces.

    A problem that many entities have takes a few cards: else the next one would stand a hundred cards below.
    """
    causes = [finding for finding in findings if identity(finding) in groups]
    alike = Counter(map(_kind, causes))
    seen: Counter[Kind] = Counter()
    rows: list[Row] = []
    left, cards = len(causes), 0
    for finding in causes:
        kind = _kind(finding)
        limit = shown.alike.get(kind, alike[kind] if alike[kind] <= _ALIKE + 1 else _ALIKE)
        if seen[kind] == limit or cards == shown.causes:
            continue
        seen[kind] += 1
        cards += 1
        left -= 1
        rows.append(Row(finding, "cause"))
        rows.extend(_below(finding, groups[identity(finding)], shown))
        if seen[kind] == limit < alike[kind]:
            rows.append(Row(finding, "more alike", alike[kind] - limit))
            left -= alike[kind] - limit
    return rows, left


def _below(cause: Finding, followers: Sequence[Finding], shown: Shown) -> Iterator[Row]:
    """What follows from a cause, where it is unfolded."""
    if identity(cause) in shown.unfolded:
        most = shown.followers.get(identity(cause), _FOLLOWERS)
        yield from (Row(one, "consequence") for one in followers[:most])
        if len(followers) > most:
            yield Row(cause, "more that follow", len(followers) - most)


def foremost_causes(findings: Sequence[Finding], most: int) -> list[tuple[Finding, int]]:
    """As many causes as there is room for, worst first: of each problem at least one while there is room.

    Each comes with how many of its problem are left out, if it is the last of these.
    """
    groups = families(findings)
    causes = [finding for finding in findings if identity(finding) in groups]
    firsts: dict[Kind, Finding] = {}
    for finding in causes:
        firsts.setdefault(_kind(finding), finding)
    chosen = set(islice(dict.fromkeys(map(identity, (*firsts.values(), *causes))), most))
    picked = [finding for finding in causes if identity(finding) in chosen]
    last = {_kind(finding): identity(finding) for finding in picked}
    left = Counter(map(_kind, causes)) - Counter(map(_kind, picked))
    return [
        (finding, left[_kind(finding)] if last[_kind(finding)] == identity(finding) else 0)
        for finding in picked
    ]


def _kind(finding: Finding) -> Kind:
    return finding.problem, finding.severity


def _root(finding: Finding, known: Mapping[Identity, Finding]) -> Identity:
    """The first cause of all; in a circle, which only a forged session has, each stands for itself."""
    seen = [identity(finding)]
    while finding.consequence_of is not None and finding.consequence_of in known:
        finding = known[finding.consequence_of]
        if identity(finding) in seen:
            return seen[0]
        seen.append(identity(finding))
    return seen[-1]
