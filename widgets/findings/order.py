"""In what order findings stand: causes worst first, what follows from each beneath it. Knows no widget."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from sessions.findings import Finding
from sessions.model import EntityRef

Identity = tuple[str, EntityRef]
"""Problem and entity: what stays the same of a finding while its numbers change."""

Families = Mapping[Identity, Sequence[Finding]]
"""What follows from each cause, directly or by way of another; causes in the order of the findings."""


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


def in_order(
    findings: Sequence[Finding],
    groups: Families,
    unfolded: Collection[Identity],
    most: Mapping[Identity, int],
) -> Iterator[tuple[Finding, Identity]]:
    """Findings to be shown, each with its root cause: causes, and beneath those in ``unfolded`` the first
    ``most`` of their consequences.
    """
    for finding in findings:
        root = identity(finding)
        if root not in groups:
            continue
        yield finding, root
        if root in unfolded:
            for consequence in groups[root][: most[root]]:
                yield consequence, root


def _root(finding: Finding, known: Mapping[Identity, Finding]) -> Identity:
    """The first cause of all; in a circle, which only a forged session has, each stands for itself."""
    seen = [identity(finding)]
    while finding.consequence_of is not None and finding.consequence_of in known:
        finding = known[finding.consequence_of]
        if identity(finding) in seen:
            return seen[0]
        seen.append(identity(finding))
    return seen[-1]
