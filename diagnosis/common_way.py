"""What devices share whose way is bad: an adapter of their host, or one target of it.

Devices that are slow, or lose commands, over the same adapter or port are one problem. One of them tells it,
and names what they share; the others follow from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from diagnosis import entity_statistics
from diagnosis.evaluate import Operands
from diagnosis.orders import JudgedSteps, orders
from diagnosis.signals import Scene
from diagnosis.topology import Topology
from resources.problem_cards import Problems
from resources.units import format_value
from sessions.findings import Finding
from sessions.model import EntityRef, FloatArray

_WEIGHT = {"critical": 2, "warning": 1, "info": 0}
_TARGET = re.compile(r"(?P<runtime>vmhba\d+:C\d+:T\d+):L\d+|(?P<named>.+)-(naa|eui|t10)\..*")
_NAMED = 4
"""So many devices are named, of more their number is told."""

Key = tuple[str, EntityRef]


@dataclass(frozen=True, slots=True)
class BadWay:
    """The bad way of one device of a host: the adapters or targets that all its bad paths go through, what
    the number is over it and over the others, and the bad paths by their names.
    """

    host: EntityRef
    parts: tuple[str, ...]
    kind: str  # "adapter", "target", or "either" where the adapter has one target only
    worst: float
    best: float
    paths: tuple[str, ...]


class WaysOf:
    """Finds the bad ways of the rows of a scene; ``operands`` have the findings' windows."""

    def __init__(self, scene: Scene, operands: Operands, hosts: Sequence[EntityRef | None]) -> None:
        self._scene, self._operands, self._hosts = scene, operands, hosts
        self._values: dict[str, FloatArray] = {}

    def bad(self, row: int) -> BadWay | None:
        """Return the bad way of a row; None where its paths are alike, or share nothing that is bad."""
        way, host = self._scene.compiled.card.way, self._hosts[row]
        if way is None or host is None:
            return None
        own = self._means(way.signal, row)
        if len(own) < 2:
            return None
        thresholds = self._scene.compiled.thresholds
        worst = max(own.values())
        least = max(thresholds[way.limit], thresholds[way.part] * worst)
        bad = [ref for ref, mean in own.items() if mean >= least]
        fine = [mean for mean in own.values() if mean < least]
        if not bad or not fine:
            return None
        around = _Around(self._scene.topology, self._means(way.around, row), least)
        parts = {around.part_of(ref) for ref in bad}
        if None in parts:
            return None
        kinds = {kind for found in parts if found for kind in found[1:]}
        return BadWay(
            host=host,
            parts=tuple(sorted(found[0] for found in parts if found)),
            kind=kinds.pop() if len(kinds) == 1 else "target",
            worst=float(np.mean([own[ref] for ref in bad])),
            best=min(fine),
            paths=tuple(sorted(around.name(ref) for ref in bad)),
        )

    def _means(self, signal: str, row: int) -> dict[EntityRef, float]:
        """The mean of each of the row's paths over its windows, of those that have one."""
        members, span = self._scene.members(signal), self._operands.span
        if signal not in self._values:
            self._values[signal] = self._scene.member_values(signal, span)
        own = np.flatnonzero(members.row == members.unit[row])
        values = self._values[signal][own]
        windows = np.broadcast_to(self._operands.windows[row, span], values.shape)
        means = entity_statistics.mean(values, windows)[:, 0].tolist()
        return {
            members.refs[member]: mean
            for member, mean in zip(own.tolist(), means, strict=True)
            if not np.isnan(mean)
        }


class _Around:
    """All paths of a host: which part of the ways is bad as a whole."""

    def __init__(self, topology: Topology, means: Mapping[EntityRef, float], least: float) -> None:
        self._topology = topology
        self._bad: dict[str, bool] = {}
        self._targets: dict[str, set[str]] = {}
        for ref, mean in means.items():
            for part in (adapter := self._adapter(ref), target := self._target(ref)):
                self._bad[part] = self._bad.get(part, True) and mean >= least
            self._targets.setdefault(adapter, set()).add(target)

    def name(self, ref: EntityRef) -> str:
        """Return a path's name without its host's."""
        return self._topology.entity(ref).name.rpartition("/")[2]

    def part_of(self, ref: EntityRef) -> tuple[str, str] | None:
        """Return the widest part of the way of a bad path that is bad as a whole, and its kind."""
        adapter, target = self._adapter(ref), self._target(ref)
        if self._bad.get(adapter) and len(self._targets[adapter]) > 1:
            return adapter, "adapter"
        if not self._bad.get(target):
            return None
        return target, "target" if len(self._targets[adapter]) > 1 else "either"

    def _adapter(self, ref: EntityRef) -> str:
        above = self._topology.ancestors(ref).get("adapter")
        name = self._topology.entity(above).name if above else self.name(ref).partition(":")[0]
        return name.rpartition("/")[2]

    def _target(self, ref: EntityRef) -> str:
        found = _TARGET.fullmatch(self.name(ref))
        return (found["runtime"] or found["named"]) if found else self.name(ref)


class CommonWays:
    """Findings of several devices that share a bad way, by the device that tells of it.

    ``ways`` are the bad ways of each finding, one for each host that sees it.
    """

    def __init__(
        self,
        findings: Sequence[Finding],
        ways: Mapping[Key, Sequence[BadWay]],
        problems: Problems,
        topology: Topology,
    ) -> None:
        self._problems, self._topology, self._ways = problems, topology, ways
        self._leader: dict[Key, EntityRef] = {}
        self._groups: dict[Key, list[Finding]] = {}
        known = [one for one in findings if (one.problem, one.entity) in ways]
        for group in self._together(known):
            leader = min(group, key=_worst_first)
            self._groups[leader.problem, leader.entity] = group
            self._leader.update(
                {(one.problem, one.entity): leader.entity for one in group if one is not leader}
            )

    def leader(self, finding: Finding) -> Sequence[EntityRef]:
        """Return the device whose finding tells what this one shares with it; empty for none."""
        found = self._leader.get((finding.problem, finding.entity))
        return () if found is None else (found,)

    def told(self, finding: Finding) -> Finding:
        """Return the finding; one that tells for others names what they share, and what to do about it."""
        key = (finding.problem, finding.entity)
        group, way = self._groups.get(key), self._problems.card(finding.problem).way
        if group is None or way is None:
            return finding
        shared = self._shared(group)
        unit = self._problems.card(finding.problem).thresholds[way.limit].unit
        places = self._places(group, shared, unit)
        conclusion = way.conclusion.format(**places)
        hosts = {one.host for one in shared}
        steps = way.steps_for(shared[0].kind, [part for one in shared for part in one.parts])
        given = orders(
            JudgedSteps(one.verdict, one.title, [step.format(**places) for step in steps])
            for one in finding.causes
            if one.cause == way.cause
        )
        notes = (way.on_hosts.format(**places),) if len(hosts) > 1 else ()
        return replace(
            finding,
            conclusion=f"{conclusion} {finding.conclusion}",
            remedies=given,
            notes=(*finding.notes, *notes),
        )

    def _together(self, findings: Iterable[Finding]) -> list[list[Finding]]:
        """The findings of one problem that share a bad way, directly or by others; no finding alone."""
        groups: list[tuple[set[tuple[str, EntityRef, tuple[str, ...]]], list[Finding]]] = []
        for finding in findings:
            key = (finding.problem, finding.entity)
            tokens = {(finding.problem, one.host, one.parts) for one in self._ways[key]}
            joined = [one for one in groups if one[0] & tokens]
            groups = [one for one in groups if not one[0] & tokens]
            every = [*(one for _, some in joined for one in some), finding]
            groups.append((tokens.union(*(some for some, _ in joined)), every))
        return [group for _, group in groups if len(group) > 1]

    def _shared(self, group: Sequence[Finding]) -> list[BadWay]:
        """The bad ways of a group that more than one of its devices has, one for each host."""
        found: dict[tuple[EntityRef, tuple[str, ...]], list[BadWay]] = {}
        for finding in group:
            for one in self._ways[finding.problem, finding.entity]:
                found.setdefault((one.host, one.parts), []).append(one)
        return [
            replace(
                some[0],
                worst=float(np.mean([one.worst for one in some])),
                best=min(one.best for one in some),
                paths=tuple(sorted({path for one in some for path in one.paths})),
            )
            for some in found.values()
            if len(some) > 1
        ]

    def _places(self, group: Sequence[Finding], shared: Sequence[BadWay], unit: str) -> dict[str, str | int]:
        names = sorted(one.entity_name for one in group)
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        hosts = [self._topology.entity(one.host).name for one in shared]
        parts = [" and ".join(one.parts) for one in shared]
        return {
            "part": parts[0] if len(set(parts)) == 1 else ", ".join(parts),
            "host": " and ".join(dict.fromkeys(hosts)),
            "number": len(group),
            "devices": ", ".join(names[:_NAMED]) + more,
            "worst": format_value(float(np.mean([one.worst for one in shared])), unit),
            "best": format_value(min(one.best for one in shared), unit),
            "paths": ", ".join(dict.fromkeys(path for one in shared for path in one.paths)),
        }


def _worst_first(finding: Finding) -> tuple[int, float, str]:
    return -_WEIGHT[finding.severity], -finding.share, finding.entity_name
