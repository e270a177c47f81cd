"""A host of the lab as the API's esxtop service tells it, in the records of a genuine reply."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lab.lab import Lab
from lab.service_counting import HostCounts
from lab.service_groups import tell_groups
from lab.service_lines import Lines, Objects, lab_counter_info
from lab.service_parts import tell_interrupts, tell_network, tell_power
from lab.service_storage import tell_scsi, tell_volumes

MIN_FETCH_US = 2_000_000
_KB = 1024.0
_HOST_KB = {
    "PhysicalMemInKB": "Machine MBytes", "KernelManagedInKB": "Machine MBytes",
    "NonkernelUsedInKB": "NonKernel MBytes", "FreeMemInKB": "Free MBytes",
    "PShareSharedInKB": "PShare Shared MBytes", "PShareCommonInKB": "PShare Common MBytes",
    "SchedManagedInKB": "Kernel Managed MBytes", "SchedMinFreeInKB": "Kernel MinFree MBytes",
    "SchedReservedInKB": "Kernel Reserved MBytes", "SchedAvailInKB": "Kernel Unreserved MBytes",
    "MemCtlMaxInKB": "Memctl Max MBytes", "MemCtlCurInKB": "Memctl Current MBytes",
    "MemCtlTgtInKB": "Memctl Target MBytes", "SwapUsedInKB": "Swap Used MBytes",
    "SwapTgtInKB": "Swap Target MBytes", "ZippedInKB": "Total Compressed MBytes",
    "ZipSavedInKB": "Total Saved By Compression MBytes",
}  # fmt: skip
_STATES = ("high", "clear", "soft", "hard", "low")
_NODES = 2


class HostService:
    """One host's service: ``step`` after each tick of the lab, ``reply`` answers FetchStats as of now."""

    def __init__(self, lab: Lab, host: int) -> None:
        self._lab = lab
        self._host = lab.cluster.hosts[host]
        self._counts = HostCounts(lab, host)
        self.name = self._host.name

    def step(self) -> None:
        """Count what the lab's last tick did."""
        self._counts.step(self._lab.tick_s)

    def counter_info(self) -> str:
        """Return the answer to CounterInfo."""
        return lab_counter_info().text()

    def reply(self) -> str:
        """Return the answer to FetchStats."""
        lines, objects = Lines(), Objects()
        self._tell_processors(lines, objects)
        self._tell_memory(lines, objects)
        self._tell_load(lines)
        tell_groups(self._counts, lines, objects)
        tell_scsi(self._counts, self._lab.cluster, lines, objects)
        tell_volumes(self._counts, self._lab.cluster, lines, objects)
        tell_network(self._counts, self._lab.cluster, lines, objects)
        tell_interrupts(self._counts, self._host, lines, objects)
        tell_power(self._counts, self._host, lines, objects)
        lines.add("Vsan", IsEnabled=0)
        objects.add("Vsan", Dom=0)
        return f"==NUM-OF-OBJ==\n{objects.text()}==COUNTER-VALUE==\n{lines.text()}"

    def _tell_processors(self, lines: Lines, objects: Objects) -> None:
        lines.add(
            "Server", MinFetchIntervalInUsec=MIN_FETCH_US, IsVMVisor=1,
            TimeStampInUsec=round(self._counts.elapsed_s * 1e6), Time=int(self._counts.time_s),
        )  # fmt: skip
        pcpus, cores = self._host.pcpus, self._host.cores
        lines.add("PCPU", NumOfLCPUs=pcpus, NumOfCores=cores, NumOfPackages=2)
        objects.add("PCPU", top=True, LCPU=pcpus, Core=cores, Package=2)
        told = self._counts.counts("Physical Cpu").lists()
        for pcpu in range(pcpus):
            times = {name: values[pcpu] for name, values in told.items()}
            times["CoreHaltTimeInUsec"] = told["CoreHaltTimeInUsec"][pcpu - pcpu % self._host.threads]
            lines.add("LCPU", LCPUID=pcpu, CPUHz=self._host.mhz * 1_000_000, **times)

    def _tell_memory(self, lines: Lines, objects: Objects) -> None:
        row = {
            name: float(self._counts.row("Memory", name)[0]) for name in self._lab.esxtop_tables["Memory"].row
        }
        sizes = {name: round(row[counter] * _KB) for name, counter in _HOST_KB.items()}
        state, swapped = int(row["Kernel State"]), self._counts.counts("Memory").lists()
        lines.add(
            "PMem", **sizes, **_averages("MemOvercommitInPct", row, "Memory Overcommit"), SchedState=state,
            SchedStateStr=_STATES[state], NumOfNUMANodes=_NODES, SwapReadInKB=swapped["SwapReadInKB"][0],
            SwapWrtnInKB=swapped["SwapWrtnInKB"][0],
        )  # fmt: skip
        objects.add("PMem", top=True, NUMANode=_NODES)
        for node in range(_NODES):
            total, free = sizes["PhysicalMemInKB"], sizes["FreeMemInKB"]
            lines.add("NUMANode", NodeID=node, TotalInPages=total // 8, FreeInPages=free // 8)

    def _tell_load(self, lines: Lines) -> None:
        cls = "Physical Cpu Load"
        row = {name: float(self._counts.row(cls, name)[0]) for name in self._lab.esxtop_tables[cls].row}
        groups = self._counts.group_count()
        lines.add("Sched", **_averages("HostCPUInPct", row, "Cpu Load"), NumOfSchedGroups=groups)


def _averages(field: str, row: Mapping[str, float], counter: str) -> dict[str, object]:
    return {f"{field}{m}Min": round(100 * row[f"{counter} ({m} Minute Avg)"]) for m in (1, 5, 15)}


def services_of(lab: Lab) -> list[HostService]:
    """Return the services of all hosts of a lab, which has not begun."""
    return [HostService(lab, host) for host in range(len(lab.hosts))]


def is_up(lab: Lab, host: int) -> bool:
    """Return True unless the host has failed."""
    return not bool(np.asarray(lab.failed())[host])
