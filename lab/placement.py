"""Where virtual disks lie: as in a well-run cluster, no LUN or array has too much load at the start."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from lab.inventory import SHARED_LUNS, Array, Lun, Vm
from lab.lun_work import LUN_SHARE, WRITE_COST, io_cost
from sessions.model import FloatArray

_MAX_LUN_SHARE = 0.5
_MAX_ARRAY_SHARE = 0.6
"""Parts of what a LUN and an array can do that usual load may take. At half, queueing adds an eighth to the
latency; Storage DRS, and people, move disks before latencies grow (its default is 15 ms).
"""


def spread_disks(
    vms: Sequence[Vm], luns: Sequence[Lun], arrays: Sequence[Array], rate: float, fixed: Collection[str]
) -> None:
    """Move disks from overloaded LUNs to the least loaded one, busiest disks first.

    ``rate`` scales the disks' usual I/O. VMs named in ``fixed`` keep their disks where they are.
    """
    movable = [
        (work, vm, slot)
        for vm in vms
        if vm.name not in fixed
        for slot, disk in enumerate(vm.disks)
        if disk.lun < SHARED_LUNS and (work := _work(vm, slot, luns, rate)) > 0
    ]
    movable.sort(key=lambda one: -one[0])
    for _, vm, slot in movable:
        busy = _busy(vms, luns, arrays, rate)
        if (busy <= 1.0).all():
            return
        if busy[vm.disks[slot].lun] > 1.0:
            vm.disks[slot] = replace(vm.disks[slot], lun=int(np.argmin(busy)))


def _work(vm: Vm, slot: int, luns: Sequence[Lun], rate: float) -> float:
    """What a disk usually asks of its array, in reads of 8 KB a second."""
    disk = vm.disks[slot]
    size, reads = np.array(disk.io_kb), np.array(disk.read_share)
    return disk.iops * rate * float(io_cost(size, reads, WRITE_COST[luns[disk.lun].array]))


def _busy(vms: Sequence[Vm], luns: Sequence[Lun], arrays: Sequence[Array], rate: float) -> FloatArray:
    """How busy each shared LUN is, or its array where that is worse, over what it may be."""
    own = np.zeros(SHARED_LUNS)
    for vm in vms:
        for slot, disk in enumerate(vm.disks):
            if disk.lun < SHARED_LUNS:
                own[disk.lun] += _work(vm, slot, luns, rate)
    of = np.array([lun.array for lun in luns[:SHARED_LUNS]])
    iops = np.array([array.iops for array in arrays])[of]
    whole = np.array([own[of == array].sum() for array in of])
    busy: FloatArray = np.maximum(
        own / (LUN_SHARE * iops * _MAX_LUN_SHARE), whole / (iops * _MAX_ARRAY_SHARE)
    )
    return busy
