"""The order in which findings are shown: root causes worst first, consequences beneath their cause. No Qt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from sessions.findings import Finding, Severity
from sessions.model import EntityRef

Identity = tuple[str, EntityRef]
"""Problem and entity: identify a finding while its numbers change."""

Kind = tuple[str, Severity]
"""Problem and severity: findings with the same kind differ only in their entity."""

Families = Mapping[Identity, Sequence[Finding]]
"""The consequences of each root cause, direct and indirect; causes in the order of the findings."""


_CAUSES = 12
_FOLLOWERS = 8
_ALIKE = 3
"""Number of cards that are shown at first: each takes 2 ms to build, and nobody reads forty of them."""

STEP = 24
"""Number of further cards that one click shows."""


@dataclass(slots=True)
class VisibleFindings:
    """How many findings are shown: the default numbers, and what the user unfolded beyond them."""

    causes: int = _CAUSES
    unfolded: set[Identity] = field(default_factory=set)
    followers: dict[Identity, int] = field(default_factory=dict)
    alike: dict[Kind, int] = field(default_factory=dict)

    def show_more(self, row: Row) -> None:
        """Show the next findings behind a row that says "more"."""
        if row.what == "more alike":
            self.alike[_kind(row.finding)] = self.alike.get(_kind(row.finding), _ALIKE) + STEP
            self.causes += STEP
        else:
            root = identity(row.finding)
            self.followers[root] = self.followers.get(root, _FOLLOWERS) + STEP


@dataclass(frozen=True, slots=True)
class Row:
    """A finding's card, or a button that shows ``hidden`` more: its consequences, or the same problem
    elsewhere.
    """

    finding: Finding
    what: Literal["cause", "consequence", "more that follow", "more alike"]
    hidden: int = 0

    @property
    def key(self) -> tuple[str, Identity | Kind]:
        """What identifies the row while more findings are shown."""
        return self.what, _kind(self.finding) if self.what == "more alike" else identity(self.finding)


def identity(finding: Finding) -> Identity:
    """Return what identifies a finding while its numbers change: problem and entity."""
    return finding.problem, finding.entity


def families(findings: Sequence[Finding]) -> Families:
    """Group findings by root cause; a finding whose cause is not among ``findings`` is a root itself."""
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


def plan_rows(findings: Sequence[Finding], groups: Families, shown: VisibleFindings) -> tuple[list[Row], int]:
    """Return the rows to show from top to bottom, and how many root causes are left that no row offers.

    A problem that many entities have gets only a few cards: otherwise the next problem would be a hundred
    cards below. ``groups`` come from ``families``.
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


def _below(cause: Finding, followers: Sequence[Finding], shown: VisibleFindings) -> Iterator[Row]:
    """Yield the rows of a cause's consequences, if the cause is unfolded."""
    if identity(cause) in shown.unfolded:
        max_count = shown.followers.get(identity(cause), _FOLLOWERS)
        yield from (Row(one, "consequence") for one in followers[:max_count])
        if len(followers) > max_count:
            yield Row(cause, "more that follow", len(followers) - max_count)


def main_causes(findings: Sequence[Finding], max_count: int) -> list[tuple[Finding, int]]:
    """Return at most ``max_count`` root causes, worst first, and of as many different problems as possible.

    Each comes with a number: how many causes of the same problem and severity were left out (0 except for the
    last of them).
    """
    groups = families(findings)
    causes = [finding for finding in findings if identity(finding) in groups]
    firsts: dict[Kind, Finding] = {}
    for finding in causes:
        firsts.setdefault(_kind(finding), finding)
    chosen = set(islice(dict.fromkeys(map(identity, (*firsts.values(), *causes))), max_count))
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
    """Return the root cause of a finding; in a circle (only a forged session has one) each finding is its own
    root.
    """
    seen = [identity(finding)]
    while finding.consequence_of is not None and finding.consequence_of in known:
        finding = known[finding.consequence_of]
        if identity(finding) in seen:
            return seen[0]
        seen.append(identity(finding))
    return seen[-1]
