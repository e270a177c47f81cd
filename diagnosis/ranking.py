"""Orders findings: marks consequences of others, computes a score for each, puts the worst first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from resources.problem_cards import Problems
from resources.problem_consequences import Consequence, Relation
from sessions.findings import Finding
from sessions.model import EntityRef
from sessions.times import TimeRange

WEIGHT = {"critical": 3.0, "warning": 2.0, "info": 1.0}
"""How much a finding of each severity counts; the worst the most."""
_LAYERS = ("configuration", "contention", "utilisation", "capacity", "data")

Key = tuple[str, EntityRef]
Places = Callable[[Finding], Sequence[EntityRef]]


def score(severity: str, persistence: float, completeness: float) -> float:
    """Return severity weight × fraction of the time × fraction of the evidence that is available; 0 to 3."""
    return round(WEIGHT[severity] * persistence * completeness, 4)


def _itself(finding: Finding) -> Sequence[EntityRef]:
    return (finding.entity,)


def _nowhere(_: Finding) -> Sequence[EntityRef]:
    return ()


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where a finding's entity was in its windows: on which hosts (several where they share it), in which
    resource pools, the nearest first, and in which clusters; which VMs have disks on it; on which datastores
    its own disks lie, of which vSAN datastores it is a part; which device tells of the way that both share;
    and on what it was judged where it is told of what is above.
    """

    hosts_of: Places
    pools_of: Places = _nowhere
    clusters_of: Places = _nowhere
    users_of: Places = _nowhere
    stores_of: Places = _nowhere
    made_of_it: Places = _nowhere
    leader_of: Places = _nowhere
    judged_on: Places = _itself

    def ends(self, relation: Relation) -> tuple[Places, Places]:
        """Return what upstream's and downstream's finding must have in common: each one's way to it."""
        ways: dict[Relation, tuple[Places, Places]] = {
            "same": (_itself, _itself),
            "host": (_itself, self.hosts_of),
            "host_of": (self.hosts_of, _itself),
            "on_host": (self.hosts_of, self.hosts_of),
            "pool": (_itself, self.pools_of),
            "cluster": (self.clusters_of, _itself),
            "user": (_itself, self.users_of),
            "part": (self.made_of_it, _itself),
            "stored": (self.judged_on, self.stores_of),
            "way": (_itself, self.leader_of),
        }
        return ways[relation]


def rank(findings: Sequence[Finding], problems: Problems, where: Whereabouts) -> list[Finding]:
    """Return the findings, worst first.

    A consequence of another finding is at most a warning, and comes after those that are none; what is behind
    a critical one is critical itself.
    """
    linked = link(findings, problems.consequences, where)
    layer = {card.id: _LAYERS.index(card.layer) for card in problems.cards}
    return sorted(
        linked,
        key=lambda one: (
            -WEIGHT[one.severity],
            one.consequence_of is not None,
            0.0 if one.severity == "info" else -one.score,
            layer.get(one.problem, len(_LAYERS)),
            one.problem,
            -one.evidence[0].value if one.severity == "info" and one.evidence else 0.0,  # the most first
            one.entity_name,
            one.entity,
        ),
    )


def link(findings: Sequence[Finding], pairs: Sequence[Consequence], where: Whereabouts) -> list[Finding]:
    """Return the findings; one that another explains has that one's problem in ``consequence_of``."""
    by_problem: dict[str, list[Finding]] = {}
    for finding in findings:
        by_problem.setdefault(finding.problem, []).append(finding)
    cause_of: dict[Key, Key] = {}
    why: dict[Key, str] = {}
    for pair in pairs:
        for key in _link_pair(pair, by_problem, cause_of, where):
            why[key] = pair.because
    behind = _critical_consequences(findings, cause_of)
    return [
        _raised(_marked(finding, cause_of.get(key), why.get(key, "")), behind.get(key, ()))
        for finding in findings
        for key in [(finding.problem, finding.entity)]
    ]


def _critical_consequences(
    findings: Sequence[Finding], cause_of: Mapping[Key, Key]
) -> Mapping[Key, Sequence[Finding]]:
    """The critical findings that follow from each root: a finding that follows from no other."""
    found: dict[Key, list[Finding]] = {}
    for finding in findings:
        root = key = (finding.problem, finding.entity)
        while (above := cause_of.get(root)) is not None:
            root = above
        if root != key and finding.severity == "critical":
            found.setdefault(root, []).append(finding)
    return found


def _raised(finding: Finding, critical: Sequence[Finding]) -> Finding:
    """What is behind a critical problem is critical: mending it is what ends that."""
    if finding.severity != "warning" or not critical:
        return finding
    first, more = critical[0], len(critical) - 1
    told = f"{first.title}, {first.entity_name}" + (f", and {more} more" if more else "")
    why = "Critical, because what follows from it is critical by its own numbers"
    return replace(
        finding,
        severity="critical",
        notes=(*finding.notes, f"{why}: {told}."),
        score=round(finding.score * WEIGHT["critical"] / WEIGHT["warning"], 4),
    )


def _link_pair(
    pair: Consequence, by_problem: Mapping[str, list[Finding]], cause_of: dict[Key, Key], where: Whereabouts
) -> Iterator[Key]:
    """Note what the pair explains in ``cause_of``, and yield each finding that it does."""
    of_upstream, of_downstream = where.ends(pair.relation)
    upstream: dict[EntityRef, list[Finding]] = {}
    for one in by_problem.get(pair.upstream, ()):
        if _first_cause_in(one, pair.upstream_causes):
            for place in of_upstream(one):
                upstream.setdefault(place, []).append(one)
    for finding in by_problem.get(pair.downstream, ()):
        key = (finding.problem, finding.entity)
        if key in cause_of or not _fits(finding, pair):
            continue
        for one in (each for place in of_downstream(finding) for each in upstream.get(place, ())):
            above = (one.problem, one.entity)
            shared = overlap(one.windows, finding.windows, pair.within_s)
            if shared >= pair.overlap and not _leads_to(above, key, cause_of):
                cause_of[key] = above
                yield key
                break


def _fits(finding: Finding, pair: Consequence) -> bool:
    return _first_cause_in(finding, pair.causes) and not (
        pair.unless and _first_cause_in(finding, pair.unless)
    )


def _first_cause_in(finding: Finding, causes: Sequence[str]) -> bool:
    return not causes or bool(finding.causes and finding.causes[0].cause in causes)


def overlap(upstream: Sequence[TimeRange], downstream: Sequence[TimeRange], within_s: float) -> float:
    """Return the fraction (0 to 1) of the downstream windows' time that lies in the upstream windows.

    The upstream windows are widened by ``within_s`` seconds.
    """
    slack = int(within_s * 1000)
    wide = [TimeRange(one.start - slack, one.end + slack) for one in upstream]
    total = shared = 0
    for one in downstream:
        total += max(1, one.end - one.start)
        shared += sum(max(1, part.end - part.start) for other in wide if (part := one.intersect(other)))
    return min(1.0, shared / total) if total else 0.0


def _leads_to(start: Key, target: Key, cause_of: Mapping[Key, Key]) -> bool:
    """Whether following causes up from ``start`` meets ``target``: linking them would close a circle."""
    current: Key | None = start
    while current is not None:
        if current == target:
            return True
        current = cause_of.get(current)
    return False


def _marked(finding: Finding, cause: Key | None, why: str) -> Finding:
    if cause is None:
        return finding
    # What follows from something else goes with it: only that is to be mended, by its own steps.
    severity = "warning" if finding.severity == "critical" else finding.severity
    return replace(
        finding,
        severity=severity,
        consequence_of=cause,
        remedies=(),
        notes=(*finding.notes, why),
        score=round(finding.score * WEIGHT[severity] / WEIGHT[finding.severity], 4),
    )
