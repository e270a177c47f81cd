"""vMotions: they take as long as the VM's memory takes to copy, and cost CPU on both hosts meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

_NETWORK_MB_PER_S = 600.0
"""DESIGN: what one stream brings over a 10 Gbit/s network; a host's migrations share it."""
_COPIED = 1.3
"""Memory that a guest writes to while it is copied is sent again."""
_SWITCH_S = 2.0
_PER_HOST = 4
"""Concurrent vMotions of a host on a 10 Gbit/s network; others wait. Source: vSphere's limits."""
CPU_CORES = 0.6
"""What the VMkernel takes on each of the two hosts for one vMotion."""


@dataclass(slots=True)
class Migration:
    """The vMotion of VM number ``vm`` from one host to another; ``by`` says who asked for it.

    ``left_mb`` is what is still to be copied. ``began_ms`` is None while it waits.
    """

    vm: int
    source: int
    target: int
    by: str
    left_mb: float
    began_ms: int | None = None
    ended_ms: int | None = None


class Migrations:
    """The vMotions that wait or run."""

    def __init__(self) -> None:
        self.open: list[Migration] = []

    def add(self, vm: int, source: int, target: int, by: str, memory_mb: float) -> Migration:
        """Ask for a migration; one of the same VM that is not done yet goes on instead."""
        for one in self.open:
            if one.vm == vm:
                return one
        extra = _SWITCH_S * _NETWORK_MB_PER_S / _PER_HOST
        migration = Migration(vm, source, target, by, memory_mb * _COPIED + extra)
        self.open.append(migration)
        return migration

    def step(self, now_ms: int, tick_s: float) -> list[Migration]:
        """Advance by a tick that begins now; return those that are done at its end."""
        busy: dict[int, int] = {}
        for one in self.open:
            hosts = (one.source, one.target)
            if one.began_ms is None and all(busy.get(host, 0) < _PER_HOST for host in hosts):
                one.began_ms = now_ms
            if one.began_ms is not None:
                for host in hosts:
                    busy[host] = busy.get(host, 0) + 1
        for one in self.open:
            if one.began_ms is not None:
                sharing = max(busy[one.source], busy[one.target])
                one.left_mb -= _NETWORK_MB_PER_S / sharing * tick_s
        done = [one for one in self.open if one.began_ms is not None and one.left_mb <= 0]
        self.open = [one for one in self.open if one not in done]
        for one in done:
            one.ended_ms = now_ms + round(tick_s * 1000)
        return done

    def running_on(self, hosts: int) -> list[int]:
        """Return how many vMotions each host takes part in."""
        counts = [0] * hosts
        for one in self.open:
            if one.began_ms is not None:
                counts[one.source] += 1
                counts[one.target] += 1
        return counts
