"""Whether a VM is powered on. A guest with VMware Tools is shut down, never cut off."""

from __future__ import annotations

import time
from typing import Any

from connections.failures import ClosedError
from connections.vsphere.faults import SoapFault
from connections.vsphere.logged_in import Connection
from connections.vsphere.properties import managed, read_one
from connections.vsphere.retry import is_transient
from resources.failures import SourceError, TimedOutError
from resources.foreign_text import shown
from sessions.journal import ChangedObject, Setting
from workloads.vsphere.faults import refusal
from workloads.vsphere.settings.values import Server, as_flag

_STATE, _TOOLS = "runtime.powerState", "guest.toolsRunningStatus"
_QUESTION = "runtime.question"


def read(server: Server, of: ChangedObject, _name: str) -> Setting:
    """Return whether the VM is powered on; a suspended VM is not."""
    return str(read_one(server.vsphere, "its power state", of, [_STATE])[_STATE]) == "poweredOn"


def write(server: Server, of: ChangedObject, _name: str, value: Setting) -> None:
    """Power the VM on, or shut its guest down (power it off where VMware Tools do not run)."""
    on = as_flag("power", value)
    now = read_one(server.vsphere, "its power state", of, [_STATE, _TOOLS])
    if (str(now[_STATE]) == "poweredOn") == on:
        return
    if not on and str(now[_TOOLS]) == "guestToolsRunning":
        _shut_down(server, of)
        return

    def start(connection: Connection) -> Any:
        vm = managed(connection, of.kind, of.id)
        return vm.PowerOnVM_Task() if on else vm.PowerOffVM_Task()

    what = f"powering {of.name} {'on' if on else 'off'}"
    try:
        server.tasks.run(what, of, start, server.tasks.waits.power_s, lambda: read(server, of, "") == on)
    except TimedOutError as error:
        raise _asked(server, of, error) from error


def _shut_down(server: Server, of: ChangedObject) -> None:
    what, waits = f"shutting down the guest of {of.name}", server.tasks.waits
    try:
        server.vsphere.ask(what, lambda connection: managed(connection, of.kind, of.id).ShutdownGuest())
    except ClosedError:
        raise
    except SourceError as error:
        if isinstance(error, SoapFault) or not is_transient(error):
            raise refusal(error, what, server.vsphere.address) from error
    deadline = time.monotonic() + waits.shutdown_s
    while read(server, of, ""):
        if time.monotonic() >= deadline:
            raise TimedOutError(
                f"The guest of {of.name} has not shut down after {waits.shutdown_s:.0f} s.",
                meaning="It installs updates, waits for a person, or ignores it; it was not cut off.",
                advice="Shut it down by hand, or power it off in the vSphere Client.",
            )
        time.sleep(waits.max_poll_s)


def _asked(server: Server, of: ChangedObject, error: TimedOutError) -> TimedOutError:
    """The error with the question on which the VM waits, if it waits on one."""
    question = read_one(server.vsphere, "its question", of, [_QUESTION])[_QUESTION]
    if question is None:
        return error
    return TimedOutError(
        error.happened,
        meaning=f"{of.name} waits for an answer: {shown(question.text or '')}",
        advice="Answer it in the vSphere Client, then try again.",
    )
