"""Which records of two replies are the same object: by what names them, and by whose they are."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from collectors.esxtop_service.reply import Records, Reply
from resources.esxtop_records import EsxtopRecords, load_esxtop_records
from sessions.model import IntArray

Match = Mapping[str, IntArray]
"""Type of record → for each record of the newer reply its row in the older one, −1 for none."""

_NAMES: Mapping[str, tuple[str, ...]] = {
    "LCPU": ("LCPUID",),
    "NUMANode": ("NodeID",),
    "SchedGroup": ("GroupID", "GroupName", "IsVM", "VMName"),
    "CPUClient": ("CPUClientID",),
    "HiddenWorld": ("HiddenWorldID",),
    "VCPU": ("VCPUID", "WorldName"),
    "VMem": ("MemClientID",),
    "VMNUMANodeMem": ("NodeID",),
    "Adapter": ("AdapterName",),
    "SCSIDevice": ("DeviceName", "BlockSizeInBytes"),
    "WorldPerDev": ("WorldID",),
    "Partition": ("PartitionID",),
    "Path": ("PathName", "DeviceName"),
    "NfsClient": ("MountName",),
    "VscsiGroup": ("GroupId",),
    "VscsiDisk": ("Name",),
    "NetPortset": ("PortsetName",),
    "NetPort": ("PortID", "ClientName", "WorldLeader"),
    "PNIC": ("PNICName", "UplinkPort"),
    "InterruptVector": ("VectorID",),
    "InterruptPerCPU": ("CPUID",),
    "LCPUPower": ("LCPUID",),
    "CState": ("StateID",),
    "PState": ("StateID",),
    "TState": ("StateID",),
    "Dom": ("RoleName",),
}
"""The fields that say which object a record is of, beside its parent."""


def signature_of(reply: Reply) -> tuple[object, ...]:
    """Return what is equal for two replies of the same objects in the same order."""
    parts: list[object] = []
    for name, records in reply.records.items():
        parts.append((name, records.type.fields, records.parent.tobytes()))
        parts.extend(_column(records, field) for field in _NAMES.get(name, ()))
    return tuple(parts)


def _column(records: Records, field: str) -> object:
    if field in records:
        return records.counts(field).tobytes()
    return tuple(records.words(field)) if any(one.name == field for one in records.type.fields) else None


def rows_before(before: Reply, reply: Reply, known: EsxtopRecords | None = None) -> Match:
    """Return for each record of ``reply`` its row in ``before``."""
    known = known or load_esxtop_records()
    then, now = _Keys(before, known), _Keys(reply, known)
    found: dict[str, IntArray] = {}
    for name in reply.records:
        rows = {key: row for row, key in enumerate(then.of(name))}
        found[name] = np.array([rows.get(key, -1) for key in now.of(name)], dtype=np.int64)
    return found


class _Keys:
    """What names each record of a reply: its own names after those of its parent."""

    def __init__(self, reply: Reply, known: EsxtopRecords) -> None:
        self._reply, self._known = reply, known
        self._keys: dict[str, list[tuple[object, ...]]] = {}

    def of(self, name: str) -> list[tuple[object, ...]]:
        """Return a key for each record of a type."""
        if name not in self._reply:
            return []
        if name not in self._keys:
            self._keys[name] = self._read(name)
        return self._keys[name]

    def _read(self, name: str) -> list[tuple[object, ...]]:
        records = self._reply[name]
        columns = [_values(records, field) for field in _NAMES.get(name, ())]
        own = list(zip(*columns, strict=True)) if columns else [()] * len(records)
        parents = self.of(self._known.parent_of(name))
        return [
            (parents[parent] if 0 <= parent < len(parents) else (), *names)
            for parent, names in zip(records.parent.tolist(), own, strict=True)
        ]


def _values(records: Records, field: str) -> list[object]:
    if field in records:
        return list(records.counts(field).tolist())
    there = any(one.name == field for one in records.type.fields)
    return list(records.words(field)) if there else [None] * len(records)
