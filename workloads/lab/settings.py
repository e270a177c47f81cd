"""The settings of the lab's objects, by the same names as those of a vCenter."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

from lab.acted.drs import Behaviour
from lab.acted.sioc import THRESHOLD_MS
from lab.physics import TICK_S
from resources.failures import UsageError
from resources.foreign_text import shown
from sessions.journal import ChangedObject, Setting
from workloads.lab.simulated import CLUSTER_ID, Simulated

_BEHAVIOURS: tuple[Behaviour, ...] = ("manual", "partiallyAutomated", "fullyAutomated")
_SHARES, _LIMIT = (200.0, 4000.0), 16.0
_MAX_MIGRATION_TICKS = 720


class LabSettings:
    """Reads and writes what can be changed in the lab. Raises NotFoundError for what is not there,
    UsageError for a setting or value that does not exist.
    """

    def __init__(self, simulated: Simulated) -> None:
        self._simulated = simulated
        self._by_kind: dict[str, Callable[[ChangedObject, str], Setting]] = {
            "VirtualMachine": self._read_vm,
            "Datastore": self._read_store,
            "ClusterComputeResource": self._read_cluster,
            "guest": self._read_guest,
        }
        self._writers: dict[str, Callable[[ChangedObject, str, Setting], None]] = {
            "VirtualMachine": self._write_vm,
            "Datastore": self._write_store,
            "ClusterComputeResource": self._write_cluster,
            "guest": self._write_guest,
        }

    def read(self, changed: ChangedObject, setting: str) -> Setting:
        """Return the present value."""
        with self._simulated.lock:
            if setting.startswith("attribute:"):
                return self._simulated.attributes.get((changed.id, setting))
            if changed.kind not in self._by_kind:
                raise _unknown(changed, setting)
            return self._by_kind[changed.kind](changed, setting)

    def write(self, changed: ChangedObject, setting: str, value: Setting) -> None:
        """Set it; a vMotion takes its time in the simulation."""
        with self._simulated.lock:
            if setting.startswith("attribute:"):
                self._write_attribute(changed, setting, value)
            elif changed.kind in self._writers:
                self._writers[changed.kind](changed, setting, value)
            else:
                raise _unknown(changed, setting)

    def _write_attribute(self, changed: ChangedObject, setting: str, value: Setting) -> None:
        if value in (None, ""):
            self._simulated.attributes.pop((changed.id, setting), None)
        else:
            self._simulated.attributes[changed.id, setting] = str(value)

    def _read_vm(self, changed: ChangedObject, setting: str) -> Setting:
        here, lab = self._simulated, self._simulated.lab
        vm = here.vm_number(changed)
        name, _, of = setting.partition(":")
        if name == "host":
            return here.host_object(int(lab.index.vm_host[vm])).id
        if name == "power":
            return bool(lab.powered[vm])
        if name == "disk":
            return here.disk_text(vm, of)
        if name == "disk.shares":
            return float(lab.storage.shares[here.disk_cell(vm, of)])
        if name == "disk.iops_limit":
            limit = float(lab.storage.limit[here.disk_cell(vm, of)])
            return limit if math.isfinite(limit) else -1.0
        raise _unknown(changed, setting)

    def _write_vm(self, changed: ChangedObject, setting: str, value: Setting) -> None:
        here, lab = self._simulated, self._simulated.lab
        vm = here.vm_number(changed)
        name, _, of = setting.partition(":")
        if name == "host":
            self._migrate(vm, here.host_number(str(value)))
        elif name == "power":
            lab.set_power(vm, on=bool(value))
        elif name == "disk":
            self._write_disk(vm, of, value)
        elif name == "disk.shares":
            lab.storage.shares[here.disk_cell(vm, of)] = _between(setting, value, *_SHARES)
        elif name == "disk.iops_limit":
            cell = here.disk_cell(vm, of)
            none = value is None or value == -1
            lab.storage.limit[cell] = math.inf if none else _between(setting, value, _LIMIT, math.inf)
        else:
            raise _unknown(changed, setting)

    def _migrate(self, vm: int, host: int) -> None:
        """Move a VM and let time pass until it has arrived."""
        here, lab = self._simulated, self._simulated.lab
        migration = lab.migrate(vm, host, "the test")
        if migration is None:
            return
        for _ in range(_MAX_MIGRATION_TICKS):
            here.advance(TICK_S)
            if migration.ended_ms is not None:
                break
        if int(lab.index.vm_host[vm]) != host:  # it was on its way elsewhere, asked for by DRS
            self._migrate(vm, host)

    def _write_disk(self, vm: int, name: str, value: Setting) -> None:
        here, lab = self._simulated, self._simulated.lab
        if value is None:
            lab.disks.remove(vm, name)
            here.disk_texts.pop((vm, name), None)
            return
        made = _disk_of(str(value))
        run, size, store = str(made.get("run", "")), made.get("size_bytes"), str(made.get("datastore") or "")
        if not isinstance(size, int):
            raise UsageError(f"The disk {shown(name)} has no size in bytes.")
        lun = here.lun_of(store) if store else 0
        if lab.disks.named(vm, name) is None:
            lab.disks.add(vm, name, size, lun, run)
            here.disk_texts[vm, name] = str(value)

    def _read_store(self, changed: ChangedObject, setting: str) -> Setting:
        lab, lun = self._simulated.lab, self._simulated.lun_of(changed.id)
        if setting == "iorm.enabled":
            return bool(lab.sioc.enabled[lun])
        if setting == "iorm.threshold_ms":
            threshold = float(lab.sioc.threshold_ms[lun])
            return None if math.isnan(threshold) else threshold
        if setting == "cache.enabled":
            return lun in lab.cached
        raise _unknown(changed, setting)

    def _write_store(self, changed: ChangedObject, setting: str, value: Setting) -> None:
        lab, lun = self._simulated.lab, self._simulated.lun_of(changed.id)
        if setting == "iorm.enabled":
            lab.sioc.enabled[lun] = bool(value)
        elif setting == "iorm.threshold_ms":
            none = value is None
            lab.sioc.threshold_ms[lun] = math.nan if none else _between(setting, value, *THRESHOLD_MS)
        elif setting == "cache.enabled":
            (lab.cached.add if value else lab.cached.discard)(lun)
        else:
            raise _unknown(changed, setting)

    def _read_cluster(self, changed: ChangedObject, setting: str) -> Setting:
        if changed.id == CLUSTER_ID and setting == "drs.behaviour":
            return self._simulated.lab.drs.behaviour
        if changed.id == CLUSTER_ID and setting == "drs.rate":
            return float(self._simulated.lab.drs.rate)
        raise _unknown(changed, setting)

    def _write_cluster(self, changed: ChangedObject, setting: str, value: Setting) -> None:
        drs = self._simulated.lab.drs
        if setting == "drs.behaviour":
            found = [one for one in _BEHAVIOURS if one == value]
            if not found:
                raise UsageError(
                    f"{shown(str(value))} is no automation of DRS.", advice=", ".join(_BEHAVIOURS)
                )
            drs.behaviour = found[0]
        elif setting == "drs.rate":
            drs.rate = int(_between(setting, value, 1, 5))
        else:
            raise _unknown(changed, setting)

    def _read_guest(self, changed: ChangedObject, setting: str) -> Setting:
        here = self._simulated
        for vm, folder in here.folders.items():
            if folder == changed.id:
                running = here.lab.jobs.get(vm)
                if setting == "folder":
                    return folder
                if setting == "process" and running is not None and running.is_active(here.lab.now_ms):
                    begun = running.job.begin_ms
                    return json.dumps({"pid": 2000 + vm, "start": begun, "command": "fio"}, sort_keys=True)
        return None

    def _write_guest(self, changed: ChangedObject, setting: str, value: Setting) -> None:
        here = self._simulated
        if value is not None or setting not in ("folder", "process"):
            raise _unknown(changed, setting)
        for vm, folder in list(here.folders.items()):
            if folder == changed.id:
                here.lab.end(vm)
                if setting == "folder":
                    here.folders.pop(vm)


def _disk_of(text: str) -> dict[str, object]:
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        read = None
    if not isinstance(read, dict):
        raise UsageError(f"That describes no disk: {shown(text, 80)}.")
    return read


def _between(setting: str, value: Setting, least: float, most: float) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not least <= float(value or 0) <= most:
        raise UsageError(
            f"{setting} can't be {shown(str(value))}.", advice=f"It is from {least:g} to {most:g}."
        )
    return float(value or 0)


def _unknown(changed: ChangedObject, setting: str) -> UsageError:
    return UsageError(f"{changed.name or changed.kind} has no setting {shown(setting)} in the lab.")
