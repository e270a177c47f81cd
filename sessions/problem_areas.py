"""What a host is judged for: CPU, memory, storage and network, and which problems belong to each of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProblemArea:
    """An area by its name within a sentence; ``parts`` are the first parts of its problems' ids.

    ``central`` are the problems by which an admin knows whether anything waits there: without a look at one
    of them the area is not cleared, whatever else was looked at.
    """

    name: str
    parts: frozenset[str]
    central: frozenset[str]


PROBLEM_AREAS = (
    ProblemArea("CPU", frozenset({"cpu"}), frozenset({"cpu.ready_high", "cpu.host_saturated", "cpu.costop"})),
    ProblemArea(
        "memory",
        frozenset({"mem", "numa"}),
        frozenset({"mem.swapping", "mem.ballooning", "mem.host_state", "mem.host_demand"}),
    ),
    ProblemArea(
        "storage",
        frozenset({"storage"}),
        frozenset({"storage.device_latency", "storage.vm_latency", "storage.nfs_latency"}),
    ),
    ProblemArea("network", frozenset({"net"}), frozenset({"net.rx_drops", "net.tx_drops", "net.saturated"})),
)
"""The areas in the order in which they are told."""

OF_ALL_AREAS = frozenset({"vcenter", "cluster", "pool", "host", "vm"})
"""Kinds of entities that all areas concern: none of them is clear where nothing was judged of one."""


def area_of(problem: str) -> ProblemArea | None:
    """Return the area of a problem by its id; None for what is in none of them: a cluster's, a vSAN's."""
    part = problem.partition(".")[0]
    return next((area for area in PROBLEM_AREAS if part in area.parts), None)


def areas_without(problems: Collection[str]) -> Sequence[ProblemArea]:
    """Return the areas that are not cleared by a look at some problems: none of these is central there."""
    return [area for area in PROBLEM_AREAS if area.central.isdisjoint(problems)]


def listed(areas: Sequence[ProblemArea]) -> str:
    """Return the names of areas as a part of a sentence: "CPU, memory and storage"."""
    names = [area.name for area in areas]
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
