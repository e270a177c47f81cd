"""Scheduler groups with their worlds and memory, as the API's esxtop service tells a host of the lab."""

from __future__ import annotations

import numpy as np

from lab.service_counting import HostCounts
from lab.service_lines import Lines, Objects
from lab.worlds import NO_OWNER, Group, World

_KB = 1024.0
_NODES = 2
_MEMORY_KB = {
    "CurrentSwapInKB": "Swapped MBytes", "ToBeSwappedInKB": "Swap Target MBytes",
    "ClientTouchedInKB": "Touched MBytes", "ClientTouchedWriteInKB": "Touched Write MBytes",
    "ClientSizeInKB": "Memory Size MBytes", "ClientTargetInKB": "Target Size MBytes",
    "SharedInKB": "Shared MBytes", "ZeroInKB": "Zero MBytes", "SavedBySharingInKB": "Shared Saved MBytes",
    "CurrentOverheadInKB": "Overhead MBytes", "MaxOverheadInKB": "Overhead Max MBytes",
    "MinCommitTargetInKB": "Min Commit Target MBytes", "CommitTargetInKB": "Commit Target MBytes",
    "CommitChargedInKB": "Commit Charged MBytes", "CacheSizeInKB": "Compressed Memory MBytes",
    "UsedCacheInKB": "Used Compressed Memory MBytes", "UWOverheadInKB": "Overhead UW MBytes",
    "BalloonSizeInKB": "Memctl MBytes", "BalloonTargetInKB": "Memctl Target MBytes",
    "BalloonMaxInKB": "Memctl Max MBytes", "CheckpointReadInKB": "Checkpoint Read MBytes",
    "CheckpointTargetInKB": "Checkpoint Target MBytes", "COWHintInKB": "Copy On Write Hint MBytes",
}  # fmt: skip
_ESTIMATES = {
    "EstimateActiveInPct": "% Active Estimate", "EstimateSlowInPct": "% Active Slow Estimate",
    "EstimateFastInPct": "% Active Fast Estimate", "EstimateNextAvgInPct": "% Active Next Estimate",
    "IsBalloonActive": "Memctl?", "PagesPerShare": "Commit Pages Per Share",
}  # fmt: skip
_ALLOC = {"Min": "Alloc Min", "Max": "Alloc Max", "Shares": "Alloc Shares", "MinLimit": "Alloc Min Limited"}
_GAUGES = {"CpuDemandInPct": "% Demand", "LCPU": "Physical Cpu"}


def tell_groups(counts: HostCounts, lines: Lines, objects: Objects) -> None:
    """Tell all groups that are there now. A VM is three of them; worlds are in the first."""
    objects.add("Sched", top=True, SchedGroup=counts.group_count())
    teller = _Teller(counts, lines, objects)
    first = np.cumsum([0, *(len(group.worlds) for group in counts.layout.groups)]).tolist()
    memory = {group.id: row for row, group in enumerate(counts.layout.memory_groups)}
    for number, group in enumerate(counts.layout.groups):
        if counts.is_there(group.vm):
            teller.tell(number, group, first[number], memory.get(group.id))


class _Teller:
    """Tells groups one by one."""

    def __init__(self, counts: HostCounts, lines: Lines, objects: Objects) -> None:
        self._counts, self._lines, self._objects = counts, lines, objects
        self._worlds = counts.counts("Vcpu").lists()
        self._memory = counts.counts("Group Memory").lists()

    def tell(self, number: int, group: Group, first: int, memory: int | None) -> None:
        """Tell a group, then its memory, worlds and hidden worlds, then the groups that only hold memory."""
        is_vm = group.vm != NO_OWNER
        leader = group.worlds[0].id if group.worlds else 0
        rows = {world.id: first + at for at, world in enumerate(group.worlds)}
        vcpus = [world for world in group.worlds if world.vcpu != NO_OWNER]
        clients = [[world] for world in group.worlds if world.vcpu == NO_OWNER] + ([vcpus] if vcpus else [])
        local, remote = self._numa(memory) if is_vm and memory is not None else (0, 0)
        self._lines.add(
            "SchedGroup", GroupID=group.id, GroupName=f"vm.{leader}" if is_vm else group.name, IsValid=1,
            IsVM=int(is_vm), VMName=group.name, **self._allocations(number, memory, is_vm=is_vm),
            IsNUMAValid=int(is_vm), HomeNodes=self._counts.home_nodes(group.vm) if is_vm else 0,
            NumOfBalanceMigrations=0 if memory is None else self._memory["NumOfBalanceMigrations"][memory],
            RemoteMemoryInKB=remote, LocalMemoryInKB=local,
            LocalityPct=self._now("Group Memory", "Numa % Local", memory) if is_vm else 0,
            PowerInWatt=self._now("Group Cpu", "Power Usage Watts", number), NumOfCPUClients=len(clients),
            NumOfHiddenWorlds=len(vcpus), NumOfNUMANodes=_NODES if is_vm else 0,
            HasMemClient=int(memory is not None), GroupLeaderID=leader if memory is not None else 0,
        )  # fmt: skip
        self._objects.add(
            "SchedGroup", GroupID=group.id, GroupName=group.name, VMNUMANodeMem=_NODES if is_vm else 0,
            CPUClient=len(clients), HiddenWorld=len(vcpus),
        )  # fmt: skip
        for node in range(_NODES if is_vm else 0):
            self._lines.add(
                "VMNUMANodeMem", NodeID=node, IsValid=1, GuestMemInKB=local if node == 0 else remote
            )
        for client in clients:
            self._client(group, number, client, rows)
        for world in vcpus:
            self._lines.add(
                "HiddenWorld", HiddenWorldID=world.id + 1_000_000, HiddenWorldName=f"vmm:{group.name}"
            )
        if memory is not None:
            self._memory_client(leader, memory, is_vm=is_vm)
            self._books(group, leader, is_vm=is_vm)

    def _client(self, group: Group, number: int, worlds: list[World], rows: dict[int, int]) -> None:
        self._lines.add("CPUClient", CPUClientID=worlds[0].id, IsValid=1, NumOfVCPUs=len(worlds))
        self._objects.add("CPUClient", CPUClientID=worlds[0].id, VCPUName=worlds[0].name)
        effective = self._now("Group Cpu", "Effective Min (MHz)", number) if group.vm != NO_OWNER else 0
        for at, world in enumerate(worlds):
            row = rows[world.id]
            counted = {name: values[row] for name, values in self._worlds.items()}
            gauges = {name: self._now("Vcpu", counter, row) for name, counter in _GAUGES.items()}
            alloc = {f"Alloc{name}": self._now("Vcpu", counter, row) for name, counter in _ALLOC.items()}
            self._lines.add(
                "VCPU", VCPUID=world.id, WorldName=world.name, IsValid=1, AffinityStr="0-63",
                AllocUnitStr="pct", **alloc, **gauges,
                EffectiveMin=effective if world.vcpu != NO_OWNER and at == 0 else 0,
                **counted, WaitTimeInUsec=counted["TotalWaitTimeInUsec"],
            )  # fmt: skip

    def _memory_client(self, leader: int, row: int, *, is_vm: bool) -> None:
        sizes = {name: self._now("Group Memory", counter, row, _KB) for name, counter in _MEMORY_KB.items()}
        states = {name: self._now("Group Memory", counter, row) for name, counter in _ESTIMATES.items()}
        rates = {
            name: values[row] for name, values in self._memory.items() if name != "NumOfBalanceMigrations"
        }
        mapped = (
            self._now("Group Memory", "Memory Consumed Size MBytes", row, _KB) + sizes["SavedBySharingInKB"]
        )
        self._lines.add(
            "VMem", MemClientID=leader, IsValid=int(is_vm), MappedInKB=mapped, **sizes, **states, **rates
        )

    def _books(self, group: Group, leader: int, *, is_vm: bool) -> None:
        """The groups beside one that only keep its memory's books; those of a VM are called like it."""
        for at, kind in enumerate(("uw", "vmm") if is_vm else ("uw",), start=1):
            name = f"{kind}.{leader}"
            self._lines.add(
                "SchedGroup", GroupID=90_000_000 + 10 * group.id + at, GroupName=name, IsValid=1,
                VMName=group.name if is_vm else name, HasMemClient=1,
            )  # fmt: skip
            self._lines.add("VMem", MemClientID=leader, ClientSizeInKB=2048, MappedInKB=1024)

    def _allocations(self, number: int, memory: int | None, *, is_vm: bool) -> dict[str, int]:
        cpu = {f"CPUAlloc{name}": self._now("Group Cpu", of, number) for name, of in _ALLOC.items()}
        mem = {f"MemAlloc{name}": self._kilobytes(of, memory) for name, of in _ALLOC.items()}
        return {**cpu, **mem, "CPUAllocUnits": int(is_vm), "MemAllocUnits": 4}

    def _kilobytes(self, counter: str, row: int | None) -> int:
        """An allocation of memory; shares, and what is below 0, are no sizes."""
        value = self._now("Group Memory", counter, row)
        is_size = value >= 0 and counter != "Alloc Shares"
        return self._now("Group Memory", counter, row, _KB) if is_size else value

    def _numa(self, row: int) -> tuple[int, int]:
        local = self._now("Group Memory", "Numa Local Memory MBytes", row, _KB)
        return local, self._now("Group Memory", "Numa Remote Memory MBytes", row, _KB)

    def _now(self, cls: str, counter: str, row: int | None, times: float = 1.0) -> int:
        return 0 if row is None else round(float(self._counts.row(cls, counter)[row]) * times)
