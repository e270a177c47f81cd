"""Reads and writes each setting by its name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from resources.failures import UsageError
from resources.foreign_text import shown
from sessions.journal import ChangedObject, Setting
from workloads.vsphere.settings import (
    attribute,
    disk_allocation,
    drs,
    iorm,
    made_disk,
    placement,
    power,
)
from workloads.vsphere.settings.values import Server, SettingKind

_VM = ("VirtualMachine",)

KINDS: Mapping[str, SettingKind] = MappingProxyType(
    {
        "iorm.enabled": SettingKind(iorm.read_enabled, iorm.write_enabled, ("Datastore",)),
        "iorm.threshold_ms": SettingKind(iorm.read_threshold, iorm.write_threshold, ("Datastore",)),
        "disk.shares": SettingKind(
            disk_allocation.read_shares, disk_allocation.write_shares, _VM, named=True
        ),
        "disk.iops_limit": SettingKind(
            disk_allocation.read_limit, disk_allocation.write_limit, _VM, named=True
        ),
        "drs.behaviour": SettingKind(drs.read_behaviour, drs.write_behaviour, ("ClusterComputeResource",)),
        "drs.rate": SettingKind(drs.read_rate, drs.write_rate, ("ClusterComputeResource",)),
        "host": SettingKind(placement.read, placement.write, _VM),
        "power": SettingKind(power.read, power.write, _VM),
        "attribute": SettingKind(
            attribute.read,
            attribute.write,
            ("VirtualMachine", "HostSystem", "Datastore", "ClusterComputeResource"),
            named=True,
        ),
        "disk": SettingKind(made_disk.read, made_disk.write, _VM, named=True),
    }
)
"""Each setting of a vCenter by its name, up to the colon."""


class VSphereSettings:
    """``workloads.environment.Settings`` of a vCenter. Thread-safe."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def read(self, changed: ChangedObject, setting: str) -> Setting:
        """Return the present value. Raises NotFoundError if the object is gone, UsageError, SourceError."""
        kind, name = self._kind(changed, setting)
        return kind.read(self._server, changed, name)

    def write(self, changed: ChangedObject, setting: str, value: Setting) -> None:
        """Set it, and return when the server has done it.

        Raises UsageError for a value that the setting does not take, NotFoundError, SourceError (refused, too
        slow, outcome unknown), CancelledError.
        """
        kind, name = self._kind(changed, setting)
        kind.write(self._server, changed, name, value)

    def _kind(self, changed: ChangedObject, setting: str) -> tuple[SettingKind, str]:
        base, colon, name = setting.partition(":")
        kind = KINDS.get(base)
        if kind is None or kind.named != bool(colon and name):
            raise UsageError(
                f"A vCenter has no setting {shown(setting, 80)}.",
                advice=f"There are: {', '.join(KINDS)}.",
            )
        if changed.kind not in kind.kinds:
            raise UsageError(f"{changed.name or changed.id} has no setting {base}: it is a {changed.kind}.")
        return kind, name
