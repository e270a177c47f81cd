"""Storage I/O Control of a datastore: whether it is on, and its threshold.

Only what changes is sent, since an unset part of the specification leaves a datastore's setting as it is
(vSphere Web Services API reference, StorageIORMConfigSpec).
"""

from __future__ import annotations

from typing import Any

from pyVmomi import vim

from connections.vsphere.logged_in import Connection
from connections.vsphere.properties import managed, read_one
from resources.failures import UsageError
from sessions.journal import ChangedObject, Setting
from workloads.vsphere.settings.values import Server, as_flag, as_whole

_PATH = "iormConfiguration"
_AUTOMATIC, _MANUAL = "automatic", "manual"


def read_enabled(server: Server, of: ChangedObject, _name: str) -> Setting:
    """Return whether Storage I/O Control is on; False where it was never configured."""
    config = _config(server, of)
    return bool(config is not None and config.enabled)


def write_enabled(server: Server, of: ChangedObject, _name: str, value: Setting) -> None:
    """Turn it on or off."""
    enabled = as_flag("iorm.enabled", value)
    what = f"turning Storage I/O Control of {of.name} {'on' if enabled else 'off'}"
    _configure(server, of, what, {"enabled": enabled}, "", value)


def read_threshold(server: Server, of: ChangedObject, _name: str) -> Setting:
    """Return the congestion threshold in ms, None where the server finds it by itself."""
    config = _config(server, of)
    if config is None or config.congestionThresholdMode in (None, _AUTOMATIC):
        return None
    return None if config.congestionThreshold is None else float(config.congestionThreshold)


def write_threshold(server: Server, of: ChangedObject, _name: str, value: Setting) -> None:
    """Set the threshold in ms, or let the server find it (None)."""
    if value is None:
        spec: dict[str, object] = {"congestionThresholdMode": _AUTOMATIC}
        what = f"setting the threshold of Storage I/O Control of {of.name} to automatic"
    else:
        limits = server.known.values.iorm_threshold_ms
        threshold = as_whole("iorm.threshold_ms", value, limits, " (ms)")
        spec = {"congestionThresholdMode": _MANUAL, "congestionThreshold": threshold}
        what = f"setting the threshold of Storage I/O Control of {of.name} to {threshold} ms"
    _configure(server, of, what, spec, "threshold", value)


def _config(server: Server, of: ChangedObject) -> Any:
    return read_one(server.vsphere, "Storage I/O Control", of, [_PATH])[_PATH]


def _configure(
    server: Server, of: ChangedObject, what: str, spec: dict[str, object], part: str, value: Setting
) -> None:
    def start(connection: Connection) -> Any:
        resources = connection.content.storageResourceManager
        if resources is None:
            raise UsageError(
                f"{server.vsphere.address.place} has no Storage I/O Control.",
                advice="Connect to the vCenter instead of the host.",
            )
        asked = vim.StorageResourceManager.IORMConfigSpec(**spec)
        return resources.ConfigureDatastoreIORM_Task(managed(connection, of.kind, of.id), asked)

    def holds() -> bool:
        read = read_threshold if part else read_enabled
        return read(server, of, "") == value

    server.tasks.run(what, of, start, server.tasks.waits.reconfigure_s, holds)
