"""Hosts that nobody gave a name: captures of several may all be called localhost.localdomain.

A capture holds no hardware UUID. What tells two machines of that name apart is how many PCPUs they have and
which worlds run on them: worlds get their ids at boot, so that two captures of one host share most of them,
and captures of two hosts none. A host that was booted in between can't be told from another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from collectors.esxtop_names import ColumnPath

_UNNAMED = re.compile(r"localhost(\..*)?", re.IGNORECASE)
_WITH_WORLD_ID = re.compile(r".*\.\d+")
_OF_VMS = "% VmWait"


@dataclass(frozen=True, slots=True)
class _Machine:
    """What a header says of the machine: its PCPUs and the groups of worlds whose ids only its boot gave."""

    pcpus: frozenset[str]
    groups: frozenset[str]

    @classmethod
    def of(cls, paths: Iterable[ColumnPath]) -> _Machine:
        pcpus: set[str] = set()
        groups: set[str] = set()
        for path in paths:
            if path.cls == "Physical Cpu":
                pcpus.add(path.instance)
            elif path.cls == "Group Cpu" and (
                path.counter == _OF_VMS or _WITH_WORLD_ID.fullmatch(path.instance)
            ):
                groups.add(path.instance)
        return cls(frozenset(pcpus), frozenset(groups))

    def may_be(self, other: _Machine) -> bool:
        """True if nothing tells the two apart."""
        if self.pcpus and other.pcpus and self.pcpus != other.pcpus:
            return False
        return not self.groups or not other.groups or not self.groups.isdisjoint(other.groups)

    def and_also(self, other: _Machine) -> _Machine:
        """The machine as known from both captures."""
        return _Machine(self.pcpus | other.pcpus, self.groups | other.groups)


class Namesakes:
    """Gives the second and further hosts of a name that is nobody's a name of their own."""

    def __init__(self) -> None:
        self._known: dict[str, list[tuple[str, _Machine]]] = {}

    def told_apart(self, paths: Sequence[ColumnPath | None]) -> Sequence[ColumnPath | None]:
        """The columns of a header, those of another host of its name under ``name (2)``, ``name (3)`` …"""
        hosts = dict.fromkeys(path.host for path in paths if path is not None)
        names = {host: host for host in hosts if _UNNAMED.fullmatch(host)}
        for host in names:
            names[host] = self._name(host, _Machine.of(path for path in paths if path and path.host == host))
        if all(host == name for host, name in names.items()):
            return paths
        return [
            path._replace(host=names[path.host]) if path is not None and path.host in names else path
            for path in paths
        ]

    def note_of(self, name: str) -> str | None:
        """One sentence about a host that was told apart from another; None for all others."""
        for host, machines in self._known.items():
            if any(name == given != host for given, _ in machines):
                return (
                    f"Several hosts are called {host}: {name} has other PCPUs or none of the worlds of the "
                    f"others. If it is the same host after a restart, import its captures alone."
                )
        return None

    def _name(self, host: str, machine: _Machine) -> str:
        machines = self._known.setdefault(host, [])
        for at, (name, known) in enumerate(machines):
            if known.may_be(machine):
                machines[at] = name, known.and_also(machine)
                return name
        name = f"{host} ({len(machines) + 1})" if machines else host
        machines.append((name, machine))
        return name
