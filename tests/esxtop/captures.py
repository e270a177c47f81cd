"""Synthetic captures in esxtop's own grammar, and what a session gives back of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from collectors.esxtop.importing import import_captures
from collectors.esxtop.report import ImportReport
from collectors.esxtop_names import ColumnPath, format_path
from sessions.model import FloatArray, IntArray, Series
from sessions.store import SessionReader

START = datetime(2026, 3, 9, 14, 21, 35, tzinfo=UTC)
START_MS = int(START.timestamp() * 1000)
HOST = "esx01.lab.local"

GROUP = ("Members", "% Used", "% Run", "% Wait", "% VmWait", "% Ready", "% CoStop")
WORLD = ("% Used", "% Run", "% Wait", "% VmWait", "% Ready", "% CoStop")
MEMORY = ("Memory Size MBytes", "Memctl MBytes", "Swapped MBytes")
DEVICE = ("Device Q Depth", "Commands/sec", "Average Driver MilliSec/Command", "ATS")
PORT = ("Packets Transmitted/sec", "% Received Packets Dropped")
DISK = ("Reads/sec", "Average MilliSec/Read")


def group_columns(host: str, group: int, name: str, *, vm: bool) -> list[ColumnPath]:
    return [
        ColumnPath(host, "Group Cpu", f"{group}:{name}", counter)
        for counter in GROUP
        if vm or counter != "% VmWait"
    ]


def world_columns(host: str, group: int, name: str, world: int, world_name: str) -> list[ColumnPath]:
    return [ColumnPath(host, "Vcpu", f"{group}:{name}:{world}:{world_name}", counter) for counter in WORLD]


def vm_columns(host: str, group: int, name: str, *, vcpus: int = 2) -> list[ColumnPath]:
    """All classes of a VM whose cartel is world ``group + 1``."""
    cartel = group + 1
    columns = group_columns(host, group, name, vm=True)
    columns += world_columns(host, group, name, cartel + 1, f"NetWorld-VM-{cartel}")
    for number in range(vcpus):
        columns += world_columns(host, group, name, cartel + 2 + number, f"vmx-vcpu-{number}:{name}")
    columns += [ColumnPath(host, "Group Memory", f"{group}:{name}", counter) for counter in MEMORY]
    world = f"naa.600-{cartel}"
    columns += [
        ColumnPath(host, "Physical Disk Per-Device-Per-World", world, counter) for counter in DEVICE[:3]
    ]
    columns += [ColumnPath(host, "Virtual Disk", name, counter) for counter in DISK]
    columns += [ColumnPath(host, "Virtual Disk", f"{name}:scsi0:0", counter) for counter in DISK]
    columns += [
        ColumnPath(host, "Network Port", f"vSwitch0:{33554440 + group}:{cartel}:{name}", counter)
        for counter in PORT
    ]
    return columns


def host_columns(host: str = HOST, *, vms: Mapping[str, int] | None = None) -> list[ColumnPath]:
    """A host with its memory, PCPUs, the ``helper`` group, VMs (name → vCPUs), a device and an uplink."""
    columns = [ColumnPath(host, "Memory", "", counter) for counter in ("Free MBytes", "Kernel State")]
    columns += [ColumnPath(host, "Physical Cpu", pcpu, "% Util Time") for pcpu in ("0", "1", "_Total")]
    columns += group_columns(host, 8, "helper", vm=False)
    columns += world_columns(host, 8, "helper", 65590, "HELPER_QUEUE-15-2")
    for number, (name, vcpus) in enumerate((vms or {"db 01": 2}).items(), start=1):
        columns += vm_columns(host, number * 1000, name, vcpus=vcpus)
    columns += [ColumnPath(host, "Physical Disk SCSI Device", "naa.600", counter) for counter in DEVICE]
    columns += [ColumnPath(host, "Network Port", "vSwitch0:33554434:vmnic0", counter) for counter in PORT]
    return columns


def plausible_rows(columns: Sequence[ColumnPath], rows: int, *, seed: int = 1) -> list[list[str]]:
    """Values with the decimals that esxtop prints; nothing that looks like a zero fill."""
    random = np.random.default_rng(seed)
    made: list[list[str]] = []
    for row in range(rows):
        line = []
        for path in columns:
            if path.counter in ("Members", "Device Q Depth"):
                line.append("12")
            elif path.counter == "ATS":
                line.append(str(1000 + 7 * row))
            elif path.counter == "Kernel State":
                line.append(str(row % 3))
            else:
                line.append(f"{random.gamma(2, 20):.2f}")
        made.append(line)
    return made


@dataclass(frozen=True)
class Style:
    """How a capture is written."""

    delimiter: str = ","
    quote: str = '"'
    line_end: str = "\n"
    trailing: bool = True
    zone: str = "(UTC)(0)"
    stamp: str = "%m/%d/%Y %H:%M:%S"
    decimal: str = "."


@dataclass
class Written:
    """A capture as text, with what it is made of."""

    columns: list[ColumnPath]
    rows: list[list[str]]
    style: Style = field(default_factory=Style)
    start: datetime = START
    interval: float = 5.0

    def stamps(self) -> list[str]:
        step = timedelta(seconds=self.interval)
        return [(self.start + step * row).strftime(self.style.stamp) for row in range(len(self.rows))]

    def lines(self) -> list[str]:
        header = [f"(PDH-CSV 4.0) {self.style.zone}", *(format_path(path) for path in self.columns)]
        body = [
            [stamp, *(cell.replace(".", self.style.decimal) for cell in row)]
            for stamp, row in zip(self.stamps(), self.rows, strict=True)
        ]
        return [self._line(cells) for cells in (header, *body)]

    def _line(self, cells: Sequence[str]) -> str:
        quote = self.style.quote
        text = self.style.delimiter.join(f"{quote}{cell}{quote}" for cell in cells)
        return text + (self.style.delimiter if self.style.trailing else "")

    def text(self) -> str:
        return self.style.line_end.join(self.lines()) + self.style.line_end

    def save(self, path: Path) -> Path:
        path.write_bytes(self.text().encode())
        return path


def capture(
    rows: int = 6, *, columns: Sequence[ColumnPath] | None = None, style: Style | None = None
) -> Written:
    """A capture of ``host_columns()`` with plausible rows."""
    chosen = list(columns or host_columns())
    return Written(chosen, plausible_rows(chosen, rows), style or Style())


def imported(*files: Path, workers: int = 0) -> tuple[ImportReport, Session]:
    """Import into a session beside the first file, and read it."""
    out = files[0].with_name(files[0].name + ".hscope")
    report = import_captures(files, out, workers=workers)
    return report, Session.read(out)


@dataclass
class Session:
    """Everything of a session, small enough to look at."""

    reader: SessionReader
    times: IntArray
    series: dict[tuple[str, str, str], Series]
    values: dict[tuple[str, str, str], FloatArray]

    @classmethod
    def read(cls, path: Path) -> Session:
        """Series by (entity name, counter, instance), values canonical at the times of all sources."""
        with SessionReader.open(path) as reader:
            entities = reader.entities()
            known = reader.series()
            every = np.unique(np.concatenate([reader.times(source.id) for source in reader.sources()]))
            series, values = {}, {}
            frames = reader.read(np.array([one.id for one in known], dtype=np.int64)) if known else []
            columns = {
                int(number): (frame.times, frame.values[:, at])
                for frame in frames
                for at, number in enumerate(frame.ids)
            }
            for one in known:
                key = (entities[one.entity].name, one.counter, one.spec.instance)
                times, some = columns[one.id]
                full = np.full(len(every), np.nan)
                full[np.searchsorted(every, times)] = some
                series[key], values[key] = one, full
            return cls(reader, every, series, values)

    def __getitem__(self, key: tuple[str, str, str]) -> list[float]:
        return [float(value) for value in self.values[key]]
