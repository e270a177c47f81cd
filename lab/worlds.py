"""The worlds and groups of each host, in esxtop's order: the VMkernel's own, user worlds, then VMs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lab.inventory import Cluster, Host, Vm

NO_OWNER = -1

_SYSTEM_WORLDS = (
    "debugtermlivedump", "logSysAlert", "tlbflushcount", "PageRetire", "netCoalesce2World", "ndiscWorld",
    "UplinkWatchdogWorld", "CmdCompl-0", "CmdCompl-1", "SCSI-GenPurpose-0", "RCUWorld", "llswap defragmenter",
    "gsSwapRefill", "memschedRealloc", "memmetrics-periodic", "pshare-est", "lpage", "CpuSchedPeriodic",
    "VSCSIPoll", "Storage-APD", "SchedPowerEnergy", "vmnic0-pollWorld-0", "vmnic2-pollWorld-0",
    "vmnic3-pollWorld-0", "tq:NMP", "tq:tcpip4", "Cmpl-vmhba1-0", "Cmpl-vmhba2-0", "FS3ResMgr",
)  # fmt: skip
_HELPER_WORLDS = (
    "HELPER_IMMEDIATE_QUEUE-0-0", "HELPER_MISC_QUEUE-1-0", "HELPER_VMFS_JOURNAL_QUEUE-2-0",
    "HELPER_SWAP_QUEUE-6-0", "HELPER_LLSWAP_QUEUE-7-0", "HELPER_MEMSCHED_QUEUE-8-0", "HELPER_SCSI_QUEUE-9-0",
    "HELPER_UPLINK_ASYNC_CALL_QUEUE-12-0", "VSCSI HBA Helper Queue-31-0", "SCSI path scan helpers-38-0",
)  # fmt: skip
_DRIVER_WORLDS = ("ScsiFilterTransWorld", "lpfc-worker-0", "lpfc-worker-1", "ixgbe-poll-0", "ahci-intr-0")
_KERNEL_GROUPS = ((1, "system"), (8, "helper"), (9, "drivers"), (10, "ft"), (11, "vmotion"))
_USER_GROUPS = (
    "init", "vmsyslogd", "vobd", "sh", "vmkeventd", "net-lacp", "ioFilterVPServer", "rhttpproxy", "hostd",
    "storageRM", "vpxa", "sfcbd", "dcui", "esxtop",
)  # fmt: skip
_BUSY_USERS = {
    "hostd": (2.2, 14),
    "vpxa": (1.1, 8),
    "vobd": (0.1, 4),
    "esxtop": (1.6, 1),
    "rhttpproxy": (0.2, 4),
}
GS_SWAP_REFILL = "gsSwapRefill"
"""A system world that shows swap wait although nothing is wrong: one of esxtop's traps."""


@dataclass(frozen=True, slots=True)
class World:
    """A world.

    ``vcpu`` is its number among all vCPUs, ``pcpu`` the PCPU of an idle world; ``run`` is the average run
    time of all other worlds, in percent.
    """

    id: int
    name: str
    vcpu: int = NO_OWNER
    pcpu: int = NO_OWNER
    run: float = 0.0


@dataclass(frozen=True, slots=True)
class Group:
    """A scheduler group with its worlds; ``vm`` is the VM's number or NO_OWNER; ``kernel`` is True for the
    VMkernel's own groups.
    """

    id: int
    name: str
    worlds: tuple[World, ...]
    vm: int = NO_OWNER
    kernel: bool = False

    @property
    def instance(self) -> str:
        """The group's instance name in esxtop."""
        return f"{self.id}:{self.name}"


def build_groups(cluster: Cluster) -> tuple[tuple[Group, ...], ...]:
    """Return the groups of each host, in esxtop's order."""
    rng = np.random.default_rng(cluster.worlds_seed)
    first = np.cumsum([0, *(vm.vcpus for vm in cluster.vms)])
    return tuple(
        (
            *_kernel_groups(host, rng),
            *_user_groups(rng),
            *(_vm_group(vm, n, int(first[n])) for n, vm in enumerate(cluster.vms) if vm.host == number),
        )
        for number, host in enumerate(cluster.hosts)
    )


def _kernel_groups(host: Host, rng: np.random.Generator) -> list[Group]:
    idle = [World(2_097_153 + pcpu, f"idle{pcpu}", pcpu=pcpu) for pcpu in range(host.pcpus)]
    system = [World(2_097_300 + n, name, run=_little(rng, 0.12)) for n, name in enumerate(_SYSTEM_WORLDS)]
    helper = [World(2_097_400 + n, name, run=_little(rng, 0.02)) for n, name in enumerate(_HELPER_WORLDS)]
    drivers = [World(2_097_500 + n, name, run=_little(rng, 0.25)) for n, name in enumerate(_DRIVER_WORLDS)]
    others = ([World(2_097_600, "DVS sync world")], [World(2_097_700, "vmotionServer")])
    members = ([*idle, *system], helper, drivers, *others)
    return [
        Group(id_, name, tuple(worlds), kernel=True)
        for (id_, name), worlds in zip(_KERNEL_GROUPS, members, strict=True)
    ]


def _user_groups(rng: np.random.Generator) -> list[Group]:
    groups, id_, world = [], 520, 2_098_000
    for name in _USER_GROUPS:
        id_ += int(rng.integers(8, 900))
        world += int(rng.integers(8, 60))
        run, count = _BUSY_USERS.get(name, (0.02, 1))
        worlds = tuple(World(world + n, name, run=_little(rng, run / count)) for n in range(count))
        groups.append(Group(id_, f"{name}.{world}", worlds))
        world += count
    return groups


def _vm_group(vm: Vm, number: int, first_vcpu: int) -> Group:
    """A VM's worlds: ids count up from the cartel's, as in a real capture."""
    cartel = vm.cartel
    named = [
        (f"NetWorld-VM-{cartel}", 0.05), (f"vmast.{cartel}", 0.01), ("vmx-vthread-5", 0.0),
        (f"vmx-mks:{vm.name}", 0.01), (f"vmx-svga:{vm.name}", 0.0),
    ]  # fmt: skip
    worlds = [World(cartel - 1, "vmx", run=0.02)]
    worlds += [World(cartel + 1 + n, name, run=run) for n, (name, run) in enumerate(named)]
    world = cartel + 1 + len(named)
    for vcpu in range(vm.vcpus):
        worlds.append(World(world, f"vmx-vcpu-{vcpu}:{vm.name}", vcpu=first_vcpu + vcpu))
        world += 2 if vcpu == 0 else 1
    worlds.append(World(cartel + 2 + len(named), f"PVSCSI-{cartel}:0", run=0.03))
    return Group(vm.group_id, vm.name, tuple(worlds), vm=number)


def _little(rng: np.random.Generator, mean: float) -> float:
    return float(mean * rng.lognormal(0.0, 0.6)) if mean else 0.0
