"""Run by path, in a process of its own: changes settings with a real journal, and kills itself on the way.

    python -m tests.workloads.changing_child SESSION FOLDER STEP

A setting is a file in FOLDER. Before step STEP (a read, a write, a record) the process kills itself;
without one it makes all changes and undoes them.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from sessions.journal import ChangedObject, JournalEntry, Setting
from sessions.store import SessionReader, SessionWriter
from workloads.journal import Changes, Wanted

LUN = ChangedObject("vcenter://anna@vc01.corp", "Datastore", "datastore-7", "perf-lun-02")
VM = ChangedObject("vcenter://anna@vc01.corp", "VirtualMachine", "vm-42", "db-prod")
AS_IT_WAS: dict[str, Setting] = {"iorm.enabled": False, "iorm.threshold_ms": 30.0, "disk.shares": 1000.0}


class Folder:
    """Settings as files, and a journal in a session; ``step`` counts down to the end of this process."""

    def __init__(self, folder: Path, writer: SessionWriter, step: int = -1) -> None:
        self._folder, self._writer, self._left = folder, writer, step

    def read(self, _changed: ChangedObject, setting: str) -> Setting:
        """Return what the file says."""
        self._count()
        value: Setting = json.loads((self._folder / setting).read_text(encoding="utf-8"))
        return value

    def write(self, _changed: ChangedObject, setting: str, value: Setting) -> None:
        """Replace the file."""
        self._count()
        new = self._folder / f"{setting}.new"
        new.write_text(json.dumps(value), encoding="utf-8")
        new.replace(self._folder / setting)

    def record(self, entries: Sequence[JournalEntry]) -> None:
        """Write to the session, which is on disk when this returns."""
        self._count()
        self._writer.add_journal(entries)

    def _count(self) -> None:
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self._left -= 1


def changes(folder: Path, writer: SessionWriter, step: int, earlier: Sequence[JournalEntry] = ()) -> Changes:
    """Return the changes of the run in that folder."""
    world = Folder(folder, writer, step)
    return Changes("run-1", world, world, lambda: 1_700_000_000_000, "vsphere", earlier)


def run(session: Path, folder: Path, step: int) -> None:
    """Change everything in three phases and put it back."""
    with SessionWriter.create(session) as writer:
        made = changes(folder, writer, step)
        made.hold([Wanted(LUN, "iorm.enabled", True), Wanted(VM, "disk.shares", 2000.0)])
        made.hold([Wanted(LUN, "iorm.threshold_ms", None), Wanted(VM, "disk.shares", 500.0)])
        made.hold([Wanted(LUN, "iorm.enabled", False), Wanted(VM, "disk.shares", 1000.0)])
        made.undo_all()


def restore(session: Path, folder: Path) -> None:
    """Undo what is open in the journal of the session."""
    with SessionReader.open(session) as reader:
        entries = reader.journal()
    with SessionWriter.open(session) as writer:
        changes(folder, writer, -1, entries).undo_all()


if __name__ == "__main__":
    run(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
