"""Fault plans of the fault soak: two or three random faults, each at a stage of the recording."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Stage = Literal["login", "inventory", "back-fill", "live", "end"]
STAGES: tuple[Stage, ...] = ("login", "inventory", "back-fill", "live", "end")

_METHODS: Mapping[Stage, Sequence[str]] = MappingProxyType(
    {
        "login": ("RetrieveServiceContent", "Login"),
        "inventory": (
            "CreateContainerView",
            "CreatePropertyCollector",
            "CreateFilter",
            "WaitForUpdatesEx",
            "WaitForUpdatesEx",
            "RetrievePropertiesEx",
            "CurrentTime",
        ),
        "back-fill": (
            "QueryPerf",
            "QueryPerf",
            "QueryPerfProviderSummary",
            "CurrentTime",
            "WaitForUpdatesEx",
        ),
        "live": (
            "QueryPerf",
            "QueryPerf",
            "WaitForUpdatesEx",
            "WaitForUpdatesEx",
            "CurrentTime",
            "CreateCollectorForEvents",
            "ReadNextEvents",
            "ReadNextTasks",
            "RetrievePropertiesEx",
            "Login",
            "",
        ),
        "end": ("QueryPerf", "QueryPerf", "WaitForUpdatesEx", "CurrentTime", "ReadNextTasks", "Logout", ""),
    }
)
_PROTOCOL = (
    "slow", "hang", "disconnect", "disconnect", "lost", "lost", "half", "half", "html", "broken_xml", "empty",
    "status", "not_authenticated", "fault",
)  # fmt: skip
_CUTS = (0, 1, 80, 400, -400, -30, -1)
_FAULTS = ("SystemError", "ManagedObjectNotFound", "InvalidArgument", "RequestCanceled")
_CHANGES = ("vm_power", "vm_moved", "snapshot_created", "missing", "late", "absent", "host_connection")
_VMS, _HOSTS = ("vm-00001", "vm-00002", "vm-00003"), ("esx0001.lab", "esx0002.lab")


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a plan: a fault of the test vCenter, or its ``restart`` or
    ``stop``, and the stage where it occurs.
    """

    stage: Stage
    kind: str
    options: Mapping[str, object]

    def __str__(self) -> str:
        arguments = " ".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.stage}: {self.kind} {arguments}".rstrip()


def plan(rnd: random.Random) -> list[Fault]:
    """Draw two or three random faults, ordered by stage; a stop is the last of its stage.

    A server that is stopped can't be asked for another fault.
    A plan never has both a restart and a change of the inventory: a restarted server forgets what was
    changed, and could not tell afterwards which samples are the true ones.
    """
    found: list[Fault] = []
    for _ in range(rnd.choice((2, 2, 3))):
        stage = rnd.choice(STAGES)
        taken = {one.kind for one in found}
        fault = _fault(rnd, stage)
        while (fault.kind in ("restart", "stop") and taken & {*_CHANGES, "restart", "stop"}) or (
            fault.kind in _CHANGES and taken & {"restart", "stop"}
        ):
            fault = _fault(rnd, stage)
        found.append(fault)
    return sorted(found, key=lambda one: (STAGES.index(one.stage), one.kind == "stop"))


def _fault(rnd: random.Random, stage: Stage) -> Fault:
    if stage in ("live", "end") and rnd.random() < 0.3:
        return _of_the_world(rnd, stage)
    kind = rnd.choice(_PROTOCOL)
    options: dict[str, object] = {"count": rnd.choice((1, 1, 2, 3))}
    if method := rnd.choice(_METHODS[stage]):
        options["method"] = method
    if stage in ("inventory", "back-fill") and rnd.random() < 0.5:
        options["skip"] = rnd.randint(1, 3)
    if stage == "end" and rnd.random() < 0.5:
        del options["count"]  # until the recording ends
    if kind in ("slow", "hang"):
        options["seconds"] = round(rnd.uniform(0.2, 3.0), 1)
    if kind == "half":
        options["bytes"] = rnd.choice(_CUTS)
    if kind == "fault":
        options |= {"type": rnd.choice(_FAULTS), "text": "soak"}
    return Fault(stage, kind, options)


def _of_the_world(rnd: random.Random, stage: Stage) -> Fault:
    """The session ends, the server restarts or is gone; or something changes in its inventory or samples."""
    kind = rnd.choice(("expire", "expire", "restart", "stop", *_CHANGES))
    vm, host = rnd.choice(_VMS), rnd.choice(_HOSTS)
    options: dict[str, dict[str, object]] = {
        "vm_power": {"vm": vm, "on": False},
        "vm_moved": {"vm": vm, "host": host},
        "snapshot_created": {"vm": vm},
        "missing": {"entity": vm, "for_": 3},
        "late": {"entity": vm, "for_": 3, "seconds": 2},
        "absent": {"entity": vm, "counter": "cpu.ready.*", "for_": 3},
        "host_connection": {"host": host, "on": False},
    }
    return Fault(stage, kind, options.get(kind, {}))
