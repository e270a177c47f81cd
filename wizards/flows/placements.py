"""Placements of heavy and light VMs on hosts: ``4H|3H1L|1H3L|4L`` as the DRS study has it, or as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from resources.failures import UsageError
from resources.foreign_text import shown
from resources.study_numbers import load_studies
from wizards.flows.plan import PlannedChange, PlannedWorker
from wizards.flows.surroundings import Surroundings

_PLACE = re.compile(r"(?:(?P<heavy>[0-9]{1,3})H)?(?:(?P<light>[0-9]{1,3})L)?")
_SEPARATOR = "|"
OWN = "own"
"""The placement that the VMs have when the test is planned."""


def parse_placement(text: str) -> tuple[tuple[int, int], ...]:
    """Return how many heavy and light VMs each host has. Raises UsageError."""
    found = []
    for part in text.split(_SEPARATOR):
        match = _PLACE.fullmatch(part.strip())
        if match is None or not part.strip():
            raise UsageError(
                f"{shown(text)} is no placement.",
                advice="Write heavy and light VMs of each host: 4H|3H1L|1H3L|4L.",
            )
        found.append((int(match["heavy"] or 0), int(match["light"] or 0)))
    return tuple(found)


def placement_changes(
    text: str, workers: Sequence[PlannedWorker], around: Surroundings
) -> Iterator[PlannedChange]:
    """Yield the host of each worker's VM for a placement; VMs that may stay where they are do.

    Raises UsageError if there are other numbers of hosts or VMs than the placement has.
    """
    present = {one.vm: (around.object(one.vm)) for one in workers}
    at = {vm: found.parent for vm, found in present.items() if found is not None}
    if text == OWN:
        yield from (PlannedChange(vm, "host", host) for vm, host in at.items())
        return
    wanted = parse_placement(_layout(text))
    hosts = _hosts(around, list(at.values()), len(wanted))
    for role, column in (("heavy", 0), ("light", 1)):
        vms = [one.vm for one in workers if one.role == role and one.vm]
        room = {host: wanted[number][column] for number, host in enumerate(hosts)}
        if sum(room.values()) != len(vms):
            raise UsageError(
                f"{shown(text)} places {sum(room.values())} {role} VMs, and there are {len(vms)}.",
            )
        left = []
        for vm in vms:
            if room.get(at.get(vm, ""), 0):
                room[at[vm]] -= 1
                yield PlannedChange(vm, "host", at[vm])
            else:
                left.append(vm)
        free = [host for host in hosts for _ in range(room[host])]
        for vm, host in zip(left, free, strict=True):
            yield PlannedChange(vm, "host", host)


def _layout(name: str) -> str:
    """Return the placement of the study that is called so, else the text itself."""
    named = {one.name: _SEPARATOR.join(one.hosts) for one in load_studies().drs.placement}
    return named.get(name, name)


def _hosts(around: Surroundings, used: Sequence[str], count: int) -> list[str]:
    """Return the hosts to place on: those with most of the workers first, then those of the same cluster."""
    known = {one.object.id: one for one in around.of_kind("HostSystem")}
    clusters = {known[host].parent for host in used if host in known}
    listed = [host for host, one in known.items() if not clusters or one.parent in clusters]
    if len(listed) < count:
        raise UsageError(f"The placement is of {count} hosts, and the cluster has {len(listed)}.")
    chosen = sorted(listed, key=lambda host: -used.count(host))[:count]
    return [host for host in listed if host in chosen]
