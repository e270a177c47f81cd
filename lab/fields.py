"""Which counters esxtop prints for each object class, in which order and with how many decimals.

Names, order and decimals are those of real ``esxtop -b`` and ``esxtop -b -a`` captures of ESXi 6.5. A field
of level ``DEFAULT`` is in both, a field of level ``ALL`` only with ``-a``. Two field sets are our own, for
the scoreboard: ``diagnosis``, the counters that problem cards read, and ``plain-diagnosis``, those of them
that ``esxtop -b`` has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FieldSet = Literal["default", "all", "diagnosis", "plain-diagnosis"]

APERF = "% of aperf/mperf"
"""What ``-a`` prints after each PCPU's T-states as raw text, without a column name of its own."""
C_STATES = 3
P_STATES = 8
T_STATES = 8


@dataclass(frozen=True, slots=True)
class Field:
    """One counter of an object class: its name, its printed decimals, and whether plain ``-b`` prints it."""

    name: str
    decimals: int = 2
    default: bool = True


def _default(*names: str, decimals: int = 2) -> tuple[Field, ...]:
    return tuple(Field(name, decimals) for name in names)


def _all(*names: str, decimals: int = 2) -> tuple[Field, ...]:
    return tuple(Field(name, decimals, default=False) for name in names)


_ALLOC = _all("Alloc Min", "Alloc Max", "Alloc Shares", "Alloc Min Limited", decimals=0)
_WORLD_TIMES = _default(
    "% Used", "% Run", "% System", "% Wait", "% VmWait", "% Ready", "% Idle",
    "% Overlap", "% CoStop", "% Max Limited", "% Swap Wait",
)  # fmt: skip
_WORLD_EVENTS = _all("Switches/sec", "Migrates/sec", "Quantum Expires/sec", "Wakeups/sec")
_LATENCY_OF_CPU = (
    *_all("% CPU Latency", "% Memory Latency"),
    *_all("% Demand", "Effective Min (MHz)", decimals=0),
)

_IO_RATES = _default("Commands/sec", "Reads/sec", "Writes/sec", "MBytes Read/sec", "MBytes Written/sec")


def _latencies(per: str, *, default: bool) -> tuple[Field, ...]:
    layers = ("Driver", "Kernel", "Guest", "Queue")
    return tuple(Field(f"Average {layer} MilliSec/{per}", 2, default) for layer in layers)


_IO_LATENCIES = (
    *_latencies("Command", default=True),
    *_latencies("Read", default=False),
    *_latencies("Write", default=False),
)
_IO_FAILURES = _all(
    "Failed Commands/sec", "Failed Reads/sec", "Failed Writes/sec", "Failed Bytes Read/sec",
    "Failed Bytes Written/sec", "Failed Reserves/sec", "Aborts/sec", "Resets/sec",
)  # fmt: skip
_IO_COPIES = _all("PAE Commands/sec", "PAE Copies/sec", "Split Commands/sec", "Split Copies/sec")
_IO_QUEUE = (
    *_default("Device Q Depth", "World Q Depth", "Active Commands", "Queued Commands", decimals=0),
    *_default("% Used", "Load"),
)
_PHYSICAL_DISK = (
    *_IO_RATES,
    *_all("Reserves/sec", "Conflicts/sec"),
    *_IO_LATENCIES,
    *_IO_FAILURES,
)
_VAAI = (
    *_all("CReads", "CWrites", "CFailed", decimals=0),
    *_all("MBytes CReads/sec", "MBytes CWrites/sec"),
    *_all("ATS", "ATS Failed", "Zeros", "Zeros Failed", decimals=0),
    *_all("MBytes Zeroed/sec"),
    *_all("Delete", "Deletes Failed", decimals=0),
    *_all("MBytes Deletes/sec"),
    *_all(
        "Average Success Latency ms/Clone", "Average Failure Latency ms/Clone",
        "Average Success Latency ms/ATS", "Average Failure Latency ms/ATS",
        "Average Success Latency ms/Zero", "Average Failure Latency ms/Zero",
    ),
)  # fmt: skip

OVERCOMMIT = _default(*(f"Memory Overcommit ({minutes} Minute Avg)" for minutes in (1, 5, 15)))

CLASSES: dict[str, tuple[Field, ...]] = {
    "Physical Cpu Load": _default(*(f"Cpu Load ({minutes} Minute Avg)" for minutes in (1, 5, 15))),
    "Physical Cpu": _default("% Processor Time", "% Util Time", "% Core Util Time"),
    "Memory": (
        *OVERCOMMIT,
        *_default(
            "Machine MBytes", "Kernel MBytes", "NonKernel MBytes", "Free MBytes", "Kernel Managed MBytes",
            "Kernel MinFree MBytes", "Kernel Reserved MBytes", "Kernel Unreserved MBytes", "Kernel State",
            "PShare Shared MBytes", "PShare Common MBytes", "PShare Savings MBytes", "Swap Used MBytes",
            "Swap Target MBytes", decimals=0,
        ),
        *_default("Swap MBytes Read/sec", "Swap MBytes Write/sec"),
        *_default(
            "Total Compressed MBytes", "Total Saved By Compression MBytes", "Memctl Current MBytes",
            "Memctl Target MBytes", "Memctl Max MBytes", decimals=0,
        ),
    ),
    "Power": _default("Power Usage Now Watts", "Power Usage Cap Watts", decimals=0),
    "Power P-State": _default("P-State MHZ", decimals=0),
    "VSAN": _default("Enabled?", decimals=0),
    "Group Cpu": (
        *_default("Members", decimals=0),
        *_WORLD_TIMES,
        *_WORLD_EVENTS,
        *_ALLOC,
        *_LATENCY_OF_CPU,
        *_all("Timers/sec"),
        *_all("Power Usage Watts", decimals=0),
    ),
    "Vcpu": (*_WORLD_TIMES, *_WORLD_EVENTS, *_ALLOC, *_LATENCY_OF_CPU, *_all("Physical Cpu", decimals=0)),
    "Group Memory": (
        *_all("Members", decimals=0),
        *_ALLOC,
        *_all("Numa Home Nodes", "Numa Rebalance Count Delta", decimals=0),
        *_all("Numa Remote Memory MBytes", "Numa Local Memory MBytes"),
        *_all("Numa % Local", decimals=0),
        *_default(
            "Memory Size MBytes", "Memory Granted Size MBytes", "Memory Consumed Size MBytes",
            "Target Size MBytes", "Touched MBytes", "Touched Write MBytes",
        ),
        *_all(
            "% Active Estimate", "% Active Slow Estimate", "% Active Fast Estimate",
            "% Active Next Estimate", "Memctl?", decimals=0,
        ),
        *_all("Memctl MBytes", "Memctl Target MBytes", "Memctl Max MBytes"),
        *_default(
            "Swapped MBytes", "Swap Target MBytes", "Swap Read MBytes/sec", "Swap Written MBytes/sec",
            "Llswap Read MBytes/sec", "Llswap Written MBytes/sec",
        ),
        *_all(
            "Checkpoint Read MBytes", "Checkpoint Target MBytes", "Zero MBytes", "Shared MBytes",
            "Shared Saved MBytes", "Copy On Write Hint MBytes",
        ),
        *_default("Overhead UW MBytes", "Overhead MBytes", "Overhead Max MBytes"),
        *_all("Min Commit Target MBytes", "Commit Target MBytes", "Commit Charged MBytes"),
        *_all("Commit Pages Per Share", decimals=0),
        *_all(
            "Compressed Memory MBytes", "Used Compressed Memory MBytes", "Compression MBytes/sec",
            "Decompression MBytes/sec",
        ),
    ),
    "Physical Disk": _all("Adapter Q Depth", decimals=0),
    "Physical Disk Path of Adapter": (*_PHYSICAL_DISK, *_IO_COPIES),
    "Physical Disk Adapter": (*_PHYSICAL_DISK, *_IO_COPIES),
    "Physical Disk SCSI Device": (*_IO_QUEUE, *_PHYSICAL_DISK, *_VAAI),
    "Physical Disk Path": (*_PHYSICAL_DISK, *_IO_COPIES),
    "Physical Disk Per-Device-Per-World": (*_all("Shares", decimals=0), *_IO_QUEUE, *_PHYSICAL_DISK),
    "Physical Disk Partition": (*_IO_RATES, *_IO_LATENCIES),
    "Physical Disk NFS Volume": (
        *_default("Active Commands", decimals=0),
        *_IO_RATES,
        *_default("Average Guest MilliSec/Command"),
        *_all("Average Guest MilliSec/Read", "Average Guest MilliSec/Write"),
        *_all(
            "Failed Commands/sec", "Failed Reads/sec", "Failed Writes/sec", "Failed MBytes Read/sec",
            "Failed MBytes Written/sec", "Failed Reserves/sec", "Aborts/sec", "Resets/sec",
        ),
    ),
    "Virtual Disk": (
        *_all("FailedIOs", "TotalIOs", "Latency", decimals=0),
        *_IO_RATES,
        *_default("Average MilliSec/Read", "Average MilliSec/Write"),
    ),
    "Network Port": (
        *_all("Link Up?", "Link Speed (Mb/s)", "Full Duplex?", decimals=0),
        *_default(
            "Packets Transmitted/sec", "MBits Transmitted/sec", "Average Packet Size  Transmitted (Bytes)",
            "Packets Received/sec", "MBits Received/sec", "Average Packet Size  Received (Bytes)",
            "% Outbound Packets Dropped", "% Received Packets Dropped",
        ),
        *_all(
            "Actions Posted/sec", "Multicast Packets Transmitted/sec", "Multicast Packets Received/sec",
            "Broadcast Packets Transmitted/sec", "Broadcast Packets Received/sec",
        ),
    ),
    "Interrupt Cookie": _default("Interrupts/second", "Processing Time MicroSec/Interrupt"),
    "Interrupt Cookie CPU": (
        *_default("Interrupts/second"),
        *_all("Processing Time MicroSec/Interrupt"),
    ),
    "PCPU Power State": (
        *_default(*(f"%C-State C{state}" for state in range(C_STATES))),
        *_default(*(f"%P-State P{state}" for state in range(P_STATES))),
        *_all(*(f"%T-State T{state}" for state in range(T_STATES))),
        *_all(APERF, decimals=1),
    ),
}  # fmt: skip
"""Counters of each object class, as real captures have them.

Three names are ours, for what esxtop prints under another class's name: ``Power P-State`` (the indexed part
of ``Power``), ``Physical Disk Path of Adapter`` (``Physical Disk``) and ``Interrupt Cookie CPU``.
"""

_DIAGNOSIS: dict[str, frozenset[str]] = {
    "Physical Cpu": frozenset({"% Processor Time", "% Util Time", "% Core Util Time"}),
    "Physical Cpu Load": frozenset({"Cpu Load (1 Minute Avg)"}),
    "Memory": frozenset(field.name for field in CLASSES["Memory"]),
    "Power": frozenset({"Power Usage Now Watts", "Power Usage Cap Watts"}),
    "Group Cpu": frozenset(
        {"Members", "% Used", "% Run", "% System", "% VmWait", "% Ready", "% CoStop", "% Max Limited"}
        | {"% Swap Wait", "% Memory Latency", "% Overlap", "Alloc Min", "Alloc Max", "Alloc Shares"}
    ),
    "Vcpu": frozenset(
        {"% Used", "% Run", "% System", "% VmWait", "% Ready", "% CoStop", "% Max Limited", "% Swap Wait"}
        | {"% Memory Latency", "Physical Cpu"}
    ),
    "Group Memory": frozenset(
        {"Alloc Min", "Alloc Max", "Memory Size MBytes", "Memory Granted Size MBytes"}
        | {"Memory Consumed Size MBytes", "Memctl?", "Memctl MBytes", "Memctl Target MBytes"}
        | {"Memctl Max MBytes", "Swapped MBytes", "Swap Read MBytes/sec", "Swap Written MBytes/sec"}
        | {"Llswap Read MBytes/sec", "Llswap Written MBytes/sec", "Used Compressed Memory MBytes"}
        | {"Compression MBytes/sec", "Decompression MBytes/sec", "Touched MBytes", "Numa % Local"}
        | {"% Active Estimate", "Numa Home Nodes", "Numa Local Memory MBytes"}
        | {"Numa Remote Memory MBytes", "Numa Rebalance Count Delta"}
    ),
    "Physical Disk": frozenset({"Adapter Q Depth"}),
    "Physical Disk Path": frozenset(
        {"Commands/sec", "Failed Commands/sec", "Aborts/sec", "Resets/sec"}
        | {"Average Driver MilliSec/Command"}
    ),
    "Physical Disk SCSI Device": frozenset(
        {"Device Q Depth", "Active Commands", "Queued Commands", "Commands/sec", "MBytes Read/sec"}
        | {"MBytes Written/sec", "Failed Commands/sec", "Aborts/sec", "Resets/sec"}
        | {f"Average {layer} MilliSec/Command" for layer in ("Driver", "Kernel", "Guest", "Queue")}
        | {"Average Driver MilliSec/Read", "Average Driver MilliSec/Write", "Failed Reserves/sec"}
        | {"Conflicts/sec"}
    ),
    "Physical Disk Per-Device-Per-World": frozenset(
        {"Active Commands", "Queued Commands", "Commands/sec", "Average Driver MilliSec/Command"}
        | {"MBytes Read/sec", "MBytes Written/sec", "Aborts/sec"}
    ),
    "Physical Disk NFS Volume": frozenset(field.name for field in CLASSES["Physical Disk NFS Volume"]),
    "Virtual Disk": frozenset(
        {"Commands/sec", "Average MilliSec/Read", "Average MilliSec/Write", "MBytes Read/sec"}
        | {"MBytes Written/sec", "Reads/sec", "Writes/sec"}
    ),
    "Network Port": frozenset(
        {"Link Up?", "Full Duplex?"}
        | {"Link Speed (Mb/s)", "Packets Transmitted/sec", "MBits Transmitted/sec", "Packets Received/sec"}
        | {"MBits Received/sec", "% Outbound Packets Dropped", "% Received Packets Dropped"}
        | {"Broadcast Packets Received/sec"}
    ),
    "PCPU Power State": frozenset({APERF}),
}
"""What problem cards read, and what tells entities and zero-filled groups; of VMs and the VMkernel only."""


def selected(cls: str, field: Field, fields: FieldSet) -> bool:
    """Return True if a counter of an object class belongs to a field set."""
    if fields == "all":
        return True
    if fields == "default":
        return field.default
    is_read = field.name in _DIAGNOSIS.get(cls, frozenset())
    return is_read and (field.default or fields == "diagnosis")
