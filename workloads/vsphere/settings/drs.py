"""DRS of a cluster: what it does by itself, and how readily.

DRS is never turned off: that deletes the cluster's resource pools. ``manual`` freezes it.
"""

from __future__ import annotations

from typing import Any

from pyVmomi import vim

from connections.vsphere.logged_in import Connection
from connections.vsphere.properties import managed, read_one
from resources.failures import UsageError
from sessions.journal import ChangedObject, Setting
from workloads.vsphere.settings.values import Server, as_whole, one_of

BEHAVIOURS = ("manual", "partiallyAutomated", "fullyAutomated")

_PATH = "configurationEx"


def read_behaviour(server: Server, of: ChangedObject, _name: str) -> Setting:
    """Return what DRS does by itself: ``manual``, ``partiallyAutomated`` or ``fullyAutomated``."""
    behaviour = _config(server, of).defaultVmBehavior
    return None if behaviour is None else str(behaviour)


def write_behaviour(server: Server, of: ChangedObject, _name: str, value: Setting) -> None:
    """Set what DRS does by itself."""
    behaviour = one_of("drs.behaviour", value, BEHAVIOURS)
    what = f"setting DRS of {of.name} to {behaviour}"
    _configure(server, of, what, {"defaultVmBehavior": behaviour}, behaviour)


def read_rate(server: Server, of: ChangedObject, _name: str) -> Setting:
    """Return the API's migration threshold, 1 (moves most readily) to 5 (only what must move)."""
    rate = _config(server, of).vmotionRate
    return None if rate is None else float(rate)


def write_rate(server: Server, of: ChangedObject, _name: str, value: Setting) -> None:
    """Set the migration threshold."""
    rate = as_whole("drs.rate", value, server.known.values.drs_rate)
    what = f"setting the migration threshold of DRS of {of.name} to {rate}"
    _configure(server, of, what, {"vmotionRate": rate}, rate)


def _config(server: Server, of: ChangedObject) -> Any:
    config = read_one(server.vsphere, "the cluster's settings", of, [_PATH])[_PATH]
    drs = getattr(config, "drsConfig", None)
    if drs is None:
        raise UsageError(
            f"{of.name} has no DRS settings that this account can read.",
            meaning="It is no cluster, or the account lacks System.Read on it.",
        )
    return drs


def _configure(
    server: Server, of: ChangedObject, what: str, drs: dict[str, object], value: str | int
) -> None:
    def start(connection: Connection) -> Any:
        spec = vim.cluster.ConfigSpecEx(drsConfig=vim.cluster.DrsConfigInfo(**drs))
        cluster = managed(connection, of.kind, of.id)
        return cluster.ReconfigureComputeResource_Task(spec, True)  # False resets everything else

    def holds() -> bool:
        (name,) = drs
        return bool(getattr(_config(server, of), name) == value)

    server.tasks.run(what, of, start, server.tasks.waits.reconfigure_s, holds)
