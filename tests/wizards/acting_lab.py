"""A lab that somebody acts on while it is recorded: at a moment a limit is raised, a neighbour is throttled.

The physics answers by itself; what was changed is told as vCenter would, as an event of the VM.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lab import Lab, load_scenarios, record_lab
from lab.injection import ParameterChange
from sessions.model import Event
from sessions.store import SessionReader, SessionWriter

Act = Callable[[Lab], None]


@dataclass(frozen=True)
class Acted:
    """A recorded session, the lab behind it, and when (ms) somebody acted."""

    path: Path
    lab: Lab
    at: int

    def vm(self, role: str) -> str:
        """Return the name of the first VM of a role."""
        cluster = self.lab.cluster
        return cluster.vms[cluster.cast[role].members[0]].name


class ActedLab(Lab):
    """A lab in which ``act`` is done at ``at_s`` seconds of its time."""

    def __init__(self, scenario: str, seed: int, act: Act, at_s: float) -> None:
        super().__init__(load_scenarios()[scenario], seed=seed, fields="diagnosis")
        self._act: Act | None = act
        self._at_s = at_s

    def step(self) -> bool:
        act = self._act
        if act is not None and self.now_ms >= self.start_ms + self._at_s * 1000:
            self._act = None
            act(self)
        return super().step()


def acted(
    path: Path,
    scenario: str,
    act: Act,
    *,
    seed: int = 1,
    at_s: float,
    minutes: float,
    told: tuple[str, str] | None = None,
) -> Acted:
    """Record a scenario for so long; ``act`` at ``at_s``, ``told`` as (role, what) in an event."""
    lab = ActedLab(scenario, seed, act, at_s)
    lab.changes = tuple(lasting(one) for one in lab.changes)
    at = lab.start_ms + round(at_s * 1000)
    with SessionWriter.create(path, durable=False, bulk=True) as writer:
        record_lab(lab, writer, duration_s=minutes * 60)
        if told is not None:
            role, what = told
            name = lab.cluster.vms[lab.cluster.cast[role].members[0]].name
            with SessionReader.open(path) as reader:
                entities = reader.entities()
            ref = next(one for one, known in entities.items() if known.name == name and one.kind == "vm")
            writer.add_events([Event(at, "reconfigure", f"{name}: {what}", ref, by="mara")])
    return Acted(path, lab, at)


def lasting(change: ParameterChange) -> ParameterChange:
    """The same change without an end: the recording may be longer than the scenario."""
    return replace(change, envelope=replace(change.envelope, end=math.inf))


def release(*attributes: str) -> Act:
    """An act that takes back what the scenario injected into these parameters."""

    def act(lab: Lab) -> None:
        for name in attributes:
            array = getattr(lab.parameters, name)
            for change in lab.changes:
                if change.array is array:
                    change.reset()
            lab.changes = tuple(one for one in lab.changes if one.array is not array)

    return act


def set_of(role: str, **values: float) -> Act:
    """An act that sets parameters of a role's VMs."""

    def act(lab: Lab) -> None:
        members = np.array(lab.cluster.cast[role].members)
        for name, value in values.items():
            getattr(lab.parameters, name)[members] = value

    return act


def nothing(lab: Lab) -> None:
    """An act that changes nothing."""


def throttle(lab: Lab) -> None:
    """An act that gives the noisy VM's disks an IOPS limit."""
    vm = lab.cluster.cast["noisy"].members[0]
    lab.parameters.iops_limit[lab.index.disk_vm == vm] = 300.0


def vanish(lab: Lab) -> None:
    """An act by which the victim's users go home: it is asked for next to nothing."""
    release("demand")(lab)
    vm = lab.cluster.cast["victim"].members[0]
    lab.parameters.demand[lab.index.vcpu_vm == vm] = 0.03
    lab.parameters.iops[lab.index.disk_vm == vm] *= 0.05
    lab.parameters.tx[vm] *= 0.05
    lab.parameters.rx[vm] *= 0.05
