"""Writes what PowerCLI and Export-Csv would write: samples of a lab scenario's vCenter, in any culture.

The forms are those of the documentation in collectors/vsphere/get_stat/__init__.py: the properties of a
sample in the order of a published export, newest sample first within each series, percent instead of
hundredths, text as .NET writes it in a culture.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from resources.catalogue import Catalogue

Json = Mapping[str, Any]
COLUMNS = (
    "Value", "Timestamp", "MetricId", "Unit", "Description", "Entity", "EntityId", "IntervalSecs", "Instance"
)  # fmt: skip
_UID = r"/VIServer=vsphere.local\mara@vc01.lab:443"
TYPE = "#TYPE VMware.VimAutomation.ViCore.Impl.V1.Stat.LongSampleImpl"
_LABELS = {
    "percent": "%", "kiloBytes": "KB", "megaBytes": "MB", "megaHertz": "MHz", "kiloBytesPerSecond": "KBps",
    "millisecond": "millisecond", "microsecond": "microsecond", "number": "number", "second": "second",
    "watt": "watt",
}  # fmt: skip


def _of_12_hours(when: datetime, am: str, pm: str) -> str:
    return f"{when.hour % 12 or 12}:{when:%M:%S} {pm if when.hour >= 12 else am}"


DATES: Mapping[str, Callable[[datetime], str]] = {
    "en-US": lambda t: f"{t.month}/{t.day}/{t.year} {_of_12_hours(t, 'AM', 'PM')}",
    "en-US, PowerShell 7.4": lambda t: f"{t.month}/{t.day}/{t.year} {_of_12_hours(t, 'AM', 'PM')}".replace(
        " AM", "\u202fAM"
    ).replace(" PM", "\u202fPM"),
    "en-GB": lambda t: f"{t:%d/%m/%Y %H:%M:%S}",
    "en-AU": lambda t: f"{t.day}/{t:%m/%Y} {_of_12_hours(t, 'am', 'pm')}",
    "en-CA": lambda t: f"{t:%Y-%m-%d} {_of_12_hours(t, 'a.m.', 'p.m.')}",
    "de-DE": lambda t: f"{t:%d.%m.%Y %H:%M:%S}",
    "fr-FR": lambda t: f"{t:%d/%m/%Y %H:%M:%S}",
    "nl-NL": lambda t: f"{t:%d-%m-%Y %H:%M:%S}",
    "es-MX": lambda t: f"{t:%d/%m/%Y} {_of_12_hours(t, 'a. m.', 'p. m.')}",
    "fi-FI": lambda t: f"{t.day}.{t.month}.{t.year} {t.hour}.{t:%M.%S}",
    "cs-CZ": lambda t: f"{t.day}. {t.month}. {t.year} {t.hour}:{t:%M:%S}",
    "bg-BG": lambda t: f"{t.day}.{t.month}.{t.year} г. {t.hour}:{t:%M:%S}",
    "hu-HU": lambda t: f"{t:%Y. %m. %d. %H:%M:%S}",
    "sv-SE": lambda t: f"{t:%Y-%m-%d %H:%M:%S}",
    "ja-JP": lambda t: f"{t:%Y/%m/%d} {t.hour}:{t:%M:%S}",
    "ko-KR": lambda t: f"{t:%Y-%m-%d} {'오후' if t.hour >= 12 else '오전'} {t.hour % 12 or 12}:{t:%M:%S}",
    "zh-TW": lambda t: f"{t.year}/{t.month}/{t.day} {'下午' if t.hour >= 12 else '上午'} {t:%I:%M:%S}",
    "el-GR": lambda t: f"{t.day}/{t.month}/{t.year} {_of_12_hours(t, 'πμ', 'μμ')}",
    "th-TH": lambda t: f"{t.day}/{t.month}/{t.year + 543} {t.hour}:{t:%M:%S}",
    "en-IN, own form": lambda t: f"{t:%d-%b-%y %H:%M:%S}",
    "ISO 8601": lambda t: f"{t:%Y-%m-%dT%H:%M:%S}",
    "ISO 8601 with its zone": lambda t: t.isoformat(),
}
COMMA = {"de-DE", "fr-FR", "nl-NL", "fi-FI", "cs-CZ", "bg-BG", "hu-HU", "sv-SE", "el-GR"}
"""Cultures with a decimal comma."""


@dataclass(frozen=True)
class Form:
    """How Export-Csv writes: whose culture, separator, encoding, columns, and the line of its type."""

    culture: str = "en-US"
    separator: str = ","
    encoding: str = "utf-8"
    columns: Sequence[str] = COLUMNS
    is_typed: bool = False
    quotes: bool = True
    line_end: str = "\r\n"

    def stamp(self, when: datetime) -> str:
        return DATES[self.culture](when)

    def number(self, value: float) -> str:
        text = f"{value:.15g}"
        return text.replace(".", ",") if self.culture in COMMA else text

    def write(self, rows: Sequence[Mapping[str, str]]) -> bytes:
        lines = [TYPE] if self.is_typed else []
        lines.append(self.separator.join(map(self._cell, self.columns)))
        lines += [self.separator.join(self._cell(row[name]) for name in self.columns) for row in rows]
        return (self.line_end.join(lines) + self.line_end).encode(self.encoding)

    def _cell(self, text: str) -> str:
        quoted = self.quotes or self.separator in text or '"' in text
        return '"' + text.replace('"', '""') + '"' if quoted else text


US = Form()


def samples(
    document: Json, catalogue: Catalogue, form: Form = US, zone: tzinfo = UTC, like: str = ""
) -> list[Mapping[str, str]]:
    """The samples of a lab's vCenter as Get-Stat returns them: one row each, as text. ``like``: only counters
    that begin so.
    """
    units = {twin.name: twin.unit for counter in catalogue.counters() for twin in counter.vcenter}
    ids = entity_ids(document)
    interval = int(document["interval_s"])
    # As in tests/vcenter_lab/vcenter_session.py: a sample is taken at the last tick of its interval.
    first = datetime.fromtimestamp(document["start_ms"] / 1000, UTC) + timedelta(seconds=interval - 2)
    stamps = [
        form.stamp((first + timedelta(seconds=interval * n)).astimezone(zone))
        for n in range(document["ticks"])
    ]
    rows: list[Mapping[str, str]] = []
    for one in document["series"]:
        name, unit = one["counter"], units.get(one["counter"], "number")
        if not name.startswith(like):
            continue
        for at in reversed(range(document["ticks"])):
            value = one["values"][at]
            if value < 0:
                continue
            rows.append({
                "Value": form.number(value / 100 if unit == "percent" else value), "Timestamp": stamps[at],
                "MetricId": name.lower(), "Unit": _LABELS.get(unit, unit), "Description": summary(name),
                "Entity": one["object"].partition(":")[2], "EntityId": ids[one["object"]],
                "IntervalSecs": str(interval), "Instance": one["instance"],
            })  # fmt: skip
    return rows


def summary(name: str) -> str:
    """What a counter's text says; of the memory state the words decide which number is which."""
    return (
        "Memory state: high, clear, soft, hard, low"
        if name.startswith("mem.state")
        else f"What {name} is, in words"
    )


def entity_ids(document: Json) -> dict[str, str]:
    """``vm:db1`` → ``VirtualMachine-vm-101``."""
    hosts = {f"host:{host['name']}": f"HostSystem-host-{n}" for n, host in enumerate(document["hosts"], 10)}
    vms = {f"vm:{vm['name']}": f"VirtualMachine-vm-{n}" for n, vm in enumerate(document["vms"], 101)}
    return {**hosts, **vms}


def virtual_machines(document: Json, form: Form = US) -> bytes:
    """What ``Get-VM | Export-Csv`` writes of the same vCenter."""
    ids = entity_ids(document)
    return _table(form, [
        {
            "Name": vm["name"], "PowerState": f"Powered{vm['power'].title()}", "Notes": "",
            "NumCpu": str(vm["vcpus"]), "MemoryMB": form.number(vm["memory_mb"]),
            "MemoryGB": form.number(vm["memory_mb"] / 1024), "VMHostId": ids[f"host:{vm['host']}"],
            "VMHost": vm["host"], "PersistentId": vm["uuid"], "Id": (own := ids[f"vm:{vm['name']}"]),
            "Uid": f"{_UID}/VirtualMachine={own}/",
        }
        for vm in document["vms"]
    ])  # fmt: skip


def limits(document: Json, form: Form = US) -> bytes:
    """What ``Get-VM | Get-VMResourceConfiguration | Export-Csv`` writes of it; −1 is no limit."""
    ids = entity_ids(document)
    return _table(form, [
        {
            "VM": vm["name"], "VMId": ids[f"vm:{vm['name']}"],
            "NumCpuShares": str(vm["cpu_shares"] or 1000),
            "CpuReservationMhz": str(vm["cpu_reservation_mhz"] or 0),
            "CpuLimitMhz": str(vm["cpu_limit_mhz"] or -1), "NumMemShares": str(vm["mem_shares"] or 10240),
            "MemReservationMB": str(vm["mem_reservation_mb"] or 0),
            "MemLimitMB": str(vm["mem_limit_mb"] or -1),
        }
        for vm in document["vms"]
    ])  # fmt: skip


def hosts(document: Json, form: Form = US) -> bytes:
    """What ``Get-VMHost | Export-Csv`` writes of the same vCenter."""
    ids = entity_ids(document)
    return _table(form, [
        {
            "ConnectionState": "Connected", "PowerState": "PoweredOn", "NumCpu": str(host["cores"]),
            "CpuTotalMhz": str(host["cores"] * host["mhz"]), "MemoryTotalMB": form.number(host["memory_mb"]),
            "HyperthreadingActive": str(host["threads"] > host["cores"]), "Parent": host["cluster"],
            "ParentId": "ClusterComputeResource-domain-c8", "Name": host["name"],
            "Id": (own := ids[f"host:{host['name']}"]), "Uid": f"{_UID}/VMHost={own}/",
        }
        for host in document["hosts"]
    ])  # fmt: skip


def _table(form: Form, rows: Sequence[Mapping[str, str]]) -> bytes:
    return replace(form, columns=tuple(rows[0])).write(rows)
