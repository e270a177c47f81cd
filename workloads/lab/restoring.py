"""A lab after a crash: a new simulation, in which the changes that still held are made again."""

from __future__ import annotations

from collections.abc import Sequence

from resources.failures import NotFoundError, UsageError
from sessions.journal import JournalEntry, current_journal
from workloads.lab.settings import LabSettings
from workloads.lab.simulated import Simulated

_HELD = ("applied", "failed", "left")


def replay(simulated: Simulated, settings: LabSettings, journal: Sequence[JournalEntry]) -> None:
    """Make the changes that were in effect when the process ended, oldest first.

    A change that was only intended is not made: nobody can know any more whether it was. Processes in guests
    died with the lab. Placements are made at once, without a vMotion.
    """
    for entry in current_journal(journal):
        if entry.state not in _HELD or entry.object.kind == "guest":
            continue
        try:
            if entry.setting == "host":
                vm = simulated.vm_number(entry.object)
                simulated.lab.place(vm, simulated.host_number(str(entry.after)))
            else:
                settings.write(entry.object, entry.setting, entry.after)
        except (NotFoundError, UsageError):
            continue  # of another lab, or of a disk that a later change removed
