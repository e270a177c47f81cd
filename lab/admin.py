"""An admin of the running lab: changes a setting while it runs, as one would in the vSphere Client.

The physics answers by itself. What a scenario injects goes on for as long as the lab is recorded, but never
over a setting that was changed: what an admin sets stays set.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lab.grouping import sums
from lab.injection import ParameterChange
from lab.inventory import POOLS, UPLINKS, Vm
from lab.physics import Physics
from resources.failures import NotFoundError
from resources.foreign_text import shown
from resources.lab_acts import LabAct
from sessions.model import FloatArray, IntArray

_VM_UPLINKS = range(2, UPLINKS)
"""vmnic0 and vmnic1 carry the VMkernel's traffic, the others the VMs'."""


@dataclass(frozen=True, slots=True)
class Done:
    """What was done: a sentence, and the name of the VM that it was done to, empty for none."""

    text: str
    vm: str


class Admin:
    """Acts on one lab. ``watch`` is called after each tick: who did the most is told over all that was."""

    def __init__(self, lab: Physics) -> None:
        self._lab = lab
        self._sent = np.zeros(lab.index.vms)
        self._ios = np.zeros(len(lab.index.disk_vm))

    def watch(self) -> None:
        """Note who sends and who does I/O in the tick that was taken."""
        self._sent += self._lab.network.tx
        self._ios += self._lab.storage.iops

    def act(self, act: LabAct, kind: str, name: str) -> Done:
        """Do something about what an entity of this kind and name has; the next tick answers.

        Raises NotFoundError if the lab has no such entity, or none to which it could be done.
        """
        self._lab.go_on()
        if act.of == "jobs":
            self._end_jobs()
            return Done(act.said, "")
        vm = self._target(act, kind, name)
        to = ""
        if act.sets:
            self._set(act.sets, self._cells(act, kind, name, vm), act.to)
        else:
            to = self._move_port(vm)
        shown_name = self._vms[vm].shown_name
        return Done(act.said.format(name=shown_name, to=to), shown_name)

    @property
    def _vms(self) -> tuple[Vm, ...]:
        return self._lab.cluster.vms

    def _end_jobs(self) -> None:
        changes = self._lab.changes
        ended = [one for one in changes if one.envelope.period]
        if not ended:
            raise NotFoundError("No job comes back in the guests of this lab.")
        for one in ended:
            one.reset()
        self._lab.changes = tuple(one for one in changes if not one.envelope.period)

    def _set(self, parameter: str, cells: IntArray, value: float) -> None:
        array: FloatArray = getattr(self._lab.parameters, parameter)
        self._lab.changes = tuple(
            _without(one, cells) if one.array is array else one for one in self._lab.changes
        )
        array.reshape(-1)[cells] = value

    def _move_port(self, vm: int) -> str:
        """Let a VM's port go out by the quietest other uplink of its host; return that one's name."""
        machine, network = self._vms[vm], self._lab.network
        load = sums(network.uplink, self._sent, self._lab.index.hosts * UPLINKS)
        others = [one for one in _VM_UPLINKS if one != machine.uplink]
        machine.uplink = min(others, key=lambda one: float(load[machine.host * UPLINKS + one]))
        network.place()
        return f"vmnic{machine.uplink}"

    # whom it is done to

    def _target(self, act: LabAct, kind: str, name: str) -> int:
        if act.of == "busiest_disk":
            return int(self._lab.index.disk_vm[self._busiest_disk(kind, name)])
        if act.of == "busiest_sender":
            return self._busiest_sender(kind, name)
        return self._vm_called(kind, name)

    def _cells(self, act: LabAct, kind: str, name: str, vm: int) -> IntArray:
        index = self._lab.index
        if act.of == "vm_vcpus":
            return np.flatnonzero(index.vcpu_vm == vm)
        if act.of == "vm_disks":
            return np.flatnonzero(index.disk_vm == vm)
        if act.of == "busiest_disk":
            lun = index.disk_lun[self._busiest_disk(kind, name)]
            return np.flatnonzero((index.disk_vm == vm) & (index.disk_lun == lun))
        if act.of == "vm_pool":
            return np.array([self._vms[vm].host * len(POOLS) + self._vms[vm].pool])
        return np.array([vm])

    def _vm_called(self, kind: str, name: str) -> int:
        absent = self._lab.absent()
        found = [
            number
            for number, vm in enumerate(self._vms)
            if kind == "vm" and vm.shown_name == name and not absent[number]
        ]
        if not found:
            raise _nobody(kind, name)
        return found[0]

    def _busiest_disk(self, kind: str, name: str) -> int:
        """The disk with the most I/O on a device or on the devices of a VM."""
        index, luns = self._lab.index, self._lab.cluster.luns
        if kind == "vm":
            wanted = {*index.disk_lun[index.disk_vm == self._vm_called(kind, name)].tolist()}
        else:
            wanted = {number for number, lun in enumerate(luns) if lun.name == name}
        disks = np.flatnonzero(np.isin(index.disk_lun, sorted(wanted)))
        if kind not in ("vm", "device", "datastore") or not disks.size:
            raise _nobody(kind, name)
        return int(disks[np.argmax(self._ios[disks])])

    def _busiest_sender(self, kind: str, name: str) -> int:
        uplinks = np.array(self._uplinks(kind, name), np.int64)
        senders = np.flatnonzero(np.isin(self._lab.network.uplink, uplinks))
        if not senders.size:
            raise _nobody(kind, name)
        return int(senders[np.argmax(self._sent[senders])])

    def _uplinks(self, kind: str, name: str) -> list[int]:
        """An uplink by its name, those of a host, or the one that a VM's port goes out by."""
        if kind == "vm":
            return [int(self._lab.network.uplink[self._vm_called(kind, name)])]
        return [
            number * UPLINKS + uplink
            for number, host in enumerate(self._lab.cluster.hosts)
            for uplink in _VM_UPLINKS
            if (kind, name) in (("nic", f"{host.name}/vmnic{uplink}"), ("host", host.name))
        ]


def _without(change: ParameterChange, cells: IntArray) -> ParameterChange:
    """The same change without some of its cells."""
    kept = ~np.isin(change.cells, cells)
    return replace(change, cells=change.cells[kept], base=change.base[kept], target=change.target[kept])


def _nobody(kind: str, name: str) -> NotFoundError:
    return NotFoundError(
        f"The lab has no {kind} {shown(name, 60)} to which this could be done.",
        advice="Look for its name in the inventory.",
    )
